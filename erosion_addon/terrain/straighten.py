# SPDX-License-Identifier: GPL-3.0-or-later
"""Realignment of grids whose points have left their rows and columns, as sculpting along slopes
does.
"""

from typing import Any

import numpy as np

from ..base.errors import InputError
from ..grid.fill_holes import filled
from .rasterize import surface_at

Array = np.ndarray[Any, Any]

IN_LINE = 0.01
"""Tolerance in cells; points closer to their row and column stay."""

MOST_MOVED = 0.5
"""Greatest share of displaced points; beyond it, the rows and columns themselves are uncertain."""


def straightened(points: Array) -> tuple[Array, int]:
    """Points (rows, cols, 3) float64 resampled to even rows and columns of the same surface, and
    the number moved.

    Aligned points, and heights that already match the surface, keep every bit. Cells that the
    surface has left are filled from their neighbors; where it folds over, the upper layer counts.
    Raises InputError if more than half of the points are out of line, or a coordinate is not
    finite.
    """
    rows, cols, _ = points.shape
    if not np.isfinite(points).all():
        raise InputError("some of its vertices have no finite position")
    x = _line(points[..., 0].T)
    y = _line(points[..., 1])
    cell = np.array([x[1] - x[0], y[1] - y[0]])
    if not (cell > 0).all():
        raise InputError("its rows and columns are not in order")
    place = (points[..., :2] - (x[0], y[0])) / cell
    off = place - np.stack(np.meshgrid(np.arange(cols), np.arange(rows)), axis=-1)
    off_line = np.abs(off).max(axis=-1) > IN_LINE
    if off_line.mean() > MOST_MOVED:
        raise InputError("more than half of its vertices are out of line")
    place -= np.where(off_line[..., None], 0.0, off)
    surface = np.concatenate([place, points[..., 2:]], axis=-1).reshape(-1, 3)
    heights = surface_at(surface, _triangles(rows, cols), (rows, cols))
    heights = filled(heights, np.isneginf(heights))
    same = ~off_line & (
        np.abs(heights - points[..., 2]) <= 1e-6 * max(1.0, float(np.ptp(points[..., 2])))
    )
    straight = points.copy()
    straight[..., 0] = np.where(off_line, x, points[..., 0])
    straight[..., 1] = np.where(off_line, y[:, None], points[..., 1])
    straight[..., 2] = np.where(same, points[..., 2], heights)
    return straight, int(np.count_nonzero(off_line))


def _line(values: Array) -> Array:
    """Even positions (count,) through the medians of lines (count, points along it)."""
    middle = np.median(values, axis=1)
    count = len(middle)
    half = count // 2
    step = float(np.median(middle[half:] - middle[: count - half])) / half
    start = float(np.median(middle - step * np.arange(count)))
    return start + step * np.arange(count)


def _triangles(rows: int, cols: int) -> Array:
    corner = np.arange(rows * cols).reshape(rows, cols)
    a = corner[:-1, :-1]
    b = corner[:-1, 1:]
    c = corner[1:, 1:]
    d = corner[1:, :-1]
    triangles: Array = np.stack([a, b, c, a, c, d], axis=-1).reshape(-1, 3)
    return triangles


def grid_shape(edges: Array, vertices: int) -> tuple[int, int] | None:
    """(rows, cols) of a mesh with vertices in row order, from its edges (count, 2); None for any
    other mesh.
    """
    apart = np.abs(edges[:, 1].astype(np.int64) - edges[:, 0])
    steps, counts = np.unique(apart, return_counts=True)
    far = steps > 1
    if not far.any():
        return None
    cols = int(steps[far][np.argmax(counts[far])])
    rows = vertices // cols
    beside = (apart == 1) & (edges.min(axis=1) % cols < cols - 1)
    fits = rows * cols == vertices and min(rows, cols) > 1
    complete = (rows * (cols - 1), (rows - 1) * cols) == (beside.sum(), (apart == cols).sum())
    return (rows, cols) if fits and complete else None
