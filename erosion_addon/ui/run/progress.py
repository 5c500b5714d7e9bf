# SPDX-License-Identifier: GPL-3.0-or-later
"""Progress of runs: a timer updates the bar, starts the next run, and reports results."""

import json
import time
from typing import Any

import bpy
from bpy.app.handlers import persistent

from ...base.errors import print_traceback, reason_of
from ...scene import session
from ...scene.companions import companions
from ...scene.run import job, preview, run_queue
from ...scene.run.task import Task
from ...scene.worker import computing, worker_process
from ..base import handlers, preferences
from ..base.panel import redraw_panels
from ..base.translations import phrase
from ..recipe import brush_layers
from . import attendance, runs

INTERVAL = 0.1
"""Seconds between two updates."""

ASKING = 4.0
"""Seconds within which a second Esc cancels a long run."""

SHOWING = 0.05
"""The same for a run that is shown on its mesh, so that it moves five times a second."""


class _Now:
    """State of the session."""

    def __init__(self) -> None:
        self.messages: dict[int, str] = {}
        """session_uid of an object → messages of its runs since the user started one. `GONE`: of
        deleted objects.
        """

        self.asked = -ASKING
        """Time at which a question for a second Esc was asked or, once it is drawn, seen."""

        self.is_question_seen = True

        self.repeated: tuple[str, dict[str, Any]] | None = None
        """Operator to repeat in the next turn of the main loop, with its properties."""


now = session.remember(_Now, of_file=True)

GONE = 0
"""No session_uid."""


def watch() -> None:
    """Start watching the current run and the queue."""
    handlers.call_later(_tick, INTERVAL, persistent=True)


def stop() -> None:
    """Stop watching; cancels the current run and clears the queue."""
    handlers.end(TIMERS)
    attendance.forget()
    run_queue.clear()
    preview.end()
    job.clear()
    computing.forget()
    worker_process.stop()
    # Not at once: when Blender quits some windows are gone by now, such as that of the preferences,
    # and it would crash.
    handlers.call_later(_clear, persistent=True)


def _clear() -> None:
    """Clear the status bar, from a timer in the next turn of the main loop."""
    redraw(job.now.current)


def _tick() -> float | None:
    try:
        return _turn()
    except Exception:  # noqa: BLE001 - a timer that raises is never called again, and nothing would ever end
        print_traceback()
        if job.now.current is not None and not job.now.current.ended:
            job.now.current.fail_unexpectedly()
        else:
            job.clear()
        return INTERVAL if job.now.current is not None or run_queue.waiting() else None


def _turn() -> float | None:
    if job.now.current is None:
        for uid, sentence in runs.start_next():
            _say(uid, sentence)
    run = job.now.current
    if run is None:
        redraw(None)
        return None
    poll(run)
    if not (run.ready and attendance.possible()):
        run.commit()  # or say what it waits for
    redraw(run)
    if run.ended:
        attendance.leave()
        finish_run(run)
        redraw(None)
        if run.state in ("done", "rescued"):
            push_undo("Erode")
    elif attendance.possible():
        _attend(run)
        _mark_changed()
    return SHOWING if run.viewer is not None and run.viewer.shows else INTERVAL


def poll(run: Task) -> None:
    """Update the progress, and show the run on its mesh if enabled."""
    if run.viewer is not None:
        obj = run.find_object()
        run.viewer.shows = obj is not None and obj.erosion.show_progress
    run.listen()


def repeat(operator: str, properties: dict[str, Any]) -> None:
    """Repeat an operator after Blender has undone and redone the changes of its redo panel."""
    now.repeated = operator, properties
    handlers.call_later(_repeat)


def _repeat() -> None:
    if now.repeated is None:
        return
    called = now.repeated
    now.repeated = None
    try:
        attendance.call(*called)
    except RuntimeError as error:  # what the operator reports
        terrain = companions.terrain_of(bpy.context.object)
        _say(GONE if terrain is None else terrain.session_uid, reason_of(error))


def _attend(run: Task) -> None:
    """Let an operator write the result; without modal operators it is written here."""
    try:
        attendance.ensure(run)
    except RuntimeError:
        print_traceback()
        run.commit()


def _mark_changed() -> None:
    """Mark the file as changed, so that Blender asks before it quits during a run.

    Blender marks it when it pushes an undo step; with undo disabled it does not.
    """
    if bpy.data.is_dirty:
        return
    preferences_ = bpy.context.preferences
    edit = bpy.context.preferences.edit
    steps = edit.undo_steps
    were_changed = preferences_.is_dirty
    try:
        edit.undo_steps = 0
        push_undo("Erode")
    finally:
        edit.undo_steps = steps
        preferences_.is_dirty = were_changed


