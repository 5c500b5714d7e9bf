# SPDX-License-Identifier: GPL-3.0-or-later
"""Slides between the cells of a row and the next row: the steps of `kernels.relax`.

Arrays are padded with one cell; those of three rows hold row r at index r modulo 3.
"""

import math

import numpy as np

from ....base.kernels.jit import kernel
from .mask_layers import BREAKS, GIVES, TAKES


@kernel
def transfer(difference, hold, loose, share, rest):
    """Slide between two cells: min(loose, (|difference| - hold) / 2) · share.

    loose: available on the higher cell; all in meters. 0 if the amount before sharing is at most
    `rest`. Half of the excess makes the pair stable.
    """
    return _slide(0.5 * (abs(difference) - hold), loose, rest) * share


@kernel
def _slide(excess, loose, rest):
    """Minimum of the two, or 0 if it is at most `rest`."""
    amount = loose if loose < excess else excess
    return amount if amount > rest else 0.0


@kernel
def lesser(first, second):
    """Minmod: the difference smaller in size, 0 if the signs differ."""
    least = abs(first) if abs(first) < abs(second) else abs(second)
    return least if first * second > 0.0 else 0.0


@kernel
def _flow(loose, masks, row, col, to_row, to_col, fall, across, constants, share):
    """Flux from one cell to the next in a pass, negative for the reverse.

    fall: slope toward the next cell; across: slope along the face between them. Both cells are read
    before one is chosen: a conditional read would keep the compiler from vectorizing.
    """
    give = loose[row, col]
    to_give = loose[to_row, to_col]
    slope = math.sqrt(fall * fall + across * across)
    down = fall > 0.0
    part = abs(fall) / (slope if slope > constants.hold else constants.hold)
    excess = (slope - constants.hold) * constants.depth
    amount = _slide(excess * part, (give if down else to_give) * part, 2.0 * constants.rest) * share
    if masks is not None:
        forth = masks[row, col, GIVES] * masks[to_row, to_col, TAKES]
        back = masks[to_row, to_col, GIVES] * masks[row, col, TAKES]
        amount *= forth if down else back
    return math.copysign(amount, fall)


@kernel
def flows_along(heights, loose, masks, row, first, last, constants, flows):
    """Fluxes of the columns first - 1 … last - 1 of a row to the next column, indexed by
    destination.
    """
    # unsigned indices spare numba's test for negative ones, here and below
    up = np.uintp((row - 1) % 3)
    at = np.uintp(row % 3)
    down = np.uintp((row + 1) % 3)
    row = np.uintp(row)
    pitch = 1.0 / constants.col_spacing
    across = 0.5 / constants.row_spacing
    share = constants.col_share
    for place in range(first - 1, last):
        col = np.uintp(place)
        right = np.uintp(place + 1)
        fall = (heights[at, col] - heights[at, right]) * pitch
        middle = heights[at, col] + heights[at, right]
        aside = lesser(
            (heights[up, col] + heights[up, right]) - middle,
            middle - (heights[down, col] + heights[down, right]),
        )
        flows[0, right] = _flow(
            loose, masks, row, col, row, right, fall, aside * across, constants, share
        )


@kernel
def flows_down(heights, loose, masks, row, first, last, constants, flows, below):
    """Fluxes of the columns first … last - 1 of a row to the next row."""
    at, to, row, to_row = (
        np.uintp(row % 3),
        np.uintp((row + 1) % 3),
        np.uintp(row),
        np.uintp(row + 1),
    )
    pitch = 1.0 / constants.row_spacing
    across = 0.5 / constants.col_spacing
    share = constants.row_share
    below = np.uintp(below)
    for place in range(first, last):
        left = np.uintp(place - 1)
        col = np.uintp(place)
        right = np.uintp(place + 1)
        fall = (heights[at, col] - heights[to, col]) * pitch
        middle = heights[at, col] + heights[to, col]
        aside = lesser(
            (heights[at, left] + heights[to, left]) - middle,
            middle - (heights[at, right] + heights[to, right]),
        )
        flows[below, col] = _flow(
            loose, masks, row, col, to_row, col, fall, aside * across, constants, share
        )


@kernel
def load(rock, loose, row, heights):
    """Store the current surface of a row."""
    at = np.uintp(row % 3)
    row = np.uintp(row)
    for place in range(heights.shape[1]):
        col = np.uintp(place)
        heights[at, col] = rock[row, col] + loose[row, col]


@kernel
def apply_fluxes(rock, loose, masks, row, first, last, constants, heights, flows, below):
    """Apply the fluxes to the cells of a row, and break rock that is too high. Returns the number
    of changed cells. below: 1 or 2, index of the faces below it; the other one is above.

    Fluxes of opposite neighbors are added first, so rotated and mirrored terrains give the same
    bits.
    """
    up = np.uintp((row + 2) % 3)
    at = np.uintp(row % 3)
    down = np.uintp((row + 1) % 3)
    row = np.uintp(row)
    above = np.uintp(3 - below)
    below = np.uintp(below)
    row_stand = constants.row_stand
    col_stand = constants.col_stand
    diagonal_stand = constants.diagonal_stand
    collapse = constants.collapse
    rest = constants.rest
    changed = 0
    for place in range(first, last):
        col = np.uintp(place)
        left = np.uintp(place - 1)
        right = np.uintp(place + 1)
        along_row = flows[0, right] - flows[0, col]
        along_col = flows[below, col] - flows[above, col]
        before = loose[row, col]
        after = before - (along_row + along_col)
        beside = min(heights[at, left], heights[at, right]) + col_stand
        across = min(heights[up, col], heights[down, col]) + row_stand
        oblique = min(
            min(heights[up, left], heights[up, right]),
            min(heights[down, left], heights[down, right]),
        )
        stood = rock[row, col]
        fall = (stood - min(min(beside, across), oblique + diagonal_stand)) * collapse
        if masks is not None:
            fall *= masks[row, col, BREAKS]
        fall -= before
        stands = stood - (fall if fall > rest else 0.0)
        changed += (after != before) | (stands != stood)
        loose[row, col] = after + (stood - stands)
        rock[row, col] = stands
    return changed


@kernel
def differs(rock, loose, heights, row, col, before):
    """Whether the surface or the loose thickness of a cell has changed in the pass."""
    return loose[row, col] != before or rock[row, col] + loose[row, col] != heights[row % 3, col]


@kernel
def slid_out(flows, above, below, row, rows, first, last, cols):
    """Material that has left the terrain from the columns first … last - 1 of a row."""
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
