# SPDX-License-Identifier: GPL-3.0-or-later
"""Padded layers with a halo of one cell, for kernels that work on the whole grid."""

import math

import numpy as np

from ...base.arrays import Array
from .shares import Ground, shares_in_depth
from .state import State, Volumes

ANY_HEIGHT = (-math.inf, math.inf)
"""Valid range of padded rock. The kernel refills the halo; finite values inside are checked with
the layers.
"""


def ringed(array: Array) -> Array:
    """Padded copy, (rows + 2, cols + 2) float64; the kernel fills the halo."""
    return np.ascontiguousarray(np.pad(np.asarray(array, dtype=np.float64), 1))


def inner(array: Array) -> Array:
    """Inner part, without halo."""
    inside: Array = array[1:-1, 1:-1]
    return inside


def changed_elevation(state: State, rock: Array, loose: Array) -> Array:
    """Elevation after changes to rock and loose material (padded); unchanged cells keep every
    bit.
    """
    before = state.loose()
    changed: Array = state.elevation + (
        (inner(loose) - before) + (inner(rock) - (state.elevation - before))
    )
    return changed


def ground_now(rock: Array, loose: Array) -> Ground:
    """Ground of rock and loose material (padded), in meters."""
    return Ground(inner(rock) + inner(loose), inner(loose))


def volumes(state: State, rock: Array, loose: Array, exported: Array) -> Volumes:
    """Volumes. Moved material is loosened rock, and lowering of the ground.

    exported: (1,), in meters on one cell.
    """
    area = state.spacing[0] * state.spacing[1]
    lowered = np.maximum(state.elevation - changed_elevation(state, rock, loose), 0.0)
    return Volumes(
        (loosened(state, rock) + float(np.sum(lowered))) * area, float(exported[0]) * area
    )


def loosened(state: State, rock: Array) -> float:
    """Loosened rock, in meters on one cell."""
    return float(np.sum(state.elevation - state.loose() - inner(rock)))


def share_masks(state: State, ground: Ground | None = None) -> Array | None:
    """(rows + 2, cols + 2, 3) float32, 0-1: factors of loss, gain and rock failure; None without
    masks.

    ground: see `shares_in_depth`.
    """
    factors = shares_in_depth(state, ground)
    if factors.nothing:
        return None
    shape = state.elevation.shape
    dug = factors.filled("dug", shape)
    masks = np.stack(
        [dug, factors.filled("accepted", shape), dug * factors.filled("soft", shape)], axis=-1
    )
    margin = ((1, 1), (1, 1), (0, 0))
    if state.edges == "wrap":
        return np.ascontiguousarray(np.pad(masks, margin, mode="wrap"))
    return np.ascontiguousarray(np.pad(masks, margin, constant_values=1.0))
