# SPDX-License-Identifier: GPL-3.0-or-later
"""Tiles of the ground, each with a queue of the drops that are on it, so that threads never touch the same cell.

Tiles are worked colour by colour, as on a chessboard: two tiles of one colour have another one between them, and what
is on a tile touches no more than `REACH` + 2 cells around it. So the same operations meet the same cells in the same
order whatever the number of threads and whichever tile is first. What leaves a tile is handed on by one thread
afterwards, tile by tile.
"""

from typing import NamedTuple

import numpy as np

from .compile import inlined, lean
from .edges import WRAP

NONE = -1
"""Instead of a slot: the end of a list."""

ROW, COL = 0, 1
"""Where the numbers of a drop tell its place."""


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


class Pool(NamedTuple):
    """Slots for the drops under way. A list is a chain of slots, (1 or tiles, 2) int64: the first and the last."""

    numbers: np.ndarray
    """(slots, n) float64: all that a drop is; see `ROW`."""
    start: np.ndarray
    """(slots,) uint64: of a drop's random numbers."""
    follower: np.ndarray
    """(slots,) int64: the next in the same list."""
    queue: np.ndarray
    """On each tile."""
    leaving: np.ndarray
    """Those that have left each tile since it was last worked."""
    taken: np.ndarray
    """(slots,) bool: which are not empty."""
    next_slot: np.ndarray
    """(1,) int64: before it all are taken. So new drops lie side by side, as the processor likes it."""
    under_way: np.ndarray
    """(1,) int64: how many are taken."""
    waiting: np.ndarray
    """(tiles,) int64: how many are on each tile."""
    over: np.ndarray
    """(tiles,) int64: how many have ended on each."""
    fetched: np.ndarray
    """(tiles,) float64: what `fetch` read there."""


def cut(rows: int, cols: int, side: int, edges: int) -> Tiles:
    """Tiles of about `side` cells, at least 5/6 of it where there are more than two: two of one colour have one between
    them, on which both reach."""
    row_edges, col_edges = _edges(rows, side), _edges(cols, side)
    row_of, col_of = (np.repeat(np.arange(len(place) - 1), np.diff(place)) for place in (row_edges, col_edges))
    last_row, last_col = (rows, cols) if edges == WRAP else (rows - 1, cols - 1)
    return Tiles(row_edges, col_edges, row_of, col_of, last_row, last_col)


def _edges(count: int, side: int) -> np.ndarray:
    tiles = max(1, round(count / side))
    return np.array([round(tile * count / tiles) for tile in range(tiles + 1)], np.int64)


def colors(tiles: Tiles, edges: int) -> list[np.ndarray]:
    """The tiles of each colour, in the order in which they are worked. Two are enough along an axis, but for an odd
    number of tiles that wraps."""
    along = []
    for places in (tiles.row_edges, tiles.col_edges):
        color = np.arange(len(places) - 1) % 2
        if edges == WRAP and len(color) % 2 and len(color) > 1:
            color[-1] = 2
        along.append(color)
    color = (along[0][:, None] * 3 + along[1]).ravel()
    return [np.flatnonzero(color == one) for one in np.unique(color)]


def make_pool(tiles: int, numbers: int) -> Pool:
    """A pool without slots for drops of so many numbers."""
    queue, leaving = np.full((tiles, 2), NONE), np.full((tiles, 2), NONE)
    next_slot, under_way = np.zeros(1, np.int64), np.zeros(1, np.int64)
    waiting, over = np.zeros(tiles, np.int64), np.zeros(tiles, np.int64)
    rows, start, follower = np.zeros((0, numbers)), np.zeros(0, np.uint64), np.zeros(0, np.int64)
    taken = np.zeros(0, bool)
    return Pool(
        rows, start, follower, queue, leaving, taken, next_slot, under_way, waiting, over, np.zeros(tiles)
    )  # fmt: skip


def with_room(pool: Pool, more: int) -> Pool:
    """The pool with empty slots for so many more drops."""
    slots, needed = len(pool.start), int(pool.under_way[0]) + more
    pool.next_slot[0] = 0
    if needed <= slots:
        return pool
    added = max(needed - slots, slots // 2)
    numbers, start, follower, taken = (
        np.concatenate([old, np.zeros((added, *old.shape[1:]), old.dtype)])
        for old in (pool.numbers, pool.start, pool.follower, pool.taken)
    )
    return pool._replace(numbers=numbers, start=start, follower=follower, taken=taken)


@inlined
def append(lists, index, follower, slot):
    """Put a slot at the end of a list."""
    follower[slot] = NONE
    if lists[index, 0] == NONE:
        lists[index, 0] = slot
    else:
        follower[lists[index, 1]] = slot
    lists[index, 1] = slot


@inlined
def let_go(pool, tile, slot, left):
    """Put a drop that has been worked with those that have left its tile, or empty its slot as it has ended."""
    if left:
        append(pool.leaving, tile, pool.follower, slot)
    else:
        pool.taken[slot] = False
        pool.over[tile] += 1


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


@inlined
def _queue_up(pool, tiles, slot):
    """Put a drop at the end of the queue of the tile that it is on."""
    tile = tile_at(tiles, pool.numbers[slot, ROW], pool.numbers[slot, COL])
    append(pool.queue, tile, pool.follower, slot)
    pool.waiting[tile] += 1


@inlined
def enter(pool, tiles, start, z, x):
    """Put a new drop on the tile of its place, with all other numbers 0; returns its slot."""
    slot = np.uintp(pool.next_slot[0])
    while pool.taken[slot]:
        slot += np.uintp(1)
    pool.next_slot[0], pool.taken[slot] = slot + np.uintp(1), True
    for number in range(pool.numbers.shape[1]):
        pool.numbers[slot, number] = 0.0
    pool.numbers[slot, ROW], pool.numbers[slot, COL] = z, x
    pool.start[slot] = start
    _queue_up(pool, tiles, slot)
    pool.under_way[0] += 1
    return slot


@lean
def hand_on(pool, tiles, worked):
    """Put what has left the tiles that were `worked` on those where it is now, and count what has ended there."""
    for tile in worked:
        slot = pool.leaving[tile, 0]
        while slot != NONE:
            following = pool.follower[slot]
            _queue_up(pool, tiles, slot)
            slot = following
        pool.leaving[tile, 0] = NONE
        pool.under_way[0] -= pool.over[tile]
        pool.over[tile] = 0


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


@inlined
def pull(pool, tile):
    """Take the first drop out of the queue of a tile; returns its slot, or `NONE`."""
    slot = pool.queue[tile, 0]
    if slot != NONE:
        pool.queue[tile, 0] = pool.follower[slot]
        pool.waiting[tile] -= 1
    return slot


@lean
def put_back(pool, tiles, start, numbers):
    """Put a drop under way, of all its numbers, at the end of the queue of its tile."""
    slot = enter(pool, tiles, start, numbers[ROW], numbers[COL])
    for number in range(numbers.size):
        pool.numbers[slot, number] = numbers[number]


def queued(pool: Pool) -> np.ndarray:
    """The slots of all drops under way, tile by tile in the order of their queues."""
    slots = np.empty(pool.under_way[0], np.int64)
    _list_queued(pool, slots)
    return slots


@lean
def _list_queued(pool, slots):
    count = 0
    for tile in range(len(pool.queue)):
        slot = pool.queue[tile, 0]
        while slot != NONE:
            slots[count] = slot
            count += 1
            slot = pool.follower[slot]
