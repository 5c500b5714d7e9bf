# SPDX-License-Identifier: GPL-3.0-or-later
"""Avalanches of loose material around one cell, run by steps wherever they disturb it.

The rule for a pair of cells is `talus_rows.transfer`. It runs on few cells but very often, so inner
cells have an unrolled code path.
"""

import math

import numpy as np

from ....base.kernels.ghost_cells import neighbor
from ....base.kernels.jit import allocation_free, inlined
from .mask_layers import ACCEPTED, DUG, HIGHEST, LOWEST
from .talus_rows import lesser, transfer


@inlined
def slide(ground, row, col, to_row, to_col, hold, share, masks):
    """Slide the excess over the stable difference `hold` between two cells; returns the amount.

    Arguments: see `cascade`.
    """
    row = np.uintp(row)
    col = np.uintp(col)
    to_row = np.uintp(to_row)
    to_col = np.uintp(to_col)
    difference = ground[row, col, 0] - ground[to_row, to_col, 0]
    if abs(difference) <= hold:
        return 0.0
    down = difference > 0.0
    amount = transfer(
        difference, hold, ground[row, col, 1] if down else ground[to_row, to_col, 1], share, 0.0
    )
    return _move(ground, row, col, to_row, to_col, amount, down, masks)


@inlined
def _move(ground, row, col, to_row, to_col, amount, down, masks):
    """Slide an amount between two cells as far as masks permit; returns the amount.

    down: from the first to the second.
    """
    if masks is not None:
        gives = masks[row, col, DUG if down else ACCEPTED]
        takes = masks[to_row, to_col, ACCEPTED if down else DUG]
        amount *= gives * takes
        if masks.shape[2] > HIGHEST:
            lowered = ground[row, col, 0]
            raised = ground[to_row, to_col, 0]
            if down:
                room = min(
                    lowered - masks[row, col, LOWEST], masks[to_row, to_col, HIGHEST] - raised
                )
            else:
                room = min(
                    raised - masks[to_row, to_col, LOWEST], masks[row, col, HIGHEST] - lowered
                )
            amount = min(amount, max(room, 0.0))
    slid = amount if down else -amount
    ground[row, col, 0] -= slid
    ground[row, col, 1] -= slid
    ground[to_row, to_col, 0] += slid
    ground[to_row, to_col, 1] += slid
    return amount


@inlined
def cascade(ground, row, col, share, masks, row_hold, col_hold, diagonal_hold, wrap):
    """Slide loose material between a cell and its eight neighbors in turn; returns the amount.

    ground: (rows, cols, 2) float64, surface and loose thickness, in any one unit; changed in place.
    share: of half the excess, which slides; up to 1 no pair oscillates. masks: (rows, cols, 4 or 6)
    float32, see `mask_layers`, or None. row_hold, col_hold, diagonal_hold: stable difference to a
    neighbor in the next row, the next column, and on a diagonal. wrap: whether edges are periodic;
    else nothing crosses them.
    """
    rows = ground.shape[0]
    cols = ground.shape[1]
    up = row - 1
    down = row + 1
    left = col - 1
    right = col + 1
    inside = up >= 0 and left >= 0 and down < rows and right < cols
    if wrap and not inside:
        up = up if up >= 0 else rows - 1
        down = down if down < rows else 0
        left = left if left >= 0 else cols - 1
        right = right if right < cols else 0
    # most cells have eight neighbors: no test for each
    if inside or wrap:
        slid = slide(ground, row, col, up, left, diagonal_hold, share, masks)
        slid += slide(ground, row, col, up, col, row_hold, share, masks)
        slid += slide(ground, row, col, up, right, diagonal_hold, share, masks)
        slid += slide(ground, row, col, row, left, col_hold, share, masks)
        slid += slide(ground, row, col, row, right, col_hold, share, masks)
        slid += slide(ground, row, col, down, left, diagonal_hold, share, masks)
        slid += slide(ground, row, col, down, col, row_hold, share, masks)
        slid += slide(ground, row, col, down, right, diagonal_hold, share, masks)
    else:
        slid = _cascade_edge(ground, row, col, share, masks, row_hold, col_hold, diagonal_hold)
    return slid


@allocation_free
def _cascade_edge(ground, row, col, share, masks, row_hold, col_hold, diagonal_hold):
    """`cascade` of a cell at an edge, with its existing neighbors."""
    slid = 0.0
    for to_row in range(max(row - 1, 0), min(row + 2, ground.shape[0])):
        for to_col in range(max(col - 1, 0), min(col + 2, ground.shape[1])):
            if to_row != row and to_col != col:
                slid += slide(ground, row, col, to_row, to_col, diagonal_hold, share, masks)
            elif to_row != row or to_col != col:
                hold = row_hold if to_col == col else col_hold
                slid += slide(ground, row, col, to_row, to_col, hold, share, masks)
    return slid


