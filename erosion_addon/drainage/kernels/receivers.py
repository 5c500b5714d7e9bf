# SPDX-License-Identifier: GPL-3.0-or-later
"""Receivers: the neighbor that each cell drains to.

All arrays run over the grid with a ring of one cell around it, flat: cell (row, col) has number
(row + 1) · (cols + 2) + col + 1. Neighbors are numbered in reading order, 0 1 2 / 3 · 4 / 5 6 7, so that 7 - d is the
way back from d.
"""

from typing import NamedTuple

import numpy as np

from ...kernels.compile import kernel, lean
from ...kernels.rng import uniform

OUTLET, PIT, RING = 8, 9, 10
"""In place of a neighbor's number: the water leaves; it stays, as no neighbor is lower; there is no cell."""


BEYOND = 1e30
"""Height (m) of what lies beyond edges: nothing runs there."""


class Network(NamedTuple):
    """Where each cell drains."""

    toward: np.ndarray
    """uint8: number of the receiver, or OUTLET, PIT, RING."""
    home: np.ndarray
    """int32: the cell that stands at each place, which for the ring of wrapped edges lies across; empty where edges do
    not wrap."""
    offsets: np.ndarray
    """(8,) int64: index of each neighbor, less the cell's own."""
    distances: np.ndarray
    """(8,) m."""


@lean
def neighbor(network, cell, number):
    """Index of a neighbor."""
    index = cell + network.offsets[number]
    return index if network.home.size == 0 else np.int64(network.home[index])


@kernel
def fill_ring(heights, network):
    """Set the ring: the heights of the opposite edge where edges wrap, else `BEYOND`."""
    for cell in range(heights.size):
        if network.toward[cell] == RING:
            heights[cell] = heights[network.home[cell]] if network.home.size else BEYOND


@kernel
def find_receivers(heights, outlets, network, cols, key, wander, first, last):
    """Set `toward` in rows first … last - 1: the steepest of the lower neighbors, drop by distance; of equal ones the
    first. Returns the number of pits.

    wander: each cell takes its diagonals for 1 … 2 sides of a square long instead of √2, by chance, so that a plane
    drains on the mean straight down and not along the eight directions (Fairfield & Leymarie 1991, "rho8"). key: uint64
    of the chance.
    """
    inverse = 1.0 / network.distances
    steepest, longer = np.empty(cols), np.ones(cols)
    pits = 0
    for row in range(first, last):
        start = (row + 1) * (cols + 2) + 1
        own, toward = heights[start : start + cols], network.toward[start : start + cols]
        steepest[:] = 0.0
        toward[:] = PIT
        if wander:
            for col in range(cols):
                longer[col] = 1.4142135623730951 / (2.0 - uniform(key, start + col))
        for number in range(8):
            there = start + network.offsets[number]
            beside, diagonal = heights[there : there + cols], number in (0, 2, 5, 7)
            for col in range(cols):
                fall = (own[col] - beside[col]) * inverse[number]
                fall = fall * longer[col] if diagonal else fall
                steeper = fall > steepest[col]
                steepest[col] = fall if steeper else steepest[col]
                toward[col] = np.uint8(number) if steeper else toward[col]
        ends = outlets[start : start + cols]
        for col in range(cols):
            toward[col] = np.uint8(OUTLET) if ends[col] else toward[col]
            pits += toward[col] == PIT
    return pits
