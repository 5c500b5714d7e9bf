# SPDX-License-Identifier: GPL-3.0-or-later
"""Masks and maps that scale single parameters cell by cell."""

import numpy as np
import pytest

from erosion_addon import Checkpoint, InputError, Recipe, Terrain, erode, resume, simulate
from erosion_addon.processes.registry import PROCESSES
from erosion_addon.terrain.masks import AREAS, FACTOR_FIELDS, MASK_KINDS
from tests.terrains import fractal

ROWS = 32
COLS = 40

SHORT = {
    "rill": {"form": "capacity"},
    "water": {"duration": 0.3, "rain": 400.0},
    "wind": {"particles_per_cell": 4.0, "abrasion": 1.0, "supply": 2.0},
    "dunes": {"years": 50.0, "abrasion": 0.1, "supply": 2.0},
    "talus": {"reach": 60.0, "rock_angle": 30.0},
    "snow": {"melt": 0.5, "reach": 20.0},
    "uplift": {"uplift": 0.5},
    "brush": {"strokes": [{"kind": "rain", "radius": 150.0, "dabs": [[200.0, 160.0, 1.0]]}]},
}

EACH = [(kind, name) for kind, process in PROCESSES.items() for name in process.scalable]


def recipe(kind, masks=None, **values):
    step = {"kind": kind, **SHORT.get(kind, {}), **values, **({"masks": masks} if masks else {})}
    return Recipe.from_dict({"name": kind, "step": [step]})


def hills():
    return Terrain(fractal(ROWS, COLS, relief=160.0), 10.0)


def eroded(kind, masks=None, area=None, **values):
    given = {} if area is None else {"area_a": area}
    return erode(hills(), recipe(kind, masks, **values), seed=3, masks=given)


