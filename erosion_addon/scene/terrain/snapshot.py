# SPDX-License-Identifier: GPL-3.0-or-later
"""Snapshot of a terrain's mesh, read once for a run."""

from typing import NamedTuple

import bpy

from . import grid
from .lattice import Array, Lattice
from .mesh import fingerprint, positions


class TerrainSnapshot(NamedTuple):
    """place: local positions of the vertices (vertices, 3) float32.

    lattice: their grid. mesh_uid, fingerprint: to recognize the mesh later, and detect edits.
    """

    place: Array
    lattice: Lattice
    mesh_uid: int
    fingerprint: str

    @property
    def heights(self) -> Array:
        """Local z of the vertices (vertices,) float32, a copy."""
        return self.place[:, 2].copy()


def snapshot(obj: bpy.types.Object) -> TerrainSnapshot:
    """Read the mesh of an object; InputError if it is not a grid."""
    mesh = obj.data
    place = positions(mesh)
    return TerrainSnapshot(
        place, grid.lattice_of(obj, place), mesh.session_uid, fingerprint(mesh, place)
    )
