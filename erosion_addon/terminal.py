# SPDX-License-Identifier: GPL-3.0-or-later
"""What the command line writes: text that every terminal can take, tables, and progress."""

import shutil
import sys
import time
from collections.abc import Iterable, Sequence
from typing import TextIO

from .model import Progress
from .model.progress import Gauge


def say(text: str, stream: TextIO | None = None) -> None:
    """Print a line, with escapes for letters that the stream's encoding does not know; standard output by default."""
    stream = stream or sys.stdout
    print(_encodable(text, stream), file=stream, flush=True)


def note(text: str) -> None:
    """Print one line on standard error, whatever the text holds."""
    say(" ".join(text.splitlines()), sys.stderr)


def table(rows: Iterable[Sequence[str]]) -> str:
    """Rows of texts as lines with aligned columns."""
    rows = list(rows)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


class ProgressLine:
    """Progress on standard error: a bar that is redrawn on a terminal, a line every tenth of the way otherwise."""

    def __init__(self) -> None:
        self._began, self._gauge = time.monotonic(), Gauge()
        self._terminal = sys.stderr.isatty()
        self._full, self._empty = ("█", "░") if _encodable("█░", sys.stderr) == "█░" else ("#", "-")
        self._next = 0.1
        self._length = 0
        self._compiling = ""

    def show(self, progress: Progress) -> None:
        """Say how far the simulation has got and how long the rest will take."""
        fraction, left = progress.fraction, self._gauge.seconds_left(progress)
        if self._terminal:
            self._redraw(f"{progress.message} {self._bar(fraction)} {self._numbers(fraction, left)}")
        elif fraction >= self._next - 1e-9:
            note(f"{progress.message}: {self._numbers(fraction, left)}")
            while self._next - 1e-9 <= fraction:
                self._next += 0.1

    def show_compiling(self, fraction: float, message: str) -> None:
        """Say how far the compilation has got that comes before the simulation."""
        if self._terminal:
            self._redraw(f"{message} {self._bar(fraction)} {fraction:4.0%}".replace("%", " %"))
        elif message != self._compiling:
            note(message)
        self._compiling = message
        self._began = time.monotonic()  # the time that it took is the simulation's

    def close(self) -> None:
        """Take the bar away, so that what follows stands on a line of its own."""
        if self._length:
            self._redraw("")
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
