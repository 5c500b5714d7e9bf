# SPDX-License-Identifier: GPL-3.0-or-later
"""Animated run: a run for each frame of the scene, with the parameters that it has there, kept as frames."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import bpy

from ...frames import frame_files
from ...frames.record import MOST
from ...light.parameters import Lighting
from ...recipe.recipe import Recipe
from ...terrain.terrain import Terrain
from ...worker.messages import Message
from ...worker.requests import animation_request
from ..run.task import Task

Given = TypeVar("Given")


class AnimatedRun(Task):
    """Animated run in progress. The mesh does not change; frames made before a cancel stay."""

    work, operator = "Animation", "erosion.run"

    def __init__(
        self,
        obj: bpy.types.Object,
        folder: Path,
        fields: tuple[str, ...],
        terrain: Terrain,
        recipes: Sequence[Recipe],
        masks: Mapping[str, Any],
        lights: Sequence[Lighting],
        threads: int,
    ) -> None:
        super().__init__(obj)
        self._folder, self._fields, self._count = folder, fields, len(recipes)
        self._runner.compute(animation_request(folder, fields, terrain, recipes, masks, lights), threads)

    def _receive(self, message: Message) -> None:
        if message.kind == "computed":
            self._result = int(message.arrays["made"])
        else:
            super()._receive(message)

    def _write(self, obj: bpy.types.Object | None, result: int) -> None:
        there = self._count - result
        self.state = "done"
        self.sentence = f"{result} frames of {self.object_name} were made; {there} existed already."

    def cancel(self) -> None:
        """Cancel; frames that are complete stay, for the next run to go on with."""
        super().cancel()
        frame_files.cut(self._folder, self._fields, MOST)


def at_each_frame(scene: bpy.types.Scene, given: Callable[[], Given]) -> Iterator[Given]:
    """Values of `given` at each frame of the scene's range; the current frame is restored at the end."""
    frame, subframe = scene.frame_current, scene.frame_subframe
    try:
        for number in range(scene.frame_start, scene.frame_end + 1):
            scene.frame_set(number)
            yield given()
    finally:
        scene.frame_set(frame, subframe=subframe)
