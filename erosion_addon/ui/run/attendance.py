# SPDX-License-Identifier: GPL-3.0-or-later
"""The modal operator that stays with a task until its result is written.

The task belongs to the extension and needs no operator to go on. But only what an operator changes as it finishes has
an undo step, a redo panel and a place in the history that are Blender's own; what a timer changes, the redo panel of an
older operator undoes for ever. Blender autosaves while no operator is modal alone, and tries again every 10 ms, so this
one steps aside now and then, and is called again.
"""

import time
from dataclasses import dataclass, field
from typing import Any

import bpy

from ...scene import session
from ...scene.run.task import Task

INTERVAL = 0.1
"""Seconds between two looks of the operator at its task."""

STAY = 10.0
"""Seconds after which it steps aside: how late an autosave may come."""

AWAY = 2
"""Looks at the task that it is away for. Blender's timers have their turn before each."""

NOBODY = 0
"""Number of no operator."""


@dataclass(eq=False, repr=False)
class _Now:
    """Who attends."""

    returning: bool = False
    """Whether an operator is called to attend a task that is under way, instead of beginning one."""

    timers: dict[int, bpy.types.Timer] = field(default_factory=dict)
    """By an operator's number: what wakes it."""

    last: int = 0  # number that was given
    present: int = NOBODY  # number of the operator that attends
    since: float = 0.0
    away: int = 0


now = session.remember(_Now)


def possible() -> bool:
    """Whether an operator can be modal here: in a window, that is."""
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
    """Whether the operator of that number attends."""
    return number == now.present


def leave() -> None:
    """No operator attends any more; the one that did ends when it wakes next."""
    now.present = NOBODY


def end(number: int) -> None:
    """The operator of that number is modal no longer."""
    if is_by(number):
        leave()
    if number in now.timers:
        bpy.context.window_manager.event_timer_remove(now.timers.pop(number))


def is_long() -> bool:
    """Whether it is time to let Blender autosave."""
    return time.monotonic() - now.since > STAY


def step_aside() -> None:
    """The operator that attends leaves, and is called again in a moment."""
    leave()
    now.away = AWAY


def ensure(task: Task) -> None:
    """See to it that an operator attends a task. RuntimeError where Blender calls none."""
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
    """Call an operator as a click in the viewport does, from a timer."""
    window = bpy.context.window_manager.windows[0]
    area = next((area for area in window.screen.areas if area.type == "VIEW_3D"), window.screen.areas[0])
    region = next(region for region in area.regions if region.type == "WINDOW")
    module, _, name = operator.partition(".")
    with bpy.context.temp_override(window=window, area=area, region=region):
        getattr(getattr(bpy.ops, module), name)("INVOKE_DEFAULT", **properties)


def forget() -> None:
    """Attend nothing."""
    for number in tuple(now.timers):
        end(number)
