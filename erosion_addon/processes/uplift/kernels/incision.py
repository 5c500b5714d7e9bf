# SPDX-License-Identifier: GPL-3.0-or-later
"""Stream-power incision along the flow graph, ∂z/∂t = -K A^m Sⁿ, with a slope limit and deposition.

Implicit, from the outlets upstream: z + F (z - z_r)ⁿ equals the height before the step, with F = K
dt A^m / Δxⁿ and the receiver r. n = 1 has a closed form; otherwise Newton's method. Stable for
every time step. The eroded material is then routed downstream. A channel deposits G q / A of it (q:
volume that passes, A: drainage area); a pit deposits as much as the part of it to be filled still
holds. A receiver higher than its donor is the rim of a pit. It is cut down towards the donor by f F
/ (1 + f F), as for n = 1, with f for the floods of an overflowing lake. In rock F is multiplied by
1 - hardness, and so is the rate of the slope limit.

Sources: Braun & Willett, "A very efficient O(n), implicit and parallel method to solve the stream
power equation" (2013); Davy & Lague, "Fluvial erosion/transport equation of landscape evolution
models revisited" (2009), for G. Arrays are flat with a ring, see `drainage.kernels.receivers`.
Indices are unsigned, as a signed one is first asked whether it counts from the end; that is a tenth
of the time.
"""

import math
from typing import NamedTuple

import numpy as np

from ....base.kernels.elementary import power
from ....base.kernels.jit import allocation_free, kernel
from ....drainage.kernels.receivers import OUTLET
from ...shared.kernels.mask_layers import BREAKS, GIVES, TAKES

MOST_TURNS = 50
"""Most iterations of Newton's method for a cell; six to ten suffice."""

MOST_PULL = 1e200
"""Bound on F, which leaves nothing of a fall that float64 resolves."""

FLOODS = 10.0
"""Ratio of the incision of an overflowing lake's rim to that of a river with its drainage area."""

ALONG_AXES = 0.75
"""Weight of the four axial neighbors in the slope limit; the four diagonal ones have the rest.

Axial neighbors alone turn slopes to the diagonals, diagonal ones alone to the axes. On 32 dissected
fractal terrains equally many slopes face either, within 4 %; with a weight of 0.8 within 7 %.
"""


class Ground(NamedTuple):
    """Arrays of the kernels, one value per cell, in the order of the grid."""

    heights: np.ndarray
    """Surface, m."""
    loose: np.ndarray
    """Loose thickness, m; between `cut_down` and `carry_down` the surface within the slope
    limit.
    """
    floor: np.ndarray
    """Lowest allowed height, m; empty for none."""
    ceiling: np.ndarray
    """Highest allowed height, m; empty for none."""


class Trees(NamedTuple):
    """The same cells in the order of the flow graph: consecutive cells of a river are adjacent in
    memory, which is four times as fast as the grid.
    """

    order: np.ndarray
    """int32: cell at each position."""
    places: np.ndarray
    """int32: position of the receiver; an outlet is its own."""
    heights: np.ndarray
    """Surface, m."""
    loose: np.ndarray
    """Loose thickness, m."""
    areas: np.ndarray
    """Drainage areas, weighted by rain, m²."""
    levels: np.ndarray
    """Surface with pits filled."""
    lowest: np.ndarray
    """Lowest height upstream of a cell, within a lake its deepest place upstream."""
    carried: np.ndarray
    """Load, in m on a cell."""


class Constants(NamedTuple):
    """Constants of all cells for one time step."""

    cut: float
    """K dt for an area of 1 m², in meters."""
    area_exponent: float
    """m."""
    slope_exponent: float
    """n."""
    deposition: float
    """G times the area of a cell, m²."""
    channel: float
    """Drainage area of channels, m²; slopes receive hardly any deposits."""
    breach: float
    """Share of a pit drained by incision, 0-1."""
    falling: float
    """Share of the excess over the slope limit removed in a time step."""


@allocation_free
def _reach(area, exponent):
    """A^m."""
    return math.sqrt(area) if exponent == 0.5 else power(area, exponent)


