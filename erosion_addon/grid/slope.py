# SPDX-License-Identifier: GPL-3.0-or-later
"""Slope of a grid."""

import numpy as np

from ..base.arrays import Array
from .padding import continued


def squared_slope(elevation: Array, spacing: tuple[float, float], wraps: bool) -> Array:
    """|∇z|² (rows, cols), by differences across a cell.

    elevation: m. spacing: (row, column), m. wraps: whether the opposite edge follows; otherwise the ground goes on
    beyond the edge as inside, turned about it.
    """
    ground = continued(elevation, 1, wraps)
    down, right = (np.gradient(ground, by, axis=axis)[1:-1, 1:-1] for axis, by in enumerate(spacing))
    squared: Array = down * down + right * right
    return squared
