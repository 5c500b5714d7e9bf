# SPDX-License-Identifier: GPL-3.0-or-later
"""Tiles of the ground, arranged so that no two threads touch the same cell.

Tiles are processed color by color, as on a chessboard: tiles of one color are a tile apart, and
work on a tile touches at most `REACH` + 2 cells around it. So the same operations reach the same
cells in the same order on any number of threads. Drops wait on their tiles in `particle_queues`.
"""

from typing import NamedTuple

import numpy as np

from ....base.kernels.ghost_cells import WRAP
from ....base.kernels.jit import allocation_free, inlined

REACH = 16
"""Cells beyond its tile that a drop may go before it is handed over.

A drop that meanders along a border would otherwise change tiles with every other step, and wait
each time.
"""

LARGE = 2**20
"""Number of cells above which a terrain does not fit in the processor's caches; its tiles are
prefetched, see `fetch`.
"""


class Tiles(NamedTuple):
    """Division of the ground into tiles."""

    row_edges: np.ndarray
    """First row of each row of tiles, and the end of the last."""
    col_edges: np.ndarray
    row_of: np.ndarray
    """Row of tiles of each row of cells."""
    col_of: np.ndarray
    last_row: int
    """Largest position along a column: the last row, or the number of rows if wrapped."""
    last_col: int


class Reach(NamedTuple):
    """Range of cells for the drops of one tile."""

    first_row: int
    rows: int
    row_period: int
    """Added to negative offsets from the first row: the number of rows if wrapped, else a number
    beyond all rows.
    """
    first_col: int
    cols: int
    col_period: int


def cut(rows: int, cols: int, side: int, edges: int) -> Tiles:
    """Tiles of about `side` cells, at least 5/6 of it if there are more than two, as the reaches of
    same-color tiles must not meet.
    """
    row_edges = _edges(rows, side)
    col_edges = _edges(cols, side)
    row_of, col_of = (
        np.repeat(np.arange(len(place) - 1), np.diff(place)) for place in (row_edges, col_edges)
    )
    last_row, last_col = (rows, cols) if edges == WRAP else (rows - 1, cols - 1)
    return Tiles(row_edges, col_edges, row_of, col_of, last_row, last_col)


def number_of_tiles(tiles: Tiles) -> int:
    """Number of tiles."""
    return (tiles.row_edges.size - 1) * (tiles.col_edges.size - 1)


def _edges(count: int, side: int) -> np.ndarray:
    tiles = max(1, round(count / side))
    return np.array([round(tile * count / tiles) for tile in range(tiles + 1)], np.int64)


def colors(tiles: Tiles, edges: int) -> list[np.ndarray]:
    """Tiles of each color in processing order.

    Two colors per axis are enough, except for an odd number of wrapped tiles.
    """
    along = []
    for places in (tiles.row_edges, tiles.col_edges):
        color = np.arange(len(places) - 1) % 2
        if edges == WRAP and len(color) % 2 and len(color) > 1:
            color[-1] = 2
        along.append(color)
    color = (along[0][:, None] * 3 + along[1]).ravel()
    return [np.flatnonzero(color == number) for number in np.unique(color)]


@allocation_free
def _reach_along(edges, tile, last):
    """First cell, number of cells and period of `Reach` along one axis; last: see `Tiles`."""
    first = edges[tile] - REACH
    cells = edges[tile + 1] - edges[tile] + 2 * REACH
    count = edges[-1]
    return (first % count, cells, count) if last == count else (first, cells, 2 * count)


@allocation_free
def reach_of(tiles, tile):
    """Range of cells for the drops of a tile."""
    across = tiles.col_edges.size - 1
    first_row, rows, row_period = _reach_along(tiles.row_edges, tile // across, tiles.last_row)
    first_col, cols, col_period = _reach_along(tiles.col_edges, tile % across, tiles.last_col)
    return Reach(first_row, rows, row_period, first_col, cols, col_period)


@inlined
def _in_span(way, count, period):
    """Whether an offset from the first cell, possibly wrapped, lies within a count; negative
    numbers are large as unsigned.
    """
    return np.uintp(way) < np.uintp(count) or np.uintp(way + period) < np.uintp(count)


@inlined
def within(reach, row, col):
    """Whether a cell lies in the reach of a tile."""
    return _in_span(row - reach.first_row, reach.rows, reach.row_period) and _in_span(
        col - reach.first_col, reach.cols, reach.col_period
    )


@inlined
def tile_at(tiles, z, x):
    """Tile of a position."""
    row = np.uintp(min(int(z), tiles.last_row - 1))
    col = np.uintp(min(int(x), tiles.last_col - 1))
    return np.uintp(tiles.row_of[row] * (tiles.col_edges.size - 1) + tiles.col_of[col])


@allocation_free
def fetch(pool, tiles, tile, field):
    """Prefetch a tile of a field (rows, cols) of a large terrain.

    Processors predict accesses along rows, but stall at each uncached cell of a drop's path. The
    sum only keeps the compiler from removing the reads.
    """
    if field.size < LARGE:
        return
    across = tiles.col_edges.size - 1
    line = max(1, 64 // field.strides[1])
    total = 0.0
    for row in range(tiles.row_edges[tile // across], tiles.row_edges[tile // across + 1]):
        for col in range(tiles.col_edges[tile % across], tiles.col_edges[tile % across + 1], line):
            total += field[row, col]
    pool.fetched[tile] = total
