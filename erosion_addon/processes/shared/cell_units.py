# SPDX-License-Identifier: GPL-3.0-or-later
"""The ground in a kernel's own unit of height, for what moves over it as drops or grains, and back in meters."""

import numpy as np

from ...base.arrays import Array
from ...base.errors import InputError
from .shares import Ground, depth_bounds
from .state import State

HIGHEST_RELIEF = 1e7
"""Cells; above it the small amounts that such things move would drown in rounding."""


def in_unit(state: State, unit: float) -> Array:
    """(rows, cols, 2) float64: height of the surface over its lowest point and the loose part of it, in units of so
    many meters. Raises InputError where the relief is out of all proportion to the cells."""
    datum = datum_of(state)
    if float(state.elevation.max()) - datum > HIGHEST_RELIEF * state.cell_size:
        raise InputError(
            f"The relief is more than {HIGHEST_RELIEF:g} times the cell size of {state.cell_size:g} m; "
            "correct the cell size or the heights."
        )
    ground = np.empty((*state.elevation.shape, 2))
    np.subtract(state.elevation, datum, out=ground[..., 0])
    ground[..., 1] = state.loose()
    ground /= unit
    return ground


def ground_now(state: State, ground: Array, unit: float) -> Ground:
    """The ground in meters; unlike `solid_layers` not to the last bit where nothing has changed."""
    return Ground(ground[..., 0] * unit + datum_of(state), ground[..., 1] * unit)


def solid_layers(state: State, ground: Array, unit: float) -> dict[str, Array]:
    """New arrays of elevation and loose layers in meters, of a ground that was made `in_unit` and has changed."""
    elevation = _changed(state.elevation, (state.elevation - datum_of(state)) / unit, ground[..., 0], unit)
    before = state.loose()
    loose = _changed(before, before / unit, ground[..., 1], unit)
    np.maximum(loose, 0.0, out=loose)  # rounding can leave it an ulp below
    return {"elevation": elevation, **state.split_loose(loose, own="sediment")}


def bounds_in_unit(state: State, unit: float) -> list[Array]:
    """`depth_bounds` as `in_unit` has heights."""
    return depth_bounds(state, datum_of(state), unit)


def datum_of(state: State) -> float:
    """The height in meters that heights in units are counted from."""
    return float(state.elevation.min())


def _changed(before: Array, start: Array, now: Array, unit: float) -> Array:
    """`before` (m) with what has happened to `start`, the same in a kernel's `unit`, which is `now` there.

    Only the change comes back from the unit, so that what is untouched keeps every bit. start is overwritten.
    """
    np.subtract(now, start, out=start)
    start *= unit
    start += before
    return start
