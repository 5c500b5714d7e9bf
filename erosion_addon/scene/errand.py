# SPDX-License-Identifier: GPL-3.0-or-later
"""Light, levels of detail and whatever else of a terrain needs the worker beside runs, as a task."""

from collections.abc import Callable, Sequence

import bpy

from ..model.errors import InputError
from ..model.messages import Request
from . import grid
from .task import Task

Change = Callable[[bpy.types.Object], tuple[str, list[str]]]
"""Changes the scene, by what `computing.compute` gives. Returns what was done in a sentence, and warnings."""


class Errand(Task):
    """The worker answers requests, then the scene is changed at one go. Without requests there is nothing to wait for.

    work: how it is called.
    """

    doing = "changed"

    def __init__(self, obj: bpy.types.Object, work: str, requests: Sequence[Request], change: Change) -> None:
        super().__init__(obj, needs_worker=bool(requests))
        self.work, self._ahead, self._result = work, requests, change
        self.listen()

    def _requests(self) -> list[Request]:
        return [*self._ahead]

    def _write(self, obj: bpy.types.Object | None, change: Change) -> None:
        if obj is None:
            raise InputError(f"{self.object_name} was deleted meanwhile.")
        if (reason := grid.why_not(obj)) is not None:
            raise InputError(reason)
        sentence, self.warnings = change(obj)
        self.state, self.sentence = "done", " ".join(filter(None, [sentence, *self.warnings]))
