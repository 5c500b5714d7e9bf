# SPDX-License-Identifier: GPL-3.0-or-later
"""Slabs of sand that hop along wind lines.

Each cell lies on exactly one line, and a slab stays on its line: lines may be processed on any
number of threads, in any order, with the same result. Cells of a line are indexed unsigned where it
counts, as a signed index is first asked whether it counts from the end.

Sources: Werner, "Eolian dunes: computer simulations and attractor interpretation" (1995); Momiji,
Carretero-González, Bishop & Warren, "Simulation of the effect of wind speedup in the formation of
transverse dune fields" (2000); Paris, Peytavie, Guérin, Argudo & Galin, "Desertscape simulation"
(2019), for plants and rock.
"""

import math
from typing import NamedTuple

import numpy as np

from ....base.kernels import rng
from ....base.kernels.ghost_cells import CLOSED, WRAP
from ....base.kernels.jit import allocation_free, inlined, kernel
from ...shared.kernels.mask_layers import DUG, HIGHEST, LAID, LOWEST, SOFT
from .lines import cell_of, extent, following, make_path, trace

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
    """Relative increase of the hop length per meter by which the ground ahead rises above its
    surroundings.
    """
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
    """(rows, cols) uint8: 1 where the wind could lift sand at the end of the sweep, 0 in the wind
    shadow.
    """
    cover: np.ndarray | None
    """(cells, 2) float32: plants, and the liftable share of dry sand."""
    shares: np.ndarray | None
    """(cells, 4 or 6) float32, see `mask_layers`, with heights in meters."""


class Ends(NamedTuple):
    """Exchange at the ends of the lines, and totals, by line."""

    entering: np.ndarray
    """(lines,): height of the shadow over the start, m."""
    leaving: np.ndarray
    """(lines, steps): sand that continues beyond the end, by landing step; m on a cell."""
    totals: np.ndarray
    """(lines, COUNTS)"""


PLACE = np.dtype(
    [(name, np.float64) for name in ("rock", "loose", "top", "shade", "hop", "soft")], align=True
)
"""A cell of a line, which is an array of these in downwind order: draws jump to and fro, so the
numbers of a cell lie side by side.

rock, loose, top: thickness of rock and sand, and surface height, m. shade: height of the wind
shadow, m. hop: mean hop length, steps. soft: abradability of bare rock, 0-1, or 0-2 where high
ground is spared.
"""

HOLD = np.dtype(
    [(name, np.float64) for name in ("give", "take", "plants", "lowest", "highest")], align=True
)
"""Effect of masks, plants and depth limits in a cell of a line.

give: share of a slab that can be lifted. take: probability factor of settling. plants: cover, 0-1.
lowest, highest: limits of the surface height, m.
"""


@kernel
def _make_holds(length, cover, shares):
    """Holds of a line, not filled; None without any: kernels are then compiled without all that
    asks for them.
    """
    return None if cover is None and shares is None else np.empty(length, HOLD)


@allocation_free
def _fetch(line, holds, path, number, rays, shape, ground, constants):
    """Load the cells of a line."""
    trace(rays, shape, number, path)
    rock = ground.rock
    loose = ground.loose
    for step in range(np.uintp(line.size)):
        place = line[step]
        ringed = path.ringed[step]
        place.rock = rock[ringed]
        place.loose = loose[ringed]
        place.top = place.rock + place.loose
        place.soft = 1.0
    _find_hops(line, path.cell, number, rays, shape, ground.bump, constants)
    if holds is not None:
        _fetch_holds(line, holds, path.cell, ground.cover, ground.shares)
    if constants.wear > 0.0 and constants.reach > 0.0:
        _spare_heights(line, path.cell, ground.bump, constants)


@allocation_free
def _find_hops(line, cells, number, rays, shape, bump, constants):
    """Mean hop lengths along a line, by the height of the ground ahead."""
    length = line.size
    for step in range(length):
        ahead = step + constants.lead
        if ahead < length:
            cell = cells[np.uintp(ahead)]
        elif constants.edges == WRAP:
            cell = cell_of(rays, shape, number, ahead)
        else:
            cell = cells[length - 1]
        faster = 1.0 + constants.speed_up * bump[cell]
        line[np.uintp(step)].hop = constants.hop * min(max(faster, CALM), STORM)


