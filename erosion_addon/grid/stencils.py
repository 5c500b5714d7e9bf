# SPDX-License-Identifier: GPL-3.0-or-later
"""Padded grids."""

import math

import numpy as np

from ..base.arrays import Array


def continued(
    values: Array, margin: int | tuple[tuple[int, int], tuple[int, int]], wraps: bool
) -> Array:
    """Values (rows, cols) with a margin: periodic along wrapped axes, else extrapolated linearly.

    margin: cells on every side, or (before, after) by axis, as in `numpy.pad`.
    """
    if wraps:
        return np.pad(values, margin, mode="wrap")
    return np.pad(values, margin, mode="reflect", reflect_type="odd")


def squared_slope(elevation: Array, spacing: tuple[float, float], wraps: bool) -> Array:
    """|∇z|² (rows, cols), by differences across a cell.

    elevation: m. spacing: (row, column), m. wraps: whether the opposite edge follows; otherwise the
    ground is continued beyond the edge by point reflection.
    """
    ground = continued(elevation, 1, wraps)
    down, right = (
        np.gradient(ground, by, axis=axis)[1:-1, 1:-1] for axis, by in enumerate(spacing)
    )
    squared: Array = down * down + right * right
    return squared


def steepest(elevation: Array, spacing: tuple[float, float]) -> float:
    """Steepest slope between neighbors along rows and columns, in degrees; 0 for level ground.

    elevation: (rows, cols) m. spacing: (row, col) m.
    """
    rise = 0.0
    for number, row in enumerate(elevation):  # which needs no second array of the grid's size
        along = np.abs(np.diff(row)).max(initial=0.0) / spacing[1]
        across = np.abs(row - elevation[max(number - 1, 0)]).max() / spacing[0]
        rise = max(rise, float(along), float(across))
    return math.degrees(math.atan(rise))
