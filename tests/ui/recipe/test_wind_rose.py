# SPDX-License-Identifier: GPL-3.0-or-later
"""Several winds in the panel: a recipe's winds can be edited, and a run uses what the panel
shows.
"""

import bpy
import pytest

from erosion_addon import Recipe, Step
from erosion_addon.processes.registry import PROCESSES
from erosion_addon.ui.recipe import steps


@pytest.fixture
def windy(terrain_object):
    """Settings with a step of wind, which is active, and one of talus."""
    settings = terrain_object.erosion
    settings.steps.clear()
    steps.add(settings, Step("wind", PROCESSES["wind"].parameters(direction=30.0)))
    steps.add(settings, Step("talus", PROCESSES["talus"].parameters()))
    settings.active_step = 0
    return settings


def rose(settings):
    return [list(row) for row in steps.step_of(settings.steps[0], []).parameters.wind_rose]


def test_the_winds_of_a_recipe_can_be_changed(terrain_object):
    settings = terrain_object.erosion
    steps.fill(settings, Recipe.load("dune sea"))
    assert [(wind.direction, wind.weight) for wind in settings.steps[0].winds] == [
        (-20.0, 1.0),
        (20.0, 1.0),
    ]
    assert steps.recipe_of(settings, []).steps == Recipe.load("dune sea").steps
    settings.steps[0].winds[1].direction = 80.1
    settings.steps[0].winds[1].weight = 0.3
    # what was typed, not the float32 that Blender keeps
    assert rose(settings) == [[-20.0, 1.0], [80.1, 0.3]]


def test_a_second_wind_blows_a_quarter_turn_from_the_first_and_takes_turns_with_it(windy):
    assert rose(windy) == []
    assert bpy.ops.erosion.wind_add() == {"FINISHED"}
    assert rose(windy) == [[30.0, 1.0], [120.0, 1.0]]
    bpy.ops.erosion.wind_add()
    assert rose(windy)[2] == [-150.0, 1.0]


def test_winds_are_removed_one_by_one_until_the_direction_counts_again(windy):
    bpy.ops.erosion.wind_add()
    bpy.ops.erosion.wind_remove(index=0)
    assert rose(windy) == [[120.0, 1.0]]
    bpy.ops.erosion.wind_remove(index=0)
    assert rose(windy) == []
    parameters = steps.step_of(windy.steps[0], []).parameters
    assert parameters.direction == 30.0


def test_the_last_wind_of_a_recipe_stays_away_once_it_is_removed(terrain_object):
    settings = terrain_object.erosion
    steps.fill(settings, Recipe.load("dune sea"))
    for _ in range(2):
        bpy.ops.erosion.wind_remove(index=0)
    assert rose(settings) == []


def test_a_duplicated_step_has_its_own_winds(windy):
    bpy.ops.erosion.wind_add()
    bpy.ops.erosion.step_duplicate()
    windy.steps[1].winds[0].direction = -10.0
    assert [wind.direction for wind in windy.steps[0].winds] == [30.0, 120.0]
    assert [wind.direction for wind in windy.steps[1].winds] == [-10.0, 120.0]


def test_winds_that_were_removed_stay_away_from_a_duplicate(terrain_object):
    settings = terrain_object.erosion
    steps.fill(settings, Recipe.load("dune sea"))
    for _ in range(2):
        bpy.ops.erosion.wind_remove(index=0)
    bpy.ops.erosion.step_duplicate()
    assert [steps.winds_of(item) for item in settings.steps] == [[], []]


def test_dunes_have_winds_too(terrain_object):
    settings = terrain_object.erosion
    settings.steps.clear()
    steps.add(settings, Step("dunes", PROCESSES["dunes"].parameters(direction=30.0)))
    settings.active_step = 0
    assert bpy.ops.erosion.wind_add() == {"FINISHED"}
    assert rose(settings) == [[30.0, 1.0], [120.0, 1.0]]


def test_only_a_step_of_wind_has_winds(windy):
    windy.active_step = 1
    assert not bpy.ops.erosion.wind_add.poll() and not bpy.ops.erosion.wind_remove.poll()


def test_a_file_of_an_earlier_release_keeps_the_winds_of_its_recipe(terrain_object):
    settings = terrain_object.erosion
    steps.fill(settings, Recipe.load("dune sea"))
    settings.steps[0].property_unset("winds")
    assert rose(settings) == [[-20.0, 1.0], [20.0, 1.0]]
