# SPDX-License-Identifier: GPL-3.0-or-later
"""Snow: mass balance, snowfall, slope stability, melt, and its effect on later steps."""

import numpy as np
import pytest

from erosion_addon import Recipe, Terrain, erode
from erosion_addon.base.errors import InputError
from erosion_addon.processes.snow.parameters import SnowParameters
from erosion_addon.processes.snow.step import WATER, SnowStep, levelness, shelter, snow_line
from tests.terrains import fractal

AREA = 100.0
WET = {"kind": "water", "duration": 0.2, "rain": 0.0, "evaporation": 0.0, "rock_erosion": 0.0}


def snowed(elevation, edges="closed", masks=None, fields=None, after=(), threads=0, **values):
    """The terrain of cells of 10 m after a snow step; after: further steps."""
    steps = [{"kind": "snow", **values}, *after]
    recipe = Recipe.from_dict({"name": "snow", "step": steps})
    return erode(
        Terrain(elevation, 10.0, fields), recipe, edges=edges, masks=masks, threads=threads
    )


def counts(terrain):
    return terrain.report["steps"][0]


def peaks(relief=500.0, side=40):
    return fractal(side, side, relief, steepness=1.6)


def volume(thickness):
    return float(thickness.sum(dtype=np.float64)) * AREA


@pytest.mark.parametrize("edges", ["open", "closed", "wrap"])
def test_what_has_fallen_lies_has_melted_or_slid_out(edges):
    before = np.full((40, 40), 0.7, np.float32)
    after = snowed(peaks(), edges, fields={"snow": before}, melt=0.8)
    told = counts(after)
    came = told["started"] + told["fallen"]
    left = told["lying"] + told["melted"] + told["slid_out"]
    assert (
        abs(came - left) <= 1e-12 * came
        and min(told["fallen"], told["lying"], told["melted"]) > 1000.0
    )
    assert (told["slid_out"] > 0) == (edges == "open")
    assert told["started"] == pytest.approx(volume(before)) and told["lying"] == pytest.approx(
        volume(after["snow"])
    )
    assert volume(after["meltwater"]) == pytest.approx(WATER * told["melted"])


def test_the_ground_keeps_every_bit():
    before = Terrain(peaks(), 10.0, {"sediment": np.full((40, 40), 2.0)})
    after = erode(before, Recipe.from_dict({"name": "snow", "step": [{"kind": "snow"}]}))
    assert np.array_equal(after.elevation, before.elevation) and np.array_equal(
        after["sediment"], before["sediment"]
    )
    assert (
        after.report["mass"]["moved"] == after.report["mass"]["error"] == 0.0
        and not after.report["notes"]
    )


def test_no_snow_lies_below_the_line_and_all_of_it_falls_above_the_soft_border():
    """On a plane of 20°, which holds it all and has neither crest nor hollow."""
    height = np.repeat(np.arange(60.0)[:, None] * 3.64, 30, axis=1)
    after = snowed(height, covered=0.0, snow_line=80.0, softness=60.0, amount=2.0)
    assert not after["snow"][height <= 80.0].any()
    np.testing.assert_allclose(after["snow"][height >= 140.0], 2.0, rtol=1e-6)
    half = np.interp(110.0, height[:, 0], after["snow"][:, 0])
    assert half == pytest.approx(1.0, abs=0.01)
    sharp = snowed(height, covered=0.0, snow_line=80.0, softness=0.0, amount=2.0)
    np.testing.assert_allclose(sharp["snow"], np.where(height > 80.0, 2.0, 0.0), rtol=1e-6)


def test_the_line_leaves_the_share_of_the_land_above_it():
    height = peaks()
    for share in (0.25, 0.6):
        line = snow_line(height, SnowParameters(covered=share))
        assert np.mean(height > line) == pytest.approx(share, abs=0.001)
        assert snow_line(height, SnowParameters(covered=share, snow_line=-30.0)) == line - 30.0
    assert snow_line(height, SnowParameters(covered=1.0)) == height.min()
    assert snow_line(height, SnowParameters(covered=0.0, snow_line=120.0)) == 120.0


def test_a_slope_over_the_angle_carries_what_clings_and_the_rest_lies_at_its_foot():
    """A slope of 50° between two plains: what slid off it stands below at 40°."""
    row = np.arange(60.0)[:, None] * 10.0
    height = np.repeat(np.clip((row - 200.0) * np.tan(np.radians(50)), 0.0, 240.0), 8, axis=1)
    given = {
        "covered": 1.0,
        "softness": 0.0,
        "drift": 0.0,
        "steepest": 40.0,
        "reach": 600.0,
        "snow_line": -1.0,
    }
    for cling in (0.0, 0.5):  # meters
        after = snowed(height, amount=4.0, cling=cling, **given)
        assert counts(after)["at_rest"]
        surface = height + after["snow"]
        slope = np.abs(np.diff(surface[:, 0])) / 10.0
        loose = after["snow"][:, 0] > 0.6
        assert slope[loose[1:] & loose[:-1]].max() <= np.tan(np.radians(40)) * 1.001 + 0.05 * (
            cling > 0
        )
        np.testing.assert_allclose(
            after["snow"][30:38, 0], cling * np.cos(np.radians(50)), atol=2e-3
        )
        assert after["snow"][21, 0] > 8.0 and after["snow"][5, 0] == pytest.approx(4.0, abs=1e-3)


