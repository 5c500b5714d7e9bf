# SPDX-License-Identifier: GPL-3.0-or-later
"""Terrain material: a node group that shades the fields in the colors of a palette.

Shader nodes only, for EEVEE and Cycles: a saved file renders without the extension. A file has one
group, and one material per palette, shared by its terrains. The user's edits are kept.
"""

from contextlib import suppress

import bpy
import numpy as np

from ...base.errors import InputError
from . import aovs
from .node_trees import nodes
from .palette import Palette
from .terrain.cover import COVER
from .terrain.place import PLACE
from .terrain.rock import ROCK
from .terrain.sockets import LENGTHS, SOCKETS
from .terrain.surface import RIPPLES, SURFACE
from .terrain.water import WATER

GROUP = "Terrain"

DEFAULT_PALETTE = "temperate"

VERSION = 17

NODES = {
    "Place and Noise": PLACE,
    "Sediment, Rock and Plants": COVER,
    "Rock": ROCK,
    "Wet Ground, Snow, Water": WATER,
    "Ripples": RIPPLES,
    "Light and Surface": SURFACE,
}
"""Nodes of the group "Terrain", by the titles of its parts."""

LAND = 1000.0
"""Width in meters of the narrowest land with unscaled palettes."""


def terrain_group() -> bpy.types.NodeTree:
    """Node group "Terrain": the existing one, updated if older, or a new one."""
    return nodes.node_group(GROUP, VERSION, SOCKETS, NODES)


def terrain_material(palette: str = DEFAULT_PALETTE, width: float = LAND) -> bpy.types.Material:
    """Material of a palette: the existing one, or a new one for land of `width` meters, whose
    lengths shrink below `LAND`. InputError for an unknown palette.
    """
    colors = Palette.load(palette)
    kind = f"{GROUP} {palette}"
    name = f"Terrain Erosion {colors.name.title()}"
    result, is_new = nodes.material(kind, name, terrain_group(), SOCKETS)
    if is_new:
        inputs = result.node_tree.nodes[nodes.SURFACE].inputs
        for control, value in colors.values.items():
            inputs[control].default_value = value
        for control in LENGTHS:
            inputs[control].default_value *= min(width / LAND, 1.0)
        if aovs.are_enabled():
            aovs.write(result.node_tree)
        result.diffuse_color = inputs["Soil Color"].default_value
    return result


def terrain_materials() -> list[bpy.types.Material]:
    """All editable terrain materials in this file."""
    return [
        material
        for material in bpy.data.materials
        if is_ours(material) and material.library is None
    ]


def is_ours(material: bpy.types.Material | None) -> bool:
    """Whether a material is a terrain material, of any palette."""
    return material is not None and material.get(nodes.KIND, "").startswith(f"{GROUP} ")


def palette_of(obj: bpy.types.Object) -> Palette:
    """Palette of the object's terrain material; the default if it has none, or the palette's file
    is missing.
    """
    surface = next((slot.material for slot in obj.material_slots if is_ours(slot.material)), None)
    with suppress(InputError):
        if surface is not None:
            return Palette.load(surface[nodes.KIND].removeprefix(f"{GROUP} "))
    return Palette.load(DEFAULT_PALETTE)


def water_threshold(obj: bpy.types.Object) -> float:
    """Moisture above which the object's terrain material draws water; 1 (none) without such a
    material.
    """
    current = next((slot.material for slot in obj.material_slots if is_ours(slot.material)), None)
    tree = current.node_tree if current is not None else None
    surface = tree.nodes.get(nodes.SURFACE) if tree is not None else None
    control = surface.inputs.get("Water Threshold") if surface is not None else None
    return float(control.default_value) if control is not None else 1.0


def assign(obj: bpy.types.Object, palette: str = DEFAULT_PALETTE, replace: bool = False) -> bool:
    """Assign the material of a palette to the object; returns whether its faces show it.

    It becomes the only material of an object without any, and replaces the material of another
    palette. Otherwise it is added as a slot, and faces keep theirs unless `replace` assigns all of
    them; other slots stay.
    """
    material = terrain_material(palette, max(obj.dimensions[:2]))
    slots = obj.material_slots
    used = [slot.material for slot in slots]
    replace = replace or not any(used)
    index = next((at for at, entry in enumerate(used) if is_ours(entry)), None)
    if index is not None:
        # otherwise possibly a copy edited by the user
        if used[index][nodes.KIND] != material[nodes.KIND]:
            slots[index].material = material
    elif slots and not any(used):
        index = 0
        slots[0].material = material
    else:
        index = len(slots)
        obj.data.materials.append(material)
    if replace and (index or "material_index" in obj.data.attributes):
        obj.data.polygons.foreach_set(
            "material_index", np.full(len(obj.data.polygons), index, np.int32)
        )
        obj.data.update()
    return replace or len(slots) == 1
