# SPDX-License-Identifier: GPL-3.0-or-later
"""Progress of runs in words: panel, status bar, messages, and the question of Esc."""

import time

import bpy

from ...scene.run.machine import State, Task
from ...scene.session import NEVER, session
from ..base.panel import redraw_panels
from ..base.translations import phrase

ASKING = 4.0
"""Seconds within which a second Esc cancels a long run."""


ASKING_TURNS = 5
"""Turns of the main loop that the question lasts at least. Where a large terrain takes seconds to
draw, so does a key on its way.
"""


GONE = 0
"""No session_uid."""


def say(uid: int, sentence: str) -> None:
    """Append a message for the panel; messages of a queue are kept together. uid: of its object, or
    `GONE`.
    """
    session.progress.messages[uid] = " ".join(
        filter(None, [session.progress.messages.get(uid), sentence])
    )


def messages(obj: bpy.types.Object | None) -> list[str]:
    """Messages of an object, and of deleted ones."""
    uids = [GONE] if obj is None else [obj.session_uid, GONE]
    return [session.progress.messages[uid] for uid in uids if uid in session.progress.messages]


def forget(obj: bpy.types.Object | None) -> None:
    """Drop these messages."""
    session.progress.messages.pop(GONE, None)
    if obj is not None:
        session.progress.messages.pop(obj.session_uid, None)


def ask() -> None:
    """Ask for a second Esc, in the status bar and the panel."""
    _begin_question(is_seen=False)
    redraw(session.run.task)


def _begin_question(is_seen: bool) -> None:
    """Begin the time to answer, again once the question is drawn."""
    session.progress.asked_at = time.monotonic()
    session.progress.turns_left = ASKING_TURNS
    session.progress.is_question_seen = is_seen


def count_turn() -> None:
    """Count a turn of the main loop."""
    session.progress.turns_left = max(session.progress.turns_left - 1, 0)


def answer() -> None:
    """End the question: the next Esc, maybe in the next run of the queue, is a first one."""
    session.progress.asked_at = NEVER
    session.progress.turns_left = 0


def is_asking() -> bool:
    """Whether a second Esc cancels."""
    seconds = time.monotonic() - session.progress.asked_at
    return seconds < ASKING or session.progress.turns_left > 0


def numbers(run: Task) -> str:
    """Share done, time left and speed of a run, in words."""
    parts = [f"{run.fraction:.0%}"]
    if run.state is State.RUNNING:
        if run.seconds_left is not None:
            parts.append(phrase("{time} left", time=clock(run.seconds_left)))
        if run.speed:
            parts.append(run.speed)
    return ", ".join(parts)


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


def _draw_status(header: bpy.types.Header, context: bpy.types.Context) -> None:
    """Draw the status bar during a run."""
    run = session.run.task
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


def draw_cancel(layout: bpy.types.UILayout) -> None:
    """Draw the button that cancels; red while Esc asks for a second one."""
    row = layout.row()
    row.alert = is_asking()
    if is_asking() and not session.progress.is_question_seen:
        # A large terrain takes seconds to draw; the time to answer begins when the question can be
        # read.
        _begin_question(is_seen=True)
    row.operator(
        "erosion.cancel",
        text="Press Esc again to cancel" if is_asking() else "Cancel (Esc)",
        icon="CANCEL",
    )
