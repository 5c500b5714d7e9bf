# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers with a ring of one cell around them, as the kernels that work on a whole grid at once take them."""

import math

import numpy as np

from ...base.arrays import Array
from .shares import Ground, shares_in_depth
from .state import State, Volumes

WALLED = (-math.inf, math.inf)
"""Limits of rock with a ring, which the kernel fills anew; that inside all is finite, its layers show."""


def ringed(array: Array) -> Array:
    """(rows + 2, cols + 2) float64: a copy with a ring around it, which the kernel fills."""
    return np.ascontiguousarray(np.pad(np.asarray(array, dtype=np.float64), 1))


def inner(array: Array) -> Array:
    """What lies inside the ring."""
    inside: Array = array[1:-1, 1:-1]
    return inside


def changed_elevation(state: State, rock: Array, loose: Array) -> Array:
    """The elevation after rock and loose material (ringed) have changed; where they have not it keeps every bit."""
    before = state.loose()
    changed: Array = state.elevation + ((inner(loose) - before) + (inner(rock) - (state.elevation - before)))
    return changed


def ground_now(rock: Array, loose: Array) -> Ground:
    """The ground of rock and loose material (ringed) in meters."""
    return Ground(inner(rock) + inner(loose), inner(loose))


def volumes(state: State, rock: Array, loose: Array, exported: Array) -> Volumes:
    """What moved is the rock that turned loose, and by how much the ground is lower than before where it is.

    exported: (1,), as meters on one cell.
    """
    area = state.spacing[0] * state.spacing[1]
    lowered = np.maximum(state.elevation - changed_elevation(state, rock, loose), 0.0)
    return Volumes((loosened(state, rock) + float(np.sum(lowered))) * area, float(exported[0]) * area)


def loosened(state: State, rock: Array) -> float:
    """Rock that has turned loose, as meters on one cell."""
    return float(np.sum(state.elevation - state.loose() - inner(rock)))


def share_masks(state: State, ground: Ground | None = None) -> Array | None:
    """(rows + 2, cols + 2, 3) float32, 0-1: what cells give, take, and how much of their rock gives way; None where
    nothing is masked. ground: as in `shares_in_depth`."""
    given = shares_in_depth(state, ground)
    if given.nothing:
        return None
    shape = state.elevation.shape
    dug = given.filled("dug", shape)
    found = np.stack([dug, given.filled("accepted", shape), dug * given.filled("soft", shape)], axis=-1)
    edge = {"mode": "wrap"} if state.edges == "wrap" else {"constant_values": 1.0}
    return np.ascontiguousarray(np.pad(found, ((1, 1), (1, 1), (0, 0)), **edge))  # type: ignore[call-overload]
