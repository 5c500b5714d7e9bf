# SPDX-License-Identifier: GPL-3.0-or-later
"""Domain warping: displaced lookup of a start terrain, which bends its forms."""

import numpy as np

from ..base.arrays import Array
from ..grid.resample import catmull_rom
from . import noise
from .canvas import MARGIN, Canvas

_BLOCK = 1 << 15
"""Cells interpolated at a time; the working set fits in the processor's cache."""


def places(canvas: Canvas) -> tuple[Array, Array]:
    """Row and column looked up by each cell: (rows, cols), or (rows, 1) and (1, cols) without warp.

    Two noise fields displace each position along y and x by up to the margin (Quilez 2002).
    """
    row = np.arange(canvas.rows, dtype=float)[:, None]
    col = np.arange(canvas.cols, dtype=float)[None, :]
    if not canvas.warp:
        return row, col
    far = canvas.warp * MARGIN * canvas.longer_side
    return (
        row + canvas.cut(noise.bend(canvas, 1)) * (far / canvas.spacing[0]),
        col + canvas.cut(noise.bend(canvas, 2)) * (far / canvas.spacing[1]),
    )


def meters(canvas: Canvas) -> tuple[Array, Array]:
    """Distance of each lookup position from the middle in meters, along y and x."""
    row, col = places(canvas)
    return (row - (canvas.rows - 1) / 2) * canvas.spacing[0], (
        col - (canvas.cols - 1) / 2
    ) * canvas.spacing[1]


def warped(canvas: Canvas, field: Array) -> Array:
    """A field (period) sampled at the warped positions: (rows, cols)."""
    if not canvas.warp:
        return canvas.cut(field)
    row, col = places(canvas)
    return interpolated(field, row + canvas.margin[0], col + canvas.margin[1])


def interpolated(field: Array, row: Array, col: Array) -> Array:
    """Catmull-Rom interpolation (1974) of a periodic field at positions (rows, cols) in cells."""
    rows, cols = field.shape
    width = cols + 3
    flat = np.pad(field, ((1, 2), (1, 2)), mode="wrap").ravel()
    result = np.empty(row.size)
    for start in range(0, row.size, _BLOCK):
        part = slice(start, start + _BLOCK)
        y = row.ravel()[part]
        x = col.ravel()[part]
        top = np.floor(y)
        left = np.floor(x)
        first = (top.astype(np.intp) % rows) * width + left.astype(np.intp) % cols
        across = list(catmull_rom(x - left))
        result[part] = sum(
            weight
            * sum(share * flat.take(first + (line * width + at)) for at, share in enumerate(across))
            for line, weight in enumerate(catmull_rom(y - top))
        )
    return result.reshape(row.shape)
