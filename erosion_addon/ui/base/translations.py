# SPDX-License-Identifier: GPL-3.0-or-later
"""Translations of the interface: one file LOCALE.json per language in the folder `translations`.

release/messages.py creates and updates the files. Blender's own translations take precedence.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import bpy

from ...base.errors import Sentence, printable
from ...scene.session import session

FOLDER = Path(__file__).resolve().parents[2] / "translations"

SENTENCE = "Sentence"
"""Context of errors, notes and reports, which are composed outside the interface, with values."""

Texts = dict[tuple[str, str], str]


def read(path: Path) -> Texts:
    """(context, message) → nonempty translation, from a file of {context: {message:
    translation}}.
    """
    content: Mapping[str, Mapping[str, str]] = json.loads(path.read_text(encoding="utf-8"))
    return {
        (context, text): translation
        for context, texts in content.items()
        for text, translation in texts.items()
        if translation
    }


@session.cached()
def texts_of(locale: str) -> Texts:
    """Translations into a language; none without a file. The files are long, so a language is read
    when it is used.
    """
    path = FOLDER / f"{locale}.json"
    return read(path) if path.is_file() else {}


def phrase(template: str, **values: object) -> str:
    """Translated text of a panel with its values. Blender translates other texts itself."""
    return bpy.app.translations.pgettext_iface(template).format(**values)


def tooltip(text: str) -> str:
    """Translated tooltip other than a property's."""
    return str(bpy.app.translations.pgettext_tip(text))


def sentence(text: str) -> str:
    """Translated error, note or report; English if there is no translation.

    Values are inserted unchanged, unless one is such a sentence itself.
    """
    if not isinstance(text, Sentence) or not text.values:
        return str(bpy.app.translations.pgettext_rpt(text, SENTENCE))
    translation = str(bpy.app.translations.pgettext_rpt(text.template, SENTENCE))
    values = text.values.items()
    return translation.format(
        **{
            name: sentence(value) if isinstance(value, Sentence) else value
            for name, value in values
        }
    )


def report(operator: Any, kind: set[str], text: str) -> None:
    """Report a translated message of an operator, which Blender also prints on its console."""
    operator.report(kind, printable(sentence(text)))


def register() -> None:
    """Register the translations into Blender's language."""
    locale = bpy.app.translations.locale
    bpy.app.translations.register(__name__, {locale: texts_of(locale)})


def unregister() -> None:
    """Unregister the translations."""
    bpy.app.translations.unregister(__name__)


@bpy.app.handlers.persistent
def _follow_language(*_: object) -> None:
    """Register the translations into a newly chosen language."""
    unregister()
    register()


HANDLERS = (("translation_update_post", _follow_language),)
CLASSES = ()
