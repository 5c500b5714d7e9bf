# SPDX-License-Identifier: GPL-3.0-or-later
"""What operators on a terrain share: when they may run, and why not."""

from typing import Any

import bpy

from ..scene import companions, grid, job


def why_no_run(obj: bpy.types.Object | None) -> str | None:
    """Why the object cannot be eroded now; None if it can."""
    if job.current is not None:
        return f"{job.current.object_name} is being eroded"
    return grid.why_not(obj)


def allowed(operator: Any, reason: str | None) -> bool:
    """What an operator's poll answers; the reason against it becomes its tooltip."""
    if reason:
        operator.poll_message_set(reason)
    return reason is None


class TerrainOperator:
    """For operators on the active terrain, or on the terrain of the active companion, while nothing is eroded."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return allowed(cls, why_no_run(companions.terrain_of(context.object)))
