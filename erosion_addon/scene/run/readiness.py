# SPDX-License-Identifier: GPL-3.0-or-later
"""Readiness: all reasons why work on a terrain cannot begin, in one order, for the panel,
operators, the command line and scripts; and why a result cannot be written yet.
"""

from collections.abc import Callable, Collection
from enum import Enum, auto

import bpy

from ...base.errors import InputError, Sentence
from ..original import original
from ..session import session
from ..terrain import grid, obstacle
from ..worker import worker_process

OUT_OF_MEMORY = Sentence(
    "There is not enough memory for that; close other programs or use a smaller terrain."
)


class Check(Enum):
    """Checks in the order in which they are made."""

    TASK = auto()
    """Nothing else is in progress."""

    TURN = auto()
    """The terrain itself is neither in progress nor in the queue."""

    MESH = auto()
    """The object is a mesh in Object Mode, without obstacles."""

    RESULT = auto()
    """The terrain has been eroded."""

    RENDER = auto()
    """Blender neither renders nor bakes."""

    LATTICE = auto()
    """The vertices form a grid; cached until something changes."""

    MASKS = auto()
    """No mask has a known problem."""

    WORKER = auto()
    """The worker process is not known to fail."""


Reason = Callable[[bpy.types.Object | None], str | None]
"""Function that returns the reason why a check fails on an object; None if it passes."""

CHANGE = (Check.TASK, Check.MESH)
"""A change of the terrain, by the worker or at once."""

REVERT = (*CHANGE, Check.RESULT)
"""Restore or Apply."""

START = (*CHANGE, Check.RENDER)
"""A task about to begin, which then reads the mesh and its masks itself."""

RUN = (*CHANGE, Check.LATTICE, Check.MASKS, Check.WORKER)
"""A run that cannot be queued."""

PREVIEW = (Check.TURN, Check.MESH, Check.LATTICE, Check.MASKS)
"""A preview."""

QUEUE = (*PREVIEW, Check.WORKER)
"""A run, which waits for its turn during another one."""


def no_problem(_: bpy.types.Object | None) -> str | None:
    """Problem of masks that nobody has read."""
    return None


def why_not(
    obj: bpy.types.Object | None,
    checks: Collection[Check] = CHANGE,
    mask_problem: Reason = no_problem,
) -> str | None:
    """Reason of the first of these checks that fails; None if all pass.

    mask_problem: for the check of masks.
    """
    reasons = _REASONS | {Check.MASKS: mask_problem}
    for check in Check:
        if check in checks and (reason := reasons[check](obj)):
            return reason
    return None


def why_busy() -> str | None:
    """Sentence that names the terrain in progress; None if idle."""
    return why_not(None, (Check.TASK,))


def _task(_: bpy.types.Object | None) -> str | None:
    task = session.run.task
    if task is None:
        return None
    return Sentence("{object_name} is being {doing}; wait, or cancel that first.").format(
        object_name=task.object_name, doing=task.doing
    )


def _turn(obj: bpy.types.Object | None) -> str | None:
    task = session.run.task
    if obj is None or task is None:
        return None
    if task.object_uid == obj.session_uid:
        return Sentence("{name} is being {doing}").format(name=obj.name, doing=task.doing)
    is_queued = any(entry.uid == obj.session_uid for entry in session.run.queue)
    return Sentence("{name} waits for its turn").format(name=obj.name) if is_queued else None


def _result(obj: bpy.types.Object | None) -> str | None:
    if obj is None or original.has_source(obj.data):
        return None
    return Sentence("This terrain has not been eroded")


def _render(_: bpy.types.Object | None) -> str | None:
    if not is_rendering():
        return None
    return Sentence("A render or bake is running; start the erosion when it is done.")


def _lattice(obj: bpy.types.Object | None) -> str | None:
    try:
        grid.describe(obj)
    except InputError as error:
        return error.sentence
    except MemoryError:
        return OUT_OF_MEMORY
    return None


def _worker(_: bpy.types.Object | None) -> str | None:
    return worker_process.fault() or None


_REASONS: dict[Check, Reason] = {
    Check.TASK: _task,
    Check.TURN: _turn,
    Check.MESH: obstacle.why_not,
    Check.RESULT: _result,
    Check.RENDER: _render,
    Check.LATTICE: _lattice,
    Check.WORKER: _worker,
}

_JOBS = {"RENDER": Sentence("the render"), "OBJECT_BAKE": Sentence("the bake")}
"""Blender job that reads the file's data from its own thread → its name in a sentence."""

_STROKES = ("PAINT_OT_", "SCULPT_OT_", "TRANSFORM_OT_")
"""Prefixes of modal operators that hold an unfinished change."""


def is_rendering() -> bool:
    """Whether a render or a bake is in progress."""
    return any(bpy.app.is_job_running(job) for job in _JOBS)


def operation() -> str | None:
    """Blender operation in progress that a change of the scene would disturb, in words that follow
    "the end of"; None if idle.
    """
    for job, name in _JOBS.items():
        if bpy.app.is_job_running(job):
            return name
    for window in bpy.context.window_manager.windows:
        for modal in window.modal_operators:
            # Where an extension was switched off lately there is a None in place of its operator.
            if modal and modal.bl_idname.startswith(_STROKES):
                return modal.bl_label
    return None


def why_not_written(obj: bpy.types.Object | None) -> str | None:
    """Reason why a result for the object cannot be written now, in a few words; None if it can.

    obj: None if deleted; the result then goes to a new object.
    """
    if obj is not None and obj.mode != "OBJECT":
        return "leave " + obj.mode.replace("_", " ").title() + " Mode"
    # Renders and bakes read the scene from threads of their own; an undo step amid a stroke would
    # hold half of it.
    name = operation()
    return name and Sentence("waits for the end of {operation}").format(operation=name)
