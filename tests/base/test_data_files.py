# SPDX-License-Identifier: GPL-3.0-or-later
"""The shipped recipes: each loads, balances, and makes the landscape that its description
promises.
"""

import dataclasses
from functools import cache

import numpy as np
import pytest

from erosion_addon import Recipe, Terrain, erode
from erosion_addon.base.data_files import shipped
from erosion_addon.drainage.land_statistics import statistics
from erosion_addon.processes.droplet.parameters import DropletParameters
from tests.terrains import fractal

OF_DROPLETS = ("alpine", "arcane", "canyon", "desert range", "old hills")
NAMES = (
    *OF_DROPLETS,
    "alpine with scree",
    "badlands",
    "barchan field",
    "coast dunes",
    "desert canyon",
    "dune sea",
    "flood plain",
    "light rills",
    "linear dunes",
    "mesas",
    "mountain range",
    "oasis",
    "passing showers",
    "river valley",
    "scree slopes",
    "soft downs",
    "star dunes",
    "stepped canyon",
    "yardangs",
)
CELL_SIZE = 10.0
SIDE = 96
"""Cells of the small terrains."""

SHORTER = {
    "water": {"duration": 0.1},
    "wind": {"particles_per_cell": 0.05},
    "dunes": {"years": 20.0},
    "weather": {"duration": 5000.0},
}
"""What makes a step quick enough for a test."""


@cache
def start():
    # 1.6 km across, 300 m high and rough: half of its slopes are steeper than 0.6, a hundredth
    # flatter than 0.1.
    return Terrain(fractal(160, 160, relief=300.0, seed=3, steepness=1.8), CELL_SIZE)


@cache
def sandy():
    """1 km across: hills of 60 m with up to 30 m of sand in places."""
    rock = fractal(SIDE, SIDE, 60.0, seed=1, steepness=2.5)
    sand = fractal(SIDE, SIDE, 60.0, seed=2, steepness=2.5)
    sand = np.maximum(sand - 30.0, 0.0)
    return Terrain(rock + sand, CELL_SIZE, {"sediment": sand})


@cache
def eroded(name):
    """With all the drops of the recipe: on so few cells `detail` would take some away."""
    recipe = Recipe.load(name)
    kinds = {step.kind for step in recipe.steps} & {"droplet", "rill"}
    return erode(start(), recipe.with_values({f"{kind}.detail": 0 for kind in kinds}), seed=1)


def shortened(name):
    """The recipe with shorter slow steps."""
    recipe = Recipe.load(name)
    kinds = {step.kind for step in recipe.steps} & set(SHORTER)
    return recipe.with_values(
        {f"{kind}.{key}": value for kind in kinds for key, value in SHORTER[kind].items()}
    )


@cache
def eroded_shortly(name):
    return erode(sandy(), shortened(name), seed=1)


def slopes(elevation):
    return np.hypot(*np.gradient(elevation, CELL_SIZE))


def curvature(elevation):
    """Median absolute Laplacian where the ground is not flat: how sharply hillsides bend, 1/m."""
    around = elevation[:-2, 1:-1] + elevation[2:, 1:-1] + elevation[1:-1, :-2] + elevation[1:-1, 2:]
    bend = np.abs(around - 4 * elevation[1:-1, 1:-1]) / CELL_SIZE**2
    return float(np.median(bend[slopes(elevation)[1:-1, 1:-1] > 0.2]))


def worn(name):
    """Wear in meters at the 50th and 99th percentile."""
    return np.percentile(eroded(name)["wear"], [50, 99])


def test_these_recipes_are_shipped():
    assert set(NAMES) <= set(shipped()) and len(shipped()) >= 15


@pytest.mark.parametrize("name", sorted(shipped()))
def test_a_shipped_recipe_is_called_like_its_file_and_says_what_it_makes(name):
    recipe = Recipe.load(name)
    assert recipe.name == name
    assert 40 <= len(recipe.description) <= 200 and recipe.description.endswith(".")


@pytest.mark.parametrize("name", sorted(shipped()))
def test_a_shipped_recipe_says_which_landscape_it_belongs_to(name):
    text = shipped()[name].read_text(encoding="utf-8")
    # and does not leave it to the default
    assert f'\nlandscape = "{Recipe.load(name).landscape}"\n' in text


