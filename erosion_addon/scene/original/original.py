# SPDX-License-Identifier: GPL-3.0-or-later
"""Original: the terrain before erosion, stored in its mesh and in the file.

Each vertex stores its height before erosion, and its position after the run. Both follow the
vertices through edits, and show whether the mesh was only transformed or edited since. If an edited
terrain is eroded, its older original is set aside, and comes back with a second Restore.
"""

import bpy
import numpy as np

from ...base.errors import InputError, Sentence
from ...terrain.fields import BAKED
from ..terrain import attributes, lattice
from ..terrain.attribute_values import new_attribute
from ..terrain.lattice import Array
from ..terrain.mesh import fingerprint, positions, write_positions
from . import affine, transaction

NAME = attributes.ASIDE.rstrip("_")
"""Vertex attribute: local z before erosion."""

PLACE = "erosion_place"
"""Vertex attribute: local position after the run. Missing in files of release 0.1.0."""

COUNT = "erosion_vertices"
"""Custom property of a mesh: number of vertices after the run."""

RESULT = "erosion_result"
"""Custom property of a mesh: fingerprint of the last result."""

MOST_ASIDE = 8
"""Maximum number of originals set aside; each takes 16 bytes per vertex."""


def has_source(mesh: bpy.types.Mesh) -> bool:
    """Whether the mesh stores a terrain before erosion."""
    return _is_there(mesh, NAME, "FLOAT")


def check_names(mesh: bpy.types.Mesh) -> None:
    """Raise InputError if the user has other data under a name of the original, also of one set
    aside.
    """
    for number in (0, min(_number_aside(mesh) + has_source(mesh), MOST_ASIDE)):
        _check_name(mesh, _numbered(NAME, number), "FLOAT")
        _check_name(mesh, _numbered(PLACE, number), "FLOAT_VECTOR")


def keep_source(mesh: bpy.types.Mesh, z_by_vertex: Array) -> None:
    """Store local heights (vertices,) float32 as the original.

    Equal ones are not written again, so the mesh shares them with its undo steps.
    """
    heights = np.ascontiguousarray(z_by_vertex, np.float32)
    # Compared as bytes, as zeros may have a sign.
    if not (
        has_source(mesh)
        and np.array_equal(source_heights(mesh).view(np.int32), heights.view(np.int32))
    ):
        _set(mesh, NAME, "FLOAT", "value", heights)


def keep_place(mesh: bpy.types.Mesh, place: Array) -> None:
    """Store the result's local positions (vertices, 3) float32."""
    _set(mesh, PLACE, "FLOAT_VECTOR", "vector", place)
    mesh[COUNT] = len(place)


def set_aside(mesh: bpy.types.Mesh) -> list[str]:
    """Set the original aside for a later Restore, if there is one.

    Beyond MOST_ASIDE the second oldest is dropped, so the first terrain stays. Returns a message
    about it.
    """
    if not has_source(mesh):
        return []
    count = _number_aside(mesh)
    is_full = count >= MOST_ASIDE
    if is_full:
        _bridge(mesh, count, count - 1)
        _drop(mesh, count - 1)
    for number in range(count - 2 if is_full else count, -1, -1):
        _rename(mesh, number, number + 1)
    sentence = Sentence(
        "Restore brings back the first terrain of {name} and the last {most}; one between "
        "them is gone."
    ).format(name=mesh.name, most=MOST_ASIDE)
    return [sentence] if is_full else []


def source_heights(mesh: bpy.types.Mesh) -> Array:
    """Local heights before erosion (vertices,) float32; InputError if none are stored."""
    if not has_source(mesh):
        raise InputError("{name} does not hold the terrain before erosion.").format(name=mesh.name)
    return _values(mesh, NAME, 1).ravel()


def before_erosion(mesh: bpy.types.Mesh, current: Array | None = None) -> tuple[Array, bool]:
    """Local positions (vertices, 3) float32 before erosion, with later transformations of the mesh
    applied, and whether it was only transformed.

    InputError if none are stored, or the transformation is undetermined. current: positions, if
    known already.
    """
    heights = source_heights(mesh)
    current = positions(mesh) if current is None else current
    if not _is_there(mesh, PLACE, "FLOAT_VECTOR"):
        return _before_release_0_1_0(mesh, heights, current)
    place = _values(mesh, PLACE, 3)
    before = np.column_stack([place[:, :2], heights])
    motion = affine.between(place, current, before)
    if motion is None:
        raise InputError(
            "The vertices of {name} were moved since its last run, so the place of the terrain "
            "before erosion is no longer known; undo that, or use Apply."
        ).format(name=mesh.name)
    astray = motion.astray(place, current)
    if astray and len(current) != mesh.get(COUNT):
        raise InputError(
            "{misplaced} of the {count} vertices of {name} are not where its last run left "
            "them; delete added geometry to restore the terrain."
        ).format(name=mesh.name, count=len(current), misplaced=astray)
    return motion.of(before), not astray


def _before_release_0_1_0(
    mesh: bpy.types.Mesh, heights: Array, current: Array
) -> tuple[Array, bool]:
    """`before_erosion` from heights alone, for a mesh that has hardly changed."""
    before = np.column_stack([current[:, :2], heights])
    untouched = is_untouched_result(mesh)
    if not untouched:
        lattice.find(mesh.name, current, np.ones(3), lambda: np.empty((0, 2), np.intp))
        if not affine.is_reshaped_in_place(before, current):
            raise InputError(
                "{name} was scaled or moved since its last run, and Terrain Erosion 0.1.0 stored "
                "too little to follow that; undo it, or use Apply."
            ).format(name=mesh.name)
    return before, untouched


