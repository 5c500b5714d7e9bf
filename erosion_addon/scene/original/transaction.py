# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes that happen wholly or not at all."""

import contextlib
from typing import Any

import bpy
import numpy as np

from ..terrain import attribute_values, attributes
from ..terrain.lattice import Array

COLOR = 16
"""Bytes of a color, the largest of our attributes, at a vertex."""


@contextlib.contextmanager
def all_or_nothing(mesh: bpy.types.Mesh, now: Array) -> Any:
    """Context that restores the mesh after an error. now: local positions of the vertices
    (vertices, 3).

    Restoring allocates no arrays, as the error may be lack of memory.
    """
    heights = now[:, 2].copy()
    room = np.empty(COLOR * len(heights), np.uint8)
    # shares its arrays with the mesh until they are written, so it costs next to nothing
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
    known = {item.session_uid for kind in kinds for item in kind}
    try:
        yield
    except BaseException:
        for kind in kinds:
            for item in [item for item in kind if item.session_uid not in known]:
                kind.remove(item)
        raise
