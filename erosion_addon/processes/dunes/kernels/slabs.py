# SPDX-License-Identifier: GPL-3.0-or-later
"""Slabs of sand that hop along wind lines.

Each cell lies on exactly one line, and a slab stays on its line: lines may be processed on any number of threads, in
any order, with the same result.

Sources: Werner, "Eolian dunes: computer simulations and attractor interpretation" (1995); Momiji, Carretero-González,
Bishop & Warren, "Simulation of the effect of wind speedup in the formation of transverse dune fields" (2000); Paris,
Peytavie, Guérin, Argudo & Galin, "Desertscape simulation" (2019), for plants and rock.
"""

import math
from typing import NamedTuple

import numpy as np

from ....kernels import rng
from ....kernels.edges import CLOSED, WRAP
from ....kernels.jit import allocation_free, inlined, kernel
from ...shared.kernels.mask_layers import DUG, HIGHEST, LAID, LOWEST, SOFT
from .lines import aside, cell_of, extent, following

HOPS, OUT, BROUGHT, WORN, COUNTS = 0, 1, 2, 3, 4
"""Columns of `totals`: hops; and in m on a cell: sand exported, sand supplied, rock abraded."""

SAND, ROCK = 0.6, 0.1
"""Probability that a slab settles on open sand and on bare rock (Werner)."""

CALM, STORM = 0.25, 3.0
"""Bounds on the hop length relative to level ground."""

SETTLED = -1


class Constants(NamedTuple):
    """Constants of all cells for one wind. A step is one cell along a line."""

    slab: float
    """Thickness of a slab, m."""
    hop: float
    """Length of a hop on level ground, steps."""
    speed_up: float
    """Relative increase of the hop length per meter by which the ground ahead rises above its surroundings."""
    lead: int
    """Distance ahead in steps: wind over a slope is fastest before the crest."""
    drop: float
    """Descent of the shadow per step, m."""
    climb: float
    """Greatest rise of a slab per step, m."""
    wear: float
    """Rock abraded by a bouncing slab, m."""
    reach: float
    """Height above the surroundings above which rock is spared, m; 0: no limit."""
    dust: float
    """Share of abraded rock lost as dust."""
    hull: int
    """Half width, along the wind, of the mean that this height refers to, steps."""
    brought: float
    """Slabs supplied on each line at the windward edge, or anywhere where edges wrap."""
    edges: int


class Ground(NamedTuple):
    """Layers of the ground, flattened."""

    rock: np.ndarray
    """(rows + 2, cols + 2), m, padded."""
    loose: np.ndarray
    """(rows + 2, cols + 2), m, padded."""
    bump: np.ndarray
    """(rows, cols): height of the smoothed ground above its surroundings, m."""
    blown: np.ndarray
    """(rows, cols) uint8: 1 where the wind could lift sand at the end of the sweep, 0 in the wind shadow."""


class Line(NamedTuple):
    """Cells of a line in downwind order."""

    ringed: np.ndarray
    """Index of the cell in a padded array."""
    cell: np.ndarray
    """Index of the cell in an unpadded array."""
    start: np.ndarray
    """Whether the line enters over an edge here."""
    rock: np.ndarray
    loose: np.ndarray
    top: np.ndarray
    """Surface height, m."""
    shade: np.ndarray
    """Height of the wind shadow, m."""
    hop: np.ndarray
    """Mean hop length, steps."""
    give: np.ndarray
    """Share of a slab that can be lifted, 0-1."""
    take: np.ndarray
    """Probability factor of settling, 0-1."""
    plants: np.ndarray
    """Plant cover, 0-1."""
    soft: np.ndarray
    """Abradability of bare rock, 0-1, or 0-2 where high ground is spared."""
    rise: np.ndarray
    """Height of the smoothed ground above its surroundings, m."""
    lowest: np.ndarray
    highest: np.ndarray


@allocation_free
def _hop_length(number, step, rays, shape, bump, constants):
    """Mean hop length at a step of a line, by the height of the ground; steps."""
    length, _ = extent(rays, shape)
    if step >= length:
        if constants.edges == WRAP:
            number, step = number + aside(rays, length), step - length
        else:
            step = length - 1
    row, col, _ = cell_of(rays, shape, number, step)
    faster = 1.0 + constants.speed_up * bump[row * shape[1] + col]
    return constants.hop * min(max(faster, CALM), STORM)


