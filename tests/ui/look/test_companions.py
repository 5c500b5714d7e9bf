# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators for water surface and foliage, called by scripts and buttons."""

import bpy
import numpy as np
import pytest

from erosion_addon.scene.companions import companions
from erosion_addon.scene.terrain import attributes, grid
from tests.ui.conftest import activate


@pytest.fixture
def wet_terrain(terrain_object):
    """The terrain with a lake in its first rows, and moist all over."""
    depth = np.zeros((48, 64), np.float32)
    depth[:10] = 2.0
    fields = {"water_depth": depth, "moisture": np.full((48, 64), 0.5, np.float32)}
    attributes.write_fields(terrain_object.data, grid.find_lattice(terrain_object), fields)
    return terrain_object


def test_water_and_foliage_are_added_once_and_removed(wet_terrain):
    for _ in range(2):
        bpy.ops.erosion.water_add()
        bpy.ops.erosion.foliage_add(shells=4)
    assert len(companions.find(wet_terrain)) == 2
    bpy.ops.erosion.companion_remove(kind="water")
    bpy.ops.erosion.companion_remove(kind="foliage")
    assert bpy.data.objects[:] == [wet_terrain] and not bpy.ops.erosion.companion_remove.poll()


def test_they_work_on_the_companion_as_well(wet_terrain):
    bpy.ops.erosion.water_add(threshold=1.0)
    surface = companions.find(wet_terrain, "water")[0]
    activate(surface)
    bpy.ops.erosion.foliage_add()
    bpy.ops.erosion.water_add(threshold=3.0)
    assert not len(surface.data.vertices) and len(companions.find(wet_terrain)) == 2
    bpy.ops.erosion.companion_remove(kind="water")
    assert bpy.context.view_layer.objects.active == wet_terrain


def test_without_water_the_reason_is_said(terrain_object):
    with pytest.raises(RuntimeError, match="recipe that has a water step"):
        bpy.ops.erosion.water_add()
    with pytest.raises(RuntimeError, match="no moisture"):
        bpy.ops.erosion.foliage_add()
    assert bpy.data.objects[:] == [terrain_object]


def test_nothing_of_a_kind_to_remove_is_said(wet_terrain):
    bpy.ops.erosion.water_add()
    assert bpy.ops.erosion.companion_remove(kind="foliage") == {"CANCELLED"}


def test_without_a_terrain_they_are_grayed_out():
    assert not bpy.ops.erosion.water_add.poll() and not bpy.ops.erosion.foliage_add.poll()


def test_cycles_lets_light_through_all_shells(wet_terrain):
    bpy.ops.erosion.foliage_add(shells=20)
    assert bpy.context.scene.cycles.transparent_max_bounces >= 40


def test_undo_takes_the_water_away_again(wet_terrain):
    with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):
        bpy.ops.ed.undo_push(message="before")
        bpy.ops.erosion.water_add("EXEC_DEFAULT", True)
        assert len(bpy.data.objects) == 2
        bpy.ops.ed.undo()
    assert len(bpy.data.objects) == 1


def test_it_is_said_which_view_shows_the_plants_until_all_do(wet_terrain, capfd):
    """Material Preview obeys the display type: in a window, plants that are bounds are not seen
    there.
    """
    for display_type, is_said in (("BOUNDS", True), ("TEXTURED", False)):
        for plants in companions.find(wet_terrain, "foliage"):
            plants.display_type = display_type
        bpy.ops.erosion.foliage_add()
        assert (
            "visible in Rendered view; for Material Preview" in capfd.readouterr().out
        ) == is_said
