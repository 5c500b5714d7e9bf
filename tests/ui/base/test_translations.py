# SPDX-License-Identifier: GPL-3.0-or-later
"""Translators get all that the interface says, and what they write is found again by Blender."""

import runpy
from pathlib import Path
from types import SimpleNamespace

import bpy
import pytest

import erosion_addon
from erosion_addon.ui.base import translations

RELEASE = runpy.run_path(str(Path(__file__).parents[3] / "release" / "messages.py"))

GERMAN = r"""# The header is no message.
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\n"

#: recipe
msgctxt "Erosion"
msgid "Edges"
msgstr "Ränder"

msgctxt "Operator"
msgid "Run"
msgstr "Los"
msgid "Say \"{rows}\" "
"in two lines\n"
msgstr "Sag "
"„{rows}“\n"

#, fuzzy
msgid "Guessed"
msgstr "Geraten"

msgid "Not yet"
msgstr ""

msgid "{rows} × {cols} cells"
msgstr "{rows} × {spalten} Zellen"

#~ msgid "Gone"
#~ msgstr "Weg"
"""
FOUND = {
    ("Erosion", "Edges"): "Ränder",
    ("Operator", "Run"): "Los",
    ("*", 'Say "{rows}" in two lines\n'): "Sag „{rows}“\n",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "de_DE.po").write_text(GERMAN, encoding="utf-8", newline="\r\n")  # as editors of Windows write it
    monkeypatch.setattr(translations, "FOLDER", tmp_path)
    return tmp_path


def test_a_file_of_a_translator_is_read_without_what_is_not_ready_in_it():
    assert translations.read(GERMAN) == FOUND


def test_files_that_cannot_be_read_are_named_and_the_others_are_taken(folder, capsys):
    (folder / "fr_FR.po").write_bytes(b'msgid "Run"\nmsgstr "\xff"\n')
    (folder / "it_IT.po").write_text('msgid "Run"\nmsgstr "\\x"\n', encoding="utf-8")
    assert translations.read_all(folder) == {"de_DE": FOUND}
    said = capsys.readouterr().out
    assert "fr_FR.po cannot be read" in said and "it_IT.po cannot be read" in said


def test_blender_gets_them_each_time_that_the_extension_is_switched_on(folder, monkeypatch):
    """Blender as a module has no languages, so what it is given is looked at; in Blender names are looked up there."""
    given = {}
    blender = SimpleNamespace(
        register=given.__setitem__, unregister=given.__delitem__, contexts=bpy.app.translations.contexts
    )
    erosion_addon.unregister()
    monkeypatch.setattr(translations, "bpy", SimpleNamespace(app=SimpleNamespace(translations=blender)))
    for _ in range(2):
        erosion_addon.register()
        assert given == {translations.__name__: {"de_DE": FOUND}}
        erosion_addon.unregister()
        assert given == {}
    monkeypatch.undo()
    erosion_addon.register()


def test_a_phrase_without_a_translation_is_what_it_says():
    assert translations.phrase("{rows} × {cols} cells", rows=3, cols="4") == "3 × 4 cells"


def test_the_template_has_every_label_tooltip_choice_and_text_with_its_context():
    messages = RELEASE["messages"]()
    assert {
        ("Operator", "Run"),  # a button
        ("*", "End the run now and keep what is there so far"),  # its tooltip
        ("*", "Surface Color"),  # a panel
        ("Erosion", "Edges"),  # a parameter, in a word that means something else in all of Blender
        ("Erosion", "Wrap"),  # one of its choices
        ("*", "The edges are walls: nothing leaves"),  # what it means
        ("*", "My Recipes"),  # a text of a panel
        ("Operator", "Resume"),  # a button that is not called as its operator
        ("*", "{time} left"),  # a phrase
        ("*", "Moisture and Grass"),  # a heading of parameters
    } <= set(messages)
    assert all(context and message for context, message in messages)


def test_a_template_filled_in_by_a_translator_comes_back_whole():
    entries = RELEASE["template"]().split("\n\n")
    filled = [
        entry.replace('msgstr ""', entry[entry.index("msgid") :].split("\n")[0].replace("msgid", "msgstr"))
        for entry in entries[1:]
    ]
    found = translations.read("\n\n".join([entries[0], *filled]))
    assert found == {known: known[1] for known in RELEASE["messages"]()}
    assert translations.read(RELEASE["template"]()) == {}
