# SPDX-License-Identifier: GPL-3.0-or-later
"""Terminal output: encoding-safe text and tables."""

import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from ...base.errors import InputError


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
        print(encodable(text, stream), file=stream, flush=True)
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


def encodable(text: str, stream: TextIO) -> str:
    """Text with escapes for characters outside the encoding of `stream`."""
    encoding = stream.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)
