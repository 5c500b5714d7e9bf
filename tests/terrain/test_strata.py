# SPDX-License-Identifier: GPL-3.0-or-later
"""Strata: layers of colored rock, and their exposure by erosion."""

import dataclasses

import numpy as np
import pytest

from erosion_addon import Recipe, Terrain, erode
from erosion_addon.base.data_files import shipped
from erosion_addon.base.errors import InputError
from erosion_addon.run.region.resuming import resume
from erosion_addon.run.simulation import simulate
from erosion_addon.terrain.strata import COVER, Strata
from tests.terrains import fractal

RED = "#ff0000"
WHITE = "#ffffff"
TWO = {
    "name": "two",
    "layer": [{"thickness": 10.0, "color": RED}, {"thickness": 5.0, "color": WHITE}],
}


def at(strata, *heights):
    """Colors of single heights in the middle of the terrain."""
    return [strata.colors(np.full((3, 3), height), (1.0, 1.0))[1, 1].tolist() for height in heights]


def test_layers_lie_on_each_other_over_and_over():
    red = [1, 0, 0]
    white = [1, 1, 1]
    assert at(Strata.from_dict(TWO), 1, 9, 11, 14, 16, 26, -1, -6) == [
        red,
        red,
        white,
        white,
        red,
        white,
        white,
        red,
    ]


def test_a_blend_passes_from_one_layer_to_the_next_over_its_height():
    blended = Strata.from_dict({**TWO, "blend": 4.0})
    greens = [color[1] for color in at(blended, 8, 9, 10, 11, 12)]
    assert greens == pytest.approx([0, 0.25, 0.5, 0.75, 1], abs=1e-6)


def test_layers_thinner_than_a_cell_spans_are_mixed_and_do_not_flicker():
    """A slope of a whole round of layers a cell: each cell shows the mean, two thirds red and one
    third white.
    """
    slope = np.broadcast_to(np.arange(6) * 15.0, (3, 6))
    assert np.allclose(Strata.from_dict(TWO).colors(slope, (1.0, 1.0))[..., 1], 1 / 3, atol=1e-6)


def test_layers_dip_to_where_they_say():
    """At 45° to the right, ten meters to the right the layers lie ten meters lower."""
    tilted = Strata.from_dict({**TWO, "dip": 45.0, "dip_direction": 0.0})
    colors = tilted.colors(np.full((3, 21), 5.5), (1.0, 1.0))
    assert colors[1, :, 1].round().tolist() == [1] * 5 + [0] * 10 + [1] * 5 + [0]


@pytest.mark.parametrize("waves", [20.0, 0.9])
@pytest.mark.parametrize("middle", [(0.0, 0.0), (40.0, -25.0)])
def test_land_along_the_beds_shows_one_of_them(waves, middle):
    """Beds that fall by 30° towards 240°, under waves: the ground that follows them is red
    everywhere, and white where it lies in the next bed, on cells that are not square and on a part
    of the land too.
    """
    beds = [{"thickness": waves / 2, "color": RED}, {"thickness": waves / 4, "color": WHITE}]
    given = {"dip": 30.0, "dip_direction": 240.0, "undulation": waves, "wavelength": 90.0}
    strata = dataclasses.replace(
        Strata.from_dict({"name": "two", **given, "layer": beds}), middle=middle
    )
    y, x = np.meshgrid(
        2.0 * (np.arange(50) - 24.5) + middle[0],
        1.5 * (np.arange(40) - 19.5) + middle[1],
        indexing="ij",
    )
    fall = np.tan(np.radians(30.0)) * (
        x * np.cos(np.radians(240.0)) + y * np.sin(np.radians(240.0))
    )
    for frequency, turn, height in ((1.0, 0.31, 1.0), (1.7, 1.83, 0.45), (2.9, 4.02, 0.2)):
        phase = 2.0 * np.pi * frequency / 90.0 * (x * np.cos(turn) + y * np.sin(turn)) + turn
        fall += waves * height * np.sin(phase)
    green = [strata.colors(share * waves - fall, (2.0, 1.5))[..., 1] for share in (0.2, 0.6)]
    assert np.abs(green[0]).max() < 1e-5 and np.abs(green[1] - 1.0).max() < 1e-5


