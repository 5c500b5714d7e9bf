# SPDX-License-Identifier: GPL-3.0-or-later
"""The erosion brush in the toolbar of Object Mode."""

from typing import Any

import bpy

from . import cursor, settings


class EROSION_TOOL_brush(bpy.types.WorkSpaceTool):
    """The tool"""

    bl_space_type = "VIEW_3D"
    bl_context_mode = "OBJECT"
    bl_idname = "erosion.brush"
    bl_label = "Erosion Brush"
    bl_description = (
        "Erode the terrain where you paint. Ctrl inverts Raise and Sand, Shift smooths, Esc takes "
        "the stroke back"
    )
    bl_icon = "brush.generic"
    bl_keymap = (
        (
            "erosion.brush_stroke",
            {"type": "LEFTMOUSE", "value": "PRESS"},
            {"properties": [("mode", "NORMAL")]},
        ),
        (
            "erosion.brush_stroke",
            {"type": "LEFTMOUSE", "value": "PRESS", "ctrl": True},
            {"properties": [("mode", "INVERT")]},
        ),
        (
            "erosion.brush_stroke",
            {"type": "LEFTMOUSE", "value": "PRESS", "shift": True},
            {"properties": [("mode", "SMOOTH")]},
        ),
        (
            "erosion.brush_adjust",
            {"type": "F", "value": "PRESS"},
            {"properties": [("what", "RADIUS")]},
        ),
        (
            "erosion.brush_adjust",
            {"type": "F", "value": "PRESS", "shift": True},
            {"properties": [("what", "STRENGTH")]},
        ),
        (
            "erosion.brush_size",
            {"type": "LEFT_BRACKET", "value": "PRESS"},
            {"properties": [("grows", False)]},
        ),
        (
            "erosion.brush_size",
            {"type": "RIGHT_BRACKET", "value": "PRESS"},
            {"properties": [("grows", True)]},
        ),
    )

    def draw_settings(context: bpy.types.Context, layout: bpy.types.UILayout, tool: Any) -> None:  # noqa: N805
        settings.draw(
            layout, settings.brush_settings(context), context.region.type == "TOOL_HEADER"
        )

    def draw_cursor(
        context: bpy.types.Context,  # noqa: N805
        tool: Any,
        xy: tuple[float, float],
    ) -> None:
        cursor.draw(context, xy)


def register() -> None:
    """Put the tool into the toolbar."""
    bpy.utils.register_tool(EROSION_TOOL_brush, separator=True)


def unregister() -> None:
    """Take it away again."""
    bpy.utils.unregister_tool(EROSION_TOOL_brush)


CLASSES: tuple[type, ...] = ()
