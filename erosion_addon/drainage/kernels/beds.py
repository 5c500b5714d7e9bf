# SPDX-License-Identifier: GPL-3.0-or-later
"""River beds on the grid: distance to the banks, and carving."""

import math

import numpy as np

from ...base.kernels.jit import allocation_free, kernel


@allocation_free
def _nearest(place, half, first, second, x, y):
    """Distance m of a point from the bank of a line segment, and its position along the segment,
    0-1.
    """
    along_x = place[second, 0] - place[first, 0]
    along_y = place[second, 1] - place[first, 1]
    long = along_x * along_x + along_y * along_y
    share = 0.0
    if long > 0.0:
        share = ((x - place[first, 0]) * along_x + (y - place[first, 1]) * along_y) / long
        share = min(max(share, 0.0), 1.0)
    off_x = x - place[first, 0] - share * along_x
    off_y = y - place[first, 1] - share * along_y
    wide = half[first] + share * (half[second] - half[first])
    return math.sqrt(off_x * off_x + off_y * off_y) - wide, share


@allocation_free
def _span(start, end, beyond, side, count, wraps):
    """Half-open range of rows or columns within `beyond` m of a line segment; wraps: also past the
    edges.
    """
    first = np.int64(math.ceil((min(start, end) - beyond) / side))
    last = np.int64(math.floor((max(start, end) + beyond) / side)) + 1
    if wraps:
        return first, min(last, first + count)
    return max(first, 0), min(last, count)


@kernel
def distances(place, half, reach, starts, spacing, wraps, distance, near):
    """Fill `distance` (rows, cols) with meters to the nearest bank, negative between the banks, and
    `near` with the greatest share of the `reach` of a river that is left there, 1 at its bank; both
    unset beyond.

    place: (points, 2 or more) m along columns and rows. half, reach: (points,) m, half the width,
    and from the banks. wraps: whether edges wrap.
    """
    rows, cols = distance.shape
    for line in range(starts.size - 1):
        for point in range(starts[line], starts[line + 1] - 1):
            next_point = point + 1
            beyond = max(reach[point], reach[next_point])
            margin = max(half[point], half[next_point]) + beyond
            first_row, last_row = _span(
                place[point, 1], place[next_point, 1], margin, spacing[0], rows, wraps
            )
            first_col, last_col = _span(
                place[point, 0], place[next_point, 0], margin, spacing[1], cols, wraps
            )
            for row in range(first_row, last_row):
                for col in range(first_col, last_col):
                    off, _ = _nearest(
                        place, half, point, next_point, col * spacing[1], row * spacing[0]
                    )
                    if off <= beyond:
                        r = row % rows
                        c = col % cols
                        distance[r, c] = min(distance[r, c], off)
                        near[r, c] = max(near[r, c], 1.0 - max(off, 0.0) / beyond)


@kernel
def descend(ground, pools, lowest, depth, ramp, steps, following, incision):
    """Water `level` and `bed` (points,) m of rivers that cut down to `incision` m below the
    `ground` (points,) m.

    Neither rises downstream. A river cuts through higher ground downstream, but not below standing
    water: `pools` (points,) m, NaN outside. Along the `ramp` (points,) m below a source or a pool
    it cuts down to its `depth` (points,) m. lowest: (points,) m, given at the ends of rivers, the
    lowest bed upstream of there. steps: (points,) m to the next point downstream. following:
    (points,) int64, that point, a lower index; -1 at the end.
    """
    floors = np.empty(ground.size)
    way = np.empty(ground.size)
    level = np.empty(ground.size)
    bed = np.empty(ground.size)
    # lower indices lie downstream: upward, each point finds the floor of the reach below it
    for point in range(ground.size):
        below = following[point]
        floor = lowest[point]
        if below >= 0:
            lowest[point] = lowest[below]
            floor = floors[below]
        floors[point] = floor if math.isnan(pools[point]) else pools[point]
        level[point] = math.inf
        bed[point] = math.inf
        way[point] = 0.0
    # downward, each point is final once all points that flow into it have lowered it
    for point in range(ground.size - 1, -1, -1):
        if math.isnan(pools[point]):
            share = min(way[point] / ramp[point], 1.0)
            level[point] = max(min(level[point], ground[point] - incision * share), floors[point])
            bed[point] = max(min(bed[point], level[point] - depth[point] * share), lowest[point])
        else:
            level[point] = pools[point]
            bed[point] = pools[point]
            way[point] = 0.0
        below = following[point]
        if below >= 0:
            level[below] = min(level[below], level[point])
            bed[below] = min(bed[below], bed[point])
            way[below] = max(way[below], way[point] + steps[point])
    return level, bed


@kernel
def cut(place, half, depth, reach, starts, spacing, wraps, bank, ground, heights):
    """Cut `heights` (rows, cols) m, a copy of the `ground`, down to river beds.

    The bed lies `depth` (points,) m below the water and is level over 0.7 of the width. Beyond the
    banks the cut rises by `bank` m/m, and becomes shallower to nothing at `reach` (points,) m from
    them. place: (points, 3) m. wraps: whether edges wrap.
    """
    rows, cols = heights.shape
    highest = ground.max()
    for line in range(starts.size - 1):
        for point in range(starts[line], starts[line + 1] - 1):
            next_point = point + 1
            beyond = max(reach[point], reach[next_point])
            # no ground is high enough for a wider cut
            margin = max(highest - min(place[point, 2], place[next_point, 2]), 0.0) / bank
            margin = max(half[point], half[next_point]) + min(margin, beyond)
            first_row, last_row = _span(
                place[point, 1], place[next_point, 1], margin, spacing[0], rows, wraps
            )
            first_col, last_col = _span(
                place[point, 0], place[next_point, 0], margin, spacing[1], cols, wraps
            )
            for row in range(first_row, last_row):
                for col in range(first_col, last_col):
                    off, share = _nearest(
                        place, half, point, next_point, col * spacing[1], row * spacing[0]
                    )
                    r = row % rows
                    c = col % cols
                    bed = place[point, 2] + share * (place[next_point, 2] - place[point, 2])
                    if off > 0.0:
                        bed += bank * off
                        part = off / beyond
                        if part >= 1.0 or bed >= ground[r, c]:
                            continue
                        bed += part * part * (ground[r, c] - bed)
                    else:
                        wide = half[point] + share * (half[next_point] - half[point])
                        deep = depth[point] + share * (depth[next_point] - depth[point])
                        bed -= deep * min(-off / (0.3 * wide), 1.0)
                    heights[r, c] = min(heights[r, c], bed)
