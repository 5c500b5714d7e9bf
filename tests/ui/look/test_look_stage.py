# SPDX-License-Identifier: GPL-3.0-or-later
"""Set Up Look: adds a sun, a sky and a camera where the scene has none."""

import bpy
import pytest

from erosion_addon.scene.stage import startup
from erosion_addon.scene.terrain.mesh import make_grid_object
from erosion_addon.ui.base import views
from tests.terrains import fractal
from tests.ui.conftest import activate

STARTUP = {"Camera", "Light", "Cube"}


@pytest.fixture
def scene():
    """Blender's new file with a terrain of 640 m."""
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    scene = bpy.context.scene
    obj = make_grid_object("Terrain", fractal(33, 33, relief=80.0), (20.0, 20.0), scene.collection)
    activate(obj)
    bpy.context.view_layer.update()
    return scene


def look(**given):
    bpy.ops.erosion.look_add(light=False, plants=False, **given)


def names(scene):
    return {obj.name for obj in scene.objects}


def test_blenders_new_file_is_recognized(scene):
    assert {obj.name for obj in scene.objects if startup.is_untouched(obj)} == STARTUP
    assert startup.is_world_untouched(scene.world)


def test_a_new_file_gets_a_sun_a_sky_and_a_camera_in_place_of_its_own(scene):
    look()
    assert names(scene) == {"Terrain", "Terrain Surroundings", "Terrain Camera", "Terrain Sun"}
    assert scene.camera.name == "Terrain Camera" and scene.world.name == "Terrain Sky"
    assert all(space.clip_end > 2000 for space in views.spaces())
    look()
    assert (
        names(scene) == {"Terrain", "Terrain Surroundings", "Terrain Camera", "Terrain Sun"}
        and len(bpy.data.worlds) == 2
    )


def test_renders_split_cells_along_crests_once_and_only_if_nothing_else_splits_them(scene):
    """A crest along the diagonal of a cell is as high in its middle as at its ends."""
    terrain = scene.objects["Terrain"]
    look()
    look()
    split = terrain.modifiers[0]
    assert len(terrain.modifiers) == 1 and split.show_render and not split.show_viewport
    assert split.quad_method == "SHORTEST_DIAGONAL"
    split.quad_method = "BEAUTY"
    look()
    assert [each.quad_method for each in terrain.modifiers] == ["BEAUTY"]


def test_it_is_left_out_where_it_is_not_wanted(scene):
    look(stage=False)
    assert names(scene) == {"Terrain", *STARTUP} and scene.world.name == "World"


def move(obj):
    obj.location.x += 0.1


def rename(obj):
    obj.name = f"My {obj.name}"


def animate(obj):
    obj.keyframe_insert("location", frame=1)


def constrain(obj):
    obj.constraints.new("TRACK_TO")


@pytest.mark.parametrize("touch", [move, rename, animate, constrain])
def test_what_the_user_touched_stays(scene, touch):
    for name in STARTUP:
        touch(bpy.data.objects[name])
    before = names(scene)
    camera = scene.camera
    look()
    assert names(scene) == before | {"Terrain Sun"} and scene.camera == camera


def test_edits_of_the_data_count_as_touched(scene):
    bpy.data.lights["Light"].energy = 10.0
    bpy.data.cameras["Camera"].lens = 35.0
    bpy.data.meshes["Cube"].vertices[0].co.z = 3.0
    look()
    assert names(scene) >= STARTUP and scene.camera.name == "Camera"


def test_a_sun_of_the_users_is_the_only_one(scene):
    sun = bpy.data.objects.new("Mine", bpy.data.lights.new("Mine", "SUN"))
    scene.collection.objects.link(sun)
    look()
    assert [obj.name for obj in scene.objects if obj.type == "LIGHT"] == ["Mine"]
    assert scene.world.name == "Terrain Sky"


def test_a_sky_of_the_users_stays_and_no_sun_comes_beside_it(scene):
    scene.world.node_tree.nodes["Background"].inputs["Strength"].default_value = 2.0
    look()
    assert scene.world.name == "World"
    assert not [obj for obj in scene.objects if obj.type == "LIGHT"]


def test_exposure_that_the_user_chose_stays(scene):
    scene.view_settings.exposure = -1.0
    look()
    assert scene.view_settings.exposure == -1.0 and scene.view_settings.look == "None"


def test_the_cube_stays_where_it_is_the_terrain_itself(scene):
    scene.objects["Terrain"].name = "Land"
    kept = scene.objects["Cube"]
    assert sorted(startup.clear(scene, kept)) == ["Camera", "Light"] and names(scene) == {
        "Land",
        "Cube",
    }


def test_another_sky_is_a_click_away_and_comes_only_when_asked_for(scene):
    look(sky="golden")
    assert scene.world["erosion_light"] == "golden"
    look()
    assert scene.world["erosion_light"] == "golden" and len(bpy.data.worlds) == 2
    look(sky="noon")
    assert scene.world["erosion_light"] == "noon" and len(bpy.data.worlds) == 2


def test_land_around_is_left_out_or_taken_away_when_unwanted(scene):
    look(surroundings=False)
    assert "Terrain Surroundings" not in names(scene)
    bpy.ops.erosion.surroundings_add()
    assert "Terrain Surroundings" in names(scene)
    bpy.ops.erosion.companion_remove(kind="surroundings")
    assert "Terrain Surroundings" not in names(scene)
