# SPDX-License-Identifier: GPL-3.0-or-later
"""The terrain before erosion, kept in its mesh, so that it comes back also after saving and opening the file.

Each vertex keeps its height before erosion and the place where the run left it. So the two follow the vertices through
all that Blender does to a mesh, and show whether the mesh was only moved, turned and scaled since, or edited. A source
that a run on an edited terrain would replace is set aside, and comes back one Restore later.
"""

import bpy
import numpy as np

from ...base.errors import InputError
from ...terrain.fields import BAKED
from ..terrain import attributes, lattice
from ..terrain.attribute_values import new_attribute
from ..terrain.lattice import Array
from ..terrain.mesh import fingerprint, positions, write_positions
from . import affine, paused

NAME = attributes.ASIDE.rstrip("_")
"""Attribute of the vertices: local z before erosion."""

PLACE = "erosion_place"
"""Attribute of the vertices: local position as the run left it. Files of release 0.1.0 have none."""

COUNT = "erosion_vertices"
"""Custom property of a mesh: how many vertices the run left."""

RESULT = "erosion_result"
"""Custom property of a mesh: fingerprint of what the last run left."""

MOST_ASIDE = 8
"""How many sources are set aside at most; each takes 16 bytes a vertex."""


def has_source(mesh: bpy.types.Mesh) -> bool:
    """Whether the terrain before erosion is kept in the mesh."""
    return _is_there(mesh, NAME, "FLOAT")


def keep_source(mesh: bpy.types.Mesh, z_by_vertex: Array) -> None:
    """Keep local heights (vertices,) float32 as those before erosion."""
    _set(mesh, NAME, "FLOAT", "value", z_by_vertex)


def keep_place(mesh: bpy.types.Mesh, place: Array) -> None:
    """Keep local positions (vertices, 3) float32 as those that belong to the heights before erosion."""
    _set(mesh, PLACE, "FLOAT_VECTOR", "vector", place)
    mesh[COUNT] = len(place)


def set_aside(mesh: bpy.types.Mesh) -> list[str]:
    """Keep the source for a later Restore, where the mesh has one, and make room for another.

    Of more than MOST_ASIDE the second oldest goes, so that the first terrain of all stays. Returns a sentence about it.
    """
    if not has_source(mesh):
        return []
    count = _number_aside(mesh)
    is_full = count >= MOST_ASIDE
    if is_full:
        _bridge(mesh, count, count - 1)
        _drop(mesh, count - 1)
        _rename(mesh, count, count - 1)
    for number in range(count - is_full, -1, -1):
        _rename(mesh, number, number + 1)
    said = f"Restore brings back the first terrain of {mesh.name} and the last {MOST_ASIDE}; one between them is gone."
    return [said] if is_full else []


def source_heights(mesh: bpy.types.Mesh) -> Array:
    """Local heights before erosion (vertices,) float32; InputError where none are kept."""
    if not has_source(mesh):
        raise InputError(f"{mesh.name} does not hold the terrain before erosion.")
    return _values(mesh, NAME, 1).ravel()


def before_erosion(mesh: bpy.types.Mesh, now: Array | None = None) -> tuple[Array, bool]:
    """Local positions (vertices, 3) float32 before erosion, moved, turned and scaled as the mesh was since, and
    whether that is all that happened to it; InputError where none are kept, or where they belong cannot be told.

    now: the positions of today, where they were read already.
    """
    heights, now = source_heights(mesh), positions(mesh) if now is None else now
    if not _is_there(mesh, PLACE, "FLOAT_VECTOR"):
        return _before_release_0_1_0(mesh, heights, now)
    place = _values(mesh, PLACE, 3)
    before = np.column_stack([place[:, :2], heights])
    found = affine.between(place, now, before)
    if found is None:
        raise InputError(
            f"The vertices of {mesh.name} were moved since its last run, so that it cannot be told any more where the "
            "terrain before erosion belongs; undo that, or use Apply."
        )
    astray = found.astray(place, now)
    if astray and len(now) != mesh.get(COUNT):
        raise InputError(
            f"{mesh.name} has {len(now)} vertices, of which {astray} are not where its last run left them; delete "
            "what was added to the terrain, and it can be restored."
        )
    return found.of(before), not astray


