# SPDX-License-Identifier: GPL-3.0-or-later
"""Base of the panels in the tab "Erosion"."""

import bpy

from ...scene.terrain.active import active_terrain
from . import translations

LETTER, MARGINS = 6.2, 84.0
"""Mean width of a letter, and total margin beside a text in a side panel, in unscaled pixels."""


class Panel(bpy.types.Panel):
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Erosion"


class SubPanel(Panel):
    bl_parent_id = "EROSION_PT_main"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        terrain = active_terrain(context)
        return terrain is not None and terrain.type == "MESH"


def draw_lines(
    layout: bpy.types.UILayout, sentences: list[str], icon: str, length: int = 0
) -> None:
    """Draw translated sentences, wrapped after a number of letters; 0: to the width of the
    panel.
    """
    length = length or _letters()
    column = layout.column(align=True)
    column.scale_y = 0.8
    for sentence in sentences:
        words = translations.sentence(sentence).split()
        line = ""
        for word in [*words, None]:
            if word is None or len(line) + len(word) > length:
                column.label(text=line, icon=icon, translate=False)
                line = word or ""
                icon = "BLANK1"
            else:
                line = f"{line} {word}".strip()


def _letters() -> int:
    """Letters that fit one line of the current region, beside an icon and the margins."""
    region = bpy.context.region
    scale = bpy.context.preferences.system.ui_scale
    return max(20, int((region.width / scale - MARGINS) / LETTER)) if region is not None else 38


def redraw_panels() -> None:
    """Redraw the side panels of all 3D viewports, and only these."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                next(region for region in area.regions if region.type == "UI").tag_redraw()
