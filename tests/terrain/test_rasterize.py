# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes rasterized from above."""

import numpy as np
import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.terrain.rasterize import grid_of
from tests.terrains import fractal

SQUARE = np.array([[0, 1, 2], [0, 2, 3]])


def mesh_of(heights, spacing=1.0):
    """Points and triangles of a grid, in no order."""
    rows, cols = heights.shape
    y, x = np.mgrid[0:rows, 0:cols] * spacing
    points = np.stack([x, y, heights], -1).reshape(-1, 3)
    index = np.arange(rows * cols).reshape(rows, cols)
    one = np.stack([index[:-1, :-1], index[:-1, 1:], index[1:, 1:]], -1).reshape(-1, 3)
    two = np.stack([index[:-1, :-1], index[1:, 1:], index[1:, :-1]], -1).reshape(-1, 3)
    triangles = np.concatenate([one, two])
    order = np.random.default_rng(0).permutation(len(points))
    place = np.argsort(order)
    return points[order], place[triangles]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("spacing", [0.1, 1.0, 30.0])
def test_a_grid_comes_back_from_its_triangles(dtype, spacing):
    heights = fractal(31, 47, 20.0)
    points, triangles = mesh_of(heights, spacing)
    back, corner, holes = grid_of(np.add(points, (500, -300, 0)).astype(dtype), triangles, spacing)
    assert back.shape == (31, 47) and holes == 0 and np.allclose(corner, (500, -300))
    assert np.abs(back - heights).max() < (0.02 if dtype == np.float32 else 1e-9)


def test_a_slope_of_two_triangles_is_exact_on_any_grid():
    points = np.array([[0, 0, 0], [100, 0, 100], [100, 50, 150], [0, 50, 50]], float)
    back, _, holes = grid_of(points, SQUARE, 2.5)
    y, x = np.mgrid[0:21, 0:41] * 2.5
    assert back.shape == (21, 41) and holes == 0 and np.abs(back - x - y).max() < 1e-9


def test_the_highest_surface_counts_and_walls_do_not():
    floor = np.array([[0, 0, 0], [10, 0, 0], [10, 10, 0], [0, 10, 0]], float)
    roof = floor * (0.5, 0.5, 1) + (2, 2, 7)
    wall = np.array([[2, 2, 0], [7, 2, 0], [7, 2, 50], [2, 2, 50]], float)
    points = np.concatenate([roof, floor, wall])
    back, _, _ = grid_of(points, np.concatenate([SQUARE, SQUARE + 4, SQUARE + 8]), 1.0)
    expected = np.zeros((11, 11))
    expected[2:8, 2:8] = 7
    assert np.array_equal(back, expected)


def test_holes_are_filled_from_around_and_counted():
    heights = np.add.outer(np.arange(20.0), np.arange(20.0))
    points, triangles = mesh_of(heights)
    middle = points[triangles].mean(axis=1)
    hole = (np.abs(middle[:, :2] - 9.5) < 2.5).all(axis=1)
    back, _, holes = grid_of(points, triangles[~hole], 1.0)
    assert holes == 16  # 4 × 4 points within a gap of 5 × 5 cells
    assert np.abs(back - heights).max() < 2


@pytest.mark.parametrize(
    ("points", "triangles", "sentence"),
    [
        (np.zeros((0, 3)), np.zeros((0, 3), int), "No face can be seen"),
        (np.full((4, 3), np.nan), SQUARE, "No face can be seen"),
        ([[0, 0, 0], [9, 0, 0], [9, 0, 9], [0, 0, 9]], SQUARE, "too small"),
        ([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], SQUARE, "too small for cells of 1 m"),
        ([[0, 0, 0], [1e6, 0, 0], [1e6, 1e6, 0], [0, 1e6, 0]], SQUARE, "too many"),
        ([[0, 0, 0], [50, 0, 0], [50, 1, 0], [0, 50, 0]], [[0, 1, 2]], "too few"),
    ],
)
def test_what_shows_no_land_is_refused(points, triangles, sentence):
    with pytest.raises(InputError, match=sentence):
        grid_of(np.array(points, float), np.array(triangles), 1.0)


def test_a_turned_square_has_its_corners_filled():
    turn = np.array([[0.8, -0.6], [0.6, 0.8]])
    points = np.array([[0, 0, 0], [50, 0, 5], [50, 50, 10], [0, 50, 5]], float)
    points[:, :2] = points[:, :2] @ turn.T
    back, _, holes = grid_of(points, SQUARE, 1.0)
    # A square of 50 in its bounding square of 70.
    assert (
        holes / back.size == pytest.approx(1 - 2500 / 4900, abs=0.02)
        and back.min() > -3
        and back.max() < 13
    )
