# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators for rivers, lakes and sea, called by scripts and buttons."""

import bpy
import numpy as np
import pytest

from erosion_addon.files.image_files import OpenImageIOFiles
from erosion_addon.scene.companions import companions, visible_water
from erosion_addon.scene.terrain.mesh import vertex_heights
from erosion_addon.scene.water import rivers
from tests import blender_child
from tests.ui.conftest import activate

OPEN = """
import sys, bpy
import numpy as np
bpy.ops.wm.open_mainfile(filepath=sys.argv[1])
assert not hasattr(bpy.types.Object, "erosion")
(river,) = [obj for obj in bpy.data.objects if obj.type == "CURVES"]
shown = river.evaluated_get(bpy.context.evaluated_depsgraph_get()).evaluated_geometry()
mesh = shown.mesh
place = np.empty((len(mesh.vertices), 3), np.float32)
mesh.attributes["position"].data.foreach_get("vector", place.ravel())
np.save(f"{sys.argv[2]}/ribbon.npy", place)
bpy.context.scene.render.filepath = f"{sys.argv[2]}/seen.exr"
bpy.ops.render.render(write_still=True)
"""


def test_rivers_and_lakes_are_added_once_and_removed(terrain_object):
    for _ in range(2):
        bpy.ops.erosion.rivers_add(source_area=0.005)
        bpy.ops.erosion.lakes_add(source_area=0.005, lake_area=300.0)
    assert {one.name for one in companions.find(terrain_object)} == {
        "Terrain Rivers",
        "Terrain Lakes",
    }
    assert visible_water.settings_in(terrain_object).lake_area == 300.0
    activate(companions.find(terrain_object, "rivers")[0])
    for kind in ("rivers", "lakes"):
        bpy.ops.erosion.companion_remove(kind=kind)
    assert bpy.data.objects[:] == [terrain_object]


def test_rivers_are_curves_while_that_is_chosen(terrain_object):
    bpy.ops.erosion.rivers_add(source_area=0.005, curves=True)
    (made,) = companions.find(terrain_object, "rivers")
    assert (
        made.type == "CURVES"
        and made.name == "Terrain Rivers"
        and made.data.name == "Terrain Rivers"
    )
    before = len(made.data.points)
    bpy.ops.erosion.run()
    assert companions.find(terrain_object, "rivers") == [made] and len(made.data.points) != before
    bpy.ops.erosion.rivers_add(source_area=0.005)
    assert companions.find(terrain_object, "rivers")[0].type == "MESH"
    bpy.ops.erosion.companion_remove(kind="rivers")
    assert bpy.data.objects[:] == [terrain_object]


def test_undo_takes_the_rivers_away_again(terrain_object):
    with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):
        bpy.ops.ed.undo_push(message="before")
        bpy.ops.erosion.rivers_add("EXEC_DEFAULT", True, source_area=0.005)
        assert len(bpy.data.objects) == 2
        bpy.ops.ed.undo()
    assert len(bpy.data.objects) == 1


def test_a_run_brings_rivers_up_to_date(terrain_object):
    bpy.ops.erosion.rivers_add(source_area=0.005)
    made = companions.find(terrain_object, "rivers")[0]
    mesh = made.data
    before = [vertex.co.z for vertex in made.data.vertices]
    bpy.ops.erosion.run()
    assert made.data == mesh and [vertex.co.z for vertex in mesh.vertices] != before


def test_a_sea_is_added_changed_and_removed(terrain_object):
    bpy.ops.erosion.rivers_add(source_area=0.005)
    for level in (60.0, 70.0):
        bpy.ops.erosion.sea_add(sea_level=level)
    (sea,) = companions.find(terrain_object, "sea")
    assert {vertex.co.z for vertex in sea.data.vertices} == {70.0}
    assert visible_water.settings_in(terrain_object).source_area == pytest.approx(0.005)
    bpy.ops.erosion.companion_remove(kind="sea")
    assert [one.name for one in companions.find(terrain_object)] == ["Terrain Rivers"]


def test_a_sea_without_a_level_has_that_of_the_recipe_and_then_that_of_the_rivers(terrain_object):
    terrain_object.erosion.recipe_name = "mountain range"
    bpy.ops.erosion.recipe_load(name="mountain range")
    step = next(one for one in terrain_object.erosion.steps if one.kind == "uplift")
    step.uplift.sea = True
    step.uplift.sea_level = 90.0
    bpy.ops.erosion.sea_add()
    assert visible_water.settings_in(terrain_object).sea_level == 90.0
    bpy.ops.erosion.rivers_add(source_area=0.005, sea=True, sea_level=50.0)
    bpy.ops.erosion.sea_add()
    assert visible_water.settings_in(terrain_object).sea_level == 50.0


def test_undo_takes_the_sea_away_again_and_rivers_run_as_before(terrain_object):
    with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):
        bpy.ops.erosion.rivers_add("EXEC_DEFAULT", True, source_area=0.005)
        before = [vertex.co[:] for vertex in bpy.data.objects["Terrain Rivers"].data.vertices]
        bpy.ops.ed.undo_push(message="before")
        bpy.ops.erosion.sea_add("EXEC_DEFAULT", True, sea_level=70.0)
        assert len(bpy.data.objects) == 3
        bpy.ops.ed.undo()
    assert len(bpy.data.objects) == 2
    assert [vertex.co[:] for vertex in bpy.data.objects["Terrain Rivers"].data.vertices] == before


