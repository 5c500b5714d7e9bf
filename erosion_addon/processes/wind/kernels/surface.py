# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact of a wind particle with the ground.

cells: (2 · rows · cols,) float64, surface height and loose thickness of each cell; `at` is twice
the index of a cell, and `line` twice the number of columns. Unsigned indices spare numba's test for
negative ones. Inner-loop functions have one return; numba emits reference counting at every exit.
"""

import numpy as np

from ....base.kernels.jit import inlined
from ...shared.kernels.mask_layers import DUG, HIGHEST, LAID, LOWEST, SOFT

CHANNEL = np.uintp(1)
CELL = np.uintp(2)

LEAST = 1e-30
"""A load below this falls whole: else it would be halved until the processor computes with it ten
times slower.
"""


@inlined
def _blend(n01, n02, n10, n11, n12, n13, n20, n21, n22, n23, n31, n32, down, right):
    """Differences of height over two cells along columns and rows, blended from those of four cells
    (1, 1) … (2, 2).
    """
    left = 1.0 - right
    up = 1.0 - down
    along_row = ((n12 - n10) * left + (n13 - n11) * right) * up + (
        (n22 - n20) * left + (n23 - n21) * right
    ) * down
    along_column = ((n21 - n01) * up + (n31 - n11) * down) * left + (
        (n22 - n02) * up + (n32 - n12) * down
    ) * right
    return along_column, along_row


@inlined
def differences_inside(cells, at, line, down, right):
    """Height difference over two cells along columns and rows, blended from that of the four cells
    around a place.

    at: the cell whose middle is next above and left of the place; down, right: the way from there,
    0-1.
    """
    above = at - line
    below = at + line
    beneath = below + line
    return _blend(
        cells[above],
        cells[above + CELL],
        cells[at - CELL],
        cells[at],
        cells[at + CELL],
        cells[at + CELL + CELL],
        cells[below - CELL],
        cells[below],
        cells[below + CELL],
        cells[below + CELL + CELL],
        cells[beneath],
        cells[beneath + CELL],
        down,
        right,
    )


@inlined
def _inside(index, count, wrap):
    """Index up to two cells beyond an edge, wrapped or clamped."""
    if wrap:
        return np.uintp(
            index + count if index < 0 else (index - count if index >= count else index)
        )
    return np.uintp(min(max(index, 0), count - 1))


@inlined
def differences(ground, row, col, down, right, wrap):
    """`differences_inside` anywhere; ground: (rows, cols, 2); row, col may be a cell beyond an
    edge.
    """
    rows = ground.shape[0]
    cols = ground.shape[1]
    r0 = _inside(row - 1, rows, wrap)
    r1 = _inside(row, rows, wrap)
    r2 = _inside(row + 1, rows, wrap)
    r3 = _inside(row + 2, rows, wrap)
    c0 = _inside(col - 1, cols, wrap)
    c1 = _inside(col, cols, wrap)
    c2 = _inside(col + 1, cols, wrap)
    c3 = _inside(col + 2, cols, wrap)
    return _blend(
        ground[r0, c1, 0],
        ground[r0, c2, 0],
        ground[r1, c0, 0],
        ground[r1, c1, 0],
        ground[r1, c2, 0],
        ground[r1, c3, 0],
        ground[r2, c0, 0],
        ground[r2, c1, 0],
        ground[r2, c2, 0],
        ground[r2, c3, 0],
        ground[r3, c1, 0],
        ground[r3, c2, 0],
        down,
        right,
    )


@inlined
def steep(cells, at, line, row_hold, col_hold, diagonal_hold):
    """Whether anything would slide between a cell inside the terrain and its neighbors; mostly
    nothing does.
    """
    above = at - line
    below = at + line
    middle = cells[at]
    up_left = abs(cells[above - CELL] - middle)
    up_right = abs(cells[above + CELL] - middle)
    down_left = abs(cells[below - CELL] - middle)
    down_right = abs(cells[below + CELL] - middle)
    across = max(max(up_left, up_right), max(down_left, down_right))
    along_row = max(abs(cells[at - CELL] - middle), abs(cells[at + CELL] - middle))
    along_column = max(abs(cells[above] - middle), abs(cells[below] - middle))
    return (across > diagonal_hold) | (along_row > col_hold) | (along_column > row_hold)


@inlined
def deposit(cells, masks, at, amount):
    """Deposit `amount` on a cell; returns the part that a mask permits."""
    if masks is not None:
        amount *= masks[at // CELL, LAID]
        if masks.shape[1] > HIGHEST:
            amount = min(amount, max(masks[at // CELL, HIGHEST] - cells[at], 0.0))
    cells[at] += amount
    cells[at + CHANNEL] += amount
    return amount


@inlined
def wear(cells, masks, at, worn):
    """Turn the top of bare rock into loose sand; returns the amount."""
    if masks is not None:
        worn *= masks[at // CELL, DUG] * masks[at // CELL, SOFT]
    cells[at + CHANNEL] += worn
    return worn


@inlined
def lift(cells, masks, at, amount):
    """Lift up to `amount` of the loose sand of a cell; returns the amount."""
    if masks is not None:
        amount *= masks[at // CELL, DUG]
        if masks.shape[1] > HIGHEST:
            amount = min(amount, max(cells[at] - masks[at // CELL, LOWEST], 0.0))
    amount = min(amount, cells[at + CHANNEL])
    cells[at] -= amount
    cells[at + CHANNEL] -= amount
    return amount
