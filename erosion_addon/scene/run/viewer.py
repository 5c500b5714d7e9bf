# SPDX-License-Identifier: GPL-3.0-or-later
"""Display of a run in progress: heights and water, at negligible cost."""

import time

import bpy
import numpy as np

from ...worker.client import Runner
from ...worker.throttle import Throttle
from ..session import session
from ..terrain import obstacle
from ..terrain.grid import TerrainSnapshot
from ..terrain.lattice import Array
from ..terrain.mesh import shown_positions, vertex_heights
from . import displayed_heights, readiness, water_overlay

SHARE = 0.2
"""Greatest share of the main thread's time for the display."""

PAUSE = 0.05
"""Shortest time between two updates in seconds."""


class Viewer:
    """Displays a run on the mesh of its object. shows: whether it is on; the user may switch it at
    any time.
    """

    def __init__(self, base: TerrainSnapshot) -> None:
        self._mesh_uid = base.mesh_uid
        self._heights = base.heights
        self._lattice = base.lattice
        self.shows = False
        self._throttle = Throttle(SHARE, PAUSE)
        self._is_awaited = False
        self._throttle.record(min(session.display.seconds_per_vertex * len(base.place), 1.0))
        self._elevation: Array | None = None
        self._water_depth: Array | None = None
        self._end_of_turn: float | None = None  # when the last turn ended
        self._write_seconds: float | None = None  # until Blender has drawn it too
        self._usual = 0.0  # pause between two turns, the mean of the last few

    def take(self, elevation: Array, water_depth: Array | None = None) -> None:
        """Take new heights, and the water depth if the step has any: (rows, cols) in meters."""
        self._elevation = elevation
        self._water_depth = water_depth
        self._is_awaited = False

    def turn(self, obj: bpy.types.Object | None, runner: Runner) -> None:
        """Display new heights, or request more when due. Call it regularly."""
        start = time.perf_counter()
        self._count(start)
        if displayed_heights.is_any():
            displayed_heights.heal()
        may_show = self._may_show(obj)
        if not may_show:
            displayed_heights.put_back()
            self._elevation = None
        elif self._elevation is not None and obj is not None:
            self._show(obj, self._elevation)
            self._elevation = None
            self._write_seconds = time.perf_counter() - start
        if may_show and self.shows and not self._is_awaited and self._throttle.due:
            runner.request_heights()  # right after the last ones too: they come while Blender draws
            self._is_awaited = True
        self._end_of_turn = time.perf_counter()

    def _count(self, start: float) -> None:
        """Measure the cost of the last display: writing and drawing."""
        if self._end_of_turn is None:
            return
        pause = start - self._end_of_turn
        if self._write_seconds is None:
            self._usual += (pause - self._usual) * (0.25 if self._usual else 1.0)
        else:
            seconds = self._write_seconds + max(pause - self._usual, 0.0)
            self._throttle.record(seconds)
            self._write_seconds = None
            session.display.seconds_per_vertex = seconds / len(self._heights)

    def _may_show(self, obj: bpy.types.Object | None) -> bool:
        if (
            not self.shows
            or obj is None
            or obstacle.why_not(obj) is not None
            or obj.data.session_uid != self._mesh_uid
        ):
            return False
        return not readiness.is_rendering()

    def _show(self, obj: bpy.types.Object, elevation: Array) -> None:
        mesh = obj.data
        if not displayed_heights.is_shown(mesh) and not np.array_equal(
            vertex_heights(mesh), self._heights
        ):
            return  # the user has changed it
        heights = self._lattice.to_vertices(elevation / np.float32(self._lattice.scale_z))
        if not displayed_heights.show(mesh, heights):
            self.shows = False
            return
        water_overlay.show(obj, self._lattice, shown_positions(mesh), self._water_depth)
