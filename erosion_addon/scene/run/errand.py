# SPDX-License-Identifier: GPL-3.0-or-later
"""Errands: tasks of the worker for a terrain beside runs, such as light and levels of detail."""

from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

import bpy

from ...base.errors import InputError, Sentence, joined
from ...worker.messages import Request
from ..original.transaction import all_or_nothing, nothing_new
from ..session import session
from ..terrain import obstacle
from ..terrain.mesh import positions
from ..worker import computing
from .machine import State, Task

Change = Callable[[bpy.types.Object], tuple[str, list[str]]]
"""Function that changes the scene, with answers from `computing.compute`. Returns a message, and
warnings.
"""


class Plan(NamedTuple):
    """Plan of an errand. requests: made for the object's current state; InputError if
    impossible.
    """

    requests: Callable[[bpy.types.Object], list[Request]]
    change: Change


class Errand(Task):
    """Task that gets answers from the worker, then changes the scene at once. Without requests
    there is no wait.

    work: its name. Raises InputError if it cannot begin.
    """

    doing = Sentence("changed")

    def __init__(self, obj: bpy.types.Object, work: str, plan: Plan) -> None:
        super().__init__(obj, needs_worker=bool(plan.requests(obj)))
        self.work = work
        self._plan = plan
        self._result = plan.change
        self.listen()

    def _requests(self) -> list[Request]:
        obj = self.find_object()
        if obj is not None and obstacle.why_not(obj) is None:
            with suppress(InputError):  # `_write` says it
                return self._plan.requests(obj)
        return []

    def fail(self, sentence: str) -> None:
        """End with a message, without changes; the same errand need not compute its answers
        again.
        """
        computing.forget_refusals()
        if session.worker.answers:
            with_remedy = Sentence("{sentence} What was computed is kept; press the button again.")
            sentence = with_remedy.format(sentence=sentence)
        super().fail(sentence)

    def _write(self, obj: bpy.types.Object | None, change: Change) -> None:
        if obj is None:
            computing.forget()
            raise InputError("{object_name} was deleted meanwhile.").format(
                object_name=self.object_name
            )
        if (reason := obstacle.why_not(obj)) is not None:
            raise InputError(reason)
        with nothing_new(), all_or_nothing(obj.data, positions(obj.data)):
            sentence, self.warnings = change(obj)
        self.sentence = joined(filter(None, [sentence, *self.warnings]))
        self.enter(State.DONE)
