# SPDX-License-Identifier: GPL-3.0-or-later
"""Domain warping: displaced lookup of a start terrain, which bends its forms."""

import numpy as np

from ..base.arrays import Array
from ..grid.resample import catmull_rom
from . import noise
from .canvas import MARGIN, Site

_BLOCK = 1 << 15
"""Cells interpolated at a time; the working set fits in the processor's cache."""


def places(site: Site) -> tuple[Array, Array]:
    """Row and column looked up by each cell: (rows, cols), or (rows, 1) and (1, cols) without warp.

    Two noise fields displace each position along y and x by up to the margin (Quilez 2002).
    """
    row, col = np.arange(site.rows, dtype=float)[:, None], np.arange(site.cols, dtype=float)[None, :]
    if not site.warp:
        return row, col
    far = site.warp * MARGIN * site.longer_side
    return (
        row + site.cut(noise.bend(site, 1)) * (far / site.spacing[0]),
        col + site.cut(noise.bend(site, 2)) * (far / site.spacing[1]),
    )


def meters(site: Site) -> tuple[Array, Array]:
    """Distance of each lookup position from the middle in meters, along y and x."""
    row, col = places(site)
    return (row - (site.rows - 1) / 2) * site.spacing[0], (col - (site.cols - 1) / 2) * site.spacing[1]


def warped(site: Site, field: Array) -> Array:
    """A field (period) sampled at the warped positions: (rows, cols)."""
    if not site.warp:
        return site.cut(field)
    row, col = places(site)
    return interpolated(field, row + site.margin[0], col + site.margin[1])


def interpolated(field: Array, row: Array, col: Array) -> Array:
    """Catmull-Rom interpolation (1974) of a periodic field at positions (rows, cols) in cells."""
    rows, cols = field.shape
    width = cols + 3
    flat = np.pad(field, ((1, 2), (1, 2)), mode="wrap").ravel()
    found = np.empty(row.size)
    for start in range(0, row.size, _BLOCK):
        part = slice(start, start + _BLOCK)
        y, x = row.ravel()[part], col.ravel()[part]
        top, left = np.floor(y), np.floor(x)
        first = (top.astype(np.intp) % rows) * width + left.astype(np.intp) % cols
        across = list(catmull_rom(x - left))
        found[part] = sum(
            weight * sum(share * flat.take(first + (line * width + at)) for at, share in enumerate(across))
            for line, weight in enumerate(catmull_rom(y - top))
        )
    return found.reshape(row.shape)
