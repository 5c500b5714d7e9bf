# SPDX-License-Identifier: GPL-3.0-or-later
"""Drops on tiles, worked by threads that leave the same bytes whatever their number."""

import math
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping

import numpy as np

from ...base.arrays import Array
from ...base.threads import Team
from .state import ANYTHING, within

SIDE = 64
"""Cells along a tile: two of one color have one between them, on which both reach; and from 2048² on there are enough
for many threads."""

LARGE = 2**23
"""Cells beyond which tiles have twice that side: there are enough still, and fewer are read from memory for nothing."""

CELLS_PER_DROP = 64
"""Of the terrain, for each drop that starts in a turn. More in a turn make more of a tile while it is in the cache; but
those that wait at its border then find the ground changed by more that came later."""

TURNS = 16
"""Lower bound on the number of turns: in fewer, drops hardly meet the valleys that others have dug."""

ALONE = 128
"""Drops that start in a turn where all is one tile: nothing waits for anything there."""


HANDS = 8
"""Into how many parts for each thread the tiles of a color are dealt out, as one may take much longer than the drops
on it tell. Computed from the times of tiles on 512², two threads are 1.5 to 1.7 times as fast as one with one part for
each, and 1.9 times where each takes the next tile when it is done."""

LARGEST_HAND = 16
"""Tiles of a part at most, so that it does not take much longer than a chunk."""