@allocation_free
def _fetch_holds(line, holds, cells, cover, shares):
    for step in range(line.size):
        at = cells[step]
        hold = holds[step]
        hold.give = 1.0
        hold.take = 1.0
        hold.plants = 0.0
        hold.lowest = -math.inf
        hold.highest = math.inf
        if cover is not None:
            hold.plants = cover[at, 0]
            hold.give = cover[at, 1]
        if shares is not None:
            hold.give *= shares[at, DUG]
            hold.take = shares[at, LAID]
            line[step].soft = shares[at, DUG] * shares[at, SOFT]
            if shares.shape[1] > HIGHEST:
                hold.lowest = shares[at, LOWEST]
                hold.highest = shares[at, HIGHEST]


@allocation_free
def _spare_heights(line, cells, bump, constants):
    """Increase abradability on low ground along the wind, and clear it on high ground.

    Grains fly low, so the wind carves lanes between ridges.
    """
    length = line.size
    half = constants.hull
    before = 0.0
    for step in range(min(half, length)):
        before += bump[cells[step]]
    first = last = 0
    for step in range(length):
        if step + half < length:
            before += bump[cells[step + half]]
        if step - half - 1 >= 0:
            before -= bump[cells[step - half - 1]]
        first = max(step - half, 0)
        last = min(step + half, length - 1)
        height = before / (last - first + 1) / constants.reach
        line[step].soft *= min(max(1.0 - height, 0.0), 2.0)


@allocation_free
def _cast(line, first, last, above, drop):
    """Cast shadows over the steps first … last - 1; above: height of the shadow that falls on the
    first.
    """
    for step in range(first, last):
        line[np.uintp(step)].shade = above
        above = max(line[np.uintp(step)].top, above) - drop


@allocation_free
def _change(line, at, last, amount, drop):
    """Add an amount to a cell, which may be negative, and update the shadow downwind."""
    place = line[np.uintp(at)]
    place.loose += amount
    place.top = place.rock + place.loose
    above = max(place.top, place.shade) - drop
    for step in range(at + 1, last):
        place = line[np.uintp(step)]
        if place.shade == above:
            break
        place.shade = above
        above = max(place.top, above) - drop


@inlined
def _sheltered(place, constants):
    """Whether a cell lies in the wind shadow, deeper than a slab: a dent of one slab makes no
    lee.
    """
    return place.top + constants.slab < place.shade


@allocation_free
def _order(begin, count, first, second):
    """Start and stride of a tour that visits each of `count` cells once. first, second: random
    numbers, 0-1.
    """
    stride = np.int64((0.25 + 0.5 * first) * count)
    while math.gcd(stride, count) != 1:  # 1 comes within one round
        stride = stride % count + 1
    return begin + np.int64(second * count), min(stride, count - 1)


@inlined
def _may_lie(line, holds, at, load):
    """Whether masks and depth limits permit a deposit."""
    if holds is None:
        return True
    return holds[at].take > 0.0 and line[np.uintp(at)].top + load <= holds[at].highest


@inlined
def _chance(place, holds, at, load, constants):
    """Probability that a slab settles."""
    settles = 1.0
    if not _sheltered(place, constants):
        settles = ROCK + (SAND - ROCK) * min(place.loose / constants.slab, 1.0)
        if holds is not None:
            settles += (1.0 - settles) * holds[at].plants
    if holds is not None:
        settles *= holds[at].take
        if place.top + load > holds[at].highest:
            settles = 0.0
    return settles


@inlined
def _hop(place, chance):
    """Length of the next hop in steps: uniform up to twice the mean, so that sand lands evenly."""
    return max(np.int64(2.0 * place.hop * chance + 0.5), 1)


@inlined
def _landing(line, at, to, last, constants):
    """End of a hop: grains fly so low that none passes a lee."""
    for step in range(at + 1, min(to, last)):
        if _sheltered(line[np.uintp(step)], constants):
            return step
    return to


