# SPDX-License-Identifier: GPL-3.0-or-later
"""Rivers along the flow graph, and the lakes that they run through."""

import math

import numpy as np

from ...kernels.compile import kernel, lean
from .receivers import OUTLET, RING, neighbor


@lean
def _below(network, cell):
    """The cell that a cell drains to; -1 where its water leaves the map, also to come back on the opposite edge."""
    number = network.toward[cell]
    if number >= OUTLET or network.toward[cell + network.offsets[number]] == RING:
        return -1
    return neighbor(network, cell, number)


@kernel
def trace(network, order, amounts, least, main, cells, ends):
    """List the rivers, of cells whose amount reaches `least`: `cells` (int64, room for twice as many as there are),
    and the place after each river's last in `ends`. Returns how many rivers there are.

    A river goes on upstream by the largest of its donors. Its cells are listed from the mouth to the source; the first
    one of a tributary is the cell of the river that it joins, and rivers come before their tributaries. No river is one
    cell alone. main: int32, as many as cells, -1 before.
    """
    for place in range(order.size):
        cell = np.int64(order[place])
        if amounts[cell] < least:
            continue
        below = _below(network, cell)
        if below >= 0:
            known = main[below]
            if known < 0 or (amounts[cell], -cell) > (amounts[known], -known):
                main[below] = cell
    count, rivers = 0, 0
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
        while cell >= 0:
            cells[count] = cell
            count += 1
            cell = np.int64(main[cell])
        ends[rivers] = count
        rivers += 1
    return rivers


@kernel
def smooth(place, starts, following, passes):
    """Take the stairs of the grid out of lines, in place: each point becomes a mean of itself, twice, and its two
    neighbors, `passes` times. Ends stay, and the mouth of a tributary lies on the river that it joins.

    place: (points, 2). starts: (lines + 1,). following: see `settle`.
    """
    for line in range(starts.size - 1):
        first, last = starts[line], starts[line + 1]
        if following[first] >= 0:
            place[first] = place[following[first]]
        for axis in range(2):
            for _ in range(passes):
                before = place[first, axis]
                for point in range(first + 1, last - 1):
                    own = place[point, axis]
                    place[point, axis] = 0.25 * before + 0.5 * own + 0.25 * place[point + 1, axis]
                    before = own


@kernel
def settle(ground, pools, starts, following, levels):
    """`levels` (m) of the water along lines, which never rise downstream: as high as the ground where a line passes
    over it, as what lies downstream dams it, and as the lake that it lies in.

    ground: (points,) m. pools: (points,) m, level of a lake, NaN outside of any. following: (points,) int64, each
    point's next one downstream, a lower number; -1 at the end. For the first point of a tributary it is the point of
    the other river where that lies.
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
    """Set `labels` (int32, 0 before) of wet cells (flat bool, none in the ring) to the number of their lake, from 1 on
    in reading order; returns how many there are. stack: int32, as many as cells."""
    count = 0
    for start in range(wet.size):
        if not wet[start] or labels[start]:
            continue
        count += 1
        labels[start] = count
        stack[0], depth = start, 1
        while depth:
            depth -= 1
            cell = np.int64(stack[depth])
            for number in range(8):
                other = neighbor(network, cell, number)
                if wet[other] and not labels[other]:
                    labels[other] = count
                    stack[depth] = other
                    depth += 1
    return count