@allocation_free
def _share_left(pull, exponent):
    """Root y of y + F yⁿ = 1: the remaining part of a fall of 1; relative error 1e-12.

    For n < 1 the unknown is u = yⁿ. The function is convex, so Newton's method from above never
    passes the root.
    """
    pull = min(pull, MOST_PULL)
    # x^outer + F x^inner = 1
    outer, inner = (1.0, exponent) if exponent > 1.0 else (1.0 / exponent, 1.0)
    left = 1.0
    if pull > 1.0:
        left = 1.0 / pull if inner == 1.0 else power(1.0 / pull, 1.0 / inner)
    for _ in range(MOST_TURNS):
        value = left if outer == 1.0 else power(left, outer)
        two = pull * (left if inner == 1.0 else power(left, inner))
        change = (value + two - 1.0) * left / (outer * value + inner * two)
        left -= change
        if change <= 1e-13 * left:
            break
    return left if outer == 1.0 else power(left, outer)


@allocation_free
def _softened(pull, soft, exponent):
    """Ratio of the eroded depths with F = soft · `pull` and F = `pull`, so that hard rock erodes in
    many short time steps as in few long ones.

    The depth is F yⁿ, so that the ratio is `soft` where F is 0, as on level ground and without
    water.
    """
    if exponent == 1.0:
        return soft * (1.0 + pull) / (1.0 + soft * pull)
    return soft * power(_share_left(soft * pull, exponent) / _share_left(pull, exponent), exponent)


@allocation_free
def _take(ground, trees, place, depth, soft):
    """Erode an amount from a cell, reduced by `soft` below the loose material; returns the
    amount.
    """
    heights = trees.heights
    loose = trees.loose
    if ground.floor.size:
        depth = min(depth, max(heights[place] - ground.floor[trees.order[place]], 0.0))
    from_loose = min(depth, loose[place])
    taken = from_loose + (depth - from_loose) * soft
    loose[place] -= from_loose
    heights[place] -= taken
    return taken


@allocation_free
def _shares(masks, cell):
    """Mask factors of a cell: erosion, and additional factor of its rock; 0-1."""
    if masks is None:
        return 1.0, 1.0
    dug = np.float64(masks[cell, GIVES])
    return dug, (masks[cell, BREAKS] / dug if dug > 0.0 else 0.0)


@kernel
def limit_slopes(network, heights, limited, cols, rises, steeper, upwards, first, last, behind):
    """Fill rows first … last - 1 of `limited` with the heights within the slope limit, in one sweep
    over the rows.

    The highest surface below the given one with |∇z| ≤ tan φ solves an eikonal equation (fast
    sweeping, Zhao 2005). Each time step makes one sweep, downward and upward in turn. rises: tan φ
    times the spacing along a column and along a row, m. steeper: (cells) float32, factor of tan φ
    in each cell, or None. behind: (cols + 2,) heights of the row before the first one of the sweep,
    which is limited. Stops at the first row that does not change; returns whether it did.
    """
    width = cols + 2
    lower = np.empty(width)  # bounds from the rows beside a row, for both directions along it
    slanting = np.empty(width)
    was = np.empty(width)
    for turn in range(last - first):
        row = last - 1 - turn if upwards else first + turn
        start = (row + 1) * width
        line = limited[start : start + width]
        toward = network.toward[start : start + width]
        was[:] = line
        factors = _begin_row(
            heights, limited, behind, row, upwards, rises, steeper, lower, slanting
        )
        for place in range(1, cols + 1):
            _lower(
                line, toward, place, lower[place], line[place - 1], slanting[place], rises, factors
            )
        for place in range(cols, 0, -1):
            _lower(
                line, toward, place, lower[place], line[place + 1], slanting[place], rises, factors
            )
        same = True
        for place in range(1, cols + 1):
            same &= line[place] == was[place]
        if same:
            return True
        behind = line
    return False


