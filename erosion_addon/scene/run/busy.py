# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender operations in progress that a change of the scene would disturb."""

import bpy

_JOBS = {"RENDER": "the render", "OBJECT_BAKE": "the bake"}
"""Blender job that reads the file's data from its own thread → its name in a sentence."""

_STROKES = ("PAINT_OT_", "SCULPT_OT_", "TRANSFORM_OT_")
"""Prefixes of modal operators that hold an unfinished change."""


def renders() -> bool:
    """Whether a render or a bake is in progress."""
    return any(bpy.app.is_job_running(job) for job in _JOBS)


def at() -> str | None:
    """Operation in progress, in words that follow "the end of"; None if idle."""
    for job, name in _JOBS.items():
        if bpy.app.is_job_running(job):
            return name
    running = (
        modal for window in bpy.context.window_manager.windows for modal in window.modal_operators
    )
    # Where an extension was switched off lately there is a None in place of its operator.
    return next(
        (modal.bl_label for modal in running if modal and modal.bl_idname.startswith(_STROKES)),
        None,
    )
