# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators for the look, called by scripts."""

import re
from pathlib import Path

import bpy
import numpy as np
import pytest

from erosion_addon import Recipe
from erosion_addon.scene.companions import companions
from erosion_addon.scene.materials import aovs
from erosion_addon.scene.plants import plant_nodes
from erosion_addon.scene.run import job
from erosion_addon.scene.terrain import attributes, grid
from erosion_addon.scene.terrain.active import terrain_of
from erosion_addon.scene.terrain.mesh import write_heights
from tests.ui.conftest import activate


def materials_of(obj):
    return [material.name for material in obj.data.materials]


def test_the_material_is_added_once_in_the_colors_of_the_recipe(terrain_object):
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
    with pytest.raises(RuntimeError, match="There is no palette 'neon'; choose one of alpine"):
        bpy.ops.erosion.material_add(palette="neon")
    bpy.ops.erosion.material_add()
    assert materials_of(terrain_object) == ["Terrain Erosion Temperate"]


def test_the_look_is_finished_in_one_click_and_again(terrain_object):
    terrain_object.erosion.recipe_name = "alpine"
    for _ in range(2):
        assert bpy.ops.erosion.look_add() == {"FINISHED"}
    assert materials_of(terrain_object) == ["Terrain Erosion Alpine"]
    assert not bpy.context.view_layer.aovs


def test_the_look_smooths_a_grid_of_flat_faces_only(terrain_object):
    faces = terrain_object.data.polygons
    terrain_object.data.shade_flat()
    bpy.ops.erosion.look_add(smooth=False, light=False)
    assert not any(face.use_smooth for face in faces)
    faces[3].use_smooth = True
    bpy.ops.erosion.look_add(light=False)
    assert [face.index for face in faces if face.use_smooth] == [3]  # the artist's own choice
    terrain_object.data.shade_flat()
    bpy.ops.erosion.look_add(light=False)
    assert all(face.use_smooth for face in faces)


def test_the_look_leaves_the_users_material(terrain_object):
    terrain_object.data.materials.append(bpy.data.materials.new("Mine"))
    bpy.ops.erosion.look_add()
    assert materials_of(terrain_object) == ["Mine"]


def heights_of(plants):
    return [value.vector.z for value in plants.data.attributes[plant_nodes.SIZE].data]


def test_plants_come_with_the_look_as_tall_as_the_land_is_wide_and_keep_their_settings(
    terrain_object,
):
    bpy.ops.erosion.look_add(light=False, plants=False)
    assert not companions.find(terrain_object, "plants")
    bpy.ops.erosion.look_add(light=False)
    (plants,) = companions.find(terrain_object, "plants")
    width = max(terrain_object.dimensions[:2])
    assert 0 < max(heights_of(plants)) <= 19.0 * min(1.0, 1.1 * width / 1000.0)
    bpy.ops.erosion.plants_add(limit=7)
    bpy.ops.erosion.look_add(light=False)
    assert (
        companions.find(terrain_object, "plants") == [plants] and 0 < len(plants.data.vertices) <= 7
    )


def test_no_plants_grow_on_a_material_of_the_users_nor_where_nothing_can(terrain_object):
    terrain_object.data.materials.append(bpy.data.materials.new("Mine"))
    assert bpy.ops.erosion.look_add(light=False) == {"FINISHED"}
    assert not companions.find(terrain_object, "plants")
    terrain_object.data.materials.clear()
    steep = grid.read_terrain(terrain_object)[0].elevation * 0 + 60.0 * np.arange(64)
    write_heights(
        terrain_object.data, grid.find_lattice(terrain_object).to_vertices(steep).astype(np.float32)
    )
    assert bpy.ops.erosion.look_add(light=False) == {"FINISHED"}
    assert not companions.find(terrain_object, "plants")


def test_passes_come_with_the_look_and_go_in_one_click(terrain_object):
    bpy.ops.erosion.look_add(passes=True)
    assert [aov.name for aov in bpy.context.view_layer.aovs] == [aov.name for aov in aovs.AOVS]
    bpy.ops.erosion.aovs_add(remove=True)
    assert not bpy.context.view_layer.aovs
    bpy.ops.erosion.aovs_add()
    assert len(bpy.context.view_layer.aovs) == 7


def wet(obj, depth=2.0):
    """Give the terrain fields as a run with water leaves them."""
    rows = 48
    cols = 64
    water = np.zeros((rows, cols), np.float32)
    water[:10] = depth
    fields = {"water_depth": water, "moisture": np.full((rows, cols), 0.5, np.float32)}
    attributes.write_fields(obj.data, grid.find_lattice(obj), fields)


def named_data():
    collections = (
        bpy.data.objects,
        bpy.data.meshes,
        bpy.data.materials,
        bpy.data.node_groups,
        bpy.data.images,
    )
    return [sorted(item.name for item in collection) for collection in collections]


def pixels_of(name):
    image = bpy.data.images[name]
    values = np.empty(len(image.pixels), np.float32)
    image.pixels.foreach_get(values)
    return values


def test_the_look_of_a_terrain_that_was_never_eroded_leaves_out_what_does_not_fit(terrain_object):
    assert bpy.ops.erosion.look_add(foliage=True) == {"FINISHED"}
    made = {companion[companions.KIND] for companion in companions.find(terrain_object)}
    assert made == {"surroundings", "plants"}
    assert materials_of(terrain_object) and "sky_light" in terrain_object.data.attributes