@kernel
def limit_two(network, heights, limited, cols, rises, steeper, upwards, first, middle, last):
    """`limit_slopes` on rows first … middle - 1 and middle … last - 1, each beside a row that is
    not limited yet.

    The second has as many rows or one more. Each cell waits for the one before it; two at a time
    take two thirds of the time of one after the other.
    """
    width = cols + 2
    lower = np.empty(width)
    slanting = np.empty(width)
    lower_2 = np.empty(width)
    slanting_2 = np.empty(width)
    for turn in range(last - middle):
        row, row_2 = (
            (middle - 1 - turn, last - 1 - turn) if upwards else (first + turn, middle + turn)
        )
        before = heights if turn == 0 else limited
        back = 2 * width if upwards else 0
        two = turn < middle - first
        start = (row + 1) * width
        start_2 = (row_2 + 1) * width
        own_2 = limited[start_2 : start_2 + width]
        toward_2 = network.toward[start_2 : start_2 + width]
        behind = before[row_2 * width + back :][:width]
        factors_2 = _begin_row(
            heights, limited, behind, row_2, upwards, rises, steeper, lower_2, slanting_2
        )
        if not two:
            start = start_2
            factors = factors_2
        else:
            behind = before[row * width + back :][:width]
            factors = _begin_row(
                heights, limited, behind, row, upwards, rises, steeper, lower, slanting
            )
        line = limited[start : start + width]
        toward = network.toward[start : start + width]
        for place in range(1, cols + 1):
            if two:
                _lower(
                    line,
                    toward,
                    place,
                    lower[place],
                    line[place - 1],
                    slanting[place],
                    rises,
                    factors,
                )
            _lower(
                own_2,
                toward_2,
                place,
                lower_2[place],
                own_2[place - 1],
                slanting_2[place],
                rises,
                factors_2,
            )
        for place in range(cols, 0, -1):
            if two:
                _lower(
                    line,
                    toward,
                    place,
                    lower[place],
                    line[place + 1],
                    slanting[place],
                    rises,
                    factors,
                )
            _lower(
                own_2,
                toward_2,
                place,
                lower_2[place],
                own_2[place + 1],
                slanting_2[place],
                rises,
                factors_2,
            )


@kernel
def _begin_row(heights, limited, behind, row, upwards, rises, steeper, lower, slanting):
    """Set a row to its heights, and fill `lower` and `slanting`; returns the factors of tan φ along
    it, or None.

    behind: heights of the row before it in the sweep.
    """
    width = lower.size
    start = (row + 1) * width
    ahead = start - width if upwards else start + width
    before = heights[ahead : ahead + width]
    above, below = (before, behind) if upwards else (behind, before)
    factors = None if steeper is None else steeper[start : start + width]
    _between_diagonals(above, below, lower, slanting, *rises, factors)
    limited[start : start + width] = heights[start : start + width]
    return factors


@allocation_free
def _lower(line, toward, place, up, side, slanting, rises, factors):
    """Lower a cell of a row to the greatest height that its neighbors allow. factors: of tan φ
    along the row, or None.
    """
    row_rise, col_rise = rises
    slant = math.sqrt(row_rise * row_rise + col_rise * col_rise)
    # by which ground is highest above neighbors of one height
    least = ALONG_AXES * row_rise * col_rise / slant
    steep = 1.0 if factors is None else np.float64(factors[place])
    if (
        line[place] > ALONG_AXES * min(up, side) + slanting + steep * least
        and toward[place] != OUTLET
    ):
        line[place] = min(
            line[place],
            ALONG_AXES * _highest(up, side, steep * row_rise, steep * col_rise) + slanting,
        )


@allocation_free
def _between_diagonals(above, below, lower, slanting, row_rise, col_rise, factors):
    """Fill `lower` and `slanting` for a row: the lower neighbor along the column, and the weighted
    greatest height beside the lower neighbors on both diagonals, as in `_highest`.

    factors: of tan φ along the row, or None.
    """
    slant = math.sqrt(row_rise * row_rise + col_rise * col_rise)
    for place in range(1, lower.size - 1):
        lower[place] = min(above[place], below[place])
        left_above = above[place - 1]
        right_above = above[place + 1]
        left_below = below[place - 1]
        right_below = below[place + 1]
        falling = min(left_above, right_below)
        rising = min(right_above, left_below)
        in_row = (left_above < right_below) == (right_above < left_below)
        steep = 1.0 if factors is None else np.float64(factors[place])
        ahead, across = (row_rise, col_rise) if in_row else (col_rise, row_rise)
        ahead = steep * ahead
        across = steep * across
        along = steep * slant
        fall = abs(falling - rising)
        share = 0.5 * fall / across
        between = 0.5 * (falling + rising) + ahead * math.sqrt(1.0 - share * share)
        diagonal = min(falling, rising) + along  # steepest along a diagonal, or beyond it
        highest = diagonal if fall * along >= 2.0 * across * across else between
        slanting[place] = (1.0 - ALONG_AXES) * highest


