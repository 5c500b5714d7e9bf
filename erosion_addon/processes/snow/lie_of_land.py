# SPDX-License-Identifier: GPL-3.0-or-later
"""Shelter from wind and slope, as snow finds them."""

import math

import numpy as np

from ...base.arrays import Array
from ...grid.padding import continued
from ...grid.slope import squared_slope


def shelter(elevation: Array, spacing: tuple[float, float], size: float, wraps: bool) -> Array:
    """(rows, cols): mean tangent of the angles up to the ground half of `size` (m) away, in eight
    directions.

    More than 0 in hollows, less on crests, 0 on any plane. wraps: whether the opposite edge
    follows; otherwise the ground goes on beyond the edge as inside, turned about it.
    """
    down, right = (
        max(1, min(round(size / 2 / pitch), count - 1))
        for pitch, count in zip(spacing, elevation.shape, strict=True)
    )
    ground = continued(elevation, ((down, down), (right, right)), wraps)
    rise = down * spacing[0]
    run = right * spacing[1]

    def both(row: int, col: int) -> Array:
        """Sum of the heights at this distance in opposite directions, minus twice the cell's
        own.
        """
        one, other = (
            _moved(ground, elevation.shape, down, right, way * row, way * col) for way in (1, -1)
        )
        twice: Array = (one - elevation) + (other - elevation)
        return twice

    # Opposite directions are added first: so no turn or mirror image of the terrain changes a bit.
    found: Array = both(0, right) / run + both(down, 0) / rise
    found += (both(down, right) + both(down, -right)) / math.sqrt(rise * rise + run * run)
    found /= 8.0
    return found


def levelness(elevation: Array, spacing: tuple[float, float], wraps: bool) -> Array:
    """(rows, cols): cosine of the slope, by differences across a cell."""
    level: Array = 1.0 / np.sqrt(1.0 + squared_slope(elevation, spacing, wraps))
    return level


def _moved(
    ground: Array, shape: tuple[int, ...], down: int, right: int, row: int, col: int
) -> Array:
    """Neighbor values at an offset of rows and columns, from the padded ground."""
    part: Array = ground[down + row : down + row + shape[0], right + col : right + col + shape[1]]
    return part
