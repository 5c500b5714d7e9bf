# SPDX-License-Identifier: GPL-3.0-or-later
"""Refused operators: a sentence in the report, and no other effect."""

import ast
from pathlib import Path

import bpy
import pytest

import erosion_addon.ui
from erosion_addon.base.errors import InputError
from erosion_addon.scene.original import original
from erosion_addon.scene.run import displayed_heights
from erosion_addon.scene.terrain.mesh import vertex_heights
from erosion_addon.ui.base.terrain_operator import OUT_OF_MEMORY, reports_refusals

UI = Path(erosion_addon.ui.__file__).parent


class Operator:
    """An operator that does what it is told, and notes what it reports."""

    def __init__(self, does):
        self.does = does
        self.said = []

    def report(self, kind, text):
        self.said.append((kind, text))

    @reports_refusals()
    def execute(self, context):
        return self.does()

    @reports_refusals("Too large.")
    def invoke(self, context, event):
        return self.does()


def raising(error):
    """A function that raises an error whatever it is given."""

    def does(*_given):
        raise error

    return does


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (InputError("There is no such file."), "There is no such file."),
        (MemoryError(), OUT_OF_MEMORY),
    ],
    ids=["input", "memory"],
)
def test_a_refusal_is_reported_as_an_error_and_cancels(error, said):
    operator = Operator(raising(error))
    assert operator.execute(None) == {"CANCELLED"}
    assert operator.said == [({"ERROR"}, said)]


def test_lack_of_memory_is_said_in_the_operators_own_words():
    operator = Operator(raising(MemoryError()))
    assert operator.invoke(None, None) == {"CANCELLED"}
    assert operator.said == [({"ERROR"}, "Too large.")]


def test_what_goes_well_says_nothing_and_an_internal_error_is_not_swallowed():
    operator = Operator(lambda: {"FINISHED"})
    assert operator.execute(None) == {"FINISHED"} and not operator.said
    with pytest.raises(ZeroDivisionError):
        Operator(lambda: 1 // 0).execute(None)


def test_showing_what_cannot_be_shown_is_refused_with_its_reason(terrain_object, monkeypatch):
    original.keep_source(terrain_object.data, vertex_heights(terrain_object.data))
    monkeypatch.setattr(
        displayed_heights, "show_before", raising(InputError("The heights are gone."))
    )
    with pytest.raises(RuntimeError, match=r"Error: The heights are gone\."):
        bpy.ops.erosion.before()


def test_no_operator_turns_an_error_into_a_report_by_itself():
    for path in [path for path in UI.rglob("*.py") if path.stem != "terrain_operator"]:
        for handler in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(handler, ast.ExceptHandler):
                answers = [
                    node
                    for inner in handler.body
                    for node in ast.walk(inner)
                    if isinstance(node, ast.Return)
                ]
                cancels = any(ast.unparse(answer) == "return {'CANCELLED'}" for answer in answers)
                assert not cancels, f"{path.relative_to(UI)}:{handler.lineno}"
