# SPDX-License-Identifier: GPL-3.0-or-later
"""Tiles of the ground, each with a queue of the drops that are on it, so that threads never touch the same cell.

Tiles are worked colour by colour, as on a chessboard: two tiles of one colour have another one between them, and what
is on a tile touches no more than two cells around it. So the same operations meet the same cells in the same order
whatever the number of threads and whichever tile is first. What leaves a tile is handed on by one thread afterwards,
tile by tile.
"""

from typing import NamedTuple

import numpy as np

from .compile import inlined, kernel
from .edges import WRAP

NONE = -1
"""Instead of a slot: the end of a list."""

ROW, COL = 0, 1
"""Where the numbers of a drop tell its place."""


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
    ended: np.ndarray
    free: np.ndarray
    """Empty slots."""
    under_way: np.ndarray
    """(1,) int64: how many are not."""
    waiting: np.ndarray
    """(tiles,) int64: how many are on each tile."""


def cut(rows: int, cols: int, side: int, edges: int) -> Tiles:
    """Tiles of about `side` cells; none is much smaller than another, as two cells around each must be its alone."""
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
    queue, leaving, ended = (np.full((tiles, 2), NONE) for _ in range(3))
    free, under_way, waiting = np.full((1, 2), NONE), np.zeros(1, np.int64), np.zeros(tiles, np.int64)
    rows, start, follower = np.zeros((0, numbers)), np.zeros(0, np.uint64), np.zeros(0, np.int64)
    return Pool(rows, start, follower, queue, leaving, ended, free, under_way, waiting)


def with_room(pool: Pool, more: int) -> Pool:
    """The pool with empty slots for so many more drops."""
    slots, needed = len(pool.start), int(pool.under_way[0]) + more
    if needed <= slots:
        return pool
    added = max(needed - slots, slots // 2)
    follower = np.append(pool.follower, np.arange(slots + 1, slots + added + 1))
    follower[-1] = NONE
    free = pool.free.copy()
    if free[0, 0] == NONE:
        free[0, 0] = slots
    else:
        follower[free[0, 1]] = slots
    free[0, 1] = slots + added - 1
    numbers = np.concatenate([pool.numbers, np.zeros((added, pool.numbers.shape[1]))])
    start = np.append(pool.start, np.zeros(added, np.uint64))
    return pool._replace(numbers=numbers, start=start, follower=follower, free=free)


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
    slot = np.uintp(pool.free[0, 0])
    pool.free[0, 0] = pool.follower[slot]
    for number in range(pool.numbers.shape[1]):
        pool.numbers[slot, number] = 0.0
    pool.numbers[slot, ROW], pool.numbers[slot, COL] = z, x
    pool.start[slot] = start
    _queue_up(pool, tiles, slot)
    pool.under_way[0] += 1
    return slot


@kernel
def hand_on(pool, tiles, worked):
    """Put what has left the tiles that were `worked` on those where it is now, and free the slots of what has ended."""
    for tile in worked:
        slot = pool.leaving[tile, 0]
        while slot != NONE:
            following = pool.follower[slot]
            _queue_up(pool, tiles, slot)
            slot = following
        pool.leaving[tile, 0] = NONE
        slot = pool.ended[tile, 0]
        while slot != NONE:
            following = pool.follower[slot]
            append(pool.free, 0, pool.follower, slot)
            pool.under_way[0] -= 1
            slot = following
        pool.ended[tile, 0] = NONE


@inlined
def take_queue(pool, tile):
    """Empty the queue of a tile; returns its first slot, from which `follower` leads on."""
    slot = pool.queue[tile, 0]
    pool.queue[tile, 0] = NONE
    pool.waiting[tile] = 0
    return slot


@kernel
def put_back(pool, tiles, start, numbers):
    """Put a drop under way, of all its numbers, at the end of the queue of its tile."""
    slot = enter(pool, tiles, start, numbers[ROW], numbers[COL])
    pool.numbers[slot] = numbers


@kernel
def queued(pool):
    """The slots of all drops under way, tile by tile in the order of their queues."""
    slots = np.empty(pool.under_way[0], np.int64)
    count = 0
    for tile in range(len(pool.queue)):
        slot = pool.queue[tile, 0]
        while slot != NONE:
            slots[count] = slot
            count += 1
            slot = pool.follower[slot]
    return slots
