# SPDX-License-Identifier: GPL-3.0-or-later
"""Receivers: the neighbor to which each cell drains.

Arrays are flat over the grid with a ring of one cell: cell (row, col) has index (row + 1) · (cols +
2) + col + 1. Neighbors are numbered in reading order, 0 1 2 / 3 · 4 / 5 6 7, so 7 - d is opposite
to d.
"""

from typing import NamedTuple

import numpy as np

from ...base.kernels.jit import allocation_free, kernel
from ...base.kernels.rng import uniform

OUTLET, PIT, RING = 8, 9, 10
"""Codes in place of a neighbor's number: outlet; no lower neighbor; ring cell."""


BEYOND = 1e30
"""Height (m) beyond edges, where no water flows."""


class Network(NamedTuple):
    """Receivers and the geometry of the grid."""

    toward: np.ndarray
    """uint8: number of the receiver, or OUTLET, PIT, RING."""
    home: np.ndarray
    """int32: the actual cell at each index; ring cells of wrapped edges map to the opposite edge.
    Empty without wrapping.
    """
    offsets: np.ndarray
    """(8,) int64: index offset of each neighbor."""
    distances: np.ndarray
    """(8,) m: distance to each neighbor."""


@allocation_free
def neighbor(network, cell, number):
    """Index of a neighbor."""
    index = cell + network.offsets[number]
    return index if network.home.size == 0 else np.int64(network.home[index])


@kernel
def fill_ring(heights, network):
    """Set the ring: the opposite edge's heights where edges wrap, else `BEYOND`."""
    for cell in range(heights.size):
        if network.toward[cell] == RING:
            heights[cell] = heights[network.home[cell]] if network.home.size else BEYOND


@kernel
def find_receivers(heights, outlets, network, cols, key, wander, first, last):
    """Set `toward` in rows first … last - 1 to the steepest lower neighbor, the first of equal
    ones. Returns the number of pits, and whether all heights lie within ±`BEYOND`; NaN does not.

    wander: diagonals count as 1 … 2 cell sides long at random instead of √2, so a plane drains
    straight down on average and not along the eight directions (Fairfield & Leymarie 1991, "rho8").
    key: uint64 of the random numbers.
    """
    inverse = 1.0 / network.distances
    steepest = np.empty(cols)
    longer = np.ones(cols)
    pits = 0
    sound = True
    for row in range(first, last):
        start = (row + 1) * (cols + 2) + 1
        line = heights[start : start + cols]
        toward = network.toward[start : start + cols]
        steepest[:] = 0.0
        toward[:] = PIT
        if wander:
            for col in range(cols):
                longer[col] = 1.4142135623730951 / (2.0 - uniform(key, start + col))
        for number in range(8):
            offset = start + network.offsets[number]
            beside = heights[offset : offset + cols]
            diagonal = number in (0, 2, 5, 7)
            for col in range(cols):
                fall = (line[col] - beside[col]) * inverse[number]
                fall = fall * longer[col] if diagonal else fall
                steeper = fall > steepest[col]
                steepest[col] = fall if steeper else steepest[col]
                toward[col] = np.uint8(number) if steeper else toward[col]
        ends = outlets[start : start + cols]
        for col in range(cols):
            toward[col] = np.uint8(OUTLET) if ends[col] else toward[col]
            pits += toward[col] == PIT
            sound &= abs(line[col]) < BEYOND
    return pits, sound
