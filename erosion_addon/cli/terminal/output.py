# SPDX-License-Identifier: GPL-3.0-or-later
"""Terminal output: text and tables, without control characters and in any encoding."""

import json
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from ...base.errors import InputError, printable, printable_lines

_form = {"json": False}
"""Whether lines on standard error are JSON."""

_bar = {"length": 0}
"""Letters of the bar that stands on the terminal."""


class UnprintableError(InputError):
    """Standard output is not writable."""


def print_line(text: str) -> None:
    """`print_lines` for one line; a newline can only be part of a name."""
    print_lines(printable(text))


def print_lines(text: str) -> None:
    """Print lines on standard output, with escapes for control characters and those outside its
    encoding.

    A closed pipe, as with `head`, is not an error. UnprintableError if nothing can be written at
    all.
    """
    try:
        _write_line(text, sys.stdout)
    except BrokenPipeError:
        return
    except (OSError, ValueError, AttributeError) as error:
        reason = getattr(error, "strerror", None) or "it is closed"
        raise UnprintableError(f"Standard output cannot be written: {reason}.") from None


def print_written(paths: Iterable[Path]) -> None:
    """Print the names of written files; an error in printing does not undo them."""
    try:
        for path in paths:
            print_line(str(path))
    except UnprintableError as error:
        note(f"The files are written, but not their names. {error}")


@contextmanager
def as_json(is_json: bool) -> Iterator[None]:
    """Context in which every line on standard error is a JSON object, for the programs of a render
    farm.
    """
    _form["json"] = is_json
    try:
        yield
    finally:
        _form["json"] = False


def is_json() -> bool:
    """Whether lines on standard error are JSON."""
    return _form["json"]


def print_event(event: str, **values: Any) -> None:
    """Print an event on standard error as a line of JSON, if that is wanted; else nothing."""
    if _form["json"]:
        time = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = json.dumps({"event": event, "time": time, **values})
        # the one control character that JSON leaves
        _print_to_stderr(line.replace("\x7f", "\\u007f"))


def note(text: str) -> None:
    """Print one line on standard error, with any characters."""
    print_error(" ".join(text.splitlines()))


def print_error(text: str) -> None:
    """Print lines on standard error, if possible; failures are ignored."""
    if _form["json"]:
        print_event("note", text=text)
    else:
        _print_to_stderr(text)


def draw(bar: str) -> None:
    """Draw a bar on standard error over the previous one. The next line of text removes it."""
    bar = printable(bar)[: shutil.get_terminal_size().columns - 1]
    # An interrupt may come as soon as anything is seen: by then it is known that there is something
    # to take away.
    before = _bar["length"]
    _bar["length"] = len(bar)
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.write("\r" + bar.ljust(before))
        sys.stderr.flush()


def _take_bar_away() -> None:
    if _bar["length"]:
        draw("")
        with suppress(OSError, ValueError, AttributeError):
            sys.stderr.write("\r")
            sys.stderr.flush()


def _print_to_stderr(text: str) -> None:
    with suppress(OSError, ValueError, AttributeError):
        _write_line(text, sys.stderr)


def _write_line(text: str, stream: TextIO) -> None:
    _take_bar_away()
    try:
        print(encodable(printable_lines(text), stream), file=stream, flush=True)
    except OSError:
        # What is left in the stream would be tried again when the process ends, with an exit code
        # of its own.
        with suppress(OSError, ValueError, AttributeError):
            sink = os.open(os.devnull, os.O_WRONLY)
            os.dup2(sink, stream.fileno())
            os.close(sink)
        raise


def table(rows: Iterable[Sequence[str]]) -> str:
    """Rows of texts as lines with aligned columns."""
    rows = [[printable(text) for text in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def encodable(text: str, stream: TextIO) -> str:
    """Text with escapes for characters outside the encoding of `stream`."""
    encoding = stream.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)
