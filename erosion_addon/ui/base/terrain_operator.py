# SPDX-License-Identifier: GPL-3.0-or-later
"""Base of operators on a terrain: poll, and refusals in sentences."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import bpy

from ...base.errors import InputError
from ...scene.run import readiness
from ...scene.run.readiness import OUT_OF_MEMORY
from ...scene.terrain.active import active_terrain
from .translations import report, sentence

Method = Callable[..., set[str]]


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
        return allowed(cls, readiness.why_not(active_terrain(context)))


def reports_refusals(out_of_memory: str = OUT_OF_MEMORY) -> Callable[[Method], Method]:
    """Decorator for `execute` and `invoke`: reports an InputError as a sentence and returns
    CANCELLED.

    out_of_memory: the sentence for a MemoryError.
    """

    def decorate(method: Method) -> Method:
        def guarded(operator: bpy.types.Operator, *arguments: Any) -> set[str]:
            try:
                return method(operator, *arguments)
            except InputError as error:
                report(operator, {"ERROR"}, error.sentence)
            except MemoryError:
                report(operator, {"ERROR"}, out_of_memory)
            return {"CANCELLED"}

        # Blender counts the arguments of an operator's methods, so *arguments will not do.
        @wraps(method)
        def execute(self: bpy.types.Operator, context: bpy.types.Context) -> set[str]:
            return guarded(self, context)

        @wraps(method)
        def invoke(
            self: bpy.types.Operator, context: bpy.types.Context, event: bpy.types.Event
        ) -> set[str]:
            return guarded(self, context, event)

        return invoke if method.__name__ == "invoke" else execute

    return decorate
