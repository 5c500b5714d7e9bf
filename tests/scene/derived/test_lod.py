# SPDX-License-Identifier: GPL-3.0-or-later
"""Levels of detail as objects: a selection of the terrain's vertices with all their data."""

import bpy
import numpy as np
import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.scene.companions import companions
from erosion_addon.scene.derived import lod, update_derived
from erosion_addon.scene.masks.settings import DEFAULTS
from erosion_addon.scene.terrain import attributes, grid
from erosion_addon.scene.terrain.mesh import (
    make_grid_object,
    positions,
    vertex_heights,
    write_heights,
)
from erosion_addon.scene.water import water_surface
from tests.terrains import fractal


@pytest.fixture
def terrain(empty_scene):
    """A hilly terrain of 40 × 50 cells of 10 m with fields, a material and a UV map."""
    obj = make_grid_object(
        "Land", fractal(40, 50, relief=80.0), (10.0, 10.0), empty_scene.collection
    )
    bpy.context.view_layer.update()
    random = np.random.default_rng(2)
    fields = {
        "wear": random.random((40, 50)).astype(np.float32),
        "velocity": random.random((40, 50, 2)).astype(np.float32),
        "surface_color": random.random((40, 50, 3)).astype(np.float32),
    }
    attributes.write_fields(obj.data, grid.find_lattice(obj), fields)
    obj.data.materials.append(bpy.data.materials.new("Rock"))
    return obj


def values_of(mesh, name, member, count):
    values = np.empty((len(mesh.attributes[name].data), count), np.float32)
    mesh.attributes[name].data.foreach_get(member, values.ravel())
    return values


def vertices_in(level, terrain):
    """For each vertex of a level, the terrain's vertex at the same position."""
    there = {tuple(place): index for index, place in enumerate(positions(terrain.data).tolist())}
    return [there[tuple(place)] for place in positions(level.data).tolist()]


def test_levels_are_called_as_engines_have_it_hidden_and_ever_simpler(terrain):
    levels = lod.add(terrain)
    assert [level.name for level in levels] == ["Land_LOD1", "Land_LOD2", "Land_LOD3"]
    assert [level[lod.ERROR] for level in levels] == pytest.approx([1, 4, 16])
    counts = [len(level.data.polygons) for level in levels]
    assert counts == sorted(counts, reverse=True) and 0 < counts[2] < counts[0] < 2 * 39 * 49
    for level in levels:
        assert level.parent == terrain and level.hide_render and level.hide_get()
        assert [material.name for material in level.data.materials] == ["Rock"]
        assert not level.data.validate() and all(
            len(face.vertices) == 3 for face in level.data.polygons
        )
        assert min(face.normal.z for face in level.data.polygons) > 0
        assert not any(face.use_smooth is False for face in level.data.polygons)


def test_vertices_are_the_terrains_with_all_that_they_carry(terrain):
    terrain.data.attributes.new("mine", "INT", "POINT").data.foreach_set(
        "value", np.arange(2000, dtype=np.int32)
    )
    for level in lod.add(terrain):
        vertex = vertices_in(level, terrain)
        for name, member, count in (
            ("wear", "value", 1),
            ("velocity", "vector", 2),
            ("surface_color", "color", 4),
        ):
            of_terrain = values_of(terrain.data, name, member, count)
            assert np.array_equal(values_of(level.data, name, member, count), of_terrain[vertex])
        assert [element.value for element in level.data.attributes["mine"].data] == vertex
        assert not any(name.startswith("erosion_") for name in level.data.attributes.keys())  # noqa: SIM118


def test_uv_maps_and_faces_material_slots_are_kept(terrain):
    mesh = terrain.data
    mesh.materials.append(bpy.data.materials.new("Snow"))
    slots = np.array([face.center.x > 0 for face in mesh.polygons], np.int32)
    mesh.polygons.foreach_set("material_index", slots)
    (level,) = lod.add(terrain, 1, 0.2)
    assert level.data.uv_layers.active.name == "UVMap"
    width = 49 * 10.0
    depth = 39 * 10.0
    for loop, uv in zip(level.data.loops, level.data.uv_layers["UVMap"].uv, strict=True):
        place = level.data.vertices[loop.vertex_index].co
        assert uv.vector[:] == pytest.approx(
            (place.x / width + 0.5, place.y / depth + 0.5), abs=1e-5
        )
    for face in level.data.polygons:
        if abs(face.center.x) > 20:
            assert face.material_index == (face.center.x > 0)


