# SPDX-License-Identifier: GPL-3.0-or-later
"""Ground in a kernel's unit of height, and conversion back to meters."""

import numpy as np

from ...base.arrays import Array
from ...base.errors import InputError
from .shares import Ground, depth_bounds
from .state import State

HIGHEST_RELIEF = 1e7
"""Greatest relief in cells; above it, rounding would swallow small amounts."""


def in_unit(state: State, unit: float) -> Array:
    """(rows, cols, 2) float64: height above the lowest point and loose thickness, in units of a
    number of meters.

    Raises InputError if the relief is far too large for the cells.
    """
    datum = datum_of(state)
    if float(state.elevation.max()) - datum > HIGHEST_RELIEF * state.cell_size:
        raise InputError(
            "The relief is more than {most:g} times the cell size of {cell_size:g} m; "
            "correct the cell size or the heights."
        ).format(most=HIGHEST_RELIEF, cell_size=state.cell_size)
    ground = np.empty((*state.elevation.shape, 2))
    np.subtract(state.elevation, datum, out=ground[..., 0])
    ground[..., 1] = state.loose()
    ground /= unit
    return ground


def ground_now(state: State, ground: Array, unit: float) -> Ground:
    """Ground in meters; unlike `solid_layers`, unchanged cells may differ in the last bit."""
    return Ground(ground[..., 0] * unit + datum_of(state), ground[..., 1] * unit)


def solid_layers(state: State, ground: Array, unit: float) -> dict[str, Array]:
    """Elevation and loose layers in meters of a ground made by `in_unit`, after changes; new
    arrays.
    """
    elevation = _changed(
        state.elevation, (state.elevation - datum_of(state)) / unit, ground[..., 0], unit
    )
    before = state.loose()
    loose = _changed(before, before / unit, ground[..., 1], unit)
    del before  # a copy, where there is soil
    np.maximum(loose, 0.0, out=loose)  # rounding can leave it an ulp below
    return {"elevation": elevation, **state.split_loose(loose, name="sediment")}


def bounds_in_unit(state: State, unit: float) -> list[Array]:
    """`depth_bounds` in the unit of `in_unit`."""
    return depth_bounds(state, datum_of(state), unit)


def datum_of(state: State) -> float:
    """The height in meters that heights in units are counted from."""
    return float(state.elevation.min())


def _changed(before: Array, start: Array, current: Array, unit: float) -> Array:
    """`before` (m) plus the change from `start` to `current`, both in a kernel's `unit`; overwrites
    `start`.

    Only the change is converted, so untouched cells keep every bit.
    """
    np.subtract(current, start, out=start)
    start *= unit
    start += before
    return start
