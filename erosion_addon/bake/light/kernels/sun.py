# SPDX-License-Identifier: GPL-3.0-or-later
"""Self-shadow of a terrain in the light of a sun with an angular size."""

import numpy as np

from ....base.kernels.elementary import atan2
from ....base.kernels.jit import kernel
from .horizon import look_along


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
