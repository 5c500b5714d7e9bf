# SPDX-License-Identifier: GPL-3.0-or-later
"""The wind kernel against wind.cpp."""

from collections.abc import Iterator
from functools import partial

import numpy as np
from comparison import EDGES, Outcome, assert_same, compiled, fractal, in_turn, nanoseconds, ratio, seconds
from table import Row, at_least

from erosion_addon.kernels import wind, wind_shadow

WIND = (0.6, 1.3)


def _maps(side: int, edges: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ground of fractal sand on fractal rock in heights of the source, its track, and the wind's shadow on it."""
    surface = fractal(side, 0.3, 2.0)
    ground = np.stack((surface, np.maximum(surface - 0.1, 0.0)), -1)
    shade = np.empty(surface.shape)
    wind_shadow.cast_shade(ground, shade, *WIND, 0.003, edges == "wrap")
    return ground, np.zeros(surface.shape, np.uint8), shade


def _constants(side: int, edges: str) -> wind.Constants:
    """The model's defaults on cells of the feature size."""
    return wind.Constants(
        time_step=0.25, lift=0.0025, fall=0.0075, lee_fall=0.25, abrasion=2.5e-5, gravity=0.0025, pull=0.025,
        air_lift=0.0, air_drag=0.0, share=0.25, row_step=0.25, col_step=0.25, row_slope=40.0, col_slope=40.0,
        row_hold=0.005, col_hold=0.005, diagonal_hold=0.007, shelter=1.0, maximum_steps=3 * side, edges=EDGES[edges],
    )  # fmt: skip


def kernel(side: int, particles: int, edges: str) -> Outcome:
    """Our kernel; work: steps of particles."""
    constants, (ground, track, shade) = _constants(side, edges), _maps(side, edges)
    totals = wind.Totals(*(np.zeros(1) for _ in wind.Totals._fields))
    arguments = (ground, track, None, shade, None, None, np.uint64(1))
    wind.run_particles(*arguments, 0, 0, *WIND, 0.0, constants, totals)  # compiles
    time = seconds(wind.run_particles, *arguments, 0, particles, *WIND, 0.0, constants, totals)
    return _outcome(time, ground, track, np.array([total[0] for total in totals]))


def reference(side: int, particles: int, edges: str, contract: bool = True) -> Outcome:
    """wind.cpp; contract as in `compiled`."""
    constants, (ground, track, shade) = _constants(side, edges), _maps(side, edges)
    totals = np.zeros(len(wind.Totals._fields))
    time = seconds(
        compiled("wind", contract).run_particles, ground, track, shade, *track.shape, 1, 0, particles, *WIND, 0.0,
        np.array(constants[:18]), constants.maximum_steps, constants.edges, totals,
    )  # fmt: skip
    return _outcome(time, ground, track, totals)


def _outcome(time: float, ground: np.ndarray, track: np.ndarray, totals: np.ndarray) -> Outcome:
    """totals: as in `wind.Totals`."""
    steps = totals[wind.Totals._fields.index("steps")]
    return Outcome(time, steps, {"ground": ground, "track": track, "totals": totals})


def check() -> str:
    """Raise AssertionError where kernel and reference differ; returns on what they agree."""
    particles = 500
    for edges in EDGES:
        given = (128, particles, edges)
        assert_same(kernel(*given), reference(*given, contract=False), f"with {edges} edges")
    return f"Wind: {particles} particles on 128², each kind of edge."


def rows() -> Iterator[Row]:
    """Speed against C++; a particle's way, and with it its cost, grows with the side."""
    for side, particles in ((512, 4000), (2048, 1000)):
        given = (side, particles, "open")
        costs, steps = in_turn(partial(kernel, *given), partial(reference, *given)), kernel(*given).work / particles
        note = f"{nanoseconds(costs):.0f} ns a step, {steps:,.0f} steps a particle"
        yield at_least(f"wind {side}²: speed against C++", ratio(costs, 1, 0), 1.0, note)
