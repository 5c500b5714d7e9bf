# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges of a run: recipes that wrap do not tear land that does not tile."""

import numpy as np
import pytest

from erosion_addon import Recipe, Terrain, erode
from erosion_addon.generators.registry import SOURCES, make
from erosion_addon.recipe.edges import TEAR, edges_of_run, is_seamless
from tests.terrains import fractal

WRAPPING = ("barchan field", "dune sea", "linear dunes", "oasis", "star dunes", "yardangs")


def cut_from_larger_land(rows, cols, steepness):
    return fractal(2 * rows, 2 * cols, relief=900.0, steepness=steepness)[:rows, :cols]


@pytest.mark.parametrize("shape", [(16, 24), (64, 48), (256, 256)])
@pytest.mark.parametrize("steepness", [1.6, 2.0, 3.0])
def test_land_made_to_tile_does_and_land_cut_from_larger_land_does_not(shape, steepness):
    assert is_seamless(fractal(*shape, relief=900.0, steepness=steepness))
    assert is_seamless(np.roll(fractal(*shape, relief=900.0, steepness=steepness), (5, 7), (0, 1)))
    assert not is_seamless(cut_from_larger_land(*shape, steepness))


@pytest.mark.parametrize(
    "kind", [kind for kind in SOURCES if hasattr(SOURCES[kind].parameters, "tileable")]
)
def test_start_terrains_tile_where_they_are_made_to(kind):
    assert is_seamless(make(kind, 64, 48, 20.0, 3, {"tileable": True}).elevation)
    assert not is_seamless(make(kind, 256, 192, 20.0, 3, {"tileable": False}).elevation)


def test_flat_land_a_block_and_a_wall_on_the_border_tile():
    block = np.zeros((32, 32))
    block[8:20, :16] = 50.0  # one of its walls stands on the border
    ends_alike = np.broadcast_to(100 * np.cos(np.linspace(0, 2 * np.pi, 40)), (40, 40))
    for land in (np.zeros((3, 3)), np.full((9, 8), 812.0), block, ends_alike):
        assert is_seamless(land)


def test_a_slope_that_meets_itself_along_one_axis_only_does_not_tile():
    waves = np.sin(2 * np.pi * np.arange(48) / 48)
    for land in (waves[:, None] + np.arange(64), (waves[:, None] + np.arange(64)).T):
        assert not is_seamless(land)


def test_a_step_of_two_neighbors_tiles_and_more_does_not():
    """A ramp of 10 columns, 1 m each, whose last is as high above the first as TEAR says, or a
    little higher.
    """
    ramp = np.tile([0.0, 1.0, 2.0, 3.0, 2.0, 1.0, 0.0, 1.0, 1.5, TEAR], (8, 1))
    assert is_seamless(ramp)
    ramp[:, -1] += 0.01
    assert not is_seamless(ramp)


@pytest.mark.parametrize("name", WRAPPING)
def test_recipes_that_wrap_do_so_where_the_land_tiles_or_the_user_says_so(name):
    recipe = Recipe.load(name)
    tiling = fractal(64, 64, relief=300.0)
    cut = cut_from_larger_land(64, 64, 2.0)
    assert edges_of_run(recipe, tiling, None) == ("wrap", [])
    assert edges_of_run(recipe, cut, "closed") == ("closed", [])
    edges, (sentence,) = edges_of_run(recipe, cut, None)
    assert edges == "open" and sentence.startswith(f"{name} wraps at the edges")
    edges, (sentence,) = edges_of_run(recipe, cut, "wrap")
    assert edges == "wrap" and "do not meet" in sentence


def test_land_that_does_not_tile_keeps_its_border_and_the_report_says_so():
    """Where it is torn, material from one side arrives at the other, up to hundreds of meters
    lower.
    """
    land = Terrain(cut_from_larger_land(64, 64, 2.1), 15.0)
    recipe = Recipe.load("yardangs").with_values({"dunes.years": 10.0})
    after = erode(land, recipe)
    assert after.report["edges"] == "open"
    assert any("wraps at the edges" in sentence for sentence in after.report["notes"])
    np.testing.assert_array_equal(after.elevation, erode(land, recipe, edges="open").elevation)


def test_a_region_of_such_land_runs_with_open_edges_too():
    land = Terrain(cut_from_larger_land(48, 48, 2.1), 15.0)
    from erosion_addon.run.region.rerun import erode_region

    after = erode_region(
        land, Recipe.load("yardangs").with_values({"dunes.years": 3.0}), (0, 0, 800, 800)
    )
    assert after.report["edges"] == "open"
    assert sum("wraps at the edges" in sentence for sentence in after.report["notes"]) == 1