def test_waves_move_the_layers_and_keep_the_colors_between_those_of_the_layers():
    waved = Strata.from_dict({**TWO, "undulation": 20.0, "wavelength": 50.0, "blend": 3.0})
    colors = waved.colors(np.full((60, 70), 3.0), (2.0, 1.0))
    assert (colors[..., 0] == 1).all() and colors[..., 1].min() == 0 and colors[..., 1].max() == 1


def test_bare_worn_rock_shows_its_layer_and_what_is_covered_or_untouched_keeps_its_color():
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


def test_what_is_laid_down_without_its_colors_has_the_mean_of_the_layers():
    """Two thirds red, one third white."""
    fields = {name: np.zeros((3, 3)) for name in ("elevation", "wear")}
    fields |= {"surface_color": np.zeros((3, 3, 3)), "sediment": np.full((3, 3), COVER)}
    fields["deposition"] = fields["sediment"]
    mixed = Strata.from_dict(TWO).brought_to_light(fields, (1.0, 1.0), carried=False)
    assert mixed[1, 1] == pytest.approx([0.5, 0.5 / 3, 0.5 / 3])


def test_a_run_starts_from_the_strata_and_cuts_into_them():
    recipe = dataclasses.replace(
        Recipe.load("arcane"), strata=Strata.from_dict({**TWO, "blend": 2.0})
    )
    terrain = Terrain(fractal(60, 60, relief=80.0), 5.0)
    after = erode(terrain, recipe, seed=1)
    color = after["surface_color"]
    still = (after["wear"] == 0) & (after["deposition"] == 0)
    assert (
        still.any()
        and np.abs(color - recipe.strata.colors(terrain.elevation, (5.0, 5.0)))[still].max() < 1e-6
    )
    deep = (after["wear"] > 20 * COVER) & (after["sediment"] < 0.01 * COVER)
    assert (
        deep.any()
        and np.abs(color - recipe.strata.colors(after.elevation, (5.0, 5.0)))[deep].mean() < 0.02
    )
    assert (color[..., 0] > 1 - 1e-6).all() and color[..., 1].min() >= 0 and color.max() <= 1 + 1e-6
    plain = erode(terrain, dataclasses.replace(recipe, strata=None), seed=1)
    assert plain.report["sha256"]["elevation"] == after.report["sha256"]["elevation"]


def test_colors_that_the_terrain_brings_lie_on_the_strata():
    recipe = dataclasses.replace(Recipe.load("arcane"), strata=Strata.from_dict(TWO))
    green = np.broadcast_to([0.0, 1.0, 0.0], (40, 40, 3))
    after = erode(
        Terrain(fractal(40, 40, relief=60.0), 5.0, {"surface_color": green}), recipe, seed=1
    )
    still = (after["wear"] == 0) & (after["deposition"] == 0)
    assert still.any() and (after["surface_color"][still] == [0, 1, 0]).all()
    assert after["surface_color"][..., 0].max() > 0.8


def test_a_recipe_takes_strata_by_name_or_as_a_table_and_writes_them_out():
    named = Recipe.parse('name = "r"\nstrata = "red canyon"\n[[step]]\nkind = "droplet"\n', "here")
    assert named.strata == Strata.load("red canyon")
    assert (
        Recipe.parse(named.to_toml(), "there") == named
        and Recipe.from_dict(named.to_dict()) == named
    )
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
        (
            {"layer": [{"thickness": 1.0}]},
            'layer 1: color must be a color like "#a08060", not None',
        ),
        ({"layer": [{"thickness": 1.0, "color": "red"}]}, "layer 1: color must be"),
        ({"layer": [{"thickness": 0.0, "color": RED}]}, "layer 1: thickness must be from 0.01"),
        ({"layer": [{"height": 1.0, "color": RED}]}, "layer 1: height is not a parameter"),
        ({"layer": "red"}, "must be written as"),
        ({"dip": 90.0}, "dip must be from 0 to 89"),
        ({"dips": 1.0}, "dips is not a parameter"),
        ({"name": ""}, "name must be text"),
    ],
)
def test_what_is_wrong_is_refused_by_name(change, message):
    with pytest.raises(InputError, match=message):
        Strata.from_dict({**TWO, **change})


