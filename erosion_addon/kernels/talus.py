# SPDX-License-Identifier: GPL-3.0-or-later
"""Talus: what is steeper than it can stand gives way. Loose material slides, rock breaks into loose material.

Sources: Musgrave, Kolb, Mace, "The Synthesis and Rendering of Eroded Fractal Terrains" (1989), thermal weathering;
the rule for a pair of cells is that of McDonald, "Particle-Based Wind Erosion" (2020).
"""

import math
from typing import NamedTuple

import numpy as np

from .border import fill_border
from .compile import kernel
from .edges import OPEN, WRAP

SEGMENT = 512
"""Columns that are looked at, or left alone because nothing moves there, as one."""


class Constants(NamedTuple):
    """Numbers that hold for all cells; heights in metres."""

    row_hold: float
    """Difference of height at which loose material just stands, to a neighbour in the next row."""
    col_hold: float
    diagonal_hold: float
    row_stand: float
    """The same for rock; infinite where rock never breaks."""
    col_stand: float
    diagonal_stand: float
    collapse: float
    rest: float
    """A slide or a break smaller than this is none."""
    edges: int


class Buffers(NamedTuple):
    """Room to work in, and what is known of where anything moves."""

    heights: np.ndarray
    """(3, cols + 2): surfaces of three rows as they were before the pass."""
    flows: np.ndarray
    """(7, cols + 2): between columns, then down and along both diagonals to the next row, and from the row before."""
    active: np.ndarray
    """(rows + 2, segments) uint8: 1 where the next pass has to look."""
    moved: np.ndarray
    """(rows + 2, segments) uint8: where something moved: 1 anywhere, 2 in the first column, 4 in the last."""
    exported: np.ndarray
    """(1,): volume that has slid out, as metres on one cell."""


@kernel
def transfer(difference, hold, loose, share, rest):
    """What slides between two cells whose surfaces differ: min(loose, (|difference| - hold) / 2) · share.

    loose: what the higher one can give; all in metres. Nothing where the amount before sharing is at most `rest`.
    This is the one rule of all cascades: half of the excess makes the pair stand.
    """
    return _slide(0.5 * (abs(difference) - hold), loose, rest) * share


@kernel
def _slide(excess, loose, rest):
    """The lesser of the two, or nothing where it is at most `rest`."""
    amount = loose if loose < excess else excess
    return amount if amount > rest else 0.0


@kernel
def _flow(heights, loose, masks, at, row, col, to, to_row, to_col, hold, rest):
    """Eight times what slides from one cell to a neighbour in a pass, less than nothing where it slides back.

    Of half of its loose material a cell gives each of eight neighbours at most a quarter, and of half of the excess:
    an eighth, which is left to where flows are added. What either cell could give is read before one is chosen: a read
    that depends on a choice keeps the compiler from taking eight cells at once.
    """
    give, to_give = loose[row, col], loose[to_row, to_col]
    difference = heights[at, col] - heights[to, to_col]
    down = difference > 0.0
    amount = _slide(abs(difference) - hold, give if down else to_give, rest)
    if masks is not None:
        forth, back = masks[row, col, 0] * masks[to_row, to_col, 1], masks[to_row, to_col, 0] * masks[row, col, 1]
        amount *= forth if down else back
    return math.copysign(amount, difference)


@kernel
def _flows(heights, loose, masks, row, first, last, row_hold, col_hold, diagonal_hold, rest, flows, below):
    """Flows of the columns first … before last of a row to the next column and to the three below, by where they go.

    So are those of the column before the first.
    """
    at, to, row, to_row = np.uintp(row % 3), np.uintp((row + 1) % 3), np.uintp(row), np.uintp(row + 1)
    down, falling, rising = np.uintp(below), np.uintp(below + 1), np.uintp(below + 2)
    for place in range(first - 1, last):
        col, right = np.uintp(place), np.uintp(place + 1)
        flows[0, right] = _flow(heights, loose, masks, at, row, col, at, row, right, col_hold, rest)
        flows[down, col] = _flow(heights, loose, masks, at, row, col, to, to_row, col, row_hold, rest)
        flows[falling, right] = _flow(heights, loose, masks, at, row, col, to, to_row, right, diagonal_hold, rest)
        flows[rising, col] = _flow(heights, loose, masks, at, row, right, to, to_row, col, diagonal_hold, rest)