@allocation_free
def avalanche(ground, row, col, share, masks, row_hold, col_hold, wrap):
    """Slide loose material between a cell and its four neighbors, down the true gradient; returns
    the amount.

    The flux through each face is its component of the gradient's excess over the stable slope, as
    in `talus_rows`. So a heap becomes a cone, where `cascade` leaves an octagon. Arguments: see
    `cascade`. row_hold, col_hold > 0.
    """
    slid = 0.0
    for down, right in ((-1, 0), (0, -1), (0, 1), (1, 0)):
        slid += _slide_downhill(
            ground, row, col, down, right, share, masks, row_hold, col_hold, wrap
        )
    return slid


@allocation_free
def _slide_downhill(ground, row, col, down, right, share, masks, row_hold, col_hold, wrap):
    """Slide material through one face of `avalanche`; slopes are relative to the stable one."""
    rows = ground.shape[0]
    cols = ground.shape[1]
    to_row = neighbor(row + down, rows, wrap)
    to_col = neighbor(col + right, cols, wrap)
    if to_row == row and to_col == col:
        return 0.0
    hold, aside_hold = (row_hold, col_hold) if down != 0 else (col_hold, row_hold)
    height = ground[row, col, 0]
    to_height = ground[to_row, to_col, 0]
    left_row = neighbor(row - abs(right), rows, wrap)
    left_col = neighbor(col - abs(down), cols, wrap)
    right_row = neighbor(row + abs(right), rows, wrap)
    right_col = neighbor(col + abs(down), cols, wrap)
    to_left_row = neighbor(to_row - abs(right), rows, wrap)
    to_left_col = neighbor(to_col - abs(down), cols, wrap)
    to_right_row = neighbor(to_row + abs(right), rows, wrap)
    to_right_col = neighbor(to_col + abs(down), cols, wrap)
    before = (ground[left_row, left_col, 0] + ground[to_left_row, to_left_col, 0]) - (
        height + to_height
    )
    behind = (height + to_height) - (
        ground[right_row, right_col, 0] + ground[to_right_row, to_right_col, 0]
    )
    fall = (height - to_height) / hold
    aside = 0.5 * lesser(before, behind) / aside_hold
    slope = math.sqrt(fall * fall + aside * aside)
    if slope <= 1.0:
        return 0.0
    part = abs(fall) / slope
    falls = fall > 0.0
    loose = ground[row, col, 1] if falls else ground[to_row, to_col, 1]
    lesser_hold = min(row_hold, col_hold)
    amount = min(0.5 * (slope - 1.0) * lesser_hold * lesser_hold / hold, loose) * part * share
    return _move(ground, row, col, to_row, to_col, amount, falls, masks)


@allocation_free
def creep(worked, tiles, ground, track, share, masks, wrap, slid):
    """Smooth the loose surface where the wind touched the tiles `worked`; adds the amount to `slid`
    (tiles,).

    Grains struck by others roll over their neighbors: of each pair of cells, the higher gives
    `share` of half the difference, up to its loose material. share ≤ 1/4. track: (rows, cols)
    uint8, where the wind touched; masks as in `cascade`. tiles: see `kernels.tiles`; one also
    touches the cell behind it on each axis.
    """
    across = tiles.col_edges.size - 1
    for tile in worked:
        first_row = tiles.row_edges[tile // across]
        end_row = tiles.row_edges[tile // across + 1]
        first_col = tiles.col_edges[tile % across]
        end_col = tiles.col_edges[tile % across + 1]
        slid[tile] += _creep(
            ground, track, first_row, end_row, first_col, end_col, share, masks, wrap
        )


@allocation_free
def _creep(ground, track, first_row, end_row, first_col, end_col, share, masks, wrap):
    """`creep` on one tile; returns the amount."""
    rows, cols = track.shape
    slid = 0.0
    for row in range(first_row, end_row):
        for col in range(first_col, end_col):
            if track[row, col] == 0:
                continue
            for to_row, to_col in ((row + 1, col), (row, col + 1)):
                if to_row >= rows or to_col >= cols:
                    if not wrap:
                        continue
                    to_row = to_row % rows
                    to_col = to_col % cols
                slid += slide(ground, row, col, to_row, to_col, 0.0, share, masks)
    return slid