def restore(mesh: bpy.types.Mesh) -> None:
    """Restore the terrain before erosion, and remove the run's additions to the mesh; InputError if
    none is stored.
    """
    write_positions(mesh, before_erosion(mesh)[0])
    attributes.remove_fields(mesh)
    _drop(mesh)
    for number in range(1, _number_aside(mesh) + 1):
        _rename(mesh, number, number - 1)


def apply(mesh: bpy.types.Mesh, remove_maps: bool = False) -> None:
    """Make the current mesh a plain one: drops the original and a paused run; its maps become the
    user's attributes, or are removed.

    Baked light stays, and follows the next run. InputError if no original is stored.
    """
    if not has_source(mesh):
        raise InputError("{name} does not hold the terrain before erosion.").format(name=mesh.name)
    if remove_maps:
        attributes.remove_fields(mesh, but=BAKED)
    else:
        attributes.hand_over_fields(mesh, but=BAKED)
    for number in range(_number_aside(mesh), -1, -1):
        _drop(mesh, number)


def mark_result(
    mesh: bpy.types.Mesh,
    paused_run: Array | None = None,
    current: Array | None = None,
    digest: str | None = None,
) -> None:
    """Mark the current mesh as the result of a run, with the file of its checkpoint if paused.

    current: positions, if known; digest: their fingerprint, if known.
    """
    current = positions(mesh) if current is None else current
    keep_place(mesh, current)
    mesh[RESULT] = fingerprint(mesh, current) if digest is None else digest
    transaction.keep(mesh, paused_run)


def is_paused(mesh: bpy.types.Mesh) -> bool:
    """Whether the mesh stores a resumable run, by a cheap test."""
    return transaction.has_paused_run(mesh) and has_source(mesh)


def paused_run(mesh: bpy.types.Mesh) -> Array:
    """Checkpoint file of the run paused on the mesh, as bytes; InputError if there is none, or the
    mesh has changed.
    """
    if not (is_paused(mesh) and is_untouched_result(mesh)):
        raise InputError(
            "{name} was changed after its run was paused; run it again from the start."
        ).format(name=mesh.name)
    return transaction.paused_run(mesh)


def is_untouched_result(mesh: bpy.types.Mesh, digest: str | None = None) -> bool:
    """Whether the mesh is exactly the last result, so that a new run may start from the original.

    digest: fingerprint, if known.
    """
    return (
        RESULT in mesh
        and has_source(mesh)
        and mesh[RESULT] == (fingerprint(mesh) if digest is None else digest)
    )


def _is_there(mesh: bpy.types.Mesh, name: str, data_type: str) -> bool:
    attribute = mesh.attributes.get(name)
    return attribute is not None and (attribute.data_type, attribute.domain) == (data_type, "POINT")


def _set(mesh: bpy.types.Mesh, name: str, data_type: str, member: str, values: Array) -> None:
    if not _is_there(mesh, name, data_type):
        _check_name(mesh, name, data_type)
        new_attribute(mesh, name, data_type)
    mesh.attributes[name].data.foreach_set(member, np.ascontiguousarray(values, np.float32).ravel())


def _check_name(mesh: bpy.types.Mesh, name: str, data_type: str) -> None:
    if name in mesh.attributes and not _is_there(mesh, name, data_type):
        raise InputError(
            "{mesh} has an attribute {name} of another kind; rename or remove it first."
        ).format(mesh=mesh.name, name=name)
    attributes.check_no_vertex_group(mesh, name)


def _values(mesh: bpy.types.Mesh, name: str, size: int) -> Array:
    """A vertex attribute, (vertices, size) float32."""
    values = np.empty((len(mesh.vertices), size), np.float32)
    mesh.attributes[name].data.foreach_get("value" if size == 1 else "vector", values.ravel())
    return values


def _bridge(mesh: bpy.types.Mesh, number: int, dropped: int) -> None:
    """Connect an original that was set aside with the terrain after the next one, which is dropped.

    Restore finds the transformation between the result of a run and the start of the next one.
    Without the next one, its run would look like an edit. The stored position therefore becomes the
    later result's, without the transformation between the two runs.
    """
    names = [_numbered(name, index) for index in (number, dropped) for name in (NAME, PLACE)]
    if not all(name in mesh.attributes for name in names):
        return  # in files of release 0.1.0
    heights, place, next_heights, next_place = (
        _values(mesh, name, size) for name, size in zip(names, (1, 3, 1, 3), strict=True)
    )
    before, start = (
        np.hstack([left[:, :2], z]) for left, z in ((place, heights), (next_place, next_heights))
    )
    if (motion := affine.between(place, start, before)) is not None:
        place[:, 2] = motion.inverse().of(next_place)[:, 2]
        _set(mesh, _numbered(PLACE, number), "FLOAT_VECTOR", "vector", place)


def _numbered(name: str, number: int) -> str:
    """Names for the original set aside as number `number`; 0: the current one."""
    return f"{name}.{number}" if number else name


def _number_aside(mesh: bpy.types.Mesh) -> int:
    number = 0
    while _is_there(mesh, _numbered(NAME, number + 1), "FLOAT"):
        number += 1
    return number


def _rename(mesh: bpy.types.Mesh, number: int, new_number: int) -> None:
    for name in (NAME, PLACE):
        if _numbered(name, number) in mesh.attributes:
            mesh.attributes[_numbered(name, number)].name = _numbered(name, new_number)
    if (count := mesh.pop(_numbered(COUNT, number), None)) is not None:
        mesh[_numbered(COUNT, new_number)] = count


def _drop(mesh: bpy.types.Mesh, number: int = 0) -> None:
    for name in (NAME, PLACE):
        attributes.drop_aside(mesh, _numbered(name, number))
    mesh.pop(_numbered(COUNT, number), None)
    if not number:
        mesh.pop(RESULT, None)
        transaction.keep(mesh, None)
