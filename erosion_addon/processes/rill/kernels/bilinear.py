# SPDX-License-Identifier: GPL-3.0-or-later
"""Bilinear surface: height and slope at any position, and changes there.

All use the bilinear weights of the four surrounding cells. ground: (rows, cols, 2) float64, surface
height and loose thickness, in cells. masks: (rows, cols, 4 or 6) float32, see `mask_layers`, or
None.
"""

import numpy as np

from ....base.kernels.ghost_cells import between
from ....base.kernels.jit import allocation_free
from ...shared.kernels.exchange import take
from ...shared.kernels.mask_layers import HIGHEST, LAID


@allocation_free
def cells_at(z, x, last_row, last_col, rows, cols):
    """Four cells around a position: rows above and below and the fraction between them, columns
    likewise.
    """
    row, below, row_part = between(z, last_row, rows)
    col, right, col_part = between(x, last_col, cols)
    # Unsigned indices spare numba's test for negative ones.
    return np.uintp(row), np.uintp(below), row_part, np.uintp(col), np.uintp(right), col_part


@allocation_free
def nearest(place):
    """Nearest of the four cells."""
    row, below, row_part, col, right, col_part = place
    return row if row_part < 0.5 else below, col if col_part < 0.5 else right


@allocation_free
def height(ground, place):
    """Height at a position."""
    row, below, row_part, col, right, col_part = place
    upper = ground[row, col, 0] * (1 - col_part) + ground[row, right, 0] * col_part
    lower = ground[below, col, 0] * (1 - col_part) + ground[below, right, 0] * col_part
    return upper * (1 - row_part) + lower * row_part


@allocation_free
def surface(ground, place):
    """Height at a position, and its gradient along columns and rows, in cells per cell."""
    row, below, row_part, col, right, col_part = place
    h00 = ground[row, col, 0]
    h10 = ground[row, right, 0]
    h01 = ground[below, col, 0]
    h11 = ground[below, right, 0]
    upper = h00 * (1 - col_part) + h10 * col_part
    lower = h01 * (1 - col_part) + h11 * col_part
    return (
        upper * (1 - row_part) + lower * row_part,
        (h01 - h00) * (1 - col_part) + (h11 - h10) * col_part,
        (h10 - h00) * (1 - row_part) + (h11 - h01) * row_part,
    )


@allocation_free
def _give(ground, row, col, amount, ceiling, masks):
    """Deposit up to `amount` of loose material on one cell, never above `ceiling`; returns the
    deposit.
    """
    if masks is not None:
        amount = amount * masks[row, col, LAID]
        if masks.shape[2] > HIGHEST:
            ceiling = min(ceiling, np.float64(masks[row, col, HIGHEST]))
    amount = min(amount, max(ceiling - ground[row, col, 0], 0.0))
    ground[row, col, 0] += amount
    ground[row, col, 1] += amount
    return amount


@allocation_free
def lay(ground, place, amount, ceiling, masks):
    """Deposit `amount` over the four cells around a position; returns the deposit."""
    row, below, row_part, col, right, col_part = place
    deposited = _give(ground, row, col, amount * (1 - row_part) * (1 - col_part), ceiling, masks)
    deposited += _give(ground, row, right, amount * (1 - row_part) * col_part, ceiling, masks)
    deposited += _give(ground, below, col, amount * row_part * (1 - col_part), ceiling, masks)
    deposited += _give(ground, below, right, amount * row_part * col_part, ceiling, masks)
    return deposited


@allocation_free
def dig(ground, place, amount, floor, masks):
    """Erode up to `amount` from the four cells around a position; returns the amount eroded."""
    row, below, row_part, col, right, col_part = place
    taken = take(ground, row, col, amount * (1 - row_part) * (1 - col_part), floor, masks)
    taken += take(ground, row, right, amount * (1 - row_part) * col_part, floor, masks)
    taken += take(ground, below, col, amount * row_part * (1 - col_part), floor, masks)
    taken += take(ground, below, right, amount * row_part * col_part, floor, masks)
    return taken


@allocation_free
def _move_cell(ground, row, col, amount, level, sign):
    """Move one cell by up to `amount` toward `level`: up if sign is 1, down if -1; returns the
    change.
    """
    change = min(amount, max((level - ground[row, col, 0]) * sign, 0.0))
    ground[row, col, 0] += change * sign
    ground[row, col, 1] = max(ground[row, col, 1] + change * sign, 0.0)
    return change


@allocation_free
def move(ground, place, amount, level, sign, masks):
    """Deposit if `sign` is 1 or erode if -1, not beyond `level`; returns the amount.

    Without masks both share one code path: on flat ground, the branch would be unpredictable.
    """
    if masks is not None:
        return (
            lay(ground, place, amount, level, masks)
            if sign > 0.0
            else dig(ground, place, amount, level, masks)
        )
    row, below, row_part, col, right, col_part = place
    total = _move_cell(ground, row, col, amount * (1 - row_part) * (1 - col_part), level, sign)
    total += _move_cell(ground, row, right, amount * (1 - row_part) * col_part, level, sign)
    total += _move_cell(ground, below, col, amount * row_part * (1 - col_part), level, sign)
    total += _move_cell(ground, below, right, amount * row_part * col_part, level, sign)
    return total
