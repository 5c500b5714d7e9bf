# SPDX-License-Identifier: GPL-3.0-or-later
"""Light baking: wall time on one thread and on two, which give the same bytes."""

import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from bench.shared.comparison import TURNS, fractal
from bench.shared.table import Row, at_least, at_most
from erosion_addon.bake.horizon import sky_share, sun_share
from erosion_addon.bake.light import Sun, caster_light
from erosion_addon.base.threads import processors

SIDE = 1024
SPACING = (10.0, 10.0)
RELIEF = 2000.0
LOW_SUN = (0.9, 0.3, 0.3)
SUN_RADIUS = 0.0047
"""Radians: ours."""

Light = Callable[[int], np.ndarray]
"""Computes light on so many threads."""


def _casters(land: np.ndarray, count: int) -> np.ndarray:
    """Spheres of 1 to 6 cells that lie on the ground, (count, 4)."""
    rng = np.random.default_rng(4)
    row, col = rng.integers(0, len(land), (2, count))
    radius = rng.uniform(1, 6, count) * SPACING[0]
    return np.column_stack(
        [col * SPACING[1], row * SPACING[0], land[row, col] + 0.8 * radius, radius]
    )


def _lights(side: int) -> dict[str, Light]:
    land = fractal(side, RELIEF * side / SIDE, 2.0)
    radius = 0.5 * side * SPACING[0]
    casters = _casters(land, 1000 * side**2 // SIDE**2)
    suns = [Sun(LOW_SUN, SUN_RADIUS)]
    return {
        "sky, 16 azimuths": partial(sky_share, land, SPACING, 16, radius, False),
        "1000 spheres, sky and sun": partial(caster_light, land, SPACING, casters, suns),
        "the terrain's own shadow": partial(sun_share, land, SPACING, LOW_SUN, SUN_RADIUS, False),
    }


def _timed(light: Light, threads: int) -> tuple[float, float]:
    """Wall time, and CPU time of all threads, in seconds."""
    clock = time.perf_counter()
    work = time.process_time()
    light(threads)
    return time.perf_counter() - clock, time.process_time() - work


def check() -> str:
    """Raise AssertionError where one thread and several leave different bytes; returns on what they
    agree.
    """
    for name, light in _lights(256).items():
        for threads in (2, 5):
            assert light(threads).tobytes() == light(1).tobytes(), (
                f"{name} differs on {threads} threads"
            )
    return "Light: of the sky, below spheres and behind mountains, on 1, 2 and 5 threads."


def rows() -> Iterator[Row]:
    """Rows of the table. The fastest turn counts, as other programs can only add to the wall
    time.
    """
    for name, light in _lights(SIDE).items():
        turns = np.array([[_timed(light, 1), _timed(light, 2)] for _ in range(TURNS)])
        (alone, work), (pair, _) = turns.min(axis=0)
        what = f"light {SIDE}², {name}"
        yield at_most(f"{what}, on two threads", pair, 2, "s")
        if processors() > 1:
            note = f"{alone:.2f} s on one, {work:.2f} s of that computing"
            yield at_least(f"{what}: speed on two threads against one", alone / pair, 1.5, note)
