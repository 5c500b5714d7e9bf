# SPDX-License-Identifier: GPL-3.0-or-later
"""Shadows of spheres against the published formulas in a plain loop, and simple cases."""

import math

import numpy as np
import pytest

from erosion_addon.bake.horizon import gradient
from erosion_addon.bake.light import Sun, caster_light
from tests.terrains import fractal

SPACING = (1.0, 1.5)


def plain(elevation, spacing, casters, suns):
    """Light of sky and suns by the formulas in float64, each vertex with each caster."""
    rows, cols = elevation.shape
    y, x = np.mgrid[:rows, :cols] * np.array(spacing).reshape(2, 1, 1)
    place = np.stack([x, y, elevation], -1)
    slope_x, slope_y = gradient(elevation, spacing, False).astype(float)
    normal = np.stack([-slope_x, -slope_y, np.ones_like(slope_x)], -1)
    normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
    lights = np.ones((1 + len(suns), rows, cols))
    for caster in casters:
        r = caster[3]
        to = caster[:3] - place
        d = np.linalg.norm(to, axis=-1)
        u = to / d[..., None]
        fade = np.clip((64 * r**2 - d**2) / (16 * r**2), 0, 1)
        sky = r**2 / d**2 * np.clip((u * normal).sum(-1), 0, 1)
        lights[0] *= np.clip(1 - sky * fade, 0, 1)
        for light, sun in zip(lights[1:], suns, strict=True):
            ca = np.sqrt(np.clip(1 - r**2 / d**2, 0, 1))
            cb = math.cos(sun.radius)
            cc = ca * cb
            ss = np.sqrt((1 - ca**2) * (1 - cb**2))
            t = np.clip(
                (u @ (np.array(sun.direction) / np.linalg.norm(sun.direction)) - cc + ss)
                / (2 * ss),
                0,
                1,
            )
            light *= np.clip(1 - t * t * (3 - 2 * t) * (1 - ca) / (1 - cb) * fade, 0, 1)
    return lights


def scattered(rng, elevation, count, largest=8.0):
    rows, cols = elevation.shape
    row = rng.uniform(-5, rows + 5, count)
    col = rng.uniform(-5, cols + 5, count)
    radius = rng.uniform(0.3, largest, count)
    ground = elevation[np.clip(row, 0, rows - 1).astype(int), np.clip(col, 0, cols - 1).astype(int)]
    return np.column_stack(
        [col * SPACING[1], row * SPACING[0], ground + rng.uniform(-1, 6, count) * radius, radius]
    )


@pytest.mark.parametrize("seed", range(8))
def test_it_is_the_plain_loop_over_all_casters(seed):
    rng = np.random.default_rng(seed)
    elevation = fractal(70, 101, relief=25.0, seed=seed)
    casters = scattered(rng, elevation, 25)
    radii = (0.0047, 0.1, rng.uniform(0.1, 1.5))
    suns = [Sun((*rng.normal(0, 1, 2), rng.uniform(0.05, 2)), radius) for radius in radii]
    difference = np.abs(
        caster_light(elevation, SPACING, casters, suns, 1)
        - plain(elevation, SPACING, casters, suns)
    )
    assert difference.max() < 1e-6


def on_plain(height, radius=2.0, suns=(), side=81):
    """Light on level ground of 1 m cells with one sphere above the center, and the distance of each
    vertex from it.
    """
    row, col = np.mgrid[:side, :side] - side // 2
    caster = np.array([[side // 2, side // 2, height, radius]])
    return caster_light(np.zeros((side, side)), (1.0, 1.0), caster, suns, 1), np.hypot(row, col)


def test_beyond_eight_radii_all_light_arrives():
    lights, away = on_plain(2.0, suns=[Sun((1, 0, 0.2), 0.3)])
    beyond = np.hypot(away, 2.0) >= 16.0
    assert (lights[:, beyond] == 1.0).all() and (lights[:, ~beyond] < 1.0).any()


def test_a_sphere_on_the_ground_is_darkest_below_and_lighter_with_every_step_away():
    lights, away = on_plain(2.0)
    assert lights[0].argmin() == away.argmin() and lights[0].min() == 0.0
    order = np.argsort(away[40, 40:])
    assert (np.diff(lights[0][40, 40:][order][:16]) > 0).all()


def test_the_higher_a_sphere_the_lighter_the_ground_below():
    below = [on_plain(height)[0][0, 40, 40] for height in np.arange(2.0, 17.0, 0.5)]
    assert (np.diff(below[:-1]) > 0).all() and below[-1] == below[-2] == 1.0


@pytest.mark.parametrize("radius", [0.0, 0.005, 0.1, 0.5])
def test_the_higher_a_sphere_the_lighter_its_shadow_in_the_sun(radius):
    below = [
        on_plain(height, suns=[Sun((0, 0, 1), radius)])[0][1, 40, 40]
        for height in np.arange(2.0, 18.0, 0.5)
    ]
    assert (np.diff(below) >= 0).all() and below[0] == 0.0 and below[-1] == 1.0


def test_the_shadow_falls_to_the_side_away_from_the_sun():
    lights, _ = on_plain(4.0, suns=[Sun((1, 0, 1), 0.01), Sun((0, -1, 1), 0.01)])
    assert lights[1, 40, 36] == 0.0 and lights[1, 40, 44] == 1.0
    assert lights[2, 44, 40] == 0.0 and lights[2, 36, 40] == 1.0


def test_the_light_of_a_point_is_the_limit_of_ever_smaller_suns():
    point, small = (
        on_plain(5.0, 3.0, [Sun((0.3, 0.2, 1), radius)])[0][1] for radius in (0.0, 1e-7)
    )
    assert set(np.unique(point)) == {0.0, 1.0}
    assert np.array_equal(point, small)


def test_shadows_multiply():
    elevation = fractal(40, 60, relief=10.0)
    casters = scattered(np.random.default_rng(1), elevation, 2)
    suns = [Sun((1, 1, 1), 0.2)]
    both = caster_light(elevation, SPACING, casters, suns, 1)
    one, other = (caster_light(elevation, SPACING, [caster], suns, 1) for caster in casters)
    assert np.array_equal(both, one * other)


def test_inside_a_sphere_it_is_dark_and_at_its_very_middle_too():
    lights, away = on_plain(0.0, 6.0, [Sun((0, 0, 1), 0.1)])
    assert lights[1][away == 0] == 0.0 and np.isfinite(lights).all()


def test_without_casters_all_light_arrives():
    lights = caster_light(np.zeros((5, 6)), (1.0, 1.0), np.empty((0, 4)), [Sun((0, 0, 1), 0.1)])
    assert lights.shape == (2, 5, 6) and (lights == 1.0).all()


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_it_is_the_same_on_any_number_of_threads(threads):
    elevation = fractal(200, 90, relief=25.0)
    given = (
        elevation,
        SPACING,
        scattered(np.random.default_rng(4), elevation, 40),
        [Sun((1, 1, 1), 0.05)],
    )
    assert caster_light(*given, threads).tobytes() == caster_light(*given, 1).tobytes()
