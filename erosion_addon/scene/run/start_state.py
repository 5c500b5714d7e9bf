# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run on a mesh starts from: heights, and the layers that lie on them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import bpy

from ...base.errors import InputError
from ...processes.registry import PROCESSES
from ...terrain.fields import FIELDS
from ...terrain.terrain import Terrain
from ..original import original
from ..terrain import attributes, grid
from ..terrain.lattice import Array, Lattice
from ..terrain.snapshot import TerrainSnapshot

_READ = {"sediment", "soil", *(name for process in PROCESSES.values() for name in process.reads)}

LAYERS = tuple(name for name in FIELDS if name in _READ)
"""Attributes that a run starts from where the mesh has them."""

SUMS = ("wear", "deposition")
"""Attributes that one run after the other may add to."""


@dataclass(frozen=True, eq=False)
class Heights:
    """Local heights (vertices,) float32: those that a run starts from, and those that Restore brings back after it.

    is_new: whether these are others than Restore brings back now, so that those have to be set aside.
    """

    start: Array
    kept: Array
    is_new: bool = False


def heights(mesh: bpy.types.Mesh, seen: TerrainSnapshot, continue_from_result: bool) -> Heights:
    """The heights of a run on the mesh, of which a snapshot was just taken.

    A terrain that was only moved, turned or scaled since the last run erodes from its source again, unless the result
    is to be continued. One that was edited erodes as it is.
    """
    own = seen.heights
    if not original.has_source(mesh):
        return Heights(own, own)
    if original.is_untouched_result(mesh, seen.fingerprint):
        kept = original.source_heights(mesh)
        return Heights(own if continue_from_result else kept, kept)
    try:
        before, is_all = original.before_erosion(mesh, seen.place)
    except InputError:
        return Heights(own, own, is_new=True)
    if continue_from_result:
        return Heights(own, before[:, 2])
    return Heights(before[:, 2], before[:, 2]) if is_all else Heights(own, own, is_new=True)


def terrain(
    mesh: bpy.types.Mesh,
    lattice: Lattice,
    start: Array,
    continue_from_result: bool,
    layers: Mapping[str, Any],
    adds_up: bool = False,
) -> Terrain:
    """The terrain of the heights `start`, with the artist's layers, or those of the last run where it is continued.

    layers: what replaces the artist's; None for one to start without. adds_up: whether a run that continues the last
    one adds to its wear and deposition.
    """
    bare = grid.terrain_of(lattice, start)
    last_run = set(attributes.ours(mesh)) if continue_from_result else set()
    sums = [name for name in SUMS if adds_up and name in last_run]
    names = [name for name in (*LAYERS, *sums) if attributes.holds(mesh, name)]
    fields = attributes.read_fields(mesh, lattice, names, before_erosion=not continue_from_result)
    fields |= {name: values for name, values in layers.items() if name not in last_run}
    started = {name: values for name, values in fields.items() if values is not None}
    return Terrain(bare.elevation, bare.spacing, started)
