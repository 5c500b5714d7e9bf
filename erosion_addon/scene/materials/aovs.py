# SPDX-License-Identifier: GPL-3.0-or-later
"""AOVs: render passes of the terrain's materials, for compositing and pipelines.

Materials contain them only while they are enabled: each enlarges the shader, which takes minutes to
compile without a graphics card. Blender's own depth and normal passes are enabled with them.
"""

from collections.abc import Iterable
from typing import NamedTuple

import bpy

from .node_trees.layout import GAP
from .node_trees.nodes import SURFACE


class AOV(NamedTuple):
    """A pass. kind: VALUE or COLOR. source: output of the terrain's material that feeds it, as a
    link.
    """

    name: str
    kind: str
    source: str


AOVS = (
    # A color first: EEVEE of Blender 5.2 loses the first pass of a view layer if it is a value
    # followed by a color.
    AOV("albedo", "COLOR", f"{SURFACE}.Albedo"),
    AOV("water", "VALUE", f"{SURFACE}.Water"),
    AOV("gloss", "VALUE", f"{SURFACE}.Gloss"),
    AOV("glow", "VALUE", f"{SURFACE}.Glow"),
    AOV("moisture", "VALUE", "moisture.Fac"),
    AOV("sediment", "VALUE", "sediment.Fac"),
    AOV("wear", "VALUE", "wear.Fac"),
)


OF_BLENDER = ("use_pass_z", "use_pass_normal")
"""Blender's own passes, enabled with them."""

SWITCHED = "erosion_passes"
"""Custom property of a view layer: Blender's passes to switch off again."""


def add(layer: bpy.types.ViewLayer, materials: Iterable[bpy.types.Material]) -> None:
    """Add the missing passes to a view layer, and their nodes to the terrain materials."""
    for aov in AOVS:
        if aov.name not in layer.aovs:
            entry = layer.aovs.add()
            entry.name = aov.name
            entry.type = aov.kind
    off = [name for name in OF_BLENDER if not getattr(layer, name)]
    for name in off:
        setattr(layer, name, True)
    if off:
        layer[SWITCHED] = [*layer.get(SWITCHED, ()), *off]
    for material in materials:
        write(material.node_tree)


def remove(layer: bpy.types.ViewLayer, materials: Iterable[bpy.types.Material]) -> None:
    """Remove the passes from a view layer, and their nodes if no other layer has them."""
    names = {aov.name for aov in AOVS}
    for aov in AOVS:
        entry = layer.aovs.get(aov.name)
        if entry is not None and entry.type == aov.kind:
            layer.aovs.remove(entry)
    for name in layer.pop(SWITCHED, ()):
        setattr(layer, name, False)
    if are_enabled():
        return
    for material in materials:
        for node in list(material.node_tree.nodes):
            if node.type == "OUTPUT_AOV" and node.aov_name in names:
                material.node_tree.nodes.remove(node)


def are_enabled() -> bool:
    """Whether a view layer of the file has the passes."""
    return any(
        aov.name in layer.aovs
        for scene in bpy.data.scenes
        for layer in scene.view_layers
        for aov in AOVS
    )


def write(tree: bpy.types.NodeTree) -> None:
    """Add the missing output nodes of the passes."""
    names = {node.aov_name for node in tree.nodes if node.type == "OUTPUT_AOV"}
    surface = tree.nodes.get(SURFACE)
    for row, aov in enumerate(AOVS):
        name, _, output = aov.source.partition(".")
        if aov.name not in names and surface and name in tree.nodes:
            node = tree.nodes.new("ShaderNodeOutputAOV")
            node.name = node.label = f"AOV {aov.name}"
            node.aov_name = aov.name
            node.hide = True
            node.location = (
                surface.location.x + surface.width + GAP,
                surface.location.y - 200 - 40 * row,
            )
            tree.links.new(tree.nodes[name].outputs[output], node.inputs[aov.kind.capitalize()])