@pytest.mark.parametrize(
    "strata", ['strata = "nowhere"', 'strata = "/etc/some.toml"', "strata = 3"]
)
def test_a_recipe_with_other_strata_is_refused(strata):
    with pytest.raises(InputError, match="strata"):
        Recipe.parse(f'name = "r"\n{strata}\n[[step]]\nkind = "droplet"\n', "here")


def test_a_file_that_is_none_is_refused(tmp_path):
    path = tmp_path / "some.toml"
    path.write_text("name =")
    with pytest.raises(InputError, match="not valid TOML"):
        Strata.load(path)


# Hard layers

HARD = {
    "name": "hard",
    "layer": [
        {"thickness": 10.0, "color": RED},
        {"thickness": 5.0, "color": WHITE, "hardness": 0.8},
    ],
}
BLOWN = {"kind": "wind", "particles_per_cell": 1.0, "supply": 0.5, "abrasion": 0.1}
WORN = {
    "droplets": {"kind": "droplet"},
    "rills": {"kind": "rill"},
    "water": {"kind": "water", "duration": 0.5, "rain": 200.0, "rock_erosion": 20.0},
    "wind": BLOWN,
    "boundary layer": {**BLOWN, "flight": "boundary layer"},
    "talus": {"kind": "talus", "rock_angle": 20.0},
    "weathering": {"kind": "weather"},
}


def hardness(table, *heights):
    strata = Strata.from_dict(table)
    return [
        round(float(strata.resistance(np.full((3, 3), height), (1.0, 1.0))[1, 1]), 6)
        for height in heights
    ]


def test_each_layer_has_its_own_hardness_and_a_blend_passes_from_one_to_the_next():
    assert hardness(HARD, 1, 9.9, 10.1, 14.9, 15.1, 26, -1, -6) == [0, 0, 0.8, 0.8, 0, 0.8, 0.8, 0]
    assert hardness({**HARD, "blend": 4.0}, 8, 9, 10, 11, 12) == pytest.approx(
        [0, 0.2, 0.4, 0.6, 0.8], abs=1e-6
    )


def test_hardness_is_written_only_where_there_is_any_and_refused_out_of_range():
    assert Strata.from_dict(HARD).to_dict()["layer"][1] == HARD["layer"][1]
    assert Strata.from_dict(Strata.from_dict(HARD).to_dict()) == Strata.from_dict(HARD)
    assert "hardness" not in str(Strata.from_dict(TWO).to_dict())
    bad = {**HARD, "layer": [{**HARD["layer"][0], "hardness": 1.5}]}
    with pytest.raises(InputError, match=r"layer 1: hardness must be from 0 to 1, not 1\.5\."):
        Strata.from_dict(bad)


def eroded(step, hard, **given):
    terrain = Terrain(fractal(36, 40, relief=90.0), 10.0)
    layer = {"thickness": 10.0, "color": RED, "hardness": hard}
    strata = {"name": "one", "layer": [layer]}
    recipe = Recipe.from_dict({"name": "hard", "seed": 2, "strata": strata, "step": [step]})
    return terrain, erode(terrain, recipe, threads=2, **given)


@pytest.mark.slow
@pytest.mark.parametrize("name", WORN)
def test_rock_of_one_hardness_is_worn_as_under_a_mask_of_it(name):
    """Where all layers are as hard, strata and mask are two ways to say the same."""
    mask = np.full((36, 40), 0.6, np.float32)
    terrain, by_strata = eroded(WORN[name], 0.6)
    _, by_mask = eroded(WORN[name], 0.0, masks={"hardness": mask})
    _, free = eroded(WORN[name], 0.0)
    assert np.abs(by_strata.elevation - by_mask.elevation).max() <= 1e-9 * 90
    worn, worn_freely = (
        (terrain.elevation - one.fields["bedrock"]).sum() for one in (by_strata, free)
    )
    assert 0.01 < worn < 0.9 * worn_freely


