# SPDX-License-Identifier: GPL-3.0-or-later
"""Flow velocity from the fluxes through the faces of a cell and its depth."""

import math

import numpy as np

from ....base.kernels.jit import allocation_free, kernel

SHALLOW = np.float32(0.01)
"""Meters; least depth in the calculation of velocity."""


@allocation_free
def velocity(depth, flux_x, flux_above, flux_below, along, down, speed, gravity):
    """Velocity (m/s) along a row and along the columns in the middle of the cells, and its size.

    At most critical, √(g h), as all steady flow of these pipes is: else what comes out of deep
    water would have left the film that it crosses at any speed.
    """
    half = np.float32(0.5)
    for col in range(depth.size):
        along[col] = half * (flux_x[col] + flux_x[col + 1]) / max(np.float32(depth[col]), SHALLOW)
    for col in range(depth.size):
        down[col] = (
            half * (flux_above[col] + flux_below[col]) / max(np.float32(depth[col]), SHALLOW)
        )
    for col in range(depth.size):
        critical = math.sqrt(gravity * max(np.float32(depth[col]), SHALLOW))
        # Speed over critical speed; 1 for all that is slower.
        speed[col] = max(
            math.sqrt(along[col] * along[col] + down[col] * down[col]) / critical, np.float32(1.0)
        )
    for col in range(depth.size):
        along[col] /= speed[col]
    for col in range(depth.size):
        down[col] /= speed[col]
    for col in range(depth.size):
        speed[col] = math.sqrt(along[col] * along[col] + down[col] * down[col])


@kernel
def fill_velocity(depth, flux_x, flux_y, gravity, field):
    """Fill `field`, (rows, cols, 2) float32, with the velocity along the rows and along the columns
    in m/s.
    """
    rows, cols = depth.shape
    along = np.empty(cols, np.float32)
    down = np.empty(cols, np.float32)
    speed = np.empty(cols, np.float32)
    for row in range(rows):
        velocity(depth[row], flux_x[row], flux_y[row], flux_y[row + 1], along, down, speed, gravity)
        for col in range(cols):
            field[row, col, 0] = along[col]
            field[row, col, 1] = down[col]
