# SPDX-License-Identifier: GPL-3.0-or-later
"""New terrain object: surface as a grid mesh, layers as attributes for the first run."""

import bpy
import numpy as np

from ...terrain.terrain import Terrain
from .attribute_values import new_attribute
from .mesh import make_grid_object


def make_terrain_object(
    name: str, terrain: Terrain, collection: bpy.types.Collection
) -> bpy.types.Object:
    """New object in `collection`. Its layers count as the user's: runs start from them and restore
    them.
    """
    obj = make_grid_object(name, terrain.elevation, terrain.spacing, collection)
    for layer, values in terrain.fields.items():
        new_attribute(obj.data, layer, "FLOAT")
        obj.data.attributes[layer].data.foreach_set(
            "value", np.ascontiguousarray(values, np.float32).ravel()
        )
    return obj
