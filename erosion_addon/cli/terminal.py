# SPDX-License-Identifier: GPL-3.0-or-later
"""Terminal output: encoding-safe text, tables, and progress."""

import os
import shutil
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from ..base.errors import InputError
from ..run.progress import Gauge, Progress


class UnsaidError(InputError):
    """Standard output is not writable."""


def say(text: str) -> None:
    """Print a line on standard output, with escapes for characters outside its encoding.

    A closed pipe, as with `head`, is not an error. UnsaidError if nothing can be written at all.
    """
    try:
        _write_line(text, sys.stdout)
    except BrokenPipeError:
        return
    except (OSError, ValueError, AttributeError) as error:
        reason = getattr(error, "strerror", None) or "it is closed"
        raise UnsaidError(f"Standard output cannot be written: {reason}.") from None


def say_written(paths: Iterable[Path]) -> None:
    """Print the names of written files; an error in printing does not undo them."""
    try:
        for path in paths:
            say(str(path))
    except UnsaidError as error:
        note(f"The files are written, but not their names. {error}")


def note(text: str) -> None:
    """Print one line on standard error, with any characters."""
    complain(" ".join(text.splitlines()))


def complain(text: str) -> None:
    """Print lines on standard error, if possible; failures are ignored."""
    with suppress(OSError, ValueError, AttributeError):
        _write_line(text, sys.stderr)


def _write_line(text: str, stream: TextIO) -> None:
    try:
        print(_encodable(text, stream), file=stream, flush=True)
    except OSError:
        # What is left in the stream would be tried again when the process ends, with an exit code of its own.
        with suppress(OSError, ValueError, AttributeError):
            sink = os.open(os.devnull, os.O_WRONLY)
            os.dup2(sink, stream.fileno())
            os.close(sink)
        raise


def table(rows: Iterable[Sequence[str]]) -> str:
    """Rows of texts as lines with aligned columns."""
    rows = list(rows)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


class ProgressLine:
    """Progress on standard error: a bar on a terminal, else a line at every tenth."""

    def __init__(self) -> None:
        self._began, self._gauge = time.monotonic(), Gauge()
        self._terminal = sys.stderr is not None and sys.stderr.isatty()
        self._full, self._empty = ("█", "░") if self._terminal and _encodable("█░", sys.stderr) == "█░" else ("#", "-")
        self._next = 0.1
        self._length = 0
        self._compiling = ""

    def show(self, progress: Progress) -> None:
        """Show the progress of the simulation and the time left."""
        fraction, left = progress.fraction, self._gauge.seconds_left(progress)
        if self._terminal:
            self._redraw(f"{progress.message} {self._bar(fraction)} {self._numbers(fraction, left)}")
        elif fraction >= self._next - 1e-9:
            note(f"{progress.message}: {self._numbers(fraction, left)}")
            while self._next - 1e-9 <= fraction:
                self._next += 0.1

    def show_compiling(self, fraction: float, message: str) -> None:
        """Show the progress of the compilation before the simulation."""
        if self._terminal:
            self._redraw(f"{message} {self._bar(fraction)} {fraction:4.0%}".replace("%", " %"))
        elif message != self._compiling:
            note(message)
        self._compiling = message
        self._began = time.monotonic()  # the time that it took is the simulation's

    def close(self) -> None:
        """Remove the bar, so that later output starts on a new line."""
        if self._length:
            self._redraw("")
            with suppress(OSError):
                sys.stderr.write("\r")

    def _bar(self, fraction: float) -> str:
        cells = round(24 * fraction)
        return self._full * cells + self._empty * (24 - cells)

    def _numbers(self, fraction: float, left: float | None) -> str:
        if fraction >= 1:
            return f"100 %, {_duration(time.monotonic() - self._began)}"
        said = f", {_duration(left)} left" if left is not None else ""
        return f"{fraction:4.0%}".replace("%", " %") + said

    def _redraw(self, text: str) -> None:
        text = text[: shutil.get_terminal_size().columns - 1]
        # An interrupt may come as soon as anything is seen: by then it is known that there is something to take away.
        before, self._length = self._length, len(text)
        with suppress(OSError):
            sys.stderr.write("\r" + text.ljust(before))
            sys.stderr.flush()


def _encodable(text: str, stream: TextIO) -> str:
    encoding = stream.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
