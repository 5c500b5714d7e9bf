# SPDX-License-Identifier: GPL-3.0-or-later
"""The modal operator of a run, driven as by a window; tests/gui uses a real one."""

from types import SimpleNamespace

import bpy
import pytest

from erosion_addon import Recipe
from erosion_addon.scene.run import job
from erosion_addon.ui.run import attendance, progress
from erosion_addon.ui.run.task_operator import TaskOperator
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
    monkeypatch.setattr(attendance, "possible", lambda: True)
    monkeypatch.setattr(
        attendance, "call", lambda *call: called.append((*call, attendance.now.returning))
    )
    monkeypatch.setattr(attendance.now, "present", 7)
    monkeypatch.setattr(attendance.now, "away", 0)
    monkeypatch.setattr(attendance.now, "since", attendance.time.monotonic())
    return called


def test_it_lets_every_event_pass(terrain_object, calls):
    job.start(terrain_object, Recipe.load("arcane").with_values(LONG), {})
    assert Operator(7).modal(bpy.context, KEY) == {"PASS_THROUGH"}
    assert Operator(7).modal(bpy.context, TIMER) == {"PASS_THROUGH"}


def test_it_steps_aside_for_an_autosave_and_is_called_again(terrain_object, calls, monkeypatch):
    run = job.start(terrain_object, Recipe.load("arcane").with_values(LONG), {})
    monkeypatch.setattr(attendance.now, "since", attendance.time.monotonic() - attendance.STAY - 1)
    assert Operator(7).modal(bpy.context, TIMER) == {"CANCELLED"}
    for _ in range(attendance.AWAY):
        attendance.ensure(run)
        assert not calls, "Blender's timers have had no turn yet"
    attendance.ensure(run)
    assert calls == [("erosion.run", {}, True)] and not attendance.now.returning
    assert not run.ended


def test_the_one_that_left_ends_without_a_trace(terrain_object, calls):
    run = job.start(terrain_object, Recipe.load("arcane").with_values(LONG), {})
    assert Operator(6).modal(bpy.context, TIMER) == {"CANCELLED"}
    assert not run.ended and attendance.is_by(7)


def test_it_writes_the_result_and_finishes(terrain_object, calls):
    before = z_of(terrain_object).tobytes()
    run = job.start(terrain_object, Recipe.load("arcane"), {})
    while not run.ready:
        assert progress._tick() is not None
    assert z_of(terrain_object).tobytes() == before, "the timer leaves it to the operator"
    operator = Operator(7)
    assert operator.modal(bpy.context, TIMER) == {"FINISHED"}
    assert operator.said == [("INFO", "Terrain is eroded.")]
    assert (
        job.now.current is None
        and "wear" in terrain_object.data.attributes
        and not attendance.is_by(7)
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

    monkeypatch.setattr(attendance, "call", refuses)
    monkeypatch.setattr(attendance.now, "present", 0)
    job.start(terrain_object, Recipe.load("arcane"), {})
    while job.now.current is not None:
        progress._tick()
    assert "wear" in terrain_object.data.attributes


@pytest.mark.parametrize("how", ["is_repeat", "is_repeat_last"])
def test_a_repeat_never_runs_while_the_window_waits(terrain_object, calls, how):
    assert Operator(**{how: True}).execute(bpy.context) == {"CANCELLED"}
    assert job.now.current is None and not calls
    progress._repeat()  # Blender's timer, in the next turn of the main loop
    assert calls == [("erosion.run", {"resume": False}, False)]
    progress._repeat()
    assert len(calls) == 1


def test_a_repeat_that_is_refused_says_so(terrain_object, calls, monkeypatch):
    def refuses(*_):
        raise RuntimeError("Error: Terrain has shape keys.")

    monkeypatch.setattr(attendance, "call", refuses)
    progress.repeat("erosion.run", {})
    progress._repeat()
    assert progress.messages(terrain_object) == ["Terrain has shape keys."]