@kernel
def _make_line(length):
    whole = np.empty((2, length), np.int64)
    parts = np.empty((12, length))
    start = np.zeros(length, np.bool_)
    return Line(
        whole[0],
        whole[1],
        start,
        parts[0],
        parts[1],
        parts[2],
        parts[3],
        parts[4],
        parts[5],
        parts[6],
        parts[7],
        parts[8],
        parts[9],
        parts[10],
        parts[11],
    )


@allocation_free
def _fetch(line, number, rays, shape, ground, cover, shares, constants):
    """Load the cells of a line."""
    cols, wrap = shape[1], constants.edges == WRAP
    before = np.int64(0)
    for step in range(line.cell.size):
        row, col, turns = cell_of(rays, shape, number, step)
        at, ringed = row * cols + col, (row + 1) * (cols + 2) + col + 1
        line.start[step] = step == 0 or (turns != before and not wrap)
        before = turns
        line.ringed[step], line.cell[step] = ringed, at
        line.rock[step], line.loose[step] = ground.rock[ringed], ground.loose[ringed]
        line.top[step] = ground.rock[ringed] + ground.loose[ringed]
        line.rise[step] = ground.bump[at]
        line.hop[step] = _hop_length(number, step + constants.lead, rays, shape, ground.bump, constants)
        line.give[step], line.take[step], line.soft[step], line.plants[step] = 1.0, 1.0, 1.0, 0.0
        line.lowest[step], line.highest[step] = -math.inf, math.inf
        if cover is not None:
            line.plants[step] = cover[at, 0]
            line.give[step] = cover[at, 1]
        if shares is not None:
            line.give[step] *= shares[at, DUG]
            line.take[step], line.soft[step] = shares[at, LAID], shares[at, DUG] * shares[at, SOFT]
            if shares.shape[1] > HIGHEST:
                line.lowest[step], line.highest[step] = shares[at, LOWEST], shares[at, HIGHEST]
    if constants.wear > 0.0 and constants.reach > 0.0:
        _spare_heights(line, constants)


@allocation_free
def _spare_heights(line, constants):
    """Increase abradability on low ground along the wind, and clear it on high ground.

    Grains fly low, so the wind carves lanes between ridges.
    """
    length, half = line.rise.size, constants.hull
    before = 0.0
    for step in range(min(half, length)):
        before += line.rise[step]
    first = last = 0
    for step in range(length):
        if step + half < length:
            before += line.rise[step + half]
        if step - half - 1 >= 0:
            before -= line.rise[step - half - 1]
        first, last = max(step - half, 0), min(step + half, length - 1)
        height = before / (last - first + 1) / constants.reach
        line.soft[step] *= min(max(1.0 - height, 0.0), 2.0)


@allocation_free
def _cast(line, first, last, above, drop):
    """Cast shadows over the steps first … last - 1; above: height of the shadow that falls on the first."""
    for step in range(first, last):
        line.shade[step] = above
        above = max(line.top[step], above) - drop


@allocation_free
def _change(line, at, last, amount, drop):
    """Add an amount to a cell, which may be negative, and update the shadow downwind."""
    line.loose[at] += amount
    line.top[at] = line.rock[at] + line.loose[at]
    above = max(line.top[at], line.shade[at]) - drop
    for step in range(at + 1, last):
        if line.shade[step] == above:
            break
        line.shade[step] = above
        above = max(line.top[step], above) - drop


@inlined
def _sheltered(line, at, constants):
    """Whether a cell lies in the wind shadow, deeper than a slab: a dent of one slab makes no lee."""
    return line.top[at] + constants.slab < line.shade[at]


@allocation_free
def _order(begin, count, one, other):
    """Start and stride of a tour that visits each of `count` cells once. one, other: random numbers, 0-1."""
    stride = np.int64((0.25 + 0.5 * one) * count)
    while math.gcd(stride, count) != 1:
        stride = stride % count + 1
    return begin + np.int64(other * count), min(stride, count - 1)


@inlined
def _may_lie(line, at, load):
    """Whether masks and depth limits permit a deposit."""
    return line.take[at] > 0.0 and line.top[at] + load <= line.highest[at]


