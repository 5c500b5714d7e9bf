# SPDX-License-Identifier: GPL-3.0-or-later
"""Modal operator that attends a task until its result is written.

Tasks run without it. But only changes by an operator get an undo step and a redo panel of their
own; changes by a timer would be undone by the redo panel of an earlier operator. Blender cannot
autosave while an operator is modal, and retries every 10 ms, so this one pauses now and then.
"""

import time
from typing import Any

import bpy

from ...scene import session
from ...scene.run.task import Task

INTERVAL = 0.1
"""Seconds between two updates by the operator."""

STAY = 10.0
"""Seconds until the operator pauses: the greatest delay of an autosave."""

AWAY = 2
"""Updates that a pause lasts. Blender's timers run before each."""

NOBODY = 0
"""Number of no operator."""


class _Now:
    """State of the session."""

    def __init__(self) -> None:
        self.returning = False
        """Whether an operator is called to attend a running task, not to start one."""

        self.timers: dict[int, bpy.types.Timer] = {}
        """Timer of each operator, by number."""

        self.last = 0  # number that was given
        self.present = NOBODY  # number of the operator that attends
        self.since = 0.0
        self.away = 0


now = session.remember(_Now)


def possible() -> bool:
    """Whether operators can be modal, that is, Blender has a window."""
    return not bpy.app.background and len(bpy.context.window_manager.windows) > 0


def join(operator: Any, context: bpy.types.Context) -> int:
    """Make an operator modal; returns its number here."""
    manager = context.window_manager
    now.last += 1
    now.timers[now.last] = manager.event_timer_add(INTERVAL, window=context.window)
    manager.modal_handler_add(operator)
    now.present, now.since = now.last, time.monotonic()
    return now.last


def is_by(number: int) -> bool:
    """Whether the operator with that number attends."""
    return number == now.present


def leave() -> None:
    """End the attendance; the operator ends at its next event."""
    now.present = NOBODY


def end(number: int) -> None:
    """Remove an operator that is no longer modal."""
    if is_by(number):
        leave()
    if number in now.timers:
        bpy.context.window_manager.event_timer_remove(now.timers.pop(number))


def is_long() -> bool:
    """Whether it is time for an autosave."""
    return time.monotonic() - now.since > STAY


def step_aside() -> None:
    """Pause the attending operator; it is called again shortly."""
    leave()
    now.away = AWAY


def ensure(task: Task) -> None:
    """Make sure that an operator attends a task. RuntimeError if Blender calls none."""
    if now.present:
        return
    if now.away:
        now.away -= 1
        return
    now.returning = True
    try:
        call(task.operator, task.properties)
    finally:
        now.returning = False


def call(operator: str, properties: dict[str, Any]) -> None:
    """Call an operator from a timer as if by a click in the viewport."""
    window = bpy.context.window_manager.windows[0]
    area = next(
        (area for area in window.screen.areas if area.type == "VIEW_3D"), window.screen.areas[0]
    )
    region = next(region for region in area.regions if region.type == "WINDOW")
    module, _, name = operator.partition(".")
    with bpy.context.temp_override(window=window, area=area, region=region):
        getattr(getattr(bpy.ops, module), name)("INVOKE_DEFAULT", **properties)


def forget() -> None:
    """Forget all operators."""
    for number in tuple(now.timers):
        end(number)
