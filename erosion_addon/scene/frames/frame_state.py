# SPDX-License-Identifier: GPL-3.0-or-later
"""Kept state of a run as the result of its terrain."""

from pathlib import Path

import bpy
import numpy as np

from ...base.errors import InputError
from ...run.frames.frame_files import frame_file
from ...run.frames.record import Record
from ...terrain.fields import BAKED, FIELDS
from ...terrain.terrain import Terrain
from ..original import original, transaction
from ..run import commit, start_state
from ..terrain import grid
from ..terrain.grid import snapshot
from ..terrain.image import BlenderFiles
from ..terrain.lattice import Array
from ..terrain.mesh import Topology


def read(folder: Path, record: Record, number: int) -> Terrain:
    """State in a frame file; InputError if there is none."""
    if not 0 <= number <= record.kept:
        raise InputError("There is no frame {number} in {folder}; the last one is {last}.").format(
            number=number, folder=folder, last=record.kept
        )
    files = BlenderFiles()
    fields = {}
    for name in (name for name in record.fields if name not in BAKED):
        parts = [folder / frame_file(image, number) for image in FIELDS[name].images]
        if FIELDS[name].components == 3:
            fields[name] = files.read_color(parts[0])
        else:
            values = [files.read(part) for part in parts]
            fields[name] = values[0] if len(values) == 1 else np.stack(values, axis=-1)
    return Terrain(fields.pop("elevation"), record.spacing, fields)


def heights(terrain: bpy.types.Object, state: Terrain) -> Array:
    """Local heights (vertices,) float32 of a state on the terrain; InputError if it is of another
    grid.
    """
    lattice = grid.find_lattice(terrain)
    if (lattice.rows, lattice.cols) != state.shape or not np.allclose(
        lattice.spacing, state.spacing, 1e-5
    ):
        raise InputError(
            "{name} has another grid or scale than when its frames were kept; run it again."
        ).format(name=terrain.name)
    return lattice.to_vertices((state.elevation / lattice.scale_z).astype(np.float32))


def take(terrain: bpy.types.Object, state: Terrain, number: int) -> str:
    """Make a state, frame `number`, the result of the terrain; the original for Restore stays.

    Returns a mark for `taken`. InputError if the terrain was edited since its last run.
    """
    heights(terrain, state)
    mesh = terrain.data
    view = snapshot(terrain)
    if original.has_source(mesh) and not original.is_untouched_result(mesh, view.fingerprint):
        raise InputError(
            "{name} was edited since its last run; undo that, or run it again."
        ).format(name=terrain.name)
    base = start_state.heights(mesh, view, continue_from_result=False)
    before = grid.terrain_of(view.lattice, base.start).elevation
    paused_run = transaction.paused_run(mesh) if original.is_paused(mesh) else None
    change = commit.change_to(
        state, Topology.of(mesh), view.place, view.lattice, base.start, before
    )
    commit.commit(mesh, view.lattice, base, state, paused_run, change)
    return f"{number} {mesh[original.RESULT]}"


def taken(mesh: bpy.types.Mesh, mark: str) -> int | None:
    """Frame number of the mesh's current result, by the mark from `take`; None for another
    result.
    """
    number, _, result = mark.partition(" ")
    return int(number) if number.isdecimal() and result == mesh.get(original.RESULT) else None
