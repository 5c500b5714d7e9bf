# SPDX-License-Identifier: GPL-3.0-or-later
"""A preview of a run, shown on the terrain while its settings are dragged: small, and gone when it is not wanted."""

import dataclasses
import math
import time
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

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
    """The preview of this session."""

    current: "Preview | None" = None
    """The preview that is shown or under way, or None."""


now = session.remember(_Now)


@dataclasses.dataclass(frozen=True)
class Ground:
    """What a preview starts from: local heights (vertices,) in full, and terrain and masks in small.

    key: of the settings that it was made from.
    """

    key: Hashable
    lattice: Lattice
    heights: Array
    terrain: Terrain
    masks: dict[str, Array]

    def fitted(self, recipe: Recipe) -> Recipe:
        """The recipe for the terrain in small, to change it as much as that in full."""
        (row_spacing, col_spacing), rows, cols = self.lattice.spacing, self.lattice.rows, self.lattice.cols
        longer = max(rows * row_spacing, cols * col_spacing)
        return preview.fitted(recipe, longer, math.sqrt(row_spacing * col_spacing), self.terrain.cell_size)


def ground_of(
    obj: bpy.types.Object,
    key: Hashable,
    masks: Mapping[str, Any],
    continue_from_result: bool,
    side: int = preview.SIDE,
) -> Ground:
    """What a preview on `side` cells starts from; InputError where it cannot be read."""
    seen = snapshot(obj)
    heights = start_state.heights(obj.data, seen, continue_from_result).start
    # Colors cost as much as all else, and a preview shows none.
    terrain = start_state.terrain(obj.data, seen.lattice, heights, continue_from_result, {"surface_color": None})
    shape = preview.shape_of(terrain.shape, side)
    small, small_masks = preview.reduced(terrain, shape), preview.reduced_masks(masks, shape)
    return Ground(key, seen.lattice, heights, small, small_masks)


class Preview:
    """Previews of one object. note: how it stands, for the user. Call `poll` now and then."""

    def __init__(self, obj: bpy.types.Object) -> None:
        self.object_uid, self._mesh_uid = obj.session_uid, obj.data.session_uid
        self.note = ""
        self._ground: Ground | None = None
        self._runner: Runner | None = None
        self._heights: Array | None = None
        self._began = 0.0

    def knows(self, obj: bpy.types.Object, key: Hashable) -> bool:
        """Whether the ground that `key` stands for is still at hand."""
        return self._ground is not None and self._ground.key == key and displayed_heights.is_shown(obj.data)

    def prepare(
        self, obj: bpy.types.Object, key: Hashable, masks: Mapping[str, Any], continue_from_result: bool
    ) -> None:
        """Read the ground; InputError where that cannot be."""
        self._ground = ground_of(obj, key, masks, continue_from_result)

    def run(self, recipe: Recipe, threads: int) -> None:
        """Start a preview of the recipe; one under way is stopped."""
        assert self._ground is not None
        self.stop()
        ground, self._began = self._ground, time.monotonic()
        self._runner = worker_process.ready()
        shape = ground.lattice.rows, ground.lattice.cols
        self._runner.run(ground.terrain, ground.fitted(recipe), ground.masks, threads, preview=shape)
        rows, cols = ground.terrain.shape
        self.note = f"Preview {rows} × {cols} …"

    def stop(self) -> None:
        """Stop the one under way; what is shown stays."""
        if self._runner is not None:
            self._runner.stop()
            self._runner = None

    @property
    def under_way(self) -> bool:
        """Whether one is being computed."""
        return self._runner is not None

    def poll(self, obj: bpy.types.Object, seconds: float = 0.0) -> None:
        """Show the preview when it has come, on its object; wait up to so many seconds for it."""
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
        """Show the last preview (again)."""
        if self._heights is None or grid.why_not(obj) is not None or obj.data.session_uid != self._mesh_uid:
            return
        if not displayed_heights.show(obj.data, self._heights):
            self.note, self._ground, self._heights = "", None, None


def of(obj: bpy.types.Object) -> Preview:
    """The preview of an object; that of another one ends."""
    if now.current is None or now.current.object_uid != obj.session_uid:
        end()
        now.current = Preview(obj)
    return now.current


def end() -> None:
    """No preview any more, nor the terrain before erosion: what is shown is put back, what is under way stops."""
    if now.current is not None:
        now.current.stop()
    displayed_heights.put_back()
    now.current = None
