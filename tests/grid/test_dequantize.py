# SPDX-License-Identifier: GPL-3.0-or-later
"""Terraces of 8-bit heightmaps: detection and removal."""

import numpy as np
import pytest

from erosion_addon.grid.dequantize import smooth_steps, step_of
from tests.terrains import fractal


def slopes(heights):
    return np.hypot(*np.gradient(heights))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_step_of_8_bits_is_found(dtype):
    gray = np.round(fractal(80, 80, 255.0))
    heights = (200 + gray / 255 * 1000).astype(dtype).astype(float)
    assert step_of(heights) == pytest.approx(1000 / 255, rel=1e-4)
    assert step_of(fractal(80, 80, 255.0)) is None
    assert step_of(np.zeros((80, 80))) is None


def test_a_pyramid_of_few_treads_is_meant_unless_one_says_otherwise():
    pyramid = np.maximum.outer(np.arange(40) // 8, np.arange(40) // 8) * 25.0
    assert step_of(pyramid) is None and step_of(pyramid, fewest=2) == 25.0
    uneven = np.exp(np.arange(1600) // 64 / 10).reshape(40, 40)
    assert step_of(uneven, fewest=2) is None


@pytest.mark.parametrize("fall", [(0.37, 0.11), (0.05, 0.013), (0.03, 0.01), (0.0, 0.04)])
def test_a_quantised_plane_comes_back_a_plane(fall):
    row, col = np.mgrid[0:160, 0:160]
    plane = fall[0] * col + fall[1] * row
    back = smooth_steps(np.round(plane), 1.0)
    # Rounding is off by 1/√12 = 0.29 of a step on the average; at the border less is known.
    assert np.sqrt(((back - plane) ** 2).mean()) < 0.05
    inside = np.s_[16:-16, 16:-16]
    assert np.abs(back - plane)[inside].max() < 0.2
    assert np.abs(slopes(back) - slopes(plane))[inside].mean() < 0.1 * slopes(plane).mean()


@pytest.mark.parametrize("seed", range(3))
def test_no_height_moves_by_more_than_half_a_step(seed):
    heights = np.round(fractal(70, 90, 60.0, seed) / 2) * 2
    smooth = smooth_steps(heights, 2.0)
    assert 0.5 < np.abs(smooth - heights).max() <= 1.0


def test_hills_get_nearer_to_what_they_were():
    hills = fractal(128, 128, 100.0, steepness=3.5)
    stepped = np.round(hills / 4) * 4
    smooth = smooth_steps(stepped, 4.0)
    assert np.sqrt(((smooth - hills) ** 2).mean()) < 0.6 * np.sqrt(((stepped - hills) ** 2).mean())
    assert (
        np.abs(slopes(smooth) - slopes(hills)).mean()
        < 0.25 * np.abs(slopes(stepped) - slopes(hills)).mean()
    )


def test_a_dome_keeps_its_curve():
    """A surface stretched tight over the terraces would be flat between their edges, and at the
    top.
    """
    row, col = np.mgrid[0:160, 0:160]
    dome = 60 - ((row - 80) ** 2 + (col - 70) ** 2) / 300
    smooth = smooth_steps(np.round(dome), 1.0)
    inside = np.s_[12:-12, 12:-12]
    assert np.sqrt(((smooth - dome) ** 2)[inside].mean()) < 0.12
    assert smooth.max() > 59.6  # of 60, and 59.5 would be flat


def test_cliffs_stay_cliffs():
    col = np.broadcast_to(np.arange(96.0), (64, 96))
    land = np.where(col > 40, 80.0, 0.0) + 0.2 * col
    smooth = smooth_steps(np.round(land), 1.0)
    # 81 m from the foot to the edge, of which each may move by half a step.
    assert (smooth[:, 41] - smooth[:, 40]).min() > 79


def test_rough_ground_is_left_alone():
    rough = np.round(fractal(96, 96, 400.0, steepness=1.2))
    moved = np.abs(smooth_steps(rough, 1.0) - rough)
    assert moved.mean() < 0.02


@pytest.mark.parametrize("shape", [(3, 3), (3, 200), (9, 10), (17, 8)])
def test_small_terrains_are_smoothed_too(shape):
    heights = np.round(np.add.outer(np.arange(shape[0]) * 0.3, np.arange(shape[1]) * 0.2))
    assert np.abs(smooth_steps(heights, 1.0) - heights).max() <= 0.5


@pytest.mark.parametrize("levels", [300, 591, 4000])
def test_whole_meters_are_steps_however_many_there_are(levels):
    heights = np.round(fractal(200, 200, levels - 1.0))
    assert step_of(heights) == 1.0 and step_of(heights * 0.3048) == pytest.approx(0.3048)
    assert step_of(heights.astype(np.float32) + 1000) == 1.0


def test_sixteen_bits_and_floats_have_no_steps():
    assert step_of(np.round(fractal(200, 200, 65535.0)) * (1000 / 65535)) is None
    assert step_of(fractal(200, 200, 591.0).astype(np.float32)) is None


def test_half_floats_move_by_half_of_their_own_step():
    """Below 1024 m they are half a meter apart, above a meter."""
    heights = fractal(128, 128, 500.0, steepness=3.5) + 800.0
    stored = heights.astype(np.float16)
    step = np.spacing(stored).astype(np.float64)
    assert set(np.unique(step)) == {0.5, 1.0}
    smooth = smooth_steps(stored.astype(float), step)
    assert (np.abs(smooth - stored) <= step / 2).all()
    assert np.sqrt(((smooth - heights) ** 2).mean()) < 0.7 * np.sqrt(
        ((stored - heights) ** 2).mean()
    )
