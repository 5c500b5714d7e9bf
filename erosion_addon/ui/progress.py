# SPDX-License-Identifier: GPL-3.0-or-later
"""Watches the run under way from a timer: moves the bar, and tells the artist what came of it."""

import json
import traceback

import bpy

from ..scene import job, process

INTERVAL = 0.1
"""Seconds between two looks at the run."""

last_sentence = ""
"""What came of the last run, for the panel."""


def watch() -> None:
    """Start looking after the run under way."""
    if not bpy.app.timers.is_registered(_tick):
        bpy.app.timers.register(_tick, first_interval=INTERVAL, persistent=True)


def stop() -> None:
    """Look no more; a run under way is cancelled."""
    if bpy.app.timers.is_registered(_tick):
        bpy.app.timers.unregister(_tick)
    job.clear()
    process.stop()


def _tick() -> float | None:
    run = job.current
    if run is None:
        return None
    try:
        run.poll()
    except Exception:  # noqa: BLE001 - a timer that raises is never called again, and the run would never end
        traceback.print_exc()
        run.fail_unexpectedly()
    redraw(status_text(run))
    if not run.ended:
        return INTERVAL
    settle(run)
    redraw(None)
    if run.state in ("done", "rescued"):
        push_undo("Erode")
    return None


def settle(run: "job.Job") -> None:
    """The run has ended: keep its report with the object and its sentence for the panel."""
    global last_sentence
    obj = run.find_object()
    if run.state == "done" and obj is not None:
        obj.erosion.report = json.dumps(run.report)
    last_sentence = run.sentence if run.state != "done" or run.warnings else ""
    job.clear()


def push_undo(message: str) -> None:
    """One undo step for what a timer changed; operators push their own."""
    window = bpy.context.window_manager.windows[0]
    with bpy.context.temp_override(window=window):
        if bpy.ops.ed.undo_push.poll():
            bpy.ops.ed.undo_push(message=message)


def status_text(run: "job.Job") -> str:
    """The state of a run in a line."""
    left = run.seconds_left
    time_left = "" if left is None or run.state != "running" else f", {clock(left)} left"
    return f"{run.message}, {run.fraction:.0%}{time_left}"


def clock(seconds: float) -> str:
    """A duration as 0:07 or 1:02:03."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def redraw(status: str | None) -> None:
    """Draw the panels anew, and show a text in the status bar (None: Blender's own again)."""
    for window in bpy.context.window_manager.windows:
        window.workspace.status_text_set(status and f"Eroding: {status}.  Esc cancels")
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                # The sidebar alone: drawing the whole viewport ten times a second takes the window's breath away.
                next(region for region in area.regions if region.type == "UI").tag_redraw()
