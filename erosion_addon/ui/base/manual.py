# SPDX-License-Identifier: GPL-3.0-or-later
"""Button that opens the bundled manual."""

from pathlib import Path

import bpy

DOCS = Path(__file__).resolve().parents[3] / "docs"


def contents() -> Path:
    """First page of the manual: HTML as shipped, Markdown in a checkout."""
    page = DOCS / "README.html"
    return page if page.is_file() else page.with_suffix(".md")


class EROSION_OT_manual_open(bpy.types.Operator):
    """Open the manual of Terrain Erosion in the browser"""

    bl_idname = "erosion.manual_open"
    bl_label = "Manual"

    def execute(self, context: bpy.types.Context) -> set[str]:
        return bpy.ops.wm.url_open(url=contents().as_uri())


def draw_link(layout: bpy.types.UILayout, text: str | None = None) -> None:
    """Draw the button that opens the manual."""
    layout.operator(EROSION_OT_manual_open.bl_idname, icon="HELP", text=text)


CLASSES = (EROSION_OT_manual_open,)
