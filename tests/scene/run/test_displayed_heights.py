# SPDX-License-Identifier: GPL-3.0-or-later
"""Heights displayed during a run: visible on the mesh, and gone after it."""

from dataclasses import replace

import bmesh
import bpy
import numpy as np
import pytest

from erosion_addon import Recipe
from erosion_addon.scene.original import original as source
from erosion_addon.scene.run import displayed_heights as live
from erosion_addon.scene.run import job, water_overlay
from erosion_addon.scene.run import run_queue as queue
from erosion_addon.scene.session import session
from erosion_addon.scene.terrain import grid
from erosion_addon.scene.terrain.mesh import (
    OWN_HEIGHTS,
    make_grid_object,
    shown_positions,
    vertex_heights,
)
from erosion_addon.scene.worker import worker_process as process
from tests.scene.jobs import wait_for
from tests.terrains import fractal

LONG = {"times": 20, "droplet.drops_per_cell": 1000.0}
"""A run that is not over before the test is."""


@pytest.fixture
def obj():
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    made = make_grid_object(
        "Terrain", fractal(48, 64, relief=200.0), (10.0, 10.0), bpy.context.scene.collection
    )
    bpy.context.view_layer.objects.active = made
    made.select_set(True)
    yield made
    job.clear()
    process.stop()
    live.forget()


def start(obj, times=1, **values):
    recipe = Recipe.load("arcane").with_values(values)
    run = job.start(obj, replace(recipe, steps=recipe.steps * times), {})
    run.viewer.shows = True
    return run


def seen(obj):
    """Local heights that Blender displays."""
    return shown_positions(obj.data)[:, 2].copy()


def until_shown(run, obj):
    wait_for(run, lambda: live.is_shown(obj.data))


def undo(word="undo"):
    with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):
        getattr(bpy.ops.ed, word)()


def push(message):
    with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):
        bpy.ops.ed.undo_push(message=message)


def test_the_run_is_seen_and_is_not_the_terrain(obj):
    before = seen(obj)
    run = start(obj, **LONG)
    until_shown(run, obj)
    assert np.abs(seen(obj) - before).max() > 1.0
    assert vertex_heights(obj.data).tobytes() == before.tobytes(), (
        "what reads the terrain gets its own heights"
    )
    first = seen(obj)
    wait_for(run, lambda: not np.array_equal(seen(obj), first))


def test_what_is_shown_is_what_the_run_has(obj):
    """Shown at the end of a run of one chunk is what is committed then, to the last bit that
    float32 holds.
    """
    lattice = grid.find_lattice(obj)
    elevation = fractal(48, 64, relief=90.0, seed=5)
    obj.scale.z = 2.0
    bpy.context.view_layer.update()
    run = start(obj, **LONG)
    wait_for(run, lambda: run.state == "running")
    run.viewer.take(elevation.astype(np.float32))
    run.viewer.turn(obj, process.ready())
    np.testing.assert_allclose(lattice.to_grid(seen(obj)) * 2.0, elevation, rtol=1e-6)


def test_the_water_of_a_run_is_drawn_over_its_terrain_and_is_nothing_of_the_file(
    obj, everything_of
):
    before = everything_of(obj.data)
    objects = set(bpy.data.objects)
    recipe = Recipe.from_dict(
        {"name": "wet", "step": [{"kind": "water", "duration": 1000.0, "rain": 500.0}]}
    )
    run = job.start(obj, recipe, {})
    run.viewer.shows = True
    wait_for(run, lambda: session.display.water is not None)
    drawn = session.display.water
    assert (
        drawn.uid == obj.session_uid and len(drawn.faces) > 10 and np.isfinite(drawn.points).all()
    )
    run.cancel()
    assert session.display.water is None and not session.display.water_handles
    assert everything_of(obj.data) == before and set(bpy.data.objects) == objects


