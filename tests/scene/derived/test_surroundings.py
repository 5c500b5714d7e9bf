# SPDX-License-Identifier: GPL-3.0-or-later
"""Surrounding land: continues the terrain's border, hides no terrain, carries its fields."""

import bpy
import numpy as np
import pytest

from erosion_addon.scene.derived import surroundings, update_derived
from erosion_addon.scene.materials import material
from erosion_addon.scene.stage import studio
from erosion_addon.scene.terrain import attributes, grid
from erosion_addon.scene.terrain.mesh import make_grid_object, positions
from tests.terrains import fractal


@pytest.fixture
def terrain(empty_scene):
    obj = make_grid_object(
        "Land", fractal(41, 33, relief=60.0), (10.0, 10.0), empty_scene.collection
    )
    moisture = np.linspace(0, 1, 41 * 33, dtype=np.float32).reshape(41, 33)
    attributes.write_fields(obj.data, grid.find_lattice(obj), {"moisture": moisture})
    material.assign(obj)
    return obj


def test_a_sea_goes_on_beyond_the_sides_that_lie_under_it():
    wet = np.zeros((5, 7), bool)
    wet[:2] = True  # one side as a whole, and the ends of two others, which are land
    beyond = surroundings.sea_beyond(wet)
    assert beyond.shape == (15, 21) and beyond[:7].all() and not beyond[7:].any()


def test_it_meets_the_border_and_lies_below_the_terrain_inside(terrain):
    land = surroundings.add(terrain)
    own = {(round(x, 2), round(y, 2)): z for x, y, z in positions(terrain.data)}
    x_end, y_end = (max(abs(place[axis]) for place in own) for axis in (0, 1))
    border = 0
    inside = 0
    for x, y, z in positions(land.data):
        if abs(x) > x_end + 0.01 or abs(y) > y_end + 0.01:
            continue
        there = own[round(float(x), 2), round(float(y), 2)]
        if abs(abs(x) - x_end) < 0.01 or abs(abs(y) - y_end) < 0.01:
            assert z == pytest.approx(there, abs=1e-3)
            border += 1
        else:
            assert z < there - 5.0
            inside += 1
    assert border == 2 * (41 + 33) - 4 and inside > 0


def test_the_slope_goes_on_across_the_border():
    ramp = np.stack(np.meshgrid(np.arange(33.0), np.arange(33.0)), -1)
    place = np.concatenate((ramp, 0.3 * ramp[..., :1]), -1)
    height = surroundings.surrounding(place, 1)[1:-1, 1:-1][48, :, 2]  # the terrain is 32 to 64
    assert height[32] == pytest.approx(0.0) and height[64] == pytest.approx(0.3 * 32)
    assert height[31] == pytest.approx(-0.3, abs=0.1) and height[65] == pytest.approx(
        0.3 * 33, abs=0.1
    )


def test_haze_is_complete_between_the_farthest_corner_of_the_plain_and_the_sky():
    """Pixels in complete haze are taken for sky, and get none."""
    assert np.sqrt(2) * (surroundings.HORIZON + 2) < studio.MIST < studio.CLIP - 0.1


def test_it_reaches_to_the_horizon_with_the_terrains_fields_and_material(terrain):
    land = surroundings.add(terrain)
    reach = np.abs(positions(land.data)[:, :2]).max(0)
    assert reach.min() > 10 * 400.0
    assert land.data.materials[:] == terrain.data.materials[:]
    values = attributes.read_values(land.data, "moisture")
    assert values.min() >= 0 and values.max() <= 1 and values.std() > 0.2
    normals = np.array([face.normal.z for face in land.data.polygons])
    assert normals.min() > 0


def test_again_it_is_one_and_follows_the_terrain(terrain):
    land = surroundings.add(terrain)
    high = positions(land.data)[:, 2].max()
    place = positions(terrain.data)
    place[:, 2] += 100.0
    terrain.data.attributes["position"].data.foreach_set("vector", place.ravel())
    assert surroundings.add(terrain) == land
    assert positions(land.data)[:, 2].max() == pytest.approx(high + 100.0, abs=1e-3)
    assert (
        update_derived.remove_companions(terrain, surroundings.KIND) == 1
        and len(bpy.data.objects) == 1
    )
