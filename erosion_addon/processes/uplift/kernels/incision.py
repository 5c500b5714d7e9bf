# SPDX-License-Identifier: GPL-3.0-or-later
"""Rivers cut down the flow graph: ∂z/∂t = -K A^m S, with slopes limited and what is carried laid down in part.

Implicit up the graph from the outlets, for slope exponent 1: z ← (z + F z_r) / (1 + F), F = K dt A^m / Δx, r the
receiver. Stable for every time step. What was cut is then carried down the graph: G q / A of it is laid down in a
channel (q: volume that passes, A: drainage area), and in a pit as much as its part to be filled still holds. A receiver
above its donor is the rim of a pit and is cut down towards it, by f F / (1 + f F), f for the floods of a lake that
overflows.

Sources: Braun & Willett, "A very efficient O(n), implicit and parallel method to solve the stream power equation"
(2013); Davy & Lague, "Fluvial erosion/transport equation of landscape evolution models revisited" (2009), for G.
Arrays are flat with a ring, see `drainage.kernels.receivers`.
"""

import math
from typing import NamedTuple

import numpy as np

from ....drainage.kernels.receivers import OUTLET, neighbor
from ....kernels.compile import kernel, lean
from ....kernels.elementary import power

FLOODS = 10.0
"""How much faster a lake that overflows cuts through its rim than a river of its drainage area cuts."""

ALONG_AXES = 0.75
"""How much the four neighbors along the axes count for the slope limit; the rest is the four on the diagonals. Alone,
the former turn slopes to the diagonals, the latter to the axes. On 32 dissected fractal lands as many slopes face
either, within 4 %; at 0.8 within 7 %."""


class Ground(NamedTuple):
    """What the kernels work on, a number a cell."""

    heights: np.ndarray
    """Surface, m."""
    loose: np.ndarray
    """Loose part of it, m."""
    areas: np.ndarray
    """Drainage areas, weighted by rain, m²."""
    floor: np.ndarray
    """Height below which nothing is dug, m; empty for none."""
    ceiling: np.ndarray
    """Height above which nothing is laid down, m; empty for none."""
    limited: np.ndarray
    """Surface that is nowhere too steep, m; empty for none."""
    levels: np.ndarray
    """Working memory: surface with pits filled."""
    lowest: np.ndarray
    """Working memory: the lowest that drains to a cell, in a lake its deepest place as far as it lies upstream."""
    carried: np.ndarray
    """Working memory: load, as m on a cell."""


class Constants(NamedTuple):
    """Numbers that hold for all cells and one time step."""

    cut: float
    """K dt for an area of 1 m², in meters."""
    concavity: float
    """m."""
    deposition: float
    """G times the area of a cell, m²."""
    channel: float
    """Drainage area of channels, m²: what passes on slopes hardly comes to lie."""
    breach: float
    """Share of a pit that is drained, 0-1."""
    falling: float
    """Share of what is steeper that falls in a time step."""


@lean
def _reach(area, concavity):
    """A^m."""
    return math.sqrt(area) if concavity == 0.5 else power(area, concavity)


@lean
def _take(ground, cell, depth, soft):
    """Take so much off a cell, the rest of it below what is loose by `soft` as much; returns what was taken."""
    heights, loose = ground.heights, ground.loose
    if ground.floor.size:
        depth = min(depth, max(heights[cell] - ground.floor[cell], 0.0))
    from_loose = min(depth, loose[cell])
    taken = from_loose + (depth - from_loose) * soft
    loose[cell] -= from_loose
    heights[cell] -= taken
    return taken


@lean
def _shares(masks, cell):
    """What a mask lets be dug of a cell, and how much less of its rock; 0-1."""
    if masks is None:
        return 1.0, 1.0
    dug = np.float64(masks[cell, 0])
    return dug, (masks[cell, 2] / dug if dug > 0.0 else 0.0)


