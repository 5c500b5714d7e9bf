# SPDX-License-Identifier: GPL-3.0-or-later
"""Resampling to other numbers of rows and columns."""

import numpy as np
import pytest

from erosion_addon.grid.resample import resized, spread
from erosion_addon.grid.sampling import bilinear
from erosion_addon.run.preview import average
from tests.terrains import fractal, plane

SHAPES = [(101, 77), (63, 47), (33, 20), (9, 9), (2, 2), (65, 200), (64, 20)]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_plane_stays_a_plane_with_its_corners(shape):
    def plane(rows, cols):
        return np.linspace(0, 630, rows)[:, None] - np.linspace(0, 94, cols) + 100

    # 1e-9 m: what rounding leaves of a mean that is the difference of two sums.
    assert np.abs(resized(plane(64, 48), shape) - plane(*shape)).max() < 1e-9


@pytest.mark.parametrize("count", [11, 47, 49, 100, 481])
def test_a_cliff_has_no_ripples(count):
    cliff = np.where(np.arange(48) > 24, 100.0, 0.0) + 0.5 * np.arange(48)
    beside = resized(np.tile(cliff, (5, 1)), (5, count))
    assert np.diff(beside, axis=1).min() > -1e-9  # nowhere downhill
    assert np.allclose((beside.min(), beside.max()), (cliff.min(), cliff.max()), atol=1e-9)


def test_waves_are_read_between_points_better_than_straight_lines_do():
    """20 points a wave, whose crests lie between two. Straight lines miss them by 1 - cos(π / 20) =
    1.2 % each way.
    """

    def waves(rows, cols):
        y, x = np.meshgrid(
            np.linspace(0, 6 * np.pi, rows), np.linspace(0, 4 * np.pi, cols), indexing="ij"
        )
        return np.sin(y + np.pi / 20) * np.sin(x + np.pi / 20)

    land = waves(61, 41)
    land[0, 0] = 2  # so that crests are not the highest of all, which nothing may be above
    land[-1, -1] = -2
    off = resized(land, (301, 201)) - waves(301, 201)
    assert np.abs(off[20:-20, 20:-20]).max() < 0.002


def test_points_that_stay_where_they_were_keep_their_height():
    heights = fractal(40, 30, 300.0)
    twice = resized(heights, (79, 59))
    assert np.abs(twice[::2, ::2] - heights).max() < 1e-9
    assert np.array_equal(resized(heights, heights.shape), heights)


def test_a_coarser_grid_holds_means_and_no_flicker():
    noise = np.random.default_rng(1).standard_normal((400, 400))
    # The mean of n independent numbers has 1/√n of their spread; a fourth of the points an axis has
    # 16 to a cell.
    coarse = resized(noise, (100, 100))[5:-5, 5:-5]
    assert 0.2 < coarse.std() < 0.4
    assert resized(noise, (394, 394)).std() > 0.7  # hardly coarser: still crisp


def test_nothing_lies_beyond_what_was_there():
    heights = fractal(50, 50, 10.0)
    for shape in SHAPES:
        result = resized(heights, shape)
        assert heights.min() <= result.min() and result.max() <= heights.max()
    mask = (heights > 5).astype(np.float32)
    assert resized(mask, (77, 33)).dtype == np.float32


@pytest.mark.parametrize("flip", [np.flipud, np.fliplr])
def test_both_ends_are_treated_alike(flip):
    heights = fractal(40, 30, 10.0)
    for shape in ((55, 21), (21, 55)):
        assert np.abs(flip(resized(heights, shape)) - resized(flip(heights), shape)).max() < 1e-9


def test_a_plane_stays_a_plane_between_straight_lines():
    # Bilinear interpolation is exact for planes; corners lie on corners.
    assert np.allclose(
        bilinear(plane(4, 6, 0.5, 0.25).astype(np.float32), (7, 11)), plane(7, 11, 0.25, 0.125)
    )
    assert np.allclose(
        bilinear(plane(7, 11, 0.25, 0.125).astype(np.float32), (4, 6)), plane(4, 6, 0.5, 0.25)
    )


@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (7, 1), (2, 2), (9, 4), (30, 41)])
def test_straight_lines_stay_within_the_values_there_were(shape):
    values = (
        fractal(*shape, 1.0).astype(np.float32)
        if min(shape) > 1
        else np.full(shape, 0.25, np.float32)
    )
    stretched = bilinear(values, (12, 13))
    assert stretched.shape == (12, 13)
    assert stretched.min() >= values.min() - 1e-6 and stretched.max() <= values.max() + 1e-6
    assert np.allclose(
        stretched[[0, 0, -1, -1], [0, -1, 0, -1]], values[[0, 0, -1, -1], [0, -1, 0, -1]]
    )


def test_means_over_cells_are_spread_smoothly_over_finer_ones():
    place = np.linspace(-3, 3, 600)
    hill = np.exp(-(place[:, None] ** 2) - place[None, :400] ** 2)
    coarse = average(hill, (75, 50))
    fine = spread(coarse, hill.shape)
    assert fine.shape == hill.shape
    # Means over 8 cells lower the top of a hill 100 cells wide by (8 / 100)² / 12 twice, a
    # thousandth of its height.
    assert np.abs(fine - hill).max() < 0.002
    tilted = np.add.outer(np.arange(48.0), np.arange(96.0))
    np.testing.assert_allclose(spread(average(tilted, (12, 16)), tilted.shape), tilted, atol=1e-4)
