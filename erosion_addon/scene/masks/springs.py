# SPDX-License-Identifier: GPL-3.0-or-later
"""Springs: objects of a collection, projected onto the terrain below."""

import bpy

from ...base.errors import InputError
from ..terrain.lattice import Array
from ..terrain.mesh import positions


def spring_rows(
    obj: bpy.types.Object, collection: bpy.types.Collection | None, place: Array | None = None
) -> list[list[float]]:
    """[x, y, rate] of each object in the collection: position on the terrain of `obj`, 0-1, and
    scale as rate.

    place: positions of the terrain's vertices, if known already.
    """
    if collection is None or not collection.all_objects:
        return []
    ground = (positions(obj.data) if place is None else place)[:, :2]
    low = ground.min(axis=0)
    high = ground.max(axis=0)
    to_local = obj.matrix_world.inverted()
    rows = []
    for spring in collection.all_objects:
        local = to_local @ spring.matrix_world.translation
        x, y = ((local[axis] - low[axis]) / (high[axis] - low[axis]) for axis in (0, 1))
        if not (0 <= x <= 1 and 0 <= y <= 1):
            raise InputError(
                f"The spring {spring.name} does not lie above {obj.name}; move it there."
            )
        rows.append(
            [float(x), float(y), float(max(abs(scale) for scale in spring.matrix_world.to_scale()))]
        )
    return rows
