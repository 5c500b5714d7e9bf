# SPDX-License-Identifier: GPL-3.0-or-later
"""Normal map of a terrain, for materials of game engines."""

import numpy as np

from ..base.arrays import Array
from ..base.errors import InputError
from ..terrain.fields import Field

NORMAL = Field(
    "normal", "0-1", "direction of the surface in tangent space (red, green, blue)", components=3
)
"""A map without an attribute, as meshes have normals of their own."""

GREENS = {"opengl": 1.0, "directx": -1.0}
"""Direction of green: larger y (Blender, Unity, Godot), or smaller y (Unreal)."""


def normals(
    elevation: Array, spacing: tuple[float, float], wrap: bool = False, green: str = "opengl"
) -> Array:
    """Tangent-space normals (rows, cols, 3) float32, encoded as (n + 1) / 2, of (rows, cols)
    meters.

    n ∝ (-∂h/∂x, ∓∂h/∂y, 1) by central differences, of second order at edges too; wrap: across
    opposite edges. spacing: m between rows and columns. green: one of `GREENS`; InputError for
    another one.
    """
    if green not in GREENS:
        raise InputError(f"There are no normals {green!r:.60}; choose one of {', '.join(GREENS)}.")
    slope_y, slope_x = (_slope(elevation, axis, spacing[axis], wrap) for axis in (0, 1))
    made: Array = np.stack(
        [-slope_x, np.float32(-GREENS[green]) * slope_y, np.ones_like(slope_x)], axis=-1
    )
    made /= np.sqrt(np.sum(made * made, axis=-1, keepdims=True))
    made = 0.5 * made + 0.5
    return np.asarray(made, dtype=np.float32)


def _slope(elevation: Array, axis: int, spacing: float, wrap: bool) -> Array:
    if wrap:
        slope = (np.roll(elevation, -1, axis) - np.roll(elevation, 1, axis)) / (2 * spacing)
    else:
        slope = np.gradient(elevation, spacing, axis=axis, edge_order=2)
    return np.asarray(slope, dtype=np.float32)
