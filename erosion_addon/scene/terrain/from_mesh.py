# SPDX-License-Identifier: GPL-3.0-or-later
"""Conversion of any object with faces to a terrain: its surface seen from above, on an even grid,
as a new object.
"""

import bpy
import numpy as np

from ...base.errors import InputError
from ...terrain.rasterize import grid_of
from ...terrain.terrain import SMALLEST_SIDE
from .lattice import Array, even_spacing
from .mesh import make_grid_object

_LONGEST_SIDE = 1024
"""Default limit of cells along the longer side."""

_PLAIN_SIDE = 128
"""Cells along the longer side for objects with few vertices, such as a plane or cube."""


def make(
    obj: bpy.types.Object,
    cell_size: float,
    collection: bpy.types.Collection,
    depsgraph: bpy.types.Depsgraph,
) -> tuple[bpy.types.Object, float, int]:
    """New grid in world space over the evaluated object; its cell size, and the number of filled
    cells.

    cell_size: m; 0: that of an even mesh, or about one cell per vertex. Raises InputError if too
    little is visible from above.
    """
    points, triangles = _faces(obj, depsgraph)
    cell_size = cell_size or _usual_size(points)
    try:
        heights, corner, holes = grid_of(points, triangles, cell_size)
    except InputError as error:
        raise InputError("{name} cannot become a terrain. {error}").format(
            name=obj.name, error=error
        ) from error
    result = make_grid_object(f"{obj.name} Grid", heights, (cell_size, cell_size), collection)
    rows, cols = heights.shape
    result.location = (
        corner[0] + (cols - 1) * cell_size / 2,
        corner[1] + (rows - 1) * cell_size / 2,
        0.0,
    )
    return result, cell_size, holes


def _faces(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> tuple[Array, Array]:
    """Points (n, 3) in world space and triangles (m, 3) of the evaluated object."""
    evaluated = obj.evaluated_get(depsgraph)
    mesh = evaluated.to_mesh()
    try:
        points: Array = np.empty(3 * len(mesh.vertices), np.float32)
        mesh.vertices.foreach_get("co", points)
        mesh.calc_loop_triangles()
        triangles: Array = np.empty(3 * len(mesh.loop_triangles), np.int32)
        mesh.loop_triangles.foreach_get("vertices", triangles)
    finally:
        evaluated.to_mesh_clear()
    matrix = np.array(evaluated.matrix_world, np.float64)
    points = points.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
    triangles = triangles.reshape(-1, 3)
    # faces at invalid positions are holes, filled from their surroundings
    placed = np.isfinite(points).all(axis=1)
    numbers = np.cumsum(placed) - 1
    return points[placed], numbers[triangles[placed[triangles].all(axis=1)]].astype(np.int32)


def _usual_size(points: Array) -> float:
    """Cell size in meters of points on a grid; for others about one cell per vertex, or _PLAIN_SIDE
    cells a side, rounded to two digits.
    """
    if len(points) == 0:
        return 1.0
    if len(points) >= SMALLEST_SIDE**2 and (spacing := even_spacing(points)):
        return spacing
    size = np.ptp(points[:, :2], axis=0)
    if len(points) < SMALLEST_SIDE**2:
        length = float(size.max()) / _PLAIN_SIDE
    else:
        length = max(
            float(np.sqrt(size[0] * size[1] / len(points))), float(size.max()) / _LONGEST_SIDE
        )
    return float(f"{max(length, 1e-6):.2g}")
