# SPDX-License-Identifier: GPL-3.0-or-later
"""Talus: what is steeper than it can stand gives way. Loose material slides, rock breaks into loose material.

Sources: Musgrave, Kolb, Mace, "The Synthesis and Rendering of Eroded Fractal Terrains" (1989), thermal weathering;
the rule for a pair of cells is that of McDonald, "Particle-Based Wind Erosion" (2020).
"""

from typing import NamedTuple

import numpy as np

from .border import OPEN, WRAP, fill_border
from .compile import kernel

SEGMENT = 2048
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
    halves: np.ndarray
    """(3, cols + 2): half of the loose material of the same rows."""
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
    amount = min(loose, 0.5 * (abs(difference) - hold))
    return amount * share if amount > rest else 0.0


@kernel
def cascade(ground, row, col, share, masks, row_hold, col_hold, diagonal_hold, wrap):
    """Let loose material slide between one cell and its eight neighbours, in turn; returns what moved, in metres.

    ground: (rows, cols, 2), surface and loose part of it. masks: (rows, cols, 2), what a cell gives and takes, or None.
    """
    rows, cols = ground.shape[0], ground.shape[1]
    slid = 0.0
    for down in range(-1, 2):
        for right in range(-1, 2):
            to_row, to_col = row + down, col + right
            if wrap:
                to_row, to_col = to_row % rows, to_col % cols
            elif to_row < 0 or to_row >= rows or to_col < 0 or to_col >= cols:
                continue
            if down == 0 and right == 0:
                continue
            hold = col_hold if down == 0 else (row_hold if right == 0 else diagonal_hold)
            difference = ground[row, col, 0] - ground[to_row, to_col, 0]
            high_row, high_col, low_row, low_col = row, col, to_row, to_col
            if difference < 0.0:
                high_row, high_col, low_row, low_col = to_row, to_col, row, col
            amount = transfer(difference, hold, ground[high_row, high_col, 1], share, 0.0)
            if masks is not None:
                amount *= masks[high_row, high_col, 0] * masks[low_row, low_col, 1]
            ground[high_row, high_col, 0] -= amount
            ground[high_row, high_col, 1] -= amount
            ground[low_row, low_col, 0] += amount
            ground[low_row, low_col, 1] += amount
            slid += amount
    return slid


@kernel
def _flow(height, to_height, half, to_half, hold, rest, forth, back):
    """What slides from one cell to another in a pass, less than nothing where it slides back.

    Half of its loose material in quarters to eight neighbours is what a cell can give; forth, back: what masks leave.
    """
    difference = height - to_height
    down = difference > 0.0
    amount = transfer(difference, hold, half if down else to_half, 0.25, rest)
    amount *= forth if down else back
    return amount if down else -amount


@kernel
def _flows(heights, to_heights, halves, to_halves, masks, to_masks, hold, rest, flows):
    """Fill `flows` with the `_flow` from each cell of a row to that of another row, or of the same one further on."""
    for col in range(flows.size):
        forth = back = 1.0
        if masks is not None:
            forth, back = masks[0, col] * to_masks[1, col], to_masks[0, col] * masks[1, col]
        flows[col] = _flow(heights[col], to_heights[col], halves[col], to_halves[col], hold, rest, forth, back)


@kernel
def _between(buffers, masks, row, to_row, first, last, shift, hold, rest, flows):
    """Flows from the columns first + shift … of a row to the columns first … before last of another row."""
    heights, halves = buffers.heights, buffers.halves
    part = to_part = None
    if masks is not None:
        part, to_part = masks[:2, row, first + shift : last + shift], masks[:2, to_row, first:last]
    _flows(
        heights[row % 3, first + shift : last + shift], heights[to_row % 3, first:last],
        halves[row % 3, first + shift : last + shift], halves[to_row % 3, first:last],
        part, to_part, hold, rest, flows[first:last],
    )  # fmt: skip


@kernel
def _settle(loose, east, west, south, north, south_east, north_west, south_west, north_east):
    """Take what flows out of the cells of a row and add what flows in; returns how many have changed.

    Flows of opposite neighbours are added first: so no turn or mirror image of the terrain changes a bit.
    """
    changed = 0
    for col in range(loose.size):
        straight = (east[col] - west[col]) + (south[col] - north[col])
        oblique = (south_east[col] - north_west[col]) + (south_west[col] - north_east[col])
        left = loose[col] - (straight + oblique)
        changed += left != loose[col]
        loose[col] = left
    return changed


