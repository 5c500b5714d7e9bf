# SPDX-License-Identifier: GPL-3.0-or-later
"""Shaded relief: a picture of a terrain from above."""

import numpy as np

from ..base.arrays import Array
from ..terrain.terrain import Terrain

SUN = (-0.58, 0.58, 0.57)
"""Direction to the sun, east, north and up: in the northwest, 35° high."""

ROCK, SAND, SNOW, WATER = (
    (0.72, 0.68, 0.63),
    (0.90, 0.76, 0.52),
    (0.97, 0.98, 1.00),
    (0.20, 0.38, 0.52),
)
"""Display colors, 0-1."""

COVERS = (("sediment", SAND, 0.5), ("snow", SNOW, 0.3), ("water_depth", WATER, 0.2))
"""Fields that cover the rock: name, color, and opaque thickness in meters."""


def shaded_relief(terrain: Terrain) -> Array:
    """(rows, cols, 3) float32, 0-1, row 0 at the smallest y."""
    rise, run = np.gradient(terrain.elevation, *terrain.spacing)
    light = (SUN[2] - run * SUN[0] - rise * SUN[1]) / np.sqrt(1.0 + run * run + rise * rise)
    color: Array = np.broadcast_to(np.array(ROCK), (*terrain.shape, 3))
    for name, tint, thickness in COVERS:
        if name in terrain.fields:
            cover = np.clip(terrain.fields[name] / thickness, 0.0, 1.0)[..., None]
            color = color + cover * (np.array(tint) - color)
    shown: Array = np.clip(
        (0.15 + 0.95 * np.maximum(light, 0.0))[..., None] * color, 0.0, 1.0
    ).astype(np.float32)
    return shown