@kernel
def limit_slopes(network, heights, limited, cols, row_rise, col_rise, upwards):
    """Fill `limited` with heights that are nowhere too steep, as far as one sweep over the rows finds them.

    The highest surface below the given one with |∇z| ≤ tan φ solves an eikonal equation. Fast sweeping (Zhao 2005) with
    a sweep in every time step, down and up in turn. row_rise, col_rise: tan φ times the spacing, m.
    """
    width = cols + 2
    rows = heights.size // width - 2
    slant = math.sqrt(row_rise * row_rise + col_rise * col_rise)
    least = ALONG_AXES * row_rise * col_rise / slant  # by which ground is highest above neighbors of one height
    limited[:] = heights
    lower, diagonal = np.empty(width), np.empty(width)  # what the rows beside a row give, for both ways along it
    for turn in range(rows):
        start = (rows - turn if upwards else turn + 1) * width
        for col in range(1, cols + 1):
            cell = start + col
            lower[col] = min(limited[cell - width], limited[cell + width])
            diagonal[col] = _between_diagonals(limited, cell, width, row_rise, col_rise, slant)
        for way in (-1, 1):
            for place in range(1, cols + 1):
                col = place if way < 0 else cols + 1 - place
                cell = start + col
                up, side, slanting = lower[col], limited[cell + way], (1.0 - ALONG_AXES) * diagonal[col]
                if limited[cell] > ALONG_AXES * min(up, side) + slanting + least and network.toward[cell] != OUTLET:
                    highest = ALONG_AXES * _highest(up, side, row_rise, col_rise) + slanting
                    limited[cell] = min(limited[cell], highest)


@lean
def _between_diagonals(heights, cell, width, row_rise, col_rise, slant):
    """As `_highest`, beside the lower neighbors on both diagonals. slant: tan φ times the length of a diagonal, m."""
    left_above, right_above = heights[cell - width - 1], heights[cell - width + 1]
    left_below, right_below = heights[cell + width - 1], heights[cell + width + 1]
    one, other = min(left_above, right_below), min(right_above, left_below)
    in_row = (left_above < right_below) == (right_above < left_below)
    ahead, across = (row_rise, col_rise) if in_row else (col_rise, row_rise)
    fall = abs(one - other)
    if fall * slant >= 2.0 * across * across:  # steepest along a diagonal, or beyond it
        return min(one, other) + slant
    share = 0.5 * fall / across
    return 0.5 * (one + other) + ahead * math.sqrt(1.0 - share * share)


@lean
def _highest(up, side, row_rise, col_rise):
    """The height at which ground is just not too steep beside two lower neighbors."""
    alone = min(up + row_rise, side + col_rise)
    if alone <= max(up, side):
        return alone
    # ((z - up) / row_rise)² + ((z - side) / col_rise)² = 1
    a, b = 1.0 / (row_rise * row_rise), 1.0 / (col_rise * col_rise)
    middle = (a * up + b * side) / (a + b)
    between = up - side
    return middle + math.sqrt(max(a + b - a * b * between * between, 0.0)) / (a + b)


@kernel
def cut_down(network, order, first, last, ground, masks, constants, totals, part):
    """Cut the cells of whole trees, receivers first: places first … last - 1 of the order.

    masks: (cells, 3) float32, see `processes.shared.halo.share_masks`, or None. totals: (parts, 2): m on a cell that
    were taken, that left.
    """
    heights, carried = ground.heights, ground.carried
    lifted = 0.0
    for place in range(first, last):
        cell = np.int64(order[place])
        number = network.toward[cell]
        carried[cell], ground.lowest[cell] = 0.0, math.inf
        if number >= OUTLET:
            ground.levels[cell] = heights[cell]
            continue
        below = neighbor(network, cell, number)
        base, distance = heights[below], network.distances[number]
        old = heights[cell]
        if old > base:
            dug, soft = _shares(masks, cell)
            if dug > 0.0:
                pull = dug * constants.cut * _reach(ground.areas[cell], constants.concavity) / distance
                new = (old + pull * base) / (1.0 + pull)
                carried[cell] = _take(ground, cell, old - new, soft)
                lifted += carried[cell]
        ground.levels[cell] = max(heights[cell], ground.levels[below])
    totals[part, 0] += lifted


