# SPDX-License-Identifier: GPL-3.0-or-later
"""River-cut mountains: land as rivers leave it, and beds with strike and dip."""

import numpy as np
import pytest

from erosion_addon.drainage.land import Land
from erosion_addon.drainage.land_statistics import statistics
from erosion_addon.generators.registry import make

CELL = 30.0


def made(side=160, seed=1, **values):
    """160 cells of 30 m."""
    return make("mountains", side, side, CELL, seed, values).elevation


def test_rivers_have_cut_the_mountains():
    """Bands of elevation models of mountains: concavity 0.225-0.575, and all but a few slopes below
    40°.
    """
    found = statistics(made(relief=700.0), (CELL, CELL))
    assert found["free_drainage"] > 0.99 and found["pits"] < 0.01
    assert 0.25 < found["concavity"] < 0.6 and found["concavity_r2"] > 0.7
    assert 0.45 < found["hack"] < 0.65
    assert 20.0 < found["slope_p50"] < 36.0 and found["slope_p90"] < 40.0
    # The only cells that stand out are a few summits, of slopes of 34° on all sides.
    assert found["needles"] < 300.0
    assert abs(found["slopes_along_grid"]) < 0.1


@pytest.mark.parametrize("strike", [30.0, 120.0])
def test_channels_run_along_the_strike_of_hard_and_soft_beds(strike):
    """Without beds as many channels run within 30° of a line as within 30° of the line across it,
    within a third.
    """

    def along_to_across(hardness):
        land = Land(made(relief=400.0, hardness=hardness, strike=strike, dip=50.0), (CELL, CELL))
        right, up = land.directions(10).reshape(-1, 2).T
        channels = (land.graph.inside(land.areas).ravel() > 50 * CELL * CELL) & (
            np.abs(right) + np.abs(up) > 0
        )
        angles = np.degrees(np.arctan2(up, right))[channels] - strike
        away = np.abs((angles + 90) % 180 - 90)
        return (away < 30).mean() / (away > 60).mean()

    assert 0.67 < along_to_across(0.0) < 1.5
    assert along_to_across(0.9) > 2.0


@pytest.mark.parametrize("strike", [30.0, 120.0])
def test_backs_of_beds_are_gentler_than_their_fronts(strike):
    """Beds fall to the left of the strike, so slopes to the left lie on them, and those to the
    right cut them.
    """
    elevation = made(relief=600.0, hardness=0.9, strike=strike, dip=20.0)
    along_y, along_x = np.gradient(elevation, CELL)
    angle = np.radians(strike)
    to_left = np.degrees(np.arctan(np.sin(angle) * along_x - np.cos(angle) * along_y))
    back = to_left[to_left > 5.0]
    front = -to_left[to_left < -5.0]
    assert np.median(back) < np.median(front) - 1.0


def test_age_leads_from_hills_without_valleys_to_sharp_crests_to_rounded_ones():
    hills, crests, old = (
        statistics(made(96, relief=400.0, age=age), (CELL, CELL)) for age in (0.0, 0.5, 1.0)
    )
    assert hills["concavity_r2"] < 0.7 < crests["concavity_r2"]
    assert old["slope_p50"] < crests["slope_p50"] - 5.0


def test_the_sea_takes_all_rivers_of_an_island():
    elevation = made(relief=500.0, island=0.5)
    land = Land(elevation, (CELL, CELL), sea_level=1e-9)
    assert (elevation > 0).mean() > 0.3
    # nothing lies below the lowest way out
    assert np.array_equal(land.graph.inside(land.levels), elevation)


def test_the_same_bytes_on_any_number_of_threads():
    one, three = (
        make("mountains", 40, 60, 5.0, 3, {"hardness": 0.8}, threads=threads) for threads in (1, 3)
    )
    assert one.elevation.tobytes() == three.elevation.tobytes()