def test_water_is_drawn_on_its_level_where_it_lies(obj):
    obj.scale.z = 2.0
    bpy.context.view_layer.update()
    lattice = grid.find_lattice(obj)
    place = shown_positions(obj.data)
    depth = np.zeros((48, 64))
    assert water_overlay.surface(lattice, place, depth) is None
    depth[10:20, 30:40] = 3.0
    points, colors, faces = water_overlay.surface(lattice, place, depth)
    under = lattice.to_grid(place).reshape(-1, 3)
    wet = depth.ravel() > 0
    np.testing.assert_allclose(points[wet, 2], under[wet, 2] + 1.5, atol=1e-4)
    np.testing.assert_array_equal(points[:, :2], under[:, :2])
    assert len(faces) == 2 * 11 * 11 and colors[wet, 3].min() > colors[~wet, 3].max()


def test_water_is_drawn_as_long_as_heights_are_shown_and_no_longer(obj):
    depth = np.full((48, 64), 2.0, np.float32)
    run = start(obj, **LONG)
    wait_for(run, lambda: run.state == "running")
    for water, drawn in ((depth, True), (None, False), (depth, True)):
        run.viewer.take(fractal(48, 64, relief=90.0, seed=5).astype(np.float32), water)
        run.viewer.turn(obj, process.ready())
        assert (session.display.water is not None) == drawn
    run.viewer.shows = False
    run.viewer.turn(obj, process.ready())
    assert session.display.water is None


@pytest.mark.parametrize("shown_for", [0, 1, 3])
def test_cancel_leaves_every_byte_of_the_mesh(obj, everything_of, shown_for):
    mesh = obj.data
    mesh.attributes.new("mine", "FLOAT_COLOR", "POINT")
    mesh.color_attributes.active_color_name = "mine"
    mesh.attributes.active = mesh.attributes["UVMap"]
    before = everything_of(mesh)
    run = start(obj, **LONG)
    pictures = set()
    wait_for(run, lambda: pictures.add(seen(obj).tobytes()) or len(pictures) > shown_for)
    run.cancel()
    assert everything_of(mesh) == before
    assert not live.is_shown(mesh)


def test_a_failure_leaves_every_byte_of_the_mesh(obj, everything_of):
    before = everything_of(obj.data)
    run = start(obj, **LONG)
    until_shown(run, obj)
    worker = process.ready()._process
    worker.kill()
    wait_for(run, lambda: run.ended)
    assert run.state == "failed" and everything_of(obj.data) == before


def test_a_run_that_was_seen_leaves_what_one_leaves_that_was_not(obj, everything_of):
    values = {"droplet.drops_per_cell": 500.0}  # seconds, of which the first look takes half a one
    run = start(obj, **values)
    until_shown(run, obj)
    wait_for(run, lambda: run.ended)
    job.clear()
    with_showing = everything_of(obj.data)
    source.restore(obj.data)
    process.stop()
    run = start(obj, **values)
    run.viewer.shows = False
    wait_for(run, lambda: run.ended)
    assert run.state == "done" and everything_of(obj.data) == with_showing


def test_switched_off_in_the_middle_the_terrain_is_there_again(obj, everything_of):
    before = everything_of(obj.data)
    run = start(obj, **LONG)
    until_shown(run, obj)
    run.viewer.shows = False
    run.poll()
    assert everything_of(obj.data) == before
    run.viewer.shows = True
    until_shown(run, obj)


def test_a_saved_file_holds_the_terrain_and_not_the_run(obj, tmp_path, live_handlers):
    before = seen(obj)
    run = start(obj, **LONG)
    until_shown(run, obj)
    path = str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    until_shown(run, obj)  # it is seen again
    with bpy.data.libraries.load(path) as (there, wanted):  # unlike opening it, this heals nothing
        wanted.meshes = there.meshes
    mesh = wanted.meshes[0]
    assert OWN_HEIGHTS not in mesh.attributes
    assert shown_positions(mesh)[:, 2].tobytes() == before.tobytes()


