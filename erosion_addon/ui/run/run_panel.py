# SPDX-License-Identifier: GPL-3.0-or-later
"""Panel parts of runs: the current one, the queue, the preview, and the report of the last one."""

import json
from contextlib import suppress
from typing import Any

import bpy

from ...base.errors import Sentence
from ...run.report import in_words
from ...scene.run import readiness, run_queue
from ...scene.run.machine import State, Task
from ...scene.session import session
from ...scene.terrain.active import active_terrain
from ..base.panel import SubPanel, draw_lines
from ..base.translations import phrase, sentence
from ..masks import mask_watch
from . import live_preview, progress


def draw_run(layout: bpy.types.UILayout, run: Task, obj: bpy.types.Object | None) -> None:
    """Draw the current run with its buttons, and the queue; obj: the active terrain, which may be
    in it.
    """
    column = layout.column(align=True)
    column.label(text=f"{run.object_name}: {run.message}")
    bar = column.row()
    bar.scale_y = 1.5
    bar.progress(factor=run.fraction, text=progress.numbers(run))
    if run.state is State.HELD:
        draw_lines(layout, [run.sentence], "ERROR")
        layout.operator("erosion.write_result", icon="FILE_REFRESH")
    elif run.stops_early:
        row = layout.row(align=True)
        row.operator("erosion.pause", icon="PAUSE")
        row.operator("erosion.finish", icon="CHECKMARK")
    progress.draw_cancel(layout)
    if run.viewer is not None and obj is not None and obj.session_uid == run.object_uid:
        row = layout.row()
        row.use_property_split = False
        row.prop(obj.erosion, "show_progress")
    elif obj is not None and obj.type == "MESH" and not run_queue.waits(obj):
        layout.operator("erosion.run", text="Add to Queue", icon="ADD")
    _draw_queue(layout)


def _draw_queue(layout: bpy.types.UILayout) -> None:
    column = layout.column(align=True)
    for number, waiting in enumerate(run_queue.waiting()):
        row = column.row(align=True)
        text = waiting.name if number else phrase("Waiting: {name}", name=waiting.name)
        row.label(text=text, icon="BLANK1" if number else "TIME", translate=False)
        row.operator("erosion.queue_remove", text="", icon="X").uid = waiting.uid


def draw_paused(layout: bpy.types.UILayout, obj: bpy.types.Object) -> None:
    """Draw the progress of a paused run."""
    # no report, or one that somebody else has written
    with suppress(ValueError, TypeError, AttributeError):
        share = float(json.loads(obj.erosion.report).get("finished"))
        layout.label(
            text=phrase("Paused at {share}", share=f"{share:.0%}"), icon="PAUSE", translate=False
        )


def draw_preview(layout: bpy.types.UILayout, settings: Any) -> None:
    """Draw the switch and state of the live preview."""
    row = layout.row()
    row.use_property_split = False
    reason = readiness.why_not(settings.id_data, readiness.PREVIEW, mask_watch.known_problem)
    row.enabled = reason is None
    row.prop(
        settings,
        "live_preview",
        toggle=True,
        icon="HIDE_OFF" if settings.live_preview else "HIDE_ON",
    )
    if not settings.live_preview:
        return
    live_preview.watch()
    current = session.run.preview
    if reason is not None:
        draw_lines(layout, [Sentence("No preview: {reason}").format(reason=reason)], "INFO")
    elif trouble := session.live.problems.get(settings.id_data.session_uid):
        draw_lines(layout, [trouble], "INFO")
    elif (
        current is not None and current.object_uid == settings.id_data.session_uid and current.note
    ):
        row = layout.row()
        row.active = False
        row.label(text=sentence(current.note), translate=False)


class EROSION_PT_report(SubPanel):
    bl_label = "Last Run"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return super().poll(context) and bool(active_terrain(context).erosion.report)

    def draw(self, context: bpy.types.Context) -> None:
        for line in _lines(active_terrain(context).erosion.report):
            draw_lines(self.layout, [line], "NONE")


@session.cached(16)
def _lines(report: str) -> list[str]:
    """Report in words; invalid content in a file is reported as missing."""
    try:
        return in_words(json.loads(report))
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError):
        return [Sentence("The report of the last run is damaged.")]


CLASSES = (EROSION_PT_report,)
