# SPDX-License-Identifier: GPL-3.0-or-later
"""The drops under way: slots for all that a drop is, and the queues on the tiles in which they wait.

A thread that works a tile takes drops out of its queue, and sorts those that leave it by where they go; one thread
hands them on afterwards, tile by tile. So queues are the same whatever the number of threads.
"""

from typing import NamedTuple

import numpy as np

from ....kernels.compile import inlined, lean
from .tiles import tile_at

NONE = -1
"""Instead of a slot: the end of a list."""

ROW, COL = 0, 1
"""Where the numbers of a drop tell its place."""

EXITS = 10
"""Lists for what leaves a tile: for each of nine others one, and one for all that go elsewhere. A drop goes to one of
the eight around; a grain of sand in a storm may fly further."""

FIRST, LAST, TO, COUNT = 0, 1, 2, 3
"""What is kept of an exit: the list, the tile that it leads to or `NONE`, and how many are in the list."""


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
    exits: np.ndarray
    """(tiles, EXITS, 4) int64: those that have left each tile since it was last worked, by where they go; see `TO`."""
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
    """(tiles,) float64: what `fetch` or `fetch_queue` read there."""


def make_pool(tiles: int, numbers: int) -> Pool:
    """A pool without slots for drops of so many numbers."""
    queue, exits = np.full((tiles, 2), NONE), np.full((tiles, EXITS, 4), NONE)
    exits[..., COUNT] = 0
    next_slot, under_way = np.zeros(1, np.int64), np.zeros(1, np.int64)
    waiting, over = np.zeros(tiles, np.int64), np.zeros(tiles, np.int64)
    rows, start, follower = np.zeros((0, numbers)), np.zeros(0, np.uint64), np.zeros(0, np.int64)
    taken = np.zeros(0, bool)
    return Pool(rows, start, follower, queue, exits, taken, next_slot, under_way, waiting, over, np.zeros(tiles))


def with_room(pool: Pool, more: int) -> Pool:
    """The pool with empty slots for so many more drops."""
    slots, needed = len(pool.start), int(pool.under_way[0]) + more
    pool.next_slot[0] = 0
    if needed <= slots:
        return pool
    added = max(needed - slots, slots)

    def grown(old: np.ndarray) -> np.ndarray:
        new = np.empty((slots + added, *old.shape[1:]), old.dtype)  # the system gives the memory when it is used
        new[:slots] = old
        return new

    taken = np.zeros(slots + added, bool)
    taken[:slots] = pool.taken
    return pool._replace(
        numbers=grown(pool.numbers), start=grown(pool.start), follower=grown(pool.follower), taken=taken
    )


@inlined
def _append(lists, index, follower, first, last):
    """Put a chain of slots at the end of a list."""
    if lists[index, FIRST] == NONE:
        lists[index, FIRST] = first
    else:
        follower[lists[index, LAST]] = first
    lists[index, LAST] = last


@inlined
def _queue_up(pool, tiles, slot):
    """Put a drop at the end of the queue of the tile that it is on."""
    tile = tile_at(tiles, pool.numbers[slot, ROW], pool.numbers[slot, COL])
    pool.follower[slot] = NONE
    _append(pool.queue, tile, pool.follower, slot, slot)
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
def _leave(exits, follower, slot, to):
    """Put a drop with those that leave a tile for another one."""
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
    """Put a drop that has been worked with those that leave its tile, or empty its slot as it has ended."""
    if left:
        to = np.int64(tile_at(tiles, pool.numbers[slot, ROW], pool.numbers[slot, COL]))
        _leave(pool.exits[tile], pool.follower, slot, to)
    else:
        pool.taken[slot] = False
        pool.over[tile] += 1


@lean
def hand_on(pool, tiles, worked):
    """Put what has left the tiles that were `worked` on those where it is now, and count what has ended there."""
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
            exits[place, FIRST], exits[place, TO], exits[place, COUNT] = NONE, NONE, 0
        pool.under_way[0] -= pool.over[tile]
        pool.over[tile] = 0


@inlined
def pull(pool, tile):
    """Take the first drop out of the queue of a tile; returns its slot, or `NONE`."""
    slot = pool.queue[tile, FIRST]
    if slot != NONE:
        pool.queue[tile, FIRST] = pool.follower[slot]
        pool.waiting[tile] -= 1
    return slot


@lean
def fetch_queue(pool, tile):
    """Read the drops that wait on a tile in one go, as `tiles.fetch` does with what is below them: the processor waits
    for several at once, where taking up one after another it would wait for each."""
    total, last = 0.0, pool.numbers.shape[1] - 1
    slot = pool.queue[tile, FIRST]
    while slot != NONE:
        total += pool.numbers[slot, ROW] + pool.numbers[slot, last]
        slot = pool.follower[slot]
    pool.fetched[tile] = total


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
        slot = pool.queue[tile, FIRST]
        while slot != NONE:
            slots[count] = slot
            count += 1
            slot = pool.follower[slot]
