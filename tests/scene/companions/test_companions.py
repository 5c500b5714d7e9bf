# SPDX-License-Identifier: GPL-3.0-or-later
"""Derived objects stay with their terrain through copies, deletion, undo and files."""

import bpy
import numpy as np
import pytest

from erosion_addon.scene.companions import companions, material_inputs
from erosion_addon.scene.derived import update_derived
from erosion_addon.scene.masks.settings import DEFAULTS
from erosion_addon.scene.materials.node_trees import nodes
from erosion_addon.scene.plants import foliage
from erosion_addon.scene.terrain import attributes, grid
from erosion_addon.scene.terrain.active import terrain_of
from erosion_addon.scene.terrain.mesh import make_grid_object, positions, write_heights
from erosion_addon.scene.water import water_surface


@pytest.fixture
def make_valley(empty_scene):
    """Makes a terrain with water in its middle rows and moist banks, and both companions."""

    def make(name="Valley"):
        obj = make_grid_object(name, np.zeros((8, 9)), (2.0, 2.0), empty_scene.collection)
        bpy.context.view_layer.update()
        depth = np.zeros((8, 9), np.float32)
        depth[3:5] = 1.0
        fields = {"water_depth": depth, "moisture": np.full((8, 9), 0.5, np.float32)}
        attributes.write_fields(obj.data, grid.find_lattice(obj), fields)
        water_surface.add(obj)
        foliage.add(obj)
        return obj

    return make


def kinds(terrain):
    return sorted(companion[companions.KIND] for companion in companions.find(terrain))


def world_of(obj):
    """World positions of the vertices of an object, which is shown."""
    bpy.context.view_layer.update()
    matrix = np.array(obj.matrix_world)
    return np.round(positions(obj.data) @ matrix[:3, :3].T + matrix[:3, 3], 3)


def select(*objects):
    for obj in bpy.context.scene.objects:
        obj.select_set(obj in objects)
    bpy.context.view_layer.objects.active = objects[0]


def test_they_lie_where_the_terrain_lies_and_move_with_it(make_valley):
    valley = make_valley()
    valley.location = (5, 6, 7)
    valley.rotation_euler = (0, 0, 1)
    valley.scale = (2, 2, 2)
    bpy.context.view_layer.update()
    for companion in companions.find(valley):
        assert companion.matrix_world == valley.matrix_world
        assert companion.users_collection == valley.users_collection


def test_they_take_the_name_of_a_renamed_or_copied_terrain_unless_the_user_named_them(make_valley):
    valley = make_valley()
    (water,), (plants,) = (companions.find(valley, kind) for kind in ("water", "foliage"))
    select(valley, water)
    bpy.ops.object.duplicate()
    copy = bpy.context.view_layer.objects.active
    valley.name = "Glen"
    plants.name = "Grass"
    for terrain in (valley, copy):
        assert update_derived.update(terrain, DEFAULTS) == []
    assert (water.name, water.data.name, plants.name) == ("Glen Water", "Glen Water", "Grass")
    assert [companion.name for companion in companions.find(copy)] == ["Valley.001 Water"]


def test_each_knows_its_terrain(make_valley):
    valley = make_valley()
    assert {terrain_of(companion) for companion in companions.find(valley)} == {valley}
    assert terrain_of(valley) == valley and terrain_of(None) is None


def test_a_child_that_is_no_companion_is_none(make_valley, make_points):
    valley = make_valley()
    tree = make_points([(0, 0, 0)])
    tree.parent = valley
    assert kinds(valley) == ["foliage", "water"] and terrain_of(tree) == tree


def test_they_are_found_after_saving_renaming_and_opening(make_valley, tmp_path):
    make_valley().name = "Tal"
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "valley.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "valley.blend"))
    valley = bpy.data.objects["Tal"]
    assert kinds(valley) == ["foliage", "water"]
    update_derived.update_companions(valley, DEFAULTS)
    assert len(bpy.data.objects) == 3 and len(companions.find(valley, "water")[0].data.vertices)


