# SPDX-License-Identifier: GPL-3.0-or-later
"""Bilinear samples, smoothstep and smootherstep."""

import numpy as np

from ..base.arrays import Array


def smooth_step(values: Array, low: float = 0.0, high: float = 1.0) -> Array:
    """Smooth rise from 0 at or below `low` to 1 at or above `high`: 3 t² - 2 t³."""
    share = np.clip((values - low) / (high - low), 0, 1)
    return np.asarray(share * share * (3 - 2 * share))


def smoother_step(values: Array, low: float, high: float) -> Array:
    """The same without a bend at either end: 6 t⁵ - 15 t⁴ + 10 t³ (Perlin 2002)."""
    share = np.clip((values - low) / (high - low), 0, 1)
    return np.asarray(share * share * share * (share * (6 * share - 15) + 10))


def bilinear(values: Array, shape: tuple[int, int]) -> Array:
    """`values` (rows, cols) interpolated bilinearly to `shape`, corner to corner."""
    resampled = values
    for axis, size in enumerate(shape):
        place = np.linspace(0, values.shape[axis] - 1, size)
        low = np.minimum(place.astype(int), max(values.shape[axis] - 2, 0))
        part = (place - low).astype(np.float32).reshape((-1, 1) if axis == 0 else (1, -1))
        high = np.minimum(low + 1, values.shape[axis] - 1)
        resampled = resampled.take(low, axis) * (1 - part) + resampled.take(high, axis) * part
    return resampled


def sample_grid(field: Array, row: Array, col: Array) -> Array:
    """Bilinear samples of a field (rows, cols) at the crossings of rows and columns, in cells."""
    for axis, place in enumerate((row, col)):
        low = np.minimum(place.astype(np.intp), field.shape[axis] - 2)
        share = (place - low).reshape((-1, 1) if axis == 0 else (1, -1))
        field = field.take(low, axis) * (1.0 - share) + field.take(low + 1, axis) * share
    return field


def sample(values: Array, row: Array, col: Array) -> Array:
    """Bilinear samples of (rows, cols) at positions in cells (n,), clamped to the border."""
    rows, cols = values.shape
    row = np.clip(row, 0.0, rows - 1.0)
    col = np.clip(col, 0.0, cols - 1.0)
    low = np.minimum(row.astype(np.int64), rows - 2)
    left = np.minimum(col.astype(np.int64), cols - 2)
    up = row - low
    right = col - left
    below = values[low, left] * (1.0 - right) + values[low, left + 1] * right
    above = values[low + 1, left] * (1.0 - right) + values[low + 1, left + 1] * right
    mixed: Array = below * (1.0 - up) + above * up
    return mixed
