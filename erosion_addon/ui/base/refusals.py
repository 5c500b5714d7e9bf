# SPDX-License-Identifier: GPL-3.0-or-later
"""Refused operators: the error is reported, and the operator is canceled."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from ...base.errors import InputError
from ...scene.run.readiness import OUT_OF_MEMORY
from .translations import report

Method = Callable[..., set[str]]


def reports_refusals(out_of_memory: str = OUT_OF_MEMORY) -> Callable[[Method], Method]:
    """Decorator for `execute` and `invoke`: reports an InputError as a sentence and returns
    CANCELLED.

    out_of_memory: the sentence for a MemoryError.
    """

    def decorate(method: Method) -> Method:
        def guarded(operator: Any, *given: Any) -> set[str]:
            try:
                return method(operator, *given)
            except InputError as error:
                report(operator, {"ERROR"}, error.sentence)
            except MemoryError:
                report(operator, {"ERROR"}, out_of_memory)
            return {"CANCELLED"}

        # Blender counts the arguments of an operator's methods, so *given will not do.
        @wraps(method)
        def execute(self: Any, context: Any) -> set[str]:
            return guarded(self, context)

        @wraps(method)
        def invoke(self: Any, context: Any, event: Any) -> set[str]:
            return guarded(self, context, event)

        return invoke if method.__name__ == "invoke" else execute

    return decorate
