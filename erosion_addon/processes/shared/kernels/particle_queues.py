# SPDX-License-Identifier: GPL-3.0-or-later
"""Drops in flight: slots for their values, a queue of waiting drops per tile, and the cells where
drops start.

A thread takes drops from the queue of its tile and sorts those that leave by destination. One
thread hands them over afterwards, tile by tile, so the queues do not depend on the number of
threads.
"""

from typing import NamedTuple

import numpy as np

from ....base.kernels import rng
from ....base.kernels.ghost_cells import wrapped
from ....base.kernels.jit import allocation_free, inlined
from .tiles import tile_at

NONE = -1
"""Null slot: end of a list."""

ROW, COL = 0, 1
"""Columns of a drop's position."""

EXITS = 10
"""Exit lists of a tile: nine destination tiles, and one list for all others.

A drop goes to one of the eight neighbors; a grain of sand in a storm may fly further.
"""

FIRST, LAST, TO, COUNT = 0, 1, 2, 3
"""Columns of an exit: first and last slot, destination tile or `NONE`, length."""


class Pool(NamedTuple):
    """Slots of drops in flight. A list is a chain of slots, (1 or tiles, 2) int64: first and
    last.
    """

    numbers: np.ndarray
    """(slots, n) float64: values of each drop, position first; see `ROW`."""
    start: np.ndarray
    """(slots,) uint64: random stream of each drop."""
    follower: np.ndarray
    """(slots,) int64: next slot in the same list."""
    queue: np.ndarray
    """Queue of each tile."""
    exits: np.ndarray
    """(tiles, EXITS, 4) int64: drops that have left each tile since its last turn, by destination;
    see `TO`.
    """
    taken: np.ndarray
    """(slots,) bool: slots in use."""
    next_slot: np.ndarray
    """(1,) int64: all slots before it are in use, so new drops lie side by side in memory."""
    under_way: np.ndarray
    """(1,) int64: number of slots in use."""
    waiting: np.ndarray
    """(tiles,) int64: drops waiting on each tile."""
    over: np.ndarray
    """(tiles,) int64: drops that ended on each tile."""
    fetched: np.ndarray
    """(tiles,) float64: checksums of `fetch` and `fetch_queue`."""


def make_pool(tiles: int, numbers: int) -> Pool:
    """Empty pool for drops with a number of values."""
    queue = np.full((tiles, 2), NONE)
    exits = np.full((tiles, EXITS, 4), NONE)
    exits[..., COUNT] = 0
    next_slot = np.zeros(1, np.int64)
    under_way = np.zeros(1, np.int64)
    waiting = np.zeros(tiles, np.int64)
    over = np.zeros(tiles, np.int64)
    rows = np.zeros((0, numbers))
    start = np.zeros(0, np.uint64)
    follower = np.zeros(0, np.int64)
    taken = np.zeros(0, bool)
    return Pool(
        rows,
        start,
        follower,
        queue,
        exits,
        taken,
        next_slot,
        under_way,
        waiting,
        over,
        np.zeros(tiles),
    )


def with_room(pool: Pool, more: int) -> Pool:
    """Pool enlarged by a number of slots."""
    slots = len(pool.start)
    size = int(pool.under_way[0]) + more
    pool.next_slot[0] = 0
    if size <= slots:
        return pool
    added = max(size - slots, slots)

    def grown(old: np.ndarray) -> np.ndarray:
        # the system gives the memory when it is used
        new = np.empty((slots + added, *old.shape[1:]), old.dtype)
        new[:slots] = old
        return new

    taken = np.zeros(slots + added, bool)
    taken[:slots] = pool.taken
    return pool._replace(
        numbers=grown(pool.numbers),
        start=grown(pool.start),
        follower=grown(pool.follower),
        taken=taken,
    )


@inlined
def _append(lists, index, follower, first, last):
    """Append a chain of slots to a list."""
    if lists[index, FIRST] == NONE:
        lists[index, FIRST] = first
    else:
        follower[lists[index, LAST]] = first
    lists[index, LAST] = last


@inlined
def _queue_up(pool, tiles, slot):
    """Append a drop to the queue of its tile."""
    tile = tile_at(tiles, pool.numbers[slot, ROW], pool.numbers[slot, COL])
    pool.follower[slot] = NONE
    _append(pool.queue, tile, pool.follower, slot, slot)
    pool.waiting[tile] += 1


@inlined
def enter(pool, tiles, start, z, x):
    """Add a new drop on the tile of its position, all other values 0; returns its slot."""
    slot = np.uintp(pool.next_slot[0])
    while pool.taken[slot]:  # no more drops are let in than there are slots
        slot += np.uintp(1)
    pool.next_slot[0] = slot + np.uintp(1)
    pool.taken[slot] = True
    for number in range(pool.numbers.shape[1]):
        pool.numbers[slot, number] = 0.0
    pool.numbers[slot, ROW] = z
    pool.numbers[slot, COL] = x
    pool.start[slot] = start
    _queue_up(pool, tiles, slot)
    pool.under_way[0] += 1
    return slot


