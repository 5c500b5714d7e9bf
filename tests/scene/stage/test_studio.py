# SPDX-License-Identifier: GPL-3.0-or-later
"""Camera and lights of Set Up Look: framing and light direction for any size and rotation of the
terrain.
"""

import math

import bpy
import numpy as np
import pytest
from bpy_extras.object_utils import world_to_camera_view
from mathutils import Vector

from erosion_addon.files.render_settings import LIGHTS
from erosion_addon.scene.materials import material
from erosion_addon.scene.stage import studio as stage
from erosion_addon.scene.terrain.mesh import make_grid_object
from tests.terrains import fractal


@pytest.fixture
def make_terrain(empty_scene):
    def make(cell=10.0, relief=0.2, **placed):
        elevation = fractal(33, 33, relief=relief * 32 * cell)
        obj = make_grid_object("Terrain", elevation, (cell, cell), empty_scene.collection)
        for name, value in placed.items():
            setattr(obj, name, value)
        bpy.context.view_layer.update()
        return obj

    return make


def seen(obj, view, turn=0.0):
    """Picture coordinates of the vertices: x and y from 0 to 1, and distance."""
    scene = bpy.context.scene
    scene.render.resolution_x = 960
    scene.render.resolution_y = 540
    camera = stage.add_camera(scene)
    stage.aim(camera, stage.place_of(obj), view, turn)
    bpy.context.view_layer.update()
    corners = [obj.matrix_world @ vertex.co for vertex in obj.data.vertices]
    return np.array([world_to_camera_view(scene, camera, corner) for corner in corners])


@pytest.mark.parametrize("turn", [0.0, 1.0, math.pi])
@pytest.mark.parametrize(
    "placed", [{}, {"location": (5e3, -2e3, 40.0)}, {"scale": (2.0, 2.0, 2.0)}]
)
def test_the_whole_terrain_is_in_the_picture(make_terrain, placed, turn):
    place = seen(make_terrain(**placed), "whole", turn)
    assert place[:, :2].min() > 0.02 and place[:, :2].max() < 0.98
    assert np.ptp(place[:, 0]) > 0.45  # and not lost in it


@pytest.mark.parametrize("cell", [0.01, 10.0, 1000.0])
def test_across_the_land_fills_the_picture(make_terrain, cell):
    place = seen(make_terrain(cell), "across").reshape(33, 33, 3)
    assert place[0, :, 1].max() < 0  # the near side is below the picture
    far = place[-1]
    assert far[0, 0] < 0.05 and far[-1, 0] > 0.95  # the far side runs from side to side
    assert 0.6 < far[:, 1].max() < 1.0  # with sky over it


def test_the_size_of_the_terrain_changes_nothing_in_the_picture(make_terrain):
    small = seen(make_terrain(0.1), "across")
    large = seen(make_terrain(1000.0), "across")
    assert np.allclose(small[:, :2], large[:, :2], atol=1e-4)


def test_the_sun_comes_from_the_left_of_a_turned_terrain(make_terrain):
    obj = make_terrain(rotation_euler=(0.0, 0.0, 1.0))
    sun = stage.add_sun(bpy.context.scene, stage.place_of(obj))
    bpy.context.view_layer.update()
    towards = sun.matrix_world.to_quaternion() @ Vector((0.0, 0.0, 1.0))
    local = obj.matrix_world.to_quaternion().inverted() @ towards
    assert local.x < -0.5 and 0.3 < local.z < 0.7


def sky_of(world):
    """Inputs of a sky by name: colors (r, g, b) and numbers."""
    return {
        socket.name: tuple(socket.default_value)[:3]
        if socket.type in ("RGBA", "VECTOR")
        else socket.default_value
        for socket in world.node_tree.nodes["Surface"].inputs
    }


def test_a_new_sky_is_blue_above_and_pale_at_the_horizon(make_terrain, empty_scene):
    sky = sky_of(stage.add_sky(empty_scene, make_terrain()))
    above = sky["Zenith"]
    horizon = sky["Horizon"]
    assert above[2] / above[0] > 3 > 1.5 > horizon[2] / horizon[0]


