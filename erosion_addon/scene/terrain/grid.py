# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects as terrains: eligibility, grid of the vertices, and heights in meters."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Matrix

from ...base.errors import InputError
from ...grid.dequantize import step_of
from ...recipe.edges import is_seamless
from ...terrain.irregular import cause
from ...terrain.terrain import Terrain
from ..session import session
from . import grid
from .attribute_values import new_attribute
from .lattice import Array, Lattice, NoLatticeError, axis_scales, find, require_level, standing_axis
from .mesh import (
    OWN_HEIGHTS,
    Topology,
    make_grid_object,
    may_be_grid,
    positions,
    structure,
    write_positions,
)
from .obstacle import too_few


def find_lattice(obj: bpy.types.Object) -> Lattice:
    """Grid of the object's vertices; InputError with the reason if they form none."""
    return lattice_of(obj, positions(obj.data))


def lattice_of(obj: bpy.types.Object, place: Array) -> Lattice:
    """Grid of the positions (vertices, 3) of the object's vertices; InputError as in
    `find_lattice`.

    A run asks for it several times; the last one is cached.
    """
    if few := too_few(obj):
        raise InputError(few)
    matrix = np.array(obj.matrix_world)
    cached = session.terrain.lattice
    if cached is not None and cached.is_of(matrix, place):
        return cached.lattice
    session.terrain.lattice = None
    lattice = _new_lattice(obj, place, matrix)
    session.terrain.lattice = CachedLattice(matrix, place[:, :2].copy(), lattice)
    return lattice


class CachedLattice(NamedTuple):
    """Lattice of vertices at x and y (vertices, 2), of an object with a world matrix."""

    matrix: Array
    plane: Array
    lattice: Lattice

    def is_of(self, matrix: Array, place: Array) -> bool:
        """Whether vertices at other positions (vertices, 3) have the same lattice."""
        heights = place[:, 2]
        return (
            np.array_equal(self.matrix, matrix)
            and np.array_equal(self.plane, place[:, :2])
            and bool(np.isfinite(heights.min()) and np.isfinite(heights.max()))
        )


def _new_lattice(obj: bpy.types.Object, place: Array, matrix: Array) -> Lattice:
    scales = axis_scales(obj.name, matrix)
    try:
        return find(obj.name, place, scales, lambda: _some_edges(obj.data))
    except InputError as error:
        if (standing := standing_axis(matrix)) != 2:
            require_level(obj.name, place, standing)
        if not isinstance(error, NoLatticeError):
            raise
        reason = cause(obj.name, place, structure(obj.data))
        if reason is None and may_be_grid(obj.data):
            reason = InputError(
                "Sculpting moved vertices of {name} sideways; Straighten Grid in the tab Erosion "
                "puts them back in line."
            ).format(name=obj.name)
        if reason is None:
            raise
        raise reason from error


