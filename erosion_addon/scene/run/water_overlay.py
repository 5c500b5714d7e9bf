# SPDX-License-Identifier: GPL-3.0-or-later
"""Overlay of the water during a run in the 3D viewports. The file does not change."""

from typing import Any

import bpy
import gpu
import numpy as np
from gpu_extras.batch import batch_for_shader

from ...grid.water_level import water_level
from ..companions.visible_water import shown_from
from ..masks import overlay
from ..session import session
from ..terrain.lattice import Array, Lattice

SHALLOW, DEEP = (0.20, 0.42, 0.52, 0.45), (0.02, 0.10, 0.22, 0.85)
"""Colors, linear, with opacity: at the shore, and from DEPTH on."""

DEPTH = 4.0
"""Meters."""


class Water:
    """Drawn water. uid: session_uid of the terrain; triangles in its space, with a color per
    point.
    """

    def __init__(self, uid: int, points: Array, colors: Array, faces: Array) -> None:
        self.uid = uid
        self.points = points
        self.colors = colors
        self.faces = faces
        self._batch: Any = None

    def draw(self) -> None:
        """Draw in the current viewport, if it shows the terrain."""
        obj = overlay.seen(self.uid)
        if obj is None:
            return
        shader = gpu.shader.from_builtin("SMOOTH_COLOR")
        if self._batch is None:  # which needs the window's graphics
            surface = {"pos": self.points, "color": self.colors}
            self._batch = batch_for_shader(shader, "TRIS", surface, indices=self.faces)
        overlay.draw_over(obj, shader, self._batch)


def show(obj: bpy.types.Object, lattice: Lattice, place: Array, depth: Array | None) -> None:
    """Draw water on a terrain, replacing any other, until `hide`; None for no water.

    place: (vertices, 3) local positions of the ground. depth: (rows, cols) m.
    """
    surface_mesh = None if depth is None else surface(lattice, place, depth)
    if surface_mesh is None:
        hide()
        return
    session.display.water = Water(obj.session_uid, *surface_mesh)
    if not session.display.water_handles:
        session.display.water_handles.append(
            bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW")
        )
    overlay.redraw()


def hide() -> None:
    """Stop drawing."""
    if session.display.water is None:
        return
    session.display.water = None
    bpy.types.SpaceView3D.draw_handler_remove(session.display.water_handles.pop(), "WINDOW")
    overlay.redraw()


def surface(lattice: Lattice, place: Array, depth: Array) -> tuple[Array, Array, Array] | None:
    """Local points (count, 3) float32, their colors (count, 4) float32 and triangles (faces, 3)
    int32 of the water, on no more than `overlay.FINEST` points along a side; None for a dry
    terrain.
    """
    cells = np.ix_(overlay.chosen(lattice.rows), overlay.chosen(lattice.cols))
    points = lattice.to_grid(place)[cells].astype(np.float32)
    depth = np.asarray(depth[cells], np.float32)
    level, wet = water_level(
        points[..., 2] * np.float32(lattice.scale_z), depth, shown_from(lattice, 0.0)
    )
    if not wet.any():
        return None
    points[..., 2] = level / np.float32(lattice.scale_z)
    share = np.clip(depth / DEPTH, 0, 1)[..., None]
    colors = np.array(SHALLOW, np.float32) * (1 - share) + np.array(DEEP, np.float32) * share
    corner = np.arange(depth.size, dtype=np.int32).reshape(depth.shape)
    a, b, c, d = (
        part[wet] for part in (corner[:-1, :-1], corner[:-1, 1:], corner[1:, 1:], corner[1:, :-1])
    )
    faces = np.stack([a, b, c, a, c, d], axis=-1).reshape(-1, 3)
    return points.reshape(-1, 3), colors.reshape(-1, 4), faces


def _draw() -> None:
    if session.display.water is not None:
        session.display.water.draw()
