# SPDX-License-Identifier: GPL-3.0-or-later
"""Initial state of a water step: layers of earlier steps, masks, springs, and water level."""

import numpy as np

from ...base.arrays import Array
from ..shared.parameters import spring_cells
from ..shared.shares import Ground, shares_in_depth
from ..shared.state import INFLOW, State
from .parameters import SCALED, WaterParameters

HOUR = 3600.0
"""Seconds."""

SPRAY = 0.5
"""Meters above the sea that waves and their spray reach."""


def water_level(elevation: Array, parameters: WaterParameters) -> float:
    """Height of the standing water at the start, in meters."""
    if parameters.flooded == 0.0:
        return parameters.water_level
    place = min(int(parameters.flooded * elevation.size), elevation.size - 1)
    return float(np.partition(elevation, place, axis=None)[place]) + parameters.water_level


def salt_ground(elevation: Array, parameters: WaterParameters) -> Array | None:
    """(rows, cols) bool: where a sea beyond the open edges, or its spray, reaches; None without
    one. Hollows that land parts from the sea are not salt. elevation: (rows, cols) m.
    """
    if parameters.standing_water != "edges":
        return None

    from .kernels.vegetation import spread_from_edges

    low = elevation < water_level(elevation, parameters) + SPRAY
    reached = np.zeros(low.shape, bool)
    spread_from_edges(low, np.empty(low.size, np.int64), reached)
    return reached


def whole_meters(elevation: Array) -> float:
    """Common offset of all heights in whole meters; subtracting it loses no digit."""
    low = float(elevation.min())
    high = float(elevation.max())
    return float(np.trunc(min(low, high, key=abs))) if low * high > 0.0 else 0.0


def layer(state: State, name: str, dtype: type = np.float32) -> Array:
    """Copy of a layer from an earlier step, or zeros."""
    values = state.layers.get(name)
    return np.zeros(state.elevation.shape, dtype) if values is None else values.astype(dtype)


def masks(state: State, ground: Ground | None = None) -> Array:
    """(4, rows, cols) float32: the mask layers row by row, with hardness for softness; of no size
    without masks. If parameters of `SCALED` are masked (8, rows, cols), with their masks. ground:
    as in `shares_in_depth`.
    """
    factors = shares_in_depth(state, ground)
    shape = state.elevation.shape
    scaled = any(name in state.masks for name in SCALED)
    if factors.nothing and not scaled:
        return np.zeros((4, 0, 0), np.float32)
    layers = [factors.filled(name, shape) for name in factors._fields]
    if scaled:
        layers += [state.masks.get(name, np.ones(shape, np.float32)) for name in SCALED]
    masks = np.stack(layers)
    np.subtract(1, masks[1], out=masks[1])
    return masks


def sources(state: State, parameters: WaterParameters) -> tuple[Array, Array]:
    """Flat indices of the cells with springs, and of those where the rain on land around a region
    enters, and their inflow in m/s.
    """
    area = state.spacing[0] * state.spacing[1]
    cells = spring_cells(state.elevation.shape, parameters.springs)
    rates = [rate / area for _, _, rate in parameters.springs]
    if INFLOW in state.masks:
        entering = state.masks[INFLOW].ravel().astype(np.float64)
        rain = parameters.rain / 1000 / HOUR
        if "rain" in state.masks:
            rain /= state.rain_mean or 1.0
        entries = np.flatnonzero(entering)
        cells = [*cells, *entries]
        rates = [*rates, *(rain * entering[entries])]
    return np.array(cells, np.int64), np.array(rates, np.float64)