@inlined
def _fly(line, holds, at, base, begin, last, load, start, draw, constants):
    """Fly a slab that lands at step `at`, hop by hop, until it settles or leaves the line, which is
    begin … last - 1.

    base: height of its origin. Returns hops, random draws, rock abraded, and steps to its landing
    beyond the end, or `SETTLED`.
    """
    hops = 1
    worn = 0.0
    while True:  # each hop advances by one step at least
        if at >= last:
            return hops, draw, worn, at - last
        place = line[np.uintp(at)]
        if place.top - base > constants.climb * constants.hop:  # a wall: it stays at its foot
            foot = at
            while foot > begin and line[np.uintp(foot)].top - base > constants.climb:
                foot -= 1
            if _may_lie(line, holds, foot, load):
                _change(line, foot, last, load, constants.drop)
                return hops, draw, worn, SETTLED
        if rng.uniform(start, draw) < _chance(place, holds, at, load, constants):
            _change(line, at, last, load, constants.drop)
            return hops, draw + 1, worn, SETTLED
        if constants.wear > 0.0 and place.loose < constants.slab and place.soft > 0.0:
            depth = constants.wear * place.soft * (1.0 - place.loose / constants.slab)
            place.rock -= depth
            place.loose += depth * (1.0 - constants.dust)
            worn += depth
        base = place.top
        at = _landing(line, at, at + _hop(place, rng.uniform(start, draw + 1)), last, constants)
        draw += 2
        hops += 1


@allocation_free
def _store(line, holds, path, ground, constants):
    for step in range(np.uintp(line.size)):
        place = line[np.uintp(step)]
        ringed = path.ringed[step]
        ground.loose[ringed] = place.loose
        if constants.wear > 0.0:
            ground.rock[ringed] = place.rock
        lifts = holds is None or holds[step].give > 0.0
        ground.blown[path.cell[step]] = lifts and not _sheltered(place, constants)


@kernel
def find_shadows(first, last, rays, shape, ground, constants, tails):
    """Height of the shadow beyond the end of the lines first … last - 1, with no shadow at their
    start.
    """
    path = make_path(extent(rays, shape)[0])
    for number in range(first, last):
        trace(rays, shape, number, path)
        above = -math.inf
        for ringed in path.ringed:
            above = max(ground.rock[ringed] + ground.loose[ringed], above) - constants.drop
        tails[number] = above


@kernel
def hand_on_shadows(rays, shape, constants, tails, entering):
    """Fill `entering` with the height of the shadow that enters over the edge at the start of each
    line.
    """
    length, count = extent(rays, shape)
    for number in range(count):
        entering[following(number, rays, shape)] = tails[number]
    reach = length * constants.drop
    for _ in range(2):  # a shadow longer than a line
        for number in range(count):
            after = following(number, rays, shape)
            entering[after] = max(entering[after], entering[number] - reach)


@kernel
def blow(first, last, rays, shape, ground, constants, key, ends):
    """Run saltation on the lines first … last - 1, with as many draws as each line has cells.

    A draw picks a cell. If it is bare or in the wind shadow, nothing is lifted. Otherwise a slab
    hops downwind. It always settles in a shadow; elsewhere with a probability that is higher on
    sand than on rock and highest among plants. It also stops at the foot of ground that is too
    steep to climb.

    ground: `Ground`. key: uint64. ends: `Ends`.
    """
    length, _ = extent(rays, shape)
    line = np.empty(length, PLACE)
    holds = _make_holds(length, ground.cover, ground.shares)
    path = make_path(length)
    wrap = constants.edges == WRAP
    for number in range(first, last):
        _fetch(line, holds, path, number, rays, shape, ground, constants)
        start = rng.stream(key, number)
        draw = 0
        begin = 0
        while begin < length:
            end = begin + 1
            while end < length and (wrap or not path.start[end]):
                end += 1
            _cast(line, begin, end, ends.entering[number] if wrap else -math.inf, constants.drop)
            draw = _blow_line(line, holds, begin, end, start, draw, constants, number, ends)
            begin = end
        _store(line, holds, path, ground, constants)


