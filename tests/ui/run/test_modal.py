# SPDX-License-Identifier: GPL-3.0-or-later
"""The modal operator of a run, driven as by a window; tests/gui uses a real one."""

from types import SimpleNamespace

import bpy
import pytest

from erosion_addon import Recipe
from erosion_addon.scene.run import job
from erosion_addon.scene.session import session
from erosion_addon.ui.run import modal, progress
from erosion_addon.ui.run.modal import TaskOperator
from tests.ui.conftest import z_of
from tests.ui.run.test_preview_live import nothing_shown  # noqa: F401 - a fixture

TIMER = SimpleNamespace(type="TIMER")
KEY = SimpleNamespace(type="A")
LONG = {"droplet.drops_per_cell": 1000.0}


class Operator(TaskOperator):
    """An operator without Blender's part of it; said: what it reports."""

    bl_idname = "erosion.run"

    def __init__(self, number=0, **options):
        self.number = number
        self.said = []
        self.options = SimpleNamespace(**{"is_repeat": False, "is_repeat_last": False, **options})

    def as_keywords(self):
        return {"resume": False}

    def report(self, kind, sentence):
        self.said.append((*kind, sentence))


@pytest.fixture
def calls(monkeypatch):
    """Calls of the timer, as in a window."""
    called = []
    monkeypatch.setattr(modal, "possible", lambda: True)
    monkeypatch.setattr(
        modal, "call", lambda *call: called.append((*call, session.modal.returning))
    )
    monkeypatch.setattr(session.modal, "present", 7)
    monkeypatch.setattr(session.modal, "away", 0)
    monkeypatch.setattr(session.modal, "since", modal.time.monotonic())
    return called


def test_it_lets_every_event_pass(terrain_object, calls):
    job.start(terrain_object, Recipe.load("arcane").with_values(LONG), {})
    assert Operator(7).modal(bpy.context, KEY) == {"PASS_THROUGH"}
    assert Operator(7).modal(bpy.context, TIMER) == {"PASS_THROUGH"}


def test_it_steps_aside_for_an_autosave_and_is_called_again(terrain_object, calls, monkeypatch):
    run = job.start(terrain_object, Recipe.load("arcane").with_values(LONG), {})
    monkeypatch.setattr(session.modal, "since", modal.time.monotonic() - modal.STAY - 1)
    assert Operator(7).modal(bpy.context, TIMER) == {"CANCELLED"}
    for _ in range(modal.AWAY):
        modal.ensure(run)
        assert not calls, "Blender's timers have had no turn yet"
    modal.ensure(run)
    assert calls == [("erosion.run", {}, True)] and not session.modal.returning
    assert not run.ended


def test_the_one_that_left_ends_without_a_trace(terrain_object, calls):
    run = job.start(terrain_object, Recipe.load("arcane").with_values(LONG), {})
    assert Operator(6).modal(bpy.context, TIMER) == {"CANCELLED"}
    assert not run.ended and modal.is_by(7)


def test_it_writes_the_result_and_finishes(terrain_object, calls):
    before = z_of(terrain_object).tobytes()
    run = job.start(terrain_object, Recipe.load("arcane"), {})
    while not run.ready:
        assert modal._tick() is not None
    assert z_of(terrain_object).tobytes() == before, "the timer leaves it to the operator"
    operator = Operator(7)
    assert operator.modal(bpy.context, TIMER) == {"FINISHED"}
    assert operator.said == [("INFO", "Terrain is eroded.")]
    assert (
        session.run.task is None and "wear" in terrain_object.data.attributes and not modal.is_by(7)
    )


def test_of_a_cancelled_run_it_finishes_nothing(terrain_object, calls):
    job.start(terrain_object, Recipe.load("arcane").with_values(LONG), {})
    bpy.ops.erosion.cancel()
    assert Operator(7).modal(bpy.context, TIMER) == {"CANCELLED"}


def test_where_no_operator_can_be_called_the_result_is_written_all_the_same(
    terrain_object, calls, monkeypatch
):
    def refuses(*_):
        raise RuntimeError("Operator bpy.ops.erosion.run.poll() failed, context is incorrect")

    monkeypatch.setattr(modal, "call", refuses)
    monkeypatch.setattr(session.modal, "present", 0)
    job.start(terrain_object, Recipe.load("arcane"), {})
    while session.run.task is not None:
        modal._tick()
    assert "wear" in terrain_object.data.attributes


@pytest.mark.parametrize("how", ["is_repeat", "is_repeat_last"])
def test_a_repeat_never_runs_while_the_window_waits(terrain_object, calls, how):
    assert Operator(**{how: True}).execute(bpy.context) == {"CANCELLED"}
    assert session.run.task is None and not calls
    modal._repeat()  # Blender's timer, in the next turn of the main loop
    assert calls == [("erosion.run", {"resume": False}, False)]
    modal._repeat()
    assert len(calls) == 1


def test_a_repeat_that_is_refused_says_so(terrain_object, calls, monkeypatch):
    def refuses(*_):
        raise RuntimeError("Error: Terrain has shape keys.")

    monkeypatch.setattr(modal, "call", refuses)
    modal.repeat("erosion.run", {})
    modal._repeat()
    assert progress.messages(terrain_object) == ["Terrain has shape keys."]
