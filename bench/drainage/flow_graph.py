# SPDX-License-Identifier: GPL-3.0-or-later
"""Flow graph, uplift step and analysis; references: C++ and, where installed, fastscapelib."""

import importlib.util
import time
import tracemalloc
from collections.abc import Iterator
from functools import partial

import numpy as np

from bench.shared.comparison import (
    Outcome,
    assert_same,
    compiled,
    in_turn,
    nanoseconds,
    ratio,
    seconds,
    tiled,
)
from bench.shared.table import Row, at_least, at_most
from erosion_addon.drainage.analysis import analyze
from erosion_addon.drainage.flow_graph import FlowGraph
from erosion_addon.processes.registry import PROCESSES
from erosion_addon.processes.shared.state import State
from erosion_addon.processes.uplift.step import STEPS
from erosion_addon.terrain.terrain import Terrain

SPACING = 10.0
RELIEF = 1500.0
STEEPNESS = 2.0
RISE, ERODIBILITY, YEARS = 0.5, 10.0, 7500.0
"""Of steps that are compared: mm a year, mm a year at 1 km² and 45°, and years of a time step."""

RUNS = 3
"""Runs whose median is told: the first after a pause is slower."""


def kernel(heights: np.ndarray, threads: int = 1) -> Outcome:
    """Our graph: receivers, areas, levels."""
    graph = FlowGraph(heights.shape, (SPACING, SPACING), threads=threads)
    flat = graph.padded(heights)
    results = {}

    def work() -> None:
        graph.route(flat)
        results["areas"], results["levels"] = graph.drainage_area(), graph.filled(flat)

    cost = seconds(work)
    return Outcome(
        cost, heights.size, {name: graph.inside(values) for name, values in results.items()}
    )


def reference(heights: np.ndarray) -> Outcome:
    """drainage.cpp."""
    results = {name: np.empty(heights.shape) for name in ("levels", "areas")}
    cost = seconds(
        compiled("drainage/flow_graph").drain,
        heights,
        *heights.shape,
        SPACING * SPACING,
        *results.values(),
    )
    return Outcome(cost, heights.size, results)


def fastscapelib(heights: np.ndarray) -> Outcome:
    """The same by fastscapelib's C++: single flow, spanning tree, carving."""
    import fastscapelib as other

    grid = other.RasterGrid(heights.shape, [SPACING, SPACING], other.NodeStatus.FIXED_VALUE)
    graph = other.FlowGraph(grid, [other.SingleFlowRouter(), other.MSTSinkResolver()])
    results = {}

    def work() -> None:
        results["levels"] = graph.update_routes(heights)
        results["areas"] = graph.accumulate(1.0)

    return Outcome(seconds(work), heights.size, results)


def step(heights: np.ndarray) -> Outcome:
    """Our time steps of incision alone: no deposition, no slope limit, negligible creep."""
    process = PROCESSES["uplift"]
    settings = {
        "uplift": RISE,
        "erodibility": ERODIBILITY,
        "years": YEARS * STEPS,
        "hillslope_length": 1e-3,
    }
    parameters = process.parameters.from_dict({**settings, "slope_limit": 90.0, "deposition": 0.0})
    state = State(heights, {"sediment": heights * 0.0}, {}, (SPACING, SPACING), "open", 1)
    finished_step = process.step(state, parameters, 1)
    shares = [0.0]

    def work() -> None:
        while shares[-1] < 0.1:
            shares.append(finished_step.advance())

    cost = seconds(work)
    return Outcome(cost, heights.size * STEPS * shares[-1], {})


def fastscapelib_step(heights: np.ndarray) -> Outcome:
    """The same by fastscapelib's C++: routes, areas, implicit stream power."""
    import fastscapelib as other

    grid = other.RasterGrid(heights.shape, [SPACING, SPACING], other.NodeStatus.FIXED_VALUE)
    graph = other.FlowGraph(grid, [other.SingleFlowRouter(), other.MSTSinkResolver()])
    eroder = other.SPLEroder(graph, ERODIBILITY / 1000 / 1e6**0.5, 0.5, 1, 1e-5)
    rise = np.zeros(heights.shape)
    areas = np.empty(heights.shape)
    rise[1:-1, 1:-1] = RISE / 1000 * YEARS

    def work() -> None:
        ground = heights
        for _ in range(4):
            raised = ground + rise
            graph.update_routes(raised)
            graph.accumulate(areas, 1.0)
            ground = raised - eroder.erode(raised, areas, YEARS)

    return Outcome(seconds(work), 4 * heights.size, {})


