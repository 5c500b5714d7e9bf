# SPDX-License-Identifier: GPL-3.0-or-later
"""The circle of the brush, drawn on the ground under the mouse."""

from typing import Any

import bpy
import gpu
from bpy_extras import view3d_utils
from gpu_extras.batch import batch_for_shader

from ...base.errors import InputError
from ...scene.brush import aim, ground
from ...scene.run import readiness
from ...scene.terrain.active import active_terrain
from .settings import brush_settings
from .stroke import radius_of, under_mouse

COLOR = (1.0, 0.92, 0.75, 0.9)
WIDTH = 1.5
"""Pixels."""


def draw(context: bpy.types.Context, xy: tuple[float, float]) -> None:
    """Draw the circle. xy: the mouse in pixels of the window."""
    points = circle(context, (xy[0] - context.region.x, xy[1] - context.region.y))
    if len(points) < 3:
        return
    corner = context.region.x, context.region.y
    places = [(x + corner[0], y + corner[1], 0.0) for x, y in [*points, points[0]]]
    shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
    batch = batch_for_shader(shader, "LINE_STRIP", {"pos": places})
    gpu.state.blend_set("ALPHA")
    shader.uniform_float("viewportSize", gpu.state.viewport_get()[2:])
    shader.uniform_float("lineWidth", WIDTH * context.preferences.system.ui_scale)
    shader.uniform_float("color", COLOR)
    batch.draw(shader)
    gpu.state.blend_set("NONE")


def circle(context: bpy.types.Context, mouse: tuple[float, float]) -> list[Any]:
    """Points of the circle in pixels of the region; empty unless the mouse is over a paintable
    terrain.
    """
    terrain = active_terrain(context)
    if readiness.why_not(terrain) is not None:
        return []
    try:
        place = under_mouse(context, terrain, mouse)
        if place is None:
            return []
        surface = ground.latest(terrain)
        radius = radius_of(context, terrain, brush_settings(context), place)
    except (InputError, MemoryError):
        return []
    ring = aim.ring(surface.elevation, surface.frame, place, radius)
    points = (
        view3d_utils.location_3d_to_region_2d(context.region, context.region_data, at)
        for at in ring
    )
    return [at for at in points if at is not None]