def test_a_part_that_cannot_be_made_keeps_nothing_from_the_others(terrain_object):
    wet(terrain_object)
    # the user's, so there can be no light
    terrain_object.data.attributes.new("sky_light", "INT", "FACE")
    assert bpy.ops.erosion.look_add(foliage=True) == {"FINISHED"}
    made = {companion[companions.KIND] for companion in companions.find(terrain_object)}
    assert made == {"water", "foliage", "surroundings", "plants"}
    assert terrain_object.data.attributes["sky_light"].data_type == "INT"


def test_what_is_no_grid_gets_no_look(terrain_object):
    write_heights(terrain_object.data, np.zeros(48 * 64, np.float32))
    terrain_object.data.vertices[100].co.x += 3.0
    with pytest.raises(RuntimeError, match="Terrain"):
        bpy.ops.erosion.look_add()
    assert not materials_of(terrain_object)


def test_the_look_is_grayed_out_while_a_run_is_under_way(terrain_object):
    job.start(terrain_object, Recipe.load("arcane"), {})
    assert not bpy.ops.erosion.look_add.poll()


def test_runs_keep_the_look_and_duplicate_nothing(terrain_object):
    bpy.ops.erosion.run("EXEC_DEFAULT")
    bpy.ops.erosion.look_add(foliage=True)
    bpy.ops.erosion.images_send()
    bpy.ops.erosion.lod_add()
    before = named_data()
    terrain_object.erosion.seed = 9
    bpy.ops.erosion.run("EXEC_DEFAULT")
    bpy.ops.erosion.look_add(foliage=True)
    bpy.ops.erosion.images_send()
    bpy.ops.erosion.lod_add()
    assert named_data() == before


def test_restore_leaves_nothing_of_ours_on_the_mesh(terrain_object):
    given = set(terrain_object.data.attributes.keys())
    bpy.ops.erosion.run("EXEC_DEFAULT")
    bpy.ops.erosion.look_add(foliage=True)
    bpy.ops.erosion.restore()
    assert set(terrain_object.data.attributes.keys()) - given <= {"material_index"}
    assert not [key for key in terrain_object.data.keys() if key.startswith("erosion")]  # noqa: SIM118 - a mesh is no dict


def test_with_the_water_active_the_terrain_is_meant(terrain_object):
    wet(terrain_object)
    bpy.ops.erosion.water_add()
    activate(companions.find(terrain_object, "water")[0])
    bpy.ops.erosion.recipe_load(name="arcane")
    assert terrain_object.erosion.recipe_name == "arcane"
    assert bpy.ops.erosion.run("EXEC_DEFAULT") == {"FINISHED"}
    assert "wear" in terrain_object.data.attributes
    assert bpy.ops.erosion.restore() == {"FINISHED"}
    assert "wear" not in terrain_object.data.attributes


def test_a_companion_whose_terrain_is_deleted_stands_for_itself(terrain_object):
    wet(terrain_object)
    bpy.ops.erosion.look_add(foliage=True)  # foliage keeps the terrain in the file
    surface = companions.find(terrain_object, "water")[0]
    bpy.ops.object.delete()
    activate(surface)
    assert terrain_of(surface) == surface
    assert not bpy.ops.erosion.companion_remove.poll()


def test_light_is_removed_in_one_click(terrain_object):
    assert not bpy.ops.erosion.light_remove.poll()
    bpy.ops.erosion.look_add()
    bpy.ops.erosion.light_remove()
    assert "sky_light" not in terrain_object.data.attributes
    bpy.ops.erosion.run("EXEC_DEFAULT")
    assert "sky_light" not in terrain_object.data.attributes


def test_images_outlive_saving_and_follow_undo(terrain_object, tmp_path):
    bpy.ops.erosion.run("EXEC_DEFAULT")
    bpy.ops.erosion.images_send(fields="wear")
    path = str(tmp_path / "terrain.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    activate(bpy.data.objects["Terrain"])
    first = pixels_of("Terrain wear")
    bpy.data.objects["Terrain"].erosion.seed = 9
    with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):
        bpy.ops.ed.undo_push(message="before")
        bpy.ops.erosion.run("EXEC_DEFAULT", True)
        assert not np.array_equal(pixels_of("Terrain wear"), first)
        bpy.ops.ed.undo()
    np.testing.assert_array_equal(pixels_of("Terrain wear"), first)


def test_a_name_that_the_colors_need_is_said_before_the_run(terrain_object):
    terrain_object.data.color_attributes.new("surface_color", "BYTE_COLOR", "CORNER")
    terrain_object.erosion.surface_color.source = "STRATA"
    with pytest.raises(RuntimeError, match="surface_color of another kind"):
        bpy.ops.erosion.run("EXEC_DEFAULT")


def test_all_icons_are_blenders():
    """One that it does not know keeps a panel from being drawn."""
    known = bpy.types.UILayout.bl_rna.functions["prop"].parameters["icon"].enum_items.keys()
    for path in Path(job.__file__).parents[2].joinpath("ui").rglob("*.py"):
        named = re.findall(
            r'icon="(\w+)"|"erosion\.\w+_add", "([A-Z_]+)"', path.read_text(encoding="utf-8")
        )
        assert {one or other for one, other in named} <= set(known), path.name
