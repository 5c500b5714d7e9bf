# SPDX-License-Identifier: GPL-3.0-or-later
"""The droplet kernel against droplet.cpp."""

from collections.abc import Callable, Iterator
from functools import partial

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
from bench.shared.table import Row, at_least, at_most, for_information
from bench.shared.tiling import Spans, on_tiles
from erosion_addon.processes.droplet.kernels import droplet

NUMBERS = (10.0, 0.001, 0.9, 0.02, 0.1, 0.05, 20.0)
"""capacity … gravity of `droplet.Constants`, the source's defaults."""


def kernel(heights: np.ndarray, drops: int, edges: str) -> Outcome:
    """Our kernel, one drop after another; work: steps of drops."""
    return _run(one_after_another, heights, drops, edges)


def kernel_on_tiles(
    heights: np.ndarray, drops: int, edges: str, spans: Spans | None = None
) -> Outcome:
    """Our kernel on tiles, on one thread."""
    return _run(partial(on_tiles, spans=spans), heights, drops, edges)


def _run(
    run: Callable[..., tuple[float, np.ndarray]], heights: np.ndarray, drops: int, edges: str
) -> Outcome:
    constants = droplet.Constants(
        *NUMBERS,
        maximum_steps=4 * len(heights),
        brush=True,
        sine_slope=False,
        color_depth=1.0,
        edges=EDGES[edges],
        row_step=1.0,
        col_step=1.0,
    )
    ground, flow = _maps(heights, np.float64)
    start = (None, np.uint64(1)), (np.zeros(0, np.int64), False)
    time, totals = run(
        droplet, heights.shape, edges, drops, start, (ground, flow, None, None, constants)
    )
    return _outcome(time, ground, flow, totals)


def reference(
    heights: np.ndarray,
    drops: int,
    edges: str,
    kind: type[np.floating] = np.float64,
    contract: bool = True,
) -> Outcome:
    """droplet.cpp in float64 or float32; contract as in `compiled`."""
    library = compiled("processes/droplet", contract)
    function = library.run_drops_double if kind is np.float64 else library.run_drops_float
    ground, flow = _maps(heights, kind)
    totals = np.zeros(5)
    time = seconds(
        function,
        ground,
        flow,
        *heights.shape,
        1,
        0,
        drops,
        np.array(NUMBERS),
        4 * len(heights),
        EDGES[edges],
        totals,
    )
    return _outcome(time, ground, flow, totals)


def _maps(heights: np.ndarray, kind: type[np.floating]) -> tuple[np.ndarray, np.ndarray]:
    ground = np.zeros((*heights.shape, 2), kind)
    ground[..., 0] = heights
    return ground, np.zeros(heights.shape, np.float32)


def _outcome(time: float, ground: np.ndarray, flow: np.ndarray, totals: np.ndarray) -> Outcome:
    """totals: eroded, exported, steps, paths cut, random directions."""
    return Outcome(time, totals[2], {"ground": ground, "flow": flow, "totals": totals})


def check() -> str:
    """Raise AssertionError where kernel and reference differ; returns how they agree, in a
    sentence.

    Without fused multiply-adds both give the same bits. With them the paths diverge sooner or
    later, as any rounding error grows until a drop goes left instead of right; then only sums can
    be compared.
    """
    heights = fractal(256)
    drops = 20000
    worst = 0.0
    for edges in EDGES:
        ours = kernel(heights, drops, edges)
        assert_same(ours, reference(heights, drops, edges, contract=False), f"with {edges} edges")
        fused = reference(heights, drops, edges)
        worst = max(worst, abs(fused.arrays["totals"][0] / ours.arrays["totals"][0] - 1))
    assert worst < 0.02, f"the total eroded differs by {worst:.1%}"
    return (
        f"Droplets: {drops} on 256², each kind of edge; "
        f"with fused multiply-adds the total eroded differs by at most {worst:.2%}."
    )


def rows() -> Iterator[Row]:
    """Rows of the table: speed relative to C++, cost of tiles, and the number of threads that they
    can employ.
    """
    for side, drops, gate in (
        (128, 16384, 1.1),
        (256, 65536, 1.1),
        (512, 65536, 1.1),
        (2048, 196608, 1.5),
        (4096, 262144, 1.5),
    ):
        case = (fractal(side), drops, "closed")
        alone = partial(kernel, *case)
        doubles = partial(reference, *case)
        floats = partial(reference, *case, np.float32)
        # A step of a drop is the unit of work: the numbers of steps differ a little, as the ways
        # do.
        costs = in_turn(alone, doubles, floats, partial(kernel_on_tiles, *case))
        name = f"droplets {side}²"
        yield at_least(
            f"{name}: speed against C++ double",
            ratio(costs, 1, 0),
            1.0,
            f"{nanoseconds(costs):.0f} ns a step",
        )
        note = f"{nanoseconds(costs, 3):.0f} ns a step"
        yield at_least(f"{name}, on tiles: speed against C++ float", ratio(costs, 2, 3), gate, note)
        yield at_most(
            f"{name}: cost of the tiles on top of one after another",
            100 * (ratio(costs, 3, 0) - 1),
            10,
            "%",
        )
        # One drop for every four cells, as in a short recipe. With fewer, most run in their last
        # turns, on few tiles.
        kernel_on_tiles(case[0], side**2 // 4, "closed", spans := Spans())
        figures = spans.figures()
        what = f"{name}: speed on 16 threads, computed from the times of tiles"
        yield (
            for_information(what, figures)
            if side < 2048
            else at_least(what, spans.speedup(16), 12.0, figures)
        )
