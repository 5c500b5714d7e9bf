# SPDX-License-Identifier: GPL-3.0-or-later
"""Mask tools: paint, new image, display."""

from typing import Any

import bpy

from ...base.errors import InputError, Sentence
from ...scene.masks import masks, overlay
from ...scene.terrain import grid, obstacle
from ...scene.terrain.active import active_terrain
from ...terrain.fields import FIELDS
from ...terrain.masks import MASK_KINDS
from ..base.parameter_properties import label
from ..base.terrain_operator import allowed, reports_refusals
from ..base.translations import report
from . import mask_panel, mask_watch

LARGEST_IMAGE = 2048
"""Maximum size of a new image in pixels; larger ones are slow to paint."""


class _MaskOperator:
    """Base of operators on a mask of the active terrain."""

    kind: bpy.props.EnumProperty(
        name="Mask",
        description="Mask to use",
        items=[(kind, mask.label, mask.tooltip) for kind, mask in MASK_KINDS.items()],
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        terrain = active_terrain(context)
        if terrain is None or terrain.type != "MESH":
            return allowed(cls, Sentence("Select a terrain"))
        linked = terrain.library or terrain.data.library
        return allowed(
            cls,
            Sentence("{name} is linked from another file").format(name=terrain.name)
            if linked
            else None,
        )

    def _settings(self, context: bpy.types.Context) -> tuple[bpy.types.Object, Any]:
        terrain = active_terrain(context)
        return terrain, getattr(terrain.erosion, self.kind)


class EROSION_OT_mask_paint(_MaskOperator, bpy.types.Operator):
    """Paint this mask on the terrain with Blender's weight brushes: red is 1, blue is 0. Press
    again when done
    """

    bl_idname = "erosion.mask_paint"
    bl_label = "Paint Mask"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        terrain, mask = self._settings(context)
        context.view_layer.objects.active = terrain
        if mask_panel.is_painted(terrain, mask):
            bpy.ops.object.mode_set(mode="OBJECT")
            return {"FINISHED"}
        if terrain.mode == "EDIT":
            bpy.ops.object.mode_set(mode="OBJECT")
        group = terrain.vertex_groups.get(mask.layer) if mask.source == "VERTEX_GROUP" else None
        names = set(terrain.vertex_groups.keys())
        group = group or _group_for(terrain, self.kind)
        mask.source = "VERTEX_GROUP"
        mask.layer = group.name
        terrain.vertex_groups.active_index = group.index
        if terrain.mode != "WEIGHT_PAINT":
            bpy.ops.object.mode_set(mode="WEIGHT_PAINT")
        if group.name not in names:
            _set_brush(context.tool_settings, 1.0 - MASK_KINDS[self.kind].unpainted)
        return {"FINISHED"}


def _set_brush(settings: bpy.types.ToolSettings, weight: float) -> None:
    """Set the weight of the Weight Paint brush to make the first stroke on a new mask visible."""
    paint = settings.weight_paint
    # in 4.5: of all modes
    unified = getattr(paint, "unified_paint_settings", None) or settings.unified_paint_settings
    if unified.use_unified_weight or paint.brush is None:
        unified.weight = weight
    else:
        paint.brush.weight = weight


def _group_for(terrain: bpy.types.Object, kind: str) -> bpy.types.VertexGroup:
    """Vertex group of a mask; a new one is neutral until it is painted."""
    name = MASK_KINDS[kind].label
    while name in terrain.data.attributes:  # Blender cannot tell them apart
        name += " Mask"
    if (existing := terrain.vertex_groups.get(name)) is not None:
        return existing
    group = terrain.vertex_groups.new(name=name)
    # Even if neutral is 0: vertices outside the group are black in Weight Paint.
    group.add(range(len(terrain.data.vertices)), MASK_KINDS[kind].unpainted, "REPLACE")
    return group


class EROSION_OT_mask_image(_MaskOperator, bpy.types.Operator):
    """Create an image in the terrain's proportions for this mask, and paint it in Texture Paint"""

    bl_idname = "erosion.mask_image"
    bl_label = "New Image"
    bl_options = {"REGISTER", "UNDO"}

    @reports_refusals()
    def execute(self, context: bpy.types.Context) -> set[str]:
        terrain, mask = self._settings(context)
        lattice = grid.find_lattice(terrain)
        share = min(1.0, LARGEST_IMAGE / max(lattice.rows, lattice.cols))
        size = max(2, round(lattice.cols * share)), max(2, round(lattice.rows * share))
        name = f"{terrain.name} {MASK_KINDS[self.kind].label}"
        gray = MASK_KINDS[self.kind].unpainted
        image = bpy.data.images.new(name, *size, float_buffer=True, is_data=True)
        image.generated_color = gray, gray, gray, 1.0
        mask.source = "IMAGE"
        mask.image = image
        paint = context.scene.tool_settings.image_paint
        paint.mode = "IMAGE"
        paint.canvas = image
        return {"FINISHED"}


class EROSION_OT_mask_show(_MaskOperator, bpy.types.Operator):
    """Show this mask on the terrain in the viewport, exactly as a run gets it. Press again to hide
    it
    """

    bl_idname = "erosion.mask_show"
    bl_label = "Show Mask"

    @reports_refusals()
    def execute(self, context: bpy.types.Context) -> set[str]:
        terrain, mask = self._settings(context)
        if mask_watch.is_shown(terrain, self.kind):
            mask_watch.hide()
        elif mask.source == "NONE":
            raise InputError("{name} has no {label} mask to show.").format(
                name=terrain.name, label=MASK_KINDS[self.kind].label.lower()
            )
        elif terrain.mode not in overlay.MODES:
            mask_watch.show(terrain, self.kind)
            report(self, {"INFO"}, "The mask is shown as soon as you are back in Object Mode")
        elif problem := mask_watch.show(terrain, self.kind):
            report(self, {"WARNING"}, problem)
        return {"FINISHED"}


_FIELDS = [
    (field.name, label(field.name), f"{field.meaning} ({field.unit})")
    for field in FIELDS.values()
    if field.components < 3
]
_SCALARS = [item for item in _FIELDS if FIELDS[item[0]].components == 1]


class EROSION_OT_mask_from_field(_MaskOperator, bpy.types.Operator):
    """Make this mask from a field of the current terrain, such as slope or drainage area"""

    bl_idname = "erosion.mask_from_field"
    bl_label = "Mask from Field"
    bl_options = {"REGISTER", "UNDO"}

    field: bpy.props.EnumProperty(
        name="Field", description="Field that the mask is made from", items=_SCALARS
    )
    low: bpy.props.FloatProperty(
        name="Low",
        description="Value of the field where the mask is 0, in the field's own unit",
        precision=4,
    )
    high: bpy.props.FloatProperty(
        name="High",
        precision=4,
        description="Field value where the mask is 1. If equal to Low, the full range is used",
    )

    @reports_refusals()
    def execute(self, context: bpy.types.Context) -> set[str]:
        terrain, mask = self._settings(context)
        mask.layer = masks.fill(terrain, self.kind, self.field, self.low, self.high)
        mask.source = "ATTRIBUTE"
        mask.fit = "exact"
        mask.invert = False
        return {"FINISHED"}


class EROSION_OT_field_show(bpy.types.Operator):
    """Show a field of the terrain in the viewport, with its values, or by colors of its directions.
    Press again to hide it
    """

    bl_idname = "erosion.field_show"
    bl_label = "Show Field"

    field: bpy.props.EnumProperty(name="Field", description="Field to show", items=_FIELDS)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return allowed(cls, obstacle.why_not(active_terrain(context)))

    @reports_refusals()
    def execute(self, context: bpy.types.Context) -> set[str]:
        terrain = active_terrain(context)
        kind = mask_watch.FIELD + self.field
        if mask_watch.is_shown(terrain, kind):
            mask_watch.hide()
        elif problem := mask_watch.show(terrain, kind):
            mask_watch.hide()
            raise InputError(problem)
        return {"FINISHED"}


CLASSES = (
    EROSION_OT_mask_paint,
    EROSION_OT_mask_image,
    EROSION_OT_mask_show,
    EROSION_OT_mask_from_field,
    EROSION_OT_field_show,
)