def test_a_file_that_blender_saved_by_itself_is_healed_when_it_is_opened(
    obj, tmp_path, live_handlers
):
    """Autosave, quit.blend and crash files are written without a word to add-ons."""
    before = seen(obj)
    run = start(obj, **LONG)
    until_shown(run, obj)
    path = str(tmp_path / "autosaved.blend")
    bpy.data.libraries.write(path, {obj}, fake_user=True)  # which tells add-ons nothing either
    run.cancel()
    job.clear()
    with bpy.data.libraries.load(path) as (there, wanted):
        wanted.meshes = there.meshes
    raw = wanted.meshes[0]
    assert not np.array_equal(shown_positions(raw)[:, 2], before), (
        "the file holds the run: there is something to heal"
    )
    live.heal()
    assert OWN_HEIGHTS not in raw.attributes
    assert shown_positions(raw)[:, 2].tobytes() == before.tobytes()


def test_undo_after_the_run_gives_the_terrain_whatever_the_user_did_meanwhile(
    obj, everything_of, live_handlers
):
    push("start")
    before = everything_of(obj.data)
    run = start(obj, **{"droplet.drops_per_cell": 200.0})
    until_shown(run, obj)
    bpy.data.objects.new("Elsewhere", None)
    push("Add")  # an undo step that holds the run as it was seen then
    wait_for(run, lambda: run.ended)
    assert run.state == "done"
    job.clear()
    push("Erode")
    after = everything_of(bpy.data.objects["Terrain"].data)
    undo()
    mesh = bpy.data.objects["Terrain"].data
    assert everything_of(mesh) == before and "Elsewhere" in bpy.data.objects
    undo()
    assert everything_of(bpy.data.objects["Terrain"].data) == before
    undo("redo")
    assert (
        everything_of(bpy.data.objects["Terrain"].data) == before
        and "Elsewhere" in bpy.data.objects
    )
    undo("redo")
    assert everything_of(bpy.data.objects["Terrain"].data) == after


def test_undo_during_a_run_gives_the_terrain(obj, everything_of, live_handlers):
    push("start")
    before = everything_of(obj.data)
    run = start(obj, **LONG)
    until_shown(run, obj)
    obj.location.x = 5.0
    push("Move")
    undo()
    job.clear()
    moved = bpy.data.objects["Terrain"]
    assert moved.location.x == 0.0 and everything_of(moved.data) == before
    undo("redo")
    assert bpy.data.objects["Terrain"].location.x == 5.0
    assert everything_of(bpy.data.objects["Terrain"].data) == before


def test_what_the_user_does_to_the_seen_terrain_stays(obj):
    before = seen(obj)
    run = start(obj, **{"droplet.drops_per_cell": 200.0})
    until_shown(run, obj)
    edited = shown_positions(obj.data)
    edited[7, 2] += 500.0
    obj.data.attributes["position"].data.foreach_set("vector", edited.ravel())
    wait_for(run, lambda: run.ended)
    assert run.state == "rescued" and "was changed" in run.sentence
    assert shown_positions(obj.data).tobytes() == edited.tobytes()
    assert OWN_HEIGHTS not in obj.data.attributes
    source.restore(obj.data)
    assert seen(obj).tobytes() == before.tobytes(), "Restore brings the terrain before the run back"


