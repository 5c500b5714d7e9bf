# SPDX-License-Identifier: GPL-3.0-or-later
"""Grid meshes whose vertices were pushed out of line, as by sculpting, put back in line."""

import math

import bpy
import numpy as np

from ...base.errors import InputError
from . import grid
from .mesh import positions, write_positions


def may_be_grid(mesh: bpy.types.Mesh) -> bool:
    """Whether a mesh has as many vertices, edges and faces as a grid of quads has; costs nothing."""
    vertices, edges, faces = len(mesh.vertices), len(mesh.edges), len(mesh.polygons)
    sides = 2 * vertices - edges  # rows + cols, whose product are the vertices
    root = sides * sides - 4 * vertices
    return faces == vertices - sides + 1 and root >= 0 and math.isqrt(root) ** 2 == root


def straighten(obj: bpy.types.Object) -> int:
    """Put the vertices of a grid back into even rows and columns, on the surface that they form; how many moved.

    Raises InputError, before anything is changed, where the mesh is no grid of quads that goes row by row.
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
        raise InputError(f"{obj.name} cannot be straightened: {error}; use Make Grid instead.") from None
    write_positions(mesh, points.reshape(-1, 3).astype(np.float32))
    grid.forget(mesh)
    return count
