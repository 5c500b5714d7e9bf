# SPDX-License-Identifier: GPL-3.0-or-later
"""The kernel of light droplets against rill.cpp, and what moisture costs on top of them."""

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
from erosion_addon.processes.rill.kernels import rill

FORMS = ("simple", "capacity")


def _constants(side: int, form: str, edges: str, moisture: bool) -> rill.Constants:
    """The model's defaults on cells of 10 m."""
    return rill.Constants(
        gravity=0.1,
        friction=0.0488,
        transfer_rate=0.5,
        sediment_ratio=3.0,
        carries=form == "capacity",
        capacity=10.0,
        minimum_volume=0.01,
        evaporation=0.00995,
        soil_absorption=0.393 if moisture else 0.0,
        soil_evaporation=10.0 / side**2 if moisture else 0.0,
        maximum_steps=4 * side,
        edges=EDGES[edges],
        row_step=1.0,
        col_step=1.0,
    )


def kernel(
    heights: np.ndarray, drops: int, form: str, edges: str, moisture: bool = True
) -> Outcome:
    """Our kernel, one drop after another; work: steps of drops."""
    return _run(one_after_another, heights, drops, form, edges, moisture)


def kernel_on_tiles(
    heights: np.ndarray, drops: int, form: str, edges: str, spans: Spans | None = None
) -> Outcome:
    """Our kernel on tiles, on one thread."""
    return _run(partial(on_tiles, spans=spans), heights, drops, form, edges)


def _run(
    run: Callable[..., tuple[float, np.ndarray]],
    heights: np.ndarray,
    drops: int,
    form: str,
    edges: str,
    moisture: bool = True,
) -> Outcome:
    constants, (ground, water, scale) = (
        _constants(len(heights), form, edges, moisture),
        _maps(heights),
    )
    start = (None, np.uint64(1)), (water, scale, constants.soil_evaporation)
    time, totals = run(rill, heights.shape, edges, drops, start, (ground, water, None, constants))
    return _outcome(time, ground, water, scale, totals)


def reference(
    heights: np.ndarray, drops: int, form: str, edges: str, contract: bool = True
) -> Outcome:
    """rill.cpp; contract as in `compiled`."""
    constants = _constants(len(heights), form, edges, True)
    ground, water, scale = _maps(heights)
    numbers = np.array(
        [
            constants.gravity,
            constants.friction,
            constants.transfer_rate,
            constants.sediment_ratio,
            constants.capacity,
            constants.minimum_volume,
            constants.evaporation,
            constants.soil_absorption,
            constants.soil_evaporation,
        ]
    )
    totals = np.zeros(5)
    time = seconds(
        compiled("processes/rill", contract).run_rills,
        ground,
        water,
        scale,
        *heights.shape,
        1,
        0,
        drops,
        numbers,
        constants.maximum_steps,
        constants.edges,
        constants.carries,
        totals,
    )
    return _outcome(time, ground, water, scale, totals)


def _maps(heights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    ground = np.zeros((*heights.shape, 2))
    ground[..., 0] = heights
    return ground, np.zeros((*heights.shape, 2), np.float32), np.ones(1)


def _outcome(
    time: float, ground: np.ndarray, water: np.ndarray, scale: np.ndarray, totals: np.ndarray
) -> Outcome:
    """totals: eroded, filled, exported, steps, paths cut."""
    return Outcome(
        time, totals[3], {"ground": ground, "water": water, "scale": scale, "totals": totals}
    )


def check() -> str:
    """Raise AssertionError where kernel and reference differ; returns on what they agree."""
    heights = fractal(256)
    drops = 5000
    for form in FORMS:
        for edges in EDGES:
            case = (heights, drops, form, edges)
            assert_same(
                kernel(*case),
                reference(*case, contract=False),
                f"in the {form} form with {edges} edges",
            )
    return f"Light droplets: {drops} on 256², both forms, each kind of edge."


def rows() -> Iterator[Row]:
    """Rows of the table: speed relative to C++, on tiles too, and the cost of moisture for the same
    drops and paths.
    """
    for side, drops in ((512, 16384), (2048, 65536)):
        for form in FORMS:
            case = (fractal(side), drops, form, "closed")
            moist = partial(kernel, *case)
            dry = partial(kernel, *case, moisture=False)
            costs = in_turn(moist, partial(reference, *case), dry, partial(kernel_on_tiles, *case))
            name = f"light droplets {side}², {form}"
            note = f"{nanoseconds(costs):.0f} ns a step"
            yield at_least(f"{name}: speed against C++", ratio(costs, 1, 0), 1.0, note)
            note = f"{nanoseconds(costs, 3):.0f} ns a step"
            yield at_least(f"{name}, on tiles: speed against C++", ratio(costs, 1, 3), 1.1, note)
            yield at_most(
                f"{name}: moisture's cost on top", 100 * (ratio(costs, 0, 2) - 1), 10, "%"
            )
            kernel_on_tiles(*case, spans := Spans())
            yield for_information(
                f"{name}: speed on more threads, computed from the times of tiles", spans.figures()
            )
