# SPDX-License-Identifier: GPL-3.0-or-later
"""Commit of a result to its mesh, all or nothing; or to a new object."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import bpy
import numpy as np
from mathutils import Matrix

from ...base.arrays import mean_cell_size
from ...terrain.color_attributes import COLORS
from ...terrain.fields import BAKED
from ...terrain.terrain import Terrain
from ..original import original
from ..original.transaction import all_or_nothing
from ..terrain import attributes, grid
from ..terrain.lattice import Array, Lattice, local_heights
from ..terrain.mesh import Topology, make_grid_object, write_positions
from .start_state import Heights


class Change(NamedTuple):
    """Change of a mesh to a result.

    place_before, place: local positions of its vertices (vertices, 3). digest: hash of the changed
    mesh. colors: attribute → values of the vertices. room: to read positions into, see
    `mesh.shown_positions`; allocated ahead.
    """

    place_before: Array
    place: Array
    digest: str
    colors: dict[str, attributes.Colors]
    room: Array


def check(mesh: bpy.types.Mesh, fields: Iterable[str]) -> None:
    """Raise InputError where a result with these fields, and the data for Restore, could not be
    written.
    """
    attributes.check_names(mesh, fields)
    original.check_names(mesh)


def change_to(
    after: Terrain,
    topology: Topology,
    place_before: Array,
    lattice: Lattice,
    start: Array,
    before: Array,
) -> Change:
    """Change of a mesh to `after`; needs no Blender, so it may be made in a thread.

    start: local z of the vertices (vertices,) that the elevation `before`, (rows, cols) m, was read
    from.
    """
    heights_after = local_heights(lattice, start, before, after.elevation)
    place = np.column_stack([place_before[:, :2], heights_after])
    cell_size = mean_cell_size(lattice.spacing)
    names = attributes.attribute_names(after.fields)
    colors = {
        name: attributes.Colors(None, COLORS[name].colors(after.fields, cell_size))
        for name in names
        if name in COLORS
    }
    return Change(
        place_before, place, topology.fingerprint(place), colors, np.ones(place.nbytes, np.uint8)
    )


def commit(
    mesh: bpy.types.Mesh,
    lattice: Lattice,
    heights: Heights,
    after: Terrain,
    paused_run: Array | None,
    change: Change,
) -> list[str]:
    """Write heights and fields of `after`, and the data for Restore; InputError if impossible.

    Returns messages about parts that could not be kept. paused_run: bytes of the checkpoint file of
    a paused run. change: of this mesh to `after`.
    """
    check(mesh, after.fields)
    with all_or_nothing(mesh, change.place_before):
        notes = original.set_aside(mesh) if heights.is_new else []
        original.keep_source(mesh, heights.original)
        attributes.remove_fields(mesh, but=(*after.fields, *BAKED))
        attributes.write_fields(mesh, lattice, after.fields, change.colors)
        write_positions(mesh, change.place, change.place_before, change.room)
        original.mark_result(mesh, paused_run, change.place, change.digest)
    return notes


def rescue(name: str, after: Terrain, matrix: Any) -> bpy.types.Object:
    """New object of that name with the result, in the terrain's place."""
    obj = make_grid_object(name, after.elevation, after.spacing, bpy.context.scene.collection)
    place, rotation, _ = matrix.decompose()
    # A mirrored object has no rotation alone; the new one has the size of the old in its mesh, not
    # in its scale.
    obj.matrix_world = Matrix.LocRotScale(
        place, rotation if matrix.determinant() > 0 else None, None
    )
    attributes.write_fields(obj.data, grid.find_lattice(obj), after.fields)
    return obj
