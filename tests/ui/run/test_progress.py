# SPDX-License-Identifier: GPL-3.0-or-later
"""The timer that watches runs, and messages in the panel."""

import json

import bpy
import pytest

from erosion_addon.model import Recipe, erode
from erosion_addon.scene.run import job
from erosion_addon.scene.run import run_queue as queue
from erosion_addon.scene.terrain import grid
from erosion_addon.ui.run import progress, run_panel, runs
from tests.terrains import fractal
from tests.ui.conftest import z_of
from tests.ui.run.test_preview_live import nothing_shown, other_object, queued, tick_until  # noqa: F401 - fixtures

LONG = {"droplet.drops_per_cell": 1000.0}


class Layout:
    """Takes what a panel draws; said: its texts, switches: by property, whether the row is enabled."""

    def __init__(self):
        self.said, self.switches, self.enabled = [], {}, True

    def label(self, text="", **_):
        self.said.append(text)

    def prop(self, _, name, **__):
        self.switches[name] = self.enabled

    def row(self, **_):
        return self

    column = row


@pytest.fixture
def bad_terrain(terrain_object, monkeypatch):
    """One that breaks the code that starts its run, in a way that nobody foresaw."""
    obj = grid.make_grid_object("Bad", fractal(20, 20, relief=90.0), (10.0, 10.0), bpy.context.scene.collection)
    start = runs.start

    def breaks(obj, resume=False):
        if obj.name == "Bad":
            raise KeyError("kept")
        return start(obj, resume)

    monkeypatch.setattr(runs, "start", breaks)
    return obj


def test_a_bad_terrain_does_not_stop_the_queue(terrain_object, bad_terrain, other_object):  # noqa: F811
    job.start(terrain_object, Recipe.load("arcane"), {})
    queued(bad_terrain)
    queued(other_object)
    tick_until(lambda: job.now.current is not None and job.now.current.object_name == "Other")
    assert progress.now.last_sentence.startswith("Bad was not eroded because of an internal error")
    tick_until(lambda: progress._tick() is None)
    assert "wear" in other_object.data.attributes and not queue.waiting()


def test_a_fault_of_ours_ends_the_run_and_not_the_timer(terrain_object, other_object, monkeypatch):  # noqa: F811
    before = z_of(terrain_object).tobytes()
    run = job.start(terrain_object, Recipe.load("arcane").with_values(LONG), {})
    queued(other_object)
    redraw = progress.redraw

    def breaks(run):
        monkeypatch.setattr(progress, "redraw", redraw)
        raise ReferenceError("StructRNA of type Window has been removed")

    monkeypatch.setattr(progress, "redraw", breaks)
    assert progress._tick() == progress.INTERVAL
    assert run.state == "failed" and z_of(terrain_object).tobytes() == before
    tick_until(lambda: job.now.current is not None and job.now.current.object_name == "Other")


def test_settings_changed_during_a_run_are_for_the_next_one(terrain_object):
    terrain, _ = grid.read_terrain(terrain_object)
    terrain_object.erosion.seed = 7
    runs.start(terrain_object)
    terrain_object.erosion.seed = 8
    bpy.ops.erosion.recipe_load(name="alpine")
    tick_until(lambda: job.now.current is None)
    expected = erode(terrain, Recipe.load("arcane"), seed=7).report["sha256"]
    assert json.loads(terrain_object.erosion.report)["sha256"] == expected
    assert (terrain_object.erosion.seed, terrain_object.erosion.recipe_name) == (8, "alpine")


@pytest.mark.parametrize(
    "report, said",
    [
        ('{"finished": 0.428}', ["Paused at 43%"]),
        ("", []),
        ("[]", []),
        ('{"finished": null}', []),
        ("{}", []),
    ],
)
def test_a_paused_run_says_how_far_it_is(terrain_object, report, said):
    terrain_object.erosion.report = report
    layout = Layout()
    run_panel.draw_paused(layout, terrain_object)
    assert layout.said == said


def test_live_preview_is_there_where_run_is(terrain_object):
    layout = Layout()
    run_panel.draw_preview(layout, terrain_object.erosion)
    assert layout.switches == {"live_preview": True} and bpy.ops.erosion.run.poll()
    terrain_object.shape_key_add(name="Basis")
    run_panel.draw_preview(layout, terrain_object.erosion)
    assert layout.switches == {"live_preview": False} and not bpy.ops.erosion.run.poll()
    assert not layout.said
    terrain_object.erosion.live_preview = True
    run_panel.draw_preview(layout, terrain_object.erosion)
    assert " ".join(layout.said).startswith("No preview: ") and "shape keys" in " ".join(layout.said)
