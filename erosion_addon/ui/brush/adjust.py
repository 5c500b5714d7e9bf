# SPDX-License-Identifier: GPL-3.0-or-later
"""Radius and strength of the brush by keys: F and Shift F with the mouse, [ and ] in steps."""

import math

import bpy

from ..base.translations import phrase
from .settings import brush_settings

DOUBLE = 200.0
"""Pixels to the right that double a value."""

STEP = 1.25
"""Factor of a step of the radius."""


class EROSION_OT_brush_size(bpy.types.Operator):
    """Make the brush larger or smaller by a step"""

    bl_idname = "erosion.brush_size"
    bl_label = "Brush Size"
    bl_options = {"INTERNAL"}

    grows: bpy.props.BoolProperty(name="Larger", description="Make the brush larger", default=True)

    def execute(self, context: bpy.types.Context) -> set[str]:
        settings = brush_settings(context)
        factor = STEP if self.grows else 1 / STEP
        if settings.use_pixels:
            settings.pixels = round(settings.pixels * factor) + (1 if self.grows else 0)
        else:
            settings.radius *= factor
        if context.area:
            context.area.tag_redraw()
        return {"FINISHED"}


class EROSION_OT_brush_adjust(bpy.types.Operator):
    """Change radius or strength of the brush with the mouse. Click to confirm, Esc to cancel"""

    bl_idname = "erosion.brush_adjust"
    bl_label = "Adjust Brush"
    bl_options = {"INTERNAL"}

    what: bpy.props.EnumProperty(
        name="Setting",
        description="Setting to change",
        items=(
            ("RADIUS", "Radius", "Radius of the brush"),
            ("STRENGTH", "Strength", "Strength of the brush"),
        ),
    )

    def _name(self, context: bpy.types.Context) -> str:
        if self.what == "STRENGTH":
            return "strength"
        return "pixels" if brush_settings(context).use_pixels else "radius"

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        self._setting = self._name(context)
        self._start = event.mouse_x
        self._before = getattr(brush_settings(context), self._setting)
        context.window_manager.modal_handler_add(self)
        self._show(context)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        settings = brush_settings(context)
        if event.type == "MOUSEMOVE":
            changed = self._before * math.pow(2.0, (event.mouse_x - self._start) / DOUBLE)
            setattr(
                settings, self._setting, round(changed) if self._setting == "pixels" else changed
            )
            self._show(context)
        elif event.type in ("LEFTMOUSE", "RET", "NUMPAD_ENTER") and event.value == "PRESS":
            return self._leave(context, {"FINISHED"})
        elif event.type in ("ESC", "RIGHTMOUSE") and event.value == "PRESS":
            setattr(settings, self._setting, self._before)
            return self._leave(context, {"CANCELLED"})
        return {"RUNNING_MODAL"}

    def cancel(self, context: bpy.types.Context) -> None:
        """Called by Blender, e.g. when another file is opened."""
        self._leave(context, {"CANCELLED"})

    def _show(self, context: bpy.types.Context) -> None:
        value = f"{getattr(brush_settings(context), self._setting):.4g}"
        text = phrase("Strength: {value}", value=value)
        if self.what == "RADIUS":
            text = phrase("Radius: {value}", value=value)
        context.area.header_text_set(text)
        context.area.tag_redraw()

    def _leave(self, context: bpy.types.Context, result: set[str]) -> set[str]:
        context.area.header_text_set(None)
        context.area.tag_redraw()
        return result


CLASSES = (EROSION_OT_brush_size, EROSION_OT_brush_adjust)
