# SPDX-License-Identifier: GPL-3.0-or-later
"""River beds on the grid: distance to the banks, and carving."""

import math

import numpy as np

from ...kernels.jit import allocation_free, kernel


@allocation_free
def _nearest(place, half, first, second, x, y):
    """Distance m of a point from the bank of a line segment, and its position along the segment, 0-1."""
    along_x, along_y = place[second, 0] - place[first, 0], place[second, 1] - place[first, 1]
    long = along_x * along_x + along_y * along_y
    share = 0.0
    if long > 0.0:
        share = ((x - place[first, 0]) * along_x + (y - place[first, 1]) * along_y) / long
        share = min(max(share, 0.0), 1.0)
    off_x, off_y = x - place[first, 0] - share * along_x, y - place[first, 1] - share * along_y
    wide = half[first] + share * (half[second] - half[first])
    return math.sqrt(off_x * off_x + off_y * off_y) - wide, share


@allocation_free
def _span(one, other, beyond, side, count, wraps):
    """Half-open range of rows or columns within `beyond` m of a line segment; wraps: also past the edges."""
    first = np.int64(math.ceil((min(one, other) - beyond) / side))
    last = np.int64(math.floor((max(one, other) + beyond) / side)) + 1
    if wraps:
        return first, min(last, first + count)
    return max(first, 0), min(last, count)


@kernel
def distances(place, half, reach, starts, spacing, wraps, found, near):
    """Fill `found` (rows, cols) with meters to the nearest bank, negative between the banks, and `near` with the
    greatest share of the `reach` of a river that is left there, 1 at its bank; both unset beyond.

    place: (points, 2 or more) m along columns and rows. half, reach: (points,) m, half the width, and from the banks.
    wraps: whether edges wrap.
    """
    rows, cols = found.shape
    for line in range(starts.size - 1):
        for point in range(starts[line], starts[line + 1] - 1):
            other = point + 1
            beyond = max(reach[point], reach[other])
            around = max(half[point], half[other]) + beyond
            first_row, last_row = _span(place[point, 1], place[other, 1], around, spacing[0], rows, wraps)
            first_col, last_col = _span(place[point, 0], place[other, 0], around, spacing[1], cols, wraps)
            for row in range(first_row, last_row):
                for col in range(first_col, last_col):
                    off, _ = _nearest(place, half, point, other, col * spacing[1], row * spacing[0])
                    if off <= beyond:
                        r, c = row % rows, col % cols
                        found[r, c] = min(found[r, c], off)
                        near[r, c] = max(near[r, c], 1.0 - max(off, 0.0) / beyond)


@kernel
def cut(place, half, depth, starts, spacing, bank, heights):
    """Cut `heights` (rows, cols) m down to river beds.

    The bed lies `depth` (points,) m below the water and is level over 0.7 of the width. Beyond the banks the ground
    rises by `bank` m/m. place: (points, 3) m.
    """
    rows, cols = heights.shape
    highest = heights.max()
    for line in range(starts.size - 1):
        for point in range(starts[line], starts[line + 1] - 1):
            other = point + 1
            reach = max(half[point], half[other])
            reach += max(highest - min(place[point, 2], place[other, 2]), 0.0) / bank
            first_row, last_row = _span(place[point, 1], place[other, 1], reach, spacing[0], rows, False)
            first_col, last_col = _span(place[point, 0], place[other, 0], reach, spacing[1], cols, False)
            for row in range(first_row, last_row):
                for col in range(first_col, last_col):
                    off, share = _nearest(place, half, point, other, col * spacing[1], row * spacing[0])
                    level = place[point, 2] + share * (place[other, 2] - place[point, 2])
                    if off > 0.0:
                        bed = level + bank * off
                    else:
                        wide = half[point] + share * (half[other] - half[point])
                        deep = depth[point] + share * (depth[other] - depth[point])
                        bed = level - deep * min(-off / (0.3 * wide), 1.0)
                    heights[row, col] = min(heights[row, col], bed)
