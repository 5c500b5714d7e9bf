# SPDX-License-Identifier: GPL-3.0-or-later
"""Companions: objects that follow a terrain, such as its water surface, rivers, lakes, sea, foliage and levels of
detail.

A companion is a child of its terrain, marked with its kind. Parenting is Blender's own relation, so it survives saving,
renaming, undo and duplicating: a terrain duplicated with its companions is a second set, a terrain alone has none.
Clearing the parent detaches a companion. (A pointer to the terrain would keep a deleted terrain in the file.)
"""

import math
from collections.abc import Callable
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ...base.errors import InputError
from ...terrain.fields import FIELDS, WATERS
from ..materials import nodes
from ..materials.terrain_nodes import SHORE
from ..terrain import attributes, grid
from ..terrain.mesh import positions

KIND = "erosion_kind"
"""Custom property of a companion: its kind."""

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

AXES = "erosion_axes"
"""Custom property of a companion: the matrix of its terrain, and its own in the terrain's axes, at its last update; 32
numbers by row.
"""

HIDDEN = "erosion_hidden"
"""Custom property of a temporarily hidden companion."""

WATER_SURFACE = "erosion_water_surface"
"""Custom property of a terrain for its material: 1 if its water has a surface, so the material draws none."""

SHOWN = "erosion_shown"
"""Custom property of a terrain for its material, three numbers: 1 if rivers, lakes or sea are objects; and the
direction of sand transport in world x and y, a unit vector.
"""


WATER_KINDS = ("water", "rivers", "lakes", "sea")
"""Companions that show water."""


def terrain_of(obj: bpy.types.Object | None) -> bpy.types.Object | None:
    """Terrain of a companion; the object itself if it is not a companion, or its terrain is deleted."""
    if obj is None or KIND not in obj or obj.parent is None:
        return obj
    # What lies in no collection is deleted as far as the user sees: foliage that looks at it keeps it in the file.
    return obj.parent if obj.parent.users_collection else obj


def find(terrain: bpy.types.Object, kind: str | None = None) -> list[bpy.types.Object]:
    """Companions of a kind, or of all kinds.

    An object in no collection counts as deleted; a converted one, such as a curve, belongs to the user.
    """
    children = (child for child in terrain.children if child.type == "MESH" and child.library is None)
    return [child for child in children if KIND in child and kind in (None, child[KIND]) and child.users_collection]


def add(terrain: bpy.types.Object, kind: str, name: str, data: bpy.types.Mesh) -> bpy.types.Object:
    """New companion that shows `data`, in the terrain's collections and place."""
    companion = bpy.data.objects.new(name, data)
    companion[KIND] = kind
    companion.parent = terrain
    for collection in terrain.users_collection:
        collection.objects.link(companion)
    put_in_place(terrain)
    return companion


def update(terrain: bpy.types.Object) -> list[str]:
    """Update all companions in place; objects, meshes and materials stay the same.

    Returns messages about failed updates, and about companions in Edit Mode, whose meshes cannot be written.
    """
    put_in_place(terrain)
    _forget_waters(terrain)
    refused = []
    for kind, bring_up_to_date in _updaters().items():
        for companion in find(terrain, kind):
            if not companion.data.is_editmode:
                try:
                    bring_up_to_date(terrain, companion)
                except InputError as error:
                    refused.append(f"{companion.name} still shows the terrain before: {error}")
    tell_material(terrain)
    return refused + [
        f"{companion.name} is in Edit Mode and still shows the terrain before; leave Edit Mode, and make it anew."
        for companion in find(terrain)
        if companion.data.is_editmode
    ]


def put_in_place(terrain: bpy.types.Object) -> None:
    """Realign companions with the axes of the terrain after these have changed.

    Applying a terrain's scale or moving its origin makes Blender counter-transform the children. For companions the
    change belongs in their meshes, as in the terrain's.
    """
    axes = terrain.matrix_basis.copy()
    for companion in find(terrain):
        if companion.data.is_editmode:
            continue
        # Not matrix_local, which Blender leaves as it was while an object is hidden.
        own = companion.matrix_parent_inverse @ companion.matrix_basis
        then = _matrices(companion.get(AXES))
        if then is not None and _is_other(axes, then[0]) and _is_other(own, then[1]) and axes.determinant():
            companion.data.transform(axes.inverted() @ then[0])
            companion.matrix_parent_inverse.identity()
            companion.matrix_basis = own = then[1]
        companion[AXES] = [value for matrix in (axes, own) for row in matrix for value in row]


def number(companion: bpy.types.Object, key: str, default: float) -> float:
    """Numeric custom property of a companion; the default for any other content."""
    held = companion.get(key)
    return float(held) if isinstance(held, bool | int | float) and math.isfinite(held) else default


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


