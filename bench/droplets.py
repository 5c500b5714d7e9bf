# SPDX-License-Identifier: GPL-3.0-or-later
"""The droplet kernel against droplet.cpp: first that both compute the same, then how fast each is."""

import ctypes
import functools
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np

from erosion_addon.kernels import droplet, edges

HERE = Path(__file__).parent
BUILD = HERE.parent / "build"
EDGES = {"open": edges.OPEN, "closed": edges.CLOSED, "wrap": edges.WRAP}
NUMBERS = (10.0, 0.001, 0.9, 0.02, 0.1, 0.05, 20.0)
"""capacity … gravity of `droplet.Constants`, the source's defaults."""


@dataclass
class Outcome:
    """What a run left: ground (rows, cols, 2), flow (rows, cols); totals: eroded, exported, steps, cut, random."""

    seconds: float
    ground: np.ndarray
    flow: np.ndarray
    totals: np.ndarray


Run = Callable[[np.ndarray, int, str], Outcome]
"""A run of drops over heights in cells (rows, cols), with edges."""


def terrain(side: int) -> np.ndarray:
    """Fractal heights in cells, 100 of relief, the same on every machine up to rounding."""
    rng = np.random.default_rng(0)
    frequency = np.hypot(np.fft.fftfreq(side)[:, None], np.fft.rfftfreq(side))
    frequency[0, 0] = np.inf
    heights = np.fft.irfft2(np.exp(2j * np.pi * rng.random(frequency.shape)) * frequency**-1.6, s=(side, side))
    return (heights - heights.min()) / np.ptp(heights) * 100.0


def kernel(heights: np.ndarray, drops: int, edges: str) -> Outcome:
    """Our kernel; the clock runs for this thread alone and not while it is compiled."""
    totals = droplet.Totals(np.zeros(1), np.zeros(1), *(np.zeros(1, np.int64) for _ in range(3)))
    constants = droplet.Constants(
        *NUMBERS, maximum_steps=4 * len(heights), brush=True, sine_slope=False, color_depth=1.0,
        edges=EDGES[edges], row_step=1.0, col_step=1.0,
    )  # fmt: skip
    ground, flow = _maps(heights, np.float64)
    arguments = (ground, flow, None, None, None, np.uint64(1))
    droplet.run_drops(*arguments, 0, 0, constants, totals)
    began = time.thread_time()
    droplet.run_drops(*arguments, 0, drops, constants, totals)
    return Outcome(time.thread_time() - began, ground, flow, np.array([total[0] for total in totals], float))


@functools.cache
def _library(contract: bool) -> ctypes.CDLL:
    library = BUILD / f"droplet{'' if contract else '-exact'}.so"
    BUILD.mkdir(exist_ok=True)
    flags = ["-O3", "-march=native", "-shared", "-fPIC", *([] if contract else ["-ffp-contract=off"])]
    subprocess.run(["g++", *flags, "-o", library, HERE / "droplet.cpp"], check=True)
    return ctypes.CDLL(str(library))


def reference(kind: type[np.floating], contract: bool = True) -> Run:
    """droplet.cpp in float64 or float32; contract: let the compiler fuse multiplications with additions."""
    function = getattr(_library(contract), "run_drops_double" if kind is np.float64 else "run_drops_float")
    function.restype = None
    integer, pointer = ctypes.c_int64, ctypes.c_void_p
    function.argtypes = [
        pointer, pointer, integer, integer, ctypes.c_uint64, integer, integer, pointer, integer, integer, pointer
    ]  # fmt: skip

    def run(heights: np.ndarray, drops: int, edges: str) -> Outcome:
        ground, flow = _maps(heights, kind)
        numbers, totals = np.array(NUMBERS), np.zeros(5)
        began = time.thread_time()
        function(
            ground.ctypes.data, flow.ctypes.data, *heights.shape, 1, 0, drops, numbers.ctypes.data,
            4 * len(heights), EDGES[edges], totals.ctypes.data,
        )  # fmt: skip
        return Outcome(time.thread_time() - began, ground, flow, totals)

    return run


def _maps(heights: np.ndarray, kind: type[np.floating]) -> tuple[np.ndarray, np.ndarray]:
    ground = np.zeros((*heights.shape, 2), kind)
    ground[..., 0] = heights
    return ground, np.zeros(heights.shape, np.float32)


def check() -> str:
    """Raise AssertionError where kernel and reference differ; returns how they agree, in a sentence.

    Without fused multiply-adds both give the same bits. With them drops take other ways sooner or later, as any
    rounding error grows until a drop goes left instead of right: then only sums can be compared.
    """
    side, drops = 256, 20000
    heights, worst = terrain(side), 0.0
    exact, fused = reference(np.float64, contract=False), reference(np.float64)
    for edges in EDGES:
        ours, same, close = (run(heights, drops, edges) for run in (kernel, exact, fused))
        for name in ("ground", "flow", "totals"):
            assert np.array_equal(getattr(ours, name), getattr(same, name)), f"{name} differs with {edges} edges"
        worst = max(worst, abs(close.totals[0] / ours.totals[0] - 1))
    assert worst < 0.01, f"the total eroded differs by {worst:.1%}"
    return (
        f"Kernel and C++ without fused multiply-adds agree bit for bit ({drops} drops on {side}², each kind of edge); "
        f"with them the total eroded differs by at most {worst:.2%}."
    )


def ratios(side: int, drops: int, pairs: int, kind: type[np.floating]) -> tuple[float, float]:
    """Median of time of C++ / time of the kernel over pairs of runs in turn, and the kernel's drops a second."""
    heights, compiled = terrain(side), reference(kind)
    quotients, seconds = [], []
    for _ in range(pairs):
        ours, theirs = kernel(heights, drops, "closed"), compiled(heights, drops, "closed")
        # A step of a drop is the unit of work: the numbers of steps differ a little, as the ways do.
        quotients.append((theirs.seconds / theirs.totals[2]) / (ours.seconds / ours.totals[2]))
        seconds.append(ours.seconds)
    return median(quotients), drops / median(seconds)
