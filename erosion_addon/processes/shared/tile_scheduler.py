# SPDX-License-Identifier: GPL-3.0-or-later
"""Drops on tiles, processed by threads with the same bytes on any number of them."""

import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import numpy as np

from ...base.arrays import Array
from ...base.threads import in_parts
from .state import ANYTHING, within

SIDE = 64
"""Tile side in cells.

Same-color tiles are separated by one tile, whose margins both may touch. From 2048² on there are
enough tiles for many threads. On 128² each tile has a color of its own, and one thread works; with
three tiles a side, the narrowest that `tiles.REACH` permits, two threads would be 1.5 times as fast
(computed from tile times), and results other ones.
"""

LARGE = 2**23
"""Number of cells above which tiles have twice that side: there are still enough, and fewer cells
are read twice.
"""

CELLS_PER_DROP = 64
"""Cells per drop that starts in a turn.

More drops in a turn use the cache better, but those waiting at borders then meet ground changed by
more later drops.
"""

TURNS = 16
"""Fewest turns; with fewer, drops hardly meet the valleys of earlier ones."""

ALONE = 128
"""Drops per turn on a terrain of one tile, where no drop waits."""


BATCHES_PER_THREAD = 8
"""Batches of tiles per thread and color. Tile cost is uneven, so threads take batches dynamically.

Computed from tile times on 512², two threads are 1.5 to 1.7 times as fast as one with one batch
each, and 1.9 times with single tiles.
"""

LARGEST_BATCH = 16
"""Most tiles in a batch, so that it does not take much longer than a chunk."""