def test_a_recipe_from_before_landscapes_loads():
    recipe = Recipe.parse('name = "old"\n[[step]]\nkind = "droplet"\n', "old.toml")
    assert recipe.landscape == "other" and 'landscape = "other"' in recipe.to_toml()


def test_arcane_is_the_published_defaults():
    (step,) = Recipe.load("arcane").steps
    assert step.parameters == DropletParameters()


ON_ANY_LAND = (
    "alpine",
    "alpine with scree",
    "badlands",
    "canyon",
    "desert range",
    "mountain range",
    "old hills",
)
"""Recipes whose rivers find their way out of whatever land they get."""


@pytest.mark.landscape
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in ("alpine", "badlands") else pytest.mark.thorough)
        for name in ON_ANY_LAND
    ],
)
def test_noise_that_was_not_made_for_the_recipe_drains_freely_after_it(name):
    land = Terrain(fractal(128, 128, relief=850.0, seed=3, steepness=1.8), 4000.0 / 128)
    after = erode(land, Recipe.load(name), seed=1)
    found = statistics(after.elevation, after.spacing)
    assert found["free_drainage"] > 0.95 and found["pits"] < 0.02
    assert found["slope_p90"] < 40 and found["slope_p99"] < 60


@pytest.mark.landscape
def test_old_hills_are_the_same_hills_on_finer_cells():
    fine = fractal(192, 192, relief=700.0, seed=6, steepness=2.2)
    changes = []
    for wide in (3, 1):
        before = fine.reshape(192 // wide, wide, 192 // wide, wide).mean(axis=(1, 3))
        after = erode(Terrain(before, 20.0 * wide), Recipe.load("old hills"), seed=1)
        changes.append(np.abs(after.elevation - before).mean())
    assert changes[1] == pytest.approx(changes[0], rel=0.15)


@pytest.mark.landscape
def test_no_two_recipes_make_the_same_landscape():
    # 1 % of the relief is 4 m: what one sees at a glance.
    for first in OF_DROPLETS:
        for second in OF_DROPLETS[: OF_DROPLETS.index(first)]:
            difference = np.abs(eroded(first).elevation - eroded(second).elevation).mean()
            assert difference > 0.01 * start().relief, (first, second)


@pytest.mark.landscape
def test_old_hills_are_the_roundest_and_arcane_the_most_rugged():
    # Drops that dig without limit cut every hillside into ribs; soil creep takes the noise of the
    # start away.
    bend = {name: curvature(eroded(name).elevation) for name in OF_DROPLETS}
    assert min(bend, key=bend.get) == "old hills" and bend["old hills"] < 0.9 * curvature(
        start().elevation
    )
    assert max(bend, key=bend.get) == "arcane" and bend["arcane"] > 1.3 * curvature(
        start().elevation
    )


@pytest.mark.landscape
def test_old_hills_have_the_softest_slopes():
    steepness = {name: np.percentile(slopes(eroded(name).elevation), 90) for name in OF_DROPLETS}
    assert min(steepness, key=steepness.get) == "old hills"
    assert steepness["old hills"] < 0.85 * np.percentile(slopes(start().elevation), 90)


@pytest.mark.landscape
def test_alpine_has_level_floors_and_no_walls_that_rock_would_not_hold():
    before = slopes(start().elevation)
    after = slopes(eroded("alpine").elevation)
    assert np.percentile(before, 99) > 1.4 and np.percentile(after, 99) < np.tan(np.radians(45.0))
    assert np.mean(after < 0.1) > 3 * np.mean(before < 0.1)


@pytest.mark.landscape
def test_canyon_cuts_deep_and_spares_the_uplands():
    # The deepest hundredth against the half that is worn least, where arcane digs everywhere.
    half, deepest = worn("canyon")
    half_of_arcane, deepest_of_arcane = worn("arcane")
    assert deepest > 8 * half and deepest / half > 1.3 * deepest_of_arcane / half_of_arcane
    assert half < half_of_arcane


@pytest.mark.landscape
def test_in_the_desert_rivers_dry_up_before_they_gather():
    wet = {name: np.mean(eroded(name)["moisture"] > 0.6) for name in OF_DROPLETS}
    assert min(wet, key=wet.get) == "desert range" and wet["desert range"] < 0.2 * wet["alpine"]


@pytest.mark.landscape
def test_alpine_with_scree_has_more_rubble_than_alpine():
    assert (
        eroded("alpine with scree")["sediment"].mean() > 1.05 * eroded("alpine")["sediment"].mean()
    )


@pytest.mark.landscape
def test_soft_downs_are_rounder_than_old_hills_and_covered_with_soil():
    downs = erode(start(), Recipe.load("soft downs").with_values({"water.duration": 0.0}), seed=1)
    assert curvature(downs.elevation) < curvature(eroded("old hills").elevation)
    assert np.mean(downs["sediment"] > 0.3) > 0.8


@pytest.mark.landscape
def test_badlands_have_ribs_and_level_floors():
    """Of real mountains 2 to 8 % of the ground lies under 3°; more than 12 % would be basins that
    were filled.
    """
    from examples.starts import terrain_for

    before = terrain_for("badlands", side=128)
    after = erode(before, Recipe.load("badlands"))
    level = [
        np.mean(np.hypot(*np.gradient(one.elevation, *one.spacing)) < 0.0524)
        for one in (before, after)
    ]
    assert 2 * level[0] < level[1] < 0.12
    clay = Terrain(start().elevation, CELL_SIZE, {"sediment": start().elevation})
    after = erode(clay, Recipe.load("badlands"), seed=1)
    assert np.mean(slopes(after.elevation) < 0.1) > 1.2 * np.mean(slopes(clay.elevation) < 0.1)
    assert np.percentile(slopes(after.elevation), 90) > 0.6


@pytest.mark.landscape
def test_the_oasis_keeps_its_wet_sand_while_the_wind_takes_the_dry():
    recipe = shortened("oasis")
    watered = erode(sandy(), dataclasses.replace(recipe, steps=recipe.steps[:-2]), seed=1)
    lowered = watered.elevation - eroded_shortly("oasis").elevation
    wet = watered["moisture"] > 0.5
    sand = watered["sediment"] > 1.0
    assert watered["water_depth"].max() > 0.1 and np.count_nonzero(wet & sand) > 5
    lost = np.maximum(lowered, 0.0)
    assert lost[wet & sand].mean() < 0.1 * lost[sand & ~wet].mean()
    # two slabs: a share of sand that is not all wet, and what slides after it
    assert lost[wet & sand].max() < 1.0


def test_light_rills_are_the_repository_s_steps_on_cells_of_ten_meters():
    step = next(step for step in Recipe.load("light rills").steps if step.kind == "rill")
    given = step.parameters
    assert given.drops_per_cell * 256**2 == pytest.approx(50_000, rel=1e-3)
    per_step = {"friction": 0.05, "evaporation": 0.01, "soil_absorption": 0.5}
    for name, share in per_step.items():
        assert -np.expm1(-getattr(given, name) * CELL_SIZE) == pytest.approx(share, rel=1e-3)
    assert given.soil_evaporation / 256**2 == pytest.approx(0.00025, rel=2e-3)
    assert given.gravity * CELL_SIZE == pytest.approx(12 / 64)
    assert (given.transfer_rate, given.sediment_ratio, given.minimum_volume) == (0.5, 3.0, 0.01)


@pytest.mark.landscape
def test_a_heap_of_the_barchan_field_gets_horns_that_point_downwind():
    row, col = np.mgrid[:SIDE, :SIDE] - SIDE / 2
    heap = np.maximum(22.0 * np.exp(-(row**2 + (col + 24) ** 2) / 10.0**2) - 1.0, 0.0)
    dune = erode(
        Terrain(heap, CELL_SIZE, {"sediment": heap}), Recipe.load("barchan field"), seed=1
    )["sediment"]
    crest = dune[SIDE // 2 - 1 : SIDE // 2 + 2].argmax(axis=1).mean()
    for flank in (dune[SIDE // 2 - 12 : SIDE // 2 - 3], dune[SIDE // 2 + 4 : SIDE // 2 + 13]):
        assert np.argwhere(flank > 2.0)[:, 1].max() > crest + 3


@pytest.mark.slow
def test_mesas_are_flat_land_on_hard_beds():
    land = Terrain(fractal(SIDE, SIDE, relief=420.0, seed=2), 40.0)
    given = Recipe.load("mesas")
    flat = []
    for recipe in (given, dataclasses.replace(given, strata=None)):
        slope = np.hypot(*np.gradient(erode(land, recipe, seed=1).elevation, 40.0))
        flat.append((slope < 0.07).mean())
    assert flat[0] > 0.19 and flat[0] > 1.2 * flat[1]  # 0.20 and 0.16
