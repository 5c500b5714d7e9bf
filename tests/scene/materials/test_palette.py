# SPDX-License-Identifier: GPL-3.0-or-later
"""Palettes: all shipped ones load, every recipe names one, a wrong file is refused in a
sentence.
"""

import math

import pytest

from erosion_addon import Recipe
from erosion_addon.base.data_files import shipped
from erosion_addon.base.errors import InputError
from erosion_addon.scene.materials.palette import FOLDER, Palette

NAMES = sorted(shipped(FOLDER))


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_palette_loads_and_says_what_it_is_for(name):
    palette = Palette.load(name)
    assert palette.name == name and len(palette.description) > 20
    assert {"Rock Color", "Soil Color", "Sediment Color"} <= set(palette.values)


@pytest.mark.parametrize("recipe", sorted(shipped()))
def test_every_recipe_names_a_palette_that_is_there(recipe):
    assert Recipe.load(recipe).palette in NAMES


def test_every_palette_is_some_recipes():
    assert {Recipe.load(recipe).palette for recipe in shipped()} == set(NAMES)


def test_a_recipe_keeps_its_palette_when_it_is_written():
    recipe = Recipe.load("dune sea")
    assert Recipe.parse(recipe.to_toml(), "there").palette == recipe.palette == "dunes"


def test_a_recipe_with_an_unknown_palette_is_refused():
    with pytest.raises(InputError, match=r"palette must be one of .*alpine.*'neon'"):
        Recipe.parse('name = "a"\npalette = "neon"\n[[step]]\nkind = "talus"\n', "there")


def test_colors_become_linear_and_angles_radians():
    palette = Palette.parse('rock_color = "#ff8000"\nrock_slope = 30\nsnow = 0.5\n', "a", "a.toml")
    assert palette.values["Rock Color"] == pytest.approx((1.0, 0.2158605, 0.0, 1.0))
    assert palette.values["Rock Slope"] == pytest.approx(math.radians(30))
    assert palette.values["Snow"] == 0.5


@pytest.mark.parametrize(
    "text, words",
    [
        (
            "rock_colour = 1",
            (
                "a.toml: rock_colour is not a control of the terrain material; choose one of "
                "soil_color,"
            ),
        ),
        ("moisture = 1", "moisture is not a control"),
        ('rock_color = "red"', "a.toml: rock_color must be a color like \"#a08060\", not 'red'"),
        ("rock_color = [1, 0, 0]", "rock_color must be a color"),
        ("rock_slope = 91", "rock_slope must be a number from 0 to 90, not 91"),
        ("snow = 1.5", "snow must be a number from 0 to 1, not 1.5"),
        ("snow = nan", "snow must be a number"),
        ("snow = true", "snow must be a number from 0 to 1, not True"),
        ('snow = "much"', "snow must be a number"),
        ("description = 3", "description must be a text, not 3"),
        ("snow = ", "a.toml is not valid TOML"),
        ("a = " + "[" * 5000, "nested too deeply to be a palette|not valid TOML"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(text, words):
    with pytest.raises(InputError, match=words):
        Palette.parse(text, "a", "a.toml")


def test_a_name_that_is_none_is_answered_with_those_there_are():
    with pytest.raises(InputError, match=r"There is no palette 'neon'; choose one of alpine, "):
        Palette.load("neon")


def test_a_file_of_the_users_is_read_and_one_too_large_is_not(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text("snow = 1.0\n")
    assert Palette.load(str(file)).values == {"Snow": 1.0}
    file.write_text("#" * 70_000)
    with pytest.raises(InputError, match="larger than 64 KB, so it is not a palette"):
        Palette.load(str(file))
    with pytest.raises(InputError, match="cannot be read"):
        Palette.load(str(tmp_path / "none.toml"))