def test_duplicated_together_they_are_a_second_set(make_valley):
    valley = make_valley()
    select(valley, *companions.find(valley))
    bpy.ops.object.duplicate()
    twin = bpy.data.objects["Valley.001"]
    assert kinds(valley) == kinds(twin) == ["foliage", "water"]
    write_heights(twin.data, np.full(72, 50.0, np.float32))
    bpy.context.view_layer.update()
    shells = companions.find(twin, "foliage")[0].evaluated_get(
        bpy.context.evaluated_depsgraph_get()
    )
    # they read the twin and not the original
    assert min(vertex.co.z for vertex in shells.data.vertices) >= 50.0
    update_derived.remove_companions(valley, "water")
    assert kinds(twin) == ["foliage", "water"] and len(
        companions.find(twin, "water")[0].data.vertices
    )


def test_a_terrain_duplicated_alone_has_none(make_valley):
    valley = make_valley()
    select(valley)
    bpy.ops.object.duplicate()
    assert kinds(bpy.data.objects["Valley.001"]) == []


def test_the_terrain_can_be_deleted(make_valley):
    valley = make_valley()
    update_derived.remove_companions(valley, "foliage")
    surface = companions.find(valley)[0]
    select(valley)
    bpy.ops.object.delete()
    assert bpy.data.objects[:] == [surface] and terrain_of(surface) == surface


def test_a_companion_that_the_user_deletes_is_gone(make_valley):
    valley = make_valley()
    select(*companions.find(valley, "water"))
    bpy.ops.object.delete()
    update_derived.update_companions(valley, DEFAULTS)
    assert kinds(valley) == ["foliage"] and material_inputs.WATER_SURFACE not in valley


def test_undo_and_redo_keep_them_together(make_valley):
    valley = make_valley()
    with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):
        bpy.ops.ed.undo_push(message="before")
        update_derived.remove_companions(valley, "water")
        bpy.ops.ed.undo_push(message="after")
        bpy.ops.ed.undo()
        assert kinds(bpy.data.objects["Valley"]) == ["foliage", "water"]
        update_derived.update_companions(bpy.data.objects["Valley"], DEFAULTS)
        bpy.ops.ed.redo()
    assert kinds(bpy.data.objects["Valley"]) == ["foliage"]


def test_removing_leaves_nothing_of_ours_and_all_of_the_users(make_valley):
    valley = make_valley()
    users = bpy.data.materials.new("Mine")
    companions.find(valley, "water")[0].data.materials.append(users)
    assert [update_derived.remove_companions(valley, kind) for kind in ("water", "foliage")] == [
        1,
        1,
    ]
    assert bpy.data.objects[:] == [valley] and bpy.data.meshes[:] == [valley.data]
    assert bpy.data.materials[:] == [users] and not [
        group for group in bpy.data.node_groups if nodes.KIND in group
    ]
    assert update_derived.remove_companions(valley, "water") == 0


def test_material_shared_with_another_terrain_stays(make_valley):
    valley = make_valley()
    other = make_valley("Other")
    update_derived.remove_companions(valley, "water")
    assert companions.find(other, "water")[0].active_material is not None


def test_one_in_edit_mode_is_left_alone(make_valley):
    valley = make_valley()
    surface = companions.find(valley, "water")[0]
    count = len(surface.data.vertices)
    select(surface)
    bpy.ops.object.mode_set(mode="EDIT")
    attributes.remove_fields(valley.data)
    assert update_derived.update_companions(valley, DEFAULTS) == [
        "Valley Water is in Edit Mode and still shows the previous terrain; leave Edit Mode, and "
        "add it again."
    ]
    bpy.ops.object.mode_set(mode="OBJECT")
    assert len(surface.data.vertices) == count
    assert update_derived.update_companions(valley, DEFAULTS) == [] and not surface.data.vertices


