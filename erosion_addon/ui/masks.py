# SPDX-License-Identifier: GPL-3.0-or-later
"""Masks as Blender keeps and shows them: where each comes from."""

from typing import Any

import bpy

from ..model.masks import MASK_KINDS
from ..scene import companions, grid, masks
from .panel import SubPanel

MASK_ITEMS = [
    ("NONE", "None", "No mask"),
    ("VERTEX_GROUP", "Vertex Group", "The weights of a vertex group"),
    ("ATTRIBUTE", "Attribute", "An attribute of the mesh's vertices"),
    ("IMAGE", "Image", "An image, stretched over the terrain"),
]


class EROSION_PG_mask(bpy.types.PropertyGroup):
    """Where a mask comes from"""

    source: bpy.props.EnumProperty(name="Source", items=MASK_ITEMS)
    layer: bpy.props.StringProperty(name="Layer", description="Name of the vertex group or attribute")
    image: bpy.props.PointerProperty(type=bpy.types.Image, name="Image")
    invert: bpy.props.BoolProperty(name="Invert", description="Turn the mask around: 1 becomes 0")


def arrays_of(obj: bpy.types.Object) -> dict[str, Any]:
    """The chosen masks of an object, kind → (rows, cols) float32; InputError says what is in the way."""
    settings = obj.erosion
    chosen = {kind: getattr(settings, kind) for kind in MASK_KINDS if getattr(settings, kind).source != "NONE"}
    lattice = grid.find_lattice(obj) if chosen else None
    return {
        kind: masks.read_mask(obj, lattice, kind, mask.source, mask.image or mask.layer, mask.invert)
        for kind, mask in chosen.items()
    }


class EROSION_PT_masks(SubPanel):
    bl_label = "Masks and Springs"

    def draw(self, context: bpy.types.Context) -> None:
        layout, obj = self.layout, companions.terrain_of(context.object)
        layout.use_property_split = True
        layout.use_property_decorate = False
        for kind in MASK_KINDS:
            mask = getattr(obj.erosion, kind)
            layout.prop(mask, "source", text=kind.capitalize())
            if mask.source == "VERTEX_GROUP":
                layout.prop_search(mask, "layer", obj, "vertex_groups", text="Group")
            elif mask.source == "ATTRIBUTE":
                layout.prop_search(mask, "layer", obj.data, "attributes", text="Attribute")
            elif mask.source == "IMAGE":
                layout.prop(mask, "image")
            if mask.source != "NONE":
                layout.prop(mask, "invert")
        layout.prop(obj.erosion, "springs")


CLASSES = (EROSION_PG_mask, EROSION_PT_masks)
