# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run on a mesh starts from: heights, and the layers that lie on them."""

from collections.abc import Mapping
from typing import Any

import bpy

from ..model.terrain import Terrain
from . import attributes, grid, source
from .lattice import Array, Lattice

LAYERS = ("sediment", "soil", "suspended", "water_depth", "velocity", "moisture", "grass", "surface_color")
"""Attributes that a run starts from where the mesh has them."""


def heights(mesh: bpy.types.Mesh, continue_from_result: bool) -> tuple[Array, Array]:
    """Local heights (vertices,) that a run starts from, and those that Restore shall bring back.

    A terrain that still is as the last run left it erodes from its source again, unless the result is to be continued.
    """
    own = grid.heights(mesh)
    if source.is_untouched_result(mesh):
        kept = source.source_heights(mesh)
        return (own if continue_from_result else kept), kept
    if continue_from_result and source.has_source(mesh):
        return own, source.source_heights(mesh)
    return own, own


def terrain(
    mesh: bpy.types.Mesh, lattice: Lattice, start: Array, continue_from_result: bool, layers: Mapping[str, Any]
) -> Terrain:
    """The terrain of the heights `start`, with the artist's layers, or those of the last run where it is continued.

    layers: what replaces the artist's; None for one to start without.
    """
    bare = grid.terrain_of(lattice, start)
    names = [name for name in LAYERS if attributes.holds(mesh, name)]
    fields = attributes.read_fields(mesh, lattice, names, before_erosion=not continue_from_result)
    last_run = set(mesh.get(attributes.OURS, ())) if continue_from_result else set()
    fields |= {name: values for name, values in layers.items() if name not in last_run}
    started = {name: values for name, values in fields.items() if values is not None}
    return Terrain(bare.elevation, bare.spacing, started)
