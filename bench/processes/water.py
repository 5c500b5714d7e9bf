# SPDX-License-Identifier: GPL-3.0-or-later
"""Virtual pipes relative to water.cpp and to memory bandwidth, and the whole water step on large
grids.

Unit of work: a cell in one sub-step of the pipes, or in one step of the whole.
"""

import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from bench.shared.comparison import (
    EDGES,
    Outcome,
    assert_same,
    compiled,
    in_turn,
    nanoseconds,
    ratio,
    seconds,
    tiled,
)
from bench.shared.table import Row, at_least, at_most, for_information
from erosion_addon.base.threads import in_parts, processors
from erosion_addon.processes.shared.state import State
from erosion_addon.processes.shared.tile_scheduler import Bands
from erosion_addon.processes.water.kernels import flow as water
from erosion_addon.processes.water.kernels import level_slopes as water_slopes
from erosion_addon.processes.water.parameters import WaterParameters, longest_step
from erosion_addon.processes.water.step import WaterStep

SPACING = 10.0
GRAVITY = 9.81
FRICTION = 0.05
PIPE_DEPTH = 2.0
BYTES = 56
"""That a fused sub-step has to move for a cell: it reads bed, depth, load (8 each) and two fluxes
(4 each), and writes all but the bed; slopes are left out. Ours moves so many for each visit, which
takes up to `water.VISIT` sub-steps: its share of the memory's bandwidth is what it would be if each
of them moved its bytes, and can be above 1.
"""


class Basin:
    """Half a meter of muddy water, at rest on fractal land within walls."""

    def __init__(self, side: int) -> None:
        self.bed = tiled(side, 200.0, 2.0)
        self.depth = np.full((side, side), 0.5)
        self.suspended = np.full((side, side), 0.05)
        self.flux_x = np.zeros((side, side + 1), np.float32)
        self.flux_y = np.zeros((side + 1, side), np.float32)
        step = longest_step(SPACING, SPACING, GRAVITY, PIPE_DEPTH)
        push = GRAVITY * step / SPACING
        share = step / SPACING
        singles = map(
            np.float32, (step, push, push, 1 / SPACING, 1 / SPACING, GRAVITY, FRICTION, PIPE_DEPTH)
        )
        self.pipes = water.Pipes(*singles, row_share=share, col_share=share, edges=EDGES["closed"])
        beyond = water.make_beyond((side, side), -np.inf)
        none = np.zeros(0, np.int64)
        self.beyond_and_springs = beyond, (water.by_row(none, (side, side)), none, np.zeros(0))
        self.steep = np.empty((side, side), np.float32)
        water_slopes.fill_slopes(
            self.bed, self.depth, 0, side, self.steep, water.make_rows(side), self.pipes
        )

    def outcome(self, time: float, steps: int) -> Outcome:
        """Result of so many sub-steps."""
        changed = {name: getattr(self, name) for name in ("depth", "suspended", "flux_x", "flux_y")}
        return Outcome(time, self.bed.size * steps, changed)


def kernel(basin: Basin, steps: int) -> Outcome:
    """Our kernel."""
    beyond, springs = basin.beyond_and_springs
    maps = water.Maps(
        basin.bed, basin.steep, basin.depth, basin.suspended, basin.flux_x, basin.flux_y, beyond
    )
    side = len(basin.bed)
    rest = (
        np.array([0, side]),
        water.make_seams(1, side),
        water.make_rows(side),
        basin.pipes,
        water.make_totals(side),
    )
    water.run_water(maps, springs, 0, *rest)  # compiles
    return basin.outcome(seconds(water.run_water, maps, springs, steps, *rest), steps)


def reference(basin: Basin, steps: int, contract: bool = True) -> Outcome:
    """water.cpp; contract as in `compiled`."""
    layout = np.dtype([("singles", np.float32, 8), ("shares", np.float64, 2)], align=True)
    pipes = np.array([(basin.pipes[:8], basin.pipes[8:10])], layout)
    maps = (basin.bed, basin.steep, basin.depth, basin.suspended, basin.flux_x, basin.flux_y)
    return basin.outcome(
        seconds(
            compiled("processes/water", contract).run_water, *maps, *basin.bed.shape, steps, pipes
        ),
        steps,
    )


def stream(basin: Basin, steps: int) -> Outcome:
    """Memory traffic of so many sub-steps, without arithmetic."""
    maps = (basin.bed, basin.depth, basin.suspended, basin.flux_x, basin.flux_y)
    time = sum(
        seconds(compiled("processes/water").stream, *maps, basin.bed.size) for _ in range(steps)
    )
    return basin.outcome(time, steps)


