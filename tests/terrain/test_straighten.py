# SPDX-License-Identifier: GPL-3.0-or-later
"""Straightening of distorted grids: a regular grid on the same surface."""

import numpy as np
import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.terrain.straighten import grid_shape, straightened

ROWS = 40
COLS = 50
CELL = 10.0


def hill(x, y):
    return 80.0 * np.exp(-((x - 250) ** 2 + (y - 200) ** 2) / 8000)


@pytest.fixture
def points():
    y, x = np.mgrid[:ROWS, :COLS] * CELL
    return np.stack([x, y, hill(x, y)], axis=-1)


def pushed(points, reach=100.0, height=30.0):
    """Displace along the normal, as a brush does: slopes of the hill move sideways too."""
    made = points.copy()
    down = np.stack(np.gradient(points[..., 2], CELL), axis=-1)[..., ::-1]  # along x, along y
    weight = np.clip(1 - np.hypot(points[..., 0] - 250, points[..., 1] - 200) / reach, 0, 1)[
        ..., None
    ]
    normal = np.concatenate([-down, np.ones((ROWS, COLS, 1))], axis=-1)
    made += height * weight * normal / np.linalg.norm(normal, axis=-1, keepdims=True)
    return made


def test_a_straight_grid_keeps_every_bit(points):
    made, count = straightened(points)
    assert count == 0 and made.tobytes() == points.tobytes()


def test_what_a_brush_pushed_sideways_is_in_line_again_on_the_same_surface(points):
    moved = pushed(points)
    made, count = straightened(moved)
    off = np.abs(moved[..., :2] - points[..., :2]).max(axis=-1)
    assert off.max() > 0.5 * CELL and count == np.count_nonzero(off > 0.01 * CELL)
    assert np.abs(made[..., :2] - points[..., :2]).max() <= 0.01 * CELL
    far = np.hypot(points[..., 0] - 250, points[..., 1] - 200) > 130
    assert made[far].tobytes() == points[far].tobytes()
    # The raised hill has the volume and the top that the pushed one has, to what one cell hides.
    assert made[..., 2].max() == pytest.approx(moved[..., 2].max(), abs=2.0)
    peak = np.unravel_index(np.argmax(made[..., 2]), (ROWS, COLS))
    assert np.abs(np.subtract(peak, (20, 25))).max() <= 1


def test_the_heights_of_a_plane_are_those_of_the_plane_wherever_its_points_went(points):
    plane = points.copy()
    plane[..., :2] += np.random.default_rng(1).uniform(-4, 4, (ROWS, COLS, 2)) * (
        points[..., :1] < 200
    )
    plane[..., 2] = 0.3 * plane[..., 0] - 0.2 * plane[..., 1]
    made, count = straightened(plane)
    assert count > 500
    inside = (slice(1, -1), slice(1, -1))  # at the border the surface itself has gone
    assert made[..., 2][inside] == pytest.approx(
        (0.3 * made[..., 0] - 0.2 * made[..., 1])[inside], abs=1e-9
    )


def test_a_border_that_was_pulled_in_is_filled(points):
    points[5:15, 0, 0] += 8.0
    made, count = straightened(points)
    assert count == 10 and np.isfinite(made).all() and (made[:, 0, 0] == 0.0).all()


def test_what_is_no_grid_any_more_is_refused(points):
    points[..., :2] += np.random.default_rng(1).uniform(-4, 4, (ROWS, COLS, 2))
    with pytest.raises(InputError, match="more than half"):
        straightened(points)
    points[3, 3] = np.nan
    with pytest.raises(InputError, match="no finite position"):
        straightened(points)


def test_the_shape_of_a_grid_is_told_from_its_edges():
    number = np.arange(ROWS * COLS).reshape(ROWS, COLS)
    across = np.stack([number[:, :-1], number[:, 1:]], -1).reshape(-1, 2)
    along = np.stack([number[1:], number[:-1]], -1).reshape(-1, 2)
    edges = np.random.default_rng(2).permutation(np.concatenate([across, along]))
    assert grid_shape(edges, ROWS * COLS) == (ROWS, COLS)
    assert grid_shape(edges[:-1], ROWS * COLS) is None
    assert grid_shape(np.random.default_rng(3).permutation(ROWS * COLS)[edges], ROWS * COLS) is None
    assert grid_shape(np.array([[0, 1], [1, 2]]), 3) is None