@kernel
def _settle(rock, loose, masks, row, first, last, constants, heights, flows, above, below):
    """Move what flows out of the cells of a row and into them, and break their rock where it stands too high.

    Returns in how many cells anything changed. Flows of opposite neighbours are added first: so no turn or mirror
    image of the terrain changes a bit.
    """
    up, at, down = np.uintp((row + 2) % 3), np.uintp(row % 3), np.uintp((row + 1) % 3)
    row, above, below, one, two = np.uintp(row), np.uintp(above), np.uintp(below), np.uintp(1), np.uintp(2)
    row_stand, col_stand, diagonal_stand = constants.row_stand, constants.col_stand, constants.diagonal_stand
    collapse, rest = constants.collapse, constants.rest
    changed = 0
    for place in range(first, last):
        col, left, right = np.uintp(place), np.uintp(place - 1), np.uintp(place + 1)
        along_row = flows[0, right] - flows[0, col]
        along_col = flows[below, col] - flows[above, col]
        falling = flows[below + one, right] - flows[above + one, col]
        rising = flows[below + two, left] - flows[above + two, col]
        before = loose[row, col]
        after = before - 0.125 * ((along_row + along_col) + (falling + rising))
        beside = min(heights[at, left], heights[at, right]) + col_stand
        across = min(heights[up, col], heights[down, col]) + row_stand
        oblique = min(min(heights[up, left], heights[up, right]), min(heights[down, left], heights[down, right]))
        stood = rock[row, col]
        wanted = (stood - min(min(beside, across), oblique + diagonal_stand)) * collapse
        if masks is not None:
            wanted *= masks[row, col, 2]
        wanted -= before
        stands = stood - (wanted if wanted > rest else 0.0)
        changed += (after != before) | (stands != stood)
        loose[row, col] = after + (stood - stands)
        rock[row, col] = stands
    return changed


@kernel
def _load(rock, loose, row, heights):
    """Keep the surface of a row as it is now."""
    at, row = np.uintp(row % 3), np.uintp(row)
    for place in range(heights.shape[1]):
        col = np.uintp(place)
        heights[at, col] = rock[row, col] + loose[row, col]


@kernel
def _differs(rock, loose, heights, row, col, before):
    """Whether a cell has another surface, or other loose material, than before the pass."""
    return loose[row, col] != before or rock[row, col] + loose[row, col] != heights[row % 3, col]


@kernel
def _slid_out(flows, above, below, row, rows, first, last, cols):
    """Eight times what has slid out of the terrain from the columns first … before last of a row."""
    out = 0.0
    if row == 1:
        for col in range(first, last):
            out -= flows[above, col] + flows[above + 1, col] + flows[above + 2, col]
    if row == rows:
        for col in range(first, last):
            out += flows[below, col] + flows[below + 1, col + 1] + flows[below + 2, col - 1]
    if first == 1:
        out -= flows[0, 1]
        out += (flows[below + 2, 0] if row < rows else 0.0) - (flows[above + 1, 1] if row > 1 else 0.0)
    if last == cols + 1:
        out += flows[0, last]
        out += (flows[below + 1, last] if row < rows else 0.0) - (flows[above + 2, cols] if row > 1 else 0.0)
    return out