@pytest.mark.parametrize("what", ["scale", "rotation", "location", "origin"])
@pytest.mark.parametrize("hidden", [False, True])
def test_they_lie_on_the_terrain_after_its_axes_have_changed_and_it_was_eroded_again(
    make_valley, what, hidden
):
    valley = make_valley()
    valley.location = (50, 6, 7)
    valley.rotation_euler = (0, 0, 1.5708)
    valley.scale = (2, 3, 4)
    for companion in companions.find(valley):
        companion.hide_set(hidden)
    bpy.context.view_layer.update()
    surface = companions.find(valley, "water")[0]
    before = world_of(surface)
    select(valley)
    if what == "origin":
        bpy.ops.object.origin_set(type="ORIGIN_CURSOR")
    else:
        bpy.ops.object.transform_apply(
            **{name: name == what for name in ("location", "rotation", "scale")}
        )
    grid.forget()
    update_derived.update_companions(valley, DEFAULTS)
    surface.hide_set(False)
    np.testing.assert_allclose(
        np.sort(world_of(surface), axis=0)[:, :2], np.sort(before, axis=0)[:, :2], atol=2e-3
    )
    for companion in companions.find(valley):
        companion.hide_set(False)
        bpy.context.view_layer.update()
        np.testing.assert_allclose(companion.matrix_world, valley.matrix_world, rtol=0, atol=1e-5)


def test_one_that_the_user_has_put_aside_stays_there(make_valley):
    valley = make_valley()
    surface = companions.find(valley, "water")[0]
    surface.location.x = 40.0
    update_derived.update_companions(valley, DEFAULTS)
    valley.location.y = 9.0
    update_derived.update_companions(valley, DEFAULTS)
    assert tuple(surface.location) == (40.0, 0.0, 0.0)


@pytest.mark.parametrize("garbage", [7, "x", [1.0] * 31, ["a"] * 32, {"a": 1}, [0.0] * 32])
def test_something_else_in_place_of_their_axes_counts_for_nothing(make_valley, garbage):
    valley = make_valley()
    surface = companions.find(valley, "water")[0]
    surface[companions.AXES] = garbage
    update_derived.update_companions(valley, DEFAULTS)
    assert len(surface[companions.AXES]) == 32


@pytest.mark.parametrize("data", [None, "Line"])
def test_a_companion_that_was_converted_is_the_users(make_valley, data):
    valley = make_valley()
    mine = bpy.data.objects.new(
        "Mine", None if data is None else bpy.data.curves.new(data, "CURVE")
    )
    bpy.context.scene.collection.objects.link(mine)
    mine.parent = valley
    mine[companions.KIND] = "rivers"
    assert (
        kinds(valley) == ["foliage", "water"]
        and update_derived.update_companions(valley, DEFAULTS) == []
    )
    assert update_derived.remove_companions(valley, "rivers") == 0 and mine.name in bpy.data.objects


def test_ripples_lie_across_the_wind_that_the_dunes_steep_faces_tell(empty_scene):
    """Dunes rise gently for nine cells and fall steeply for one, toward x; turned by 90° they do so
    toward y.
    """
    saw = np.arange(60) % 10 * 1.0
    obj = make_grid_object("Dunes", np.tile(saw, (20, 1)), (10.0, 10.0), empty_scene.collection)
    material_inputs.update(obj)
    assert material_inputs.WATERS not in obj  # rock tells of no wind
    sand = np.ones((20, 60), np.float32)
    attributes.write_fields(obj.data, grid.find_lattice(obj), {"sediment": sand})
    material_inputs.update(obj)
    assert list(obj[material_inputs.WATERS]) == pytest.approx([0.0, 1.0, 0.0], abs=1e-3)
    obj.rotation_euler.z = np.pi / 2
    bpy.context.view_layer.update()
    material_inputs.update(obj)
    assert list(obj[material_inputs.WATERS]) == pytest.approx([0.0, 0.0, 1.0], abs=1e-3)
    flow = np.zeros((20, 60, 2), np.float32)
    flow[..., 1] = -3.0  # what is known of the wind counts for more
    attributes.write_fields(obj.data, grid.find_lattice(obj), {"sand_flow": flow})
    material_inputs.update(obj)
    assert list(obj[material_inputs.WATERS]) == pytest.approx([0.0, 1.0, 0.0], abs=1e-3)