@allocation_free
def _blow_line(line, holds, begin, end, start, draw, constants, number, ends):
    """`blow` on the steps begin … end - 1 of a line, which starts and ends at an edge; returns the
    draws.
    """
    hops = 0
    out = brought = worn = 0.0
    if constants.brought > 0.0:
        for _ in range(int(constants.brought + rng.uniform(start, draw))):
            first = rng.uniform(start, draw + 1)
            second = rng.uniform(start, draw + 2)
            # As far as hops reach over the edge, from all places before it.
            way = (
                first * (end - begin)
                if constants.edges == WRAP
                else 2.0 * constants.hop * min(first, second)
            )
            flight = _fly(
                line,
                holds,
                begin + np.int64(way),
                math.inf,
                begin,
                end,
                constants.slab,
                start,
                draw + 3,
                constants,
            )
            hops = hops + flight[0]
            draw = flight[1]
            worn = worn + flight[2]
            brought += constants.slab
            if flight[3] != SETTLED:
                out += _let_out(
                    line, holds, end, constants.slab, constants, number, flight[3], ends.leaving
                )
        draw += 1
    count = end - begin
    at, stride = _order(begin, count, rng.uniform(start, draw), rng.uniform(start, draw + 1))
    draw += 2
    for _ in range(count):
        at += stride
        if at >= end:
            at -= count
        place = line[np.uintp(at)]
        if place.loose <= 0.0 or _sheltered(place, constants):
            continue
        load = min(constants.slab, place.loose)
        if holds is not None:
            load = min(load * holds[at].give, max(place.top - holds[at].lowest, 0.0))
            if load <= 0.0:
                continue
        base = place.top
        to = _landing(line, at, at + _hop(place, rng.uniform(start, draw)), end, constants)
        _change(line, at, end, -load, constants.drop)
        flight = _fly(line, holds, to, base, begin, end, load, start, draw + 1, constants)
        hops = hops + flight[0]
        draw = flight[1]
        worn = worn + flight[2]
        if flight[3] != SETTLED:
            out += _let_out(line, holds, end, load, constants, number, flight[3], ends.leaving)
    ends.totals[number, HOPS] += hops
    ends.totals[number, OUT] += out + worn * constants.dust
    ends.totals[number, BROUGHT] += brought
    ends.totals[number, WORN] += worn
    return draw


@allocation_free
def _let_out(line, holds, end, load, constants, number, beyond, leaving):
    """Export a slab beyond the end of its line, or hand it on; returns the amount exported."""
    if constants.edges == WRAP:
        leaving[number, min(beyond, leaving.shape[1] - 1)] += load
        return 0.0
    if constants.edges == CLOSED and _may_lie(line, holds, end - 1, load):
        _change(line, end - 1, end, load, constants.drop)
        return 0.0
    return load


@kernel
def hand_on(first, last, rays, shape, ground, constants, key, arriving, ends):
    """Deposit sand that crossed a wrapped edge on the lines first … last - 1 and beyond.

    arriving: (lines, steps), sand that enters at the start, by landing step, m on a cell; consumed.
    """
    length, _ = extent(rays, shape)
    line = np.empty(length, PLACE)
    holds = _make_holds(length, ground.cover, ground.shares)
    path = make_path(length)
    for number in range(first, last):
        if not np.any(arriving[number]):
            continue
        _fetch(line, holds, path, number, rays, shape, ground, constants)
        _cast(line, 0, length, ends.entering[number], constants.drop)
        start = rng.stream(key, number)
        draw = 0
        hops = 0
        worn = 0.0
        for place in range(arriving.shape[1]):
            while arriving[number, place] > 0.0:  # a sum of so many slabs
                load = min(constants.slab, arriving[number, place])
                arriving[number, place] -= load
                flight = _fly(line, holds, place, math.inf, 0, length, load, start, draw, constants)
                hops = hops + flight[0] - 1
                draw = flight[1]
                worn = worn + flight[2]
                if flight[3] != SETTLED:
                    ends.leaving[number, min(flight[3], ends.leaving.shape[1] - 1)] += load
        ends.totals[number, HOPS] += hops
        ends.totals[number, OUT] += worn * constants.dust
        ends.totals[number, WORN] += worn
        _store(line, holds, path, ground, constants)
