# SPDX-License-Identifier: GPL-3.0-or-later
"""Surface cover and start positions for the wind's kernels."""

import numpy as np

from ...base.arrays import Array
from ..shared.cell_units import bounds_in_unit
from ..shared.particle_step import cumulated
from ..shared.shares import Ground, shares
from ..shared.state import State
from .parameters import GRASS_DRAG


def wind_shares(state: State, unit: float, ground: Ground | None = None) -> Array | None:
    """Mask layers with the hold of grass, see `Shares.layers`; ground: as in `shares`.

    unit: of height limits, in meters.
    """
    factors = shares(state, ground)
    grass = state.layers.get("grass")
    if grass is not None:
        left = np.asarray(1 - np.clip(grass, 0, 1), np.float32)
        factors = factors._replace(dug=left if factors.dug is None else factors.dug * left)
    return factors.layers(bounds_in_unit(state, unit), state.elevation.shape)


def cover(state: State, wet_hold: float) -> Array | None:
    """(rows, cols, 2) float32: force that wet sand withstands, share of the wind over grass; None
    where it is bare. (rows, cols, 3) where that is masked, with the share of the suspension.
    """
    moisture = state.layers.get("moisture")
    grass = state.layers.get("grass")
    suspended = state.masks.get("suspension")
    if moisture is None and grass is None and suspended is None:
        return None
    over = np.zeros((*state.elevation.shape, 2 if suspended is None else 3), np.float32)
    if suspended is not None:
        over[..., 2] = suspended
    if moisture is not None:
        np.multiply(moisture, wet_hold, out=over[..., 0])
    if grass is not None:
        left = over[..., 1]
        np.clip(grass, 0, 1, out=left)
        left *= GRASS_DRAG
        np.subtract(1, left, out=left)
    else:
        over[..., 1] = 1
    return over


def sources(state: State) -> Array | None:
    """Cumulated start probability of particles per cell (cells,), up to 1; None if all enter from
    windward.
    """
    source = state.masks.get("source")
    if source is None or not source.any():
        return None
    return cumulated(source.astype(np.float64).ravel())
