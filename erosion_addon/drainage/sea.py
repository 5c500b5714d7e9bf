# SPDX-License-Identifier: GPL-3.0-or-later
"""Base level of rivers: the sea, and painted outlets."""

import math

import numpy as np

from ..base.arrays import Array, mean_cell_size
from ..base.errors import InputError
from ..grid.distance_transform import distance_to
from ..terrain.masks import prepare

BEACH = 4.0
"""Width of a shore in cells."""


def sunk(elevation: Array, level: float) -> Array:
    """Cells below the sea's `level` m, (rows, cols) bool, connected to open water or not."""
    below: Array = elevation < level
    return below


OUTLET = 0.5
"""Smallest value of the outlet mask at which water leaves."""


def river_ends(sea: Array | None, outlets: Array | None) -> Array | None:
    """Cells where rivers end besides open edges, (rows, cols) bool; None for neither.

    sea: (rows, cols) bool, or None. outlets: see `prepared_outlets`.
    """
    if outlets is None:
        return sea
    outlet: Array = outlets >= OUTLET
    return outlet if sea is None else outlet | sea


def prepared_outlets(mask: Array | None, shape: tuple[int, int]) -> Array | None:
    """The outlet mask as float32 of `shape` (rows, cols); None without one. InputError for values
    outside 0 to 1.
    """
    return None if mask is None else prepare({"outlet": mask}, shape)[0]["outlet"]


def require_land(sea: Array | None, level: float) -> None:
    """Raise InputError if the sea covers everything. sea: (rows, cols) bool, or None; level: m."""
    if sea is not None and sea.all():
        raise InputError(
            "All of the terrain lies below the sea at {level:g} m; lower the sea."
        ).format(level=level)


def shore(sea: Array, spacing: tuple[float, float], edges: str) -> Array:
    """Shore mask, (rows, cols) float32: 1 at the sea to 0 at `BEACH` cells from it, 0 in it. sea:
    (rows, cols) bool.
    """
    wide = BEACH * mean_cell_size(spacing)
    rows, cols = (math.ceil(wide / side) if edges == "wrap" else 0 for side in spacing)
    padded = np.pad(sea, ((rows, rows), (cols, cols)), mode="wrap")
    near = np.float32(1.0) - distance_to(padded, spacing, wide) / np.float32(wide)
    inside: Array = np.where(
        sea, np.float32(0.0), near[rows : rows + sea.shape[0], cols : cols + sea.shape[1]]
    )
    return inside
