# SPDX-License-Identifier: GPL-3.0-or-later
"""Slope, curvature and aspect by central differences."""

import math

from ...base.kernels.jit import allocation_free, kernel

AXES, DIAGONALS, BETWEEN, LEVEL = 0, 1, 2, 3
"""Sectors of directions: within 11.25° of the grid's axes, of its diagonals, neither, and
undefined.
"""

_NEAR_AXIS = 0.198912367379658  # tangents of 11.25° and of 33.75°
_NEAR_DIAGONAL = 0.668178637919299


@allocation_free
def sector(along, across):
    """Sector of a direction; arguments in m."""
    small = min(abs(along), abs(across))
    large = max(abs(along), abs(across))
    if large == 0.0:
        return LEVEL
    if small < _NEAR_AXIS * large:
        return AXES
    return DIAGONALS if small > _NEAR_DIAGONAL * large else BETWEEN


@kernel
def measure(heights, along, across, first, last, slopes, curvatures, aspects):
    """Fill rows first … last - 1 of `slopes` (m/m), `curvatures` (1/m) and `aspects`.

    slopes, curvatures: (rows, cols). aspects: (rows, 4) int64, cells by sector. heights: (rows + 2,
    cols + 2) m, padded. along, across: cell sides, m. Curvature is the mean of the two principal
    ones, positive on ridges, negative in hollows, 1 / radius on a sphere.
    """
    cols = heights.shape[1] - 2
    by_row = 0.5 / along
    by_col = 0.5 / across
    for row in range(first, last):
        aspects[row] = 0
        for col in range(cols):
            r = row + 1
            c = col + 1
            middle = heights[r, c]
            up = (heights[r + 1, c] - heights[r - 1, c]) * by_row
            right = (heights[r, c + 1] - heights[r, c - 1]) * by_col
            along_rows = ((heights[r + 1, c] - middle) + (heights[r - 1, c] - middle)) / (
                along * along
            )
            along_cols = ((heights[r, c + 1] - middle) + (heights[r, c - 1] - middle)) / (
                across * across
            )
            corners = (heights[r + 1, c + 1] - heights[r + 1, c - 1]) - (
                heights[r - 1, c + 1] - heights[r - 1, c - 1]
            )
            twist = corners * by_row * by_col
            steep = up * up + right * right
            slopes[row, col] = math.sqrt(steep)
            bent = (
                (1.0 + up * up) * along_cols
                - 2.0 * up * right * twist
                + (1.0 + right * right) * along_rows
            )
            curvatures[row, col] = -0.5 * bent / ((1.0 + steep) * math.sqrt(1.0 + steep))
            aspects[row, sector(up, right)] += 1


@kernel
def needles(heights, above, first, last, counts):
    """Fill positions first … last - 1 of `counts` (rows,) int64 with the number of needles in each
    row.

    A needle is more than `above` m higher than all its neighbors. heights: (rows, cols); edges are
    extended.
    """
    rows, cols = heights.shape
    for row in range(first, last):
        counts[row] = 0
        for col in range(cols):
            limit = heights[row, col] - above
            stands_out = True
            for r in range(max(row - 1, 0), min(row + 2, rows)):
                for c in range(max(col - 1, 0), min(col + 2, cols)):
                    if heights[r, c] >= limit and (r != row or c != col):
                        stands_out = False
            inside = 0 < row < rows - 1 and 0 < col < cols - 1
            counts[row] += stands_out and inside
