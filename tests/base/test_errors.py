# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts on a terminal: nothing in them moves its cursor, and names end where they seem to."""

import sys

import pytest

from erosion_addon.base.errors import print_traceback, printable, printable_lines

HOSTILE = {
    "escape sequence": ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
    "back to the begin of the line": ("a\rb\b", "a\\rb\\x08"),
    "new line": ("a\nb\x0b\x85\u2028", "a\\nb\\x0b\\x85\\u2028"),
    "escape sequence of 8 bits": ("\x9b2J", "\\x9b2J"),
    "right to left": ("a\u202egpj.npy", "a\\u202egpj.npy"),
    "isolated direction": ("\u2066a\u2069\u200f", "\\u2066a\\u2069\\u200f"),
    "no width": ("a\u200b\ufeff\u00ad", "a\\u200b\\ufeff\\xad"),
    "tag": ("\U000e0041", "\\U000e0041"),
    "no character": ("\0\x7f\udcff", "\\x00\\x7f\\udcff"),
}


@pytest.mark.parametrize(("text", "shown"), HOSTILE.values(), ids=HOSTILE)
def test_what_has_no_sign_of_its_own_is_escaped(text, shown):
    assert printable(text) == shown and printable(shown) == shown and shown.isprintable()


@pytest.mark.parametrize(
    "text", ["", "Berge 4 × 4 km²", "Hügel’s Ende – ½", "山の地形", "Горы", "جبال", "C:\\x1b"]
)
def test_names_in_any_language_are_shown_as_they_are(text):
    assert printable(text) == text


def test_lines_stay_lines():
    assert printable_lines("a\tb\n\x1bc\n") == "a\\tb\n\\x1bc\n"


def test_a_traceback_has_no_control_characters_either(capsys, monkeypatch):
    try:
        raise KeyError("\x1b[2J", ValueError("\u202eland"))
    except KeyError:
        print_traceback()
        monkeypatch.setattr(sys, "stderr", None)
        print_traceback()
    said = capsys.readouterr().err
    assert said.startswith("Traceback") and said.replace("\n", "").isprintable() and "x1b" in said
