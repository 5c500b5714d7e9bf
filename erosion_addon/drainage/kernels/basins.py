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
def number_pits(network, labels):
    """Set `labels` (int32) of pits to 1, 2, … in reading order, of what drains on to -1, and of all else to 0."""
    count = 0
    for cell in range(labels.size):
        labels[cell] = -1 if network.toward[cell] < OUTLET else 0
        if network.toward[cell] == PIT:
            count += 1
            labels[cell] = count


@kernel
def label_basins(network, labels, cols, first, last):
    """Give the cells of rows first … last - 1, and what they drain through, the label of the pit or outlet that they
    drain to. Threads that meet on a way write the same."""
    for row in range(first, last):
        start = (row + 1) * (cols + 2) + 1
        for begin in range(start, start + cols):
            cell = begin
            while labels[cell] < 0:
                cell = neighbor(network, cell, network.toward[cell])
            label, cell = labels[cell], begin
            while labels[cell] < 0:
                labels[cell] = label
                cell = neighbor(network, cell, network.toward[cell])


@kernel
def list_borders(heights, network, labels, cols, first, last):
    """Pairs of neighbors in different basins, (pairs,) uint32: four times the cell that comes first in reading order,
    in rows first … last - 1, and by how much the number of the other is above 4. Of a cell's neighbors in one basin
    that follow each other the lowest is enough, the first of equal ones."""
    borders, count = np.empty(4 * (last - first) * cols, np.uint32), 0
    for row in range(first, last):
        start = (row + 1) * (cols + 2) + 1
        for cell in range(start, start + cols):
            label, basin, lowest = labels[cell], -1, 0.0
            for number in range(4, 8):
                other = neighbor(network, cell, number)
                theirs = labels[other]
                if theirs != label and network.toward[other] != RING:
                    again = theirs == basin and network.home.size == 0
                    if again and heights[other] >= lowest:
                        continue
                    count -= again
                    borders[count] = 4 * cell + number - 4
                    basin, lowest = theirs, heights[other]
                    count += 1
    return borders[:count].copy()


@lean
def _find(roots, basin):
    """The basin that stands for all that have been joined to this one."""
    while roots[basin] != basin:
        roots[basin] = roots[roots[basin]]
        basin = roots[basin]
    return basin


@kernel
def span(heights, network, labels, borders, links):
    """The minimum spanning tree over the passes: fills `links` (basins, 2) int64, the cell on one side of each pass and
    the number of the neighbor on the other.

    labels: as of `label_basins`. borders: as of `list_borders`, of all rows; the list is used up.
    """
    basins = links.shape[0]
    roots = np.arange(basins + 1)
    lowest, beyond = np.empty(basins + 1), np.empty(basins + 1)
    ends, best = np.empty((basins + 1, 2), np.int64), np.empty((basins + 1, 2), np.int64)
    made, count = 0, borders.size
    while made < basins:
        lowest[:] = math.inf
        kept = 0
        for place in range(count):
            cell, number = np.int64(borders[place] // 4), np.int64(4 + borders[place] % 4)
            other = neighbor(network, cell, number)
            own, theirs = _find(roots, labels[cell]), _find(roots, labels[other])
            if theirs == own:  # it stays so
                continue
            borders[kept] = borders[place]
            kept += 1
            height, lower = max(heights[cell], heights[other]), min(heights[cell], heights[other])
            low, high = min(cell, other), max(cell, other)
            for basin in (own, theirs):
                if height > lowest[basin]:
                    continue
                if height < lowest[basin] or (lower, low, high) < (beyond[basin], ends[basin, 0], ends[basin, 1]):
                    lowest[basin], beyond[basin] = height, lower
                    ends[basin, 0], ends[basin, 1] = low, high
                    best[basin, 0], best[basin, 1] = (cell, number) if basin == own else (other, 7 - number)
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
