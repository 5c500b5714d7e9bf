# SPDX-License-Identifier: GPL-3.0-or-later
"""Recipes on small land: a grid of 2 m gets the forms of a range in small."""

from dataclasses import replace

import numpy as np
import pytest

from erosion_addon import Recipe, Terrain, erode
from erosion_addon.base.errors import InputError
from erosion_addon.processes.registry import PROCESSES
from erosion_addon.run.estimate import seconds_needed
from tests.terrains import fractal

CELLS = 32

IN_METERS = ("water", "wind", "dunes")
"""Kinds of steps whose hops and waves have lengths of their own: on small land the panel offers to
enlarge it.
"""


def eroded(name, width):
    """Heights as a share of the width, before and after a recipe."""
    heights = fractal(CELLS, CELLS, relief=0.2 * width, seed=4)
    recipe = Recipe.load(name)
    steps = tuple(step for step in recipe.steps if step.kind not in IN_METERS)
    after = erode(Terrain(heights, width / CELLS), replace(recipe, steps=steps), threads=1)
    return heights / width, after.elevation / width


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["alpine", "badlands", "canyon", "mesas", "scree slopes", "soft downs"]
)
def test_a_recipe_makes_the_same_land_in_small(name):
    """In meters, creep of 8 m leveled the grid: 0.02 of 0.4 was left of its relief."""
    before, small = eroded(name, 2.0)
    _, large = eroded(name, 1000.0)
    assert small.std() == pytest.approx(large.std(), rel=0.1)
    # the published rills have a size of their own
    if all(step.kind != "rill" for step in Recipe.load(name).steps):
        assert np.abs(small - large).mean() < 0.05 * np.abs(large - before).mean()


def test_lengths_shrink_with_narrow_land_only():
    recipe = Recipe.load("alpine")
    on_narrow = recipe.scaled_to(250.0)
    on_wide = recipe.scaled_to(4000.0)
    droplets = [step.parameters for step in recipe.steps if step.kind == "droplet"]
    assert [step.parameters for step in on_wide.steps] == [step.parameters for step in recipe.steps]
    narrow = [step.parameters for step in on_narrow.steps if step.kind == "droplet"]
    assert [one.creep for one in narrow] == [0.25 * one.creep for one in droplets]  # 250 of 1000 m
    # once: a checkpoint goes on with what its run began with
    assert on_narrow.scaled_to(2.0) == on_narrow


def test_areas_shrink_with_the_square_and_values_stay_in_range():
    creeping = PROCESSES["weather"].parameters(diffusivity=0.04, cover_depth=0.5)
    assert creeping.scaled(0.5).diffusivity == 0.01
    assert creeping.scaled(1e-6).cover_depth == 0.001  # the least that is allowed


def test_beds_keep_their_number_on_small_land():
    beds = Recipe.load("mesas").strata
    thin = Recipe.load("mesas").scaled_to(2.0).strata
    assert len(thin.layers) == len(beds.layers) and thin.hardness == beds.hardness
    assert thin.layers[0][0] == pytest.approx(beds.layers[0][0] * 2.0 / 1000.0)


def test_a_recipe_of_ones_own_counts_in_meters():
    plain = replace(Recipe.load("alpine"), width=0.0)
    assert plain.scaled_to(2.0) is plain
    assert "width" not in plain.to_dict()
    assert Recipe.from_dict(Recipe.load("alpine").to_dict()).width == 1000.0


@pytest.mark.parametrize("width", [-1.0, "wide", float("nan"), True])
def test_a_width_that_is_none_is_refused_with_its_range(width):
    with pytest.raises(InputError, match="width must be from 0 to 1e\\+09"):
        Recipe.from_dict({**Recipe.load("alpine").to_dict(), "width": width})


def test_time_is_estimated_for_the_lengths_that_count():
    """Creep of 8 m over cells of a centimeter would take hours."""
    recipe = Recipe.load("alpine")
    cells = (200, 200)
    small, large = (seconds_needed(recipe, cells, (side, side), threads=1) for side in (0.01, 5.0))
    assert small < 1.1 * large
