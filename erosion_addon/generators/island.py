# SPDX-License-Identifier: GPL-3.0-or-later
"""Coast around a start terrain."""

import numpy as np

from ..base.arrays import Array
from ..grid.smooth_step import smooth_step
from . import noise
from .canvas import Canvas


def coast_share(canvas: Canvas, coast: float) -> Array:
    """Land's share of its height (rows, cols), 0-1: 0 along the border and beyond a coast with
    bays.
    """
    y = np.linspace(-1, 1, canvas.rows)[:, None]
    x = np.linspace(-1, 1, canvas.cols)[None, :]
    radius = np.sqrt(y * y + x * x)
    bays = 0.6 * canvas.cut(noise.bend(canvas, 3))
    share: Array = smooth_step((1 - 1.1 * radius + bays) / coast) * smooth_step((1 - radius) / 0.2)
    return share


def island_share(canvas: Canvas, coast: float, elevation: Array) -> Array:
    """`coast_share`, scaled to keep the peak height of the elevation."""
    share = coast_share(canvas, coast)
    left = float((elevation * share).max())
    return share * (float(elevation.max()) / left) if left > 0 else share
