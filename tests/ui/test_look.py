# SPDX-License-Identifier: GPL-3.0-or-later
"""The operators for the look, as scripts call them."""

import bpy
import pytest

from erosion_addon.scene import aovs


def materials_of(obj):
    return [material.name for material in obj.data.materials]


def test_the_material_is_added_once_in_the_colours_of_the_recipe(terrain_object):
    terrain_object.erosion.recipe_name = "dune sea"
    bpy.ops.erosion.material_add()
    bpy.ops.erosion.material_add()
    assert materials_of(terrain_object) == ["Terrain Erosion Dunes"]


def test_a_palette_that_was_chosen_outlives_another_recipe(terrain_object):
    bpy.ops.erosion.material_add(palette="canyon")
    terrain_object.erosion.recipe_name = "alpine"
    bpy.ops.erosion.material_add()
    assert materials_of(terrain_object) == ["Terrain Erosion Canyon"]
    bpy.ops.erosion.material_add(palette="alpine")
    assert materials_of(terrain_object) == ["Terrain Erosion Alpine"]


def test_another_recipe_brings_its_own_palette(terrain_object):
    for recipe, name in (("alpine", "Alpine"), ("dune sea", "Dunes"), ("alpine", "Alpine")):
        terrain_object.erosion.recipe_name = recipe
        bpy.ops.erosion.material_add()
        assert materials_of(terrain_object) == [f"Terrain Erosion {name}"]


def test_an_unknown_palette_is_said_and_not_kept(terrain_object):
    with pytest.raises(RuntimeError, match="There is no palette 'neon'; there are alpine"):
        bpy.ops.erosion.material_add(palette="neon")
    bpy.ops.erosion.material_add()
    assert materials_of(terrain_object) == ["Terrain Erosion Temperate"]


def test_the_look_is_finished_in_one_click_and_again(terrain_object):
    terrain_object.erosion.recipe_name = "alpine"
    for _ in range(2):
        assert bpy.ops.erosion.look_add() == {"FINISHED"}
    assert materials_of(terrain_object) == ["Terrain Erosion Alpine"]
    assert not bpy.context.view_layer.aovs


def test_the_look_leaves_the_users_material(terrain_object):
    terrain_object.data.materials.append(bpy.data.materials.new("Mine"))
    bpy.ops.erosion.look_add()
    assert materials_of(terrain_object) == ["Mine"]


def test_passes_come_with_the_look_and_go_in_one_click(terrain_object):
    bpy.ops.erosion.look_add(passes=True)
    assert [aov.name for aov in bpy.context.view_layer.aovs] == [aov.name for aov in aovs.AOVS]
    bpy.ops.erosion.aovs_add(remove=True)
    assert not bpy.context.view_layer.aovs
    bpy.ops.erosion.aovs_add()
    assert len(bpy.context.view_layer.aovs) == 7