@kernel
def _pass(rock, loose, masks, constants, buffers):
    """Let everything move once, all cells at once; see `relax`. Flows are numbered by the column they go to.

    Loops are long: a cell's neighbours are read soon after they were written, for which the processor has to wait at
    the start of each.
    """
    rows, cols = rock.shape[0] - 2, rock.shape[1] - 2
    heights, flows, active = buffers.heights, buffers.flows, buffers.active
    segments = active.shape[1]
    row_hold, col_hold, diagonal_hold, rest = (
        constants.row_hold, constants.col_hold, constants.diagonal_hold, 2.0 * constants.rest
    )  # fmt: skip
    loaded = np.full(3, -1)
    above, below = 1, 4
    for row in range(rows + 1):
        segment = 0
        while segment < segments:
            start = segment
            while segment < segments and (active[row, segment] or active[row + 1, segment]):
                segment += 1
            if segment == start:
                segment += 1
                continue
            for needed in range(max(row - 1, 0), row + 2):
                if loaded[needed % 3] != needed:
                    loaded[needed % 3] = needed
                    _load(rock, loose, needed, heights)
            first, last = 1 + start * SEGMENT, min(1 + segment * SEGMENT, cols + 1)
            _flows(heights, loose, masks, row, first, last, row_hold, col_hold, diagonal_hold, rest, flows, below)
        for segment in range(segments):
            if active[row, segment]:
                first, last = 1 + segment * SEGMENT, min(1 + (segment + 1) * SEGMENT, cols + 1)
                before_first, before_last = loose[row, first], loose[row, last - 1]
                changed = _settle(rock, loose, masks, row, first, last, constants, heights, flows, above, below)
                mark = 1 if changed else 0
                mark |= 2 * _differs(rock, loose, heights, row, first, before_first)
                mark |= 4 * _differs(rock, loose, heights, row, last - 1, before_last)
                if constants.edges == OPEN:
                    out = _slid_out(flows, above, below, row, rows, first, last, cols)
                    buffers.exported[0] += 0.125 * out
                    mark |= out != 0.0
                buffers.moved[row, segment] = mark
        above, below = below, above


@kernel
def _wake(moved, active, wrap):
    """Mark where the next pass has to look: at what moved in the last one, and at its neighbours. Returns how many."""
    rows, segments = moved.shape[0] - 2, moved.shape[1]
    active[:] = 0
    for row in range(1, rows + 1):
        for segment in range(segments):
            mark = moved[row, segment]
            if not mark:
                continue
            moved[row, segment] = 0
            for down in range(-1, 2):
                to_row = row + down
                if wrap:
                    to_row = (to_row - 1) % rows + 1
                if to_row < 1 or to_row > rows:
                    continue
                active[to_row, segment] = 1
                if mark & 2 and (wrap or segment > 0):
                    active[to_row, (segment - 1) % segments] = 1
                if mark & 4 and (wrap or segment < segments - 1):
                    active[to_row, (segment + 1) % segments] = 1
    return np.sum(active)


@kernel
def relax(rock, loose, masks, constants, buffers, passes):
    """Let slopes give way for at most so many passes; returns how many it took, fewer where all has come to rest.

    One pass, from the heights before it, with h = rock + loose and d the true distance to a neighbour:

    1. loose material: to each lower neighbour of the eight slides ¼ min(loose / 2, (Δh - tan φ d) / 2);
    2. rock b that stands too high over a neighbour, e = max(b - h' - tan φ' d), turns to loose material where it
       stands: so much that there is collapse · e of it. Below its own rubble it waits until that has slid away.

    Scheme: explicit, conservative flows between pairs of cells. Stability: eight neighbours take at most ⅛ of the
    loose material and ⅛ of the excess each, so that a cell never has less than nothing and never falls below its
    lowest neighbour (the discrete maximum principle), for any heights. A movement below `rest` is none: slopes end
    at most 2 · rest above the angle, and everything ends.
    Cells whose neighbourhood did not change in the last pass are left out, which changes no bit.

    rock, loose: (rows + 2, cols + 2) float64 m with a ring about the terrain, changed in place. masks: None, or
    (rows + 2, cols + 2, 3) float32: what cells give and take (0-1), and how much of broken rock breaks (0-1).
    """
    for done in range(passes):
        if not np.any(buffers.active):
            return done
        fill_border(rock, loose, constants.edges)
        _pass(rock, loose, masks, constants, buffers)
        _wake(buffers.moved, buffers.active, constants.edges == WRAP)
    return passes