def finish_run(run: Task) -> None:
    """Store the report of an ended run with the object, and its message for the panel."""
    obj = run.find_object()
    if run.state == "done" and obj is not None and run.report is not None:
        obj.erosion.report = json.dumps(run.report)
        brush_layers.mark(obj)
    if run.state != "done" or run.warnings:
        _say(GONE if obj is None else run.object_uid, run.sentence)
    job.clear()
    if run_queue.waiting():
        watch()
    elif not preferences.keeps_worker():
        worker_process.stop()


def _say(uid: int, sentence: str) -> None:
    """Append a message for the panel; those of a queue are kept together. uid: of its object, or
    `GONE`.
    """
    now.messages[uid] = " ".join(filter(None, [now.messages.get(uid), sentence]))


def messages(obj: bpy.types.Object | None) -> list[str]:
    """Messages of an object, and of those that are gone."""
    uids = [GONE] if obj is None else [obj.session_uid, GONE]
    return [now.messages[uid] for uid in uids if uid in now.messages]


def forget(obj: bpy.types.Object | None) -> None:
    """Drop these messages."""
    now.messages.pop(GONE, None)
    if obj is not None:
        now.messages.pop(obj.session_uid, None)


def ask() -> None:
    """Ask for a second Esc, in the status bar and the panel."""
    now.asked = time.monotonic()
    now.is_question_seen = False
    redraw(job.now.current)


def is_asking() -> bool:
    """Whether a second Esc cancels."""
    return time.monotonic() - now.asked < ASKING


def push_undo(message: str) -> None:
    """Push one undo step for changes by a timer; operators push their own."""
    window = bpy.context.window_manager.windows[0]
    with bpy.context.temp_override(window=window):
        if bpy.ops.ed.undo_push.poll():
            bpy.ops.ed.undo_push(message=message)


def numbers(run: Task) -> str:
    """Share done, time left and speed of a run, in words."""
    said = [f"{run.fraction:.0%}"]
    if run.state == "running":
        said += (
            [phrase("{time} left", time=clock(run.seconds_left))]
            if run.seconds_left is not None
            else []
        )
        said += [run.speed] if run.speed else []
    return ", ".join(said)


def clock(seconds: float) -> str:
    """Duration as 0:07 or 1:02:03."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def redraw(run: Task | None) -> None:
    """Redraw the panels, and show the run in the status bar (None: Blender's own)."""
    if run is None:
        for workspace in bpy.data.workspaces:  # the user may have left some meanwhile
            workspace.status_text_set(None)
    else:
        for window in bpy.context.window_manager.windows:
            window.workspace.status_text_set(_draw_status)
    redraw_panels()


def _draw_status(header: Any, context: bpy.types.Context) -> None:
    """Draw the status bar during a run."""
    run = job.now.current
    if run is None:
        return
    row = header.layout.row()
    row.label(text=f"{run.object_name}: {run.message}", icon="RNDCURVE")
    bar = row.row()
    bar.ui_units_x = 14
    bar.progress(factor=run.fraction, text=numbers(run))
    if run.stops_early:
        row.operator("erosion.pause", icon="PAUSE")
        row.operator("erosion.finish", icon="CHECKMARK")
    draw_cancel(row)
    row.label(text="Saving keeps the terrain as it was", icon="INFO")
    row.separator_spacer()


def draw_cancel(layout: Any) -> None:
    """Draw the button that cancels; red while Esc asks for a second one."""
    row = layout.row()
    row.alert = is_asking()
    if is_asking() and not now.is_question_seen:
        # A large terrain takes seconds to draw; the time to answer begins when the question can be
        # read.
        now.asked = time.monotonic()
        now.is_question_seen = True
    row.operator(
        "erosion.cancel",
        text="Press Esc again to cancel" if is_asking() else "Cancel (Esc)",
        icon="CANCEL",
    )


@persistent
def _file_is_left(*_: Any) -> None:
    """Another file is about to open: cancel the run, which belongs to this one."""
    stop()


@persistent
def _file_is_open(*_: Any) -> None:
    session.begin_file()


@persistent
def _history_moved(*_: Any) -> None:
    """Undo or redo may have removed the mesh of the run, and what the messages are about."""
    now.messages.clear()
    run = job.now.current
    # a result that waits goes to a new object
    if run is not None and run.state != "waiting" and not run.is_here():
        run.cancel()


def unregister() -> None:
    """Cancel all work."""
    stop()


CLASSES = ()

HANDLERS: handlers.Handlers = (
    ("load_pre", _file_is_left),
    ("load_post", _file_is_open),
    ("undo_post", _history_moved),
    ("redo_post", _history_moved),
)

TIMERS: handlers.Timers = (_tick, _repeat)
"""Without `_clear`, which must run after unregistering."""
