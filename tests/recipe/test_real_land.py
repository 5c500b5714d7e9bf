# SPDX-License-Identifier: GPL-3.0-or-later
"""Recipes on a real elevation model at its own cell size, and not on their start terrains."""

import numpy as np
import pytest

from erosion_addon import Recipe, Terrain, erode
from erosion_addon.drainage.land_statistics import statistics
from tests.terrains import big_tujunga

CELL = 30.0


@pytest.fixture(scope="module")
def before():
    """Figures of the land untouched: half of it lies behind a pit of the elevation model."""
    found = statistics(big_tujunga(), (CELL, CELL))
    assert found["free_drainage"] < 0.6 and found["flat"] < 0.01
    return found


@pytest.mark.thorough
@pytest.mark.parametrize(
    "name",
    [
        "alpine",
        "alpine with scree",
        "canyon",
        "desert range",
        "mountain range",
        "old hills",
        "scree slopes",
    ],
)
def test_mountains_drain_and_stay_mountains(before, name):
    """In bounds of real mountains: nobody may fill basins to drain them, nor cut walls. Concavity
    of river-cut land is 0.25 to 0.6 (Whipple and Tucker 1999). 40 needles a million are none in
    112² cells.
    """
    eroded = erode(Terrain(big_tujunga(), CELL), Recipe.load(name)).elevation
    after = statistics(eroded, (CELL, CELL))
    assert after["free_drainage"] >= 0.95 and after["needles"] == 0
    assert after["flat"] <= before["flat"] + 0.02
    assert after["slope_p90"] <= 40.0 and after["slope_p99"] <= min(60.0, before["slope_p99"] + 5.0)
    assert 0.25 <= after["concavity"] <= 0.6 and after["concavity_r2"] >= 0.7
    # Rivers end at the border, which stays; land that rises no faster than they cut does not fall
    # off there.
    change = eroded - big_tujunga()
    rows = np.arange(len(eroded))
    inward = np.minimum(rows, rows[::-1])
    ring = np.minimum.outer(inward, inward)
    assert change[(ring > 0) & (ring < 5)].mean() - change[ring == 0].mean() <= 0.005 * np.ptp(
        big_tujunga()
    )
