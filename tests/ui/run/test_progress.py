# SPDX-License-Identifier: GPL-3.0-or-later
"""The timer that watches runs, and messages in the panel."""

import json
from types import SimpleNamespace

import bpy
import pytest

from erosion_addon import Recipe, erode
from erosion_addon.scene.brush import ground
from erosion_addon.scene.run import job
from erosion_addon.scene.run import run_queue as queue
from erosion_addon.scene.session import session
from erosion_addon.scene.terrain import grid
from erosion_addon.scene.terrain.mesh import make_grid_object
from erosion_addon.ui.run import main_panel, modal, progress, run_panel, runs
from tests.terrains import fractal
from tests.ui.conftest import activate, z_of
from tests.ui.recipe.test_steps import Drawn
from tests.ui.run.test_preview_live import nothing_shown, other_object, queued, tick_until  # noqa: F401 - fixtures

LONG = {"droplet.drops_per_cell": 1000.0}


class Layout:
    """Takes what a panel draws; said: its texts, switches: by property, whether the row is
    enabled.
    """

    def __init__(self):
        self.said = []
        self.switches = {}
        self.enabled = True

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
    obj = make_grid_object(
        "Bad", fractal(20, 20, relief=90.0), (10.0, 10.0), bpy.context.scene.collection
    )
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
    tick_until(lambda: session.run.task is not None and session.run.task.object_name == "Other")
    (message,) = progress.messages(bad_terrain)
    assert message.startswith("Bad was not eroded because of an internal error")
    tick_until(lambda: modal._tick() is None)
    assert "wear" in other_object.data.attributes and not queue.waiting()


@pytest.fixture
def refused(terrain_object, other_object):  # noqa: F811
    """A terrain of the queue whose turn came while it had shape keys; there is a message about
    it.
    """
    job.start(terrain_object, Recipe.load("arcane"), {})
    queued(other_object)
    other_object.shape_key_add(name="Basis")
    tick_until(lambda: session.run.task is None and modal._tick() is None)
    return other_object


def in_the_panel(obj):
    activate(obj)
    layout = Drawn()
    main_panel.EROSION_PT_main.draw(SimpleNamespace(layout=layout), bpy.context)
    return " ".join(
        named.get("text", "") for name, _, named in layout.seen["calls"] if name == "label"
    )


def test_a_message_is_shown_with_its_object_alone(terrain_object, refused):
    said = "Other was not eroded"
    assert said in in_the_panel(refused) and said not in in_the_panel(terrain_object)
    assert said in in_the_panel(refused)  # and again, when one comes back to it


@pytest.mark.parametrize("end", ["undo", "file", "home file", "deletion", "next run"])
def test_a_message_goes_with_what_it_is_about(terrain_object, refused, tmp_path, end):
    if end == "undo":
        bpy.ops.ed.undo_push(message="before")
        bpy.ops.ed.undo_push(message="after")
        bpy.ops.ed.undo()
    elif end == "file":
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "land.blend"))
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "land.blend"))
    elif end == "home file":
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    elif end == "deletion":
        bpy.data.objects.remove(refused)
    else:
        refused.shape_key_clear()
        activate(refused)
        bpy.ops.erosion.run()
    assert not any(progress.messages(obj) for obj in [*bpy.data.objects, None])


def test_a_message_about_a_deleted_object_is_seen_beside_any_other_until_the_next_run(
    terrain_object,
    other_object,  # noqa: F811
):
    run = job.start(terrain_object, Recipe.load("arcane"), {})
    bpy.data.objects.remove(terrain_object)
    tick_until(lambda: session.run.task is None and modal._tick() is None)
    assert run.state == "rescued" and "Terrain was deleted while it was eroded." in in_the_panel(
        other_object
    )
    bpy.ops.erosion.run()
    assert "Terrain" not in " ".join(progress.messages(other_object))


def test_no_workspace_keeps_the_status_of_an_ended_run(terrain_object, monkeypatch):
    texts = {}
    monkeypatch.setattr(progress, "redraw_panels", lambda: None)
    workspaces = [
        SimpleNamespace(status_text_set=lambda text, name=name: texts.update({name: text}))
        for name in "ab"
    ]
    windows = [SimpleNamespace(workspace=workspaces[0])]
    manager = SimpleNamespace(windows=windows)
    monkeypatch.setattr(
        progress,
        "bpy",
        SimpleNamespace(
            context=SimpleNamespace(window_manager=manager),
            data=SimpleNamespace(workspaces=workspaces),
        ),
    )
    progress.redraw(object())
    windows[0] = SimpleNamespace(workspace=workspaces[1])  # the user goes to another one
    progress.redraw(object())
    assert all(texts.values())
    progress.redraw(None)
    assert texts == {"a": None, "b": None}


def test_what_belongs_to_a_file_is_forgotten_with_it(terrain_object):
    session.live.problems[terrain_object.session_uid] = "No preview: …"
    session.frames.target = terrain_object.session_uid, 3
    session.progress.repeated = "erosion.run", {}
    ground.of(terrain_object)
    bpy.ops.erosion.variants(seeds=1)
    assert session.variants.result is not None
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    assert (
        not session.live.problems
        and session.frames.target is None
        and session.progress.repeated is None
    )
    assert (
        session.brush.ground is None
        and session.variants.result is None
        and session.variants.pictures is None
    )


def test_a_fault_of_ours_ends_the_run_and_not_the_timer(terrain_object, other_object, monkeypatch):  # noqa: F811
    before = z_of(terrain_object).tobytes()
    run = job.start(terrain_object, Recipe.load("arcane").with_values(LONG), {})
    queued(other_object)
    redraw = progress.redraw

    def breaks(run):
        monkeypatch.setattr(progress, "redraw", redraw)
        raise ReferenceError("StructRNA of type Window has been removed")

    monkeypatch.setattr(progress, "redraw", breaks)
    assert modal._tick() == modal.TICK
    assert run.state == "failed" and z_of(terrain_object).tobytes() == before
    tick_until(lambda: session.run.task is not None and session.run.task.object_name == "Other")


def test_settings_changed_during_a_run_are_for_the_next_one(terrain_object):
    terrain, _ = grid.read_terrain(terrain_object)
    terrain_object.erosion.seed = 7
    runs.start(terrain_object)
    terrain_object.erosion.seed = 8
    bpy.ops.erosion.recipe_load(name="alpine")
    tick_until(lambda: session.run.task is None)
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
    assert " ".join(layout.said).startswith("No preview: ") and "shape keys" in " ".join(
        layout.said
    )
