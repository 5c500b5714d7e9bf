# SPDX-License-Identifier: GPL-3.0-or-later
"""The kernel of light droplets against rill.cpp, and what moisture costs on top of them."""

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
from table import Row, at_least, at_most

from erosion_addon.kernels import rill

FORMS = ("simple", "capacity")


def _constants(side: int, form: str, edges: str, moisture: bool) -> rill.Constants:
    """The model's defaults on cells of 10 m."""
    return rill.Constants(
        gravity=0.1, friction=0.0488, transfer_rate=0.5, sediment_ratio=3.0, carries=form == "capacity", capacity=10.0,
        minimum_volume=0.01, evaporation=0.00995, soil_absorption=0.393 if moisture else 0.0,
        soil_evaporation=10.0 / side**2 if moisture else 0.0, maximum_steps=4 * side, edges=EDGES[edges],
        row_step=1.0, col_step=1.0,
    )  # fmt: skip


def kernel(heights: np.ndarray, drops: int, form: str, edges: str, moisture: bool = True) -> Outcome:
    """Our kernel; work: steps of drops."""
    constants, (ground, water, scale) = _constants(len(heights), form, edges, moisture), _maps(heights)
    start = (None, np.uint64(1)), (water, scale, constants.soil_evaporation)
    time, totals = one_after_another(rill, heights.shape, edges, drops, start, (ground, water, None, constants))
    return _outcome(time, ground, water, scale, totals)


def reference(heights: np.ndarray, drops: int, form: str, edges: str, contract: bool = True) -> Outcome:
    """rill.cpp; contract as in `compiled`."""
    given, (ground, water, scale) = _constants(len(heights), form, edges, True), _maps(heights)
    numbers = np.array([
        given.gravity, given.friction, given.transfer_rate, given.sediment_ratio, given.capacity, given.minimum_volume,
        given.evaporation, given.soil_absorption, given.soil_evaporation,
    ])  # fmt: skip
    totals = np.zeros(5)
    time = seconds(
        compiled("rill", contract).run_rills, ground, water, scale, *heights.shape, 1, 0, drops, numbers,
        given.maximum_steps, given.edges, given.carries, totals,
    )  # fmt: skip
    return _outcome(time, ground, water, scale, totals)


def _maps(heights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    ground = np.zeros((*heights.shape, 2))
    ground[..., 0] = heights
    return ground, np.zeros((*heights.shape, 2), np.float32), np.ones(1)


def _outcome(
    time: float, ground: np.ndarray, water: np.ndarray, scale: np.ndarray, totals: np.ndarray
) -> Outcome:
    """totals: eroded, filled, exported, steps, paths cut."""
    return Outcome(time, totals[3], {"ground": ground, "water": water, "scale": scale, "totals": totals})


def check() -> str:
    """Raise AssertionError where kernel and reference differ; returns on what they agree."""
    heights, drops = fractal(256), 5000
    for form in FORMS:
        for edges in EDGES:
            given = (heights, drops, form, edges)
            assert_same(kernel(*given), reference(*given, contract=False), f"in the {form} form with {edges} edges")
    return f"Light droplets: {drops} on 256², both forms, each kind of edge."


def rows() -> Iterator[Row]:
    """Speed against C++, and moisture's cost: the same drops on the same ways, with and without it."""
    for side in (512, 2048):
        for form in FORMS:
            given = (fractal(side), 16384, form, "closed")
            moist, dry = partial(kernel, *given), partial(kernel, *given, moisture=False)
            costs = in_turn(moist, partial(reference, *given), dry)
            name, note = f"light droplets {side}², {form}", f"{nanoseconds(costs):.0f} ns a step"
            yield at_least(f"{name}: speed against C++", ratio(costs, 1, 0), 1.0, note)
            yield at_most(f"{name}: moisture's cost on top", 100 * (ratio(costs, 0, 2) - 1), 10, "%")