def _before_release_0_1_0(mesh: bpy.types.Mesh, heights: Array, now: Array) -> tuple[Array, bool]:
    """As `before_erosion` from heights alone: then the mesh has to be much as it was."""
    before = np.column_stack([now[:, :2], heights])
    untouched = is_untouched_result(mesh)
    if not untouched:
        lattice.find(mesh.name, now, np.ones(3), lambda: np.empty((0, 2), np.intp))
        if not affine.is_reshaped_in_place(before, now):
            raise InputError(
                f"{mesh.name} was scaled or moved since its last run, of which Terrain Erosion 0.1.0 kept too little "
                "to follow that; undo it, or use Apply."
            )
    return before, untouched


def restore(mesh: bpy.types.Mesh) -> None:
    """Bring back the terrain before erosion, and remove what the run added to the mesh; InputError if none is kept."""
    write_positions(mesh, before_erosion(mesh)[0])
    attributes.remove_fields(mesh)
    _drop(mesh)
    for number in range(1, _number_aside(mesh) + 1):
        _rename(mesh, number, number - 1)


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
    for number in range(_number_aside(mesh), -1, -1):
        _drop(mesh, number)


def mark_result(mesh: bpy.types.Mesh, paused_run: Array | None = None, now: Array | None = None) -> None:
    """Remember that the mesh as it is now is the result of a run, and where that stands if it was paused: the bytes of
    its checkpoint's file. now: the positions of today, where they are known."""
    now = positions(mesh) if now is None else now
    keep_place(mesh, now)
    mesh[RESULT] = fingerprint(mesh, now)
    paused.keep(mesh, paused_run)


def is_paused(mesh: bpy.types.Mesh) -> bool:
    """Whether the mesh holds a run that can go on, as far as that costs nothing to know."""
    return paused.is_kept(mesh) and has_source(mesh)


def paused_run(mesh: bpy.types.Mesh) -> Array:
    """Where the run stands that was paused on the mesh, as the bytes of its checkpoint's file; InputError where there
    is none, or the mesh has changed."""
    if not (is_paused(mesh) and is_untouched_result(mesh)):
        raise InputError(f"{mesh.name} was changed after its run was paused; run it again from the start.")
    return paused.kept(mesh)


def is_untouched_result(mesh: bpy.types.Mesh, digest: str | None = None) -> bool:
    """Whether the mesh still is exactly what the last run left, so that a new run may start from its source.

    digest: its fingerprint, where that was taken already.
    """
    return RESULT in mesh and has_source(mesh) and mesh[RESULT] == (fingerprint(mesh) if digest is None else digest)


def _is_there(mesh: bpy.types.Mesh, name: str, data_type: str) -> bool:
    kept = mesh.attributes.get(name)
    return kept is not None and (kept.data_type, kept.domain) == (data_type, "POINT")


def _set(mesh: bpy.types.Mesh, name: str, data_type: str, member: str, values: Array) -> None:
    if not _is_there(mesh, name, data_type):
        if name in mesh.attributes:
            raise InputError(f"{mesh.name} has an attribute {name} of another kind; rename or remove it first.")
        attributes.check_no_vertex_group(mesh, name)
        new_attribute(mesh, name, data_type)
    mesh.attributes[name].data.foreach_set(member, np.ascontiguousarray(values, np.float32).ravel())


def _values(mesh: bpy.types.Mesh, name: str, size: int) -> Array:
    """An attribute of the vertices, (vertices, size) float32."""
    values = np.empty((len(mesh.vertices), size), np.float32)
    mesh.attributes[name].data.foreach_get("value" if size == 1 else "vector", values.ravel())
    return values


def _bridge(mesh: bpy.types.Mesh, number: int, dropped: int) -> None:
    """Let a source that was set aside follow the terrain across the one after it, which is to be dropped.

    Restore finds what was done to the mesh between what a run left and what the next one began with. With the next one
    gone, its run looks like an edit. So the place that the source remembers becomes the one that the later run left,
    as it would be without what was done to the mesh between the two runs.
    """
    names = [_numbered(name, one) for one in (number, dropped) for name in (NAME, PLACE)]
    if not all(name in mesh.attributes for name in names):
        return  # as in files of release 0.1.0
    heights, place, next_heights, next_place = (
        _values(mesh, name, size) for name, size in zip(names, (1, 3, 1, 3), strict=True)
    )
    before, began = (np.hstack([left[:, :2], z]) for left, z in ((place, heights), (next_place, next_heights)))
    if (found := affine.between(place, began, before)) is not None:
        place[:, 2] = found.inverse().of(next_place)[:, 2]
        _set(mesh, _numbered(PLACE, number), "FLOAT_VECTOR", "vector", place)


def _numbered(name: str, number: int) -> str:
    """What belongs to the source set aside as the `number`th; 0: to the one at hand."""
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
        paused.keep(mesh, None)
