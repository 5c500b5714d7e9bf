# SPDX-License-Identifier: GPL-3.0-or-later
"""Visible share of the sky, from the horizon in several directions."""

import math

import numpy as np

from ...base.kernels.jit import kernel
from .horizon import look_along

UNIT = 1 << 22
"""Integer for a share of 1 in one direction. Integers have the same sum in any order, and 256
directions, at most 1.9 each, fit into 32 bits.
"""


@kernel
def _hidden_angle(slope):
    """π/2 - h - sin h cos h of the horizon h = atan(slope), slope >= 0, float32, to 2e-6.

    The arc tangent is a polynomial (Abramowitz, Stegun, 4.4.49), of 1 / slope beyond 1: the same on
    every processor, and many columns at once.
    """
    unit = np.float32(1.0)
    inverse = unit / (slope if slope > unit else unit)
    small = inverse if slope > unit else slope
    square = small * small
    series = np.float32(0.0028662257)
    series = series * square - np.float32(0.0161657367)
    series = series * square + np.float32(0.0429096138)
    series = series * square - np.float32(0.0752896400)
    series = series * square + np.float32(0.1065626393)
    series = series * square - np.float32(0.1420889944)
    series = series * square + np.float32(0.1999355085)
    series = series * square - np.float32(0.3333314528)
    arc = small + small * square * series
    above = arc if slope > unit else np.float32(0.5 * math.pi) - arc
    # sin h cos h = slope / (1 + slope²), written so that no square overflows
    product = small / (unit + square)
    return above - product


@kernel
def _add_share(sums, slopes, along, upright):
    """Add the sky shares of one direction to the sums of a row; see `see_sky`."""
    unit = np.float32(1.0)
    for place in range(sums.shape[0]):
        col = np.uintp(place)
        slope = slopes[col]
        share = upright[col] * (unit / (unit + slope * slope) - along[col] * _hidden_angle(slope))
        sums[col] += np.int32(share * np.float32(UNIT) + np.float32(0.5))


@kernel
def see_sky(rays, gradient, directions, first, last, result):
    """Set rows first … before last of `result` to the share of the sky that each place sees.

    Light of an evenly bright sky on a place with the normal n, relative to open level ground:

        V = 1/π ∫ over directions ω above the horizon of max(0, n·ω) dω
          = mean over azimuths φ of  n_z [cos² h - t (π/2 - h - sin h cos h)],

    where t is the ground's slope towards φ and h >= max(0, atan t) the horizon there: below the
    level line there is no sky. So V = 1 on open level ground, (1 + cos β) / 2 on an open slope β,
    1/2 before a wall without end, cos α at the bottom of a V-shaped valley with sides of slope α.

    Scheme: the horizon is looked for at the steps of a table, those far away in fields that are
    blurred as far as their direction stands for. Source: Max, "Horizon mapping" (1988); Dozier,
    Frew, "Rapid calculation of terrain parameters for radiation modeling" (1990), equation 7b.

    rays: `Rays` by direction. gradient: (2, rows, cols) float32, slopes along columns and rows.
    directions: (count, 2) float32, unit vectors along columns and rows. result: (rows, cols)
    float32, 0-1.
    """
    cols = result.shape[1]
    count = directions.shape[0]
    slopes = np.empty(cols, np.float32)
    along = np.empty(cols, np.float32)
    upright = np.empty(cols, np.float32)
    sums = np.empty(cols, np.int32)
    unit = np.float32(1.0)
    none = np.float32(0.0)
    for row in range(first, last):
        sums[:] = 0
        heights = rays.fields[0, row, :cols]
        for col in range(cols):
            across = gradient[0, row, col]
            up = gradient[1, row, col]
            upright[col] = unit / math.sqrt(unit + (across * across + up * up))
        for number in range(count):
            for col in range(cols):
                across = gradient[0, row, col] * directions[number, 0]
                along[col] = across + gradient[1, row, col] * directions[number, 1]
                slopes[col] = max(along[col], none)
            look_along(slopes, heights, rays, number, row)
            _add_share(sums, slopes, along, upright)
        for col in range(cols):
            result[row, col] = min(sums[col] / (count * UNIT), 1.0)
