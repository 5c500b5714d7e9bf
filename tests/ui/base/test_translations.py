# SPDX-License-Identifier: GPL-3.0-or-later
"""German interface: complete, and errors translated with their values."""

import ast
import io
import json
import re
import runpy
from pathlib import Path
from types import SimpleNamespace

import bpy
import numpy as np
import pytest

import erosion_addon
from erosion_addon.base.errors import InputError, Sentence, joined, plain
from erosion_addon.files.heightmap import read_heights
from erosion_addon.files.reading.record import Reading
from erosion_addon.recipe.recipe import Recipe
from erosion_addon.scene.terrain import obstacle
from erosion_addon.ui.base import panel, terrain_operator, translations
from erosion_addon.worker.messages import receive, send

RELEASE = runpy.run_path(str(Path(__file__).parents[3] / "release" / "messages.py"))
CONTEXTS = bpy.app.translations.contexts

SAME_IN_GERMAN = {
    "Animation",
    *(
        "Auto",
        "Bilinear",
        "Detail",
        "Erosion",
        "Form",
        "Format",
        "Material",
        "Name",
        "Palette",
        "Radius",
        "Relief",
    ),
    *("Sand", "Sediment", "Start", "Threads", "Wind", "Y"),
    *(
        "DirectX (-Y)",
        "EXR",
        "OpenEXR",
        "OpenGL (+Y)",
        "PNG",
        "R16",
        "R32",
        "RAW",
        "TIFF",
        "Unity",
        "Unreal",
    ),
    *("129", "257", "505", "513", "1009", "1025", "2017", "2049", "4033", "4097", "8129"),
    # keys of recipe files, and a header
    *("limits: {error}", "masks: {error}", "needs: {error}", "Radius: {value}"),
}


def german():
    return translations.texts_of("de_DE")


class GermanBlender:
    """What Blender looks up while its language is German; as a module it has no languages."""

    contexts = CONTEXTS
    locale = "de_DE"

    def pgettext_iface(self, text, context=CONTEXTS.default):
        return german().get((context, text), text)

    pgettext_rpt = pgettext_tip = pgettext_iface


@pytest.fixture(scope="module")
def messages():
    return RELEASE["messages"]()


@pytest.fixture
def in_german(monkeypatch):
    monkeypatch.setattr(
        translations, "bpy", SimpleNamespace(app=SimpleNamespace(translations=GermanBlender()))
    )


class Drawn:
    """A layout that keeps the texts of its labels."""

    def __init__(self):
        self.lines = []

    def column(self, **_):
        return self

    def label(self, text, **_):
        self.lines.append(text)


def test_all_that_the_interface_says_is_there_in_german_and_nothing_else(messages):
    assert set(german()) == set(messages), "python release/messages.py de_DE enters what is new"


def test_only_names_and_words_of_german_itself_are_the_same_in_it():
    assert {text for (_, text), said in german().items() if said == text} <= SAME_IN_GERMAN


def test_each_value_stands_in_the_german_text_as_it_does_in_the_english():
    for (_, text), said in german().items():
        assert sorted(re.findall(r"{.*?}", said)) == sorted(re.findall(r"{.*?}", text)), text


def test_units_of_settings_stay_in_their_german_names():
    unit = re.compile(r"\((m|km²|m²|°|s|h|mm/h|m/h)\)")
    for (context, text), said in german().items():
        if context == "Erosion":
            assert unit.findall(said) == unit.findall(text), text


def test_what_is_not_translated_yet_stays_english(tmp_path):
    content = {"Erosion": {"Edges": "Bords", "Seed": ""}}
    (tmp_path / "fr_FR.json").write_text(json.dumps(content), encoding="utf-8")
    assert translations.read(tmp_path / "fr_FR.json") == {("Erosion", "Edges"): "Bords"}


@pytest.fixture
def blender(monkeypatch):
    """A Blender in German that keeps what is registered, with the extension switched off."""
    given = {}
    blender = SimpleNamespace(
        locale="de_DE",
        given=given,
        register=given.__setitem__,
        unregister=given.__delitem__,
        contexts=CONTEXTS,
    )
    erosion_addon.unregister()
    monkeypatch.setattr(
        translations, "bpy", SimpleNamespace(app=SimpleNamespace(translations=blender))
    )
    yield blender
    monkeypatch.undo()
    erosion_addon.register()


