# SPDX-License-Identifier: GPL-3.0-or-later
"""Exchange between a drop and the ground: erosion, deposition, and mixing of colors.

ground: (rows, cols, 2) float64, surface height and loose thickness, in cells. masks: (rows, cols, 4
or 6) float32, see `mask_layers`, or None. color: (rows, cols, 3) float32, or None. carried: (3,)
color of a drop's load. A position is a cell (row, col) and the fraction to the next one; `place`
combines the rows above and below with the fraction between them, and columns likewise.
"""

import numpy as np

from ....base.kernels.jit import allocation_free, inlined
from .mask_layers import DUG, HIGHEST, LAID, LOWEST, SOFT

BRUSH_SCALE = 0.1591549430918953
"""1 / 2π: normalizes the weights 1 - r²/4 of the 4 × 4 brush to a sum of about 1."""


@allocation_free
def height(ground, row, col):
    """Height of a cell. Unsigned indices spare numba's test for negative ones."""
    return ground[np.uintp(row), np.uintp(col), 0]


@inlined
def take(ground, row, col, amount, floor, masks):
    """Erode up to `amount` from one cell, loose material first, never below `floor`; returns the
    amount.
    """
    room = max(ground[row, col, 0] - floor, 0.0)
    if masks is None:
        taken = min(amount, room)
        ground[row, col, 1] = max(ground[row, col, 1] - taken, 0.0)
    else:
        if masks.shape[2] > HIGHEST:
            room = min(room, max(ground[row, col, 0] - masks[row, col, LOWEST], 0.0))
        taken = min(amount * masks[row, col, DUG], room)
        loose = min(ground[row, col, 1], taken)
        taken = loose + (taken - loose) * masks[row, col, SOFT]
        ground[row, col, 1] -= loose
    ground[row, col, 0] -= taken
    return taken


@allocation_free
def _mix_in(carried, load, color, row, col, taken):
    """Mix the color of eroded ground into the load, weighted by amounts."""
    if taken > 0.0:
        share = taken / (load + taken)
        for channel in range(3):
            carried[channel] += share * (color[row, col, channel] - carried[channel])


@allocation_free
def _give(ground, row, col, amount, masks, color, carried, color_depth):
    """Deposit `amount` on one cell as loose material; returns the part that masks permit."""
    row = np.uintp(row)
    col = np.uintp(col)
    if masks is not None:
        amount = amount * masks[row, col, LAID]
        if masks.shape[2] > HIGHEST:
            amount = min(amount, max(masks[row, col, HIGHEST] - ground[row, col, 0], 0.0))
    ground[row, col, 0] += amount
    ground[row, col, 1] += amount
    if color is not None:
        share = amount / (amount + color_depth)
        for channel in range(3):
            color[row, col, channel] += share * (carried[channel] - color[row, col, channel])
    return amount


@allocation_free
def deposit(ground, place, amount, masks, color, carried, color_depth):
    """Deposit `amount` over the four cells around a position, weighted bilinearly; returns the
    deposit.
    """
    row, below, row_part, col, right, col_part = place
    deposited = _give(
        ground,
        row,
        col,
        amount * (1 - row_part) * (1 - col_part),
        masks,
        color,
        carried,
        color_depth,
    )
    deposited += _give(
        ground, row, right, amount * (1 - row_part) * col_part, masks, color, carried, color_depth
    )
    deposited += _give(
        ground, below, col, amount * row_part * (1 - col_part), masks, color, carried, color_depth
    )
    deposited += _give(
        ground, below, right, amount * row_part * col_part, masks, color, carried, color_depth
    )
    return deposited


@inlined
def laid_share(masks, place):
    """Share of a `deposit` at a position that masks permit."""
    if masks is None:
        return 1.0
    row, below, row_part, col, right, col_part = place
    above = masks[row, col, LAID] * (1.0 - col_part) + masks[row, right, LAID] * col_part
    under = masks[below, col, LAID] * (1.0 - col_part) + masks[below, right, LAID] * col_part
    return above * (1.0 - row_part) + under * row_part


