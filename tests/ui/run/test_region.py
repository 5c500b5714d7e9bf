# SPDX-License-Identifier: GPL-3.0-or-later
"""Run on Region: the selection or a vertex group is eroded, and nothing beyond it changes."""

import json

import bpy
import numpy as np
import pytest

from erosion_addon import Recipe
from erosion_addon.files.image_files import OpenImageIOFiles
from erosion_addon.run.frames.record import Record
from erosion_addon.scene.original import original
from erosion_addon.scene.run import job
from erosion_addon.scene.terrain import grid
from erosion_addon.scene.terrain.mesh import make_grid_object, vertex_heights
from erosion_addon.scene.worker import worker_process
from erosion_addon.ui.recipe import steps
from erosion_addon.ui.run import modal, runs
from tests.terrains import fractal

SIDE = 64


@pytest.fixture
def terrain():
    made = make_grid_object(
        "Terrain", fractal(SIDE, SIDE, 300.0), (10.0, 10.0), bpy.context.scene.collection
    )
    bpy.context.view_layer.objects.active = made
    steps.fill(
        made.erosion,
        Recipe.from_dict({"name": "one", "step": [{"kind": "droplet"}, {"kind": "talus"}]}),
    )
    yield made
    job.clear()
    worker_process.stop()


def select(obj, inside):
    attribute = obj.data.attributes.get(".select_vert") or obj.data.attributes.new(
        ".select_vert", "BOOLEAN", "POINT"
    )
    attribute.data.foreach_set("value", inside.ravel())


def inside():
    cells = np.zeros((SIDE, SIDE), bool)
    cells[16:48, 20:52] = True
    return cells


def field(obj, name):
    values = np.empty(SIDE * SIDE, np.float32)
    obj.data.attributes[name].data.foreach_get("value", values)
    return values.reshape(SIDE, SIDE)


def test_the_selection_is_eroded_and_nothing_beyond_it(terrain):
    bpy.ops.erosion.run()
    before = vertex_heights(terrain.data)
    flow = field(terrain, "flow")
    wear = field(terrain, "wear")
    source = original.source_heights(terrain.data).tobytes()
    select(terrain, inside())
    assert bpy.ops.erosion.run_region() == {"FINISHED"}
    after = vertex_heights(terrain.data).reshape(SIDE, SIDE)
    beyond = ~inside()
    assert (after[beyond] == before.reshape(SIDE, SIDE)[beyond]).all()
    assert (after != before.reshape(SIDE, SIDE))[inside()].mean() > 0.5
    assert (field(terrain, "flow")[beyond] == flow[beyond]).all() and (
        field(terrain, "flow") != flow
    ).any()
    assert (field(terrain, "wear")[beyond] == wear[beyond]).all()
    assert json.loads(terrain.erosion.report)["region"]["cells"] <= 32 * 32
    assert original.source_heights(terrain.data).tobytes() == source
    bpy.ops.erosion.run()
    assert vertex_heights(terrain.data).tobytes() == before.tobytes()


def test_a_vertex_group_is_a_region_on_a_terrain_never_eroded(terrain):
    group = terrain.vertex_groups.new(name="Gully")
    group.add(np.flatnonzero(inside().ravel()).tolist(), 1.0, "REPLACE")
    terrain.erosion.region_name = "Gully"
    before = vertex_heights(terrain.data)
    bpy.ops.erosion.run_region()
    changed = (vertex_heights(terrain.data) != before).reshape(SIDE, SIDE)
    assert changed[inside()].any() and not changed[~inside()].any()
    bpy.ops.erosion.restore()
    assert vertex_heights(terrain.data).tobytes() == before.tobytes()


def test_refusals_say_why(terrain):
    before = vertex_heights(terrain.data).tobytes()
    with pytest.raises(RuntimeError, match="Nothing is selected on Terrain"):
        select(terrain, np.zeros((SIDE, SIDE), bool))
        bpy.ops.erosion.run_region()
    terrain.erosion.region_name = "gone"
    with pytest.raises(RuntimeError, match="no attribute 'gone'"):
        bpy.ops.erosion.run_region()
    assert vertex_heights(terrain.data).tobytes() == before


@pytest.mark.thorough
def test_a_run_on_a_region_goes_on_after_a_pause_with_the_same_bytes_and_frames(terrain, tmp_path):
    terrain.erosion.steps[0].droplet.drops_per_cell = 60.0
    frames = terrain.erosion.frames
    whole_frames = tmp_path / "whole"
    parts = tmp_path / "parts"
    frames.keep, frames.count, frames.fields, frames.folder = True, 8, {"wear"}, str(whole_frames)
    select(terrain, inside())
    bpy.ops.erosion.run_region()
    whole = vertex_heights(terrain.data)
    bpy.ops.erosion.restore()
    before = vertex_heights(terrain.data).tobytes()
    frames.folder = str(parts)
    run = runs.start(terrain, local=True)
    while run.fraction < 0.1 and not run.ended:
        run.poll(0.05)
    assert bpy.ops.erosion.pause() == {"FINISHED"}
    while not run.ended:
        run.poll(0.05)
    assert run.state == "done", run.sentence
    modal.finish_run(run)
    assert (
        original.is_paused(terrain.data)
        and vertex_heights(terrain.data).tobytes() != whole.tobytes()
    )
    assert Record.read(parts).kept < 8
    assert bpy.ops.erosion.run("EXEC_DEFAULT", resume=True) == {"FINISHED"}
    assert vertex_heights(terrain.data).tobytes() == whole.tobytes()
    assert Record.read(parts) == Record.read(whole_frames) and Record.read(parts).kept == 8
    bpy.ops.erosion.restore()
    assert vertex_heights(terrain.data).tobytes() == before


def test_frames_of_a_run_on_a_region_are_of_the_whole_terrain_and_never_replace_others(
    terrain, tmp_path
):
    frames = terrain.erosion.frames
    frames.keep, frames.count, frames.folder = True, 2, str(tmp_path / "frames")
    before = grid.read_terrain(terrain)[0].elevation
    select(terrain, inside())
    assert bpy.ops.erosion.run_region() == {"FINISHED"}
    after = grid.read_terrain(terrain)[0].elevation
    images = [
        OpenImageIOFiles().read(tmp_path / "frames" / f"elevation_{number:04d}.exr")
        for number in range(3)
    ]
    assert images[0].tobytes() == before.astype(np.float32).tobytes()
    assert images[2].tobytes() == after.astype(np.float32).tobytes()
    changed = [(image != images[0])[inside()].mean() for image in images]
    assert changed[0] < changed[1] <= changed[2] and not (images[1] != images[0])[~inside()].any()
    with pytest.raises(RuntimeError, match="already holds frames of a run"):
        bpy.ops.erosion.run_region()
    assert grid.read_terrain(terrain)[0].elevation.tobytes() == after.tobytes()
