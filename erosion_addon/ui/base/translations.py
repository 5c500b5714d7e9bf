# SPDX-License-Identifier: GPL-3.0-or-later
"""Translations of labels and tooltips: one file LOCALE.po for each language, in the folder `translations`.

release/messages.py writes the template that translators begin with. Blender takes what it translates itself first.
"""

import json
import re
from pathlib import Path

import bpy

FOLDER = Path(__file__).resolve().parents[2] / "translations"

_TEXT = r'((?:"[^\n]*"[ \t]*\n)+)'
_ENTRY = re.compile(rf"((?:^#[^\n]*\n)*)(?:^msgctxt {_TEXT})?^msgid {_TEXT}^msgstr {_TEXT}", re.MULTILINE)


def read(text: str) -> dict[tuple[str, str], str]:
    """(context, message) → translation, from the text of a .po file; ValueError where an escape in it is none.

    Left out is what is not translated yet, is marked as fuzzy, or has lost one of the {values} of its message.
    """
    found = {}
    for comments, *texts in _ENTRY.findall(f"{text}\n"):
        context, message, translation = (_joined(lines) for lines in texts)
        if message and translation and "fuzzy" not in comments and _values(message) == _values(translation):
            found[context or bpy.app.translations.contexts.default, message] = translation
    return found


def _joined(lines: str) -> str:
    """The text of some lines in quotes, whose escapes are those of JSON."""
    return "".join(json.loads(line) for line in lines.splitlines())


def _values(message: str) -> list[str]:
    return sorted(re.findall(r"{[^{}]*}|[{}]", message))


def read_all(folder: Path) -> dict[str, dict[tuple[str, str], str]]:
    """The translations by locale, such as de_DE; a file that cannot be read is named in the console and left out."""
    found = {}
    for path in sorted(folder.glob("*.po")):
        try:
            found[path.stem] = read(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            print(f"Terrain Erosion: the translation {path} cannot be read: {error}")
    return found


def phrase(template: str, **values: object) -> str:
    """A text of the panel in the language of the interface, with its values; others Blender translates by itself."""
    return bpy.app.translations.pgettext_iface(template).format(**values)


def register() -> None:
    """Hand the translations to Blender."""
    bpy.app.translations.register(__name__, read_all(FOLDER))


def unregister() -> None:
    """Take them back."""
    bpy.app.translations.unregister(__name__)


CLASSES = ()