@allocation_free
def _highest(up, side, row_rise, col_rise):
    """Greatest stable height beside two lower neighbors."""
    alone = min(up + row_rise, side + col_rise)
    if alone <= max(up, side):
        return alone
    # ((z - up) / row_rise)² + ((z - side) / col_rise)² = 1
    a = 1.0 / (row_rise * row_rise)
    b = 1.0 / (col_rise * col_rise)
    middle = (a * up + b * side) / (a + b)
    between = up - side
    return middle + math.sqrt(max(a + b - a * b * between * between, 0.0)) / (a + b)


@kernel
def rain(trees, first, last, rained_on, area):
    """Fill the drainage areas at places first … last - 1 with those of the cells themselves.

    rained_on: m² of each cell in the grid's order, weighted by rain; None: `area` everywhere.
    """
    for place in range(np.uintp(first), np.uintp(last)):
        trees.areas[place] = area if rained_on is None else rained_on[np.uintp(trees.order[place])]


@kernel
def drain(trees, stretches):
    """Add drainage areas up over stretches of the order, see `FlowGraph.downstream`."""
    places = trees.places
    areas = trees.areas
    for stretch in range(len(stretches) - 1, -1, -1):
        first, last = stretches[stretch]
        for turn in range(last - 1, first - 1, -1):
            donor = np.uintp(turn)
            receiver = np.uintp(places[donor])
            if receiver != donor:
                areas[receiver] += areas[donor]


@kernel
def cut_down(network, stretches, ground, trees, masks, constants, totals, part):
    """Incise the cells of stretches of the order, see `FlowGraph.upstream`.

    masks: (cells, 3) float32, see `processes.shared.halo.share_masks`, or None. totals: (parts, 2),
    eroded and exported, m on a cell.
    """
    heights = trees.heights
    loose = trees.loose
    levels = trees.levels
    lowest = trees.lowest
    carried = trees.carried
    lifted = 0.0
    for first, last in stretches:
        for place in range(np.uintp(first), np.uintp(last)):
            cell = np.uintp(trees.order[place])
            below = np.uintp(trees.places[place])
            old = ground.heights[cell]
            heights[place] = old
            loose[place] = ground.loose[cell]
            carried[place] = 0.0
            lowest[place] = math.inf
            if below == place:
                levels[place] = old
                continue
            base = heights[below]
            if old > base:
                dug, soft = _shares(masks, cell)
                if dug > 0.0:
                    distance = network.distances[network.toward[cell]]
                    pull = (
                        dug
                        * constants.cut
                        * _reach(trees.areas[place], constants.area_exponent)
                        / distance
                    )
                    depth = old - (old + pull * base) / (1.0 + pull)
                    if constants.slope_exponent != 1.0:
                        pull *= power((old - base) / distance, constants.slope_exponent - 1.0)
                        depth = (old - base) * (1.0 - _share_left(pull, constants.slope_exponent))
                    if 0.0 < soft < 1.0:
                        soft = _softened(pull, soft, constants.slope_exponent)
                    carried[place] = _take(ground, trees, place, depth, soft)
                    lifted += carried[place]
                    ground.heights[cell] = heights[place]
            levels[place] = max(heights[place], levels[below])
    totals[part, 0] += lifted


