# SPDX-License-Identifier: GPL-3.0-or-later
"""Loose sand of a terrain for recipes that need it: the user's attribute `sediment`, in meters."""

import bpy
import numpy as np

from ...base.arrays import LOOSE
from ...recipe.recipe import Recipe
from . import attributes


def lack(obj: bpy.types.Object, recipe: Recipe) -> str:
    """Message about loose material that the recipe needs and the object lacks; empty if there is
    enough, or a sediment mask.
    """
    if not recipe.needs.sediment or obj.erosion.sediment.source != "NONE":
        return ""
    anew = not obj.erosion.continue_from_result
    layers = (attributes.read_values(obj.data, name, anew) for name in LOOSE)
    return recipe.needs.lack(
        max((float(values.max()) for values in layers if values is not None), default=0.0)
    )


def add(obj: bpy.types.Object, thickness: float) -> None:
    """Turn the top meters of the ground into loose sand for the next run; thicker layers and all
    heights stay.

    InputError if the attribute name is taken.
    """
    anew = not obj.erosion.continue_from_result
    there = attributes.read_values(obj.data, "sediment", anew)
    layer = np.full(len(obj.data.vertices), thickness, np.float32)
    attributes.write_values(
        obj.data, "sediment", layer if there is None else np.maximum(layer, there), anew
    )
    obj.data.update()
