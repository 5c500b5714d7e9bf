# SPDX-License-Identifier: GPL-3.0-or-later
"""Sea: the base level of rivers."""

import math

import numpy as np

from ..base.arrays import Array, mean_cell_size
from ..base.errors import InputError
from ..grid.distance_transform import distance_to

BEACH = 4.0
"""Width of a shore in cells."""


def sunk(elevation: Array, level: float) -> Array:
    """Cells below the sea's `level` m, (rows, cols) bool, also those that open water does not reach."""
    below: Array = elevation < level
    return below


def require_land(sea: Array | None, level: float) -> None:
    """Raise InputError if the sea covers everything. sea: (rows, cols) bool, or None; level: m."""
    if sea is not None and sea.all():
        raise InputError(f"All of the terrain lies below the sea at {level:g} m; lower the sea.")


def shore(sea: Array, spacing: tuple[float, float], edges: str) -> Array:
    """Shore mask, (rows, cols) float32: 1 at the sea to 0 at `BEACH` cells from it, 0 in it. sea: (rows, cols) bool."""
    wide = BEACH * mean_cell_size(spacing)
    rows, cols = (math.ceil(wide / side) if edges == "wrap" else 0 for side in spacing)
    around = np.pad(sea, ((rows, rows), (cols, cols)), mode="wrap")
    near = np.float32(1.0) - distance_to(around, spacing, wide) / np.float32(wide)
    inside: Array = np.where(sea, np.float32(0.0), near[rows : rows + sea.shape[0], cols : cols + sea.shape[1]])
    return inside
