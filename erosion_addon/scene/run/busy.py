# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's own work in progress, which a change of the scene would disturb."""

import bpy

_JOBS = {"RENDER": "the render", "OBJECT_BAKE": "the bake"}
"""Job of Blender that reads the file's data from a thread of its own → its name in a sentence."""

_STROKES = ("PAINT_OT_", "SCULPT_OT_", "TRANSFORM_OT_")
"""Modal operators that hold half a change, by how their names begin."""


def renders() -> bool:
    """Whether a render or a bake is under way."""
    return any(bpy.app.is_job_running(job) for job in _JOBS)


def at() -> str | None:
    """What Blender is at, in words that follow "the end of"; None where nothing would be disturbed."""
    for job, name in _JOBS.items():
        if bpy.app.is_job_running(job):
            return name
    running = (modal for window in bpy.context.window_manager.windows for modal in window.modal_operators)
    # Where an extension was switched off lately there is a None in place of its operator.
    return next((modal.bl_label for modal in running if modal and modal.bl_idname.startswith(_STROKES)), None)
