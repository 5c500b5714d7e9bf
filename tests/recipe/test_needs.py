# SPDX-License-Identifier: GPL-3.0-or-later
"""Needs of recipes, and runs without any effect."""

import numpy as np
import pytest

from erosion_addon import InputError, Recipe, Terrain, erode
from erosion_addon.base.data_files import shipped
from erosion_addon.recipe.needs import with_loose_top
from tests.terrains import fractal, plane

OF_SAND = ("barchan field", "coast dunes", "dune sea", "linear dunes", "oasis", "star dunes")
FEWER = {"wind": {"particles_per_cell": 0.3}, "dunes": {"years": 1.0}, "water": {"duration": 0.05}}
SHORT = 'name = "x"\n{}\n[[step]]\nkind = "wind"\n'


def shortened(name):
    """The recipe, shortened to about a second."""
    recipe = Recipe.load(name)
    kinds = {step.kind for step in recipe.steps} & set(FEWER)
    return recipe.with_values(
        {f"{kind}.{key}": value for kind in kinds for key, value in FEWER[kind].items()}
    )


def rock():
    """640 m of bare, rolling rock."""
    return Terrain(fractal(64, 64, relief=40.0, steepness=2.5), 10.0)


def test_the_recipes_of_dunes_say_how_much_sand_they_need_and_no_others_do():
    assert {name for name in shipped() if Recipe.load(name).needs.sediment > 0} == set(OF_SAND)


def test_what_a_recipe_needs_survives_a_file_and_older_files_need_nothing():
    recipe = Recipe.load("dune sea")
    assert Recipe.parse(recipe.to_toml(), "again") == recipe and recipe.needs.sediment == 30.0
    bare = Recipe.parse(SHORT.format(""), "old")
    assert bare.needs.sediment == 0.0 and "needs" not in bare.to_toml()


@pytest.mark.parametrize(
    ("needs", "words"),
    [
        ("needs = 3", r"needs must be a table \[needs\]"),
        ("[needs]\nwater = 3.0", "needs: water is not a parameter here; choose one of sediment"),
        ("[needs]\nsediment = -1.0", "needs: sediment must be from 0 to"),
        ("[needs]\nsediment = 'much'", "needs: sediment must be from 0 to"),
    ],
)
def test_needs_that_cannot_be_are_refused(needs, words):
    with pytest.raises(InputError, match=words):
        Recipe.parse(SHORT.format(needs), "x.toml")


@pytest.mark.parametrize("name", OF_SAND)
def test_a_layer_of_sand_as_thick_as_the_recipe_says_becomes_dunes_on_plain_rock(name):
    recipe = shortened(name)
    after = erode(with_loose_top(rock(), recipe.needs.sediment), recipe, seed=1)
    change = np.abs(after.elevation - rock().elevation)
    # Half a meter on cells of ten is a change of slope by 3°: it shows in any low light.
    assert np.percentile(change, 90) > 0.5
    assert after.report["notes"] == []


def test_a_layer_of_sand_leaves_the_heights_and_what_is_thicker():
    sediment = np.zeros((64, 64))
    sediment[0] = 50.0
    sandy = with_loose_top(Terrain(rock().elevation, 10.0, {"sediment": sediment}), 20.0)
    assert (sandy.elevation == rock().elevation).all()
    assert (sandy["sediment"][0] == 50.0).all() and (sandy["sediment"][1:] == 20.0).all()


def test_a_run_that_changed_nothing_says_so_and_why():
    after = erode(rock(), shortened("dune sea"), seed=1)
    assert after.elevation.tobytes() == rock().elevation.tobytes()
    assert after.report["notes"] == [
        "The ground did not change. Loose sand is missing here; the recipe is made for 30 m of it."
    ]


def test_a_run_that_changed_millimeters_says_how_much():
    dusty = Terrain(rock().elevation, 10.0, {"sediment": np.full((64, 64), 1e-4)})
    [note] = erode(dusty, shortened("dune sea"), seed=1).report["notes"]
    assert note.startswith("The ground hardly changed, by ")
    assert note.endswith(
        "Loose sand is at most 0.0001 m thick here; the recipe is made for 30 m of it."
    )


def test_ground_at_rest_is_said_to_be_unchanged_without_a_word_of_sand():
    recipe = Recipe.parse('name = "x"\n[[step]]\nkind = "talus"\n', "x.toml")
    notes = erode(Terrain(plane(24, 24, 0.1), 1.0), recipe).report["notes"]
    # A slope of 0.1 has 5.7°.
    assert notes == [
        "The ground did not change.",
        "No slope is steeper than 6°; rock stands up to 60°, and loose material up to 34°.",
    ]
