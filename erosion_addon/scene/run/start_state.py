# SPDX-License-Identifier: GPL-3.0-or-later
"""Start of a run on a mesh: heights and layers."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import bpy

from ...base.arrays import LOOSE
from ...base.errors import InputError
from ...processes.registry import PROCESSES
from ...terrain.fields import BAKED, FIELDS
from ...terrain.terrain import Terrain
from ..original import original
from ..terrain import attributes, grid
from ..terrain.grid import TerrainSnapshot
from ..terrain.lattice import Array, Lattice

_READ = {*LOOSE, *(name for process in PROCESSES.values() for name in process.reads)}

LAYERS = tuple(name for name in FIELDS if name in _READ)
"""Attributes that a run reads if the mesh has them."""

SUMS = ("wear", "deposition")
"""Attributes that consecutive runs may add to."""


class Heights(NamedTuple):
    """Local heights (vertices,) float32: start of a run, and original for Restore.

    is_new: whether the original differs from the stored one, which must then be set aside.
    """

    start: Array
    original: Array
    is_new: bool = False


def heights(mesh: bpy.types.Mesh, base: TerrainSnapshot, continue_from_result: bool) -> Heights:
    """Heights for a run on the mesh, from a fresh snapshot.

    A terrain that was at most transformed since the last run starts from its original, unless the
    result is to be continued. An edited terrain starts as it is.
    """
    current = base.heights
    if not original.has_source(mesh):
        return Heights(current, current)
    if original.is_untouched_result(mesh, base.fingerprint):
        first = original.source_heights(mesh)
        return Heights(current if continue_from_result else first, first)
    try:
        before, is_all = original.before_erosion(mesh, base.place)
    except InputError:
        return Heights(current, current, is_new=True)
    if continue_from_result:
        return Heights(current, before[:, 2])
    return Heights(before[:, 2], before[:, 2]) if is_all else Heights(current, current, is_new=True)


def terrain(
    mesh: bpy.types.Mesh,
    lattice: Lattice,
    start: Array,
    continue_from_result: bool,
    layers: Mapping[str, Any],
    adds_up: bool = False,
    keeps_all: bool = False,
) -> Terrain:
    """Terrain with the heights `start`, and the artist's layers, or those of the last run if it is
    continued.

    layers: replacements of the artist's; None for one to leave out. adds_up: whether a continued
    run adds to wear and deposition. keeps_all: whether the terrain has all results of the last run.
    """
    bare = grid.terrain_of(lattice, start)
    last_run = set(attributes.ours(mesh)) if continue_from_result else set()
    sums = [name for name in SUMS if adds_up and name in last_run]
    rest = [
        name
        for name in FIELDS
        if keeps_all and name in last_run and name not in (*LAYERS, *sums, *BAKED)
    ]
    names = [name for name in (*LAYERS, *sums, *rest) if attributes.holds(mesh, name)]
    fields = attributes.read_fields(mesh, lattice, names, before_erosion=not continue_from_result)
    fields |= {name: values for name, values in layers.items() if name not in last_run}
    started = {name: values for name, values in fields.items() if values is not None}
    return Terrain(bare.elevation, bare.spacing, started)