def test_snow_gathers_in_hollows_and_leaves_crests():
    col = np.arange(64.0) * 10.0
    height = np.repeat(20.0 * np.sin(2 * np.pi * col / 320.0)[None], 16, axis=0)
    given = {
        "covered": 1.0,
        "softness": 0.0,
        "snow_line": -1.0,
        "edges": "wrap",
        "drift_size": 80.0,
    }
    snow = snowed(height, drift=2.0, **given)["snow"][8]
    crest = snow[8]
    hollow = snow[24]
    assert crest < 2.8 < 3.2 < hollow and snow.mean() == pytest.approx(3.0, abs=0.01)
    np.testing.assert_allclose(snowed(height, drift=0.0, **given)["snow"], 3.0, rtol=1e-6)


@pytest.mark.parametrize("spacing", [(10.0, 10.0), (4.0, 9.0)])
def test_a_plane_has_no_shelter_and_the_slope_that_it_has(spacing):
    row, col = np.mgrid[0:20, 0:30]
    plane = 0.3 * row * spacing[0] - 0.4 * col * spacing[1]
    np.testing.assert_allclose(shelter(plane, spacing, 50.0, False), 0.0, atol=1e-12)
    np.testing.assert_allclose(levelness(plane, spacing, False), 1 / np.sqrt(1.25), rtol=1e-12)


def test_the_shelter_of_a_pit_is_the_mean_tangent_around_it():
    pit = np.full((9, 9), 5.0)
    pit[4, 4] = 0.0
    assert shelter(pit, (10.0, 10.0), 20.0, False)[4, 4] == pytest.approx(
        (4 * 0.5 + 4 * 0.5 / np.sqrt(2)) / 8
    )
    assert shelter(-pit, (10.0, 10.0), 20.0, False)[4, 4] < 0


@pytest.mark.parametrize("turn", [lambda a: a[::-1], lambda a: a[:, ::-1], np.rot90, np.transpose])
def test_a_turned_or_mirrored_terrain_has_the_same_snow(turn):
    height = peaks()
    given = {"edges": "open", "melt": 0.2}
    assert np.array_equal(
        turn(snowed(height, **given)["snow"]), snowed(turn(height).copy(), **given)["snow"]
    )


def test_the_melt_takes_as_much_everywhere_and_no_more_than_there_is():
    dry = snowed(peaks(), melt=0.0)
    wet = snowed(peaks(), melt=1.0)
    np.testing.assert_allclose(wet["snow"], np.maximum(dry["snow"] - 1.0, 0.0), atol=1e-6)
    np.testing.assert_allclose(wet["meltwater"], WATER * np.minimum(dry["snow"], 1.0), atol=1e-6)
    assert not dry["meltwater"].any()


def test_meltwater_comes_down_in_the_next_water_step_and_is_gone_then():
    after = snowed(peaks(100.0), melt=1.0, after=[WET])
    snow, water = after.report["steps"]
    assert (
        water["rain"] == pytest.approx(WATER * snow["melted"], rel=1e-5) and water["rain"] > 500.0
    )
    assert water["stored"] + water["outflow"] == pytest.approx(water["rain"], rel=1e-5)
    assert not after["meltwater"].any() and after["water_depth"].max() > 0.1
    again = snowed(peaks(100.0), melt=1.0, after=[WET, WET]).report["steps"][2]
    assert again["rain"] == 0.0


def test_a_water_step_without_meltwater_has_no_such_layer():
    after = erode(Terrain(peaks(100.0), 10.0), Recipe.from_dict({"name": "wet", "step": [WET]}))
    assert "meltwater" not in after


def test_a_building_plot_stays_bare_and_what_slides_onto_it_is_cleared():
    plot = np.zeros((40, 40), np.float32)
    plot[15:25, 15:25] = 1.0
    after = snowed(peaks(), masks={"plot": plot}, covered=1.0)
    told = counts(after)
    assert not after["snow"][plot > 0].any() and after["snow"][plot == 0].max() > 1.0
    assert told["slid_out"] > 0  # edges are closed
    assert told["fallen"] == pytest.approx(told["lying"] + told["slid_out"], rel=1e-12)


def test_where_strength_is_zero_snow_neither_falls_nor_slides_nor_melts():
    strength = np.zeros((40, 40), np.float32)
    strength[:, 20:] = 1.0
    snow = np.linspace(0.0, 3.0, 1600, dtype=np.float32).reshape(40, 40)
    after = snowed(peaks(), masks={"strength": strength}, fields={"snow": snow}, melt=0.5)
    np.testing.assert_allclose(after["snow"][:, :20], snow[:, :20], atol=1e-6)
    assert np.abs(after["snow"] - snow)[:, 20:].max() > 1.0


def test_snow_does_not_hide_from_a_step_that_it_is_wrong():
    with pytest.raises(InputError, match="snow is negative at row 0, column 0"):
        Terrain(peaks(), 10.0, {"snow": np.full((40, 40), -1.0)})
    with pytest.raises(InputError, match="steepest must be from 1 to 89"):
        SnowParameters(steepest=90.0)
    with pytest.raises(InputError, match="melt must be from 0 to 1000"):
        SnowParameters(melt=-0.1)


def test_a_look_in_between_adds_up_too():
    from erosion_addon.processes.shared.state import State

    height = peaks()
    step = SnowStep(
        State(height, {"sediment": np.zeros_like(height)}, {}, (10.0, 10.0), "open"),
        SnowParameters(),
        0,
    )
    assert step.advance() < 1.0
    told = step.counts(1.0)
    assert told["fallen"] == pytest.approx(told["lying"] + told["slid_out"], rel=1e-12)
    assert np.array_equal(step.elevation(), height)
