# SPDX-License-Identifier: GPL-3.0-or-later
"""The stage of a picture: what the camera sees, from where the light comes, at any size and turn of the terrain."""

import math

import bpy
import numpy as np
import pytest
from bpy_extras.object_utils import world_to_camera_view
from mathutils import Vector

from erosion_addon.scene.derived import studio as stage
from erosion_addon.scene.terrain import grid
from tests.terrains import fractal


@pytest.fixture
def make_terrain(empty_scene):
    def make(cell=10.0, relief=0.2, **placed):
        elevation = fractal(33, 33, relief=relief * 32 * cell)
        obj = grid.make_grid_object("Terrain", elevation, (cell, cell), empty_scene.collection)
        for name, value in placed.items():
            setattr(obj, name, value)
        bpy.context.view_layer.update()
        return obj

    return make


def seen(obj, view, turn=0.0):
    """Where the vertices come to lie in the picture: x and y from 0 to 1, and their distance."""
    scene = bpy.context.scene
    scene.render.resolution_x, scene.render.resolution_y = 960, 540
    camera = stage.add_camera(scene)
    stage.aim(camera, stage.place_of(obj), view, turn)
    bpy.context.view_layer.update()
    corners = [obj.matrix_world @ vertex.co for vertex in obj.data.vertices]
    return np.array([world_to_camera_view(scene, camera, corner) for corner in corners])


@pytest.mark.parametrize("turn", [0.0, 1.0, math.pi])
@pytest.mark.parametrize("placed", [{}, {"location": (5e3, -2e3, 40.0)}, {"scale": (2.0, 2.0, 2.0)}])
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
    small, large = seen(make_terrain(0.1), "across"), seen(make_terrain(1000.0), "across")
    assert np.allclose(small[:, :2], large[:, :2], atol=1e-4)


def test_the_sun_comes_from_the_left_of_a_turned_terrain(make_terrain):
    obj = make_terrain(rotation_euler=(0.0, 0.0, 1.0))
    sun = stage.add_sun(bpy.context.scene, stage.place_of(obj))
    bpy.context.view_layer.update()
    towards = sun.matrix_world.to_quaternion() @ Vector((0.0, 0.0, 1.0))
    local = obj.matrix_world.to_quaternion().inverted() @ towards
    assert local.x < -0.5 and 0.3 < local.z < 0.7


def test_a_new_sky_is_blue_above_and_pale_below(empty_scene):
    world = stage.add_sky(empty_scene)
    ramp = next(node for node in world.node_tree.nodes if node.type == "VALTORGB").color_ramp
    above, below = ramp.evaluate(1.0), ramp.evaluate(0.0)
    assert above[2] / above[0] > 2 > below[2] / below[0]
