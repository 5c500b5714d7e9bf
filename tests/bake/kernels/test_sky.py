# SPDX-License-Identifier: GPL-3.0-or-later
"""Sky light against closed forms, a plain horizon search, and rotations of the terrain."""

import math

import numpy as np
import pytest

from erosion_addon.bake.horizon import azimuths, sky_share
from erosion_addon.bake.kernels import sky
from tests.terrains import fractal

SPACING = (2.0, 2.0)
FAR = 1e6


def seen(elevation, spacing=SPACING, count=16, radius=FAR, wrap=False, threads=1):
    return sky_share(np.asarray(elevation, float), spacing, count, radius, wrap, threads)


def centered(side):
    """Meters along columns and rows from the middle cell of a square."""
    row, col = np.mgrid[:side, :side] - side // 2
    return col * SPACING[1], row * SPACING[0]


@pytest.mark.parametrize("count", [4, 16, 64])
@pytest.mark.parametrize("height", [0.0, -1234.567, 8848.86])
def test_level_ground_sees_all_of_the_sky(height, count):
    assert (seen(np.full((20, 30), height), count=count) == 1.0).all()


def test_before_a_wall_without_end_half_of_the_sky_is_left():
    wall = np.where(np.arange(100) >= 60, 1e7, 0.0) * np.ones((401, 1))
    # The wall's own foot is half as high as it, as seen from the slope there; right before that the
    # ground is level.
    assert seen(wall)[200, 58] == 0.5
    assert seen(wall.T)[58, 200] == 0.5


@pytest.mark.slow
@pytest.mark.parametrize("degrees", [5, 20, 45, 70])
def test_at_the_bottom_of_a_valley_the_cosine_of_its_sides_is_left(degrees):
    across, _ = centered(301)
    valley = np.abs(across) * math.tan(math.radians(degrees))
    assert seen(valley)[150, 150] == pytest.approx(math.cos(math.radians(degrees)), abs=0.001)


def test_of_cells_that_are_not_square_both_sides_count():
    # slopes of 1 in 3 with cells 3 m long along columns
    along_rows = np.abs(np.arange(201) - 100) * np.ones((301, 1))
    expected = math.cos(math.atan(1 / 3))
    assert seen(along_rows, spacing=(1.0, 3.0))[150, 100] == pytest.approx(expected, abs=0.001)
    assert seen(along_rows.T, spacing=(3.0, 1.0))[100, 150] == pytest.approx(expected, abs=0.001)


@pytest.mark.slow
@pytest.mark.parametrize("degrees", [5, 20, 45, 70])
def test_in_the_middle_of_a_crater_the_square_of_the_cosine_is_left(degrees):
    away = np.hypot(*centered(201))
    height = 40.0 * math.tan(math.radians(degrees))
    # The rim is a cell wide, so its edge stands between 40 and 42 m away.
    crater = np.where(away > 40.0, height, 0.0)
    low, high = (math.cos(math.atan2(height, edge)) ** 2 for edge in (40.0, 42.0))
    assert low - 0.005 < seen(crater)[100, 100] < high + 0.02


def test_a_summit_sees_all_of_the_sky():
    assert seen(-np.hypot(*centered(51)))[25, 25] == 1.0


@pytest.mark.slow
@pytest.mark.parametrize("turn", [0.0, 0.3, math.pi / 4, 1.2])
@pytest.mark.parametrize("degrees", [10, 45, 75])
def test_an_open_slope_sees_one_plus_its_cosine_halved(degrees, turn):
    across, along = centered(61)
    slope = (across * math.cos(turn) + along * math.sin(turn)) * math.tan(math.radians(degrees))
    expected = (1 + math.cos(math.radians(degrees))) / 2
    assert seen(slope, count=64)[30, 30] == pytest.approx(expected, abs=0.002)
    assert seen(slope)[30, 30] == pytest.approx(expected, abs=0.02)


def test_what_stands_beyond_the_radius_hides_nothing():
    wall = np.where(np.arange(80) >= 60, 500.0, 0.0) * np.ones((80, 1))
    near = seen(wall, radius=50.0)
    far = seen(wall)
    assert (
        (near[:, :30] == 1.0).all() and (near[:, 40:58] < 1.0).all() and (far[:, :58] < 1.0).all()
    )