def test_a_run_brings_the_sea_up_to_date(terrain_object):
    bpy.ops.erosion.sea_add(sea_level=70.0)
    mesh = companions.find(terrain_object, "sea")[0].data
    before = len(mesh.vertices)
    bpy.ops.erosion.run()
    low = sum(vertex.co.z < 70.0 for vertex in terrain_object.data.vertices)
    wet = sum(value.value > 0 for value in mesh.attributes["water_depth"].data)
    assert wet == low and len(mesh.vertices) != before


def test_where_there_is_none_it_is_said(terrain_object):
    with pytest.raises(RuntimeError, match="no river with that much drainage area"):
        bpy.ops.erosion.rivers_add(source_area=500.0)
    with pytest.raises(RuntimeError, match="no lake of that size"):
        bpy.ops.erosion.lakes_add(lake_area=1e9)
    with pytest.raises(RuntimeError, match="No part of Terrain is below -5 m"):
        bpy.ops.erosion.sea_add(sea_level=-5.0)
    assert bpy.data.objects[:] == [terrain_object]


def test_rivers_begin_at_a_vertex_group_until_they_are_made_without_one(terrain_object):
    terrain_object.vertex_groups.new(name="Springs").add([24 * 64 + 30], 1.0, "REPLACE")
    bpy.ops.erosion.rivers_add(headwaters="Springs")
    few = len(bpy.data.objects["Terrain Rivers"].data.vertices)
    bpy.ops.erosion.lakes_add(lake_area=300.0)
    assert rivers.headwaters_in(terrain_object) == "Springs"
    bpy.ops.erosion.rivers_add(source_area=0.005)
    assert (
        rivers.headwaters_in(terrain_object) == ""
        and len(bpy.data.objects["Terrain Rivers"].data.vertices) != few
    )
    with pytest.raises(RuntimeError, match="has no attribute 'Brooks' for the headwater mask"):
        bpy.ops.erosion.rivers_add(headwaters="Brooks")


def test_beds_are_carved_once_there_are_rivers(terrain_object):
    assert not bpy.ops.erosion.beds_carve.poll()
    bpy.ops.erosion.rivers_add(source_area=0.005)
    before = vertex_heights(terrain_object.data)
    with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):
        bpy.ops.ed.undo_push(message="before")
        bpy.ops.erosion.beds_carve("EXEC_DEFAULT", True, incision=2.0)
        after = vertex_heights(bpy.context.object.data)
        bpy.ops.ed.undo()
    cut = before - after
    assert (cut >= 0).all() and 0.01 < (cut > 1.9).mean() < 0.3
    assert vertex_heights(bpy.context.object.data).tobytes() == before.tobytes()


@pytest.mark.render
def test_a_file_with_rivers_as_curves_shows_and_renders_their_ribbons_without_the_extension(
    terrain_object, tmp_path
):
    bpy.ops.erosion.rivers_add(source_area=0.01, width=30.0, curves=True)
    (river,) = companions.find(terrain_object, "rivers")
    shown = river.evaluated_get(bpy.context.evaluated_depsgraph_get()).evaluated_geometry()
    place = np.empty((len(shown.mesh.vertices), 3), np.float32)
    shown.mesh.attributes["position"].data.foreach_get("vector", place.ravel())
    glow(river)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "land.blend"))
    done = blender_child.run(OPEN, tmp_path / "land.blend", tmp_path, folder=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert np.load(tmp_path / "ribbon.npy").tobytes() == place.tobytes() and len(place) > 100
    seen = OpenImageIOFiles().read_color(tmp_path / "seen.exr")
    points = place.reshape(-1, 5, 3)
    # where they are two pixels wide
    middles = points[np.linalg.norm(points[:, 0] - points[:, 4], axis=1) > 20.0, 2]
    col = np.floor(middles[:, 0] / 10.0 + 32).astype(int)
    row = np.floor(middles[:, 1] / 10.0 + 24).astype(int)
    assert len(middles) > 20 and (seen[row, col, 0] > 0.5).mean() > 0.9
    assert 0.02 < (seen[..., 0] > 0.1).mean() < 0.5 and seen[..., 1:].max() < 0.1


def glow(river):
    """Make rivers red, seen from above with a pixel for each cell of 10 m, and all else black."""
    scene = bpy.context.scene
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.data.type = "ORTHO"
    camera.data.ortho_scale = 640.0
    camera.location.z = 900.0
    camera.data.clip_end = 2000.0
    scene.collection.objects.link(camera)
    scene.camera = camera
    scene.render.resolution_x = 64
    scene.render.resolution_y = 48
    scene.render.engine = "CYCLES"
    scene.cycles.samples = 1
    scene.render.image_settings.file_format = "OPEN_EXR"
    for obj in bpy.data.objects:
        if obj.type not in ("MESH", "CURVES"):
            continue
        material = bpy.data.materials.new("Glow")
        if bpy.app.version < (5, 0, 0):
            material.use_nodes = True
        tree = material.node_tree
        tree.nodes.clear()
        light = tree.nodes.new("ShaderNodeEmission")
        out = tree.nodes.new("ShaderNodeOutputMaterial")
        light.inputs["Color"].default_value = (float(obj == river), 0.0, 0.0, 1.0)
        tree.links.new(light.outputs["Emission"], out.inputs["Surface"])
        obj.data.materials.clear()
        obj.data.materials.append(material)
