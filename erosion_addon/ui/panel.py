# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panels of the tab "Erosion" share."""

from typing import Any

import bpy

from ..scene import companions


class Panel(bpy.types.Panel):
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Erosion"


class SubPanel(Panel):
    bl_parent_id = "EROSION_PT_main"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        terrain = companions.terrain_of(context.object)
        return terrain is not None and terrain.type == "MESH"


def draw_lines(layout: Any, sentences: list[str], icon: str) -> None:
    """Sentences broken into lines that a side panel shows whole."""
    column = layout.column(align=True)
    column.scale_y = 0.8
    for sentence in sentences:
        words, line = sentence.split(), ""
        for word in [*words, None]:
            if word is None or len(line) + len(word) > 38:
                column.label(text=line, icon=icon)
                line, icon = word or "", "BLANK1"
            else:
                line = f"{line} {word}".strip()