def kernel_on_threads(basin: Basin, steps: int, threads: int) -> Outcome:
    """`kernel` in bands on several threads; seconds are wall time."""
    side = len(basin.bed)
    bands = Bands(basin.bed.shape, threads)
    beyond, springs = basin.beyond_and_springs
    maps = water.Maps(
        basin.bed, basin.steep, basin.depth, basin.suspended, basin.flux_x, basin.flux_y, beyond
    )
    seams = water.make_seams(bands.count, side)
    work = [water.make_rows(side) for _ in range(bands.count)]
    starts = bands.starts
    totals = water.make_totals(side)

    def run(count: int) -> None:
        bands.run(
            lambda seam, thread: water.fill_seam(
                maps, springs, starts[seam], count, seam, seams, work[thread], basin.pipes
            ),
            lambda band, thread: water.sweep(
                maps,
                springs,
                starts[band],
                starts[band + 1],
                count,
                band,
                seams,
                work[thread],
                basin.pipes,
                totals,
            ),
        )

    run(1)  # compiles
    visits, rest = divmod(steps, water.VISIT)
    time = _elapsed(lambda: run(water.VISIT), visits) + (
        _elapsed(lambda: run(rest), 1) if rest else 0.0
    )
    return basin.outcome(time, steps)


def stream_on_threads(basin: Basin, steps: int, threads: int) -> Outcome:
    """`stream` on several threads; seconds are wall time."""
    count = basin.bed.size // threads
    move = compiled("processes/water").stream
    maps = (basin.bed, basin.depth, basin.suspended, basin.flux_x, basin.flux_y)
    parts = [
        [array.ravel()[count * at : count * (at + 1)] for array in maps] for at in range(threads)
    ]
    work = partial(in_parts, lambda part: seconds(move, *parts[part], count), threads, threads)
    return basin.outcome(_elapsed(work, steps), steps)


def _elapsed(work: Callable[[], object], times: int) -> float:
    """Seconds by the clock that so many calls take."""
    start = time.perf_counter()
    for _ in range(times):
        work()
    return time.perf_counter() - start


def check() -> str:
    """Raise AssertionError where kernel and reference differ; returns on what they agree."""
    steps = 100
    assert_same(
        kernel(Basin(128), steps), reference(Basin(128), steps, contract=False), "in the water"
    )
    return f"Water: {steps} sub-steps of the pipes on 128²."


def rows() -> Iterator[Row]:
    """Share of the memory's bandwidth, speed against C++, and how the cost of a cell grows with
    their number.
    """
    for side, steps in ((2048, 8), (4096, 4)):
        costs = in_turn(*(partial(run, Basin(side), steps) for run in (kernel, reference, stream)))
        bandwidth = BYTES / nanoseconds(costs, 2)
        speed = 1000 / nanoseconds(costs)
        note = (
            f"{nanoseconds(costs):.1f} ns for {BYTES} bytes a cell; memory moves {bandwidth:.0f} "
            "GB/s"
        )
        yield at_least(
            f"water {side}²: pipes' share of the memory's bandwidth", ratio(costs, 2, 0), 0.8, note
        )
        figure = f"{ratio(costs, 1, 0):.2f} ({speed:.0f} million cells a second)"
        yield for_information(f"water {side}²: pipes' speed against C++ in five passes", figure)
    yield from _rows_on_threads(processors())
    costs = in_turn(*(partial(_advance, _flood(side), side**2) for side in (4096, 512)))
    yield at_most(
        "water, all of it: cost of a cell at 4096² on top of 512²",
        100 * (ratio(costs, 0, 1) - 1),
        25,
        "%",
    )


def _rows_on_threads(most: int) -> Iterator[Row]:
    """Rows for all cores; none on a machine with one core."""
    if most < 2:
        return
    for side, steps in ((512, 100), (2048, 8)):
        alone, two = (partial(kernel_on_threads, threads=threads) for threads in (1, 2))
        costs = in_turn(*(partial(run, Basin(side), steps) for run in (alone, two)))
        figure = f"{ratio(costs, 0, 1):.2f}"
        yield for_information(f"water {side}²: pipes' speed on two threads against one", figure)
    runs = (partial(run, threads=most) for run in (kernel_on_threads, stream_on_threads))
    costs = in_turn(*(partial(run, Basin(2048), 8) for run in runs))
    note = f"{most} threads; memory moves {BYTES / nanoseconds(costs, 1):.0f} GB/s"
    yield at_least(
        "water 2048²: pipes' share of the memory's bandwidth on all cores",
        ratio(costs, 1, 0),
        0.8,
        note,
    )


def _flood(side: int) -> WaterStep:
    """A water step under way in wet land."""
    land = tiled(side, 200.0, 2.0)
    layers = {
        "sediment": np.full(land.shape, 1.0),
        "water_depth": np.full(land.shape, 0.2, np.float32),
    }
    step = WaterStep(State(land, layers, {}, (SPACING, SPACING), "wrap"), WaterParameters(), 1)
    step.advance()  # compiles
    return step


def _advance(step: WaterStep, cells: int) -> Outcome:
    """Advance a flood for a tenth of a second, at least one step."""
    before = step.counts(1.0)["water_steps"]
    time = seconds(step.advance)
    return Outcome(time, cells * (step.counts(1.0)["water_steps"] - before), {})
