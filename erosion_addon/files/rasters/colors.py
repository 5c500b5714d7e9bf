# SPDX-License-Identifier: GPL-3.0-or-later
"""Heights in the colors of PNG tiles: Terrain-RGB and Terrarium.

Sources: Mapbox, "Mapbox Terrain-RGB v1": -10000 + 0.1 · (65536 R + 256 G + B) m; Mapzen, "Terrain Tiles":
256 R + G + B / 256 - 32768 m.
"""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
TERRAIN_RGB, TERRARIUM = "terrain-rgb", "terrarium"
CODES = {TERRAIN_RGB: "Terrain-RGB", TERRARIUM: "Terrarium"}
"""Names in sentences."""
_REDS = {TERRAIN_RGB: (0, 2), TERRARIUM: (84, 163)}
"""Reds of all heights on Earth, from -11 km (-10 km) to 9 km; one step is 6554 m, or 256 m."""
_STEEPEST = {TERRAIN_RGB: 2500.0, TERRARIUM: 250.0}
"""Meters between neighbors. Reds of pictures, which change without the greens, make larger steps."""
_SHARE = 0.95
"""Of neighbors that have to be smoother."""


def coded_heights(colors: Array) -> tuple[str, Array] | None:
    """Name of the code and heights (rows, cols) float64 in m of (rows, cols, 3 or more) colors from 0 to 255; None for
    other images, whose colors would make land with jumps of hundreds of meters.
    """
    red, green, blue = (colors[..., channel].astype(np.float64) for channel in range(3))
    if np.array_equal(red, green) and np.array_equal(green, blue):
        return None
    heights = {
        TERRAIN_RGB: 0.1 * (65536.0 * red + 256.0 * green + blue) - 10000.0,
        TERRARIUM: 256.0 * red + green + blue / 256.0 - 32768.0,
    }
    for name, (low, high) in _REDS.items():
        steps = np.concatenate([np.abs(np.diff(heights[name], axis=axis)).ravel() for axis in (0, 1)])
        within = red.min() >= low and red.max() <= high
        if within and np.count_nonzero(steps <= _STEEPEST[name]) >= _SHARE * steps.size and steps.any():
            return name, heights[name]
    return None