class TileRun:
    """Drops 0 … count - 1 of one kind on a terrain of `shape` cells, under way in turns.

    In a turn new drops start, and those on each tile run until they leave it. start(pool, tiles, first, last) puts new
    drops on their tiles; work(worked, tiles, pool) lets those on the tiles `worked` run. edges: as in `kernels.edges`.
    numbers: how many a drop is made of. side: cells along a tile; rate:
    drops that start in a turn, by the size of the terrain where not given. spans: place of a number in a
    drop → its lowest and highest value; the others: ± `LARGEST`.
    """

    evolving = ("started", "drops")

    def __init__(
        self,
        shape: tuple[int, int],
        edges: int,
        count: int,
        numbers: int,
        threads: int,
        *,
        side: int | None = None,
        rate: int | None = None,
        spans: Mapping[int, tuple[float, float]] | None = None,
    ) -> None:
        from .kernels import particle_queues, tiles

        self._queues, self.count = particle_queues, count
        self.tiles = tiles.cut(*shape, side or (SIDE if shape[0] * shape[1] <= LARGE else 2 * SIDE), edges)
        self._colors = tiles.colors(self.tiles, edges)
        number = sum(len(color) for color in self._colors)
        self.pool = particle_queues.make_pool(number, numbers)
        self._spans = dict(spans or {})
        self._rate = rate or (_rate(shape, count) if number > 1 else ALONE)
        self.started, self.limits = 0, {"started": (0, count)}
        # Of a turn under way: the colors that it has still to do, and the tiles of the first of them that are worked.
        self._ahead: list[Array] = []
        self._worked: Array | None = None
        threads = min(threads, max(map(len, self._colors)))
        self._team = Team(threads) if threads > 1 else None

    @property
    def under_way(self) -> int:
        """How many drops have started and not come to their end."""
        return int(self.pool.under_way[0])

    @property
    def share_done(self) -> float:
        """0-1; 1 only where nothing is under way any more."""
        share = self.started / self.count if self.count else 1.0
        return min(share, 0.999) if self.under_way else share

    def turn(self, start: Callable[..., object], work: Callable[..., object], until: float = math.inf) -> None:
        """Let new drops start, and all that are under way run on by a tile or more; or go on with a turn under way.

        until: time (`time.perf_counter`) to stop at, be it in the middle of a turn; where that is changes nothing.
        """
        if not self._ahead:
            last = min(self.started + self._rate, self.count)
            self.pool = self._queues.with_room(self.pool, last - self.started)
            start(self.pool, self.tiles, self.started, last)
            self.started, self._ahead = last, list(self._colors)
        while self._ahead:
            left = self._waiting(self._ahead[0])
            self._worked = left if self._worked is None else self._worked
            if len(left):
                self._work(left, work, until)
            if not len(self._waiting(self._ahead[0])):
                self._queues.hand_on(self.pool, self.tiles, self._worked)
                self._worked = None
                del self._ahead[0]
            if time.perf_counter() >= until:
                return

    def end_turn(self, start: Callable[..., object], work: Callable[..., object]) -> None:
        """Go on with a turn under way to its end, where `drops` are all that there is to know."""
        while self._ahead:
            self.turn(start, work)

    def run_out(self, start: Callable[..., object], work: Callable[..., object]) -> None:
        """Let no more drops start, and those under way come to their ends."""
        self.count = self.started
        while self.share_done < 1:
            self.turn(start, work)

    def sweep(self, work: Callable[..., object]) -> None:
        """Let work(worked, tiles, pool) see all tiles once, whether anything is on them or not."""
        for color in self._colors:
            self._work(color, work)

    def _waiting(self, color: Array) -> Array:
        """The tiles of a color on which drops wait."""
        tiles: Array = color[self.pool.queue[color, self._queues.FIRST] != self._queues.NONE]
        return tiles

    def _work(self, worked: Array, work: Callable[..., object], until: float = math.inf) -> None:
        """Have some tiles worked, as many as there is time for but at least one."""
        if len(worked) == 1:
            work(worked, self.tiles, self.pool)
            return
        hands = deque(self._deal(worked))

        def play(_: int) -> None:
            while hands:
                try:
                    hand = hands.popleft()
                except IndexError:  # another thread was quicker
                    return
                try:
                    work(hand, self.tiles, self.pool)
                except BaseException:
                    hands.clear()  # nobody begins anything any more
                    raise
                if time.perf_counter() >= until:
                    hands.clear()

        if self._team is None:
            play(0)
        else:
            self._team.run(play)

    def _deal(self, worked: Array) -> Iterator[Array]:
        """The tiles in parts, each for a thread to work in one go."""
        if self._team is None:
            for first in range(0, len(worked), LARGEST_HAND):
                yield worked[first : first + LARGEST_HAND]
            return
        # Tiles with many drops take longest: dealt out like cards, from the fullest on, the first hands are the largest
        # ones, and what is left for the last threads to wait for is small.
        fullest_first = worked[np.argsort(-self.pool.waiting[worked], kind="stable")]
        count = min(max(self._team.size * HANDS, -(-len(worked) // LARGEST_HAND)), len(worked))
        for place in range(count):
            # A copy, as every third tile of an array would be another kind of argument, and kernels be compiled twice.
            yield fullest_first[place::count].copy()

    @property
    def drops(self) -> Array:
        """(drops, 1 + n) float64: those under way in the order of their queues, the bits of their random numbers' start
        and their numbers."""
        slots = self._queues.queued(self.pool)
        return np.column_stack([self.pool.start[slots].view(np.float64), self.pool.numbers[slots]])

    @drops.setter
    def drops(self, drops: Array) -> None:
        """ValueError for what no drops of this run can be."""
        ends = {self._queues.ROW: (0.0, self.tiles.last_row), self._queues.COL: (0.0, self.tiles.last_col)}
        columns = drops.T[1:]  # the first are bits of whole numbers
        spans = [(ends | self._spans).get(place, ANYTHING) for place in range(len(columns))]
        alike = len(columns) == self.pool.numbers.shape[1] and len(drops) <= self.started
        if not (alike and all(within(numbers, span) for numbers, span in zip(columns, spans, strict=True))):
            raise ValueError
        self.pool = self._queues.with_room(self.pool, len(drops))
        for start, *numbers in drops:
            start_bits = np.float64(start).view(np.uint64)
            self._queues.put_back(self.pool, self.tiles, start_bits, np.array(numbers))


def _rate(shape: tuple[int, int], count: int) -> int:
    """How many of `count` drops start in a turn on a terrain of `shape` cells."""
    return max(1, min(shape[0] * shape[1] // CELLS_PER_DROP, -(-count // TURNS)))