def check() -> str:
    """Raise AssertionError where graph and reference differ; returns on what they agree."""
    heights = tiled(512, RELIEF, STEEPNESS)
    ours = kernel(heights)
    theirs = reference(heights)
    levels = [
        Outcome(outcome.seconds, outcome.work, {"levels": outcome.arrays["levels"]})
        for outcome in (ours, theirs)
    ]
    assert_same(*levels, "with open edges")
    edge = np.ones(heights.shape, bool)
    edge[1:-1, 1:-1] = False
    assert all(
        outcome.arrays["areas"][edge].sum() == heights.size * SPACING * SPACING
        for outcome in (ours, theirs)
    )
    return "Flow graph: levels of 512² with open edges; all water leaves."


def rows() -> Iterator[Row]:
    """Speed against C++, of the step and of an analysis; memory."""
    for side in (512, 1024, 2048):
        land = np.ascontiguousarray(tiled(side, RELIEF, STEEPNESS))
        costs = in_turn(partial(kernel, land), partial(reference, land))
        note = f"{nanoseconds(costs):.0f} ns a cell"
        yield at_least(
            f"flow graph {side}²: speed against a priority flood in C++",
            ratio(costs, 1, 0),
            1,
            note,
        )
        if importlib.util.find_spec("fastscapelib"):
            costs = in_turn(partial(kernel, land), partial(fastscapelib, land))
            yield at_least(
                f"flow graph {side}²: speed against fastscapelib", ratio(costs, 1, 0), 1, note
            )
            costs = in_turn(partial(step, land), partial(fastscapelib_step, land))
            note = f"{nanoseconds(costs):.0f} ns a cell"
            yield at_least(
                f"rivers alone {side}²: speed against fastscapelib", ratio(costs, 1, 0), 1, note
            )
    for side in (512, 1024, 2048):
        land = np.ascontiguousarray(tiled(side, RELIEF, STEEPNESS))
        (busy, alone), (_, two) = (_speeds(land, threads) for threads in (1, 2))
        note = "million cells in a step for each second of processor time"
        yield at_least(f"uplift {side}²: speed on one thread", busy, 10, note)
        if side >= 1024:
            yield at_least(
                f"uplift {side}²: speed on two threads against one",
                two / alone,
                1.5,
                "by the clock",
            )
    yield at_most("uplift 1024²: memory beyond terrain and result", _memory(), 80, "bytes/cell")
    land = np.ascontiguousarray(tiled(2048, RELIEF, STEEPNESS))
    analyze(Terrain(land[:64, :64], SPACING))  # compiles
    begin = time.process_time()
    analyze(Terrain(land, SPACING), threads=1)
    yield at_most("analysis of 2048²: processor time", time.process_time() - begin, 2, "s")


def _speeds(land: np.ndarray, threads: int) -> tuple[float, float]:
    """Million cells in a step for each second of the processors and of the clock, over the first
    quarter of a run, where pits are most: medians of `RUNS`.
    """
    process = PROCESSES["uplift"]
    results = []
    for heights in (land[:64, :64], *[land] * RUNS):  # the first compiles
        state = State(heights, {"sediment": heights * 0.0}, {}, (SPACING, SPACING), "open", threads)
        step = process.step(state, process.parameters.from_dict({"uplift": 0.5}), 1)
        begin = time.process_time()
        clock = time.perf_counter()
        share = 0.0
        while share < 0.25:
            share = step.advance()
        work = heights.size * STEPS * share / 1e6
        results.append((work / (time.process_time() - begin), work / (time.perf_counter() - clock)))
    busy, passed = np.median(results[1:], axis=0)
    return float(busy), float(passed)


def _memory() -> float:
    """Peak working memory of the step in bytes a cell, beyond its input."""
    process = PROCESSES["uplift"]
    land = np.ascontiguousarray(tiled(1024, RELIEF, STEEPNESS))
    state = State(land, {"sediment": land * 0.0}, {}, (SPACING, SPACING), "open", 1)
    tracemalloc.start()
    step = process.step(state, process.parameters.from_dict({"uplift": 0.5}), 1)
    for _ in range(6):
        step.advance()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / land.size
