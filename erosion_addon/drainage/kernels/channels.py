# SPDX-License-Identifier: GPL-3.0-or-later
"""Rivers along the flow graph, and lakes on their way."""

import math

import numpy as np

from ...base.kernels.jit import allocation_free, kernel
from .receivers import OUTLET, RING, neighbor


@allocation_free
def _below(network, cell):
    """Receiver of a cell; -1 at an outlet, and where water crosses a wrapped edge."""
    number = network.toward[cell]
    if number >= OUTLET or network.toward[cell + network.offsets[number]] == RING:
        return -1
    return neighbor(network, cell, number)


@kernel
def trace(network, order, amounts, least, main, cells, ends):
    """List the rivers: cells whose amount reaches `least`. Returns the number of rivers.

    Fills `cells` (int64, twice the number of river cells) and `ends` with the end of each river in
    it. A river follows its largest donor upstream, and is listed from mouth to source. A tributary
    starts with the cell of the river it joins, and comes after that river. Rivers of a single cell
    are dropped. main: int32, as many as cells, -1 before.
    """
    for place in range(order.size):
        cell = np.int64(order[place])
        if amounts[cell] < least:
            continue
        below = _below(network, cell)
        if below >= 0:
            rival = main[below]
            if rival < 0 or (amounts[cell], -cell) > (amounts[rival], -rival):
                main[below] = cell
    count = 0
    rivers = 0
    for place in range(order.size):
        cell = np.int64(order[place])
        if amounts[cell] < least:
            continue
        below = _below(network, cell)
        if below >= 0 and main[below] == cell:
            continue
        if below < 0 and main[cell] < 0:  # one cell at the border is no river
            continue
        if below >= 0:
            cells[count] = below
            count += 1
        while cell >= 0:  # up a tree, to a source
            cells[count] = cell
            count += 1
            cell = np.int64(main[cell])
        ends[rivers] = count
        rivers += 1
    return rivers


@kernel
def smooth(place, starts, following, passes):
    """Smooth the grid's staircase out of lines in place: `passes` binomial means of three points.

    Ends stay, and mouths of tributaries stay on the river they join. place: (points, 2). starts:
    (lines + 1,). following: see `water_levels`.
    """
    for line in range(starts.size - 1):
        first = starts[line]
        last = starts[line + 1]
        if following[first] >= 0:
            place[first] = place[following[first]]
        for axis in range(2):
            for _ in range(passes):
                before = place[first, axis]
                for point in range(first + 1, last - 1):
                    position = place[point, axis]
                    place[point, axis] = (
                        0.25 * before + 0.5 * position + 0.25 * place[point + 1, axis]
                    )
                    before = position


@kernel
def water_levels(ground, pools, starts, following, levels):
    """Water `levels` (m) along lines, never rising downstream.

    Each is at least the ground, the level downstream and the level of its lake. ground: (points,)
    m. pools: (points,) m, lake level, NaN outside lakes. following: (points,) int64, next point
    downstream, a lower index; -1 at the end. The first point of a tributary is followed by a point
    of the main river.
    """
    for point in range(ground.size):
        levels[point] = ground[point] if math.isnan(pools[point]) else pools[point]
        if following[point] >= 0 and math.isnan(pools[point]):
            levels[point] = max(levels[point], levels[following[point]])
    for point in range(ground.size - 1, -1, -1):
        below = following[point]
        if below >= 0:
            levels[below] = min(levels[below], levels[point])
    for line in range(starts.size - 1):
        first = starts[line]
        if following[first] >= 0:
            levels[first] = levels[following[first]]


@kernel
def label_lakes(network, wet, labels, stack):
    """Label the lakes of wet cells (flat bool, none in the ring); returns their number.

    Sets `labels` (int32, 0 before) from 1 on in reading order. stack: int32, as many as cells.
    """
    count = 0
    for start in range(wet.size):
        if not wet[start] or labels[start]:
            continue
        count += 1
        labels[start] = count
        stack[0] = start
        depth = 1
        while depth:  # each cell once, as it is labeled before it waits
            depth -= 1
            cell = np.int64(stack[depth])
            for number in range(8):
                next_cell = neighbor(network, cell, number)
                if wet[next_cell] and not labels[next_cell]:
                    labels[next_cell] = count
                    stack[depth] = next_cell
                    depth += 1
    return count
