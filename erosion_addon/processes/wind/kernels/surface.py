# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact of a wind particle with the ground.

cells: (2 · rows · cols,) float64, surface height and loose thickness of each cell; `at` is twice
the index of a cell, and `line` twice the number of columns. Unsigned indices spare numba's test for
negative ones. Inner-loop functions have one return; numba emits reference counting at every exit.
Fields that may be None are tested in functions of their own: numba drops a branch by the type of an
argument, but not by that of a member of a tuple.
"""

from typing import NamedTuple

import numpy as np

from ....base.kernels.ghost_cells import neighbor
from ....base.kernels.jit import inlined
from ...shared.kernels.mask_layers import DUG, HIGHEST, LAID, LOWEST, SOFT

CHANNEL = np.uintp(1)
CELL = np.uintp(2)

LEAST = 1e-30
"""A load below this falls whole: else it would be halved until the processor computes with it ten
times slower.
"""


SUSPENDED = 2
"""Index of the share of the suspension, if there are three layers of cover."""

FLOWS = 5
"""Values per cell for the passing flow: see `pass_by`."""


class Fields(NamedTuple):
    """Fields of the terrain that particles read and change: (rows, cols, …), or flat by cell; see
    `fields`.
    """

    ground: np.ndarray
    """(rows, cols, 2) float64: surface and its loose part; changed in place."""
    cells: np.ndarray
    """The same, flat."""
    track: np.ndarray
    """(cells,) uint8: set to 1 where a particle touches."""
    cover: np.ndarray | None
    """(cells, 2 or 3) float32: force below which nothing is lifted, share of the wind that reaches
    the ground, and share of the suspension.
    """
    shade: np.ndarray | None
    """(cells,) float64, from `shadow.cast`."""
    flows: np.ndarray | None
    """(cells, `FLOWS`) float64: passing flow is added."""
    masks: np.ndarray | None
    """(rows, cols, 4 or 6) float32, see `mask_layers`."""
    shares: np.ndarray | None
    """The same, by cell."""


def fields(
    ground: np.ndarray,
    track: np.ndarray,
    *,
    cover: np.ndarray | None = None,
    shade: np.ndarray | None = None,
    flows: np.ndarray | None = None,
    masks: np.ndarray | None = None,
) -> Fields:
    """Fields of a terrain, from contiguous arrays (rows, cols, …)."""
    return Fields(
        ground=ground,
        cells=ground.reshape(-1),
        track=track.reshape(-1),
        cover=_flat(cover),
        shade=_flat(shade),
        flows=_flat(flows),
        masks=masks,
        shares=_flat(masks),
    )


def _flat(field: np.ndarray | None) -> np.ndarray | None:
    """Field by cell."""
    return None if field is None else field.reshape(-1, *field.shape[2:])


@inlined
def breeze(cover, at):
    """Share of the wind that plants let through to the ground."""
    return 1.0 if cover is None else np.float64(cover[at // CELL, 1])


@inlined
def cohesion(cover, at):
    """Force below which nothing is lifted."""
    return 0.0 if cover is None else np.float64(cover[at // CELL, 0])


@inlined
def shaded(shade, at, height):
    """Whether a height over a cell lies in the wind shadow."""
    return shade is not None and height < shade[at // CELL]


@inlined
def pass_by(flows, at, load, down, right, vz, vx):
    """Count a step that sets out from a cell: the load times its way (cells) along rows and
    columns, its velocity along them, and the step.
    """
    if flows is not None:
        cell = at // CELL
        flows[cell, 0] += load * right
        flows[cell, 1] += load * down
        flows[cell, 2] += vx
        flows[cell, 3] += vz
        flows[cell, 4] += 1.0


@inlined
def _blend(top, upper, lower, bottom, down, right):
    """Differences of height over two cells along columns and rows, blended from the two middle
    cells of `upper` and `lower`, rows of four; top, bottom: the cells above and below them.
    """
    left = 1.0 - right
    up = 1.0 - down
    along_row = ((upper[2] - upper[0]) * left + (upper[3] - upper[1]) * right) * up + (
        (lower[2] - lower[0]) * left + (lower[3] - lower[1]) * right
    ) * down
    along_column = ((lower[1] - top[0]) * up + (bottom[0] - upper[1]) * down) * left + (
        (lower[2] - top[1]) * up + (bottom[1] - upper[2]) * down
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
        (cells[above], cells[above + CELL]),
        (cells[at - CELL], cells[at], cells[at + CELL], cells[at + CELL + CELL]),
        (cells[below - CELL], cells[below], cells[below + CELL], cells[below + CELL + CELL]),
        (cells[beneath], cells[beneath + CELL]),
        down,
        right,
    )


@inlined
def differences(ground, row, col, down, right, wrap):
    """`differences_inside` anywhere; ground: (rows, cols, 2); row, col may be a cell beyond an
    edge.
    """
    rows = ground.shape[0]
    cols = ground.shape[1]
    r0 = np.uintp(neighbor(row - 1, rows, wrap))
    r1 = np.uintp(neighbor(row, rows, wrap))
    r2 = np.uintp(neighbor(row + 1, rows, wrap))
    r3 = np.uintp(neighbor(row + 2, rows, wrap))
    c0 = np.uintp(neighbor(col - 1, cols, wrap))
    c1 = np.uintp(neighbor(col, cols, wrap))
    c2 = np.uintp(neighbor(col + 1, cols, wrap))
    c3 = np.uintp(neighbor(col + 2, cols, wrap))
    return _blend(
        (ground[r0, c1, 0], ground[r0, c2, 0]),
        (ground[r1, c0, 0], ground[r1, c1, 0], ground[r1, c2, 0], ground[r1, c3, 0]),
        (ground[r2, c0, 0], ground[r2, c1, 0], ground[r2, c2, 0], ground[r2, c3, 0]),
        (ground[r3, c1, 0], ground[r3, c2, 0]),
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
