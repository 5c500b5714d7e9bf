# SPDX-License-Identifier: GPL-3.0-or-later
"""The shipped recipes: each loads, balances, and makes the landscape that its description promises."""

from functools import cache

import numpy as np
import pytest

from erosion_addon.model import Recipe, Terrain, erode
from erosion_addon.model.droplet import DropletParameters
from erosion_addon.model.recipe import shipped
from tests.terrains import fractal

NAMES = ("alpine", "arcane", "canyon", "desert range", "old hills")
CELL_SIZE = 10.0


@cache
def start():
    # 1.6 km across, 300 m high and rough: half of its slopes are steeper than 0.6, a hundredth flatter than 0.1.
    return Terrain(fractal(160, 160, relief=300.0, seed=3, steepness=1.8), CELL_SIZE)


@cache
def eroded(name):
    return erode(start(), Recipe.load(name), seed=1)


def slopes(elevation):
    return np.hypot(*np.gradient(elevation, CELL_SIZE))


def curvature(elevation):
    """Median absolute Laplacian where the ground is not flat: how sharply hillsides bend, 1/m."""
    around = elevation[:-2, 1:-1] + elevation[2:, 1:-1] + elevation[1:-1, :-2] + elevation[1:-1, 2:]
    bend = np.abs(around - 4 * elevation[1:-1, 1:-1]) / CELL_SIZE**2
    return float(np.median(bend[slopes(elevation)[1:-1, 1:-1] > 0.2]))


def worn(name):
    """Wear in metres at the 50th and 99th percentile."""
    return np.percentile(eroded(name)["wear"], [50, 99])


def test_these_recipes_are_shipped():
    assert set(NAMES) <= set(shipped())


@pytest.mark.parametrize("name", sorted(shipped()))
def test_a_shipped_recipe_is_called_like_its_file_and_says_what_it_makes(name):
    recipe = Recipe.load(name)
    assert recipe.name == name
    assert 40 <= len(recipe.description) <= 200 and recipe.description.endswith(".")


@pytest.mark.parametrize("name", sorted(shipped()))
def test_a_shipped_recipe_moves_material_and_loses_none(name):
    result = eroded(name)
    mass = result.report["mass"]
    assert mass["moved"] > 0 and abs(mass["error"]) <= 1e-9 * mass["moved"]
    assert np.isfinite(result.elevation).all()
    assert start().elevation.min() <= result.elevation.min()


def test_arcane_is_the_published_defaults():
    (step,) = Recipe.load("arcane").steps
    assert step.parameters == DropletParameters()


def test_no_two_recipes_make_the_same_landscape():
    # 1 % of the relief is 4 m: what one sees at a glance.
    for first in NAMES:
        for second in NAMES[: NAMES.index(first)]:
            difference = np.abs(eroded(first).elevation - eroded(second).elevation).mean()
            assert difference > 0.01 * start().relief, (first, second)


def test_old_hills_are_the_roundest_and_arcane_the_most_rugged():
    # Drops that dig without limit cut every hillside into ribs; soil creep takes the noise of the start away.
    bend = {name: curvature(eroded(name).elevation) for name in NAMES}
    assert min(bend, key=bend.get) == "old hills" and bend["old hills"] < 0.9 * curvature(start().elevation)
    assert max(bend, key=bend.get) == "arcane" and bend["arcane"] > 1.3 * curvature(start().elevation)


def test_old_hills_have_the_softest_slopes():
    steepness = {name: np.percentile(slopes(eroded(name).elevation), 90) for name in NAMES}
    assert min(steepness, key=steepness.get) == "old hills"
    assert steepness["old hills"] < 0.85 * np.percentile(slopes(start().elevation), 90)


def test_alpine_has_steeper_walls_than_the_start_and_level_floors():
    before, after = slopes(start().elevation), slopes(eroded("alpine").elevation)
    assert np.percentile(after, 99) > 1.05 * np.percentile(before, 99)
    assert np.mean(after < 0.1) > 4 * np.mean(before < 0.1)


def test_canyon_cuts_deep_and_spares_the_uplands():
    # The deepest hundredth against the half that is worn least: ten times deeper, where arcane digs everywhere.
    half, deepest = worn("canyon")
    half_of_arcane, deepest_of_arcane = worn("arcane")
    assert deepest > 10 * half and deepest_of_arcane < 10 * half_of_arcane
    assert half < 0.25 * half_of_arcane


def test_in_the_desert_rivers_dry_up_before_they_gather():
    wet = {name: np.mean(eroded(name)["moisture"] > 0.6) for name in NAMES}
    assert min(wet, key=wet.get) == "desert range" and wet["desert range"] < 0.2 * wet["alpine"]
