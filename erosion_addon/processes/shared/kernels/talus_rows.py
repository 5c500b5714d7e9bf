# SPDX-License-Identifier: GPL-3.0-or-later
"""What slides between the cells of a row and those of the next one: the steps of `kernels.relax`.

Arrays have a ring of one cell around the terrain; those of three rows hold a row at its number modulo 3.
"""

import math

import numpy as np

from ....kernels.compile import kernel


@kernel
def transfer(difference, hold, loose, share, rest):
    """What slides between two cells whose surfaces differ: min(loose, (|difference| - hold) / 2) · share.

    loose: what the higher one can give; all in meters. Nothing where the amount before sharing is at most `rest`.
    The rule of a cascade around one cell: half of the excess makes the pair stand.
    """
    return _slide(0.5 * (abs(difference) - hold), loose, rest) * share


@kernel
def _slide(excess, loose, rest):
    """The lesser of the two, or nothing where it is at most `rest`."""
    amount = loose if loose < excess else excess
    return amount if amount > rest else 0.0


@kernel
def lesser(one, other):
    """The lesser of two differences in size, 0 where they go different ways."""
    least = abs(one) if abs(one) < abs(other) else abs(other)
    return least if one * other > 0.0 else 0.0


@kernel
def _flow(loose, masks, row, col, to_row, to_col, fall, across, constants, share):
    """What slides from one cell to the next in a pass, less than nothing where it slides back.

    fall: slope towards the next cell; across: slope along the face between them. What either cell could give is read
    before one is chosen: a read that depends on a choice keeps the compiler from taking eight cells at once.
    """
    give, to_give = loose[row, col], loose[to_row, to_col]
    slope = math.sqrt(fall * fall + across * across)
    down = fall > 0.0
    part = abs(fall) / (slope if slope > constants.hold else constants.hold)
    excess = (slope - constants.hold) * constants.depth
    amount = _slide(excess * part, (give if down else to_give) * part, 2.0 * constants.rest) * share
    if masks is not None:
        forth, back = masks[row, col, 0] * masks[to_row, to_col, 1], masks[to_row, to_col, 0] * masks[row, col, 1]
        amount *= forth if down else back
    return math.copysign(amount, fall)


@kernel
def flows_along(heights, loose, masks, row, first, last, constants, flows):
    """Flows of the columns first - 1 … last - 1 of a row to the next column, by where they go."""
    up, at, down, row = np.uintp((row - 1) % 3), np.uintp(row % 3), np.uintp((row + 1) % 3), np.uintp(row)
    pitch, across, share = 1.0 / constants.col_spacing, 0.5 / constants.row_spacing, constants.col_share
    for place in range(first - 1, last):
        col, right = np.uintp(place), np.uintp(place + 1)
        fall, middle = (heights[at, col] - heights[at, right]) * pitch, heights[at, col] + heights[at, right]
        aside = lesser(
            (heights[up, col] + heights[up, right]) - middle, middle - (heights[down, col] + heights[down, right])
        )
        flows[0, right] = _flow(loose, masks, row, col, row, right, fall, aside * across, constants, share)


@kernel
def flows_down(heights, loose, masks, row, first, last, constants, flows, below):
    """Flows of the columns first … last - 1 of a row to the next row."""
    at, to, row, to_row = np.uintp(row % 3), np.uintp((row + 1) % 3), np.uintp(row), np.uintp(row + 1)
    pitch, across, share = 1.0 / constants.row_spacing, 0.5 / constants.col_spacing, constants.row_share
    below = np.uintp(below)
    for place in range(first, last):
        left, col, right = np.uintp(place - 1), np.uintp(place), np.uintp(place + 1)
        fall, middle = (heights[at, col] - heights[to, col]) * pitch, heights[at, col] + heights[to, col]
        aside = lesser(
            (heights[at, left] + heights[to, left]) - middle, middle - (heights[at, right] + heights[to, right])
        )
        flows[below, col] = _flow(loose, masks, row, col, to_row, col, fall, aside * across, constants, share)


@kernel
def load(rock, loose, row, heights):
    """Store the current surface of a row."""
    at, row = np.uintp(row % 3), np.uintp(row)
    for place in range(heights.shape[1]):
        col = np.uintp(place)
        heights[at, col] = rock[row, col] + loose[row, col]


@kernel
def settle(rock, loose, masks, row, first, last, constants, heights, flows, above, below):
    """Move what flows out of the cells of a row and into them, and break their rock where it stands too high.

    Returns in how many cells anything changed. Flows of opposite neighbors are added first: so no turn or mirror image
    of the terrain changes a bit.
    """
    up, at, down = np.uintp((row + 2) % 3), np.uintp(row % 3), np.uintp((row + 1) % 3)
    row, above, below = np.uintp(row), np.uintp(above), np.uintp(below)
    row_stand, col_stand, diagonal_stand = constants.row_stand, constants.col_stand, constants.diagonal_stand
    collapse, rest = constants.collapse, constants.rest
    changed = 0
    for place in range(first, last):
        col, left, right = np.uintp(place), np.uintp(place - 1), np.uintp(place + 1)
        along_row = flows[0, right] - flows[0, col]
        along_col = flows[below, col] - flows[above, col]
        before = loose[row, col]
        after = before - (along_row + along_col)
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
    """What has slid out of the terrain from the columns first … last - 1 of a row."""
    out = 0.0
    if row == 1:
        for col in range(first, last):
            out -= flows[above, col]
    if row == rows:
        for col in range(first, last):
            out += flows[below, col]
    if first == 1:
        out -= flows[0, 1]
    if last == cols + 1:
        out += flows[0, last]
    return out
