# SPDX-License-Identifier: GPL-3.0-or-later
"""The tab "Erosion" in the 3D viewport's side panel."""

from pathlib import Path
from typing import Any

import bpy

from ..model.errors import InputError
from ..scene import companions, grid, job, source
from . import progress
from .panel import Panel, draw_lines


class EROSION_PT_main(Panel):
    bl_label = "Erosion"

    def draw(self, context: bpy.types.Context) -> None:
        layout, obj = self.layout, companions.terrain_of(context.object)
        run = job.current
        if obj is None or obj.type != "MESH":
            layout.label(text="Select a terrain: a mesh that is a grid", icon="INFO")
            layout.operator("erosion.heightmap_import", icon="IMPORT")
        else:
            _draw_source(layout, obj)
            _draw_choice(layout, obj.erosion)
        if run is not None:
            _draw_progress(layout, run)
        elif obj is not None and obj.type == "MESH":
            _draw_buttons(layout, obj)
        if progress.last_sentence:
            draw_lines(layout, [progress.last_sentence], "ERROR")


def _draw_source(layout: Any, obj: bpy.types.Object) -> None:
    reason = grid.why_not(obj)
    if reason is None:
        try:
            found = grid.describe(obj)
            row_spacing, col_spacing = found.spacing
            cells = f"{col_spacing:g} m" if row_spacing == col_spacing else f"{row_spacing:g} × {col_spacing:g} m"
            column = layout.column(align=True)
            column.label(text=f"{obj.name}: {found.rows} × {found.cols} cells of {cells}", icon="MESH_GRID")
            column.label(text=f"Relief {found.relief:,.4g} m", icon="BLANK1")
            for note in grid.notes(obj):
                draw_lines(layout, [note], "INFO")
        except InputError as error:
            reason = str(error)
    if reason is not None:
        draw_lines(layout, [reason], "ERROR")


def _draw_choice(layout: Any, settings: Any) -> None:
    layout.use_property_split = True
    layout.use_property_decorate = False
    name = Path(settings.recipe_name).stem.capitalize()
    row = layout.row(align=True)
    row.menu("EROSION_MT_recipes", text=name or "Choose a Recipe", icon="PRESET")
    row.popover("EROSION_PT_recipes", text="", icon="IMAGE_DATA")
    layout.prop(settings, "seed")
    layout.prop(settings, "edges")


def _draw_buttons(layout: Any, obj: bpy.types.Object) -> None:
    row = layout.row()
    row.scale_y = 1.5
    row.operator("erosion.run", icon="PLAY")
    if source.is_paused(obj.data):
        row.operator("erosion.run", text="Go On", icon="FRAME_NEXT").resume = True
    if source.has_source(obj.data):
        layout.prop(obj.erosion, "continue_from_result")
    row = layout.row(align=True)
    row.operator("erosion.restore", icon="LOOP_BACK")
    row.operator("erosion.look_add", icon="SHADERFX")


def _draw_progress(layout: Any, run: "job.Job") -> None:
    row = layout.row()
    row.scale_y = 1.5
    row.progress(factor=run.fraction, text=progress.status_text(run))
    row = layout.row(align=True)
    row.operator("erosion.finish", icon="CHECKMARK")
    row.operator("erosion.pause", icon="PAUSE")
    layout.operator("erosion.cancel", icon="CANCEL")


CLASSES = (EROSION_PT_main,)
