# SPDX-License-Identifier: GPL-3.0-or-later
"""The terrain's material: a node group that makes ground out of the fields, in the colors of a palette.

Pure shader nodes, for EEVEE and Cycles: a saved file renders without the extension. There is one group in a file, and
one material for each palette, shared by the terrains that show it. What the user edits in them stays.
"""

from contextlib import suppress

import bpy

from ...base.errors import InputError
from . import aovs, nodes
from .palette import Palette
from .terrain_nodes import NODES, SOCKETS, VERSION

GROUP = "Terrain"

DEFAULT_PALETTE = "temperate"


def terrain_group() -> bpy.types.NodeTree:
    """The node group "Terrain": the one in the file, brought up to date where it is older, or a new one."""
    return nodes.node_group(GROUP, VERSION, SOCKETS, NODES)


def terrain_material(palette: str = DEFAULT_PALETTE) -> bpy.types.Material:
    """The material of a palette: the one in the file, or a new one. InputError where there is no such palette."""
    chosen = Palette.load(palette)
    kind, name = f"{GROUP} {palette}", f"Terrain Erosion {chosen.name.title()}"
    made, is_new = nodes.material(kind, name, terrain_group(), SOCKETS)
    if is_new:
        inputs = made.node_tree.nodes[nodes.SURFACE].inputs
        for control, value in chosen.values.items():
            inputs[control].default_value = value
        if aovs.wanted():
            aovs.write(made.node_tree)
        made.diffuse_color = inputs["Soil Color"].default_value
    return made


def terrain_materials() -> list[bpy.types.Material]:
    """All terrain materials that can be edited in this file."""
    return [material for material in bpy.data.materials if is_ours(material) and material.library is None]


def is_ours(material: bpy.types.Material | None) -> bool:
    """Whether it is a terrain material, of any palette."""
    return material is not None and material.get(nodes.KIND, "").startswith(f"{GROUP} ")


def palette_of(obj: bpy.types.Object) -> Palette:
    """The palette of the terrain material that the object shows; the default one where it shows none, or one whose file
    is gone."""
    shown = next((slot.material for slot in obj.material_slots if is_ours(slot.material)), None)
    with suppress(InputError):
        if shown is not None:
            return Palette.load(shown[nodes.KIND].removeprefix(f"{GROUP} "))
    return Palette.load(DEFAULT_PALETTE)


def assign(obj: bpy.types.Object, palette: str = DEFAULT_PALETTE, replace: bool = False) -> bool:
    """Give the object the material of a palette; returns whether its faces show it.

    An object without materials gets it as its only one, and one that has the material of another palette gets it in
    that one's place. Otherwise it becomes one slot more and the faces keep what they have, unless `replace` turns all
    of them over to it; the other slots stay in either case.
    """
    material = terrain_material(palette)
    slots = obj.material_slots
    used = [slot.material for slot in slots]
    replace = replace or not any(used)
    index = next((at for at, known in enumerate(used) if is_ours(known)), None)
    if index is not None:
        if used[index][nodes.KIND] != material[nodes.KIND]:  # else it may be a copy that the user made and edited
            slots[index].material = material
    elif slots and not any(used):
        index, slots[0].material = 0, material
    else:
        index = len(slots)
        obj.data.materials.append(material)
    if replace:
        obj.data.polygons.foreach_set("material_index", [index] * len(obj.data.polygons))
        obj.data.update()
    return replace or len(slots) == 1