def _some_edges(mesh: bpy.types.Mesh) -> Array:
    """Up to about 4000 of the edges, (count, 2)."""
    indices = range(0, len(mesh.edges), max(1, len(mesh.edges) // 4000))
    return np.array([mesh.edges[index].vertices[:] for index in indices], dtype=np.intp).reshape(
        -1, 2
    )


def terrain_of(lattice: Lattice, z_by_vertex: Array) -> Terrain:
    """Terrain of local heights (vertices,) on a lattice, in meters."""
    elevation = lattice.to_grid(z_by_vertex).astype(np.float64)
    elevation *= lattice.scale_z
    return Terrain(elevation, cell_size=lattice.spacing)


def read_terrain(obj: bpy.types.Object) -> tuple[Terrain, Lattice]:
    """Terrain of the object's mesh, heights along local z in meters; InputError if it is not a
    grid.
    """
    place = positions(obj.data)
    lattice = lattice_of(obj, place)
    return terrain_of(lattice, place[:, 2]), lattice


class GridDescription(NamedTuple):
    """Description of a grid for the panel.

    spacing: (row, col) m; relief: m; resolution: m, float32 resolution of heights; step: m, height
    of a terrace from an 8-bit image, None without terraces; seamless: whether opposite edges meet.
    """

    rows: int
    cols: int
    spacing: tuple[float, float]
    relief: float
    resolution: float
    step: float | None
    seamless: bool


def describe(obj: bpy.types.Object) -> GridDescription:
    """Description of the object's grid; cached until something changes. InputError with the reason
    if it is not a grid.

    Edits of vertices are noticed by `forget` and `forget_changed` only.
    """
    mesh = obj.data
    transform = tuple(round(value, 9) for row in obj.matrix_world.to_3x3() for value in row)
    key = (obj.name, len(mesh.vertices), transform)
    entry = session.terrain.descriptions.get(mesh.session_uid)
    if entry is None or entry[0] != key:
        entry = session.terrain.descriptions[mesh.session_uid] = (key, _description(obj))
    if isinstance(entry[1], InputError):
        raise entry[1]
    return entry[1]


def _description(obj: bpy.types.Object) -> GridDescription | InputError:
    try:
        terrain, lattice = read_terrain(obj)
    except InputError as error:
        return error
    farthest = np.abs(terrain.elevation).max() / abs(lattice.scale_z)
    resolution = float(np.spacing(np.float32(farthest))) * abs(lattice.scale_z)
    step = step_of(terrain.elevation)
    seamless = is_seamless(terrain.elevation)
    return GridDescription(
        terrain.rows, terrain.cols, terrain.spacing, terrain.relief, resolution, step, seamless
    )


def forget(mesh: bpy.types.Mesh | None = None) -> None:
    """Drop the cached description of the mesh; of all meshes by default."""
    if mesh is None:
        session.terrain.descriptions.clear()
    else:
        session.terrain.descriptions.pop(mesh.session_uid, None)


@bpy.app.handlers.persistent
def forget_changed(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Handler of `depsgraph_update_post`: drop the descriptions of meshes with changed geometry.

    (Changed settings update objects too, and displayed heights do not count.)
    """
    for update in depsgraph.updates if session.terrain.descriptions else ():
        changed = update.id.original
        if (
            update.is_updated_geometry
            and isinstance(changed, bpy.types.Mesh)
            and OWN_HEIGHTS not in changed.attributes
        ):
            session.terrain.descriptions.pop(changed.session_uid, None)


def make_terrain_object(
    name: str, terrain: Terrain, collection: bpy.types.Collection
) -> bpy.types.Object:
    """New object in `collection`. Its layers count as the user's: runs start from them and restore
    them.
    """
    obj = make_grid_object(name, terrain.elevation, terrain.spacing, collection)
    for layer, values in terrain.fields.items():
        new_attribute(obj.data, layer, "FLOAT")
        obj.data.attributes[layer].data.foreach_set(
            "value", np.ascontiguousarray(values, np.float32).ravel()
        )
    return obj


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
        raise InputError(
            "The vertices of {name} do not go row by row; use Make Grid instead."
        ).format(name=obj.name)
    try:
        points, count = straightened(positions(mesh).astype(np.float64).reshape(*shape, 3))
    except InputError as error:
        raise InputError("{name} cannot be straightened: {error}; use Make Grid instead.").format(
            name=obj.name, error=error
        ) from None
    write_positions(mesh, points.reshape(-1, 3).astype(np.float32))
    grid.forget(mesh)
    return count


def apply_rotation(obj: bpy.types.Object) -> None:
    """Move the rotation and scale of an object and its parents into its vertices. Nothing moves in
    the world, nor do its children.
    """
    before = obj.matrix_world.copy()
    children = {child: child.matrix_world.copy() for child in obj.children}
    obj.data.transform(before.to_3x3().to_4x4())
    if before.is_negative:
        obj.data.flip_normals()
    obj.matrix_world = Matrix.Translation(before.translation)
    # children are placed relative to the updated matrix of their parent
    bpy.context.view_layer.update()
    for child, place in children.items():
        child.matrix_world = place
    grid.forget(obj.data)


@dataclass(frozen=True, eq=False)
class TerrainSnapshot:
    """place: local positions of the vertices (vertices, 3) float32.

    lattice: their grid. mesh_uid, topology: to recognize the mesh later, and detect edits.
    """

    place: Array
    lattice: Lattice
    mesh_uid: int
    topology: Topology

    @property
    def heights(self) -> Array:
        """Local z of the vertices (vertices,) float32, a copy."""
        return self.place[:, 2].copy()

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the mesh. Only one that holds a result is compared by it."""
        return self.topology.fingerprint(self.place)


def snapshot(obj: bpy.types.Object) -> TerrainSnapshot:
    """Read the mesh of an object; InputError if it is not a grid."""
    mesh = obj.data
    place = positions(mesh)
    lattice = grid.lattice_of(obj, place)
    return TerrainSnapshot(place, lattice, mesh.session_uid, Topology.of(mesh))