@inlined
def withheld(masks, amount, deposited):
    """Part of `amount` that masks keep from being deposited."""
    return 0.0 if masks is None else max(amount - deposited, 0.0)


@inlined
def turned_away(masks, amount, deposited):
    """Part of `amount` that height limits refuse, after masks."""
    return max(amount - deposited, 0.0) if masks is not None and masks.shape[2] > HIGHEST else 0.0


@inlined
def _dig(ground, row, col, amount, load, floor, masks, color, carried):
    """Erode up to `amount` from one cell into a drop that carries `load`; returns the amount."""
    row = np.uintp(row)
    col = np.uintp(col)
    taken = take(ground, row, col, amount, floor, masks)
    if color is not None:
        _mix_in(carried, load, color, row, col, taken)
    return taken


@inlined
def erode_inside(ground, place, amount, load, floor, masks, color, carried):
    """`erode` away from edges, unrolled and without unpredictable branches; returns the amount."""
    row, col, row_part, col_part = place
    amount *= BRUSH_SCALE
    fall_0 = (-1 - col_part) * (-1 - col_part) * 0.25
    fall_1 = (0 - col_part) * (0 - col_part) * 0.25
    fall_2 = (1 - col_part) * (1 - col_part) * 0.25
    fall_3 = (2 - col_part) * (2 - col_part) * 0.25
    total = 0.0
    for down in range(-1, 3):
        at = row + down
        top = 1.0 - (down - row_part) * (down - row_part) * 0.25
        came = _dig(
            ground,
            at,
            col - 1,
            amount * max(top - fall_0, 0.0),
            load + total,
            floor,
            masks,
            color,
            carried,
        )
        before = load + (total + came)
        came += _dig(
            ground, at, col, amount * max(top - fall_1, 0.0), before, floor, masks, color, carried
        )
        before = load + (total + came)
        came += _dig(
            ground,
            at,
            col + 1,
            amount * max(top - fall_2, 0.0),
            before,
            floor,
            masks,
            color,
            carried,
        )
        before = load + (total + came)
        came += _dig(
            ground,
            at,
            col + 2,
            amount * max(top - fall_3, 0.0),
            before,
            floor,
            masks,
            color,
            carried,
        )
        total += came
    return total


@allocation_free
def erode(ground, place, amount, load, floor, brush, wrap, masks, color, carried):
    """Erode `amount` around a position, with the 4 × 4 brush or bilinear weights; returns the
    eroded amount. place: row and column of the upper left cell, and the fractions beyond it.
    """
    row, col, row_part, col_part = place
    rows = ground.shape[0]
    cols = ground.shape[1]
    first, last = (-1, 3) if brush else (0, 2)
    if brush:
        amount *= BRUSH_SCALE
    total = 0.0
    for down in range(first, last):
        at_row = row + down
        row_distance = down - row_part
        if wrap:
            at_row %= rows
        elif at_row < 0 or at_row >= rows:
            continue
        came = 0.0
        for right in range(first, last):
            at_col = col + right
            col_distance = right - col_part
            if wrap:
                at_col %= cols
            elif at_col < 0 or at_col >= cols:
                continue
            if brush:
                weight = (
                    1.0 - row_distance * row_distance * 0.25 - col_distance * col_distance * 0.25
                )
            else:
                weight = (1.0 - abs(row_distance)) * (1.0 - abs(col_distance))
            if weight > 0.0:
                before = load + (total + came)
                came += _dig(
                    ground, at_row, at_col, amount * weight, before, floor, masks, color, carried
                )
        total += came
    return total


@allocation_free
def corners(ground, row, below, col, right):
    """Heights h00, h10, h01, h11 of four cells; the first digit counts along a row, the second
    along a column.
    """
    h00 = height(ground, row, col)
    h10 = height(ground, row, right)
    h01 = height(ground, below, col)
    h11 = height(ground, below, right)
    return h00, h10, h01, h11
