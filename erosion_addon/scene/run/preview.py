# SPDX-License-Identifier: GPL-3.0-or-later
"""Live preview of a run: a small result, displayed on the terrain while its settings change."""

import dataclasses
import time
from collections.abc import Hashable, Mapping
from itertools import zip_longest
from typing import Any

import bpy
import numpy as np

from ...base.arrays import longer_side, mean_cell_size
from ...base.errors import Sentence, printable_lines
from ...recipe.recipe import Recipe
from ...run import estimate, preview
from ...terrain.terrain import Terrain
from ...worker.client import Runner
from ..session import session
from ..terrain import obstacle
from ..terrain.grid import snapshot
from ..terrain.lattice import Array, Lattice
from ..worker import speeds, worker_process
from . import displayed_heights, start_state

LATE = 3 * preview.QUICK
"""Seconds after which a quick preview gives way to one of newer settings."""


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

    def coarser(self, side: int) -> "Ground":
        """The same with `side` cells along the longer side, at most."""
        shape = preview.shape_of(self.terrain.shape, side)
        small = preview.reduced(self.terrain, shape)
        masks = preview.reduced_masks(self.masks, shape)
        return dataclasses.replace(self, terrain=small, masks=masks)


def ground_of(
    obj: bpy.types.Object,
    key: Hashable,
    masks: Mapping[str, Any],
    continue_from_result: bool,
    side: int = preview.SIDE,
) -> Ground:
    """Start of a preview with `side` cells; InputError if it cannot be read."""
    base = snapshot(obj)
    heights = start_state.heights(obj.data, base, continue_from_result).start
    # Colors cost as much as all else, and a preview shows none.
    terrain = start_state.terrain(
        obj.data, base.lattice, heights, continue_from_result, {"surface_color": None}
    )
    shape = preview.shape_of(terrain.shape, side)
    small = preview.reduced(terrain, shape)
    small_masks = preview.reduced_masks(masks, shape)
    return Ground(key, base.lattice, heights, small, small_masks)


