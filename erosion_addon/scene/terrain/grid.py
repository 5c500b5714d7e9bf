# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects as terrains: whether one may be eroded, the grid that its vertices form, and its heights in meters."""

from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np

from ...base.errors import InputError
from ...grid.dequantize import step_of
from ...terrain.terrain import Terrain
from .. import session
from .lattice import Array, Lattice, axis_scales, find, local_heights
from .mesh import OWN_HEIGHTS, fingerprint, heights, make_grid_object, positions, write_heights
from .obstacle import too_few, why_not

__all__ = [
    "GridDescription",
    "Lattice",
    "describe",
    "find_lattice",
    "fingerprint",
    "forget",
    "forget_changed",
    "heights",
    "lattice_of",
    "local_heights",
    "make_grid_object",
    "read_terrain",
    "terrain_of",
    "why_not",
    "write_heights",
]


def find_lattice(obj: bpy.types.Object) -> Lattice:
    """The grid that the vertices of the object form; raises InputError saying why they form none."""
    return lattice_of(obj, positions(obj.data))


def lattice_of(obj: bpy.types.Object, place: Array) -> Lattice:
    """The grid that the positions (vertices, 3) of the object's vertices form; InputError as in `find_lattice`."""
    if few := too_few(obj):
        raise InputError(few)
    scales = axis_scales(obj.name, np.array(obj.matrix_world))
    return find(obj.name, place, scales, lambda: _some_edges(obj.data))


def _some_edges(mesh: bpy.types.Mesh) -> Array:
    """Up to about 4000 of the edges, (count, 2)."""
    chosen = range(0, len(mesh.edges), max(1, len(mesh.edges) // 4000))
    return np.array([mesh.edges[index].vertices[:] for index in chosen], dtype=np.intp).reshape(-1, 2)


def terrain_of(lattice: Lattice, z_by_vertex: Array) -> Terrain:
    """The terrain of local heights (vertices,) on a lattice, in meters."""
    elevation = lattice.to_grid(z_by_vertex).astype(np.float64)
    elevation *= lattice.scale_z
    return Terrain(elevation, cell_size=lattice.spacing)


def read_terrain(obj: bpy.types.Object) -> tuple[Terrain, Lattice]:
    """The terrain that the mesh of the object shows, heights along its local z in meters; InputError for no grid."""
    place = positions(obj.data)
    lattice = lattice_of(obj, place)
    return terrain_of(lattice, place[:, 2]), lattice


@dataclass(frozen=True)
class GridDescription:
    """What the panel says about a grid.

    spacing: (row, col) m; relief: m; resolution: m, between two heights of float32; step: m, between two heights of an
    image of 8 bits, None where these come from no such.
    """

    rows: int
    cols: int
    spacing: tuple[float, float]
    relief: float
    resolution: float
    step: float | None


@dataclass(eq=False, repr=False)
class _Now:
    """Grids that were looked at."""

    described: dict[int, tuple[Any, GridDescription | InputError]] = field(default_factory=dict)
    """By the mesh's session_uid: what else the description depends on, and the description."""


_now = session.remember(_Now)


def describe(obj: bpy.types.Object) -> GridDescription:
    """Size of the object's grid; quick as long as nothing changed. Raises InputError saying why it is no grid.

    Edits of the vertices go unseen until `forget` or `forget_changed` hears of them.
    """
    mesh = obj.data
    transform = tuple(round(value, 9) for row in obj.matrix_world.to_3x3() for value in row)
    key = (obj.name, len(mesh.vertices), transform)
    known = _now.described.get(mesh.session_uid)
    if known is None or known[0] != key:
        known = _now.described[mesh.session_uid] = (key, _description(obj))
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
    step = step_of(terrain.elevation)
    return GridDescription(terrain.rows, terrain.cols, terrain.spacing, terrain.relief, resolution, step)


def forget(mesh: bpy.types.Mesh | None = None) -> None:
    """Describe the mesh anew next time; all meshes where none is given."""
    if mesh is None:
        _now.described.clear()
    else:
        _now.described.pop(mesh.session_uid, None)


@bpy.app.handlers.persistent
def forget_changed(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """For `depsgraph_update_post`: describe meshes anew whose geometry changed.

    (Objects count as changed too when one of their settings is dragged; and not what is merely shown on a mesh.)
    """
    for update in depsgraph.updates if _now.described else ():
        changed = update.id.original
        if update.is_updated_geometry and isinstance(changed, bpy.types.Mesh) and OWN_HEIGHTS not in changed.attributes:
            _now.described.pop(changed.session_uid, None)
