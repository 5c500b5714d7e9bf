# SPDX-License-Identifier: GPL-3.0-or-later
"""Rasterization of a triangle mesh to heights on a grid, seen from above."""

from typing import Any

import numpy as np

from ..base.errors import InputError
from ..grid.fill_holes import filled
from .terrain import SMALLEST_SIDE

Array = np.ndarray[Any, Any]

LARGEST_HOLES = 0.5
"""Greatest share of cells without a triangle; beyond it, filling would invent most of the
terrain.
"""
MOST_CELLS = 16384**2
_AT_ONCE = 1 << 17
"""Triangles, or rows through them, processed at a time."""
_REACH = 1e-3
"""Tolerance in cells by which triangles are enlarged, so that no point falls between two of
them.
"""


def grid_of(points: Array, triangles: Array, cell_size: float) -> tuple[Array, Array, int]:
    """Highest surface of a mesh at the points of a grid: heights (rows, cols) m, first point (x,
    y), number of filled cells.

    Cells below no triangle are filled from their neighbors. points: (n, 3) m. triangles: (m, 3)
    indices. cell_size: m. InputError if too little of the mesh is visible from above.
    """
    if not (len(triangles) and np.isfinite(points).all()):
        raise InputError(
            "No face can be seen from above, or the faces have no finite position; add faces."
        )
    corner = points[:, :2].min(axis=0)
    size = np.ptp(points[:, :2], axis=0)
    # Rounding in float32 must not cost the last row.
    cols, rows = (int(count) for count in np.floor(size / cell_size + 1e-3) + 1)
    if min(rows, cols) < SMALLEST_SIDE:
        raise InputError(
            "Seen from above it is {width:.4g} × {length:.4g} m, which is too small for cells of "
            "{cell_size:.4g} m; turn it to face upward, or use smaller cells."
        ).format(width=size[0], length=size[1], cell_size=cell_size)
    if rows * cols > MOST_CELLS:
        raise InputError(
            "{rows} × {cols} cells are too many; use larger ones than {cell_size:.4g} m."
        ).format(rows=rows, cols=cols, cell_size=cell_size)
    local = np.array(points, np.float64)
    local[:, :2] = (local[:, :2] - corner) / cell_size
    heights = surface_at(local, triangles, (rows, cols))
    missing = np.isneginf(heights)
    holes = int(np.count_nonzero(missing))
    if holes > LARGEST_HOLES * heights.size:
        raise InputError(
            "Seen from above it covers {covered} of {cells} cells, too few to fill the rest; use a "
            "mesh that is closer to a full rectangle."
        ).format(covered=heights.size - holes, cells=heights.size)
    return filled(heights, missing) if holes else heights, corner, holes


def surface_at(points: Array, triangles: Array, shape: tuple[int, int]) -> Array:
    """Highest surface of a mesh at the points of a grid (rows, cols), -inf without one.

    points: (n, 3) float64, x and y in columns and rows. triangles: (m, 3) indices.
    """
    heights = np.full(shape, -np.inf)
    for start in range(0, len(triangles), _AT_ONCE):
        _draw(heights, points[triangles[start : start + _AT_ONCE]])
    return heights


def _draw(heights: Array, triangle: Array) -> None:
    """Raise `heights` (rows, cols) to triangles (count, 3 corners, 3), x and y in columns and
    rows.
    """
    edge = triangle[:, 1] - triangle[:, 0]
    two = triangle[:, 2] - triangle[:, 0]
    area = edge[:, 0] * two[:, 1] - edge[:, 1] * two[:, 0]
    upright = np.abs(area) > 1e-9  # walls are seen from above by their tops alone
    triangle = triangle[upright]
    edge = edge[upright]
    two = two[upright]
    area = area[upright]
    along_x = (edge[:, 2] * two[:, 1] - two[:, 2] * edge[:, 1]) / area
    along_y = (two[:, 2] * edge[:, 0] - edge[:, 2] * two[:, 0]) / area
    which, row = _every(
        triangle[:, :, 1].min(axis=1), triangle[:, :, 1].max(axis=1), heights.shape[0]
    )
    for start in range(0, len(which), _AT_ONCE):
        part = which[start : start + _AT_ONCE]
        y = row[start : start + _AT_ONCE]
        left, right = _crossed(triangle[part], y)
        at, col = _every(left, right, heights.shape[1])
        drawn = part[at]
        y = y[at]
        corners = triangle[drawn, 0]
        z = (
            corners[:, 2]
            + along_x[drawn] * (col - corners[:, 0])
            + along_y[drawn] * (y - corners[:, 1])
        )
        z = np.clip(z, triangle[drawn, :, 2].min(axis=1), triangle[drawn, :, 2].max(axis=1))
        np.maximum.at(heights.reshape(-1), y * heights.shape[1] + col, z)


def _every(low: Array, high: Array, count: int) -> tuple[Array, Array]:
    """Whole numbers below `count` within each span, and the span of each."""
    first = np.maximum(np.ceil(low - _REACH), 0).astype(np.intp)
    lengths = np.maximum(
        np.minimum(np.floor(high + _REACH), count - 1).astype(np.intp) - first + 1, 0
    )
    which = np.repeat(np.arange(len(low)), lengths)
    before = np.cumsum(lengths) - lengths
    return which, np.arange(len(which)) - before[which] + first[which]


def _crossed(triangle: Array, y: Array) -> tuple[Array, Array]:
    """Ends of the interval in which each row crosses its triangle."""
    left = np.full(len(y), np.inf)
    right = np.full(len(y), -np.inf)
    for corner in range(3):
        start = triangle[:, corner]
        end = triangle[:, (corner + 1) % 3]
        rise = end[:, 1] - start[:, 1]
        level = np.abs(rise) < 1e-12
        share = (y - start[:, 1]) / np.where(level, 1.0, rise)
        hit = ~level & (share * np.abs(rise) >= -_REACH) & ((1 - share) * np.abs(rise) >= -_REACH)
        x = start[:, 0] + np.clip(share, 0.0, 1.0) * (end[:, 0] - start[:, 0])
        left = np.where(hit, np.minimum(left, x), left)
        right = np.where(hit, np.maximum(right, x), right)
    # A triangle between two rows, or no higher than rounding, is crossed nowhere.
    nowhere = left > right
    return np.where(nowhere, 1.0, left), np.where(nowhere, 0.0, right)
