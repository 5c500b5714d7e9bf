# SPDX-License-Identifier: GPL-3.0-or-later
"""Watches the run under way from a timer: moves the bar, starts the next one, and tells the artist what came of it."""

import json
import traceback
from typing import Any

import bpy

from ..scene import job, preview, process, queue
from . import preferences, runs
from .panel import redraw_panels
from .translations import phrase

INTERVAL = 0.1
"""Seconds between two looks at the run."""

last_sentence = ""
"""What came of the runs since the user started one, for the panel; nothing where all has gone well."""


def watch() -> None:
    """Start looking after the run under way, and those that wait."""
    if not bpy.app.timers.is_registered(_tick):
        bpy.app.timers.register(_tick, first_interval=INTERVAL, persistent=True)


def stop() -> None:
    """Look no more; a run under way is cancelled, and nothing waits any longer."""
    if bpy.app.timers.is_registered(_tick):
        bpy.app.timers.unregister(_tick)
    queue.clear()
    preview.end()
    job.clear()
    process.stop()
    # Not at once: when Blender quits some windows are gone by now, such as that of the preferences, and it would crash.
    if not bpy.app.timers.is_registered(_clear):
        bpy.app.timers.register(_clear, persistent=True)


def _clear() -> None:
    """Nothing is eroded any more: a timer, for the next turn of the main loop."""
    redraw(job.current)


def _tick() -> float | None:
    if job.current is None:
        _say(runs.start_next())
    run = job.current
    if run is None:
        redraw(None)
        return None
    try:
        look(run)
    except Exception:  # noqa: BLE001 - a timer that raises is never called again, and the run would never end
        traceback.print_exc()
        run.fail_unexpectedly()
    redraw(run)
    if run.ended:
        settle(run)
        redraw(None)
        if run.state in ("done", "rescued"):
            push_undo("Erode")
    return INTERVAL


def look(run: "job.Job") -> None:
    """See how far a run is, and show it on its mesh where the user wants that."""
    obj = run.find_object()
    run.viewer.shows = obj is not None and obj.erosion.show_progress
    run.poll()


def settle(run: "job.Job") -> None:
    """The run has ended: keep its report with the object and its sentence for the panel."""
    obj = run.find_object()
    if run.state == "done" and obj is not None:
        obj.erosion.report = json.dumps(run.report)
    _say([run.sentence] if run.state != "done" or run.warnings else [])
    job.clear()
    if queue.waiting():
        watch()
    elif not preferences.keeps_worker():
        process.stop()


def _say(sentences: list[str]) -> None:
    """Keep sentences for the panel, those of a queue together."""
    global last_sentence
    last_sentence = " ".join(filter(None, [last_sentence, *sentences]))


def push_undo(message: str) -> None:
    """One undo step for what a timer changed; operators push their own."""
    window = bpy.context.window_manager.windows[0]
    with bpy.context.temp_override(window=window):
        if bpy.ops.ed.undo_push.poll():
            bpy.ops.ed.undo_push(message=message)


def numbers(run: "job.Job") -> str:
    """How far the run is, how long it will take, and how fast it goes."""
    said = [f"{run.fraction:.0%}"]
    if run.state == "running":
        said += [phrase("{time} left", time=clock(run.seconds_left))] if run.seconds_left is not None else []
        said += [run.speed] if run.speed else []
    return ", ".join(said)


def clock(seconds: float) -> str:
    """A duration as 0:07 or 1:02:03."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def redraw(run: "job.Job | None") -> None:
    """Draw the panels anew, and show the run in the status bar (None: Blender's own again)."""
    for window in bpy.context.window_manager.windows:
        window.workspace.status_text_set(_draw_status if run is not None else None)
    redraw_panels()


def _draw_status(header: Any, context: bpy.types.Context) -> None:
    """The status bar during a run."""
    run = job.current
    if run is None:
        return
    row = header.layout.row()
    row.label(text=f"{run.object_name}: {run.message}", icon="RNDCURVE")
    bar = row.row()
    bar.ui_units_x = 14
    bar.progress(factor=run.fraction, text=numbers(run))
    row.operator("erosion.pause", icon="PAUSE")
    row.operator("erosion.finish", icon="CHECKMARK")
    row.operator("erosion.cancel", text="Cancel (Esc)", icon="CANCEL")
    row.separator_spacer()
