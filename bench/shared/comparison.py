# SPDX-License-Identifier: GPL-3.0-or-later
"""Comparison with a reference: terrain, compiled C++, equality of the results, and runs timed in
turn.
"""

import ctypes
import functools
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from erosion_addon.base.kernels import ghost_cells
from erosion_addon.processes.shared.kernels import particle_queues as queues
from erosion_addon.processes.shared.kernels import tiles

BENCH = Path(__file__).resolve().parents[1]
BUILD = BENCH.parent / "build"
EDGES = {"open": ghost_cells.OPEN, "closed": ghost_cells.CLOSED, "wrap": ghost_cells.WRAP}
TURNS = 6


@dataclass
class Outcome:
    """One run: CPU seconds of its thread, units of work, and resulting arrays."""

    seconds: float
    work: float
    arrays: dict[str, np.ndarray]


Run = Callable[[], Outcome]


@functools.cache
def fractal(side: int, relief: float = 100.0, steepness: float = 1.6) -> np.ndarray:
    """Fractal heights (side, side) from 0 to `relief`, periodic, the same on every machine up to
    rounding.
    """
    rng = np.random.default_rng(0)
    frequency = np.hypot(np.fft.fftfreq(side)[:, None], np.fft.rfftfreq(side))
    frequency[0, 0] = np.inf
    spectrum = np.exp(2j * np.pi * rng.random(frequency.shape)) * frequency**-steepness
    heights = np.fft.irfft2(spectrum, s=(side, side))
    heights = (heights - heights.min()) / np.ptp(heights) * relief
    heights.flags.writeable = False
    return heights


def tiled(side: int, relief: float, steepness: float = 1.6) -> np.ndarray:
    """512² fractal heights, repeated, so that only the number of cells differs between sizes."""
    tile = min(side, 512)
    return np.tile(fractal(tile, relief, steepness), (side // tile, side // tile))


@functools.cache
def compiled(name: str, contract: bool = True) -> ctypes.CDLL:
    """The C++ at that path below bench; contract: let the compiler fuse multiplications with
    additions.
    """
    library = BUILD / f"{Path(name).name}{'' if contract else '-exact'}.so"
    BUILD.mkdir(exist_ok=True)
    flags = [
        "-O3",
        "-march=native",
        "-shared",
        "-fPIC",
        *([] if contract else ["-ffp-contract=off"]),
    ]
    subprocess.run(["g++", *flags, "-o", library, BENCH / f"{name}.cpp"], check=True)
    return ctypes.CDLL(str(library))


def start_of(kernel: Any) -> Any:
    """Function of a module of kernels that starts its drops or particles."""
    return kernel.start_particles if hasattr(kernel, "start_particles") else kernel.start_drops


def one_after_another(
    kernel: Any,
    shape: tuple[int, ...],
    edges: str,
    drops: int,
    start: tuple[Any, Any],
    arguments: tuple[Any, ...],
) -> tuple[float, np.ndarray]:
    """CPU seconds and totals of drops that run one after another to their ends, on ground of one
    tile.

    kernel: the module `droplet` or `rill`. start: arguments of its `start_drops` before and after
    the numbers of drops; arguments: those of its `run_tiles`.
    """
    tile = tiles.cut(shape[0], shape[1], 10**6, EDGES[edges])
    tile_numbers = np.zeros(1, np.int64)
    pool = queues.with_room(queues.make_pool(1, kernel.NUMBERS), drops)
    totals = kernel.make_totals(tile)

    def run(first: int, last: int) -> None:
        start_of(kernel)(pool, tile, *start[0], first, last, *start[1])
        kernel.run_tiles(tile_numbers, tile, pool, *arguments, totals)

    run(0, 0)  # compiles
    return seconds(run, 0, drops), np.array([total[0] for total in totals], float)


def seconds(function: Callable[..., Any], *arguments: Any) -> float:
    """CPU seconds of this thread that a call takes. C++ gets pointers to arrays, int64 and
    double.
    """
    in_c = isinstance(function, ctypes._CFuncPtr)
    passed = [_for_c(argument) for argument in arguments] if in_c else arguments
    begin = time.thread_time()
    function(*passed)
    return time.thread_time() - begin


def _for_c(argument: Any) -> Any:
    if isinstance(argument, np.ndarray):
        return ctypes.c_void_p(argument.ctypes.data)
    return ctypes.c_double(argument) if isinstance(argument, float) else ctypes.c_int64(argument)


def assert_same(ours: Outcome, theirs: Outcome, where: str) -> None:
    """Raise AssertionError where two runs left different bits."""
    for name, array in ours.arrays.items():
        assert np.array_equal(array, theirs.arrays[name]), f"{name} differs {where}"


def in_turn(*runs: Run) -> np.ndarray:
    """Seconds per unit of work, (TURNS, runs).

    The speed of a shared machine varies. So all run in each turn, and each comes first once.
    """
    costs = np.empty((TURNS, len(runs)))
    for turn in range(TURNS):
        for number in np.roll(range(len(runs)), turn):
            outcome = runs[number]()
            costs[turn, number] = outcome.seconds / outcome.work
    return costs


def ratio(costs: np.ndarray, run: int, reference: int) -> float:
    """Median of the cost of one run over that of another in the same turn; costs: from
    `in_turn`.
    """
    return float(np.median(costs[:, run] / costs[:, reference]))


def nanoseconds(costs: np.ndarray, run: int = 0) -> float:
    """Median cost of a run, per unit of work; costs: from `in_turn`."""
    return float(np.median(costs[:, run])) * 1e9
