# SPDX-License-Identifier: GPL-3.0-or-later
"""Panel of masks."""

from typing import Any

import bpy

from ...scene.terrain.active import active_terrain
from ...terrain.masks import MASK_KINDS
from ..base.panel import SubPanel, draw_lines
from ..base.translations import phrase
from . import mask_watch
from .mask_settings import are_read


class EROSION_PT_masks(SubPanel):
    bl_label = "Masks and Springs"

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        obj = active_terrain(context)
        read_by_steps = are_read(obj.erosion)
        for kind in MASK_KINDS:
            header, body = layout.panel_prop(getattr(obj.erosion, kind), "show_settings")
            header.active = kind in read_by_steps
            header.alert = mask_watch.problem(obj, kind) is not None  # reported in the panel above
            _draw_header(header, obj, kind)
            if body is not None:
                _draw_settings(body, obj, kind)
                if kind not in read_by_steps:
                    draw_lines(body, [phrase("Not used by the steps of the recipe.")], "INFO")
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(obj.erosion, "springs")


def _draw_header(header: bpy.types.UILayout, obj: bpy.types.Object, kind: str) -> None:
    mask = getattr(obj.erosion, kind)
    header.label(text=MASK_KINDS[kind].label)
    row = header.row(align=True)
    if mask.source != "NONE":
        visible = mask_watch.is_shown(obj, kind)
        icon = "HIDE_OFF" if visible else "HIDE_ON"
        row.operator("erosion.mask_show", text="", icon=icon, depress=visible).kind = kind
        row.prop(mask, "invert", text="", icon="ARROW_LEFTRIGHT")
    row.operator(
        "erosion.mask_paint", text="", icon="BRUSH_DATA", depress=is_painted(obj, mask)
    ).kind = kind
    row.prop(mask, "source", text="", icon_only=True)


def is_painted(obj: bpy.types.Object, mask: Any) -> bool:
    """Whether the mask is being painted."""
    active = obj.vertex_groups.active
    active_layer = (
        mask.source == "VERTEX_GROUP" and active is not None and active.name == mask.layer
    )
    return active_layer and obj.mode == "WEIGHT_PAINT"


def painted_kind(obj: bpy.types.Object) -> str | None:
    """Mask being painted; None if there is none."""
    return next((kind for kind in MASK_KINDS if is_painted(obj, getattr(obj.erosion, kind))), None)


def draw_painting(layout: bpy.types.UILayout, kind: str) -> None:
    """Draw the name of the mask being painted, and the button that ends painting."""
    text = phrase("Painting {mask}: red is 1, blue is 0", mask=phrase(MASK_KINDS[kind].label))
    layout.label(text=text, icon="BRUSH_DATA", translate=False)
    layout.operator("erosion.mask_paint", text="Done", icon="CHECKMARK").kind = kind


def _draw_settings(body: bpy.types.UILayout, obj: bpy.types.Object, kind: str) -> None:
    mask = getattr(obj.erosion, kind)
    body.use_property_split = True
    body.use_property_decorate = False
    body.prop(mask, "source")
    body.operator_menu_enum(
        "erosion.mask_from_field", "field", icon="MOD_VERTEX_WEIGHT"
    ).kind = kind
    if mask.source == "NONE":
        return
    if mask.source == "VERTEX_GROUP":
        body.prop_search(mask, "layer", obj, "vertex_groups", text="Group")
    elif mask.source == "ATTRIBUTE":
        body.prop_search(mask, "layer", obj.data, "attributes", text="Attribute")
    elif mask.source == "IMAGE":
        body.template_ID(mask, "image", open="image.open")
        body.operator("erosion.mask_image", icon="ADD").kind = kind
    if mask.source in ("ATTRIBUTE", "IMAGE"):
        body.prop(mask, "fit")
    if MASK_KINDS[kind].unit:
        body.prop(mask, "scale")
    body.prop(mask, "border")


CLASSES = (EROSION_PT_masks,)
