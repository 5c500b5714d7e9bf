# SPDX-License-Identifier: GPL-3.0-or-later
"""Playback of frames, also in a Blender that has never heard of the extension; How Far; USD."""

import json
import os
from types import SimpleNamespace

import bpy
import numpy as np
import pytest

from erosion_addon.files.image_files import OpenImageIOFiles
from erosion_addon.scene.frames import playback
from erosion_addon.scene.materials.node_trees import nodes
from erosion_addon.scene.terrain import grid, obstacle
from erosion_addon.scene.terrain.mesh import make_grid_object
from erosion_addon.ui.base import handlers
from erosion_addon.ui.frames import frame_panel, result_slider
from tests import blender_child
from tests.terrains import fractal
from tests.ui.conftest import activate, z_of
from tests.ui.recipe.test_steps import Drawn

IMAGES = OpenImageIOFiles()

PLAY = """
import sys, json, bpy
import numpy as np
bpy.ops.wm.open_mainfile(filepath=sys.argv[1])
assert not hasattr(bpy.types.Object, "erosion")
obj = bpy.data.objects["Terrain"]
for frame in map(int, sys.argv[3:]):
    bpy.context.scene.frame_set(frame)
    mesh = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    place = np.empty((len(mesh.vertices), 3), np.float32)
    mesh.attributes["position"].data.foreach_get("vector", place.ravel())
    wear = np.empty(len(place), np.float32)
    mesh.attributes["wear"].data.foreach_get("value", wear)
    np.save(f"{sys.argv[2]}/{frame}.npy", np.column_stack([place, wear]))
"""

RENDER = """
import sys, bpy
bpy.ops.wm.open_mainfile(filepath=sys.argv[1])
assert not hasattr(bpy.types.Object, "erosion")
scene = bpy.context.scene
for frame in map(int, sys.argv[3:]):
    scene.frame_set(frame)
    scene.render.filepath = f"{sys.argv[2]}/{frame}.exr"
    bpy.ops.render.render(write_still=True)
"""


def image(folder, name, number):
    return IMAGES.read(folder / f"{name}_{number:04d}.exr").ravel()


@pytest.fixture
def kept(terrain_object, tmp_path):
    """The terrain, eroded, with the start and four states in the folder `frames`."""
    settings = terrain_object.erosion.frames
    settings.folder = str(tmp_path / "frames")
    settings.count = 4
    settings.keep = True
    settings.fields = {"wear", "velocity"}
    bpy.ops.erosion.run("EXEC_DEFAULT")
    return terrain_object


def evaluated(obj):
    """Local heights and wear of the object as it is shown."""
    mesh = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    place = np.empty((len(mesh.vertices), 3), np.float32)
    mesh.attributes["position"].data.foreach_get("vector", place.ravel())
    wear = np.empty(len(place), np.float32)
    mesh.attributes["wear"].data.foreach_get("value", wear)
    return place[:, 2], wear


