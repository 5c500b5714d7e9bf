# SPDX-License-Identifier: GPL-3.0-or-later
"""The tab "Erosion" in the 3D viewport's side panel."""

import json
from pathlib import Path
from typing import Any

import bpy

from ..model.errors import InputError
from ..model.masks import MASK_KINDS
from ..model.presets import shipped
from ..model.processes import PROCESSES
from ..model.report import in_words
from ..scene import companions, grid, job, source
from . import progress
from .properties import SETTINGS


class EROSION_MT_recipes(bpy.types.Menu):
    """Kinds of landscape"""

    bl_idname = "EROSION_MT_recipes"
    bl_label = "Recipes"

    def draw(self, context: bpy.types.Context) -> None:
        for name in shipped():
            self.layout.operator("erosion.recipe_load", text=name.capitalize()).name = name


class _Panel(bpy.types.Panel):
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Erosion"


class EROSION_PT_main(_Panel):
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
            _draw_lines(layout, [progress.last_sentence], "ERROR")


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
                _draw_lines(layout, [note], "INFO")
        except InputError as error:
            reason = str(error)
    if reason is not None:
        _draw_lines(layout, [reason], "ERROR")


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


def _draw_lines(layout: Any, sentences: list[str], icon: str) -> None:
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


class EROSION_PT_recipes(bpy.types.Panel):
    bl_label = "Recipes"
    bl_description = "Choose a recipe by its picture"
    bl_space_type = "VIEW_3D"
    bl_region_type = "HEADER"
    bl_options = {"INSTANCED"}
    bl_ui_units_x = 14

    def draw(self, context: bpy.types.Context) -> None:
        settings = companions.terrain_of(context.object).erosion
        self.layout.template_icon_view(settings, "recipe_choice", show_labels=True, scale=9.0, scale_popup=7.0)
        self.layout.label(text=settings.recipe_choice.capitalize())


class _SubPanel(_Panel):
    bl_parent_id = "EROSION_PT_main"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        terrain = companions.terrain_of(context.object)
        return terrain is not None and terrain.type == "MESH"


class EROSION_PT_steps(_SubPanel):
    bl_label = "Steps"

    def draw(self, context: bpy.types.Context) -> None:
        settings = companions.terrain_of(context.object).erosion
        self.layout.active = job.current is None
        if not settings.steps:
            self.layout.operator("erosion.recipe_load", text="Show Settings").name = settings.recipe_name
        for item in settings.steps:
            header, body = self.layout.panel_prop(item, "show_settings")
            header.prop(item, "enabled", text="")
            header.label(text=PROCESSES[item.kind].label)
            if body is not None:
                _draw_settings(body, item)


def _draw_settings(body: Any, item: Any) -> None:
    body.use_property_split = True
    body.use_property_decorate = False
    body.active = item.enabled
    for name in SETTINGS[item.kind].__annotations__:
        body.prop(getattr(item, item.kind), name)


class EROSION_PT_masks(_SubPanel):
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


class EROSION_PT_report(_SubPanel):
    bl_label = "Last Run"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return super().poll(context) and bool(companions.terrain_of(context.object).erosion.report)

    def draw(self, context: bpy.types.Context) -> None:
        for line in in_words(json.loads(companions.terrain_of(context.object).erosion.report)):
            _draw_lines(self.layout, [line], "NONE")


CLASSES = (
    EROSION_MT_recipes,
    EROSION_PT_recipes,
    EROSION_PT_main,
    EROSION_PT_steps,
    EROSION_PT_masks,
    EROSION_PT_report,
)