@inlined
def _hop(line, at, chance):
    """Length of the next hop in steps: uniform up to twice the mean, so that sand lands evenly."""
    return max(np.int64(2.0 * line.hop[at] * chance + 0.5), 1)


@inlined
def _landing(line, at, to, last, constants):
    """End of a hop: grains fly so low that none passes a lee."""
    for step in range(at + 1, min(to, last)):
        if _sheltered(line, step, constants):
            return step
    return to


@allocation_free
def _fly(line, at, base, last, load, start, draw, constants):
    """Fly a slab that lands at step `at`, hop by hop, until it settles or leaves the line.

    base: height of its origin. Returns hops, random draws, rock abraded, and steps to its landing beyond the end, or
    `SETTLED`.
    """
    hops, worn = 1, 0.0
    while True:
        if at >= last:
            return hops, draw, worn, at - last
        if line.top[at] - base > constants.climb * constants.hop:  # a wall: it stays at its foot
            foot = at
            while foot > 0 and not line.start[foot] and line.top[foot] - base > constants.climb:
                foot -= 1
            if _may_lie(line, foot, load):
                _change(line, foot, last, load, constants.drop)
                return hops, draw, worn, SETTLED
        chance = line.take[at]
        if not _sheltered(line, at, constants):
            settles = ROCK + (SAND - ROCK) * min(line.loose[at] / constants.slab, 1.0)
            chance *= settles + (1.0 - settles) * line.plants[at]
        if line.top[at] + load > line.highest[at]:
            chance = 0.0
        if rng.uniform(start, draw) < chance:
            _change(line, at, last, load, constants.drop)
            return hops, draw + 1, worn, SETTLED
        if constants.wear > 0.0 and line.loose[at] < constants.slab and line.soft[at] > 0.0:
            depth = constants.wear * line.soft[at] * (1.0 - line.loose[at] / constants.slab)
            line.rock[at] -= depth
            line.loose[at] += depth * (1.0 - constants.dust)
            worn += depth
        base = line.top[at]
        at = _landing(line, at, at + _hop(line, at, rng.uniform(start, draw + 1)), last, constants)
        draw += 2
        hops += 1


@allocation_free
def _store(line, ground, constants):
    for step in range(line.ringed.size):
        ground.rock[line.ringed[step]], ground.loose[line.ringed[step]] = line.rock[step], line.loose[step]
        ground.blown[line.cell[step]] = not _sheltered(line, step, constants) and line.give[step] > 0.0


@kernel
def find_shadows(first, last, rays, shape, ground, constants, tails):
    """Height of the shadow beyond the end of the lines first … last - 1, with no shadow at their start."""
    for number in range(first, last):
        above = -math.inf
        for step in range(extent(rays, shape)[0]):
            row, col, _ = cell_of(rays, shape, number, step)
            ringed = (row + 1) * (shape[1] + 2) + col + 1
            above = max(ground.rock[ringed] + ground.loose[ringed], above) - constants.drop
        tails[number] = above


@kernel
def hand_on_shadows(rays, shape, constants, tails, entering):
    """Fill `entering` with the height of the shadow that enters over the edge at the start of each line."""
    length, count = extent(rays, shape)
    for number in range(count):
        entering[following(number, rays, shape)] = tails[number]
    reach = length * constants.drop
    for _ in range(2):  # a shadow longer than a line
        for number in range(count):
            after = following(number, rays, shape)
            entering[after] = max(entering[after], entering[number] - reach)


@kernel
def blow(first, last, rays, shape, ground, cover, shares, constants, key, entering, leaving, totals):
    """Run saltation on the lines first … last - 1, with as many draws as each line has cells.

    A draw picks a cell. If it is bare or in the wind shadow, nothing is lifted. Otherwise a slab hops downwind. It
    always settles in a shadow; elsewhere with a probability that is higher on sand than on rock and highest among
    plants. It also stops at the foot of ground that is too steep to climb.

    cover: (cells, 2) float32, plants and the liftable share of dry sand; or None. shares: (cells, 4 or 6) float32,
    see `mask_layers`, with heights in meters; or None. key: uint64. entering: (lines,) shadow height over the start, m.
    leaving: see `hand_on`. totals: (lines, COUNTS).
    """
    length, _ = extent(rays, shape)
    line = _make_line(length)
    wrap = constants.edges == WRAP
    for number in range(first, last):
        _fetch(line, number, rays, shape, ground, cover, shares, constants)
        start, draw = rng.stream(key, number), 0
        begin = 0
        while begin < length:
            end = begin + 1
            while end < length and not line.start[end]:
                end += 1
            _cast(line, begin, end, entering[number] if wrap else -math.inf, constants.drop)
            draw = _blow_line(line, begin, end, start, draw, constants, number, leaving, totals)
            begin = end
        _store(line, ground, constants)