def test_a_file_plays_the_states_of_the_run_to_the_bit_without_the_extension(kept, tmp_path):
    kept.rotation_euler = (0.1, 0.2, 0.7)
    kept.location = (5000.0, -3.0, 20.0)
    bpy.context.scene.frame_start = 11
    bpy.ops.erosion.playback_add()
    own = grid.positions(kept.data)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "played.blend"))
    shown = {11: 0, 12: 1, 13: 2, 15: 4, 3: 0, 99: 4}  # beyond both ends the first and the last
    done = blender_child.run(PLAY, tmp_path / "played.blend", tmp_path, *shown, folder=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    for frame, number in shown.items():
        got = np.load(tmp_path / f"{frame}.npy")
        np.testing.assert_array_equal(got[:, :2], own[:, :2])
        np.testing.assert_array_equal(got[:, 2], image(tmp_path / "frames", "elevation", number))
        np.testing.assert_array_equal(got[:, 3], image(tmp_path / "frames", "wear", number))


def look_down(obj, size):
    """A camera above the terrain with a pixel for each vertex, and a material that glows in heights
    and wear.
    """
    rows, cols = size
    scene = bpy.context.scene
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.data.type, camera.data.ortho_scale, camera.location.z = "ORTHO", 10.0 * max(size), 900.0
    camera.data.clip_end = 2000.0
    scene.collection.objects.link(camera)
    scene.camera = camera
    scene.render.resolution_x = cols
    scene.render.resolution_y = rows
    scene.render.filter_size = 0.0
    scene.render.engine = "BLENDER_EEVEE" if bpy.app.version >= (5, 0, 0) else "BLENDER_EEVEE_NEXT"
    scene.eevee.taa_render_samples = 1
    scene.render.image_settings.file_format = "OPEN_EXR"
    material = bpy.data.materials.new("Heights")
    if bpy.app.version < (5, 0, 0):
        material.use_nodes = True
    tree = material.node_tree
    made = {}
    tree.nodes.clear()
    for kind in (
        "NewGeometry",
        "Attribute",
        "SeparateXYZ",
        "CombineXYZ",
        "Emission",
        "OutputMaterial",
    ):
        made[kind] = tree.nodes.new(f"ShaderNode{kind}")
    made["Attribute"].attribute_name = "wear"
    made["CombineXYZ"].inputs["Z"].default_value = 1.0
    for source, out, target, socket in (
        ("NewGeometry", "Position", "SeparateXYZ", "Vector"),
        ("SeparateXYZ", "Z", "CombineXYZ", "X"),
        ("Attribute", "Fac", "CombineXYZ", "Y"),
        ("CombineXYZ", "Vector", "Emission", "Color"),
        ("Emission", "Emission", "OutputMaterial", "Surface"),
    ):
        tree.links.new(made[source].outputs[out], made[target].inputs[socket])
    obj.data.materials.clear()
    obj.data.materials.append(material)


@pytest.mark.thorough
@pytest.mark.render
def test_rendered_frames_show_the_heights_and_wear_of_the_run_without_the_extension(kept, tmp_path):
    bpy.context.scene.frame_start = 0
    bpy.ops.erosion.playback_add()
    look_down(kept, (48, 64))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "played.blend"))
    done = blender_child.run(
        RENDER, tmp_path / "played.blend", tmp_path, *range(5), folder=tmp_path
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for frame in range(5):
        shown = IMAGES.read_color(tmp_path / f"{frame}.exr")
        for channel, name in enumerate(("elevation", "wear")):
            wanted = image(tmp_path / "frames", name, frame).reshape(48, 64)
            # Half floats, and the middle of a pixel beside its vertex; on the rim it may miss the
            # ground.
            away = np.abs(shown[..., channel] - wanted)[1:-1, 1:-1]
            assert away.max() < 0.001 * 200.0, (name, frame)


def test_two_frames_are_blended_by_their_distance(kept, tmp_path):
    bpy.ops.erosion.playback_add()
    modifier = playback.find(kept)
    nodes.set_modifier_input(modifier, "Speed", 0.25)
    one, two = (image(tmp_path / "frames", "elevation", number) for number in (1, 2))
    for blend, expected in ((True, 0.75 * one + 0.25 * two), (False, one)):
        nodes.set_modifier_input(modifier, "Blend", blend)
        kept.update_tag()
        bpy.context.scene.frame_set(6)
        np.testing.assert_allclose(evaluated(kept)[0], expected, rtol=1e-6)


def test_a_scaled_terrain_of_shuffled_vertices_plays_its_frames(tmp_path):
    obj = make_grid_object(
        "Terrain", fractal(20, 33, relief=5.0), (1.0, 1.0), bpy.context.scene.collection
    )
    place = grid.positions(obj.data)
    order = np.random.default_rng(3).permutation(20 * 33)
    mesh = bpy.data.meshes.new("Points")
    mesh.from_pydata(place[order].tolist(), [], [])
    obj.data = mesh
    obj.scale = (10.0, 10.0, 8.0)
    activate(obj)
    obj.erosion.recipe_name = "arcane"
    settings = obj.erosion.frames
    settings.folder = str(tmp_path / "frames")
    settings.count = 2
    settings.keep = True
    bpy.ops.erosion.run("EXEC_DEFAULT")
    result = z_of(obj)
    bpy.ops.erosion.playback_add()
    bpy.context.scene.frame_set(3)
    np.testing.assert_allclose(evaluated(obj)[0], result, rtol=1e-6)
    bpy.context.scene.frame_set(1)
    np.testing.assert_allclose(evaluated(obj)[0], place[order][:, 2], rtol=1e-6)


def test_playback_is_removed_without_a_trace_and_added_once(kept):
    bpy.ops.erosion.playback_add()
    bpy.ops.erosion.playback_add()
    assert len(kept.modifiers) == 1 and len(bpy.data.node_groups) == 1 and len(bpy.data.images) == 4
    bpy.ops.erosion.playback_remove()
    assert not kept.modifiers and not bpy.data.node_groups and not bpy.data.images


def test_frames_of_another_grid_are_refused(kept, tmp_path):
    other = make_grid_object("Other", fractal(20, 30), (10.0, 10.0), bpy.context.scene.collection)
    activate(other)
    other.erosion.frames.folder = str(tmp_path / "frames")
    with pytest.raises(RuntimeError, match=r"64 × 48 cells, but Other has 30 × 20"):
        bpy.ops.erosion.playback_add()
    with pytest.raises(RuntimeError, match="another grid or scale"):
        bpy.ops.erosion.how_far(frame=2)


def test_the_panel_shows_what_can_be_done_with_frames(kept, tmp_path):
    def buttons():
        layout = Drawn()
        frame_panel.EROSION_PT_frames.draw(SimpleNamespace(layout=layout), bpy.context)
        return [
            given[0].removeprefix("erosion.")
            for name, given, _ in layout.seen["calls"]
            if name == "operator"
        ]

    always = ["frames_remove", "playback_add"]
    assert buttons() == [*always, "run"]
    bpy.ops.erosion.playback_add()
    assert buttons() == [*always, "playback_remove", "frames_export", "run"]
    assert obstacle.shapers(kept) == ""  # nobody is advised to apply it
    for folder in ("", "//beside", "\\\\machine\\share", str(tmp_path / "none")):
        kept.erosion.frames.folder = folder
        assert buttons() == ["run"]
    if hasattr(os, "mkfifo"):  # reading it would never end
        (tmp_path / "pipe").mkdir()
        os.mkfifo(tmp_path / "pipe" / "frames.json")
        kept.erosion.frames.folder = str(tmp_path / "pipe")
        assert buttons() == ["run"]


def test_a_kept_state_becomes_the_result_and_restore_goes_to_the_original(kept, tmp_path):
    folder = tmp_path / "frames"
    before = image(tmp_path / "frames", "elevation", 0)
    result = z_of(kept).tobytes()
    for number in (2, 0, 4, 1):
        assert bpy.ops.erosion.how_far("EXEC_DEFAULT", frame=number) == {"FINISHED"}
        assert z_of(kept).tobytes() == image(folder, "elevation", number).tobytes()
        wear = np.empty(len(before), np.float32)
        kept.data.attributes["wear"].data.foreach_get("value", wear)
        assert wear.tobytes() == image(folder, "wear", number).tobytes()
        assert kept.erosion.frames.how_far == 25.0 * number and not kept.erosion.report
        assert (number == 4) == (z_of(kept).tobytes() == result)
    bpy.ops.erosion.restore()
    assert z_of(kept).tobytes() == before.tobytes()


def test_the_slider_takes_the_state_that_it_rests_on(kept, tmp_path):
    frames = kept.erosion.frames
    assert frames.how_far == 100.0
    frames.how_far = 10.0
    frames.how_far = 55.0
    assert frames.how_far == 50.0  # the nearest state, before it is there
    result_slider._take()
    assert (
        z_of(kept).tobytes() == image(tmp_path / "frames", "elevation", 2).tobytes()
        and frames.how_far == 50.0
    )
    bpy.ops.erosion.restore()
    assert frames.how_far == 100.0
    handlers.end(result_slider.TIMERS)


def test_an_edited_terrain_keeps_its_edits(kept):
    kept.data.vertices[7].co.z += 50.0
    own = z_of(kept).tobytes()
    with pytest.raises(RuntimeError, match="was edited since its last run"):
        bpy.ops.erosion.how_far("EXEC_DEFAULT", frame=2)
    assert z_of(kept).tobytes() == own


def test_a_frame_that_is_gone_leaves_the_terrain(kept, tmp_path):
    own = z_of(kept).tobytes()
    report = json.loads(kept.erosion.report)
    (tmp_path / "frames" / "wear_0002.exr").unlink()
    with pytest.raises(RuntimeError, match=r"wear_0002\.exr"):
        bpy.ops.erosion.how_far("EXEC_DEFAULT", frame=2)
    assert z_of(kept).tobytes() == own and json.loads(kept.erosion.report) == report


def test_usd_holds_points_and_maps_at_each_frame(kept, tmp_path):
    bpy.context.scene.frame_start = 1
    bpy.context.scene.frame_end = 5
    bpy.ops.erosion.playback_add()
    assert bpy.ops.erosion.frames_export(filepath=str(tmp_path / "land.usdc")) == {"FINISHED"}
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.wm.usd_import(filepath=str(tmp_path / "land.usdc"))
    (obj,) = [obj for obj in bpy.data.objects if obj.type == "MESH"]
    for frame in (1, 3, 5):
        bpy.context.scene.frame_set(frame)
        heights, wear = evaluated(obj)
        np.testing.assert_allclose(
            heights, image(tmp_path / "frames", "elevation", frame - 1), atol=1e-4
        )
        np.testing.assert_array_equal(wear, image(tmp_path / "frames", "wear", frame - 1))
