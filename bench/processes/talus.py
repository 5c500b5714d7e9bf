# SPDX-License-Identifier: GPL-3.0-or-later
"""Talus kernel relative to talus.cpp, and on large grids. Unit of work: a cell in one pass."""

import math
import time
from collections.abc import Iterator
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
from erosion_addon.base.threads import processors
from erosion_addon.processes.shared.kernels import relax as talus
from erosion_addon.processes.shared.state import State
from erosion_addon.processes.talus.parameters import TalusParameters
from erosion_addon.processes.talus.step import TalusStep

SPACING = 10.0
RELIEF = 1000.0
"""Meters; of fractal land so steep that something moves in every row."""
DEPTH = 5.0
"""Meters of loose material on the rock at the start."""


def _constants(rock_angle: float, edges: str) -> talus.Constants:
    """The model's defaults; rock_angle: in degrees, 90 for rock that never breaks."""
    hold = math.tan(math.radians(34.0))
    stand = math.tan(math.radians(rock_angle)) * SPACING if rock_angle < 90 else math.inf
    return talus.Constants(
        hold,
        0.75 * SPACING,
        0.25,
        0.25,
        SPACING,
        SPACING,
        stand,
        stand,
        stand * math.sqrt(2),
        collapse=0.5,
        rest=1e-4 * hold * SPACING,
        edges=EDGES[edges],
    )


def kernel(heights: np.ndarray, passes: int, rock_angle: float, edges: str = "closed") -> Outcome:
    """Our kernel."""
    (rows, cols), constants = heights.shape, _constants(rock_angle, edges)
    rock = np.pad(heights, 1)
    loose = np.pad(np.full(heights.shape, DEPTH), 1)
    marks = talus.make_marks(rows, cols)
    case = (
        rock,
        loose,
        None,
        constants,
        np.array([0, rows]),
        talus.make_seams(1, cols),
        talus.make_rows(cols),
        marks,
    )
    talus.relax(*case, 0)  # compiles
    time = seconds(talus.relax, *case, passes)
    assert marks.active[1:-1].all(), (
        "Some cells have come to rest: the kernel would leave them out."
    )
    return Outcome(
        time, heights.size * passes, {"rock": rock[1:-1, 1:-1], "loose": loose[1:-1, 1:-1]}
    )


def reference(
    heights: np.ndarray,
    passes: int,
    rock_angle: float,
    edges: str = "closed",
    contract: bool = True,
) -> Outcome:
    """talus.cpp; contract as in `compiled`."""
    rock = heights.copy()
    loose = np.full(heights.shape, DEPTH)
    wrap = edges == "wrap"
    numbers = np.array(_constants(rock_angle, edges)[:11])
    time = seconds(
        compiled("processes/talus", contract).relax,
        rock,
        loose,
        *heights.shape,
        wrap,
        numbers,
        passes,
    )
    return Outcome(time, heights.size * passes, {"rock": rock, "loose": loose})


def check() -> str:
    """Raise AssertionError where kernel and reference differ; returns on what they agree."""
    passes = 20
    for edges in ("closed", "wrap"):
        for rock_angle in (60.0, 90.0):
            case = (_ridges(128), passes, rock_angle, edges)
            assert_same(kernel(*case), reference(*case, contract=False), f"with {edges} edges")
    return (
        f"Talus: {passes} passes on 128², with and without breaking rock, edges closed and wrapped."
    )


def _ridges(side: int) -> np.ndarray:
    """Diagonal ridges, 4 cells from one to the next: C++ finds the same branches taken again and
    again.
    """
    row, col = np.ogrid[:side, :side]
    return 50.0 * ((row + col) % 4) + 10.0 * np.random.default_rng(3).random((side, side))


def rows() -> Iterator[Row]:
    """Speed against C++, and how the cost of a cell grows with their number."""
    for side, passes in ((512, 16), (2048, 8)):
        for name, land in (
            ("fractal mountains", tiled(side, RELIEF)),
            ("regular ridges", _ridges(side)),
        ):
            costs = in_turn(
                partial(kernel, land, passes, 60.0), partial(reference, land, passes, 60.0)
            )
            note = f"{nanoseconds(costs):.1f} ns a cell"
            yield at_least(
                f"talus {side}², {name}: speed against plain C++", ratio(costs, 1, 0), 10, note
            )
    costs = in_turn(*(partial(kernel, tiled(side, RELIEF), 8, 60.0) for side in (4096, 512)))
    yield at_most(
        "talus: cost of a cell at 4096² on top of 512²", 100 * (ratio(costs, 0, 1) - 1), 25, "%"
    )
    if processors() > 1:
        for side in (512, 2048):
            costs = in_turn(*(partial(_advance, _step(side, threads)) for threads in (1, 2)))
            figure = f"{ratio(costs, 0, 1):.2f}"
            yield for_information(
                f"talus {side}²: speed of the step on two threads against one", figure
            )


def _step(side: int, threads: int) -> TalusStep:
    """A talus step under way on fractal mountains."""
    land = tiled(side, RELIEF)
    layers = {"sediment": np.full(land.shape, DEPTH)}
    step = TalusStep(
        State(land, layers, {}, (SPACING, SPACING), "closed", threads), TalusParameters(), 1
    )
    step.advance()  # compiles
    return step


def _advance(step: TalusStep) -> Outcome:
    """Advance for a tenth of a second, at least one pass; seconds are wall time."""
    before = step.counts(1.0)["passes"]
    start = time.perf_counter()
    step.advance()
    return Outcome(time.perf_counter() - start, step.counts(1.0)["passes"] - before, {})