def horizon_of(elevation, row, col, direction):
    """Highest slope toward points half a cell apart, with bilinear heights."""
    highest = 0.0
    for number in range(1, 2 * sum(elevation.shape)):
        to_row = row + number / 2 * direction[1]
        to_col = col + number / 2 * direction[0]
        if not (0 <= to_row <= elevation.shape[0] - 1 and 0 <= to_col <= elevation.shape[1] - 1):
            break
        low_row = min(int(to_row), elevation.shape[0] - 2)
        low_col = min(int(to_col), elevation.shape[1] - 2)
        part_row = to_row - low_row
        part_col = to_col - low_col
        corners = elevation[low_row : low_row + 2, low_col : low_col + 2]
        height = np.array([1 - part_row, part_row]) @ corners @ np.array([1 - part_col, part_col])
        highest = max(highest, (height - elevation[row, col]) / (number / 2 * SPACING[0]))
    return highest


@pytest.mark.slow
def test_it_is_what_a_plain_search_in_many_directions_finds():
    elevation = fractal(96, 96, relief=80.0, seed=3)
    got = seen(elevation)
    differences = []
    slope_y, slope_x = np.gradient(elevation, *SPACING)
    for row, col in np.random.default_rng(1).integers(8, 88, (40, 2)):
        share = 0.0
        for x, y in azimuths(64):
            along = slope_x[row, col] * x + slope_y[row, col] * y
            angle = math.atan(max(horizon_of(elevation, row, col, (x, y)), along))
            hidden = math.pi / 2 - angle - math.sin(angle) * math.cos(angle)
            share += (math.cos(angle) ** 2 - along * hidden) / 64
        share /= math.sqrt(1 + slope_x[row, col] ** 2 + slope_y[row, col] ** 2)
        differences.append(got[row, col] - share)
    assert np.abs(differences).mean() < 0.005 and np.abs(differences).max() < 0.03


TURNS = {
    "mirrored along columns": lambda grid: grid[:, ::-1],
    "mirrored along rows": lambda grid: grid[::-1],
    "transposed": lambda grid: grid.T,
    "turned": lambda grid: np.rot90(grid),
}


@pytest.mark.slow
@pytest.mark.parametrize("wrap", [False, True])
@pytest.mark.parametrize("count", [4, 12, 16])
@pytest.mark.parametrize("turn", TURNS.values(), ids=TURNS)
def test_a_turned_terrain_has_the_same_light_turned(turn, count, wrap):
    elevation = fractal(40, 61, relief=60.0, seed=5)
    spacing = (2.0, 3.0)
    turned = np.ascontiguousarray(turn(elevation))
    swapped = spacing if turned.shape == elevation.shape else spacing[::-1]
    expected = turn(seen(elevation, spacing, count, wrap=wrap))
    assert (
        seen(turned, swapped, count, wrap=wrap).tobytes()
        == np.ascontiguousarray(expected).tobytes()
    )


def test_on_a_seamless_tile_no_place_is_special():
    elevation = fractal(33, 48, relief=60.0, seed=2)
    moved = np.roll(elevation, (11, 20), (0, 1))
    assert np.array_equal(
        seen(moved, wrap=True), np.roll(seen(elevation, wrap=True), (11, 20), (0, 1))
    )


@pytest.mark.slow
@pytest.mark.parametrize("threads", [2, 3, 8])
def test_it_is_the_same_on_any_number_of_threads(threads):
    elevation = fractal(150, 70, relief=60.0)
    assert seen(elevation, threads=threads).tobytes() == seen(elevation).tobytes()


def test_the_polynomial_is_as_close_as_it_says():
    for slope in [0.0, 1e-6, *np.geomspace(0.001, 1000, 400), 1e7, 1e15]:
        angle = math.atan(slope)
        expected = math.pi / 2 - angle - math.sin(angle) * math.cos(angle)
        assert float(sky._hidden_angle(np.float32(slope))) == pytest.approx(expected, abs=2e-6)


def test_cliffs_of_any_height_leave_shares_of_the_sky():
    heights = np.random.default_rng(0).normal(0, 1, (40, 40))
    for scale in (1e-9, 1.0, 1e4, 1e9):
        got = seen(heights * scale, spacing=(1e-3, 1e-3) if scale > 1e4 else SPACING)
        assert np.isfinite(got).all() and got.min() >= 0 and got.max() <= 1
