# SPDX-License-Identifier: GPL-3.0-or-later
"""Basins of pits, and the passes over which they drain.

The pass between two touching basins is the border pair whose higher cell is lowest. The minimum
spanning tree over all passes, rooted at the outlets, gives the overflow path of each basin. Ties
are resolved by the lower of the two cells, then by index, so the tree is unique and independent of
the order of work. Linear in the number of cells except for Borůvka's rounds.

Source: Cordonnier, Bovy, Braun, "A versatile, linear complexity algorithm for flow routing in
topographies with depressions" (2019).
"""

import math

import numpy as np

from ...base.kernels.jit import allocation_free, kernel
from .receivers import OUTLET, PIT, RING, neighbor


@kernel
def number_pits(network, labels):
    """Set `labels` (int32) to 1, 2, … at pits in reading order, to 0 at outlets, and to -1 at all
    other cells.
    """
    count = 0
    for cell in range(labels.size):
        labels[cell] = -1 if network.toward[cell] < OUTLET else 0
        if network.toward[cell] == PIT:
            count += 1
            labels[cell] = count


@kernel
def label_basins(network, labels, cols, first, last):
    """Label the cells of rows first … last - 1, and their flow paths, with their pit or outlet.
    Returns whether all paths end, as downhill ones do.

    Threads that meet on a path write equal values.
    """
    for row in range(first, last):
        start = (row + 1) * (cols + 2) + 1
        for begin in range(start, start + cols):
            cell = begin
            left = labels.size
            while labels[cell] < 0 and left > 0:
                cell = neighbor(network, cell, network.toward[cell])
                left -= 1
            label = labels[cell]
            cell = begin
            if label < 0:
                return False
            while labels[cell] < 0:  # the same path again
                labels[cell] = label
                cell = neighbor(network, cell, network.toward[cell])
    return True


@kernel
def list_borders(heights, network, labels, cols, first, last):
    """Pairs of neighbors in different basins, (pairs,) uint32, in rows first … last - 1.

    Each is four times the index of the cell first in reading order, plus the number of the neighbor
    above 4. Of consecutive neighbors in one basin, only the lowest is listed, the first of equal
    ones.
    """
    borders = np.empty(4 * (last - first) * cols, np.uint32)
    count = 0
    for row in range(first, last):
        start = (row + 1) * (cols + 2) + 1
        for cell in range(start, start + cols):
            label = labels[cell]
            basin = -1
            lowest = 0.0
            for number in range(4, 8):
                next_cell = neighbor(network, cell, number)
                theirs = labels[next_cell]
                if theirs != label and network.toward[next_cell] != RING:
                    again = theirs == basin and network.home.size == 0
                    if again and heights[next_cell] >= lowest:
                        continue
                    count -= again
                    borders[count] = 4 * cell + number - 4
                    basin = theirs
                    lowest = heights[next_cell]
                    count += 1
    return borders[:count].copy()


@allocation_free
def find(roots, basin):
    """Representative of a basin in the union-find forest, whose paths end at their roots."""
    while roots[basin] != basin:
        roots[basin] = roots[roots[basin]]
        basin = roots[basin]
    return basin


