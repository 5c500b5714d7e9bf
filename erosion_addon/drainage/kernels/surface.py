# SPDX-License-Identifier: GPL-3.0-or-later
"""Slope, curvature and aspect of a surface, by central differences."""

import math

from ...kernels.compile import kernel, lean

AXES, DIAGONALS, BETWEEN, LEVEL = 0, 1, 2, 3
"""Sectors of directions: within 11.25° of the grid's axes, of its diagonals, of neither; and no direction at all."""

_NEAR_AXIS, _NEAR_DIAGONAL = 0.198912367379658, 0.668178637919299  # tangents of 11.25° and of 33.75°


@lean
def sector(along, across):
    """The sector of a direction, m."""
    small, large = min(abs(along), abs(across)), max(abs(along), abs(across))
    if large == 0.0:
        return LEVEL
    if small < _NEAR_AXIS * large:
        return AXES
    return DIAGONALS if small > _NEAR_DIAGONAL * large else BETWEEN


@kernel
def measure(heights, along, across, first, last, slopes, curvatures, aspects):
    """Fill rows first … last - 1 of `slopes` (m/m) and `curvatures` (1/m), (rows, cols), and of `aspects` (rows, 4)
    int64 with how many cells of each face each sector.

    heights: (rows + 2, cols + 2) m, with a ring. along, across: side of a cell, m. curvature: the mean of the surface's
    two principal ones, above 0 on ridges and below in hollows; that of a ball is 1 / radius.
    """
    cols = heights.shape[1] - 2
    by_row, by_col = 0.5 / along, 0.5 / across
    for row in range(first, last):
        aspects[row] = 0
        for col in range(cols):
            r, c = row + 1, col + 1
            middle = heights[r, c]
            up = (heights[r + 1, c] - heights[r - 1, c]) * by_row
            right = (heights[r, c + 1] - heights[r, c - 1]) * by_col
            along_rows = ((heights[r + 1, c] - middle) + (heights[r - 1, c] - middle)) / (along * along)
            along_cols = ((heights[r, c + 1] - middle) + (heights[r, c - 1] - middle)) / (across * across)
            corners = (heights[r + 1, c + 1] - heights[r + 1, c - 1]) - (heights[r - 1, c + 1] - heights[r - 1, c - 1])
            twist = corners * by_row * by_col
            steep = up * up + right * right
            slopes[row, col] = math.sqrt(steep)
            bent = (1.0 + up * up) * along_cols - 2.0 * up * right * twist + (1.0 + right * right) * along_rows
            curvatures[row, col] = -0.5 * bent / ((1.0 + steep) * math.sqrt(1.0 + steep))
            aspects[row, sector(up, right)] += 1


@kernel
def needles(heights, above, first, last, counts):
    """Fill places first … last - 1 of `counts` (rows,) int64 with how many cells of each row stand out by more than
    `above` m from all neighbors. heights: (rows, cols); the ground beyond the edges is as high as they are."""
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
