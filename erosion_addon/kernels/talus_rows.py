# SPDX-License-Identifier: GPL-3.0-or-later
"""What slides between the cells of a row and those of the next one: the steps of `kernels.talus.relax`.

Arrays have a ring of one cell around the terrain; those of three rows hold a row at its number modulo 3.
"""

import math

import numpy as np

from .compile import kernel


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
def flows(heights, loose, masks, row, first, last, row_hold, col_hold, diagonal_hold, rest, flows, below):
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
def load(rock, loose, row, heights):
    """Keep the surface of a row as it is now."""
    at, row = np.uintp(row % 3), np.uintp(row)
    for place in range(heights.shape[1]):
        col = np.uintp(place)
        heights[at, col] = rock[row, col] + loose[row, col]


@kernel
def settle(rock, loose, masks, row, first, last, constants, heights, flows, above, below):
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
def differs(rock, loose, heights, row, col, before):
    """Whether a cell has another surface, or other loose material, than before the pass."""
    return loose[row, col] != before or rock[row, col] + loose[row, col] != heights[row % 3, col]


@kernel
def slid_out(flows, above, below, row, rows, first, last, cols):
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