@pytest.mark.parametrize("act", ["moved", "deleted"])
@pytest.mark.parametrize("mode", ["OBJECT", "EDIT"])
def test_what_the_user_edits_before_it_is_put_back_stays_and_restore_brings_the_own_heights_back(
    obj, mode, act
):
    before = grid.positions(obj.data)
    live.show(
        obj.data,
        before[:, 2] + np.random.default_rng(1).normal(0, 5, len(before)).astype(np.float32),
    )
    if mode == "EDIT":
        bpy.ops.object.mode_set(mode="EDIT")
    edited = bmesh.from_edit_mesh(obj.data) if mode == "EDIT" else bmesh.new()
    if mode == "OBJECT":
        edited.from_mesh(obj.data)
    edited.verts.ensure_lookup_table()
    if act == "moved":
        edited.verts[7].co.z += 500.0
    else:
        bmesh.ops.delete(edited, geom=edited.verts[-64:], context="VERTS")  # a row
    if mode == "EDIT":
        bmesh.update_edit_mesh(obj.data)
        live.put_back()
        bpy.ops.object.mode_set(mode="OBJECT")
    else:
        edited.to_mesh(obj.data)
        edited.free()
        live.put_back()
    assert OWN_HEIGHTS not in obj.data.attributes
    assert not np.array_equal(shown_positions(obj.data)[: -64 or None], before[:-64])
    source.restore(obj.data)
    left = len(before) if act == "moved" else len(before) - 64
    assert shown_positions(obj.data).tobytes() == before[:left].tobytes()


@pytest.mark.parametrize("mode", ["EDIT", "SCULPT"])
def test_other_modes_work_on_the_terrain_and_not_on_the_run(obj, mode, everything_of):
    before = seen(obj)
    run = start(obj, **{"droplet.drops_per_cell": 200.0})
    until_shown(run, obj)
    bpy.ops.object.mode_set(mode=mode)
    run.poll()
    assert not live.is_shown(obj.data)
    wait_for(run, lambda: run.state == "waiting")
    bpy.ops.object.mode_set(mode="OBJECT")
    assert OWN_HEIGHTS not in obj.data.attributes
    assert seen(obj).tobytes() == before.tobytes()
    wait_for(run, lambda: run.ended)
    assert run.state == "done"


def test_a_copy_of_the_seen_terrain_is_a_terrain(obj):
    before = seen(obj)
    run = start(obj, **LONG)
    until_shown(run, obj)
    bpy.ops.object.duplicate()
    copy = bpy.context.object
    assert copy.data is not obj.data
    run.poll()
    assert seen(copy).tobytes() == before.tobytes() and live.is_shown(obj.data)
    assert OWN_HEIGHTS not in copy.data.attributes


def test_a_mesh_that_becomes_shared_is_not_shown_on(obj, everything_of):
    before = everything_of(obj.data)
    run = start(obj, **LONG)
    until_shown(run, obj)
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Twin", obj.data))
    run.poll()
    assert everything_of(obj.data) == before


def test_a_vertex_group_of_the_marks_name_keeps_the_run_unseen(obj, everything_of):
    obj.vertex_groups.new(name=OWN_HEIGHTS)
    before = everything_of(obj.data)
    run = start(obj, **LONG)
    wait_for(run, lambda: run.fraction > 0.01)
    assert run.state == "running" and everything_of(obj.data) == before
    run.cancel()
    assert everything_of(obj.data) == before


def test_the_queue_gives_each_its_turn_once(obj):
    others = [bpy.data.objects.new(name, obj.data.copy()) for name in "BC"]
    for other in others:
        bpy.context.scene.collection.objects.link(other)
        queue.add(other)
        queue.add(other)
    assert [one.name for one in queue.waiting()] == ["B", "C"]
    others[0].name = "Renamed"
    assert [one.name for one in queue.waiting()] == ["Renamed", "C"]
    bpy.data.objects.remove(others[0])
    assert queue.take().find() is others[1]
    assert queue.take() is None


@pytest.fixture
def live_handlers():
    """The interface's handlers of undo, save and load."""
    from erosion_addon.ui.run import live_preview

    pairs = [(getattr(bpy.app.handlers, name), handler) for name, handler in live_preview.HANDLERS]
    for handlers, handler in pairs:  # a second time where the extension is on
        handlers.append(handler)
    yield
    for handlers, handler in pairs:
        handlers.remove(handler)
