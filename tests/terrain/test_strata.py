# SPDX-License-Identifier: GPL-3.0-or-later
"""Strata: layers of coloured rock, and what erosion shows of them."""

import dataclasses

import numpy as np
import pytest

from erosion_addon.base.data_files import shipped
from erosion_addon.base.errors import InputError
from erosion_addon.model import Recipe, Terrain, erode
from erosion_addon.terrain.strata import COVER, Strata
from tests.terrains import fractal

RED, WHITE = "#ff0000", "#ffffff"
TWO = {"name": "two", "layer": [{"thickness": 10.0, "color": RED}, {"thickness": 5.0, "color": WHITE}]}


def at(strata, *heights):
    """Colours of single heights in the middle of the terrain."""
    return [strata.colors(np.full((3, 3), height), (1.0, 1.0))[1, 1].tolist() for height in heights]


def test_layers_lie_on_each_other_over_and_over():
    red, white = [1, 0, 0], [1, 1, 1]
    assert at(Strata.from_dict(TWO), 1, 9, 11, 14, 16, 26, -1, -6) == [red, red, white, white, red, white, white, red]


def test_a_blend_passes_from_one_layer_to_the_next_over_its_height():
    blended = Strata.from_dict({**TWO, "blend": 4.0})
    greens = [color[1] for color in at(blended, 8, 9, 10, 11, 12)]
    assert greens == pytest.approx([0, 0.25, 0.5, 0.75, 1], abs=1e-6)


def test_layers_thinner_than_a_cell_spans_are_mixed_and_do_not_flicker():
    """A slope of a whole round of layers a cell: each cell shows the mean, two thirds red and one third white."""
    slope = np.broadcast_to(np.arange(6) * 15.0, (3, 6))
    assert np.allclose(Strata.from_dict(TWO).colors(slope, (1.0, 1.0))[..., 1], 1 / 3, atol=1e-6)


def test_layers_dip_to_where_they_say():
    """At 45° to the right, ten metres to the right the layers lie ten metres lower."""
    tilted = Strata.from_dict({**TWO, "dip": 45.0, "dip_direction": 0.0})
    colors = tilted.colors(np.full((3, 21), 5.5), (1.0, 1.0))
    assert colors[1, :, 1].round().tolist() == [1] * 5 + [0] * 10 + [1] * 5 + [0]


def test_waves_move_the_layers_and_keep_the_colours_between_those_of_the_layers():
    waved = Strata.from_dict({**TWO, "undulation": 20.0, "wavelength": 50.0, "blend": 3.0})
    colors = waved.colors(np.full((60, 70), 3.0), (2.0, 1.0))
    assert (colors[..., 0] == 1).all() and colors[..., 1].min() == 0 and colors[..., 1].max() == 1


def test_bare_worn_rock_shows_its_layer_and_what_is_covered_or_untouched_keeps_its_colour():
    one = Strata.from_dict({**TWO, "layer": TWO["layer"][:1]})
    fields = {
        "surface_color": np.broadcast_to(np.float32([0, 0, 1]), (3, 4, 3)),
        "elevation": np.full((3, 4), 5.0),
        "wear": np.tile([0.0, 1e9, 1e9, COVER], (3, 1)),
        "sediment": np.tile([0.0, 0.0, 1e9, 0.0], (3, 1)),
        "deposition": np.tile([0.0, 0.0, 1e9, 0.0], (3, 1)),
    }
    untouched, bare, covered, half = one.brought_to_light(fields, (1.0, 1.0), carried=True)[1]
    assert untouched.tolist() == [0, 0, 1] and covered == pytest.approx([0, 0, 1], abs=1e-6)
    assert bare == pytest.approx([1, 0, 0], abs=1e-6) and half == pytest.approx([0.5, 0, 0.5])


def test_what_is_laid_down_without_its_colours_has_the_mean_of_the_layers():
    """Two thirds red, one third white."""
    fields = {name: np.zeros((3, 3)) for name in ("elevation", "wear")}
    fields |= {"surface_color": np.zeros((3, 3, 3)), "sediment": np.full((3, 3), COVER)}
    fields["deposition"] = fields["sediment"]
    mixed = Strata.from_dict(TWO).brought_to_light(fields, (1.0, 1.0), carried=False)
    assert mixed[1, 1] == pytest.approx([0.5, 0.5 / 3, 0.5 / 3])


