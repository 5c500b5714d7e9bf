# SPDX-License-Identifier: GPL-3.0-or-later
"""Accumulation downstream and heights upstream over the flow graph in depth-first order."""

import math

import numpy as np

from ...base.kernels.jit import allocation_free, kernel
from .receivers import OUTLET, neighbor
from .surface import sector

FIRST = np.array([next((bit for bit in range(8) if byte >> bit & 1), 8) for byte in range(256)])
"""Number of the lowest bit of a byte."""


@kernel
def count_outlets(network):
    """Number of outlets."""
    return np.sum(network.toward == OUTLET)


@kernel
def list_donors(network, cols, first, last, donors):
    """Fill `donors` (uint8) in rows first … last - 1: bit n is set if neighbor n drains to the
    cell.
    """
    toward = network.toward
    offsets = network.offsets
    for row in range(first, last):
        start = (row + 1) * (cols + 2) + 1
        if network.home.size:
            for cell in range(start, start + cols):
                count = 0
                for number in range(8):
                    count |= (toward[neighbor(network, cell, number)] == 7 - number) << number
                donors[cell] = count
            continue
        line = donors[start : start + cols]
        line[:] = 0
        for number in range(8):
            beside = toward[start + offsets[number] : start + offsets[number] + cols]
            for col in range(cols):
                line[col] |= np.uint8(beside[col] == 7 - number) << np.uint8(number)


@kernel
def depth_first(network, donors, order, places, trees):
    """Fill `order` (int32) with all cells, each after its receiver and before its donors.

    Fills `places` (int32) with the position of each receiver in it (an outlet is its own), and
    `trees` with the position of each outlet, and the number of cells last. The ends of both serve
    as the stack. donors: see `list_donors`. Each cell is the donor of one other at most, and comes
    once; those on a circle never come, so that the number is smaller.
    """
    step = np.uintp(1)  # a signed index is first asked whether it counts from the end
    end = np.uintp(order.size)
    count = np.uintp(0)
    tree = 0
    for outlet in range(network.toward.size):
        if network.toward[outlet] != OUTLET:
            continue
        trees[tree] = count
        tree += 1
        waiting = end - step
        order[waiting] = outlet
        places[waiting] = count
        while waiting < end:
            cell = np.uintp(order[waiting])
            below = places[waiting]
            waiting += step
            order[count] = cell
            places[count] = below
            left = np.uintp(donors[cell])
            while left:
                waiting -= step
                order[waiting] = neighbor(network, np.int64(cell), np.int64(FIRST[left]))
                places[waiting] = count
                left &= left - step
            count += step
    trees[tree] = count


@kernel
def count_upstream(places, first, last, sizes):
    """Number of cells that drain to each, with itself; of whole trees, places first … last - 1."""
    for place in range(first, last):
        sizes[place] = 1
    for place in range(last - 1, first - 1, -1):
        if places[place] != place:
            sizes[places[place]] += sizes[place]


@kernel
def cut_branches(sizes, largest, trunks, branches):
    """Split the order into branches of at most a number of cells, without the cell in which each
    ends, and trunks, which have the rest.

    Fills both, (n, 2) int32, with stretches of the order: the first place, and the one after the
    last. Returns the number of both.
    """
    trunk = -1
    branch = -1
    place = 0
    while place < sizes.size:
        if trunk < 0 or trunks[trunk, 1] != place:
            trunk += 1
            trunks[trunk, 0] = place
        trunks[trunk, 1] = place + 1
        size = sizes[place]
        place += 1
        if 1 < size <= largest:
            branch += 1
            branches[branch, 0] = place
            place += size - 1
            branches[branch, 1] = place
    return trunk + 1, branch + 1


@kernel
def accumulate(network, order, amounts, stretches):
    """Accumulate amounts downstream over stretches of the order, the last first."""
    for stretch in range(len(stretches) - 1, -1, -1):
        first, last = stretches[stretch]
        for place in range(last - 1, first - 1, -1):
            cell = np.int64(order[place])
            number = network.toward[cell]
            if number < OUTLET:
                amounts[neighbor(network, cell, number)] += amounts[cell]


@kernel
def arrivals(network, order, heights, shares, waiting, arrived):
    """Amounts that enter a region on their way downstream, where its share rises: from s to s', a
    share (s' - s) / (1 - s) of the amounts still waiting.

    shares: (n,) 0-1. waiting: (n, 3) amounts outside at their start, and two columns of 0; changed.
    arrived: (n, 3) zeros: amounts that enter at a cell, and these times their mean way (m) and mean
    fall (m) since they went uphill.
    """
    for place in range(order.size - 1, -1, -1):
        cell = np.int64(order[place])
        number = network.toward[cell]
        if shares[cell] >= 1.0 or number >= OUTLET:
            continue
        below = neighbor(network, cell, number)
        amount = waiting[cell, 0]
        fall = heights[cell] - heights[below]
        rise = max(shares[below] - shares[cell], 0.0)
        part = rise / (1.0 - shares[cell])
        way = waiting[cell, 1] + amount * network.distances[number]
        fallen = waiting[cell, 2] + amount * fall if fall > 0.0 else 0.0
        arrived[below, 0] += part * amount
        arrived[below, 1] += part * way
        arrived[below, 2] += part * fallen
        waiting[below, 0] += (1.0 - part) * amount
        waiting[below, 1] += (1.0 - part) * way
        waiting[below, 2] += (1.0 - part) * fallen


