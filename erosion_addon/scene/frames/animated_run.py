# SPDX-License-Identifier: GPL-3.0-or-later
"""Animated run: a run for each frame of the scene, with its animated parameters, kept as frames."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import bpy

from ...bake.parameters import Lighting
from ...base.errors import Sentence
from ...recipe.recipe import Recipe
from ...run.frames import frame_files
from ...run.frames.frame_settings import digests_of, replaced
from ...run.frames.record import MOST, Record, with_elevation
from ...terrain.terrain import Terrain
from ...worker.messages import Message
from ...worker.requests import animation_request
from ..run.machine import State, Task

Value = TypeVar("Value")


class Animation(NamedTuple):
    """Inputs of an animated run: folder and fields of its frames, start terrain of each run, recipe
    and light of each frame, masks by kind.
    """

    folder: Path
    fields: tuple[str, ...]
    terrain: Terrain
    recipes: Sequence[Recipe]
    masks: Mapping[str, Any]
    lights: Sequence[Lighting]

    def replaced(self) -> int:
        """Number of frames in the folder that the run replaces; 0 also if the run is refused."""
        record = Record.read(self.folder)
        names = with_elevation(self.fields)
        same = names, self.terrain.shape, self.terrain.spacing
        if record is None or (record.fields, record.size, record.spacing) != same:
            return 0
        return replaced(record, digests_of(self.terrain, self.masks, self.recipes, self.lights))


class AnimatedRun(Task):
    """Animated run in progress. The mesh does not change; frames made before a cancel stay."""

    work = "Animation"
    operator = "erosion.run"

    def __init__(
        self, obj: bpy.types.Object, animation: Animation, threads: int, replace: bool
    ) -> None:
        super().__init__(obj)
        self._folder = animation.folder
        self._fields = animation.fields
        self._count = len(animation.recipes)
        with self.locks as locks:
            locks.enter_context(frame_files.locked(animation.folder))
            request = animation_request(
                animation.folder,
                animation.fields,
                animation.terrain,
                animation.recipes,
                animation.masks,
                animation.lights,
                replace,
            )
            self._runner.compute(request, threads)
            self.locks = locks.pop_all()

    def _receive(self, message: Message) -> None:
        if message.kind == "computed":
            self._result = int(message.arrays["made"])
        else:
            super()._receive(message)

    def _write(self, obj: bpy.types.Object | None, result: int) -> None:
        existing = self._count - result
        self.sentence = Sentence(
            "{result} frames of {object_name} were made; {existing} existed already."
        ).format(result=result, object_name=self.object_name, existing=existing)
        self.enter(State.DONE)

    def cancel(self) -> None:
        """Cancel; complete frames stay, and the next run continues from them."""
        super().cancel()
        frame_files.cut(self._folder, self._fields, MOST)


def at_each_frame(scene: bpy.types.Scene, value_of: Callable[[], Value]) -> Iterator[Value]:
    """Values of `value_of` at each frame of the scene's range; the current frame is restored at the
    end.
    """
    frame = scene.frame_current
    subframe = scene.frame_subframe
    try:
        for number in range(scene.frame_start, scene.frame_end + 1):
            scene.frame_set(number)
            yield value_of()
    finally:
        scene.frame_set(frame, subframe=subframe)
