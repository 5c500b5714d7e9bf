# SPDX-License-Identifier: GPL-3.0-or-later
"""The droplet kernel against droplet.cpp."""

from collections.abc import Iterator
from functools import partial

import numpy as np
from comparison import (
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
from table import Row, at_least, for_information

from erosion_addon.kernels import droplet

NUMBERS = (10.0, 0.001, 0.9, 0.02, 0.1, 0.05, 20.0)
"""capacity … gravity of `droplet.Constants`, the source's defaults."""


def kernel(heights: np.ndarray, drops: int, edges: str) -> Outcome:
    """Our kernel; work: steps of drops."""
    constants = droplet.Constants(
        *NUMBERS, maximum_steps=4 * len(heights), brush=True, sine_slope=False, color_depth=1.0,
        edges=EDGES[edges], row_step=1.0, col_step=1.0,
    )  # fmt: skip
    ground, flow = _maps(heights, np.float64)
    start = (None, np.uint64(1)), ()
    time, totals = one_after_another(
        droplet, heights.shape, edges, drops, start, (ground, flow, None, None, constants)
    )
    return _outcome(time, ground, flow, totals)


def reference(
    heights: np.ndarray, drops: int, edges: str, kind: type[np.floating] = np.float64, contract: bool = True
) -> Outcome:
    """droplet.cpp in float64 or float32; contract as in `compiled`."""
    library = compiled("droplet", contract)
    function = library.run_drops_double if kind is np.float64 else library.run_drops_float
    ground, flow = _maps(heights, kind)
    totals = np.zeros(5)
    time = seconds(
        function, ground, flow, *heights.shape, 1, 0, drops, np.array(NUMBERS), 4 * len(heights), EDGES[edges], totals
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
    """Raise AssertionError where kernel and reference differ; returns how they agree, in a sentence.

    Without fused multiply-adds both give the same bits. With them drops take other ways sooner or later, as any
    rounding error grows until a drop goes left instead of right: then only sums can be compared.
    """
    heights, drops, worst = fractal(256), 20000, 0.0
    for edges in EDGES:
        ours = kernel(heights, drops, edges)
        assert_same(ours, reference(heights, drops, edges, contract=False), f"with {edges} edges")
        fused = reference(heights, drops, edges)
        worst = max(worst, abs(fused.arrays["totals"][0] / ours.arrays["totals"][0] - 1))
    assert worst < 0.01, f"the total eroded differs by {worst:.1%}"
    return (
        f"Droplets: {drops} on 256², each kind of edge; "
        f"with fused multiply-adds the total eroded differs by at most {worst:.2%}."
    )


def rows() -> Iterator[Row]:
    """Speed against C++ in double and in float."""
    for side, drops in ((512, 65536), (2048, 65536)):
        given = (fractal(side), drops, "closed")
        runs = partial(kernel, *given), partial(reference, *given), partial(reference, *given, np.float32)
        # A step of a drop is the unit of work: the numbers of steps differ a little, as the ways do.
        costs = in_turn(*runs)
        note = f"{nanoseconds(costs):.0f} ns a step"
        yield at_least(f"droplets {side}²: speed against C++ double", ratio(costs, 1, 0), 1.0, note)
        yield for_information(f"droplets {side}²: speed against C++ float", f"{ratio(costs, 2, 0):.2f}")