def test_blender_gets_the_german_texts_each_time_that_the_extension_is_switched_on(blender):
    for _ in range(2):
        erosion_addon.register()
        known = blender.given[translations.__name__]["de_DE"]
        assert known["*", "Surface Color"] == "Oberflächenfarbe"  # a panel
        assert known["Operator", "Run"] == "Starten"  # a button
        assert known["Erosion", "Repose Angle (°)"] == "Böschungswinkel (°)"  # a parameter
        erosion_addon.unregister()
        assert blender.given == {}


def test_blender_gets_the_texts_of_a_language_that_is_chosen_later(blender):
    blender.locale = "en_US"
    erosion_addon.register()
    assert blender.given[translations.__name__] == {"en_US": {}}
    blender.locale = "de_DE"
    ((_, follow),) = translations.HANDLERS
    assert follow in bpy.app.handlers.translation_update_post
    follow(None)
    assert blender.given[translations.__name__] == {"de_DE": german()}
    erosion_addon.unregister()
    assert blender.given == {} and follow not in bpy.app.handlers.translation_update_post


def test_a_phrase_is_german_with_its_values(in_german):
    assert translations.phrase("{time} left", time="3 s") == "Noch 3 s"


def test_a_phrase_without_a_translation_is_what_it_says():
    assert translations.phrase("{rows} × {cols} cells", rows=3, cols="4") == "3 × 4 cells"


def test_a_refusal_is_german_in_the_panel_and_at_the_button(in_german):
    reason = obstacle.obstacle(bpy.data.objects.new("Berg", None)).sentence
    assert reason == "Berg is not a mesh; select a grid mesh."
    drawn = Drawn()
    asked = []
    panel.draw_lines(drawn, [reason], "ERROR", 80)
    terrain_operator.allowed(SimpleNamespace(poll_message_set=asked.append), reason)
    assert drawn.lines == asked == ["Berg ist kein Mesh; wählen Sie ein Gitter-Mesh aus."]


def test_an_error_is_german_with_the_error_within_it(in_german):
    messages = []
    operator = SimpleNamespace(report=lambda kind, text: messages.append(text))
    reason = InputError(
        "{rows} × {cols} cells are too many; use larger ones than {cell_size:.4g} m."
    )
    error = InputError("{name} cannot become a terrain. {error}").format(
        name="Stein", error=reason.format(rows=9, cols=9, cell_size=2.0)
    )
    translations.report(operator, {"ERROR"}, error.sentence)
    assert messages == [
        "Stein ergibt kein Gelände. 9 × 9 Zellen sind zu viele; nehmen Sie größere als 2 m."
    ]


@pytest.mark.parametrize("field", ["sentence", "template", "fields", "kind", "values"])
def test_a_sentence_within_one_passes_the_pipe_whatever_its_field_is_called(field):
    inner = Sentence("{name} is flat.").format(name="Land")
    outer = Sentence("{" + field + "} The result is that before.").format(**{field: inner})
    pipe = io.BytesIO()
    send(pipe, "noted", {"note": outer, "template": outer.template})
    pipe.seek(0)
    note = receive(pipe).values["note"]
    assert note == "Land is flat. The result is that before."
    assert note.template == outer.template and note.values == {field: inner}


def test_an_error_of_the_worker_arrives_to_be_translated(in_german):
    pipe = io.BytesIO()
    error = InputError("{name} is not a mesh; select a grid mesh.").format(name="Berg {0}")
    send(pipe, "refused", {"reason": error.sentence, "notes": [Sentence("changed")]})
    pipe.seek(0)
    values = receive(pipe).values
    assert values["reason"] == "Berg {0} is not a mesh; select a grid mesh."
    assert (
        translations.sentence(values["reason"])
        == "Berg {0} ist kein Mesh; wählen Sie ein Gitter-Mesh aus."
    )
    assert translations.sentence(values["notes"][0]) == "geändert"


def test_sentences_of_a_paragraph_are_german_and_names_in_them_are_not_translated(in_german):
    done = Sentence("{name} is eroded.").format(name="changed")
    text = joined([done, "All cells have data."])
    assert text == "changed is eroded. All cells have data."
    assert translations.sentence(text) == "changed ist erodiert. Alle Zellen haben Daten."


def test_a_doubt_about_a_file_is_german_with_its_numbers(tmp_path, in_german):
    heights = np.add.outer(np.arange(9.0), np.arange(9.0))
    heights[2, 3:5] = np.nan
    np.save(tmp_path / "dem.npy", heights)
    (doubt,) = read_heights(tmp_path / "dem.npy", None, Reading())[1].doubts
    assert translations.sentence(doubt.sentence) == (
        f"{tmp_path / 'dem.npy'} hat 2 von 81 Zellen, die keine Zahlen sind; "
        "sie wurden aus den Höhen ringsum gefüllt."
    )


