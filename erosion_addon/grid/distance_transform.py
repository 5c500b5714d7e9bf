# SPDX-License-Identifier: GPL-3.0-or-later
"""Distance transform: meters from each cell to the nearest marked one."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

_BLOCK = 16384
"""Cells processed at a time; they fit in the processor's cache."""


def distance_to(marked: Array, spacing: tuple[float, float], reach: float) -> Array:
    """Euclidean distance of each cell to the nearest marked one, (rows, cols) float32 m, at most
    `reach`.

    Exact and separable (Saito, Toriwaki, "New algorithms for Euclidean distance transformation",
    1994): first the distance along columns, then the smallest sum of squares along rows. Time is
    proportional to `reach`.

    marked: (rows, cols) bool. spacing: (row, col) m. reach: m, above 0.
    """
    far = np.square(np.float32(reach))
    with np.errstate(over="ignore"):
        squares: Array = np.minimum(np.square(_steps_to(marked) * np.float32(spacing[0])), far)
    nearest = squares.copy()
    cols = marked.shape[1]
    for first in range(0, len(marked), max(1, _BLOCK // cols)):
        rows = slice(first, first + max(1, _BLOCK // cols))
        line = squares[rows]
        line_nearest = nearest[rows]
        if line.min() >= far:
            continue
        for step in range(1, cols):
            added = np.square(np.float32(step * spacing[1]))
            if added >= far:
                break
            np.minimum(line_nearest[:, step:], line[:, :-step] + added, out=line_nearest[:, step:])
            np.minimum(line_nearest[:, :-step], line[:, step:] + added, out=line_nearest[:, :-step])
    np.sqrt(nearest, out=nearest)
    return nearest


def _steps_to(marked: Array) -> Array:
    """Rows from each cell to the nearest marked one in its column, (rows, cols) float32; a huge
    number if there is none.
    """
    row = np.arange(len(marked), dtype=np.float32)[:, None]
    never = np.float32(1e9)
    below = np.maximum.accumulate(np.where(marked, row, -never), axis=0)
    above = np.minimum.accumulate(np.where(marked, row, never)[::-1], axis=0)[::-1]
    nearest: Array = np.minimum(row - below, above - row)
    return nearest