def test_a_run_starts_from_the_strata_and_cuts_into_them():
    recipe = dataclasses.replace(Recipe.load("arcane"), strata=Strata.from_dict({**TWO, "blend": 2.0}))
    terrain = Terrain(fractal(60, 60, relief=80.0), 5.0)
    after = erode(terrain, recipe, seed=1)
    color = after["surface_color"]
    still = (after["wear"] == 0) & (after["deposition"] == 0)
    assert still.any() and np.abs(color - recipe.strata.colors(terrain.elevation, (5.0, 5.0)))[still].max() < 1e-6
    deep = (after["wear"] > 20 * COVER) & (after["sediment"] < 0.01 * COVER)
    assert deep.any() and np.abs(color - recipe.strata.colors(after.elevation, (5.0, 5.0)))[deep].mean() < 0.02
    assert (color[..., 0] > 1 - 1e-6).all() and color[..., 1].min() >= 0 and color.max() <= 1 + 1e-6
    plain = erode(terrain, dataclasses.replace(recipe, strata=None), seed=1)
    assert plain.report["sha256"]["elevation"] == after.report["sha256"]["elevation"]


def test_colours_that_the_terrain_brings_lie_on_the_strata():
    recipe = dataclasses.replace(Recipe.load("arcane"), strata=Strata.from_dict(TWO))
    green = np.broadcast_to([0.0, 1.0, 0.0], (40, 40, 3))
    after = erode(Terrain(fractal(40, 40, relief=60.0), 5.0, {"surface_color": green}), recipe, seed=1)
    still = (after["wear"] == 0) & (after["deposition"] == 0)
    assert still.any() and (after["surface_color"][still] == [0, 1, 0]).all()
    assert after["surface_color"][..., 0].max() > 0.8


def test_a_recipe_takes_strata_by_name_or_as_a_table_and_writes_them_out():
    named = Recipe.parse('name = "r"\nstrata = "red canyon"\n[[step]]\nkind = "droplet"\n', "here")
    assert named.strata == Strata.load("red canyon")
    assert Recipe.parse(named.to_toml(), "there") == named and Recipe.from_dict(named.to_dict()) == named
    assert "strata" not in Recipe.load("arcane").to_toml()


@pytest.mark.parametrize("name", shipped("strata"))
def test_shipped_strata_load_under_their_names(name):
    strata = Strata.load(name)
    assert strata.name == name and strata.description.endswith(".")
    assert Strata.from_dict(strata.to_dict()) == strata


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"layer": []}, "from 1 to 64 layers; these have 0"),
        ({"layer": [{"thickness": 1.0}]}, 'layer 1: color must be a colour like "#a08060", not None'),
        ({"layer": [{"thickness": 1.0, "color": "red"}]}, "layer 1: color must be"),
        ({"layer": [{"thickness": 0.0, "color": RED}]}, "layer 1: thickness must be from 0.01"),
        ({"layer": [{"height": 1.0, "color": RED}]}, "layer 1: height is not a parameter"),
        ({"layer": "red"}, "must be written as"),
        ({"dip": 90.0}, "dip must be from 0 to 89"),
        ({"dips": 1.0}, "dips is not a parameter"),
        ({"name": ""}, "name must be a text"),
    ],
)
def test_what_is_wrong_is_refused_by_name(change, message):
    with pytest.raises(InputError, match=message):
        Strata.from_dict({**TWO, **change})


@pytest.mark.parametrize("strata", ['strata = "nowhere"', 'strata = "/etc/some.toml"', "strata = 3"])
def test_a_recipe_with_other_strata_is_refused(strata):
    with pytest.raises(InputError, match="strata"):
        Recipe.parse(f'name = "r"\n{strata}\n[[step]]\nkind = "droplet"\n', "here")


def test_a_file_that_is_none_is_refused(tmp_path):
    path = tmp_path / "some.toml"
    path.write_text("name =")
    with pytest.raises(InputError, match="not valid TOML"):
        Strata.load(path)
