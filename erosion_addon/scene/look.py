# SPDX-License-Identifier: GPL-3.0-or-later
"""The finished look of a terrain: its material, and what of water, light, plants and passes fits it."""

from collections.abc import Collection

import bpy

from ..model.light import LightParameters
from . import aovs, foliage, light, material, water_surface

PARTS = ("light", "water", "foliage", "passes")
"""What may be added beside the material."""


def finish(
    terrain: bpy.types.Object, palette: str, parts: Collection[str], view_layer: bpy.types.ViewLayer | None = None
) -> None:
    """Give the terrain its material, unless it has others, and those of the PARTS that fit it.

    All of it is brought up to date where it is there already. Raises InputError with a sentence where that cannot be.
    """
    used = [slot.material for slot in terrain.material_slots if slot.material]
    if "light" in parts:
        settings = light.settings_of(terrain.data) or LightParameters(suns=False)
        light.bake_light(terrain, settings, terrain.erosion.casters, terrain.erosion.edges)
    if not used or any(map(material.is_ours, used)):
        material.assign(terrain, palette)
    if "water" in parts and water_surface.has_water(terrain):
        water_surface.add(terrain)
    if "foliage" in parts:
        foliage.add(terrain)
    if "passes" in parts and view_layer is not None:
        aovs.add(view_layer, material.terrain_materials())
