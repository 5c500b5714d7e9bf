# SPDX-License-Identifier: GPL-3.0-or-later
"""The terrain's own shadow against closed forms."""

import math

import numpy as np
import pytest

from erosion_addon.bake.horizon import sun_share
from tests.terrains import fractal

SPACING = (1.0, 1.0)


def toward(degrees, azimuth=0.0):
    """Unit vector to a sun of given elevation and azimuth from x toward y, in degrees."""
    height = math.radians(degrees)
    azimuth = math.radians(azimuth)
    return (
        math.cos(height) * math.cos(azimuth),
        math.cos(height) * math.sin(azimuth),
        math.sin(height),
    )


def lit(elevation, direction, radius=0.0, spacing=SPACING, wrap=False, threads=1):
    return sun_share(
        np.asarray(elevation, float), spacing, direction, math.radians(radius), wrap, threads
    )


def disc_above(offset):
    """Share of a unit disc above a straight line at a given depth below its center."""
    offset = np.clip(offset, -1, 1)
    return 0.5 + (offset * np.sqrt(1 - offset**2) + np.arcsin(offset)) / math.pi


@pytest.mark.parametrize("degrees", [90, 60, 5])
@pytest.mark.parametrize("radius", [0.0, 0.27, 4.0])
def test_level_ground_is_lit_by_every_sun_that_is_up(degrees, radius):
    assert (lit(np.full((20, 30), 55.5), toward(degrees, 33), radius) == 1.0).all()


def test_gentle_slopes_are_lit_by_the_sun_overhead():
    assert (lit(fractal(40, 40, relief=20.0), (0.0, 0.0, 1.0), 1.0) == 1.0).all()


def test_half_of_a_setting_sun_is_left_and_nothing_of_one_that_is_set():
    ground = np.zeros((10, 10))
    assert lit(ground, toward(0), 1.0) == pytest.approx(0.5, abs=1e-6)
    assert (lit(ground, toward(-1.5), 1.0) == 0.0).all()


def wall_along_rows(height, cols=400, at=350):
    wall = np.zeros((81, cols))
    wall[:, at:] = height
    return wall


@pytest.mark.parametrize("radius", [0.5, 3.0])
def test_a_walls_penumbra_is_the_disc_above_its_edge(radius):
    height = 60.0
    degrees = 30.0
    at = 350
    got = lit(wall_along_rows(height), toward(degrees), radius)[40]
    distance = at - np.arange(at - 3)
    # The wall's edge is known to a cell, as it rises over one.
    for cells, side in ((-1, 1), (1, -1)):
        offset = (degrees - np.degrees(np.arctan(height / (distance + cells)))) / radius
        assert (side * (got[: at - 3] - disc_above(offset)) > -0.02).all()


@pytest.mark.parametrize("radius", [0.5, 1.0, 2.0])
def test_a_penumbra_is_as_wide_as_its_distance_times_the_suns_diameter(radius):
    height = 60.0
    degrees = 30.0
    got = lit(wall_along_rows(height), toward(degrees), radius)[40, :349]
    along_ray = height / math.sin(math.radians(degrees))
    on_ground = along_ray * 2 * math.radians(radius) / math.sin(math.radians(degrees))
    assert np.count_nonzero((got > 0) & (got < 1)) == pytest.approx(on_ground, abs=2)


@pytest.mark.parametrize("azimuth", [0, 90, 180, 270, 37, 211])
def test_the_shadow_falls_to_the_side_away_from_the_sun(azimuth):
    row, col = np.mgrid[:81, :81] - 40
    tower = np.where(np.hypot(row, col) < 4, 20.0, 0.0)
    direction = toward(45, azimuth)
    got = lit(tower, direction)
    away = (
        round(40 - 12 * direction[1] / direction[2]),
        round(40 - 12 * direction[0] / direction[2]),
    )
    before = (
        round(40 + 12 * direction[1] / direction[2]),
        round(40 + 12 * direction[0] / direction[2]),
    )
    assert got[away] == 0.0 and got[before] == 1.0


def test_a_slope_that_turns_away_lies_in_the_shade_and_the_other_side_does_not():
    roof = 50.0 - np.abs(np.arange(-50, 51)) * np.ones((40, 1))  # 45 degrees
    got = lit(roof, toward(30), 0.27)
    assert (got[:, :50] == 0.0).all() and (got[:, 50:] == 1.0).all()
    assert (lit(roof, toward(50), 0.27) == 1.0).all()


def test_cells_that_are_not_square_throw_the_same_shadow():
    wall = wall_along_rows(60.0, cols=400, at=350)
    coarse = wall[:, ::2]
    got = lit(coarse, toward(30), 1.0, spacing=(1.0, 2.0))[40, :170]
    assert np.abs(got - lit(wall, toward(30), 1.0)[40, :340:2]).max() < 0.02


def test_on_a_seamless_tile_no_place_is_special():
    elevation = fractal(33, 48, relief=20.0, seed=2)
    moved = np.roll(elevation, (11, 20), (0, 1))
    got = lit(moved, toward(20, 25), 3.0, wrap=True)
    assert np.array_equal(
        got, np.roll(lit(elevation, toward(20, 25), 3.0, wrap=True), (11, 20), (0, 1))
    )


def test_what_stands_beyond_the_edge_of_a_seamless_tile_throws_its_shadow_inside():
    ridge = np.zeros((20, 60))
    ridge[:, 2:5] = 10.0
    assert lit(ridge, toward(45), wrap=True)[10, 55] == 0.0
    assert lit(ridge, toward(45))[10, 55] == 1.0


@pytest.mark.parametrize("threads", [2, 5])
def test_it_is_the_same_on_any_number_of_threads(threads):
    elevation = fractal(150, 70, relief=60.0)
    given = (elevation, toward(15, 70), 4.0)
    assert lit(*given, threads=threads).tobytes() == lit(*given).tobytes()