def half():
    area = np.ones((ROWS, COLS), np.float32)
    area[:, : COLS // 2] = 0.0
    return area


def test_every_process_has_a_parameter_that_a_mask_scales():
    assert {kind for kind, _ in EACH} == set(PROCESSES)
    assert all(hasattr(PROCESSES[kind].parameters, name) for kind, name in EACH)


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("kind, name", EACH)
def test_a_mask_of_zero_is_the_parameter_at_zero(kind, name):
    masked = eroded(kind, {name: "area_a"}, np.zeros((ROWS, COLS)))
    without = eroded(kind, **{name: 0.0})
    np.testing.assert_allclose(masked.elevation, without.elevation, rtol=0, atol=1e-6)
    for field in ("sediment", "snow", "uplift", "water_depth", "meltwater"):
        if field in without.fields:
            np.testing.assert_allclose(masked[field], without[field], rtol=0, atol=1e-6)
    assert masked.report["sha256"] != eroded(kind).report["sha256"]


@pytest.mark.slow
@pytest.mark.parametrize("kind, name", EACH)
def test_a_mask_of_one_changes_no_byte(kind, name):
    masked = eroded(kind, {name: "area_a"}, np.ones((ROWS, COLS)))
    assert masked.report["sha256"] == eroded(kind).report["sha256"]


@pytest.mark.parametrize("kind", ["droplet", "rill", "water", "wind", "talus", "weather"])
def test_rock_stands_in_the_half_whose_rate_is_zero(kind):
    name = list(PROCESSES[kind].scalable)[-1]
    masked = eroded(kind, {name: "area_a"}, half())
    rock = masked["bedrock"] - hills().elevation
    assert np.abs(rock[:, : COLS // 2]).max() <= 1e-4
    assert -rock[:, COLS // 2 :].min() > 0.01


def test_droplets_on_larger_cells_dig_no_rock_where_their_rate_is_zero():
    area = half()
    masked = eroded("droplet", {"erosion_rate": "area_a"}, area, feature_size=25.0)
    rock = masked["bedrock"] - hills().elevation
    assert np.abs(rock[:, : COLS // 2]).max() <= 1e-4 and -rock.min() > 0.1


def test_land_rises_and_snow_falls_by_half_where_the_mask_is_a_half():
    area = np.full((ROWS, COLS), 0.5)
    risen = eroded("uplift", {"uplift": "area_a"}, area)["uplift"]
    np.testing.assert_allclose(risen, 0.5 * eroded("uplift")["uplift"], rtol=1e-6)
    fallen = [
        eroded("snow", *given).report["steps"][0]["fallen"]
        for given in ((), ({"amount": "area_a"}, area))
    ]
    assert fallen[1] == pytest.approx(0.5 * fallen[0], rel=1e-6)


def test_it_rains_as_much_as_the_mask_says_and_not_relative_to_elsewhere():
    wet = {"evaporation": 0.0, "duration": 0.1}
    rain = [
        eroded("water", *given, **wet).report["steps"][0]["rain"]
        for given in ((), ({"rain": "area_a"}, half()))
    ]
    assert rain[1] == pytest.approx(0.5 * rain[0], rel=1e-6)


def test_a_mirrored_mask_gives_the_mirrored_land():
    land = hills().elevation
    area = np.random.default_rng(2).random((ROWS, COLS)).astype(np.float32)
    given = recipe("talus", {"collapse": "area_a"})
    one, other = (
        erode(Terrain(turn(land).copy(), 10.0), given, masks={"area_a": turn(area)}).elevation
        for turn in (np.asarray, np.fliplr)
    )
    np.testing.assert_allclose(np.fliplr(other), one, rtol=0, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("kind, name", EACH)
def test_a_stopped_run_goes_on_to_the_same_bytes(kind, name, tmp_path):
    area = np.random.default_rng(4).random((ROWS, COLS)).astype(np.float32)
    given = recipe(kind, {name: "area_a"})
    whole = erode(hills(), given, seed=3, masks={"area_a": area}, threads=1)
    stopped = next(
        iter(simulate(hills(), given, seed=3, masks={"area_a": area}, threads=2))
    ).checkpoint
    stopped.save(tmp_path / "stopped.npz")
    for progress in resume(Checkpoint.load(tmp_path / "stopped.npz")):
        last = progress
    assert last.terrain.report["sha256"] == whole.report["sha256"]


def test_a_map_of_an_earlier_step_scales_a_later_one():
    steps = [{"kind": "droplet"}, {"kind": "weather", "masks": {"production": "moisture"}}]
    both = Recipe.from_dict({"name": "both", "step": steps})
    plain = Recipe.from_dict({"name": "plain", "step": [steps[0], {"kind": "weather"}]})
    assert erode(hills(), both).report["sha256"] != erode(hills(), plain).report["sha256"]


def test_areas_and_maps_by_themselves_change_nothing():
    after = [
        erode(hills(), recipe("droplet"), masks=masks)
        for masks in ({}, {kind: half() for kind in AREAS})
    ]
    assert after[0].report["sha256"] == after[1].report["sha256"]
    assert set(AREAS) <= set(MASK_KINDS) and not set(FACTOR_FIELDS) & set(MASK_KINDS)


def test_what_is_missing_is_said_before_the_run():
    with pytest.raises(
        InputError, match="Droplets: the mask area_b that scales erosion_rate is missing"
    ):
        simulate(hills(), recipe("droplet", {"erosion_rate": "area_b"}))
    with pytest.raises(InputError, match="the map moisture that scales production is missing"):
        simulate(hills(), recipe("weather", {"production": "moisture"}))


@pytest.mark.parametrize("value", [np.nan, -0.1, 1.5])
def test_values_that_no_share_has_are_refused(value):
    area = half()
    area[3, 4] = value
    with pytest.raises(InputError, match=r"area_a mask .* row 3, column 4"):
        eroded("droplet", {"erosion_rate": "area_a"}, area)


@pytest.mark.parametrize(
    "masks, sentence",
    [
        (
            {"capacity": "area_a"},
            "masks: no mask can scale capacity here, only erosion_rate: it holds for the whole",
        ),
        (
            {"capacities": "area_a"},
            r"masks: no mask can scale capacities here, only erosion_rate\.$",
        ),
        ({"erosion_rate": "rain"}, "masks: erosion_rate must be one of none, area_a"),
        ({"erosion_rate": 3}, "masks: erosion_rate must be one of"),
        ("area_a", r"masks must be a table \[step.masks\]"),
    ],
)
def test_masks_of_a_file_that_cannot_be_are_refused_with_its_name(masks, sentence):
    table = (
        f"masks = {masks!r}"
        if isinstance(masks, str)
        else "\n".join(["[step.masks]", *(f"{name} = {mask!r}" for name, mask in masks.items())])
    )
    text = f'name = "one"\n[[step]]\nkind = "droplet"\n{table}\n'
    with pytest.raises(InputError, match=rf"own\.toml: step 1 \(droplet\): {sentence}"):
        Recipe.parse(text, "own.toml")


def test_a_recipe_with_masks_survives_its_file():
    given = recipe("snow", {"amount": "area_a", "melt": "sun_light", "cling": "none"})
    assert given.steps[0].masks == {"amount": "area_a", "melt": "sun_light"}
    assert "[step.masks]" in given.to_toml() and Recipe.parse(given.to_toml(), "own.toml") == given
    assert given.with_values({"snow.masks.cling": "area_c"}).steps[0].masks["cling"] == "area_c"
    assert given.with_values({"1.masks.amount": "none"}).steps[0].masks == {"melt": "sun_light"}
