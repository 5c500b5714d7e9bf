# SPDX-License-Identifier: GPL-3.0-or-later
"""Translations of what the interface says: one file LOCALE.json for each language, in the folder `translations`.

release/messages.py makes and updates the files. Blender takes what it translates itself first.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import bpy

from ...scene import session

FOLDER = Path(__file__).resolve().parents[2] / "translations"

SENTENCE = "Sentence"
"""Context of errors, notes and reports, which are made far from the interface and with their values in them."""

Texts = dict[tuple[str, str], str]


def read(path: Path) -> Texts:
    """(context, message) → translation, from a file of {context: {message: translation}}; those not empty."""
    content: Mapping[str, Mapping[str, str]] = json.loads(path.read_text(encoding="utf-8"))
    return {(context, text): said for context, texts in content.items() for text, said in texts.items() if said}


@session.cached()
def languages() -> dict[str, Texts]:
    """The translations by locale, such as de_DE."""
    return {path.stem: read(path) for path in sorted(FOLDER.glob("*.json"))}


def phrase(template: str, **values: object) -> str:
    """A text of the panel in the language of the interface, with its values; others Blender translates by itself."""
    return bpy.app.translations.pgettext_iface(template).format(**values)


def tooltip(text: str) -> str:
    """A tooltip that is no property's, in the language of tooltips."""
    return str(bpy.app.translations.pgettext_tip(text))


def sentence(text: str) -> str:
    """An error, note or report in the language of the interface; what has no translation stays English.

    Its values stay what they are, unless one of them is such a sentence too.
    """
    template, values = _taken_apart(text, bpy.app.translations.locale)
    said = bpy.app.translations.pgettext_rpt(template, SENTENCE)
    return said.format(*map(sentence, values)) if values or said != template else text


@session.cached(128)
def _taken_apart(text: str, locale: str) -> tuple[str, tuple[str, ...]]:
    """The message of a language that a text is made by, and its values; the text itself where there is none.

    Panels ask each time that they are drawn.
    """
    for pattern, template in _patterns(locale):
        if found := pattern.fullmatch(text):
            return template, found.groups()
    return text, ()


@session.cached()
def _patterns(locale: str) -> list[tuple[re.Pattern[str], str]]:
    """What finds the values in each sentence of a language, those that say most first."""
    templates = [text for context, text in languages().get(locale, {}) if context == SENTENCE]
    templates.sort(key=lambda text: len(text.replace("{}", "")), reverse=True)
    return [(re.compile(re.escape(text).replace(r"\{\}", "(.+?)"), re.DOTALL), text) for text in templates]


def report(operator: Any, kind: set[str], text: str) -> None:
    """What an operator has to say, in the language of the interface."""
    operator.report(kind, sentence(text))


def register() -> None:
    """Hand the translations to Blender."""
    bpy.app.translations.register(__name__, languages())


def unregister() -> None:
    """Take them back."""
    bpy.app.translations.unregister(__name__)


CLASSES = ()
