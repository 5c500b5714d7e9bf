# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences for the user, the exception for errors in the input, and how texts with names from
files reach a terminal.

Control characters in a name would move the cursor, color the screen or reverse the text after it.
"""

import re
import sys
import traceback
from collections.abc import Iterable, Mapping
from typing import Self

_FIELD = re.compile(r"{(\w+):?([^{}]*)}")


class Sentence(str):
    """English text for the user, with all that is needed to translate it: a template, and texts or
    sentences for its fields by name.

    `Sentence("{name} is {height:.1f} m high.").format(name=…, height=…)` makes one with values.
    """

    template: str
    """Text with fields such as {height}, without their formats."""
    values: Mapping[str, str]

    def __new__(cls, text: str) -> Self:
        """A text without values, or a sentence as it is."""
        if isinstance(text, cls):
            return text
        sentence = super().__new__(cls, text)
        sentence.template = text
        sentence.values = {}
        return sentence

    def format(self, *_: object, **values: object) -> "Sentence":
        """The sentence with a value for each field, an InputError as its sentence."""
        texts = {
            name: _text(values[name], specification)
            for name, specification in _FIELD.findall(self.template)
        }
        template = plain(self.template)
        sentence = Sentence(template.format(**texts))
        sentence.template = template
        sentence.values = texts
        return sentence

    def renamed(self, path: str, name: str) -> "Sentence":
        """The sentence with a name for a path in its values."""
        if not self.values:
            return self
        return Sentence(self.template).format(
            **{
                field: value.renamed(path, name)
                if isinstance(value, Sentence)
                else value.replace(path, name)
                for field, value in self.values.items()
            }
        )


def plain(template: str) -> str:
    """A template with its fields, but without their formats."""
    return _FIELD.sub(r"{\1}", template)


def _text(value: object, specification: str) -> str:
    if isinstance(value, InputError):
        value = value.sentence
    return value if isinstance(value, Sentence) else format(value, specification)


def joined(sentences: Iterable[str], separator: str = " ") -> Sentence:
    """Sentences as one."""
    values = {f"sentence{number}": Sentence(text) for number, text in enumerate(sentences)}
    return Sentence(separator.join(f"{{{name}}}" for name in values)).format(**values)


class InputError(ValueError):
    """Invalid input. The message is one sentence for the user; `format` as for `Sentence`."""

    def __init__(self, text: str = "") -> None:
        self.sentence = Sentence(text)
        super().__init__(self.sentence)

    def format(self, **values: object) -> Self:
        """The error with values for the fields of its text."""
        return type(self)(self.sentence.format(**values))


def unreadable(path: object, error: Exception) -> InputError:
    """Error for a file that cannot be read, with the system's reason."""
    reason = getattr(error, "strerror", None) or error
    return InputError("{path} cannot be read: {reason}.").format(path=path, reason=reason)


def unwritable(path: object, error: Exception) -> InputError:
    """Error for a file that cannot be written, with the system's reason."""
    reason = getattr(error, "strerror", None) or error
    return InputError("{path} cannot be written: {reason}.").format(path=path, reason=reason)


def reason_of(error: RuntimeError) -> str:
    """Reason that an operator of Blender gives, without the word in front."""
    return str(error).removeprefix("Error: ").strip()


def printable(text: str) -> str:
    """One line, with escapes such as \\x1b or \\n for unprintable characters."""
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
