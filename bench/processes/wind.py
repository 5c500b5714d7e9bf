# SPDX-License-Identifier: GPL-3.0-or-later
"""The wind kernel against wind.cpp, and on tiles."""

import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from bench.shared.comparison import (
    EDGES,
    Outcome,
    assert_same,
    compiled,
    fractal,
    in_turn,
    nanoseconds,
    one_after_another,
    ratio,
    seconds,
)
from bench.shared.table import Row, at_least
from bench.shared.tiling import Spans, WholePhases, work_of
from erosion_addon.processes.wind.kernels import saltation as wind
from erosion_addon.processes.wind.kernels.surface import fields
from erosion_addon.processes.wind.shadow import WindShadow
from erosion_addon.processes.wind.step import PARTICLES_PER_SIDE, PORTIONS, TILE

WIND = (0.6, 1.3)


def _maps(side: int, edges: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ground of fractal sand on fractal rock in heights of the source, its track, and the wind's
    shadow on it.
    """
    surface = fractal(side, 0.3, 2.0)
    ground = np.stack((surface, np.maximum(surface - 0.1, 0.0)), -1)
    shade = np.empty(surface.shape)
    WindShadow(surface.shape, 1).cast(ground, shade, WIND, 0.003, edges == "wrap")
    return ground, np.zeros(surface.shape, np.uint8), shade


def _constants(side: int, edges: str) -> wind.Constants:
    """The model's defaults on cells of the feature size."""
    return wind.Constants(
        time_step=0.25,
        lift=0.0025,
        fall=0.0075,
        lee_fall=0.25,
        abrasion=2.5e-5,
        gravity=0.0025,
        pull=0.025,
        air_lift=0.0,
        air_drag=0.0,
        share=0.25,
        row_step=0.25,
        col_step=0.25,
        row_slope=40.0,
        col_slope=40.0,
        row_hold=0.005,
        col_hold=0.005,
        diagonal_hold=0.007,
        shelter=1.0,
        maximum_steps=3 * side,
        edges=EDGES[edges],
    )


def kernel(side: int, particles: int, edges: str) -> Outcome:
    """Our kernel; work: steps of particles."""
    constants, (ground, track, shade) = _constants(side, edges), _maps(side, edges)
    start, arguments = _arguments(ground, track, shade, constants)
    cost, totals = one_after_another(wind, track.shape, edges, particles, start, arguments)
    return _outcome(cost, ground, track, totals)


def _arguments(
    ground: np.ndarray, track: np.ndarray, shade: np.ndarray, constants: wind.Constants
) -> tuple[Any, Any]:
    """What `start_particles` and `run_tiles` want, as `one_after_another` passes it."""
    land = fields(ground, track, shade=shade)
    return ((None, np.uint64(1)), (WIND, 0.0, constants)), (land, WIND, constants)


def on_tiles(side: int, particles: int, edges: str, spans: Spans | None = None) -> Outcome:
    """Our kernel on tiles, in batches as the model's."""
    constants, (ground, track, shade) = _constants(side, edges), _maps(side, edges)
    (before, after), arguments = _arguments(ground, track, shade, constants)
    batch = round(side * PARTICLES_PER_SIDE)
    run = WholePhases(
        track.shape, EDGES[edges], 0, wind.NUMBERS, 1, side=TILE, rate=batch // PORTIONS
    )
    totals = wind.make_totals(run.tiles)

    def start(pool: Any, tiles: Any, first: int, last: int) -> None:
        wind.start_particles(pool, tiles, *before, first, last, *after)

    work = work_of(wind, arguments, totals, spans)
    clock = time.thread_time()
    for first in range(0, particles, batch):
        run.started, run.count = first, min(first + batch, particles)
        while run.share_done < 1:
            run.turn(start, work)
    cost = time.thread_time() - clock
    return _outcome(cost, ground, track, np.array([total.sum() for total in totals]))


def reference(side: int, particles: int, edges: str, contract: bool = True) -> Outcome:
    """wind.cpp; contract as in `compiled`."""
    constants, (ground, track, shade) = _constants(side, edges), _maps(side, edges)
    totals = np.zeros(len(wind.Totals._fields))
    cost = seconds(
        compiled("processes/wind", contract).run_particles,
        ground,
        track,
        shade,
        *track.shape,
        1,
        0,
        particles,
        *WIND,
        0.0,
        np.array(constants[:18]),
        constants.maximum_steps,
        constants.edges,
        totals,
    )
    return _outcome(cost, ground, track, totals)


def _outcome(cost: float, ground: np.ndarray, track: np.ndarray, totals: np.ndarray) -> Outcome:
    """totals: as in `wind.Totals`."""
    steps = totals[wind.Totals._fields.index("steps")]
    return Outcome(cost, steps, {"ground": ground, "track": track, "totals": totals})


def check() -> str:
    """Raise AssertionError where kernel and reference differ; returns on what they agree."""
    particles = 500
    for edges in EDGES:
        case = (128, particles, edges)
        assert_same(kernel(*case), reference(*case, contract=False), f"with {edges} edges")
    return f"Wind: {particles} particles on 128², each kind of edge."


def rows() -> Iterator[Row]:
    """Rows of the table: speed relative to C++. Path and cost of a particle grow with the side."""
    for side, particles in ((512, 4000), (2048, 1000)):
        case = (side, particles, "open")
        costs = in_turn(partial(kernel, *case), partial(reference, *case))
        steps = kernel(*case).work / particles
        note = f"{nanoseconds(costs):.0f} ns a step, {steps:,.0f} steps a particle"
        yield at_least(f"wind {side}²: speed against C++", ratio(costs, 1, 0), 1.15, note)
    for side, edges in ((512, "open"), (512, "wrap"), (2048, "wrap")):
        case = (side, round(side * PARTICLES_PER_SIDE), edges)
        costs = in_turn(partial(kernel, *case), partial(on_tiles, *case))
        spans = Spans()
        on_tiles(*case, spans)
        what = f"wind {side}², {edges} edges"
        yield at_least(
            f"{what}: tiles against one after another", ratio(costs, 0, 1), 0.9, "one thread"
        )
        name = f"{what}: speed on 2 threads, computed from the times of tiles"
        yield at_least(name, spans.speedup(2), 1.75, spans.figures())
