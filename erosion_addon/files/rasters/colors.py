# SPDX-License-Identifier: GPL-3.0-or-later
"""Heights in the colors of PNG tiles: Terrain-RGB and Terrarium.

Sources: Mapbox, "Mapbox Terrain-RGB v1": -10000 + 0.1 · (65536 R + 256 G + B) m; Mapzen, "Terrain
Tiles": 256 R + G + B / 256 - 32768 m.
"""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
TERRAIN_RGB = "terrain-rgb"
TERRARIUM = "terrarium"
CODES = {TERRAIN_RGB: "Terrain-RGB", TERRARIUM: "Terrarium"}
"""Names in sentences."""
_REDS = {TERRAIN_RGB: (0, 2), TERRARIUM: (84, 163)}
"""Reds of all heights on Earth, from -11 km (-10 km) to 9 km; one step is 6554 m, or 256 m."""
_STEEPEST = {TERRAIN_RGB: 2500.0, TERRARIUM: 250.0}
"""Meters between neighbors. Reds of pictures, which change without the greens, make larger
steps.
"""
_SHARE = 0.95
"""Of neighbors that have to be smoother."""


_BAND = 64
"""Rows decoded at once."""


def coded_heights(pixels: Array) -> tuple[str, Array] | None:
    """Name of the code and heights, (rows, cols) float64 m, of (rows, cols, 3 or more) colors from
    0 to 1 in 255 steps.

    None for other images, whose colors would make land with jumps of hundreds of meters.
    """
    if np.array_equal(pixels[..., 0], pixels[..., 1]) and np.array_equal(
        pixels[..., 1], pixels[..., 2]
    ):
        return None
    low, high = (float(np.rint(255 * end(pixels[..., 0]))) for end in (np.min, np.max))
    for name, (lowest, highest) in _REDS.items():
        if lowest <= low and high <= highest:
            heights = np.empty(pixels.shape[:2])
            for row in range(0, len(pixels), _BAND):
                heights[row : row + _BAND] = _decoded(
                    np.rint(255.0 * pixels[row : row + _BAND, :, :3]), name
                )
            if _is_land(heights, _STEEPEST[name]):
                return name, heights
    return None


def _decoded(colors: Array, name: str) -> Array:
    red, green, blue = (colors[..., channel].astype(np.float64) for channel in range(3))
    if name == TERRAIN_RGB:
        return 0.1 * (65536.0 * red + 256.0 * green + blue) - 10000.0
    return 256.0 * red + green + blue / 256.0 - 32768.0


def _is_land(heights: Array, steepest: float) -> bool:
    """Whether nearly all neighbors are less than this apart, and some differ."""
    count = smooth = uneven = 0
    for row in range(0, len(heights), _BAND):
        for axis in (0, 1):
            steps = np.abs(np.diff(heights[row : row + _BAND + 1], axis=axis))
            count += steps.size
            smooth += int(np.count_nonzero(steps <= steepest))
            uneven += int(np.count_nonzero(steps))
    return uneven > 0 and smooth >= _SHARE * count