@pytest.mark.slow
@pytest.mark.parametrize("name", WORN)
def test_rock_that_never_wears_stands_and_hardness_of_mask_and_layer_add_up(name):
    terrain, after = eroded(WORN[name], 1.0)
    assert (
        after.fields["bedrock"].min() >= 0
        and (terrain.elevation - after.fields["bedrock"]).max() <= 1e-4
    )
    _, both = eroded(WORN[name], 0.5, masks={"hardness": np.full((36, 40), 0.5, np.float32)})
    _, three_quarters = eroded(WORN[name], 0.75)
    assert np.abs(both.elevation - three_quarters.elevation).max() <= 1e-9 * 90


@pytest.mark.slow
@pytest.mark.parametrize("name", WORN)
def test_digging_stops_at_the_hard_bed_that_it_lays_bare(name):
    """Soft rock above 40 m, a bed that never wears below: nothing is worn into the bed by more than
    a few drops dig before the next look.
    """
    layers = [
        {"thickness": 40.0, "color": RED, "hardness": 1.0},
        {"thickness": 1000.0, "color": WHITE},
    ]
    recipe = {
        "name": "bed",
        "seed": 2,
        "strata": {"name": "bed", "layer": layers},
        "step": [WORN[name]],
    }
    terrain = Terrain(fractal(36, 40, relief=90.0), 10.0)
    after, free = (
        erode(terrain, Recipe.from_dict({**recipe, "strata": strata}))
        for strata in (recipe["strata"], TWO)
    )
    bed = np.minimum(terrain.elevation, 40.0)
    deep, freely = (np.maximum(bed - one.fields["bedrock"], 0.0).sum() for one in (after, free))
    assert deep <= 0.1 * freely


@pytest.mark.slow
@pytest.mark.parametrize("name", WORN)
def test_a_run_through_hard_beds_goes_on_from_a_checkpoint_to_the_same_bytes(name):
    recipe = Recipe.from_dict({"name": "beds", "seed": 2, "strata": HARD, "step": [WORN[name]]})
    terrain = Terrain(fractal(36, 40, relief=90.0), 10.0)
    whole = erode(terrain, recipe, threads=1)
    for progress in resume(next(iter(simulate(terrain, recipe, threads=2))).checkpoint, threads=2):
        last = progress
    assert last.terrain.report["sha256"] == whole.report["sha256"]


def test_hardness_follows_dip_and_waves_as_color_does_on_any_number_of_threads():
    """White layers are the hard ones: where it is white by the color's law, it is hard by the
    kernel's.
    """
    beds = {
        **HARD,
        "dip": 3.0,
        "dip_direction": 240.0,
        "undulation": 6.0,
        "wavelength": 90.0,
        "blend": 2.0,
    }
    strata = dataclasses.replace(Strata.from_dict(beds), middle=(12.0, -7.0))
    plain = np.full((200, 160), 4.0)
    spacing = (2.0, 1.5)
    hard = strata.resistance(plain, spacing)
    assert hard.tobytes() == strata.resistance(plain, spacing, threads=3).tobytes()
    assert 0.1 < (hard > 0.4).mean() < 0.6
    green = strata.colors(plain, spacing)[..., 1]  # 0 in red, 1 in white
    thin = (
        np.maximum(*(np.abs(fall) for fall in np.gradient(strata._rise(plain.shape, spacing))))
        < 2.0
    )
    assert thin.any() and np.abs(hard - 0.8 * green)[thin].max() < 1e-5


@pytest.mark.slow
@pytest.mark.parametrize("limits", [{}, {"limits": {"max_erosion": 4.0}}])
def test_talus_on_beds_leaves_the_same_bytes_in_chunks_of_any_size(limits, monkeypatch):
    """Hardness is looked up at the same passes, whether they are run one by one or many at a
    time.
    """
    land = Terrain(fractal(48, 64, relief=160.0), 4.0)
    given = Recipe.from_dict(
        {"name": "t", "strata": HARD, "step": [{**WORN["talus"], "reach": 24.0, **limits}]}
    )
    at_once = erode(land, given, seed=2).report
    monkeypatch.setattr("erosion_addon.processes.shared.state.CHUNK_SECONDS", 1e-9)
    one_by_one = erode(land, given, seed=2).report
    assert at_once["steps"][0]["passes"] > 40 and one_by_one["sha256"] == at_once["sha256"]
