# SPDX-License-Identifier: GPL-3.0-or-later
"""Terrains from meshes that are not grids."""

import bmesh
import bpy
import numpy as np
import pytest
from mathutils import Matrix

from erosion_addon.base.errors import InputError
from erosion_addon.scene.terrain import from_mesh, grid, obstacle
from erosion_addon.scene.terrain.mesh import make_grid_object, vertex_heights, write_positions
from tests.terrains import fractal


def made_from(obj, cell_size=0.0):
    context = bpy.context
    made, size, holes = from_mesh.make(
        obj, cell_size, context.scene.collection, context.evaluated_depsgraph_get()
    )
    context.view_layer.update()
    return made, grid.read_terrain(made)[0], size, holes


@pytest.fixture
def hills():
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    return make_grid_object(
        "Hills", fractal(30, 40, 50.0), (2.0, 2.0), bpy.context.scene.collection
    )


def test_a_grid_comes_back_as_it_was(hills):
    made, terrain, _, holes = made_from(hills, 2.0)
    assert terrain.spacing == (2.0, 2.0) and holes == 0
    assert np.abs(terrain.elevation - grid.read_terrain(hills)[0].elevation).max() < 1e-4
    assert (
        made.name == "Hills Grid"
        and tuple(made.location) == (0, 0, 0)
        and made.data is not hills.data
    )


def test_without_a_size_there_is_about_one_cell_a_vertex(hills):
    points = grid.positions(hills.data)
    points[:, 0] += 0.3 * np.sin(points[:, 1])  # so that it is no grid
    write_positions(hills.data, points)
    _, terrain, size, _ = made_from(hills)
    # 78 × 58 m among 1200 vertices are 1.94 m a side
    assert size == 1.9 and terrain.shape == (31, 42)


@pytest.mark.parametrize("missing", [0, 7])
@pytest.mark.parametrize("spacing", [2.0, 30.1, 1 / 3])
def test_vertices_of_an_even_mesh_stay_where_they_are(empty_scene, missing, spacing):
    """Also where some are missing, whose heights come from their neighbors, and where the object
    stands on its side.
    """
    hills = make_grid_object(
        "Hills", fractal(30, 40, 50.0), (spacing, spacing), empty_scene.collection
    )
    side = Matrix.Rotation(np.pi / 2, 4, "X")
    hills.data.transform(side.inverted())
    hills.matrix_world = side
    before = fractal(30, 40, 50.0)
    mesh = bmesh.new()
    mesh.from_mesh(hills.data)
    mesh.verts.ensure_lookup_table()
    bmesh.ops.delete(mesh, geom=[mesh.verts[200 + number] for number in range(missing)])
    mesh.to_mesh(hills.data)
    mesh.free()
    bpy.context.view_layer.update()
    _, terrain, size, holes = made_from(hills)
    assert (
        size == pytest.approx(spacing, rel=1e-5) and terrain.shape == (30, 40) and holes == missing
    )
    there = np.ones(1200, bool)
    there[200 : 200 + missing] = False
    assert np.abs(terrain.elevation - before).ravel()[there].max() < 1e-3


@pytest.mark.parametrize("form", ["plane", "cube"])
def test_a_form_of_few_vertices_gets_cells_enough_for_a_terrain(hills, form):
    getattr(bpy.ops.mesh, f"primitive_{form}_add")(size=100)
    bpy.context.view_layer.update()
    made, terrain, size, _ = made_from(bpy.context.object)
    assert size == 0.78 and min(terrain.shape) >= 128  # 100 m in 128 cells, of two digits
    assert obstacle.obstacle(made) is None


def test_it_is_seen_in_the_world_where_it_lies(hills):
    bpy.context.view_layer.update()
    before = grid.read_terrain(hills)[0].elevation
    quarter = Matrix.Rotation(np.pi / 2, 4, "Z")
    hills.matrix_world = (
        Matrix.Translation((100, 200, 30)) @ quarter @ Matrix.Diagonal((2, 2, 3, 1))
    )
    bpy.context.view_layer.update()
    made, terrain, _, _ = made_from(hills, 4.0)
    assert np.abs(terrain.elevation - (3 * before.T[:, ::-1] + 30)).max() < 1e-3
    assert np.allclose(made.location, (100, 200, 0), atol=1e-3) and np.allclose(made.scale, 1)


def test_modifiers_count_and_the_original_stays(hills):
    bpy.context.view_layer.update()
    before = vertex_heights(hills.data)
    lift = hills.modifiers.new("Displace", "DISPLACE")
    lift.direction = "Z"
    lift.mid_level = 0.0
    lift.strength = 5.0
    hills.modifiers.new("Triangulate", "TRIANGULATE")
    bpy.context.view_layer.update()
    _, terrain, _, _ = made_from(hills, 2.0)
    assert np.abs(terrain.elevation - before.reshape(30, 40) - 5).max() < 1e-4
    assert np.array_equal(vertex_heights(hills.data), before)


def test_a_curve_with_faces_makes_a_terrain_too(hills):
    bpy.ops.curve.primitive_bezier_circle_add(radius=50)
    circle = bpy.context.object
    circle.data.dimensions = "2D"
    circle.data.fill_mode = "BOTH"
    bpy.context.view_layer.update()
    _, terrain, _, holes = made_from(circle, 2.0)
    # A circle in its square, to the width of a cell around it.
    assert holes / terrain.elevation.size == pytest.approx(1 - np.pi / 4, abs=0.05)
    assert np.abs(terrain.elevation).max() < 1e-5


def test_what_has_no_area_is_named_and_nothing_is_made(hills):
    bpy.ops.mesh.primitive_plane_add(size=10, rotation=(np.pi / 2, 0, 0))
    wall = bpy.context.object
    empty = bpy.data.objects.new("Empty Mesh", bpy.data.meshes.new("Empty Mesh"))
    bpy.context.scene.collection.objects.link(empty)
    bpy.context.view_layer.update()
    objects = len(bpy.data.objects)
    meshes = len(bpy.data.meshes)
    with pytest.raises(InputError, match=r"^Plane cannot become a terrain\..*too small"):
        made_from(wall, 1.0)
    with pytest.raises(InputError, match="No face can be seen"):
        made_from(empty, 1.0)
    assert (len(bpy.data.objects), len(bpy.data.meshes)) == (objects, meshes)


def test_a_vertex_that_is_nowhere_leaves_a_hole_which_is_filled(hills):
    before = grid.read_terrain(hills)[0].elevation
    hills.data.vertices[15 * 40 + 20].co.z = np.nan  # far from the border
    _, terrain, _, holes = made_from(hills, 2.0)
    changed = np.argwhere(np.abs(terrain.elevation - before) > 1e-4)
    assert holes == 1 and terrain.shape == before.shape and changed.tolist() in ([], [[15, 20]])
