# SPDX-License-Identifier: GPL-3.0-or-later
"""Horizon angles around each point, and the terrain's own shadow in the light of a sun."""

from typing import NamedTuple

import numpy as np

from ...base.kernels.elementary import atan2
from ...base.kernels.jit import kernel


class Rays(NamedTuple):
    """Ground and sample points along directions."""

    fields: np.ndarray
    """Ground by blur level, (levels, rows, cols + 1) float32 m, see `raise_horizon`; the first is
    the terrain.
    """
    starts: np.ndarray
    """First point of each direction, and the number of points, (directions + 1,)."""
    steps: np.ndarray
    """(points, 4), see `raise_horizon`; as are parts, per_meter, (points,) each."""
    levels: np.ndarray
    """Blur level at each point, (points,)."""
    parts: np.ndarray
    per_meter: np.ndarray
    wrap: bool


@kernel
def _raise(slopes, heights, near, far, part, per_meter):
    """Raise slopes to the slopes of points interpolated between near and far, all (count,) float32;
    part: 0 at near, 1 at far.
    """
    rest = np.float32(1.0) - part
    for place in range(slopes.shape[0]):
        at = np.uintp(place)
        slope = (rest * near[at] + part * far[at] - heights[at]) * per_meter
        slopes[at] = slope if slope > slopes[at] else slopes[at]


@kernel
def raise_horizon(slopes, heights, field, row, step, part, per_meter, wrap):
    """Raise the horizons of a row of places to the ground one step away from each.

    slopes: (cols,) float32, tangents of the horizons' angles, changed in place. heights: (cols,)
    float32 m, the heights of the places. field: (rows, cols + 1) float32 m, the surface seen; its
    last column repeats the first. step: rows, columns to a point, and rows, columns from there to
    its neighbor; the ground is seen between the two, `part` (float32) of the way. per_meter:
    float32, 1 / distance. wrap: whether the terrain is a seamless tile; else there is nothing to
    see beyond its edges. Reads only depend on the row and the step, so that the processor takes
    many columns at once.
    """
    rows = field.shape[0]
    cols = slopes.shape[0]
    near = row + step[0]
    far = row + step[0] + step[2]
    shift = step[1]
    beside = step[3]
    if wrap:
        near = near % rows
        far = far % rows
        shift = shift % cols
        last = cols - shift
        _raise(
            slopes[:last],
            heights[:last],
            field[near, shift:],
            field[far, shift + beside :],
            part,
            per_meter,
        )
        _raise(slopes[last:], heights[last:], field[near], field[far, beside:], part, per_meter)
    elif 0 <= near < rows and 0 <= far < rows:
        first = max(0, -shift)
        last = min(cols, cols - shift - beside)
        if first < last:
            to = first + shift
            _raise(
                slopes[first:last],
                heights[first:last],
                field[near, to:],
                field[far, to + beside :],
                part,
                per_meter,
            )


@kernel
def look_along(slopes, heights, rays, direction, row):
    """Raise the horizons of a row of places to the ground along a direction; see
    `raise_horizon`.
    """
    for at in range(rays.starts[direction], rays.starts[direction + 1]):
        raise_horizon(
            slopes,
            heights,
            rays.fields[rays.levels[at]],
            row,
            rays.steps[at],
            rays.parts[at],
            rays.per_meter[at],
            rays.wrap,
        )


@kernel
def widen(field, wider, stride, first, last, wrap):
    """Blur rows first … before last of a field by (1 2 1) / 4 along both axes, taps `stride` cells
    apart.

    Once with strides 1, 2, 4 …: a blur twice as wide each time at the cost of nine reads (the à
    trous algorithm; Holschneider et al. 1989). Opposite neighbors are added first: no turn or
    mirror image changes a bit. field, wider: (rows, cols + 1) float32 as in `raise_horizon`; beyond
    edges that do not wrap, the edge is repeated.
    """
    rows = field.shape[0]
    cols = field.shape[1] - 1
    left = np.empty(cols, np.uintp)
    right = np.empty(cols, np.uintp)
    for place in range(cols):
        left[place] = (place - stride) % cols if wrap else max(place - stride, 0)
        right[place] = (place + stride) % cols if wrap else min(place + stride, cols - 1)
    for row in range(first, last):
        above = field[(row - stride) % rows if wrap else max(row - stride, 0)]
        below = field[(row + stride) % rows if wrap else min(row + stride, rows - 1)]
        middle = field[row]
        blurred = wider[row]
        for place in range(cols):
            col = np.uintp(place)
            west = left[col]
            east = right[col]
            straight = (above[col] + below[col]) + (middle[west] + middle[east])
            oblique = (above[west] + below[east]) + (above[east] + below[west])
            blurred[col] = (
                middle[col] * np.float32(4.0) + straight * np.float32(2.0) + oblique
            ) * np.float32(0.0625)
        blurred[cols] = blurred[0]


@kernel
def see_sun(rays, height, halves, weights, first, last, result):
    """Set rows first … before last of `result` to the share of a sun's disc that stands above the
    horizon.

    The disc is cut into upright strips, i = 1 … m, at cos(iπ / (m + 1)) from its middle:

        share = sum of  w min(1, max(0, 1/2 + (e - h) / 2s)),  w = 2 sin²(iπ / (m + 1)) / (m + 1),

    with the sun's height e, the horizon h >= 0 in the strip's direction and half the strip's length
    s. This is Gauss's quadrature with Chebyshev's polynomials of the second kind, exact where h is
    the same for all strips. Where the ground turns away from the sun its own next cell is the
    horizon: it lies in the shade.

    rays: `Rays` by strip. height: e, rad. halves: (strips,) s, rad. weights: (strips,), sum 1.
    result: (rows, cols) float32, 0-1.
    """
    cols = result.shape[1]
    slopes = np.empty(cols, np.float32)
    sums = np.empty(cols)
    for row in range(first, last):
        sums[:] = 0.0
        heights = rays.fields[0, row, :cols]
        for strip in range(halves.shape[0]):
            slopes[:] = 0.0
            look_along(slopes, heights, rays, strip, row)
            for col in range(cols):
                share = 0.5 + (height - atan2(slopes[col], 1.0)) / (2.0 * halves[strip])
                sums[col] += weights[strip] * min(max(share, 0.0), 1.0)
        for col in range(cols):
            result[row, col] = min(sums[col], 1.0)
