# SPDX-License-Identifier: GPL-3.0-or-later
"""Tiles of the ground, so that threads never touch the same cell.

Tiles are worked color by color, as on a chessboard: two tiles of one color have another one between them, and what
is on a tile touches no more than `REACH` + 2 cells around it. So the same operations meet the same cells in the same
order whatever the number of threads and whichever tile is first. Drops wait on their tiles in `kernels.queues`.
"""

from typing import NamedTuple

import numpy as np

from ....kernels.compile import inlined, lean
from ....kernels.edges import WRAP

REACH = 16
"""Cells beyond its tile that a drop may go before it is handed on. Else one that meanders along a border, or about in a
lake across it, changes tiles with every other step, and is old when its turn comes."""

LARGE = 2**20
"""Cells from which on a terrain does not stay in the processor's caches; its tiles are fetched, see `fetch`."""


class Tiles(NamedTuple):
    """How the ground is cut."""

    row_edges: np.ndarray
    """First row of each row of tiles, and the end of the last."""
    col_edges: np.ndarray
    row_of: np.ndarray
    """Row of tiles that each row of cells is in."""
    col_of: np.ndarray
    last_row: int
    """Largest place along a column: the last row, or the number of rows where the first follows it."""
    last_col: int


class Reach(NamedTuple):
    """The cells that the drops of one tile run on."""

    first_row: int
    rows: int
    row_period: int
    """To add to what is left of the first: the number of rows where they wrap, else more than there are."""
    first_col: int
    cols: int
    col_period: int


def cut(rows: int, cols: int, side: int, edges: int) -> Tiles:
    """Tiles of about `side` cells, at least 5/6 of it where there are more than two: two of one color have one between
    them, on which both reach."""
    row_edges, col_edges = _edges(rows, side), _edges(cols, side)
    row_of, col_of = (np.repeat(np.arange(len(place) - 1), np.diff(place)) for place in (row_edges, col_edges))
    last_row, last_col = (rows, cols) if edges == WRAP else (rows - 1, cols - 1)
    return Tiles(row_edges, col_edges, row_of, col_of, last_row, last_col)


def _edges(count: int, side: int) -> np.ndarray:
    tiles = max(1, round(count / side))
    return np.array([round(tile * count / tiles) for tile in range(tiles + 1)], np.int64)


def colors(tiles: Tiles, edges: int) -> list[np.ndarray]:
    """The tiles of each color, in the order in which they are worked. Two are enough along an axis, but for an odd
    number of tiles that wraps."""
    along = []
    for places in (tiles.row_edges, tiles.col_edges):
        color = np.arange(len(places) - 1) % 2
        if edges == WRAP and len(color) % 2 and len(color) > 1:
            color[-1] = 2
        along.append(color)
    color = (along[0][:, None] * 3 + along[1]).ravel()
    return [np.flatnonzero(color == one) for one in np.unique(color)]


@lean
def _reach_along(edges, tile, last):
    """First cell, number of cells and period of `Reach` along one axis; last: as in `Tiles`."""
    first, cells, count = edges[tile] - REACH, edges[tile + 1] - edges[tile] + 2 * REACH, edges[-1]
    return (first % count, cells, count) if last == count else (first, cells, 2 * count)


@lean
def reach_of(tiles, tile):
    """The cells that the drops of a tile run on."""
    across = tiles.col_edges.size - 1
    first_row, rows, row_period = _reach_along(tiles.row_edges, tile // across, tiles.last_row)
    first_col, cols, col_period = _reach_along(tiles.col_edges, tile % across, tiles.last_col)
    return Reach(first_row, rows, row_period, first_col, cols, col_period)


@inlined
def _in_span(way, count, period):
    """Whether a way from the first cell, which may wrap, ends in so many; unsigned, a negative one is a long one."""
    return np.uintp(way) < np.uintp(count) or np.uintp(way + period) < np.uintp(count)


@inlined
def within(reach, row, col):
    """Whether a cell is in reach of a tile."""
    return _in_span(row - reach.first_row, reach.rows, reach.row_period) and _in_span(
        col - reach.first_col, reach.cols, reach.col_period
    )


@inlined
def tile_at(tiles, z, x):
    """The tile that a place is on."""
    row, col = np.uintp(min(int(z), tiles.last_row - 1)), np.uintp(min(int(x), tiles.last_col - 1))
    return np.uintp(tiles.row_of[row] * (tiles.col_edges.size - 1) + tiles.col_of[col])


@lean
def fetch(pool, tiles, tile, field):
    """Read a tile of a field (rows, cols) of a large terrain in one go, before its drops come upon it bit by bit.

    The processor sees rows coming, but waits at every cell of a drop's way that is not in its caches. The sum is kept
    only because the compiler would leave out the reading otherwise.
    """
    if field.size < LARGE:
        return
    across, line = tiles.col_edges.size - 1, max(1, 64 // field.strides[1])
    total = 0.0
    for row in range(tiles.row_edges[tile // across], tiles.row_edges[tile // across + 1]):
        for col in range(tiles.col_edges[tile % across], tiles.col_edges[tile % across + 1], line):
            total += field[row, col]
    pool.fetched[tile] = total