def test_the_air_of_a_desert_is_not_blue_and_that_of_mountains_is(make_terrain):
    obj = make_terrain()
    for palette, bluish in (
        ("dunes", False),
        ("desert", False),
        ("canyon", False),
        ("alpine", True),
    ):
        material.assign(obj, palette)
        red, _, blue = stage.haze_of(obj, "noon")
        assert (blue > red) == bluish, palette


@pytest.mark.parametrize("light", LIGHTS)
def test_the_sky_glows_where_the_sun_stands(make_terrain, empty_scene, light):
    obj = make_terrain(rotation_euler=(0.0, 0.0, 1.0))
    sun = stage.add_sun(empty_scene, stage.place_of(obj), 0.3, light)
    sky = sky_of(stage.add_sky(empty_scene, obj, light))
    towards = sun.rotation_quaternion @ Vector((0.0, 0.0, 1.0))
    assert sky["Sun Direction"] == pytest.approx(tuple(towards), abs=1e-5)
    low, high = {"golden": (5, 14), "morning": (12, 28)}.get(light, (45, 60))
    assert low < math.degrees(math.asin(towards.z)) < high


def test_on_gentle_land_the_morning_sun_rakes_lower_than_on_mountains(make_terrain, empty_scene):
    heights = []
    for relief in (0.03, 0.3):
        sun = stage.add_sun(empty_scene, stage.place_of(make_terrain(relief=relief)))
        heights.append(
            math.degrees(math.asin((sun.rotation_quaternion @ Vector((0.0, 0.0, 1.0))).z))
        )
    assert heights[0] == pytest.approx(14, abs=1) and heights[1] > 22


def nodes_of_compositor(scene):
    tree = scene.compositing_node_group if bpy.app.version >= (5, 0, 0) else scene.node_tree
    return {node.name: node for node in tree.nodes}


def test_haze_leaves_the_sky_alone_and_has_the_horizons_color(make_terrain, empty_scene):
    obj = make_terrain()
    stage.complete(empty_scene, obj)
    nodes = nodes_of_compositor(empty_scene)
    layers = next(node for node in nodes.values() if node.type == "R_LAYERS")
    used = {link.from_socket.name for link in layers.id_data.links if link.from_node == layers}
    assert used == {"Image", "Mist", "Depth"}
    haze = next(
        socket.default_value
        for socket in nodes[stage.HAZE].inputs
        if socket.type == "RGBA" and not socket.links
    )
    background = empty_scene.world.node_tree.nodes["Background"].inputs["Strength"].default_value
    horizon = sky_of(empty_scene.world)["Horizon"]
    assert tuple(haze)[:3] == pytest.approx([background * part for part in horizon], rel=1e-5)


def test_another_daylight_turns_our_sky_and_sun_and_adds_none(make_terrain, empty_scene):
    obj = make_terrain()
    stage.complete(empty_scene, obj)
    world = empty_scene.world
    names = {item.name for item in empty_scene.objects}
    before = sky_of(world)
    stage.complete(empty_scene, obj)
    assert sky_of(world) == before  # unasked nothing changes
    stage.complete(empty_scene, obj, "golden")
    assert empty_scene.world == world and {item.name for item in empty_scene.objects} == names
    assert stage.light_of(empty_scene) == "golden" and sky_of(world) != before
    color = empty_scene.objects[stage.SUN].data.color
    assert color[0] > 2 * color[2]
    # thicker than 4.4 of a morning
    assert nodes_of_compositor(empty_scene)[stage.FAR].inputs[1].default_value > 5.0


def test_sky_sun_and_compositing_of_the_users_stay_whatever_daylight_is_asked_for(
    make_terrain, empty_scene
):
    obj = make_terrain()
    mine = bpy.data.worlds.new("Mine")
    if bpy.app.version < (5, 0, 0):
        mine.use_nodes = True
    mine.node_tree.nodes["Background"].inputs["Strength"].default_value = 3.0
    empty_scene.world = mine
    sun = bpy.data.objects.new("Mine", bpy.data.lights.new("Mine", "SUN"))
    empty_scene.collection.objects.link(sun)
    turned = sun.matrix_world.copy()
    energy = sun.data.energy
    stage.complete(empty_scene, obj, "golden")
    assert empty_scene.world == mine and sun.matrix_world == turned and sun.data.energy == energy
    assert not stage.has_compositor(empty_scene)
