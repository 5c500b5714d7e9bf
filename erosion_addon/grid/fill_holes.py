# SPDX-License-Identifier: GPL-3.0-or-later
"""Void filling of elevation models by push and pull.

Source: Gortler, Grzeszczuk, Szeliski, Cohen, "The Lumigraph" (1996).
"""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def filled(heights: Array, missing: Array) -> Array:
    """Copy of heights (rows, cols) with `missing` cells, not all, interpolated smoothly; needs memory for a few copies.

    Push: each pyramid level averages the known cells among 2 × 2 of the finer one, until no cell is unknown. Pull: the
    coarser level is interpolated into the unknown cells of the finer one.
    """
    return _filled(np.where(missing, 0.0, heights), (~missing).astype(heights.dtype))


def _filled(total: Array, count: Array) -> Array:
    """Means of cells. total: sum of the known values; count: their number."""
    known = count > 0
    means: Array = np.divide(total, count, out=np.zeros_like(total), where=known)
    if not known.all():
        coarse = _filled(_halved(total), _halved(count))
        spread = _doubled(_doubled(coarse, 0), 1)[: total.shape[0], : total.shape[1]]
        means = np.where(known, means, spread)
    return means


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