class TileRun:
    """Drops 0 … count - 1 of one kind on a terrain of `shape` cells, run in turns.

    In a turn new drops start, and those on each tile run until they leave it. start(pool, tiles,
    first, last) places new drops on their tiles; work(worked, tiles, pool) runs those on the tiles
    `worked`. edges: see `kernels.edges`. numbers: values per drop. side: cells along a tile; rate:
    drops that start in a turn, by default from the size of the terrain. spans: column of a value →
    its range; the others: ± `LARGEST`.
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

        self._queues = particle_queues
        self.count = count
        rows, cols = shape
        if side is None:
            side = SIDE if rows * cols <= LARGE else 2 * SIDE
        self.tiles = tiles.cut(rows, cols, side, edges)
        self._colors = tiles.colors(self.tiles, edges)
        number = sum(len(color) for color in self._colors)
        self.pool = particle_queues.make_pool(number, numbers)
        self._spans = dict(spans or {})
        self._rate = rate or (_rate(shape, count) if number > 1 else ALONE)
        self.started = 0
        self.limits = {"started": (0, count)}
        # Of a turn under way: the colors that it has still to do, and the tiles of the first of
        # them that are worked.
        self._ahead: list[Array] = []
        self._worked: Array | None = None
        self._threads = min(threads, max(map(len, self._colors)))

    @property
    def under_way(self) -> int:
        """Number of drops in flight."""
        return int(self.pool.under_way[0])

    @property
    def share_done(self) -> float:
        """0-1; 1 only once nothing is in flight."""
        share = self.started / self.count if self.count else 1.0
        return min(share, 0.999) if self.under_way else share

    def turn(
        self, start: Callable[..., object], work: Callable[..., object], until: float = math.inf
    ) -> None:
        """Start new drops and run all in flight by a tile or more; or continue a turn in progress.

        until: time (`time.perf_counter`) to stop at, possibly within a turn; it does not affect the
        result.
        """
        if not self._ahead:
            last = min(self.started + self._rate, self.count)
            self.pool = self._queues.with_room(self.pool, last - self.started)
            start(self.pool, self.tiles, self.started, last)
            self.started = last
            self._ahead = list(self._colors)
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
        """Finish a turn in progress; then `drops` is the complete state."""
        while self._ahead:
            self.turn(start, work)

    def run_out(self, start: Callable[..., object], work: Callable[..., object]) -> None:
        """Run all drops in flight to their ends without starting more."""
        self.count = self.started
        while self.share_done < 1:
            self.turn(start, work)

    def sweep(self, work: Callable[..., object]) -> None:
        """Call work(worked, tiles, pool) on all tiles once, including empty ones."""
        for color in self._colors:
            self._work(color, work)

    def _waiting(self, color: Array) -> Array:
        """Tiles of a color with waiting drops."""
        tiles: Array = color[self.pool.queue[color, self._queues.FIRST] != self._queues.NONE]
        return tiles

    def _work(self, worked: Array, work: Callable[..., object], until: float = math.inf) -> None:
        """Process some tiles, as many as time permits but at least one."""
        if len(worked) == 1:
            work(worked, self.tiles, self.pool)
            return
        batches = list(self._batches(worked))
        is_late = False

        def work_in_time(number: int) -> None:
            nonlocal is_late
            if not is_late:
                work(batches[number], self.tiles, self.pool)
                is_late = time.perf_counter() >= until

        in_parts(work_in_time, len(batches), self._threads)

    def _batches(self, worked: Array) -> Iterator[Array]:
        """Batches of tiles."""
        if self._threads == 1:
            for first in range(0, len(worked), LARGEST_BATCH):
                yield worked[first : first + LARGEST_BATCH]
            return
        # Tiles with many drops take longest. Distributed in turn, fullest first, they make batches
        # that get smaller, so that threads wait little for the last one.
        fullest_first = worked[np.argsort(-self.pool.waiting[worked], kind="stable")]
        count = min(
            max(self._threads * BATCHES_PER_THREAD, -(-len(worked) // LARGEST_BATCH)), len(worked)
        )
        for place in range(count):
            # A copy, as every third tile of an array would be another kind of argument, and kernels
            # be compiled twice.
            yield fullest_first[place::count].copy()

    @property
    def drops(self) -> Array:
        """(drops, 1 + n) float64: those under way in the order of their queues, the bits of their
        random numbers' start and their numbers.
        """
        slots = self._queues.queued(self.pool)
        return np.column_stack([self.pool.start[slots].view(np.float64), self.pool.numbers[slots]])

    @drops.setter
    def drops(self, drops: Array) -> None:
        """ValueError for values that no drop of this run can have."""
        ends = {
            self._queues.ROW: (0.0, self.tiles.last_row),
            self._queues.COL: (0.0, self.tiles.last_col),
        }
        columns = drops.T[1:]  # the first are bits of whole numbers
        spans = [(ends | self._spans).get(place, ANYTHING) for place in range(len(columns))]
        alike = len(columns) == self.pool.numbers.shape[1] and len(drops) <= self.started
        if not (
            alike
            and all(within(numbers, span) for numbers, span in zip(columns, spans, strict=True))
        ):
            raise ValueError
        self.pool = self._queues.with_room(self.pool, len(drops))
        for start, *numbers in drops:
            start_bits = np.float64(start).view(np.uint64)
            self._queues.put_back(self.pool, self.tiles, start_bits, np.array(numbers))


def _rate(shape: tuple[int, int], count: int) -> int:
    """Drops that start per turn, of `count` on a terrain of `shape` cells."""
    return max(1, min(shape[0] * shape[1] // CELLS_PER_DROP, -(-count // TURNS)))


CELLS = 2**14
"""Smallest band in cells; handing a smaller one to another thread takes longer than the work."""


@contextmanager
def however_small() -> Iterator[None]:
    """Context in which terrains of any size are split into bands, to rehearse large ones."""
    global CELLS
    usual = CELLS
    CELLS = 1
    try:
        yield
    finally:
        CELLS = usual


class Bands:
    """Bands of a terrain; `starts`: first row of each, and the number of rows.

    For kernels whose result does not depend on the bands. each: bands per thread, several where
    some have less to do than others.
    """

    def __init__(self, shape: tuple[int, int], threads: int, each: int = 1) -> None:
        rows, cols = shape
        self._threads = threads
        most = threads * each if threads > 1 else 1
        self.count = max(1, min(most, rows, rows * cols // CELLS))
        self.starts = np.arange(self.count + 1) * rows // self.count

    def run(
        self, fill_seam: Callable[[int, int], object], sweep: Callable[[int, int], object]
    ) -> None:
        """Fill all seams, then sweep all bands.

        fill_seam(seam, band), with the working memory of a band; sweep(band, band). Seam 0 lies
        above the first band.
        """

        def seams(band: int) -> None:
            fill_seam(band, band)
            if band == self.count - 1:
                fill_seam(self.count, band)

        in_parts(seams, self.count, self._threads)
        self.sweep(sweep)

    def sweep(self, sweep: Callable[[int, int], object]) -> None:
        """Sweep all bands: sweep(band, band)."""
        in_parts(lambda band: sweep(band, band), self.count, self._threads)
