# SPDX-License-Identifier: GPL-3.0-or-later
"""Companions: objects that follow a terrain, such as its water surface, rivers, lakes, sea, foliage
and levels of detail.

A companion is a child of its terrain, marked with its kind. Parenting is Blender's own relation, so
it survives saving, renaming, undo and duplicating: a terrain duplicated with its companions is a
second set, a terrain alone has none. Clearing the parent detaches a companion. (A pointer to the
terrain would keep a deleted terrain in the file.)
"""

import math
import re
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

from ..materials.node_trees import nodes
from ..terrain.active import KIND

KINDS = {
    "water": "Water Surface",
    "rivers": "Rivers",
    "lakes": "Lakes",
    "sea": "Sea",
    "foliage": "Foliage",
    "plants": "Plants and Boulders",
    "surroundings": "Surrounding Land",
    "lod": "Levels of Detail",
}
"""Kind → label."""

TYPES = ("MESH", "CURVES")
"""Object types of companions."""

AXES = "erosion_axes"
"""Custom property of a companion: at its last update, the matrix of its terrain and its own in the
terrain's axes; 32 numbers by row.
"""

TERRAIN_NAME = "erosion_named"
"""Custom property of a companion: terrain's name at the time the companion was named."""

HIDDEN = "erosion_hidden"
"""Custom property of a temporarily hidden companion."""


def find(terrain: bpy.types.Object, kind: str | None = None) -> list[bpy.types.Object]:
    """Companions of a kind, or of all kinds.

    An object in no collection counts as deleted; a converted one, such as a curve, belongs to the
    user.
    """
    children = (
        child for child in terrain.children if child.type in TYPES and child.library is None
    )
    return [
        child
        for child in children
        if KIND in child and kind in (None, child[KIND]) and child.users_collection
    ]


def add(
    terrain: bpy.types.Object, kind: str, name: str, data: bpy.types.Mesh | bpy.types.Curves
) -> bpy.types.Object:
    """New companion that shows `data`, in the terrain's collections and place. name: begins with
    the terrain's.
    """
    companion = bpy.data.objects.new(name, data)
    companion[TERRAIN_NAME] = terrain.name
    companion[KIND] = kind
    companion.parent = terrain
    for collection in terrain.users_collection:
        collection.objects.link(companion)
    put_in_place(terrain)
    return companion


def put_in_place(terrain: bpy.types.Object) -> None:
    """Realign companions with the terrain's axes after a change, and rename them after it.

    When a terrain's scale is applied or its origin moved, Blender counter-transforms the children.
    The change belongs in the companions' meshes, as in the terrain's.
    """
    axes = terrain.matrix_basis.copy()
    for companion in find(terrain):
        _rename(terrain, companion)
        if is_edited(companion):
            continue
        # Not matrix_local, which Blender does not update while an object is hidden.
        placement = companion.matrix_parent_inverse @ companion.matrix_basis
        then = _matrices(companion.get(AXES))
        if (
            then is not None
            and _is_other(axes, then[0])
            and _is_other(placement, then[1])
            and axes.determinant()
        ):
            change = axes.inverted() @ then[0]
            if isinstance(companion.data, bpy.types.Mesh):
                companion.data.transform(change)
            else:
                from . import river_curves

                river_curves.transform(companion.data, np.array(change))
            companion.matrix_parent_inverse.identity()
            companion.matrix_basis = placement = then[1]
        companion[AXES] = [value for matrix in (axes, placement) for row in matrix for value in row]


def _rename(terrain: bpy.types.Object, companion: bpy.types.Object) -> None:
    """Rename a companion and its mesh after a terrain that has been renamed or copied, unless the
    user has.
    """
    old_name = companion.get(TERRAIN_NAME)
    new_name = terrain.name
    if not isinstance(old_name, str) or old_name == new_name:
        return
    for item in (companion, companion.data):
        if match := re.fullmatch(re.escape(old_name) + r"([ _].*?)(\.\d{3})?", item.name):
            item.name = new_name + match[1]
    companion[TERRAIN_NAME] = new_name


def is_edited(companion: bpy.types.Object) -> bool:
    """Whether its data cannot be written, in Edit Mode."""
    data = companion.data
    return data.is_editmode if isinstance(data, bpy.types.Mesh) else companion.mode == "EDIT"


def count(companion: bpy.types.Object) -> int:
    """Number of its vertices, or points."""
    data = companion.data
    return len(data.vertices) if isinstance(data, bpy.types.Mesh) else len(data.points)


def number(companion: bpy.types.Object, key: str, default: float) -> float:
    """Numeric custom property of a companion; the default for any other content."""
    value = companion.get(key)
    return (
        float(value) if isinstance(value, bool | int | float) and math.isfinite(value) else default
    )


def hide(terrain: bpy.types.Object) -> None:
    """Hide the companions visible in viewports, until `show_hidden`."""
    for companion in find(terrain):
        if not companion.hide_viewport:
            companion[HIDDEN] = True
            companion.hide_viewport = True


def show_hidden() -> None:
    """Show the companions hidden by `hide`, and copies of them."""
    for obj in bpy.data.objects:
        if HIDDEN in obj and obj.library is None:
            del obj[HIDDEN]
            obj.hide_viewport = False


def _matrices(numbers: Any) -> tuple[Matrix, Matrix] | None:
    """Content of `AXES`; None if missing or invalid."""
    try:
        values = [float(value) for value in numbers]
    except (TypeError, ValueError):
        return None
    if len(values) != 32:
        return None
    first, second = ([values[at + row : at + row + 4] for row in (0, 4, 8, 12)] for at in (0, 16))
    return Matrix(first), Matrix(second)


def _is_other(matrix: Matrix, then: Matrix) -> bool:
    size = max(1.0, *(abs(value) for row in then for value in row))
    return any(
        abs(a - b) > 1e-6 * size
        for row, old in zip(matrix, then, strict=True)
        for a, b in zip(row, old, strict=True)
    )


def remove(terrain: bpy.types.Object, kind: str) -> int:
    """Remove the companions of a kind with their unused data; returns their number."""
    objects = find(terrain, kind)
    for companion in objects:
        data = companion.data
        bpy.data.objects.remove(companion)
        if not data.users:
            bpy.data.batch_remove([data])
    for collection in (
        bpy.data.collections,
        bpy.data.objects,
        bpy.data.meshes,
        bpy.data.materials,
        bpy.data.node_groups,
    ):
        for unused in [item for item in collection if nodes.KIND in item and not item.users]:
            collection.remove(unused)
    return len(objects)
