# SPDX-License-Identifier: GPL-3.0-or-later
"""Slider ends: each soft limit of each process, alone, still makes a landscape of rough hills."""

import numpy as np
import pytest

from erosion_addon import Recipe, Step, Terrain, erode
from erosion_addon.base.parameters import specifications
from erosion_addon.processes.registry import PROCESSES
from tests.terrains import fractal

pytestmark = pytest.mark.landscape

SIDE = 40
CELL = 10.0

NEEDLES = 10.0
"""In 10,000 cells at most: cells higher than all their neighbors by more than two cells' width."""

SUMMITS = 0.06
"""Share of the cells at most that are higher than all their neighbors; of the hills it is 0.02, of
an egg-box 1/4.
"""

RELIEF = 0.3
"""Least standard deviation of the heights that is left, as a share of that of the hills."""

LAND = {"wind": (40.0, 5.0), "dunes": (40.0, 5.0), "weather": (100.0, 0.3), "talus": (100.0, 2.0)}
"""By process: relief of the hills and thickness of their loose material, m; where none is given,
100 and 0.
"""

GIVEN = {
    "rill": [{"form": "simple"}, {"form": "capacity"}],
    "water": [
        {"duration": 0.5, "cloud_cover": 0.5, "standing_water": "edges", "water_level": 20.0}
    ],
    "uplift": [{"uplift": 1.0}],  # without it, rivers wear hills of 400 m down to a plain
    "wind": [{"flight": "particles"}, {"flight": "boundary layer"}],
}
"""By process: what is given beside the limit, so that it acts."""


def limits():
    """Each soft limit that is not the default: process, other values, name and value."""
    for kind, process in PROCESSES.items():
        if not process.moves_ground:
            continue
        for given in GIVEN.get(kind, [{}]):
            values = process.parameters(**given).to_dict()
            for known in specifications(process.parameters).values():
                if isinstance(known.default, bool) or not isinstance(known.default, int | float):
                    continue
                for value in known.soft_range:
                    if value != values[known.name] and known.acts(values):
                        yield kind, given, known.name, type(known.default)(value)


LIMITS = list(limits())


def hills(kind):
    relief, loose = LAND.get(kind, (100.0, 0.0))
    return Terrain(
        fractal(SIDE, SIDE, relief, seed=1), CELL, {"sediment": np.full((SIDE, SIDE), loose)}
    )


def prominence(heights):
    """Height of each inner cell above the highest of its eight neighbors, m."""
    rows, cols = heights.shape
    places = [(row, col) for row in range(3) for col in range(3) if (row, col) != (1, 1)]
    around = [heights[row : rows - 2 + row, col : cols - 2 + col] for row, col in places]
    return heights[1:-1, 1:-1] - np.max(around, axis=0)


def cases():
    """All limits; every tenth is tried by `make test`."""
    for number, (kind, values, name, value) in enumerate(LIMITS):
        forms = [values[key] for key in ("form", "flight") if key in values]
        yield pytest.param(
            kind,
            values,
            name,
            value,
            id="-".join([kind, *forms, f"{name}={value:g}"]),
            marks=[] if number % 10 == 0 else [pytest.mark.thorough],
        )


@pytest.mark.parametrize(("kind", "given", "name", "value"), list(cases()))
def test_a_soft_limit_leaves_a_landscape(kind, given, name, value):
    before = hills(kind)
    step = Step(kind, PROCESSES[kind].parameters(**{**given, name: value}))
    after = erode(before, Recipe("one", (step,)), seed=1).elevation
    assert np.isfinite(after).all()
    above = prominence(after)
    assert np.count_nonzero(above > 2 * CELL) * 1e4 <= NEEDLES * above.size
    assert np.count_nonzero(above > 0.05) <= SUMMITS * above.size
    assert after.std() > RELIEF * before.elevation.std()
