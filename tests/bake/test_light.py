# SPDX-License-Identifier: GPL-3.0-or-later
"""Baked light: fields, settings, and meshes approximated by spheres."""

import numpy as np
import pytest

from erosion_addon.bake.light import Sun, bake
from erosion_addon.bake.parameters import LightParameters
from erosion_addon.bake.sphere_fit import fit_spheres, surface_points
from erosion_addon.base.errors import InputError
from erosion_addon.terrain.terrain import Terrain
from tests.terrains import fractal

NONE = np.empty((0, 4))
LOW = Sun((1.0, 0.3, 0.4), 0.005)


def light(terrain, suns=(), casters=NONE, edges="open", **settings):
    return bake(terrain, LightParameters(**settings), suns, casters, edges, threads=1)


@pytest.fixture
def hills():
    return Terrain(fractal(50, 64, relief=60.0), 2.0)


def test_there_is_a_field_for_the_sky_and_one_for_each_sun(hills):
    assert list(light(hills)) == ["sky_light"]
    fields = light(hills, [LOW] * 3)
    assert list(fields) == ["sky_light", "sun_light", "sun_light_2", "sun_light_3"]
    for field in fields.values():
        assert (
            field.shape == hills.shape
            and field.dtype == np.float32
            and field.min() >= 0
            and field.max() <= 1
        )


def test_the_terrain_is_not_changed(hills):
    before = hills.elevation.copy()
    light(hills, [LOW], np.array([[30.0, 30.0, 40.0, 5.0]]))
    assert np.array_equal(hills.elevation, before)


def test_shadows_of_mountains_and_of_spheres_multiply(hills):
    casters = np.array([[30.0, 30.0, 50.0, 8.0]])
    together = light(hills, [LOW], casters)
    mountains = light(hills, [LOW])
    spheres = light(hills, [LOW], casters, terrain_shadow=False)
    assert np.allclose(
        together["sun_light"], mountains["sun_light"] * spheres["sun_light"], atol=1e-7
    )
    assert mountains["sun_light"].min() == 0.0


def test_half_resolution_is_nearly_the_same(hills):
    smooth = Terrain(fractal(101, 80, relief=60.0, steepness=3.5), 2.0)
    full = light(smooth)["sky_light"]
    half = light(smooth, half_resolution=True)["sky_light"]
    assert full.std() > 0.02 and np.abs(full - half).mean() < 0.01
    assert (light(Terrain(np.zeros((10, 11))), half_resolution=True)["sky_light"] == 1.0).all()


def test_a_seamless_tile_is_darker_at_its_edges_than_one_below_open_sky(hills):
    assert light(hills, edges="wrap")["sky_light"][0].mean() < light(hills)["sky_light"][0].mean()


def test_the_radius_is_half_of_the_terrain_unless_it_is_given(hills):
    assert np.array_equal(light(hills)["sky_light"], light(hills, radius=64.0)["sky_light"])
    assert light(hills, radius=4.0)["sky_light"].mean() > light(hills)["sky_light"].mean()


def test_what_cannot_be_lit_is_refused_in_a_sentence(hills):
    with pytest.raises(InputError, match="There are 4 suns"):
        light(hills, [LOW] * 4)
    with pytest.raises(InputError, match="no direction"):
        light(hills, [Sun((0.0, 0.0, 0.0), 0.1)])
    for bad in ([[0, 0, np.nan, 1]], [[0, 0, 0, 0]], [[0, 0, 0, -1]]):
        with pytest.raises(InputError, match="sphere"):
            light(hills, casters=np.array(bad, float))


def ball(count=24):
    polar, turn = np.meshgrid(np.linspace(0, np.pi, count), np.linspace(0, 2 * np.pi, count))
    return np.stack(
        [np.sin(polar) * np.cos(turn), np.sin(polar) * np.sin(turn), np.cos(polar)], -1
    ).reshape(-1, 3)


CUBE = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
SIDES = np.array(
    [
        [0, 1, 3],
        [0, 3, 2],
        [4, 5, 7],
        [4, 7, 6],
        [0, 1, 5],
        [0, 5, 4],
        [2, 3, 7],
        [2, 7, 6],
        [0, 2, 6],
        [0, 6, 4],
        [1, 3, 7],
        [1, 7, 5],
    ]
)


def test_a_ball_becomes_itself():
    assert np.allclose(fit_spheres(ball() * 3 + [1, 2, 3], 1), [[1, 2, 3, 3]], atol=0.05)


def test_a_beam_becomes_spheres_side_by_side():
    spheres = fit_spheres(surface_points(CUBE * [8, 1, 1], SIDES), 4)
    assert np.allclose(np.sort(spheres[:, 0]), [-6, -2, 2, 6], atol=0.5)
    assert np.allclose(spheres[:, 1:3], 0, atol=0.1) and (np.abs(spheres[:, 3] - 1.29) < 0.15).all()


def test_points_lie_on_all_sides_of_a_box_of_eight_vertices():
    points = surface_points(CUBE, SIDES)
    assert np.allclose(np.abs(points).max(axis=1), 1)
    for axis in range(3):
        assert min((points[8:, axis] > 0.999).sum(), (points[8:, axis] < -0.999).sum()) > 60


def test_a_plate_throws_a_shadow_and_a_point_or_a_line_none():
    assert fit_spheres(CUBE * [2, 2, 0], 1)[0, 3] > 1
    assert len(fit_spheres(CUBE * [2, 0, 0], 3)) == 0
    assert len(fit_spheres(CUBE * 0, 3)) == 0


def test_a_mesh_without_faces_is_its_vertices():
    assert np.array_equal(surface_points(CUBE, np.empty((0, 3), int)), CUBE)
