# SPDX-License-Identifier: GPL-3.0-or-later
"""A run for each frame of the scene, with its parameters as they are animated."""

import re

import bpy
import numpy as np
import pytest

from erosion_addon import erode
from erosion_addon.bake.light import bake
from erosion_addon.files.image_files import OpenImageIOFiles
from erosion_addon.run.frames.record import Record
from erosion_addon.scene.derived import light
from erosion_addon.scene.run import job, run_queue
from erosion_addon.scene.session import session
from erosion_addon.scene.terrain import grid
from erosion_addon.ui.recipe import steps
from erosion_addon.ui.run import runs
from tests.ui.conftest import z_of

IMAGES = OpenImageIOFiles()


@pytest.fixture
def animated(terrain_object, tmp_path):
    """The terrain, whose drops grow from 0.1 to 0.5 a cell at the scene's frames 10 to 14."""
    scene = bpy.context.scene
    settings = terrain_object.erosion
    scene.frame_start = 10
    scene.frame_end = 14
    droplet = settings.steps[0].droplet
    for frame, drops in ((10, 0.1), (14, 0.5)):
        droplet.drops_per_cell = drops
        droplet.keyframe_insert("drops_per_cell", frame=frame)
    settings.frames.folder = str(tmp_path / "frames")
    settings.frames.fields = {"wear"}
    scene.frame_set(3)
    return terrain_object


