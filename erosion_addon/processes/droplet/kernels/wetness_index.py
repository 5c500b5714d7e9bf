# SPDX-License-Identifier: GPL-3.0-or-later
"""Soil moisture from flow and slope."""

import math

import numpy as np

from ....base.kernels.jit import kernel


@kernel
def wetness(elevation, flow, row_spacing, col_spacing, catchment_per_flow, half_wet, moisture):
    """Fill `moisture` (rows, cols) float32 with 0-1 from elevation and flow.

    Topographic wetness (Beven & Kirkby 1979): w = a / tan β with a the specific catchment in
    meters, here flow · catchment_per_flow; then moisture = √w / (√w + √half_wet). The root spreads
    the scale: w runs over six decades from crest to river, and without it every flat floor is as
    wet as the river that crosses it. tan β by central differences (m/m, one-sided at the edges),
    not below 0.05: flats differ by their water, not by the last centimeters of their slope.
    elevation: (rows, cols) float64 m; flow: (rows, cols) float32; spacings in meters.
    """
    rows, cols = elevation.shape
    for row in range(rows):
        above = max(row - 1, 0)
        below = min(row + 1, rows - 1)
        for col in range(cols):
            left = max(col - 1, 0)
            right = min(col + 1, cols - 1)
            slope_x = (elevation[row, right] - elevation[row, left]) / (
                (right - left) * col_spacing
            )
            slope_z = (elevation[below, col] - elevation[above, col]) / (
                (below - above) * row_spacing
            )
            slope = max(math.sqrt(slope_x * slope_x + slope_z * slope_z), 0.05)
            wet = math.sqrt(flow[row, col] * catchment_per_flow / slope)
            moisture[row, col] = np.float32(wet / (wet + math.sqrt(half_wet)))
