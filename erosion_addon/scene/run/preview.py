# SPDX-License-Identifier: GPL-3.0-or-later
"""Live preview of a run: a small result, displayed on the terrain while its settings change."""

import dataclasses
import time
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ...base.arrays import longer_side, mean_cell_size
from ...recipe.recipe import Recipe
from ...run import preview
from ...terrain.terrain import Terrain
from ...worker.client import Runner
from .. import session
from ..display import displayed_heights
from ..terrain import grid
from ..terrain.lattice import Array, Lattice
from ..terrain.snapshot import snapshot
from ..worker import worker_process
from . import start_state


@dataclass(eq=False, repr=False)
class _Now:
    """State of the session."""

    current: "Preview | None" = None
    """Preview in progress or on display, or None."""


now = session.remember(_Now)


@dataclasses.dataclass(frozen=True)
class Ground:
    """Start of a preview: full local heights (vertices,), reduced terrain and masks.

    key: of the settings it was made from.
    """

    key: Hashable
    lattice: Lattice
    heights: Array
    terrain: Terrain
    masks: dict[str, Array]

    def fitted(self, recipe: Recipe) -> Recipe:
        """Recipe for the reduced terrain, with the effect of the full one."""
        spacing = self.lattice.spacing
        longer = longer_side((self.lattice.rows, self.lattice.cols), spacing)
        return preview.fitted(recipe, longer, mean_cell_size(spacing), self.terrain.cell_size)


def ground_of(
    obj: bpy.types.Object,
    key: Hashable,
    masks: Mapping[str, Any],
    continue_from_result: bool,
    side: int = preview.SIDE,
) -> Ground:
    """Start of a preview with `side` cells; InputError if it cannot be read."""
    seen = snapshot(obj)
    heights = start_state.heights(obj.data, seen, continue_from_result).start
    # Colors cost as much as all else, and a preview shows none.
    terrain = start_state.terrain(obj.data, seen.lattice, heights, continue_from_result, {"surface_color": None})
    shape = preview.shape_of(terrain.shape, side)
    small, small_masks = preview.reduced(terrain, shape), preview.reduced_masks(masks, shape)
    return Ground(key, seen.lattice, heights, small, small_masks)


class Preview:
    """Previews of one object. note: status for the user. Call `poll` regularly."""

    def __init__(self, obj: bpy.types.Object) -> None:
        self.object_uid, self._mesh_uid = obj.session_uid, obj.data.session_uid
        self.note = ""
        self._ground: Ground | None = None
        self._runner: Runner | None = None
        self._heights: Array | None = None
        self._began = 0.0

    def knows(self, obj: bpy.types.Object, key: Hashable) -> bool:
        """Whether the ground of `key` is cached."""
        return self._ground is not None and self._ground.key == key and displayed_heights.is_shown(obj.data)

    def prepare(
        self, obj: bpy.types.Object, key: Hashable, masks: Mapping[str, Any], continue_from_result: bool
    ) -> None:
        """Read the ground; InputError if impossible."""
        self._ground = ground_of(obj, key, masks, continue_from_result)

    def run(self, recipe: Recipe, threads: int) -> None:
        """Start a preview of the recipe; the current one is stopped."""
        assert self._ground is not None
        self.stop()
        ground, self._began = self._ground, time.monotonic()
        self._runner = worker_process.ready()
        shape = ground.lattice.rows, ground.lattice.cols
        self._runner.run(ground.terrain, ground.fitted(recipe), ground.masks, threads, preview=shape)
        rows, cols = ground.terrain.shape
        self.note = f"Preview {rows} × {cols} …"

    def stop(self) -> None:
        """Stop the computation; the display stays."""
        if self._runner is not None:
            self._runner.stop()
            self._runner = None

    @property
    def under_way(self) -> bool:
        """Whether a preview is being computed."""
        return self._runner is not None

    def poll(self, obj: bpy.types.Object, seconds: float = 0.0) -> None:
        """Display a finished preview on its object; waits at most this many seconds for it."""
        for message in self._runner.poll(seconds) if self._runner else ():
            if message.kind == "preview":
                self._take(obj, message.arrays["change"])
            elif message.kind in ("refused", "failed", "broken", "ended"):
                self._runner = None
                fault = message.kind == "failed"
                self.note = "" if fault else f"No preview: {message.values['reason']}"
                if fault:
                    print(message.values["reason"])
                displayed_heights.put_back()
                return

    def _take(self, obj: bpy.types.Object, change: Array) -> None:
        assert self._ground is not None
        ground, self._runner = self._ground, None
        change = ground.lattice.to_vertices(change / np.float32(ground.lattice.scale_z))
        self._heights = ground.heights + change
        rows, cols = ground.terrain.shape
        self.note = f"Preview {rows} × {cols}, {time.monotonic() - self._began:.1f} s"
        self.show(obj)

    def show(self, obj: bpy.types.Object) -> None:
        """Display the last preview."""
        if self._heights is None or grid.why_not(obj) is not None or obj.data.session_uid != self._mesh_uid:
            return
        if not displayed_heights.show(obj.data, self._heights):
            self.note, self._ground, self._heights = "", None, None


def of(obj: bpy.types.Object) -> Preview:
    """Preview of the object; that of another object ends."""
    if now.current is None or now.current.object_uid != obj.session_uid:
        end()
        now.current = Preview(obj)
    return now.current


def end() -> None:
    """End the preview and the display of the terrain before erosion."""
    if now.current is not None:
        now.current.stop()
    displayed_heights.put_back()
    now.current = None
