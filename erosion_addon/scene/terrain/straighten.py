# SPDX-License-Identifier: GPL-3.0-or-later
"""Vertices put right: those pushed out of line, as by sculpting, and those of a grid that stands on
its side.
"""

import bpy
import numpy as np
from mathutils import Matrix

from ...base.errors import InputError
from . import grid
from .mesh import positions, write_positions


def straighten(obj: bpy.types.Object) -> int:
    """Move the vertices of a grid back to even rows and columns of the same surface; returns the
    number moved.

    Raises InputError, without changes, if the mesh is not a grid of quads in row order.
    """
    from ...terrain.straighten import grid_shape, straightened

    mesh = obj.data
    edges = np.empty(2 * len(mesh.edges), np.int32)
    mesh.edges.foreach_get("vertices", edges)
    shape = grid_shape(edges.reshape(-1, 2), len(mesh.vertices))
    if shape is None:
        raise InputError(f"The vertices of {obj.name} do not go row by row; use Make Grid instead.")
    try:
        points, count = straightened(positions(mesh).astype(np.float64).reshape(*shape, 3))
    except InputError as error:
        raise InputError(
            f"{obj.name} cannot be straightened: {error}; use Make Grid instead."
        ) from None
    write_positions(mesh, points.reshape(-1, 3).astype(np.float32))
    grid.forget(mesh)
    return count


def apply_rotation(obj: bpy.types.Object) -> None:
    """Move the rotation and scale of an object, and those of its parents, into its vertices.
    Nothing moves in the world, nor do its children.
    """
    before = obj.matrix_world.copy()
    children = {child: child.matrix_world.copy() for child in obj.children}
    obj.data.transform(before.to_3x3().to_4x4())
    if before.is_negative:
        obj.data.flip_normals()
    obj.matrix_world = Matrix.Translation(before.translation)
    bpy.context.view_layer.update()
    for child, place in children.items():
        child.matrix_world = place
    grid.forget(obj.data)
