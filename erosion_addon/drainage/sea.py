# SPDX-License-Identifier: GPL-3.0-or-later
"""The sea that rivers end in."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.arrays import Array, mean_cell_size
from ..base.errors import InputError
from ..base.parameters import Parameters, parameter
from ..grid.distance_transform import distance_to

BEACH = 4.0
"""Cells that a shore is wide."""


def sunk(elevation: Array, level: float) -> Array:
    """(rows, cols) bool: what lies below the sea at `level` m, whether open water reaches it or not."""
    below: Array = elevation < level
    return below


def require_land(sea: Array | None, level: float) -> None:
    """InputError where the sea covers all. sea: (rows, cols) bool, or None; level: m."""
    if sea is not None and sea.all():
        raise InputError(f"All of the terrain lies below the sea at {level:g} m; lower the sea.")


def shore(sea: Array, spacing: tuple[float, float]) -> Array:
    """(rows, cols) float32: 1 at the sea to 0 `BEACH` cells from it, 0 in it. sea: (rows, cols) bool."""
    wide = BEACH * mean_cell_size(spacing)
    near: Array = np.where(sea, np.float32(0.0), np.float32(1.0) - distance_to(sea, spacing, wide) / np.float32(wide))
    return near


def sea_level(group: str = "", needs: tuple[str, ...] = ("sea",)) -> Any:
    """A parameter: the height of the sea, beside the switch that it needs."""
    return parameter(
        0.0,
        "Height of the sea.",
        low=-1e9,
        high=1e9,
        unit="m",
        soft_low=-1000,
        soft_high=1000,
        step=1,
        group=group,
        needs=needs,
    )


@dataclass(frozen=True)
class SeaParameters(Parameters):
    """The sea itself."""

    sea_level: float = sea_level(needs=())
