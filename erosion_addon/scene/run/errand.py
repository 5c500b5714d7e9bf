# SPDX-License-Identifier: GPL-3.0-or-later
"""Light, levels of detail and whatever else of a terrain needs the worker beside runs, as a task."""

from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

import bpy

from ...base.errors import InputError
from ...worker.messages import Request
from ..terrain import grid
from .task import Task

Change = Callable[[bpy.types.Object], tuple[str, list[str]]]
"""Changes the scene, by what `computing.compute` gives. Returns what was done in a sentence, and warnings."""


class Plan(NamedTuple):
    """What an errand does to an object.

    requests: what the worker is asked for the object as it is when this is called; InputError where that cannot be.
    """

    requests: Callable[[bpy.types.Object], list[Request]]
    change: Change


class Errand(Task):
    """The worker answers requests, then the scene is changed at one go. Without requests there is nothing to wait for.

    work: how it is called. Raises InputError where it cannot begin.
    """

    doing = "changed"

    def __init__(self, obj: bpy.types.Object, work: str, plan: Plan) -> None:
        super().__init__(obj, needs_worker=bool(plan.requests(obj)))
        self.work, self._plan, self._result = work, plan, plan.change
        self.listen()

    def _requests(self) -> list[Request]:
        obj = self.find_object()
        if obj is not None and grid.why_not(obj) is None:
            with suppress(InputError):  # `_write` says it
                return self._plan.requests(obj)
        return []

    def _write(self, obj: bpy.types.Object | None, change: Change) -> None:
        if obj is None:
            raise InputError(f"{self.object_name} was deleted meanwhile.")
        if (reason := grid.why_not(obj)) is not None:
            raise InputError(reason)
        sentence, self.warnings = change(obj)
        self.state, self.sentence = "done", " ".join(filter(None, [sentence, *self.warnings]))
