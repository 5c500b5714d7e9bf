# SPDX-License-Identifier: GPL-3.0-or-later
"""Drops on tiles, worked by threads that leave the same bytes whatever their number."""

from collections import deque
from collections.abc import Callable, Mapping

import numpy as np

from .state import ANYTHING, Array, within
from .threads import Team, processors

SIDE = 64
"""Cells along a tile: two of one colour have one between them, on which both reach; and from 2048² on there are enough
for many threads."""

LARGE = 2**23
"""Cells beyond which tiles have twice that side: there are enough still, and fewer are read from memory for nothing."""

CELLS_PER_DROP = 64
"""Of the terrain, for each drop that starts in a turn. More in a turn make more of a tile while it is in the cache; but
those that wait at its border then find the ground changed by more that came later."""

TURNS = 16
"""At least so many; in fewer, drops would hardly meet the valleys that others have dug."""

ALONE = 128
"""Drops that start in a turn where all is one tile: nothing waits for anything there."""


HANDS = 8
"""Into how many parts for each thread the tiles of a colour are dealt out, as one may take much longer than the drops
on it tell. Computed from the times of tiles on 512², two threads are 1.5 to 1.7 times as fast as one with one part for
each, and 1.9 times where each takes the next tile when it is done."""


class TileRun:
    """Drops 0 … count - 1 of one kind on a terrain of `shape` cells, under way in turns.

    In a turn new drops start, and those on each tile run until they leave it. start(pool, tiles, first, last) puts new
    drops on their tiles; work(worked, tiles, pool) lets those on the tiles `worked` run. edges: as in `kernels.edges`.
    numbers: how many a drop is made of. threads: 0 for as many as there are processors. side: cells along a tile; rate:
    drops that start in a turn, by the size of the terrain where not given. spans: lowest and highest of those numbers
    of a drop that are not anything, by their place among them.
    """

    evolving = ("started", "drops")

    def __init__(
        self, shape: tuple[int, int], edges: int, count: int, numbers: int, threads: int = 0,
        *, side: int | None = None, rate: int | None = None, spans: Mapping[int, tuple[float, float]] | None = None,
    ) -> None:  # fmt: skip
        from ..kernels import queues, tiles

        self._queues, self.count = queues, count
        self.tiles = tiles.cut(*shape, side or (SIDE if shape[0] * shape[1] <= LARGE else 2 * SIDE), edges)
        self._colors = tiles.colors(self.tiles, edges)
        number = sum(len(color) for color in self._colors)
        self.pool = queues.make_pool(number, numbers)
        self._spans = dict(spans or {})
        self._rate = rate or (_rate(shape, count) if number > 1 else ALONE)
        self.started, self.limits = 0, {"started": (0, count)}
        threads = min(threads or processors(), max(map(len, self._colors)))
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

    def turn(self, start: Callable[..., object], work: Callable[..., object]) -> None:
        """Let new drops start, and all that are under way run on by a tile or more."""
        last = min(self.started + self._rate, self.count)
        self.pool = self._queues.with_room(self.pool, last - self.started)
        start(self.pool, self.tiles, self.started, last)
        self.started = last
        for color in self._colors:
            worked = color[self.pool.queue[color, self._queues.FIRST] != self._queues.NONE]
            if len(worked):
                self._work(worked, work)
                self._queues.hand_on(self.pool, self.tiles, worked)

    def run_out(self, start: Callable[..., object], work: Callable[..., object]) -> None:
        """Let no more drops start, and those under way come to their ends."""
        self.count = self.started
        while self.share_done < 1:
            self.turn(start, work)

    def batch(self, first: int, last: int, start: Callable[..., object], work: Callable[..., object]) -> None:
        """Let the drops first … last - 1 start, and all run to their ends."""
        self.started, self.count = first, last
        while self.share_done < 1:
            self.turn(start, work)

    def sweep(self, work: Callable[..., object]) -> None:
        """Let work(worked, tiles, pool) see all tiles once, whether anything is on them or not."""
        for color in self._colors:
            self._work(color, work)

    def _work(self, worked: Array, work: Callable[..., object]) -> None:
        if self._team is None or len(worked) == 1:
            work(worked, self.tiles, self.pool)
            return
        # Tiles with many drops take longest: dealt out like cards, from the fullest on, the first hands are the largest
        # ones, and what is left for the last threads to wait for is small.
        fullest_first = worked[np.argsort(-self.pool.waiting[worked], kind="stable")]
        count = min(self._team.size * HANDS, len(worked))
        # Copies, as every third tile of an array would be another kind of argument, and kernels be compiled twice.
        hands = deque(fullest_first[place::count].copy() for place in range(count))

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

        self._team.run(play)

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
        spans = [(self._spans | ends).get(place, ANYTHING) for place in range(len(columns))]
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
