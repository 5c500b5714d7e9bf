# SPDX-License-Identifier: GPL-3.0-or-later
"""Smooth spreading of coarse cells over fine ones, window by window, and means of fine cells."""

from collections.abc import Callable

import numpy as np

from ...base.arrays import Array
from .folder import Landscape, Window

Coarse = Callable[[Array, Array], Array]
"""(numbers of coarse rows (n, 1), of columns (1, m)) → values (n, m, …)."""


def spread(coarse: Coarse, factor: int, window: Window) -> Array:
    """Values of the fine cells of a window, each coarse cell being `factor` of them wide.

    A quadratic B-spline: it has no edges in its slope, and its sum over the cells of a coarse cell
    and its neighbors is that of the coarse values.
    """
    if factor == 1:
        rows = np.arange(window.top, window.bottom)
        cols = np.arange(window.left, window.right)
        return coarse(rows[:, None], cols[None, :])
    (near, along), (left, across) = (_places(first, end, factor) for first, end in _spans(window))
    rows, cols = (np.arange(numbers[0] - 1, numbers[-1] + 2) for numbers in (near, left))
    values = coarse(rows[:, None], cols[None, :])
    values = _along(values, left - cols[0], across, axis=1)
    return _along(values, near - rows[0], along, axis=0)


def clamped(values: Array) -> Coarse:
    """Coarse values from an array, continued beyond its edges by those at the edge."""
    last_row = values.shape[0] - 1
    last_col = values.shape[1] - 1
    return lambda rows, cols: values[np.clip(rows, 0, last_row), np.clip(cols, 0, last_col)]


def means(landscape: Landscape, layer: str, factor: int) -> tuple[Array, Array]:
    """Mean and standard deviation of a layer over cells of `factor` × `factor`, fewer at the far
    edges.
    """
    rows, cols = (-(-side // factor) for side in landscape.shape)
    averages = np.empty((rows, cols))
    squares = np.empty((rows, cols))
    steps = np.arange(0, landscape.shape[1], factor)
    widths = np.minimum(steps + factor, landscape.shape[1]) - steps
    for row in range(rows):
        top = row * factor
        bottom = min((row + 1) * factor, landscape.shape[0])
        band = landscape.read(layer, Window(top, bottom, 0, landscape.shape[1]))
        count = widths * (bottom - top)
        averages[row] = np.add.reduceat(band.sum(axis=0), steps) / count
        band -= np.repeat(averages[row], widths)
        squares[row] = np.add.reduceat((band * band).sum(axis=0), steps) / count
    return averages, np.sqrt(squares)


def extremes(landscape: Landscape, layer: str, factor: int, of: np.ufunc) -> Array:
    """Largest (np.maximum) or smallest (np.minimum) value of a layer in cells of `factor` ×
    `factor`, fewer at the far edges.
    """
    rows, cols = landscape.shape
    steps = np.arange(0, cols, factor)
    ends = [(top, min(top + factor, rows)) for top in range(0, rows, factor)]
    bands = (
        of.reduce(landscape.read(layer, Window(top, bottom, 0, cols)), axis=0)
        for top, bottom in ends
    )
    return np.array([of.reduceat(band, steps) for band in bands])


def _spans(window: Window) -> tuple[tuple[int, int], tuple[int, int]]:
    return (window.top, window.bottom), (window.left, window.right)


def _places(first: int, end: int, factor: int) -> tuple[Array, Array]:
    """Nearest coarse cell of each fine one, and the weights of it and its neighbors, (3, n)."""
    at = (np.arange(first, end) + 0.5) / factor - 0.5
    nearest = np.floor(at + 0.5)
    off = at - nearest
    weights = np.stack(
        [0.5 * (0.5 - off) * (0.5 - off), 0.75 - off * off, 0.5 * (0.5 + off) * (0.5 + off)]
    )
    return nearest.astype(np.int64), weights


def _along(values: Array, places: Array, weights: Array, axis: int) -> Array:
    shape = [1] * values.ndim
    shape[axis] = len(places)
    parts = (
        np.take(values, places + step, axis=axis) * weights[step + 1].reshape(shape)
        for step in (-1, 0, 1)
    )
    before, middle, after = parts
    return np.asarray(before + middle + after)