def hashes(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_each_frame_is_a_run_from_the_same_start_with_its_own_parameters(animated, tmp_path):
    before = z_of(animated).tobytes()
    assert bpy.ops.erosion.run("EXEC_DEFAULT", animation=True) == {"FINISHED"}
    assert z_of(animated).tobytes() == before and bpy.context.scene.frame_current == 3
    terrain, _ = grid.read_terrain(animated)
    seen = set()
    for number in (0, 2, 4):
        bpy.context.scene.frame_set(10 + number)
        recipe = steps.recipe_of(animated.erosion, [])
        seen.add(recipe.steps[0].parameters.drops_per_cell)
        expected = erode(terrain, recipe).elevation.astype(np.float32)
        assert (
            IMAGES.read(tmp_path / "frames" / f"elevation_{number:04d}.exr").tobytes()
            == expected.tobytes()
        )
    assert len(seen) == 3


def test_frames_with_the_same_settings_are_not_run_again(animated, tmp_path):
    folder = tmp_path / "frames"
    bpy.context.scene.frame_end = 12
    bpy.ops.erosion.run("EXEC_DEFAULT", animation=True)
    kept = hashes(folder)
    times = {file: file.stat().st_mtime_ns for file in folder.glob("*.exr")}
    assert Record.read(folder).kept == 2

    bpy.context.scene.frame_end = 14
    run = runs.start_animation(animated)
    while not run.ended:
        run.poll(0.1)
    job.clear()
    assert run.sentence == "2 frames of Terrain were made; 3 existed already."
    assert {file: file.stat().st_mtime_ns for file in times} == times
    assert {name: kept[name] for name in kept if name.endswith("exr")}.items() <= hashes(
        folder
    ).items()


def test_frames_of_other_settings_are_replaced_only_when_told_to(animated, tmp_path):
    folder = tmp_path / "frames"
    bpy.context.scene.frame_end = 12
    bpy.ops.erosion.run("EXEC_DEFAULT", animation=True)
    assert runs.frames_to_replace(animated) == (folder, 0)
    kept = hashes(folder)
    droplet = animated.erosion.steps[0].droplet
    droplet.keyframe_delete("drops_per_cell", frame=14)  # the first frame is as before
    bpy.context.scene.frame_set(10)
    animated.erosion.steps[0].droplet.keyframe_insert("drops_per_cell", frame=10)
    droplet.drops_per_cell = 0.4
    droplet.keyframe_insert("drops_per_cell", frame=12)
    assert runs.frames_to_replace(animated) == (folder, 2)
    reason = f"2 frames in {folder} were made with other settings; let the animation replace them"
    with pytest.raises(RuntimeError, match=re.escape(reason)):
        bpy.ops.erosion.run("EXEC_DEFAULT", animation=True)
    with pytest.raises(RuntimeError, match=re.escape(reason)):
        # without a window nobody can be asked
        bpy.ops.erosion.run("INVOKE_DEFAULT", animation=True)
    run_queue.add(animated, animation=True)
    runs.start_next()
    while not session.run.task.ended:
        session.run.task.poll(0.1)
    assert session.run.task.state == "failed" and reason in session.run.task.sentence
    job.clear()
    assert hashes(folder) == kept
    assert bpy.ops.erosion.run("EXEC_DEFAULT", animation=True, replace=True) == {"FINISHED"}
    now = hashes(folder)
    assert now["elevation_0000.exr"] == kept["elevation_0000.exr"]
    assert all(
        now[f"elevation_000{number}.exr"] != kept[f"elevation_000{number}.exr"] for number in (1, 2)
    )
    assert runs.frames_to_replace(animated) == (folder, 0)


def test_an_animation_of_one_frame_is_all_there_is_of_the_way(animated, tmp_path):
    bpy.context.scene.frame_end = 10
    assert bpy.ops.erosion.run("EXEC_DEFAULT", animation=True) == {"FINISHED"}
    assert Record.read(tmp_path / "frames").frames == 0 and animated.erosion.frames.how_far == 100.0


def test_a_canceled_animation_keeps_whole_frames_and_goes_on(animated, tmp_path):
    folder = tmp_path / "frames"
    run = runs.start_animation(animated)
    while not run.ended and not (folder / "elevation_0001.exr").exists():
        run.poll(0.01)
    run.cancel()
    job.clear()
    assert not list(folder.glob(".erosion-*"))
    kept = Record.read(folder)
    assert len(kept.orders) == kept.kept + 1 and len(list(folder.glob("*.exr"))) >= 2 * len(
        kept.orders
    )
    assert bpy.ops.erosion.run("EXEC_DEFAULT", animation=True) == {"FINISHED"}
    assert Record.read(folder).kept == 4


def test_frames_of_one_run_are_not_replaced(animated, tmp_path):
    animated.erosion.frames.keep = True
    animated.erosion.frames.count = 2
    bpy.ops.erosion.run("EXEC_DEFAULT")
    before = hashes(tmp_path / "frames")
    with pytest.raises(RuntimeError, match="already holds frames of a run"):
        bpy.ops.erosion.run("EXEC_DEFAULT", animation=True)
    assert hashes(tmp_path / "frames") == before


def test_sun_and_parameters_are_animated_together_and_go_on_after_a_cancel(animated, tmp_path):
    scene = bpy.context.scene
    folder = tmp_path / "frames"
    sun = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
    scene.collection.objects.link(sun)
    for frame, tilt in ((10, -1.2), (12, 1.2)):  # from one side to the other, and then it rests
        sun.rotation_euler = (0.0, tilt, 0.0)
        sun.keyframe_insert("rotation_euler", frame=frame)
    bpy.ops.erosion.light_bake("EXEC_DEFAULT")
    run = runs.start_animation(animated)
    while not run.ended and not (folder / "sun_light_0001.exr").exists():
        run.poll(0.01)
    run.cancel()
    job.clear()
    made = {
        file.name: file.stat().st_mtime_ns
        for file in folder.glob("*.exr")
        if int(file.stem[-4:]) < 2
    }
    assert bpy.ops.erosion.run("EXEC_DEFAULT", animation=True) == {"FINISHED"}
    assert (
        made.items()
        <= {file.name: file.stat().st_mtime_ns for file in folder.glob("*.exr")}.items()
    )
    assert Record.read(folder).fields == ["elevation", "wear", "sky_light", "sun_light"]
    terrain, _ = grid.read_terrain(animated)
    for number in range(5):
        scene.frame_set(10 + number)
        after = erode(terrain, steps.recipe_of(animated.erosion, []))
        lit = bake(after, *light.lighting(animated, light.settings_of(animated.data), None), "open")
        for name in ("elevation", "sky_light", "sun_light"):
            kept = IMAGES.read(folder / f"{name}_{number:04d}.exr")
            assert (
                kept.tobytes()
                == {"elevation": after.elevation, **lit}[name].astype(np.float32).tobytes()
            )
    sides = [IMAGES.read(folder / f"sun_light_{number:04d}.exr").mean(axis=0) for number in (0, 2)]
    assert np.abs(sides[0] - sides[1]).max() > 0.2

    before = hashes(folder)
    sun.animation_data_clear()  # another sun: the same runs, other light
    bpy.ops.erosion.run("EXEC_DEFAULT", animation=True, replace=True)
    changed = {
        name.partition("_0")[0]
        for name, content in hashes(folder).items()
        if before[name] != content
    }
    assert changed == {"sun_light", "frames.json"}


def test_an_animation_waits_in_the_queue(animated, tmp_path):
    run_queue.add(animated, animation=True)
    assert runs.start_next() == []
    while not session.run.task.ended:
        session.run.task.poll(0.1)
    job.clear()
    assert Record.read(tmp_path / "frames").kept == 4