@kernel
def span(heights, network, labels, borders, links):
    """Minimum spanning tree over the passes. Returns the number of its links: of all basins, if the
    passes join them.

    Fills `links` (basins, 2) int64: the cell on one side of each pass, and the number of the
    neighbor on the other.

    labels: see `label_basins`. borders: see `list_borders`, of all rows; the list is consumed.
    """
    basins = links.shape[0]
    roots = np.arange(basins + 1)
    lowest = np.empty(basins + 1)
    beyond = np.empty(basins + 1)
    ends = np.empty((basins + 1, 2), np.int64)
    best = np.empty((basins + 1, 2), np.int64)
    joined = 0
    count = borders.size
    while joined < basins:  # each round joins every tree to another, so that their number halves
        lowest[:] = math.inf
        remaining = 0
        before = joined
        for place in range(count):
            cell = np.int64(borders[place] // 4)
            number = np.int64(4 + borders[place] % 4)
            next_cell = neighbor(network, cell, number)
            root = find(roots, labels[cell])
            next_root = find(roots, labels[next_cell])
            if next_root == root:  # it stays so
                continue
            borders[remaining] = borders[place]
            remaining += 1
            height = max(heights[cell], heights[next_cell])
            lower = min(heights[cell], heights[next_cell])
            low = min(cell, next_cell)
            high = max(cell, next_cell)
            for basin in (root, next_root):
                if height > lowest[basin]:
                    continue
                if height < lowest[basin] or (lower, low, high) < (
                    beyond[basin],
                    ends[basin, 0],
                    ends[basin, 1],
                ):
                    lowest[basin] = height
                    beyond[basin] = lower
                    ends[basin, 0] = low
                    ends[basin, 1] = high
                    best[basin, 0], best[basin, 1] = (
                        (cell, number) if basin == root else (next_cell, 7 - number)
                    )
        count = remaining
        for basin in range(1, basins + 1):
            if roots[basin] != basin or lowest[basin] == math.inf:
                continue
            cell, number = best[basin]
            next_cell = find(roots, labels[neighbor(network, cell, number)])
            if next_cell != basin:  # else the other one has chosen the same pass
                roots[max(basin, next_cell)] = min(basin, next_cell)
                links[joined, 0] = cell
                links[joined, 1] = number
                joined += 1
        if joined == before:
            break
    return joined


@kernel
def carve(heights, network, labels, links, spill):
    """Reverse the flow paths from passes to pits, so that every cell reaches an outlet.

    Fills `spill` (basins + 1,) with the levels (m) at which basins overflow.
    """
    basins = links.shape[0]
    head = np.full(basins + 1, -1)
    following = np.empty(2 * basins, np.int64)
    for link in range(basins):
        cell, number = links[link]
        for end in range(2):
            basin = labels[cell] if end == 0 else labels[neighbor(network, cell, number)]
            following[2 * link + end] = head[basin]
            head[basin] = 2 * link + end
    spill[:] = math.inf
    spill[0] = -math.inf
    reached = np.zeros(basins + 1, np.int64)
    count = 1
    led_out = np.zeros(basins + 1, np.bool_)
    led_out[0] = True
    at = 0
    while at < count:  # every basin once
        basin = reached[at]
        at += 1
        entry = head[basin]
        while entry >= 0:
            cell, number = links[entry // 2]
            next_cell = neighbor(network, cell, number)
            # the pass is met from its own side; the basin that drains over it is on the other
            if entry % 2 == 0:
                cell, next_cell, number = next_cell, cell, 7 - number
            above = labels[cell]
            if not led_out[above]:
                led_out[above] = True
                spill[above] = max(spill[basin], max(heights[cell], heights[next_cell]))
                _turn(network, cell, number)
                reached[count] = above
                count += 1
            entry = following[entry]


@allocation_free
def _turn(network, cell, number):
    """Reverse the flow path from a cell to its pit, and drain the cell to a neighbor."""
    while True:  # downhill to the pit, as no path through this basin has been reversed before
        before = network.toward[cell]
        network.toward[cell] = number
        if before >= OUTLET:
            return
        cell = neighbor(network, cell, before)
        number = 7 - before


@kernel
def open_lowest(heights, network):
    """Turn the lowest pit, the first of several, into an outlet of closed ground. Returns its
    cell.
    """
    cell_at_lowest = -1
    lowest = math.inf
    for cell in range(heights.size):
        if network.toward[cell] == PIT and heights[cell] < lowest:
            cell_at_lowest = cell
            lowest = heights[cell]
    network.toward[cell_at_lowest] = OUTLET
    return cell_at_lowest
