# SPDX-License-Identifier: GPL-3.0-or-later
"""Panel of frames: settings of a run, contents of the folder."""

from typing import Any

import bpy

from ...base.errors import InputError, Sentence
from ...base.memory import size_in_words
from ...run.frames import frame_files
from ...scene.frames import playback
from ...scene.run import readiness
from ...scene.session import session
from ...scene.terrain.active import active_terrain
from ..base.panel import SubPanel, draw_lines
from ..base.terrain_operator import allowed, reports_refusals
from ..base.translations import phrase, report
from ..run import frame_choice


class EROSION_PT_frames(SubPanel):
    bl_label = "Frames"

    def draw_header(self, context: bpy.types.Context) -> None:
        self.layout.prop(active_terrain(context).erosion.frames, "keep", text="")

    def draw(self, context: bpy.types.Context) -> None:
        terrain = active_terrain(context)
        layout = self.layout
        settings = terrain.erosion.frames
        layout.use_property_split = True
        layout.use_property_decorate = False
        column = layout.column()
        column.enabled = session.run.task is None
        column.row().prop(settings, "by", expand=True)
        for name in ("length", "rate") if settings.by == "FILM" else ("count",):
            column.prop(settings, name)
        column.prop(settings, "folder")
        column.label(text="Fields")
        flow = column.grid_flow(columns=2, even_columns=True, align=True)
        flow.use_property_split = False
        flow.prop(settings, "fields")
        if settings.keep:
            _draw_size(
                layout, terrain, frame_choice.fields_of(settings), frame_choice.count_of(settings)
            )
        if settings.folder:
            _draw_folder(layout, settings)
        layout.separator()
        layout.operator("erosion.run", text="Run Animation", icon="ANIM").animation = True
        last = context.scene.frame_end - context.scene.frame_start
        _draw_size(layout, terrain, frame_choice.animated_fields_of(terrain), last)


def _draw_size(
    layout: bpy.types.UILayout, terrain: bpy.types.Object, fields: tuple[str, ...], last: int
) -> None:
    """Draw the number of frames up to number `last` and their size."""
    shape = frame_choice.shape_of(terrain)
    if shape is not None and last >= 0:
        size = frame_files.bytes_needed(last, fields, shape)
        text = phrase("{count} frames, at most {size}", count=last + 1, size=size_in_words(size))
        layout.label(text=text, icon="DISK_DRIVE", translate=False)


def _draw_folder(layout: bpy.types.UILayout, settings: Any) -> None:
    """Draw the contents of the folder, or its error."""
    try:
        frame_choice.folder_of(settings)
    except InputError as error:
        if settings.keep:
            draw_lines(layout, [error.sentence], "ERROR")
        return
    record = frame_choice.record_of(settings.id_data)
    if record is None:
        return
    row = layout.row()
    values = {"kept": record.kept, "count": record.frames, "recipe": record.recipe}
    row.label(
        text=phrase("{kept} of {count} frames of {recipe}", **values),
        icon="RENDER_ANIMATION",
        translate=False,
    )
    row.operator("erosion.frames_remove", text="", icon="TRASH")
    column = layout.column()
    column.enabled = session.run.task is None
    column.prop(settings, "how_far", slider=True)
    row = column.row(align=True)
    row.operator("erosion.playback_add", icon="PLAY")
    if playback.find(settings.id_data) is not None:
        row.operator("erosion.playback_remove", text="", icon="X")
        column.operator("erosion.frames_export", icon="EXPORT")


class EROSION_OT_frames_remove(bpy.types.Operator):
    """Delete the frames in the folder, so that a run can keep others there. Undo does not bring
    them back
    """

    bl_idname = "erosion.frames_remove"
    bl_label = "Delete Frames"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return allowed(cls, readiness.why_not(active_terrain(context)))

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        return context.window_manager.invoke_confirm(self, event)

    @reports_refusals()
    def execute(self, context: bpy.types.Context) -> set[str]:
        folder, record = frame_choice.frames_of(active_terrain(context))
        frame_files.cut(folder, record.fields, -1)
        if frame_files.holds(folder, record.fields):
            raise InputError(
                "Some frames in {folder} cannot be deleted; check whether another program uses "
                "them."
            ).format(folder=folder)
        report(
            self, {"INFO"}, Sentence("The frames in {folder} are deleted.").format(folder=folder)
        )
        return {"FINISHED"}


CLASSES = (EROSION_PT_frames, EROSION_OT_frames_remove)
