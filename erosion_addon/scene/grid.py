# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects as terrains: whether one may be eroded, the grid that its vertices form, and its heights in metres."""

from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ..model.errors import InputError
from ..model.terrain import SMALLEST_SIDE, Terrain
from .lattice import Array, Lattice, axis_scales, find, local_heights
from .mesh import fingerprint, heights, make_grid_object, positions, write_heights

__all__ = [
    "GridDescription", "Lattice", "describe", "find_lattice", "fingerprint", "forget", "forget_changed", "heights",
    "local_heights", "make_grid_object", "notes", "read_terrain", "terrain_of", "why_not", "write_heights",
]  # fmt: skip

GENERATORS = {
    "ARRAY", "BEVEL", "BOOLEAN", "BUILD", "DECIMATE", "EDGE_SPLIT", "EXPLODE", "FLUID", "MASK", "MIRROR", "NODES",
    "OCEAN", "PARTICLE_INSTANCE", "REMESH", "SCREW", "SKIN", "SOLIDIFY", "SUBSURF", "TRIANGULATE", "WELD", "WIREFRAME",
}  # fmt: skip
"""Modifiers that change how many vertices there are."""


def why_not(obj: bpy.types.Object | None) -> str | None:
    """Why the object cannot be eroded in place, in a sentence; None where nothing is in the way at first sight."""
    if obj is None:
        return "Select a grid mesh."
    if obj.type != "MESH":
        return f"{obj.name} is not a mesh; select a grid mesh."
    mesh = obj.data
    if obj.mode == "EDIT" or mesh.is_editmode:
        return "Leave Edit Mode first."
    if obj.mode != "OBJECT":
        return "Switch to Object Mode first."
    if obj.library or mesh.library:
        return f"{obj.name} is linked from another file; use Object > Relations > Make Local first."
    if obj.override_library or mesh.override_library:
        return f"{obj.name} is a library override; use Object > Relations > Make Local first."
    if mesh.shape_keys:
        return f"{obj.name} has shape keys, which would hide the new heights; apply or remove them first."
    if any(modifier.type == "MULTIRES" for modifier in obj.modifiers):
        return f"{obj.name} has a Multiresolution modifier; apply it first."
    users = mesh.users - mesh.use_fake_user
    if users > 1:
        return (
            f"The mesh of {obj.name} is shared by {users} objects; make it single-user "
            "(Object > Relations > Make Single User > Object & Data) first."
        )
    return _too_few(obj)


def _too_few(obj: bpy.types.Object) -> str | None:
    count = len(obj.data.vertices)
    if count >= SMALLEST_SIDE**2:
        return None
    sentence = f"{obj.name} has {count} vertices; a terrain needs at least {SMALLEST_SIDE} × {SMALLEST_SIDE}"
    names = _generators(obj)
    if names:
        return f"{sentence}, and only the mesh below its modifiers counts: apply {names} first."
    return f"{sentence}."


def _generators(obj: bpy.types.Object) -> str:
    return ", ".join(modifier.name for modifier in obj.modifiers if modifier.type in GENERATORS)


def find_lattice(obj: bpy.types.Object) -> Lattice:
    """The grid that the vertices of the object form; raises InputError saying why they form none."""
    return _lattice(obj, positions(obj.data))


def _lattice(obj: bpy.types.Object, place: Array) -> Lattice:
    too_few = _too_few(obj)
    if too_few:
        raise InputError(too_few)
    scales = axis_scales(obj.name, np.array(obj.matrix_world))
    return find(obj.name, place, scales, lambda: _some_edges(obj.data))


def _some_edges(mesh: bpy.types.Mesh) -> Array:
    """Up to about 4000 of the edges, (count, 2)."""
    chosen = range(0, len(mesh.edges), max(1, len(mesh.edges) // 4000))
    return np.array([mesh.edges[index].vertices[:] for index in chosen], dtype=np.intp).reshape(-1, 2)


def terrain_of(lattice: Lattice, z_by_vertex: Array) -> Terrain:
    """The terrain of local heights (vertices,) on a lattice, in metres."""
    elevation = lattice.to_grid(z_by_vertex).astype(np.float64)
    elevation *= lattice.scale_z
    return Terrain(elevation, cell_size=lattice.spacing)


def read_terrain(obj: bpy.types.Object) -> tuple[Terrain, Lattice]:
    """The terrain that the mesh of the object shows, heights along its local z in metres; InputError for no grid."""
    place = positions(obj.data)
    lattice = _lattice(obj, place)
    return terrain_of(lattice, place[:, 2]), lattice


@dataclass(frozen=True)
class GridDescription:
    """What the panel says about a grid. spacing: (row, col) m; relief: m; resolution: m, between two heights."""

    rows: int
    cols: int
    spacing: tuple[float, float]
    relief: float
    resolution: float


_described: dict[int, tuple[Any, GridDescription | InputError]] = {}
"""By the mesh's session_uid: what else the description depends on, and the description."""


def describe(obj: bpy.types.Object) -> GridDescription:
    """Size of the object's grid; quick as long as nothing changed. Raises InputError saying why it is no grid.

    Edits of the vertices go unseen until `forget` or `forget_changed` hears of them.
    """
    mesh = obj.data
    transform = tuple(round(value, 9) for row in obj.matrix_world.to_3x3() for value in row)
    key = (obj.name, len(mesh.vertices), transform)
    known = _described.get(mesh.session_uid)
    if known is None or known[0] != key:
        known = _described[mesh.session_uid] = (key, _description(obj))
    if isinstance(known[1], InputError):
        raise known[1]
    return known[1]


def _description(obj: bpy.types.Object) -> GridDescription | InputError:
    try:
        terrain, lattice = read_terrain(obj)
    except InputError as error:
        return error
    farthest = np.abs(terrain.elevation).max() / abs(lattice.scale_z)
    resolution = float(np.spacing(np.float32(farthest))) * abs(lattice.scale_z)
    return GridDescription(terrain.rows, terrain.cols, terrain.spacing, terrain.relief, resolution)


def forget(mesh: bpy.types.Mesh | None = None) -> None:
    """Describe the mesh anew next time; all meshes where none is given."""
    if mesh is None:
        _described.clear()
    else:
        _described.pop(mesh.session_uid, None)


@bpy.app.handlers.persistent
def forget_changed(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """For `depsgraph_update_post`: describe meshes anew whose geometry changed."""
    for update in depsgraph.updates if _described else ():
        changed = update.id.original
        if update.is_updated_geometry:
            _described.pop(getattr(getattr(changed, "data", changed), "session_uid", 0), None)


def notes(obj: bpy.types.Object) -> list[str]:
    """What the user may want to know about a mesh that can be eroded all the same, a sentence each."""
    said = []
    names = _generators(obj)
    if names:
        said.append(f"The mesh below the modifiers is eroded; {names} acts on top of it.")
    try:
        grid = describe(obj)
    except InputError:
        return said
    scale = [abs(value) for value in obj.matrix_world.to_scale()]
    if max(scale) > 1.001 * min(scale):
        said.append("The scale {:.3g} × {:.3g} × {:.3g} is taken into account.".format(*scale))
    row_spacing, col_spacing = grid.spacing
    if abs(row_spacing / col_spacing - 1) > 1e-3:
        said.append(f"The cells are not square: {col_spacing:.4g} m × {row_spacing:.4g} m.")
    if grid.resolution > 1e-3 * min(grid.spacing):
        said.append(f"The mesh is so far from its origin that its heights come in steps of {grid.resolution:.2g} m.")
    return said