@allocation_free
def _leave(exits, follower, slot, to):
    """Add a drop to the exit list for its new tile."""
    place = 0
    while place < EXITS - 1 and exits[place, TO] != NONE and exits[place, TO] != to:
        place += 1
    if place < EXITS - 1:
        exits[place, TO] = to
    exits[place, COUNT] += 1
    follower[slot] = NONE
    _append(exits, place, follower, slot, slot)


@inlined
def let_go(pool, tiles, tile, slot, left):
    """Move a processed drop to an exit list, or free its slot if it has ended."""
    if left:
        to = np.int64(tile_at(tiles, pool.numbers[slot, ROW], pool.numbers[slot, COL]))
        _leave(pool.exits[tile], pool.follower, slot, to)
    else:
        pool.taken[slot] = False
        pool.over[tile] += 1


@allocation_free
def hand_on(pool, tiles, worked):
    """Hand drops that left the tiles `worked` over to their new tiles, and count those that
    ended.
    """
    for tile in worked:
        exits = pool.exits[tile]
        for place in range(EXITS):
            slot = exits[place, FIRST]
            if slot == NONE:
                continue
            if place < EXITS - 1:
                to = exits[place, TO]
                _append(pool.queue, to, pool.follower, slot, exits[place, LAST])
                pool.waiting[to] += exits[place, COUNT]
            else:
                while slot != NONE:
                    following = pool.follower[slot]
                    _queue_up(pool, tiles, slot)
                    slot = following
            exits[place, FIRST] = NONE
            exits[place, TO] = NONE
            exits[place, COUNT] = 0
        pool.under_way[0] -= pool.over[tile]
        pool.over[tile] = 0


@inlined
def pull(pool, tile):
    """Take the first drop from the queue of a tile; returns its slot, or `NONE`."""
    slot = pool.queue[tile, FIRST]
    if slot != NONE:
        pool.queue[tile, FIRST] = pool.follower[slot]
        pool.waiting[tile] -= 1
    return slot


@allocation_free
def fetch_queue(pool, tile):
    """Prefetch the drops waiting on a tile, as `tiles.fetch` does for the ground: memory accesses
    overlap, where one after another would each wait.
    """
    total = 0.0
    last = pool.numbers.shape[1] - 1
    slot = pool.queue[tile, FIRST]
    while slot != NONE:
        total += pool.numbers[slot, ROW] + pool.numbers[slot, last]
        slot = pool.follower[slot]
    pool.fetched[tile] = total


@allocation_free
def put_back(pool, tiles, start, numbers):
    """Append a drop in flight, with all its values, to the queue of its tile."""
    slot = enter(pool, tiles, start, numbers[ROW], numbers[COL])
    for number in range(numbers.size):
        pool.numbers[slot, number] = numbers[number]


def queued(pool: Pool) -> np.ndarray:
    """Slots of all drops in flight, tile by tile in queue order."""
    slots = np.empty(pool.under_way[0], np.int64)
    _list_queued(pool, slots)
    return slots


@allocation_free
def _list_queued(pool, slots):
    count = 0
    for tile in range(len(pool.queue)):
        slot = pool.queue[tile, FIRST]
        while slot != NONE:
            slots[count] = slot
            count += 1
            slot = pool.follower[slot]


@allocation_free
def start_cell(chance, sources, cells):
    """Index of a cell drawn with a random number in [0, 1).

    sources: None for equal chances, else cumulated weights (cells,) up to 1; the last cell if all
    are 0.
    """
    if sources is None:
        return min(int(chance * cells), cells - 1)
    return min(np.searchsorted(sources, chance, side="right"), cells - 1)


@inlined
def place_around(row, col, row_chance, col_chance, tiles):
    """Position (row, col) within half a cell of another, drawn with two random numbers in [0, 1).

    Before row or column 0 lies the last one where the edges wrap; elsewhere such positions move to
    the edge.
    """
    z = _along(row + row_chance - 0.5, tiles.last_row, tiles.row_of.size)
    return z, _along(col + col_chance - 0.5, tiles.last_col, tiles.col_of.size)


@inlined
def _along(place, last, count):
    """Position on the terrain along one axis. last: its last position, `count` where the edges
    wrap.
    """
    return wrapped(place, count) if last == count else min(max(place, 0.0), last)


@allocation_free
def enter_drops(pool, tiles, key, first, last, chances, drops, load):
    """Put the drops first … last - 1 on the tiles where they enter; returns the sum of their loads.

    chances: cumulated weights (cells,) up to 1 of the cells where they do. drops: (cells, n)
    float64, values of the drops of each, whose positions are moved by up to half a cell. load:
    column of the load.
    """
    brought = 0.0
    for number in range(first, last):
        start = rng.stream(key, number)
        cell = start_cell(rng.uniform(start, 0), chances, chances.size)
        z, x = place_around(
            drops[cell, ROW], drops[cell, COL], rng.uniform(start, 1), rng.uniform(start, 2), tiles
        )
        slot = enter(pool, tiles, start, z, x)
        for column in range(COL + 1, drops.shape[1]):
            pool.numbers[slot, column] = drops[cell, column]
        brought += drops[cell, load]
    return brought