def test_a_terrain_in_any_vertex_order_has_levels_too(make_points):
    height = fractal(20, 24, relief=30.0)
    row, col = np.mgrid[:20, :24]
    order = np.random.default_rng(1).permutation(480)
    obj = make_points(np.stack([col.ravel(), row.ravel(), height.ravel()], -1)[order])
    obj.data.attributes.new("mine", "INT", "POINT").data.foreach_set(
        "value", np.arange(480, dtype=np.int32)
    )
    (level,) = lod.add(obj, 1, 1.0)
    assert [element.value for element in level.data.attributes["mine"].data] == vertices_in(
        level, obj
    )


def test_an_object_on_its_head_has_levels_that_face_as_it_does(terrain):
    terrain.data.transform(((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, -1, 0), (0, 0, 0, 1)))
    terrain.data.flip_normals()
    (level,) = lod.add(terrain, 1)
    assert (
        max(face.normal.z for face in level.data.polygons) < 0
        or min(f.normal.z for f in level.data.polygons) > 0
    )
    assert (level.data.polygons[0].normal.z > 0) == (terrain.data.polygons[0].normal.z > 0)


def test_adding_again_and_updating_change_meshes_in_place(terrain):
    levels = lod.add(terrain)
    before = [(level, level.data, len(level.data.polygons)) for level in levels]
    mine = bpy.data.materials.new("Mine")
    levels[0].data.materials[0] = mine
    place = positions(terrain.data)
    place[:, 2] *= 3
    terrain.data.attributes["position"].data.foreach_set("vector", place.ravel())
    update_derived.update_companions(terrain, DEFAULTS)
    assert [(level, level.data) for level in lod.levels_of(terrain)] == [
        (o, m) for o, m, _ in before
    ]
    assert all(len(level.data.polygons) > count for level, _, count in before)
    assert vertices_in(levels[0], terrain) and levels[0].data.materials[0] == mine
    assert lod.add(terrain, 2, 3.0) == levels[:2] and len(companions.find(terrain, "lod")) == 2
    assert [level[lod.ERROR] for level in levels[:2]] == [3, 12]
    assert len(lod.add(terrain, 4)) == 4
    assert update_derived.remove_companions(terrain, "lod") == 4 and len(bpy.data.meshes) == 1


def test_water_has_levels_where_it_has_a_surface(terrain):
    lattice = grid.find_lattice(terrain)
    ground = grid.read_terrain(terrain)[0].elevation
    depth = np.maximum(30.0 - ground, 0).astype(np.float32)
    velocity = np.full((40, 50, 2), 3.0, np.float32)
    attributes.write_fields(terrain.data, lattice, {"water_depth": depth, "velocity": velocity})
    water = water_surface.add(terrain)
    levels = lod.add(terrain, 2)
    assert [level.name for level in levels] == [
        "Land_LOD1",
        "Land_LOD2",
        "Land Water_LOD1",
        "Land Water_LOD2",
    ]
    for level in levels[2:]:
        assert 0 < len(level.data.polygons) < 2 * len(water.data.polygons)
        assert list(level.data.materials) == list(water.data.materials)
        assert {"water_depth", "speed", "foam"} <= set(level.data.attributes.keys())
        above = values_of(level.data, "water_depth", "value", 1)[:, 0]
        z = positions(level.data)[:, 2]
        assert np.abs(z[above > 0] - 30).max() < 1e-3 and above.max() > 0
    assert len(levels[3].data.polygons) < 0.5 * len(levels[2].data.polygons)
    attributes.write_fields(terrain.data, lattice, {"water_depth": depth * 0})
    update_derived.update_companions(terrain, DEFAULTS)
    assert all(not level.data.polygons for level in levels[2:]) and levels[0].data.polygons


def test_a_level_in_edit_mode_is_named_and_the_others_follow(terrain):
    levels = lod.add(terrain)
    before = [positions(level.data).tobytes() for level in levels]
    levels[0].hide_set(False)
    bpy.context.view_layer.objects.active = levels[0]
    bpy.ops.object.mode_set(mode="EDIT")
    write_heights(terrain.data, 3 * vertex_heights(terrain.data))
    [said] = update_derived.update_companions(terrain, DEFAULTS)
    assert said.startswith("Land_LOD1 is in Edit Mode and still shows the previous terrain")
    bpy.ops.object.mode_set(mode="OBJECT")
    assert [
        positions(level.data).tobytes() == was for level, was in zip(levels, before, strict=True)
    ] == [True, False, False]
    assert update_derived.update_companions(terrain, DEFAULTS) == [] and vertices_in(
        levels[0], terrain
    )


def test_errors_that_are_too_small_are_refused_and_nothing_is_made(terrain):
    with pytest.raises(InputError, match="Levels of detail need at least one error"):
        lod.add(terrain, 3, 1e-6)
    assert not companions.find(terrain, "lod")
