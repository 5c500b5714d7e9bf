# SPDX-License-Identifier: GPL-3.0-or-later
"""Basins of pits, and the passes through which they drain.

Each pair of touching basins has a lowest pass, as high as the higher of the two cells beside it. Of all passes the
minimum spanning tree, rooted where water leaves, holds the way that the water of each basin takes when it is full. Ties
go by the lower of the two cells, then by their numbers, so there is one tree and no order of work can
show. Linear in the number of cells but for the rounds of Borůvka.

Source: Cordonnier, Bovy, Braun, "A versatile, linear complexity algorithm for flow routing in topographies with
depressions" (2019).
"""

import math

import numpy as np

from ...kernels.compile import kernel, lean
from .receivers import OUTLET, PIT, RING, neighbor


@kernel
def label_basins(network, pits, labels, cells):
    """Set `labels` (int32, 0 before) of all cells that drain to pit k to k + 1, and list them; returns how many."""
    count = 0
    for basin in range(pits.size):
        cells[count] = pits[basin]
        labels[pits[basin]] = basin + 1
        at, count = count, count + 1
        while at < count:
            for number in range(8):
                donor = neighbor(network, cells[at], number)
                if network.toward[donor] == 7 - number:
                    labels[donor] = basin + 1
                    cells[count] = donor
                    count += 1
            at += 1
    return count


@lean
def _find(roots, basin):
    """The basin that stands for all that have been joined to this one."""
    while roots[basin] != basin:
        roots[basin] = roots[roots[basin]]
        basin = roots[basin]
    return basin


@kernel
def span(heights, network, labels, cells, count, links):
    """The minimum spanning tree over the passes: fills `links` (basins, 2) int64, the cell on one side of each pass and
    the number of the neighbor on the other.

    labels: as of `label_basins`; 0 is everything that drains. cells: the first `count` are those of basins; the list is
    used up.
    """
    basins = links.shape[0]
    roots = np.arange(basins + 1)
    lowest, beyond = np.empty(basins + 1), np.empty(basins + 1)
    ends, best = np.empty((basins + 1, 2), np.int64), np.empty((basins + 1, 2), np.int64)
    made = 0
    while made < basins:
        lowest[:] = math.inf
        kept = 0
        for place in range(count):
            cell = cells[place]
            label, at_border = labels[cell], False
            own = _find(roots, label)
            for number in range(8):
                other = neighbor(network, cell, number)
                if labels[other] == label or network.toward[other] == RING:
                    continue
                theirs = _find(roots, labels[other])
                if theirs == own:
                    continue
                at_border = True
                height = max(heights[cell], heights[other])
                if height > lowest[own]:
                    continue
                lower, low, high = min(heights[cell], heights[other]), min(cell, other), max(cell, other)
                if height < lowest[own] or (lower, low, high) < (beyond[own], ends[own, 0], ends[own, 1]):
                    lowest[own], beyond[own] = height, lower
                    ends[own, 0], ends[own, 1] = low, high
                    best[own, 0], best[own, 1] = cell, number
            if at_border:  # a cell within a basin stays within it
                cells[kept] = cell
                kept += 1
        count = kept
        for basin in range(1, basins + 1):
            if roots[basin] != basin or lowest[basin] == math.inf:
                continue
            cell, number = best[basin]
            other = _find(roots, labels[neighbor(network, cell, number)])
            if other != basin:  # else the other one has chosen the same pass
                roots[max(basin, other)] = min(basin, other)
                links[made, 0], links[made, 1] = cell, number
                made += 1


@kernel
def carve(heights, network, labels, links, spill):
    """Lead each basin out over its pass: the receivers between pit and pass are turned round, so that every cell
    reaches an outlet; and fill `spill` (basins + 1,) with the levels (m) at which basins overflow."""
    basins = links.shape[0]
    head, following = np.full(basins + 1, -1), np.empty(2 * basins, np.int64)
    for link in range(basins):
        cell, number = links[link]
        for end in range(2):
            basin = labels[cell] if end == 0 else labels[neighbor(network, cell, number)]
            following[2 * link + end] = head[basin]
            head[basin] = 2 * link + end
    spill[:] = math.inf
    spill[0] = -math.inf
    reached, count = np.zeros(basins + 1, np.int64), 1
    at = 0
    while at < count:
        basin = reached[at]
        at += 1
        entry = head[basin]
        while entry >= 0:
            cell, number = links[entry // 2]
            other = neighbor(network, cell, number)
            if entry % 2 == 0:  # the pass is met from its own side: what drains over it lies on the other
                cell, other, number = other, cell, 7 - number
            above = labels[cell]
            if spill[above] == math.inf and above != 0:
                spill[above] = max(spill[basin], max(heights[cell], heights[other]))
                _turn(network, cell, number)
                reached[count] = above
                count += 1
            entry = following[entry]


@lean
def _turn(network, cell, number):
    """Turn the way from a cell to its pit round, and let the cell drain to a neighbor."""
    while True:
        before = network.toward[cell]
        network.toward[cell] = number
        if before >= OUTLET:
            return
        cell, number = neighbor(network, cell, before), 7 - before


@kernel
def open_lowest(heights, network):
    """Let the lowest pit be an outlet, the first of several: so that closed ground has one. Returns its cell."""
    found, lowest = -1, math.inf
    for cell in range(heights.size):
        if network.toward[cell] == PIT and heights[cell] < lowest:
            found, lowest = cell, heights[cell]
    network.toward[found] = OUTLET
    return found
