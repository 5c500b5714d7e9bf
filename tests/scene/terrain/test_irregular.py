# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes that nearly are grids: a sentence names what is in the way."""

import re

import bmesh
import bpy
import numpy as np
import pytest
from mathutils import Matrix

from erosion_addon.base.errors import InputError
from erosion_addon.scene.terrain import grid


@pytest.fixture
def plane(make_hills):
    """12 × 10 vertices, 2 m apart."""
    return make_hills(12, 10)


def changed(obj, change):
    mesh = bmesh.new()
    mesh.from_mesh(obj.data)
    mesh.verts.ensure_lookup_table()
    mesh.faces.ensure_lookup_table()
    change(mesh)
    mesh.to_mesh(obj.data)
    mesh.free()
    grid.forget()
    return obj


def loose_vertex(mesh):
    mesh.verts.new((3.3, 4.7, 0))


def loose_edge(mesh):
    mesh.edges.new((mesh.verts.new((30, 4, 0)), mesh.verts.new((31, 4, 0))))


def doubled(mesh):
    mesh.verts.new(mesh.verts[5].co)
    bmesh.ops.split_edges(mesh, edges=mesh.faces[40].edges[:])
    bmesh.ops.delete(mesh, geom=[vertex for vertex in mesh.verts if not vertex.link_faces])


def second_grid(mesh):
    bmesh.ops.create_grid(
        mesh, x_segments=5, y_segments=5, size=6.3, matrix=Matrix.Translation((31.7, 3.1, 0))
    )


def dissolved(mesh):
    bmesh.ops.dissolve_verts(mesh, verts=[mesh.verts[55]])


def hidden(mesh):
    for vertex in bmesh.ops.extrude_face_region(mesh, geom=[mesh.faces[7]])["geom"]:
        if isinstance(vertex, bmesh.types.BMVert):
            vertex.co.z += 10
            vertex.hide = True


def rows_shifted(mesh):
    for number, vertex in enumerate(mesh.verts):
        vertex.co.x += (number // 10 % 2) * 1.0


def rows_shifted_a_third(mesh):
    for number, vertex in enumerate(mesh.verts):
        vertex.co.x += (number // 10 % 3) * 2 / 3


def columns_shifted(mesh):
    for number, vertex in enumerate(mesh.verts):
        vertex.co.y += (number % 10 % 2) * 1.0


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (loose_vertex, "has vertices without a face (1, first: 120); delete loose geometry"),
        (loose_edge, "has vertices without a face (2, first: 120); delete loose geometry"),
        (
            doubled,
            "has vertices that lie exactly on others (4, first: 120); merge them by distance",
        ),
        (second_grid, "consists of 2 loose parts; separate them"),
        (dissolved, "faces of up to 8 corners, and no vertices within them; make a grid of it"),
        (hidden, "has hidden vertices (4), which count too; reveal them in Edit Mode with Alt H"),
        (rows_shifted, "Rows or columns of Hills are shifted against each other"),
        (rows_shifted_a_third, "Rows or columns of Hills are shifted against each other"),
        (columns_shifted, "Rows or columns of Hills are shifted against each other"),
    ],
)
def test_a_sentence_names_what_keeps_a_mesh_from_being_a_grid(plane, change, sentence):
    with pytest.raises(InputError, match=re.escape(sentence)):
        grid.find_lattice(changed(plane, change))


def test_what_does_not_matter_to_a_grid_is_no_obstacle(plane):
    """Faces of many corners with all vertices there, triangles, hidden vertices, and two parts that
    fit together.
    """
    bpy.context.view_layer.objects.active = plane
    for vertex in plane.data.vertices:
        vertex.hide = True
    changed(plane, lambda mesh: bmesh.ops.triangulate(mesh, faces=mesh.faces[:20]))
    changed(
        plane,
        lambda mesh: bmesh.ops.delete(mesh, geom=mesh.faces[40:49], context="FACES_KEEP_BOUNDARY"),
    )
    lattice = grid.find_lattice(plane)
    assert (lattice.rows, lattice.cols) == (12, 10)


def test_a_hole_is_still_called_one(plane):
    changed(plane, lambda mesh: bmesh.ops.delete(mesh, geom=[mesh.verts[55]]))
    with pytest.raises(
        InputError, match="119 vertices where 12 rows and 10 columns need 120; fill the holes"
    ):
        grid.find_lattice(plane)


def test_a_wall_is_eroded_along_its_own_axes(plane):
    """A grid with heights along its local Z may stand on its side, as before."""
    plane.matrix_world = Matrix.Rotation(np.pi / 2, 4, "X")
    bpy.context.view_layer.update()
    assert grid.find_lattice(plane).rows == 12
