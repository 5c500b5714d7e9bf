# SPDX-License-Identifier: GPL-3.0-or-later
"""The terrain before erosion, kept in its mesh, so that it comes back also after saving and opening the file."""

import io

import bpy
import numpy as np

from ..model.checkpoint import Checkpoint
from ..model.errors import InputError
from ..model.fields import BAKED
from . import attributes
from .lattice import Array
from .mesh import fingerprint, write_heights

NAME = attributes.ASIDE.rstrip("_")
"""Attribute of the vertices: local z before erosion."""

RESULT = "erosion_result"
"""Custom property of a mesh: fingerprint of what the last run left."""

PAUSED = "erosion_paused"
"""Custom property of a mesh: the checkpoint of a run that was paused, as the bytes of its file."""


def has_source(mesh: bpy.types.Mesh) -> bool:
    """Whether the terrain before erosion is kept in the mesh."""
    kept = mesh.attributes.get(NAME)
    return kept is not None and (kept.data_type, kept.domain) == ("FLOAT", "POINT")


def keep_source(mesh: bpy.types.Mesh, z_by_vertex: Array) -> None:
    """Keep local heights (vertices,) float32 as those before erosion."""
    if not has_source(mesh):
        if NAME in mesh.attributes:
            raise InputError(f"{mesh.name} has an attribute {NAME} of another kind; rename or remove it first.")
        attributes.check_no_vertex_group(mesh, NAME)
        attributes.new_attribute(mesh, NAME, "FLOAT")
    mesh.attributes[NAME].data.foreach_set("value", np.ascontiguousarray(z_by_vertex, np.float32))


def source_heights(mesh: bpy.types.Mesh) -> Array:
    """Local heights before erosion (vertices,) float32; InputError where none are kept."""
    if not has_source(mesh):
        raise InputError(f"{mesh.name} does not hold the terrain before erosion.")
    heights = np.empty(len(mesh.vertices), np.float32)
    mesh.attributes[NAME].data.foreach_get("value", heights)
    return heights


def restore(mesh: bpy.types.Mesh) -> None:
    """Bring back the heights before erosion, and remove what runs added to the mesh; InputError if none are kept."""
    write_heights(mesh, source_heights(mesh))
    attributes.remove_fields(mesh)
    mesh.attributes.remove(mesh.attributes[NAME])
    for key in [key for key in mesh.keys() if key.startswith("erosion_")]:  # noqa: SIM118 - a mesh is no dict
        del mesh[key]


def apply(mesh: bpy.types.Mesh, remove_maps: bool = False) -> None:
    """Make the mesh as it is now plain: neither terrain before erosion nor paused run are kept, and its maps are the
    user's own attributes, or removed. InputError where no terrain before erosion is kept.

    Baked light stays ours, so that it follows the next run.
    """
    if not has_source(mesh):
        raise InputError(f"{mesh.name} does not hold the terrain before erosion.")
    if remove_maps:
        attributes.remove_fields(mesh, but=BAKED)
    else:
        attributes.hand_over_fields(mesh, but=BAKED)
    attributes.drop_aside(mesh, NAME)
    for key in (RESULT, PAUSED):
        mesh.pop(key, None)


def mark_result(mesh: bpy.types.Mesh, paused: Checkpoint | None = None) -> None:
    """Remember that the mesh as it is now is the result of a run, and where that stands if it was paused."""
    mesh[RESULT] = fingerprint(mesh)
    mesh.pop(PAUSED, None)
    if paused is not None:
        content = io.BytesIO()
        paused.write(content)
        mesh[PAUSED] = content.getvalue()


def is_paused(mesh: bpy.types.Mesh) -> bool:
    """Whether the mesh holds a run that can go on, as far as that costs nothing to know."""
    return PAUSED in mesh and has_source(mesh)


def paused_run(mesh: bpy.types.Mesh) -> Checkpoint:
    """Where the run stands that was paused on the mesh; InputError where there is none, or the mesh has changed."""
    if not (is_paused(mesh) and is_untouched_result(mesh)):
        raise InputError(f"{mesh.name} was changed after its run was paused; run it again from the start.")
    return Checkpoint.read(io.BytesIO(mesh[PAUSED]), f"The paused run of {mesh.name}")


def is_untouched_result(mesh: bpy.types.Mesh) -> bool:
    """Whether the mesh still is exactly what the last run left, so that a new run may start from its source."""
    return RESULT in mesh and has_source(mesh) and mesh[RESULT] == fingerprint(mesh)