def test_what_no_translation_knows_is_said_in_english(in_german):
    assert translations.sentence("Droplets, step 1 of 3") == "Droplets, step 1 of 3"


def test_in_english_a_sentence_stays_as_it_is():
    assert (
        translations.sentence("Berg is not a mesh; select a grid mesh.")
        == "Berg is not a mesh; select a grid mesh."
    )


def test_the_messages_have_every_label_tooltip_choice_text_and_error_with_its_context(messages):
    assert {
        ("Operator", "Run"),  # a button
        ("*", "Stop the run and keep its current result"),  # its tooltip
        ("*", "Surface Color"),  # a panel
        ("Erosion", "Edges"),  # a parameter, in a word that means something else in all of Blender
        ("Erosion", "Wrap"),  # one of its choices
        ("*", "The edges are walls: nothing leaves"),  # what it means
        ("*", "My Recipes"),  # a text of a panel
        ("Operator", "Resume"),  # a button that is not called as its operator
        ("*", "{time} left"),  # a phrase
        ("*", "Moisture and Grass"),  # a heading of parameters
        ("*", Recipe.load("alpine").description),  # what a recipe makes
        # a note
        (
            "Sentence",
            "{name} is flat, so nothing runs down it; sculpt it, or begin with another terrain.",
        ),
        # an error far from the interface
        ("Sentence", "{path} is damaged or cut off: {error}; save it again."),
    } <= set(messages)
    assert all(context and message for context, message in messages)


def calls_without_a_template(source):
    """Lines of calls whose sentence is composed beforehand, or whose values are not its fields."""
    tree = ast.parse(source)
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or RELEASE["_name"](call) not in RELEASE["SPEAKERS"]:
            continue
        for text in call.args:
            composed = isinstance(text, ast.JoinedStr | ast.BinOp)
            method = parents[call]
            if isinstance(text, ast.Constant) and getattr(method, "attr", "") == "format":
                values = {keyword.arg for keyword in parents[method].keywords}
                composed = values != set(re.findall(r"{(.*?)}", plain(text.value)))
            if composed:
                yield call.lineno


def test_sentences_are_templates_with_their_values():
    package = Path(erosion_addon.__file__).parent
    faults = [
        f"{path.relative_to(package)}:{line}"
        for path in package.rglob("*.py")
        if path.relative_to(package).parts[0] not in RELEASE["ENGLISH"]
        for line in calls_without_a_template(path.read_text(encoding="utf-8"))
    ]
    assert faults == []


@pytest.mark.parametrize(
    "call",
    [
        'InputError(f"{name} is flat.")',
        'Sentence("The terrain " + name)',
        'report(self, {"INFO"}, f"Made {name}.")',
        'InputError("{name} is flat.").format(mesh=name)',
    ],
)
def test_a_sentence_composed_beforehand_is_refused(call):
    assert list(calls_without_a_template(call)) == [1]


def test_a_file_brought_up_to_date_keeps_what_is_translated_and_loses_what_is_gone(
    tmp_path, monkeypatch, messages
):
    monkeypatch.setitem(RELEASE["update"].__globals__, "messages", lambda: messages)
    monkeypatch.setitem(RELEASE["update"].__globals__, "FOLDER", tmp_path)
    content = {"Operator": {"Run": "Exécuter", "Gone": "Parti"}}
    (tmp_path / "fr_FR.json").write_text(json.dumps(content), encoding="utf-8")
    RELEASE["update"]("fr_FR")
    made = json.loads((tmp_path / "fr_FR.json").read_text(encoding="utf-8"))
    assert made["Operator"]["Run"] == "Exécuter" and "Gone" not in made["Operator"]
    assert made["Erosion"]["Edges"] == ""
    assert translations.read(tmp_path / "fr_FR.json") == {("Operator", "Run"): "Exécuter"}


@pytest.mark.parametrize("language", ["english", "german"])
def test_a_report_sends_no_control_characters_to_blenders_console(request, language):
    if language == "german":
        request.getfixturevalue("in_german")
    said = []
    operator = SimpleNamespace(report=lambda kind, text: said.append(text))
    name = "Land\x1b[2J\u202e\nError: none"
    written = Sentence("{name} was written back").format(name=name)
    translations.report(operator, {"INFO"}, written)
    (text,) = said
    assert r"Land\x1b[2J\u202e\nError: none " in text and text.isprintable()
    assert ("was written back" in text) == (language == "english")
