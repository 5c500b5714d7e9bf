# SPDX-License-Identifier: GPL-3.0-or-later
"""All-or-nothing changes."""

import contextlib
from typing import Any

import bpy
import numpy as np
from idprop.types import IDPropertyGroup

from ..terrain import attribute_values, attributes
from ..terrain.lattice import Array

COLOR = 16
"""Bytes of a color, the largest of our attributes, at a vertex."""


@contextlib.contextmanager
def all_or_nothing(mesh: bpy.types.Mesh, current: Array) -> Any:
    """Context that restores the mesh after an error. current: local positions of the vertices
    (vertices, 3).

    Restoring allocates no arrays, as the error may be lack of memory.
    """
    heights = current[:, 2].copy()
    room = np.empty(COLOR * len(heights), np.uint8)
    # shares its arrays with the mesh until written, so it costs next to nothing
    backup = mesh.copy()
    try:
        yield
    except BaseException:
        place = attribute_values.read(backup.attributes["position"], room)
        place[:, 2] = heights
        mesh.attributes["position"].data.foreach_set("vector", place.ravel())
        mesh.update()
        attributes.copy_fields(backup, mesh, room)
        raise
    finally:
        bpy.data.meshes.remove(backup)


@contextlib.contextmanager
def nothing_new() -> Any:
    """Context that removes the objects and meshes made in it after an error."""
    kinds = (bpy.data.objects, bpy.data.meshes)
    uids = {item.session_uid for kind in kinds for item in kind}
    try:
        yield
    except BaseException:
        for kind in kinds:
            for item in [item for item in kind if item.session_uid not in uids]:
                kind.remove(item)
        raise


KEY = "erosion_paused"
"""Custom property of a mesh: pieces by number; one piece in files of release 0.1.0."""

PIECE = 1 << 26
"""Size limit of a piece in bytes: Blender counts in 32 bits, and crashes beyond."""

LARGEST = 1 << 32
"""Size limit of a run in bytes: Blender holds it in memory, and writes it with every file."""


def keep(mesh: bpy.types.Mesh, file: Array | None) -> None:
    """Store the bytes (count,) uint8 of a paused run, replacing an earlier one; None: remove it."""
    mesh.pop(KEY, None)
    if file is not None:
        starts = range(0, len(file), PIECE)
        mesh[KEY] = {
            str(number): file[start : start + PIECE].tobytes()
            for number, start in enumerate(starts)
        }


def has_paused_run(mesh: bpy.types.Mesh) -> bool:
    """Whether the mesh stores a paused run."""
    return KEY in mesh


def paused_run(mesh: bpy.types.Mesh) -> Array:
    """Stored bytes (count,) uint8; none for invalid content."""
    value = mesh[KEY]
    pieces = [value]
    if isinstance(value, IDPropertyGroup):
        pieces = [value.get(str(number)) for number in range(len(value))]
    parts = [np.frombuffer(piece, np.uint8) for piece in pieces if isinstance(piece, bytes)]
    return np.concatenate(parts) if parts else np.empty(0, np.uint8)
