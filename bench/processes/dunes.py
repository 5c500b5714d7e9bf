# SPDX-License-Identifier: GPL-3.0-or-later
"""Dunes kernel relative to dunes.cpp, and the whole step on large grids. Unit of work: a hop of
sand, in the step with its slides.
"""

import functools
import math
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
    in_turn,
    nanoseconds,
    ratio,
    seconds,
)
from bench.shared.table import Row, at_least, at_most
from erosion_addon.processes.dunes.kernels import lines, slabs
from erosion_addon.processes.dunes.parameters import SLAB
from erosion_addon.processes.registry import PROCESSES
from erosion_addon.processes.shared.state import State

SIDE = 1024
CELL = 10.0
YEARS = 8.0
FIELD, SETTLED = 512, 600.0
"""Side of a field of dunes, and years of wind after which its crests are long: the usual
setting.
"""
HOP = 2.5
"""Mean hop on level ground in cells."""
KEY = 12345


def _run(side: int, years: float, threads: int) -> Any:
    """The step at its end, on a sheet of sand."""
    process = PROCESSES["dunes"]
    sand = 20.0 + np.random.default_rng(1).random((side, side))
    state = State(sand, {"sediment": sand.copy()}, {}, (CELL, CELL), "wrap", threads)
    step = process.step(state, process.parameters.from_dict({"years": years}), 1)
    while step.advance() < 1.0:
        pass
    return step


@functools.cache
def _field(side: int, years: float) -> np.ndarray:
    """Sand of young dunes on level rock, m."""
    sand: np.ndarray = _run(side, years, 1).layers()["sediment"]
    return sand


def _constants(edges: str) -> Any:
    """The model's defaults for a cell of `CELL`."""
    climb, drop = (math.tan(math.radians(angle)) * CELL for angle in (45.0, 15.0))
    settings: dict[str, Any] = {"wear": 0.0, "reach": 0.0, "dust": 0.0, "hull": 15, "brought": 0.0}
    return slabs.Constants(
        SLAB * CELL, HOP, 0.008, lead=5, drop=drop, climb=climb, edges=EDGES[edges], **settings
    )


def _ground(
    sand: np.ndarray, degrees: float
) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Lines along a wind; padded rock and sand; height above the surroundings; shadows that come in
    over the edge.
    """
    angle = math.radians(degrees)
    side = max(sand.shape)
    rays = lines.make_rays(math.sin(angle), math.cos(angle), 0.3)
    bump = sand - sand.mean()
    entering = np.linspace(10.0, 30.0, side)
    return rays, np.pad(np.zeros_like(sand), 1), np.pad(sand, 1), bump, entering


def kernel(sand: np.ndarray, degrees: float = 0.0, edges: str = "open") -> Outcome:
    """A sweep of our kernel."""
    rays, rock, loose, bump, entering = _ground(sand, degrees)
    leaving = np.zeros((len(entering), 32))
    totals = np.zeros((len(entering), slabs.COUNTS))
    blown = np.zeros(sand.shape, np.uint8)
    ground = slabs.Ground(rock.ravel(), loose.ravel(), bump.ravel(), blown.ravel(), None, None)
    arguments = (
        rays,
        sand.shape,
        ground,
        _constants(edges),
        np.uint64(KEY),
        slabs.Ends(entering, leaving, totals),
    )
    slabs.blow(0, 0, *arguments)  # compiles
    spent = seconds(slabs.blow, 0, lines.extent(rays, sand.shape)[1], *arguments)
    return Outcome(
        spent, totals[:, slabs.HOPS].sum(), {"loose": loose, "blown": blown, "leaving": leaving}
    )


def reference(
    sand: np.ndarray, degrees: float = 0.0, edges: str = "open", contract: bool = True
) -> Outcome:
    """dunes.cpp; contract as in `compiled`."""
    rays, rock, loose, bump, entering = _ground(sand, degrees)
    leaving = np.zeros((len(entering), 32))
    totals = np.zeros(2)
    constants = _constants(edges)
    blown = np.zeros(sand.shape, np.uint8)
    numbers = np.array(constants[:6], float)
    turned = np.array([rays.aside, rays.phase])
    ground = (rock, loose, bump, blown, entering, leaving)
    shape = (leaving.shape[1], *sand.shape)
    arguments = (
        *ground,
        *shape,
        rays.along_row,
        rays.forward,
        turned,
        numbers,
        constants.edges,
        KEY,
        totals,
    )
    spent = seconds(compiled("processes/dunes", contract).blow, *arguments)
    return Outcome(spent, totals[0], {"loose": loose, "blown": blown, "leaving": leaving})


def check() -> str:
    """Raise AssertionError where kernel and reference differ, or if the number of threads changes a
    byte.
    """
    for edges in ("open", "closed", "wrap"):
        for degrees in (0.0, 37.0, 250.0):
            arguments = _field(96, 20.0), degrees, edges
            assert_same(
                kernel(*arguments),
                reference(*arguments, contract=False),
                f"with {edges} edges, wind {degrees}",
            )
    alone, three = (_run(256, 2.0, threads).layers()["elevation"] for threads in (1, 3))
    assert np.array_equal(alone, three)
    return (
        "Dunes: a sweep of three winds on 96², edges open, closed and wrapped; the step on one "
        "thread and on three."
    )


def _speed(threads: int) -> tuple[float, float]:
    """Million hops per second of CPU time and of wall time."""
    _run(64, 1.0, threads)  # compiles
    busy = time.process_time()
    start = time.perf_counter()
    hops = _run(SIDE, YEARS, threads).counts(1.0)["hops"] / 1e6
    return hops / (time.process_time() - busy), hops / (time.perf_counter() - start)


def rows() -> Iterator[Row]:
    """Speed against C++, of the whole step, and the time of a field of dunes."""
    field = _field(FIELD, 20.0)
    for degrees in (0.0, 37.0):
        costs = in_turn(partial(kernel, field, degrees), partial(reference, field, degrees))
        note = f"{nanoseconds(costs):.0f} ns a hop"
        yield at_least(
            f"dunes {FIELD}², wind at {degrees:g}°: a sweep's speed against C++",
            ratio(costs, 1, 0),
            1,
            note,
        )
    (busy, alone), (_, two) = _speed(1), _speed(2)
    note = "million hops for each second of processor time"
    yield at_least(f"dunes {SIDE}²: speed on one thread", busy, 5, note)
    yield at_least(
        f"dunes {SIDE}²: speed on two threads against one", two / alone, 1.7, "by the clock"
    )
    start = time.perf_counter()
    _run(FIELD, SETTLED, 2)
    yield at_most(
        f"dunes {FIELD}²: {SETTLED:g} years of wind, on two threads",
        time.perf_counter() - start,
        60,
        "s",
    )
