# SPDX-License-Identifier: GPL-3.0-or-later
"""Base of operators on a terrain: poll, and the reason for a refusal."""

from typing import Any

import bpy

from ...scene.companions import companions
from ...scene.run import readiness
from .translations import sentence


def allowed(operator: Any, reason: str | None) -> bool:
    """Result of an operator's poll; the reason for a refusal becomes its tooltip."""
    if reason:
        operator.poll_message_set(sentence(reason))
    return reason is None


def select_only(context: bpy.types.Context, obj: bpy.types.Object) -> None:
    """Make the object active and the only selected one, as Blender does with added objects."""
    for other in context.selected_objects:
        other.select_set(False)
    context.view_layer.objects.active = obj
    obj.select_set(True)


class TerrainOperator:
    """Base of operators on the active terrain, or on the terrain of the active companion, while
    nothing is being eroded.
    """

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return allowed(cls, readiness.why_not(companions.terrain_of(context.object)))
