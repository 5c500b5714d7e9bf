# SPDX-License-Identifier: GPL-3.0-or-later
"""Button that opens the bundled manual."""

from pathlib import Path
from typing import Any

import bpy

from ...base.errors import InputError
from .refusals import reports_refusals


class EROSION_OT_manual_open(bpy.types.Operator):
    """Open the manual of Terrain Erosion in the browser"""

    bl_idname = "erosion.manual_open"
    bl_label = "Manual"

    @reports_refusals()
    def execute(self, context: bpy.types.Context) -> set[str]:
        from . import manual_pages  # here, as few sessions of Blender open the manual

        try:
            contents = manual_pages.write(Path(bpy.app.tempdir) / "terrain_erosion_manual")
        except OSError as error:
            raise InputError(f"The manual cannot be opened: {error}") from None
        return bpy.ops.wm.url_open(url=contents.as_uri())


def draw_link(layout: Any, text: str | None = None) -> None:
    """Draw the button that opens the manual."""
    layout.operator(EROSION_OT_manual_open.bl_idname, icon="HELP", text=text)


CLASSES = (EROSION_OT_manual_open,)
