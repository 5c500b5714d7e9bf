# SPDX-License-Identifier: GPL-3.0-or-later
"""Surface cover and start positions for the wind's kernels."""

import numpy as np

from ...base.arrays import Array
from ..shared.cell_units import bounds_in_unit
from ..shared.shares import Ground, shares
from ..shared.state import State
from .parameters import WindParameters


def wind_shares(state: State, grass_hold: float, unit: float, ground: Ground | None = None) -> Array | None:
    """(rows, cols, 4) float32: what a cell gives, what it takes of what flies, what its rock gives, and what it takes
    of what slides; where depths are limited (rows, cols, 6), with the lowest and the highest that it may come to, in
    units of so many meters. None where all is 1. ground: as in `shares`.
    """
    given, grass, shape = shares(state, ground), state.layers.get("grass"), state.elevation.shape
    bounds = bounds_in_unit(state, unit)
    if grass is None and given.nothing and not bounds:
        return None
    names = ("dug", "laid", "soft", "accepted")
    found: Array = np.stack([*(given.filled(name, shape) for name in names), *bounds], axis=-1)
    if grass is not None:
        found[..., 0] *= 1 - grass_hold * np.clip(grass, 0, 1)
    return found


def cover(state: State, parameters: WindParameters, wet_hold: float) -> Array | None:
    """(rows, cols, 2) float32: force that wet sand withstands, share of the wind over grass; None where it is bare.
    (rows, cols, 3) where that is masked, with the share of the suspension.
    """
    moisture, grass = state.layers.get("moisture"), state.layers.get("grass")
    suspended = state.masks.get("suspension")
    if moisture is None and grass is None and suspended is None:
        return None
    over = np.zeros((*state.elevation.shape, 2 if suspended is None else 3), np.float32)
    if suspended is not None:
        over[..., 2] = suspended
    if moisture is not None:
        over[..., 0] = moisture * wet_hold
    over[..., 1] = 1 if grass is None else 1 - parameters.grass_drag * np.clip(grass, 0, 1)
    return over


def sources(state: State) -> Array | None:
    """Cumulated start probability of particles per cell (cells,), up to 1; None if all enter from windward."""
    source = state.masks.get("source")
    if source is None or not source.any():
        return None
    weights: Array = np.cumsum(source.astype(np.float64).ravel())
    weights /= weights[-1]
    return weights
