# SPDX-License-Identifier: GPL-3.0-or-later
"""The exception for errors in the user's input, and how texts with names from files reach a
terminal.

Control characters of a name would move the cursor, color the screen or turn the direction of what
follows.
"""

import sys
import traceback


class InputError(ValueError):
    """Invalid input. The message is one sentence for the user."""


def reason_of(error: RuntimeError) -> str:
    """Reason that an operator of Blender gives, without the word in front."""
    return str(error).removeprefix("Error: ").strip()


def printable(text: str) -> str:
    """One line, in which escapes such as \\x1b or \\n stand for all that has no sign of its own."""
    if text.isprintable():
        return text
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text
    )


def printable_lines(text: str) -> str:
    """`printable` for each line of a text."""
    return "\n".join(map(printable, text.split("\n")))


def print_traceback() -> None:
    """Print the traceback of the current exception on standard error, if there is one."""
    if sys.stderr is not None:
        print(printable_lines(traceback.format_exc()), end="", file=sys.stderr)