@kernel
def carry_down(network, stretches, ground, trees, limits, masks, constants, totals, part):
    """Route the eroded material down stretches of the order, see `FlowGraph.downstream`; deposit
    part of it, and cut through the rims of pits.

    limits: whether slopes are limited.
    """
    heights = trees.heights
    loose = trees.loose
    carried = trees.carried
    levels = trees.levels
    lowest = trees.lowest
    left = lifted = 0.0
    for stretch in range(len(stretches) - 1, -1, -1):
        first, last = stretches[stretch]
        for turn in range(last - 1, first - 1, -1):
            place = np.uintp(turn)
            cell = np.uintp(trees.order[place])
            below = np.uintp(trees.places[place])
            load = carried[place]
            if below == place:
                left += load
                ground.heights[cell] = heights[place]
                ground.loose[cell] = loose[place]
                continue
            if limits:
                dug, soft = _shares(masks, cell)
                fallen = dug * constants.falling * max(heights[place] - ground.loose[cell], 0.0)
                soft = _softened(constants.falling / (1.0 - constants.falling), soft, 1.0)
                fallen = _take(ground, trees, place, fallen, soft)
                load += fallen
                lifted += fallen
            height = heights[place]
            bottom = min(lowest[place], height)
            # to which a lake is drained and filled
            level = bottom + (1.0 - constants.breach) * (levels[place] - bottom)
            if load > 0.0:
                river = constants.deposition * load / (trees.areas[place] + constants.channel)
                # No higher than its donors, or rivers would dam themselves.
                room = max(level - height, min(river, lowest[place] - height), 0.0)
                if masks is not None:
                    room *= masks[cell, TAKES]
                deposit = min(load, room)
                if ground.ceiling.size:
                    deposit = min(deposit, max(ground.ceiling[cell] - height, 0.0))
                height += deposit
                loose[place] += deposit
                load -= deposit
            ground.heights[cell] = height
            ground.loose[cell] = loose[place]
            lowest[below] = min(lowest[below], bottom if levels[below] == levels[place] else height)
            rim = heights[below] - max(height, level)
            if rim > 0.0:
                dug, soft = _shares(masks, trees.order[below])
                reach = _reach(trees.areas[place], constants.area_exponent)
                pull = FLOODS * constants.cut * reach / network.distances[network.toward[cell]]
                soft = _softened(pull, soft, 1.0)
                taken = _take(ground, trees, below, dug * rim * pull / (1.0 + pull), soft)
                load += taken
                lifted += taken
            carried[below] += load
    totals[part, 0] += lifted
    totals[part, 1] += left


@kernel
def lower_border(network, ground, masks, cols):
    """Lower the outlets of an open edge to the slope inside them; returns the amount exported, m on
    a cell.

    Nothing drains to such a cell, so it would stand as a wall while rivers lower the land behind
    it.
    """
    heights = ground.heights
    width = cols + 2
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
                depth = dug * excess
                if ground.floor.size:
                    depth = min(depth, max(heights[cell] - ground.floor[cell], 0.0))
                from_loose = min(depth, ground.loose[cell])
                taken = from_loose + (depth - from_loose) * soft
                ground.loose[cell] -= from_loose
                heights[cell] -= taken
                left += taken
    return left


@kernel
def fill_lowest(heights, loose, order, amount, masks):
    """Deposit an amount (m on a cell) on the lowest ground up to a common level, as in a basin
    without an outlet.

    Returns the part that masks refuse.
    """
    lowest = math.inf
    deepest = 0
    for cell in order:
        if heights[cell] < lowest:
            lowest = heights[cell]
            deepest = cell
    depth = max(amount / order.size, 1e-300)
    while lowest + depth == lowest:  # hundreds of rounds, each without a look at all cells
        depth *= 2.0
    while _room(heights, order, lowest + depth) < amount:  # until it is the relief, or infinite
        depth *= 2.0
    low = 0.0
    high = depth
    for _ in range(60):
        middle = 0.5 * (low + high)
        if _room(heights, order, lowest + middle) < amount:
            low = middle
        else:
            high = middle
    level = lowest + high
    rest = amount
    refused = 0.0
    for cell in order:
        if heights[cell] < level and rest > 0.0:
            share = min(level - heights[cell], rest)
            rest -= share
            gain = share if masks is None else share * masks[cell, TAKES]
            refused += share - gain
            heights[cell] += gain
            loose[cell] += gain
    heights[deepest] += rest  # the rounding error
    loose[deepest] += rest
    return refused


@allocation_free
def _room(heights, order, level):
    """Capacity below a level, m on a cell."""
    room = 0.0
    for place in range(order.size):
        room += max(level - heights[order[place]], 0.0)
    return room