@kernel
def carry_down(network, order, first, last, ground, masks, constants, totals, part):
    """Carry what was cut down the trees, donors first, lay part of it down, and cut through the rims of pits."""
    heights, loose, carried = ground.heights, ground.loose, ground.carried
    levels, lowest = ground.levels, ground.lowest
    left = lifted = 0.0
    for place in range(last - 1, first - 1, -1):
        cell = np.int64(order[place])
        number = network.toward[cell]
        load = carried[cell]
        if number >= OUTLET:
            left += load
            continue
        below = neighbor(network, cell, number)
        if ground.limited.size and heights[cell] > ground.limited[cell]:
            dug, soft = _shares(masks, cell)
            fallen = dug * constants.falling * (heights[cell] - ground.limited[cell])
            fallen = _take(ground, cell, fallen, soft)
            load += fallen
            lifted += fallen
        bottom = min(lowest[cell], heights[cell])
        level = bottom + (1.0 - constants.breach) * (levels[cell] - bottom)  # to which a lake is drained and filled
        if load > 0.0:
            river = constants.deposition * load / (ground.areas[cell] + constants.channel)
            # No higher than what drains to it, or rivers would dam themselves.
            wanted = max(level - heights[cell], min(river, lowest[cell] - heights[cell]), 0.0)
            if masks is not None:
                wanted *= masks[cell, 1]
            laid = min(load, wanted)
            if ground.ceiling.size:
                laid = min(laid, max(ground.ceiling[cell] - heights[cell], 0.0))
            heights[cell] += laid
            loose[cell] += laid
            load -= laid
        lowest[below] = min(lowest[below], bottom if levels[below] == levels[cell] else heights[cell])
        rim = heights[below] - max(heights[cell], level)
        if rim > 0.0:
            dug, soft = _shares(masks, below)
            reach = _reach(ground.areas[cell], constants.concavity)
            pull = FLOODS * constants.cut * reach / network.distances[number]
            taken = _take(ground, below, dug * constants.breach * rim * pull / (1.0 + pull), soft)
            load += taken
            lifted += taken
        carried[below] += load
    totals[part, 0] += lifted
    totals[part, 1] += left


@kernel
def lower_border(network, ground, masks, cols):
    """Lower outlets of an open edge that stand above the slope inside them; returns what leaves, m on a cell.

    Nothing drains to such a cell: without this it stands as a wall where rivers lower the land behind it.
    """
    heights, width = ground.heights, cols + 2
    rows = heights.size // width - 2
    left = 0.0
    for row in range(1, rows + 1):
        inward = (row == 1) - np.int64(row == rows)
        for col in range(1, cols + 1, 1 if inward else max(cols - 1, 1)):
            cell = row * width + col
            if network.toward[cell] != OUTLET:
                continue
            step = inward * width + (col == 1) - np.int64(col == cols)
            inside = heights[cell + step]
            excess = heights[cell] - inside - max(inside - heights[cell + 2 * step], 0.0)
            if excess > 0.0:
                dug, soft = _shares(masks, cell)
                left += _take(ground, cell, dug * excess, soft)
    return left


@kernel
def fill_lowest(heights, loose, order, amount, masks):
    """Lay so much (m on a cell) down on the lowest ground, evenly up to one level, as in a basin without an outlet.

    Returns what masks keep off it.
    """
    lowest, deepest = math.inf, 0
    for cell in order:
        if heights[cell] < lowest:
            lowest, deepest = heights[cell], cell
    depth = amount / order.size
    while _room(heights, order, lowest + depth) < amount:
        depth *= 2.0
    low, high = 0.0, depth
    for _ in range(60):
        middle = 0.5 * (low + high)
        if _room(heights, order, lowest + middle) < amount:
            low = middle
        else:
            high = middle
    level, rest, kept = lowest + high, amount, 0.0
    for cell in order:
        if heights[cell] < level and rest > 0.0:
            share = min(level - heights[cell], rest)
            rest -= share
            laid = share if masks is None else share * masks[cell, 1]
            kept += share - laid
            heights[cell] += laid
            loose[cell] += laid
    heights[deepest] += rest  # what rounding left
    loose[deepest] += rest
    return kept


@lean
def _room(heights, order, level):
    """What fits below a level, m on a cell."""
    room = 0.0
    for place in range(order.size):
        room += max(level - heights[order[place]], 0.0)
    return room