class Preview:
    """Previews of one object: a quick one first, of as many cells as take QUICK, and the full one
    by `refine`.

    note: status for the user. Call `poll` regularly.
    """

    def __init__(self, obj: bpy.types.Object) -> None:
        self.object_uid = obj.session_uid
        self._mesh_uid = obj.data.session_uid
        self.note = ""
        self._ground: Ground | None = None
        self._grounds: dict[int, Ground] = {}  # by side, coarser ones
        self._order: tuple[Recipe, int] | None = None
        self._side = preview.SIDE
        self._is_quick = False
        # by side: duration of the last one as a multiple of its estimate
        self._paces: dict[int, float] = {}
        self._estimate = 0.0
        self._changed = -1
        self._runner: Runner | None = None
        self._heights: Array | None = None
        self._began = 0.0

    def knows(self, obj: bpy.types.Object, key: Hashable) -> bool:
        """Whether the ground of `key` is cached."""
        return (
            self._ground is not None
            and self._ground.key == key
            and displayed_heights.is_shown(obj.data)
        )

    def prepare(
        self,
        obj: bpy.types.Object,
        key: Hashable,
        masks: Mapping[str, Any],
        continue_from_result: bool,
    ) -> None:
        """Read the ground; InputError if impossible."""
        self._ground = ground_of(obj, key, masks, continue_from_result)
        self._grounds = {}

    def run(self, recipe: Recipe, threads: int) -> None:
        """Start a quick preview of the recipe; the current one is stopped."""
        assert self._ground is not None
        if self._order is None or _first_change(self._order[0], recipe) != self._changed:
            self._paces.clear()  # other steps come from memory
        self._changed = -1 if self._order is None else _first_change(self._order[0], recipe)
        self._order = (recipe, threads)
        self._is_quick = True
        quick = [side for side in preview.SIDES if self._seconds(side) <= preview.QUICK]
        self._start(quick[-1] if quick else preview.SIDES[0])

    def refine(self) -> None:
        """Start the full preview of the same recipe."""
        self._is_quick = False
        self._start(preview.SIDE)

    def _start(self, side: int) -> None:
        assert self._ground is not None and self._order is not None
        self.stop()
        self._estimate = self._estimated(side)
        self._side = side
        ground, (recipe, threads) = self._at(side), self._order
        self._runner = worker_process.ready()
        self._began = time.monotonic()
        shape = ground.lattice.rows, ground.lattice.cols
        self._runner.preview(ground.terrain, ground.fitted(recipe), ground.masks, shape, threads)
        rows, cols = ground.terrain.shape
        self.note = Sentence("Preview {rows} × {cols} …").format(rows=rows, cols=cols)

    def _at(self, side: int) -> Ground:
        """The ground with `side` cells along the longer side, at most."""
        assert self._ground is not None
        if side >= max(self._ground.terrain.shape):
            return self._ground
        if side not in self._grounds:
            self._grounds[side] = self._ground.coarser(side)
        return self._grounds[side]

    def _estimated(self, side: int) -> float:
        """Estimated duration at a side, in seconds."""
        assert self._order is not None
        recipe, threads = self._order
        ground = self._at(side)
        given = (
            ground.fitted(recipe),
            ground.terrain.shape,
            ground.terrain.spacing,
            threads,
            speeds.known(),
        )
        return max(estimate.seconds_needed(*given), 1e-3)

    def _seconds(self, side: int) -> float:
        """Expected duration at a side: by the last preview of that side, else by the last of
        any.
        """
        pace = self._paces.get(side, next(reversed(self._paces.values()), 1.0))
        return pace * self._estimated(side)

    @property
    def is_late(self) -> bool:
        """Whether newer settings may interrupt the computation in progress: any but a quick preview
        that just began.
        """
        return self.is_computing and not (self._is_quick and time.monotonic() - self._began < LATE)

    def stop(self) -> None:
        """Stop the computation; the display stays."""
        if self._runner is not None:
            self._runner.stop()
            self._runner = None

    @property
    def is_computing(self) -> bool:
        """Whether a preview is being computed."""
        return self._runner is not None

    @property
    def under_way(self) -> bool:
        """Whether a preview is being computed, or a finer one is to come."""
        return self.is_computing or (
            self._ground is not None and self._at(self._side) is not self._ground
        )

    def poll(self, obj: bpy.types.Object, seconds: float = 0.0) -> None:
        """Display a finished preview on its object; waits at most this many seconds for it."""
        for message in self._runner.poll(seconds) if self._runner else ():
            if message.kind == "preview":
                self._take(obj, message.arrays["change"])
            elif message.kind in ("refused", "failed", "broken", "ended"):
                self._runner = None  # no finer one comes
                self._side = preview.SIDE
                fault = message.kind == "failed"
                self.note = (
                    ""
                    if fault
                    else Sentence("No preview: {reason}").format(reason=message.values["reason"])
                )
                if fault:
                    print(printable_lines(message.values["reason"]))
                displayed_heights.put_back()
                return

    def _take(self, obj: bpy.types.Object, change: Array) -> None:
        assert self._ground is not None
        ground = self._at(self._side)
        self._runner = None
        seconds = time.monotonic() - self._began
        self._paces.pop(self._side, None)
        self._paces[self._side] = seconds / self._estimate
        change = ground.lattice.to_vertices(change / np.float32(ground.lattice.scale_z))
        self._heights = ground.heights + change
        rows, cols = ground.terrain.shape
        self.note = Sentence("Preview {rows} × {cols}, {seconds:.1f} s").format(
            rows=rows, cols=cols, seconds=seconds
        )
        self.show(obj)

    def show(self, obj: bpy.types.Object) -> None:
        """Display the last preview."""
        if (
            self._heights is None
            or obstacle.why_not(obj) is not None
            or obj.data.session_uid != self._mesh_uid
        ):
            return
        if not displayed_heights.show(obj.data, self._heights):
            self.note = ""
            self._ground = None
            self._heights = None


def _first_change(before: Recipe, after: Recipe) -> int:
    """Number of the first step in which two recipes differ, from 0; -1 for none."""
    pairs = zip_longest(before.steps, after.steps)
    return next((number for number, (first, second) in enumerate(pairs) if first != second), -1)


def of(obj: bpy.types.Object) -> Preview:
    """Preview of the object; that of another object ends."""
    if session.run.preview is None or session.run.preview.object_uid != obj.session_uid:
        end()
        session.run.preview = Preview(obj)
    return session.run.preview


def end() -> None:
    """End the preview and the display of the terrain before erosion."""
    if session.run.preview is not None:
        session.run.preview.stop()
    displayed_heights.put_back()
    session.run.preview = None
