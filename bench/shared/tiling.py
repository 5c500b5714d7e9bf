# SPDX-License-Identifier: GPL-3.0-or-later
"""Drops on tiles: cost of the tiles on one thread, and the computed speedup on more threads than
this machine has.
"""

import heapq
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bench.shared.comparison import EDGES, seconds, start_of
from erosion_addon.processes.shared.tile_scheduler import CELLS_PER_DROP, TileRun


@dataclass
class Spans:
    """CPU seconds of a run on one thread: by tile and phase, and of the serial part. A phase is a
    color of a turn.
    """

    phases: list[list[float]] = field(default_factory=list)
    alone: float = 0.0

    def speedup(self, threads: int) -> float:
        """Speedup of so many threads over one, where each takes the next tile of a phase when it is
        done.

        Computed from the spans, without the effect of shared caches and memory.
        """
        duration = self.alone
        for phase in self.phases:
            busy = [0.0] * threads
            for span in phase:
                heapq.heapreplace(busy, busy[0] + span)
            duration += max(busy)
        return (self.alone + sum(map(sum, self.phases))) / duration

    def figures(self) -> str:
        """Speedups on two to sixteen threads, for a row of the table."""
        return ", ".join(f"{self.speedup(threads):.1f} × on {threads}" for threads in (2, 4, 8, 16))


class WholePhases(TileRun):
    """Run whose phases are not cut into batches, which threads take one after another."""

    def _batches(self, worked: np.ndarray) -> Iterator[np.ndarray]:
        yield worked


def on_tiles(
    kernel: Any,
    shape: tuple[int, int],
    edges: str,
    drops: int,
    start: tuple[Any, Any],
    arguments: tuple[Any, ...],
    spans: Spans | None = None,
) -> tuple[float, np.ndarray]:
    """`comparison.one_after_another` on tiles, in turns of as many drops as in steady rain."""
    rate = shape[0] * shape[1] // CELLS_PER_DROP
    run = WholePhases(shape, EDGES[edges], drops, kernel.NUMBERS, 1, rate=rate)
    totals = kernel.make_totals(run.tiles)

    def begin(pool: Any, tiles: Any, first: int, last: int) -> None:
        start_of(kernel)(pool, tiles, *start[0], first, last, *start[1])

    work = work_of(kernel, arguments, totals, spans)
    clock = time.thread_time()
    while run.share_done < 1:
        run.turn(begin, work)
    cost = time.thread_time() - clock
    if spans is not None:
        spans.alone += cost - sum(map(sum, spans.phases))
    return cost, np.array([total.sum() for total in totals], float)


def work_of(
    kernel: Any, arguments: tuple[Any, ...], totals: Any, spans: Spans | None
) -> Callable[[np.ndarray, Any, Any], None]:
    """Function that runs the drops of tiles; with spans it times each tile, the fullest first."""

    def work(worked: np.ndarray, tiles: Any, pool: Any) -> None:
        if spans is None:
            kernel.run_tiles(worked, tiles, pool, *arguments, totals)
            return
        fullest_first = worked[np.argsort(-pool.waiting[worked], kind="stable")]
        spans.phases.append(
            [
                seconds(kernel.run_tiles, tile, tiles, pool, *arguments, totals)
                for tile in fullest_first[:, None]
            ]
        )

    return work
