# SPDX-License-Identifier: GPL-3.0-or-later
"""Paused run stored in its mesh: the bytes of its checkpoint file, in pieces that Blender can
hold.
"""

import bpy
import numpy as np
from idprop.types import IDPropertyGroup

from ..terrain.lattice import Array

KEY = "erosion_paused"
"""Custom property of a mesh: pieces by number; one piece in files of release 0.1.0."""

PIECE = 1 << 26
"""Bytes of a piece. Blender counts them in 32 bits, and crashes beyond."""

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


def is_kept(mesh: bpy.types.Mesh) -> bool:
    """Whether the mesh stores a paused run."""
    return KEY in mesh


def kept(mesh: bpy.types.Mesh) -> Array:
    """Stored bytes (count,) uint8; none for invalid content."""
    held = mesh[KEY]
    pieces = [held]
    if isinstance(held, IDPropertyGroup):
        pieces = [held.get(str(number)) for number in range(len(held))]
    known = [np.frombuffer(piece, np.uint8) for piece in pieces if isinstance(piece, bytes)]
    return np.concatenate(known) if known else np.empty(0, np.uint8)
