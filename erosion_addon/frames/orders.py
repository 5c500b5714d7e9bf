# SPDX-License-Identifier: GPL-3.0-or-later
"""Orders of an animation: digests by which a frame that exists already is recognized."""

import hashlib
import json
from collections.abc import Mapping, Sequence

import numpy as np

from .. import VERSION
from ..base.arrays import Array
from ..light.parameters import Lighting
from ..recipe.recipe import Recipe
from ..terrain.terrain import Terrain
from .record import Record


def replaced(record: Record | None, orders: Sequence[str]) -> int:
    """Number of frames that an animation with these orders replaces. record: of the folder, None
    for none.
    """
    there = record.orders if record is not None else []
    return sum(known != order for known, order in zip(there, orders, strict=False))


def orders(
    terrain: Terrain,
    masks: Mapping[str, Array],
    recipes: Sequence[Recipe],
    lights: Sequence[Lighting],
) -> list[str]:
    """Digest of all that the bytes of each frame of an animation depend on.

    masks: of the terrain. lights: of each frame, or none.
    """
    start = hashlib.blake2b(json.dumps([VERSION, terrain.spacing]).encode(), digest_size=16)
    arrays = {
        "elevation": terrain.elevation,
        **terrain.fields,
        **{f"{kind} mask": masks[kind] for kind in masks},
    }
    for name, array in sorted(arrays.items()):
        start.update(json.dumps([name, array.dtype.str, array.shape]).encode())
        start.update(np.ascontiguousarray(array).data)
    found = []
    for number, recipe in enumerate(recipes):
        order = start.copy()
        order.update(json.dumps(recipe.to_dict()).encode())
        if lights:
            parameters, suns, casters = lights[number]
            order.update(json.dumps([parameters.to_dict(), suns]).encode())
            order.update(np.ascontiguousarray(casters, np.float64).data)
        found.append(order.hexdigest())
    return found
