# SPDX-License-Identifier: GPL-3.0-or-later
"""Apply: the result becomes plain mesh and the start of the next run."""

import bpy
import numpy as np
import pytest

from erosion_addon import Recipe, erode
from erosion_addon.scene.original import original as source
from erosion_addon.scene.terrain import attributes, grid
from tests.ui.conftest import z_of
from tests.ui.run.test_run import run, undo, with_undo

MAPS = {"wear", "deposition", "flow", "moisture", "sediment", "sediment_color", "moisture_color"}


def values_of(mesh, name):
    values = np.empty(len(mesh.vertices), np.float32)
    mesh.attributes[name].data.foreach_get("value", values)
    return values


def of_ours(mesh):
    """What the extension keeps on a mesh beside maps."""
    names = [*(attribute.name for attribute in mesh.attributes), *mesh.keys()]
    return [name for name in names if name.startswith("erosion_")]


def test_what_is_applied_keeps_its_heights_and_maps_and_nothing_of_ours(terrain_object):
    run()
    mesh = terrain_object.data
    heights = z_of(terrain_object).tobytes()
    wear = values_of(mesh, "wear").tobytes()
    assert bpy.ops.erosion.apply() == {"FINISHED"}
    assert z_of(terrain_object).tobytes() == heights and values_of(mesh, "wear").tobytes() == wear
    assert set(mesh.attributes.keys()) >= MAPS and of_ours(mesh) == []
    assert not bpy.ops.erosion.restore.poll() and not bpy.ops.erosion.apply.poll()


def test_maps_go_too_where_that_is_wanted(terrain_object):
    names = set(terrain_object.data.attributes.keys())
    run()
    heights = z_of(terrain_object).tobytes()
    bpy.ops.erosion.apply(remove_maps=True)
    assert (
        set(terrain_object.data.attributes.keys()) == names and of_ours(terrain_object.data) == []
    )
    assert z_of(terrain_object).tobytes() == heights


def test_after_apply_there_is_no_last_run_to_add_to(terrain_object):
    run()
    terrain_object.erosion.continue_from_result = True
    bpy.ops.erosion.apply()
    applied = z_of(terrain_object).tobytes()
    run()
    first = z_of(terrain_object).tobytes()
    run()
    assert z_of(terrain_object).tobytes() == first
    bpy.ops.erosion.restore()
    assert z_of(terrain_object).tobytes() == applied


def test_one_undo_brings_the_way_back_back(terrain_object):
    before = z_of(terrain_object).tobytes()
    name = terrain_object.name
    run()
    with_undo(bpy.ops.erosion.apply)
    assert not bpy.ops.erosion.restore.poll()
    undo()
    obj = bpy.data.objects[name]
    bpy.context.view_layer.objects.active = obj
    assert source.is_untouched_result(obj.data)
    bpy.ops.erosion.restore()
    assert z_of(obj).tobytes() == before


def test_the_next_run_erodes_what_was_applied_with_its_sediment(terrain_object):
    run()
    bpy.ops.erosion.apply()
    applied = z_of(terrain_object)
    maps = {name: values_of(terrain_object.data, name) for name in ("sediment", "wear")}
    terrain, lattice = grid.read_terrain(terrain_object)
    fields = attributes.read_fields(terrain_object.data, lattice, ["sediment", "moisture"])
    terrain.fields |= {
        name: values.astype(np.float64 if name == "sediment" else np.float32)
        for name, values in fields.items()
    }
    run()
    expected = erode(terrain, Recipe.load("arcane"), seed=terrain_object.erosion.seed)
    np.testing.assert_array_equal(
        lattice.to_grid(z_of(terrain_object)), expected.elevation.astype(np.float32)
    )
    bpy.ops.erosion.restore()
    assert z_of(terrain_object).tobytes() == applied.tobytes()
    for name, values in maps.items():  # which are the artist's since Apply
        assert values_of(terrain_object.data, name).tobytes() == values.tobytes()


def test_the_artists_own_layer_comes_back_where_maps_are_removed_and_gives_way_where_they_stay(
    terrain_object,
):
    mesh = terrain_object.data
    sand = np.full(len(mesh.vertices), 2.5, np.float32)
    mesh.attributes.new("sediment", "FLOAT", "POINT").data.foreach_set("value", sand)
    run()
    result = values_of(mesh, "sediment").tobytes()
    assert result != sand.tobytes()
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.erosion.apply()
    assert values_of(mesh, "sediment").tobytes() == result and of_ours(mesh) == []
    run()
    bpy.ops.erosion.apply(remove_maps=True)
    assert values_of(mesh, "sediment").tobytes() == result


def test_baked_light_and_companions_stay_and_follow_the_next_run(terrain_object):
    terrain_object.erosion.recipe_name = "flood plain"
    run()
    bpy.ops.erosion.water_add()
    bpy.ops.erosion.light_bake()
    water = terrain_object.children[0]
    mesh = terrain_object.data
    place = len(water.data.vertices)
    light = values_of(mesh, "sky_light").tobytes()
    bpy.ops.erosion.apply()
    assert water.parent == terrain_object and len(water.data.vertices) == place
    assert values_of(mesh, "sky_light").tobytes() == light
    bpy.context.view_layer.objects.active = terrain_object
    run()
    assert values_of(mesh, "sky_light").tobytes() != light


def test_what_was_never_eroded_cannot_be_applied(terrain_object):
    assert not bpy.ops.erosion.apply.poll()
    with pytest.raises(Exception, match="does not hold the terrain before erosion"):
        source.apply(terrain_object.data)