@kernel
def _break(rock, loose, halves, above, along, below, softness, constants):
    """Break the rock of a row that stands too high over a neighbour into loose material; returns how many cells broke.

    above, along, below: surfaces of the three rows, from a column before the first cell to one after the last.
    """
    broken = 0
    for col in range(loose.size):
        lowest = min(
            min(along[col], along[col + 2]) + constants.col_stand, min(above[col + 1], below[col + 1]) + constants.row_stand
        )
        corner = min(min(above[col], above[col + 2]), min(below[col], below[col + 2]))
        excess = rock[col] - min(lowest, corner + constants.diagonal_stand)
        share = constants.collapse
        if softness is not None:
            share *= softness[col]
        wanted = excess * share - 2.0 * halves[col]
        left = rock[col] - (wanted if wanted > constants.rest else 0.0)
        broken += left != rock[col]
        loose[col] += rock[col] - left
        rock[col] = left
    return broken


@kernel
def _load(rock, loose, row, loaded, buffers):
    """Keep the surface and half of the loose material of a row as they are now."""
    slot = row % 3
    if loaded[slot] != row:
        loaded[slot] = row
        heights, halves, rocks, covers = buffers.heights[slot], buffers.halves[slot], rock[row], loose[row]
        for col in range(heights.size):
            heights[col] = rocks[col] + covers[col]
            halves[col] = 0.5 * covers[col]


@kernel
def _slid_out(east, above, below, row, rows, first, last, cols):
    """What has slid out of the terrain from the columns first … before last of a row; above, below: (3, …) flows."""
    out = 0.0
    if row == 1:
        for col in range(first, last):
            out -= above[0, col] + above[1, col] + above[2, col]
    if row == rows:
        for col in range(first, last):
            out += below[0, col] + below[1, col + 1] + below[2, col - 1]
    if first == 1:
        out += (below[2, 0] if row < rows else 0.0) - east[0] - (above[1, 1] if row > 1 else 0.0)
    if last == cols + 1:
        out += (below[1, last] if row < rows else 0.0) + east[cols] - (above[2, cols] if row > 1 else 0.0)
    return out


@kernel
def _pass(rock, loose, masks, constants, buffers):
    """Let everything move once, all cells at once; see `relax`."""
    rows, cols = rock.shape[0] - 2, rock.shape[1] - 2
    active, moved, rest = buffers.active, buffers.moved, constants.rest
    east, breaks = buffers.flows[0], constants.row_stand < np.inf
    loaded = np.full(3, -1)
    for row in range(rows + 1):
        above, below = buffers.flows[1:4], buffers.flows[4:7]
        if row % 2:
            above, below = below, above
        for segment in range(active.shape[1]):
            if not active[row, segment] and not active[row + 1, segment]:
                continue
            first = 1 + segment * SEGMENT
            last = min(first + SEGMENT, cols + 1)
            for needed in range(max(row - 1, 0), row + 2):
                _load(rock, loose, needed, loaded, buffers)
            _between(buffers, masks, row, row + 1, first, last, 0, constants.row_hold, rest, below[0])
            _between(buffers, masks, row, row + 1, first, last + 1, -1, constants.diagonal_hold, rest, below[1])
            _between(buffers, masks, row, row + 1, first - 1, last, 1, constants.diagonal_hold, rest, below[2])
        for segment in range(active.shape[1]):
            if not active[row, segment]:
                continue
            first = 1 + segment * SEGMENT
            last = min(first + SEGMENT, cols + 1)
            # Flows along the row come from the column before, so they are numbered by where they go.
            _between(buffers, masks, row, row, first, last + 1, -1, constants.col_hold, rest, east)
            changed = _settle(
                loose[row, first:last], east[first + 1 : last + 1], east[first:last],
                below[0, first:last], above[0, first:last], below[1, first + 1 : last + 1], above[1, first:last],
                below[2, first - 1 : last - 1], above[2, first:last],
            )  # fmt: skip
            heights, halves = buffers.heights, buffers.halves
            if breaks:
                softness = None
                if masks is not None:
                    softness = masks[2, row, first:last]
                around = slice(first - 1, last + 1)
                changed += _break(
                    rock[row, first:last], loose[row, first:last], halves[row % 3, first:last],
                    heights[(row - 1) % 3, around], heights[row % 3, around], heights[(row + 1) % 3, around],
                    softness, constants,
                )  # fmt: skip
            mark = 1 if changed else 0
            for bit, col in ((2, first), (4, last - 1)):
                if loose[row, col] != 2.0 * halves[row % 3, col] or rock[row, col] + loose[row, col] != heights[row % 3, col]:
                    mark |= bit
            if constants.edges == OPEN:
                out = _slid_out(east, above, below, row, rows, first, last, cols)
                buffers.exported[0] += out
                mark |= out != 0.0
            moved[row, segment] = mark


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
    (3, rows + 2, cols + 2) float32: what cells give and take (0-1), and how much of broken rock breaks (0-1).
    """
    for done in range(passes):
        if not np.any(buffers.active):
            return done
        fill_border(rock, loose, constants.edges)
        _pass(rock, loose, masks, constants, buffers)
        _wake(buffers.moved, buffers.active, constants.edges == WRAP)
    return passes