@allocation_free
def _blow_line(line, begin, end, start, draw, constants, number, leaving, totals):
    """`blow` on the steps begin … end - 1 of a line, which starts and ends at an edge; returns the draws."""
    hops = 0
    out = brought = worn = 0.0
    if constants.brought > 0.0:
        for _ in range(int(constants.brought + rng.uniform(start, draw))):
            one, other = rng.uniform(start, draw + 1), rng.uniform(start, draw + 2)
            # As far as hops reach over the edge, from all places before it.
            way = one * (end - begin) if constants.edges == WRAP else 2.0 * constants.hop * min(one, other)
            given = _fly(line, begin + np.int64(way), math.inf, end, constants.slab, start, draw + 3, constants)
            hops, draw, worn = hops + given[0], given[1], worn + given[2]
            brought += constants.slab
            if given[3] != SETTLED:
                out += _let_out(line, end, constants.slab, constants, number, given[3], leaving)
        draw += 1
    count = end - begin
    at, stride = _order(begin, count, rng.uniform(start, draw), rng.uniform(start, draw + 1))
    draw += 2
    for _ in range(count):
        at += stride
        if at >= end:
            at -= count
        if line.loose[at] <= 0.0 or _sheltered(line, at, constants):
            continue
        load = min(min(constants.slab, line.loose[at]) * line.give[at], max(line.top[at] - line.lowest[at], 0.0))
        if load <= 0.0:
            continue
        base = line.top[at]
        to = _landing(line, at, at + _hop(line, at, rng.uniform(start, draw)), end, constants)
        _change(line, at, end, -load, constants.drop)
        given = _fly(line, to, base, end, load, start, draw + 1, constants)
        hops, draw, worn = hops + given[0], given[1], worn + given[2]
        if given[3] != SETTLED:
            out += _let_out(line, end, load, constants, number, given[3], leaving)
    totals[number, HOPS] += hops
    totals[number, OUT] += out + worn * constants.dust
    totals[number, BROUGHT] += brought
    totals[number, WORN] += worn
    return draw


@allocation_free
def _let_out(line, end, load, constants, number, beyond, leaving):
    """Export a slab beyond the end of its line, or hand it on; returns the amount exported."""
    if constants.edges == WRAP:
        leaving[number, min(beyond, leaving.shape[1] - 1)] += load
        return 0.0
    if constants.edges == CLOSED and _may_lie(line, end - 1, load):
        _change(line, end - 1, end, load, constants.drop)
        return 0.0
    return load


@kernel
def hand_on(first, last, rays, shape, ground, cover, shares, constants, key, entering, arriving, leaving, totals):
    """Deposit sand that crossed a wrapped edge on the lines first … last - 1 and beyond.

    arriving, leaving: (lines, steps) sand that enters at the start, which is consumed, and sand that continues beyond
    the end, by landing step; m on a cell.
    """
    length, _ = extent(rays, shape)
    line = _make_line(length)
    for number in range(first, last):
        if not np.any(arriving[number]):
            continue
        _fetch(line, number, rays, shape, ground, cover, shares, constants)
        _cast(line, 0, length, entering[number], constants.drop)
        start, draw, hops, worn = rng.stream(key, number), 0, 0, 0.0
        for place in range(arriving.shape[1]):
            while arriving[number, place] > 0.0:
                load = min(constants.slab, arriving[number, place])
                arriving[number, place] -= load
                given = _fly(line, place, math.inf, length, load, start, draw, constants)
                hops, draw, worn = hops + given[0] - 1, given[1], worn + given[2]
                if given[3] != SETTLED:
                    leaving[number, min(given[3], leaving.shape[1] - 1)] += load
        totals[number, HOPS] += hops
        totals[number, OUT] += worn * constants.dust
        totals[number, WORN] += worn
        _store(line, ground, constants)
