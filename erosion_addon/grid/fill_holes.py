# SPDX-License-Identifier: GPL-3.0-or-later
"""Void filling of elevation models by push and pull.

Source: Gortler, Grzeszczuk, Szeliski, Cohen, "The Lumigraph" (1996).
"""

from collections.abc import Callable

import numpy as np

from ..base.arrays import Array

Windows = Callable[[int, int, int, int], Array]
"""Reader of windows: top, bottom, left, right."""

_COARSEST = 1 << 20
"""Cells of the pyramid level that `filled_windows` keeps in memory."""
_BAND = 1 << 22
"""Cells that it reads at once."""


def filled(heights: Array, missing: Array) -> Array:
    """Copy of heights (rows, cols) with `missing` cells, not all, interpolated smoothly; needs
    memory for a few copies.

    Push: each pyramid level averages the known cells among 2 × 2 of the finer one, until no cell is
    unknown. Pull: the coarser level is interpolated into the unknown cells of the finer one.
    """
    return _filled(np.where(missing, 0.0, heights), (~missing).astype(heights.dtype))


def filled_windows(read: Windows, shape: tuple[int, int]) -> Windows:
    """Windows of `filled` heights of (rows, cols) that may be larger than memory; cells without
    data are no numbers.

    All heights are read once for a coarse level of the pyramid; the finer ones are made for each
    window.
    """
    rows, cols = shape
    depth = 0
    while rows * cols >> 2 * depth > _COARSEST:
        depth += 1
    side = 1 << depth
    band = max(_BAND // (cols * side), 1) * side
    parts = [
        _pushed(*_sums(read(top, min(top + band, rows), 0, cols)), depth)
        for top in range(0, rows, band)
    ]
    coarsest = _filled(*(np.concatenate(level) for level in zip(*parts, strict=True)))

    def window(top: int, bottom: int, left: int, right: int) -> Array:
        heights = read(top, bottom, left, right)
        if not np.isnan(heights).any():
            return heights
        # Interpolation is wrong within a cell of the border on every level, 2^depth - 1 cells in
        # all.
        first, start = (max(place // side - 1, 0) for place in (top, left))
        last, end = (-(-place // side) + 1 for place in (bottom, right))
        block = np.s_[first * side : min(last * side, rows), start * side : min(end * side, cols)]
        wide = read(block[0].start, block[0].stop, block[1].start, block[1].stop)
        means = _pulled(*_sums(wide), depth, coarsest[first:last, start:end])
        return means[top - block[0].start :, left - block[1].start :][
            : bottom - top, : right - left
        ]

    return window


def _sums(heights: Array) -> tuple[Array, Array]:
    """Known values, 0 elsewhere, and their number."""
    missing = np.isnan(heights)
    return np.where(missing, 0.0, heights), (~missing).astype(heights.dtype)


def _pushed(total: Array, count: Array, depth: int) -> tuple[Array, Array]:
    """Sums over blocks of 2^depth cells."""
    for _ in range(depth):
        total = _halved(total)
        count = _halved(count)
    return total, count


def _filled(total: Array, count: Array) -> Array:
    """Means of cells. total: sum of the known values; count: their number."""
    full = count > 0
    means: Array = np.divide(total, count, out=np.zeros_like(total), where=full)
    if not full.all():
        means = np.where(full, means, _spread(_filled(_halved(total), _halved(count)), total.shape))
    return means


def _pulled(total: Array, count: Array, depth: int, coarsest: Array) -> Array:
    """`_filled` with known means of blocks of 2^depth cells."""
    if depth == 0:
        return coarsest
    full = count > 0
    means: Array = np.divide(total, count, out=np.zeros_like(total), where=full)
    if not full.all():
        coarse = _pulled(_halved(total), _halved(count), depth - 1, coarsest)
        means = np.where(full, means, _spread(coarse, total.shape))
    return means


def _spread(coarse: Array, shape: tuple[int, ...]) -> Array:
    """Interpolation to the (rows, cols) of the finer level."""
    return _doubled(_doubled(coarse, 0), 1)[: shape[0], : shape[1]]


def _halved(array: Array) -> Array:
    """Sums over 2 × 2 cells."""
    even = np.pad(array, [(0, side % 2) for side in array.shape])
    sums: Array = even[::2, ::2] + even[1::2, ::2] + even[::2, 1::2] + even[1::2, 1::2]
    return sums


def _doubled(array: Array, axis: int) -> Array:
    """Linear interpolation to twice as many cells along an axis, between cell centers."""
    cells = np.moveaxis(array, axis, 0)
    padded = np.concatenate([cells[:1], cells, cells[-1:]])
    double = np.empty((2 * len(cells), *cells.shape[1:]), cells.dtype)
    double[::2] = 0.75 * cells + 0.25 * padded[:-2]
    double[1::2] = 0.75 * cells + 0.25 * padded[2:]
    return np.moveaxis(double, 0, axis)