def _matrices(held: Any) -> tuple[Matrix, Matrix] | None:
    """Content of `AXES`; None if missing or invalid."""
    try:
        values = [float(value) for value in held]
    except (TypeError, ValueError):
        return None
    if len(values) != 32:
        return None
    first, second = ([values[at + row : at + row + 4] for row in (0, 4, 8, 12)] for at in (0, 16))
    return Matrix(first), Matrix(second)


def _is_other(matrix: Matrix, then: Matrix) -> bool:
    size = max(1.0, *(abs(value) for row in then for value in row))
    return any(
        abs(a - b) > 1e-6 * size for row, old in zip(matrix, then, strict=True) for a, b in zip(row, old, strict=True)
    )


def remove(terrain: bpy.types.Object, kind: str) -> int:
    """Remove the companions of a kind with their unused data; returns their number."""
    found = find(terrain, kind)
    for companion in found:
        mesh = companion.data
        bpy.data.objects.remove(companion)
        if not mesh.users:
            bpy.data.meshes.remove(mesh)
    for collection in (
        bpy.data.collections,
        bpy.data.objects,
        bpy.data.meshes,
        bpy.data.materials,
        bpy.data.node_groups,
    ):
        for unused in [item for item in collection if nodes.KIND in item and not item.users]:
            collection.remove(unused)
    _forget_waters(terrain)
    tell_material(terrain)
    return len(found)


def _forget_waters(terrain: bpy.types.Object) -> None:
    """Remove the fields of rivers and lakes from a terrain that shows none, and restore the user's attributes."""
    mesh = terrain.data
    if not set(WATERS).isdisjoint(attributes.ours(mesh)) and not (find(terrain, "rivers") or find(terrain, "lakes")):
        attributes.remove_fields(mesh, but=[name for name in FIELDS if name not in WATERS])
        mesh.update()


def tell_material(terrain: bpy.types.Object) -> None:
    """Set the custom properties of the terrain that its material reads: water surface, rivers, wind direction."""
    _tell_shore(terrain)
    if _any(terrain, "water"):
        terrain[WATER_SURFACE] = 1.0
    else:
        terrain.pop(WATER_SURFACE, None)
    shown = (float(_any(terrain, "rivers", "lakes", "sea")), *_wind(terrain))
    if any(shown):
        terrain[SHOWN] = shown
    else:
        terrain.pop(SHOWN, None)
    terrain.update_tag()  # which a custom property does not do by itself


def _tell_shore(terrain: bpy.types.Object) -> None:
    """Update the wetness of the ground at shores, or remove it without water."""
    if SHORE in terrain.data.attributes or any(find(terrain, kind) for kind in WATER_KINDS):
        from . import shores  # few terrains have water

        shores.update(terrain)


def _any(terrain: bpy.types.Object, *kinds: str) -> bool:
    return any(len(water.data.vertices) for kind in kinds for water in find(terrain, kind))


def _wind(terrain: bpy.types.Object) -> tuple[float, float]:
    """Mean direction of sand transport, else of the wind, else of slip faces, as a unit vector (x, y) in world space;
    zeros if unknown.
    """
    mesh = terrain.data
    known = [attributes.read_values(mesh, name) for name in ("sand_flow", "wind_flow")]
    means: list[Any] = [values.mean(axis=0) for values in known if values is not None]
    if attributes.holds(mesh, "sediment") and len(mesh.vertices):
        means.append(_lee(terrain))
    for x, y in means:
        if math.hypot(x, y) > 1e-9:
            goes = terrain.matrix_basis.to_3x3() @ Vector((x, y, 0.0))
            goes.z = 0.0
            goes.normalize()
            return goes.x, goes.y
    return 0.0, 0.0


def _lee(terrain: bpy.types.Object) -> tuple[float, float]:
    """Mean aspect of slip faces as (x, y): dunes are steep in the lee only. Weight: the third power of the slope."""
    place = positions(terrain.data)
    lattice = grid.lattice_of(terrain, place)
    heights = lattice.to_grid(place[:, 2])
    stride = max(1, max(heights.shape) // 256)
    heights = heights[::stride, ::stride]
    if min(heights.shape) < 2:
        return 0.0, 0.0
    up, right = np.gradient(heights, *(lattice.spacing[axis] * stride for axis in (0, 1)))
    steep = up * up + right * right
    return -float((steep * right).mean()), -float((steep * up).mean())


def _updaters() -> dict[str, Callable[[bpy.types.Object, bpy.types.Object], None]]:
    """Kind → update function, in order of dependence. Imported late, as these modules import this one."""
    from . import foliage, lod, plants, rivers, surroundings, water_surface

    return {
        "water": water_surface.update,
        "rivers": rivers.update,
        "lakes": rivers.update,
        "sea": rivers.update,
        "foliage": foliage.update,
        "plants": plants.update,
        "surroundings": surroundings.update,
        "lod": lod.update,
    }
