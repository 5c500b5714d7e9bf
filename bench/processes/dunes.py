# SPDX-License-Identifier: GPL-3.0-or-later
"""Dunes step on large grids. Unit of work: a hop of sand, slides included."""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from bench.shared.table import Row, at_least
from erosion_addon.processes.registry import PROCESSES
from erosion_addon.processes.shared.state import State

SIDE, CELL, YEARS = 1024, 10.0, 8.0


def _run(side: int, years: float, threads: int) -> Any:
    """The step at its end, on a sheet of sand."""
    process = PROCESSES["dunes"]
    sand = 20.0 + np.random.default_rng(1).random((side, side))
    state = State(sand, {"sediment": sand.copy()}, {}, (CELL, CELL), "wrap", threads)
    step = process.step(state, process.parameters.from_dict({"years": years}), 1)
    while step.advance() < 1.0:
        pass
    return step


def check() -> str:
    """Raise AssertionError if the number of threads changes a byte."""
    one, three = (_run(256, 2.0, threads).layers()["elevation"] for threads in (1, 3))
    assert np.array_equal(one, three)
    return "Dunes: the same bytes on one thread and on three."


def _speed(threads: int) -> tuple[float, float]:
    """Million hops per second of CPU time and of wall time."""
    _run(64, 1.0, threads)  # compiles
    busy, began = time.process_time(), time.perf_counter()
    hops = _run(SIDE, YEARS, threads).counts(1.0)["hops"] / 1e6
    return hops / (time.process_time() - busy), hops / (time.perf_counter() - began)


def rows() -> Iterator[Row]:
    """The rows of the table."""
    (busy, one), (_, two) = _speed(1), _speed(2)
    note = "million hops for each second of processor time"
    yield at_least(f"dunes {SIDE}²: speed on one thread", busy, 5, note)
    yield at_least(f"dunes {SIDE}²: speed on two threads against one", two / one, 1.7, "by the clock")
