# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that use the worker: in the background, with Cancel."""

import bpy
import numpy as np
import pytest

from erosion_addon.bake.parameters import LightParameters
from erosion_addon.scene.companions import companions
from erosion_addon.scene.derived import lod
from erosion_addon.scene.derived.light import bake_light, requests_of_bake, settings_of
from erosion_addon.scene.run import job
from erosion_addon.scene.run.errand import Errand, Plan
from erosion_addon.scene.session import session
from erosion_addon.scene.terrain import attributes, grid
from erosion_addon.scene.terrain.mesh import vertex_heights, write_heights
from erosion_addon.scene.worker import computing
from erosion_addon.scene.worker import worker_process as process
from erosion_addon.ui.run import progress, runs
from tests.scene.conftest import everything

QUICK = LightParameters(azimuths=4)


@pytest.fixture(autouse=True)
def nobody_waits(monkeypatch):
    """Waiting for the worker fails: the window would stand still."""

    def wait(request):
        raise AssertionError(f"{request.kind} was not asked for ahead")

    monkeypatch.setattr(computing, "_wait", wait)
    yield
    assert not session.worker.answers


def wet(terrain):
    depth = np.zeros((48, 64), np.float32)
    depth[:10] = 2.0
    attributes.write_fields(terrain.data, grid.find_lattice(terrain), {"water_depth": depth})


def bake(terrain):
    return Errand(
        terrain,
        "Light",
        Plan(
            lambda obj: requests_of_bake(obj, QUICK, None, "open"),
            lambda obj: (bake_light(obj, QUICK, None, "open"), []),
        ),
    )


def sky_of(obj):
    values = np.empty(len(obj.data.vertices), np.float32)
    obj.data.attributes["sky_light"].data.foreach_get("value", values)
    return values


def test_all_that_follows_a_terrain_is_computed_before_it_changes(terrain_object):
    wet(terrain_object)
    bpy.ops.erosion.water_add()
    bpy.ops.erosion.lod_add()
    bpy.ops.erosion.light_bake(azimuths=4)
    bpy.ops.erosion.water_add(threshold=0.5)
    bpy.ops.erosion.look_add()
    sky = sky_of(terrain_object)
    counts = [len(level.data.vertices) for level in lod.levels_of(terrain_object)]
    assert len(counts) == 6
    bpy.ops.erosion.run("EXEC_DEFAULT")
    assert (sky_of(terrain_object) != sky).any()
    after = [len(level.data.vertices) for level in lod.levels_of(terrain_object)]
    assert after[:3] != counts[:3] and after[3:] == [0, 0, 0]
    bpy.ops.erosion.restore()
    assert [len(level.data.vertices) for level in lod.levels_of(terrain_object)][:3] == counts[:3]
    assert not companions.find(terrain_object, "lod")[0].data.is_editmode


def test_what_needs_no_worker_starts_none(terrain_object):
    bpy.ops.erosion.run("EXEC_DEFAULT")
    wet(terrain_object)
    process.stop()
    bpy.ops.erosion.water_add()
    bpy.ops.erosion.look_add(light=False)
    assert bpy.ops.erosion.restore() == {"FINISHED"}
    assert session.worker.runner is None and session.run.task is None


def test_cancelled_light_leaves_the_mesh_as_it_was(terrain_object):
    before = everything(terrain_object.data)
    task = job.begin(bake(terrain_object))
    task.listen(0.01)
    task.cancel()
    assert (task.state, task.sentence) == ("cancelled", "Light of Terrain was canceled.")
    assert everything(terrain_object.data) == before and session.worker.runner is None


def test_light_on_a_terrain_that_is_deleted_meanwhile_ends_in_a_sentence(terrain_object):
    task = job.begin(bake(terrain_object))
    bpy.data.objects.remove(terrain_object)
    while not task.ended:
        task.poll(0.1)
    assert (task.state, task.sentence) == ("failed", "Terrain was deleted meanwhile.")


def test_light_whose_name_was_taken_meanwhile_is_kept_until_the_name_is_free(terrain_object):
    before = everything(terrain_object.data)
    task = bake(terrain_object)
    terrain_object.vertex_groups.new(name="sun_light")
    while not task.ended:
        task.poll(0.1)
    assert task.state == "failed" and everything(terrain_object.data) == before
    assert "vertex group sun_light" in task.sentence and "press the button again" in task.sentence
    terrain_object.vertex_groups[0].name = "mine"
    again = bake(terrain_object)
    assert again.ready, "the light is not computed a second time"
    again.commit()
    assert again.state == "done" and sky_of(terrain_object).max() > 0.9


def test_light_tells_how_far_it_is(terrain_object):
    task = job.begin(bake(terrain_object))
    seen = []
    while not task.ended:
        task.poll(0.1)
        seen.append((task.message, task.fraction))
    assert task.state == "done" and settings_of(terrain_object.data) == QUICK
    assert seen[-1] == ("Light", 1.0)


def test_a_terrain_that_changes_during_the_work_is_asked_about_again(terrain_object):
    task = job.begin(bake(terrain_object))
    task.listen(0.01)
    heights = vertex_heights(terrain_object.data)
    heights[:1000] += 90.0
    write_heights(terrain_object.data, heights)  # as by another add-on's button
    while not task.ended:
        task.poll(0.1)
    assert task.state == "done"
    found = sky_of(terrain_object)
    job.clear()
    bpy.ops.erosion.light_bake(azimuths=4)
    assert (sky_of(terrain_object) == found).all()


def test_shadow_casters_that_move_during_a_run_are_asked_about_again(terrain_object):
    casters = bpy.data.collections.new("Trees")
    bpy.context.scene.collection.children.link(casters)
    bpy.ops.mesh.primitive_uv_sphere_add(radius=30.0, location=(0, 0, 60))
    tree = bpy.context.object
    casters.objects.link(tree)
    bpy.context.view_layer.objects.active = terrain_object
    terrain_object.erosion.casters = casters
    bpy.ops.erosion.light_bake(azimuths=4)
    task = runs.start(terrain_object)
    while not task._asked:
        task.listen(0.1)
    tree.location.x = 40.0
    bpy.context.view_layer.update()
    while not task.ended:
        task.poll(0.1)
    assert task.state == "done" and "could not" not in task.sentence


def test_a_scene_that_never_rests_is_not_asked_about_for_ever(terrain_object, monkeypatch):
    monkeypatch.setattr(computing, "_wait", lambda request: session.worker.answers[0][1])
    task = job.begin(bake(terrain_object))
    rounds = 0
    while not task.ended:
        if task._rounds > rounds:
            rounds = task._rounds
            write_heights(
                terrain_object.data, vertex_heights(terrain_object.data) + np.float32(rounds)
            )
        task.poll(0.1)
    assert task.state == "done" and rounds < 9


def test_a_run_outlives_a_worker_that_dies_at_the_light(terrain_object, monkeypatch):
    bpy.ops.erosion.light_bake(azimuths=4)
    runner = process.ready()
    monkeypatch.setattr(runner, "compute", lambda *order: runner._process.kill())
    assert bpy.ops.erosion.run("EXEC_DEFAULT") == {"FINISHED"}
    assert "wear" in terrain_object.data.attributes
    (sentence,) = progress.messages(terrain_object)
    assert "light could not be updated" in sentence