@kernel
def fill(network, order, heights, levels):
    """`levels`: heights (m) with all pits filled to their spill level."""
    for place in range(order.size):
        cell = np.int64(order[place])
        number = network.toward[cell]
        levels[cell] = heights[cell]
        if number < OUTLET:
            levels[cell] = max(heights[cell], levels[neighbor(network, cell, number)])


@allocation_free
def meet(order, below, orders, twins):
    """A channel of an order reaches the cell `below`: its highest order so far, and how many have
    it, 2 for more.
    """
    if order > orders[below]:
        orders[below] = order
        twins[below] = 1
    elif order == orders[below]:
        twins[below] = min(twins[below] + 1, 2)


@kernel
def strahler(network, order, areas, least, orders, twins, through):
    """`orders`: Strahler order (1957) of channels, 1 from a drainage area of `least` (m²) on; 0 on
    slopes.

    orders, twins: uint8 by cell, 0 before. through: bool by cell, whether channels of unknown order
    enter it from beyond; grows downstream. There `orders` and `twins` describe the other channels
    that reach the cell, see `meet`.
    """
    for place in range(order.size - 1, -1, -1):
        cell = np.int64(order[place])
        if areas[cell] < least:
            continue
        if not through[cell]:
            orders[cell] = max(orders[cell] + (twins[cell] > 1), 1)
        number = network.toward[cell]
        if number >= OUTLET:
            continue
        below = neighbor(network, cell, number)
        if through[cell]:
            through[below] = True
        else:
            meet(orders[cell], below, orders, twins)


@kernel
def longest_ways(network, order, lengths):
    """`lengths`: longest flow path to each cell in meters; 0 before."""
    for place in range(order.size - 1, -1, -1):
        cell = np.int64(order[place])
        number = network.toward[cell]
        if number < OUTLET:
            below = neighbor(network, cell, number)
            lengths[below] = max(lengths[below], lengths[cell] + network.distances[number])


@kernel
def deepest_pits(network, order, heights, levels, deepest):
    """`deepest`: depth (m) of the deepest pit on each cell's flow path; 0 before."""
    for place in range(order.size - 1, -1, -1):
        cell = np.int64(order[place])
        number = network.toward[cell]
        depth = levels[cell] - heights[cell]
        deepest[cell] = max(deepest[cell], depth)
        if number < OUTLET and depth > 0.0:
            below = neighbor(network, cell, number)
            if levels[below] == levels[cell]:  # the same pit
                deepest[below] = max(deepest[below], deepest[cell])
    for place in range(order.size):
        cell = np.int64(order[place])
        number = network.toward[cell]
        if number < OUTLET:
            deepest[cell] = max(deepest[cell], deepest[neighbor(network, cell, number)])


@allocation_free
def _steps_of(number):
    """Row and column offset of a neighbor."""
    place = number + (number > 3)
    return place // 3 - 1, place % 3 - 1


@allocation_free
def _way(network, cell, along, across, steps):
    """Displacement of water over at most `steps` cells, in m along rows and columns, and the number
    of cells passed.
    """
    up = 0.0
    right = 0.0
    taken = 0
    while taken < steps and network.toward[cell] < OUTLET:
        number = network.toward[cell]
        rows, cols = _steps_of(number)
        up = up + rows * along
        right = right + cols * across
        cell = neighbor(network, cell, number)
        taken += 1
    return up, right, taken


@kernel
def ways(network, cols, along, across, steps, first, last, directions):
    """Fill rows first … last - 1 of `directions` (rows, cols, 2) with unit vectors of the flow
    along columns and rows.

    Directions are averaged over `steps` cells downstream; 0 at outlets.
    """
    for row in range(first, last):
        for col in range(cols):
            up, right, _ = _way(network, (row + 1) * (cols + 2) + col + 1, along, across, steps)
            length = math.sqrt(up * up + right * right)
            directions[row, col, 0] = right / length if length > 0.0 else 0.0
            directions[row, col, 1] = up / length if length > 0.0 else 0.0


@kernel
def aspects(network, cells, along, across, steps, lengths):
    """Fill `lengths` (4,) with displacements (m) by sector, over cells with at least `steps` cells
    downstream.
    """
    lengths[:] = 0.0
    for cell in cells:
        up, right, taken = _way(network, np.int64(cell), along, across, steps)
        if taken == steps:
            lengths[sector(up, right)] += math.sqrt(up * up + right * right)
