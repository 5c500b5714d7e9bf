# SPDX-License-Identifier: GPL-3.0-or-later
"""Clouds: periodic noise that the wind carries around the terrain."""

import numpy as np

from ....base.kernels import rng
from ....base.kernels.jit import kernel


@kernel
def _knot(key, row, col, rows, cols):
    """Random value of a node in a periodic lattice."""
    return rng.uniform(rng.stream(key, (row % rows) * cols + col % cols), 0)


@kernel
def _noise(key, y, x, rows, cols):
    """Value noise (0-1) at a place, in knots, with quintic weights; repeats after rows and cols
    knots.
    """
    row = int(y)
    col = int(x)
    v = y - row
    u = x - col
    v = v * v * v * (v * (v * 6.0 - 15.0) + 10.0)
    u = u * u * u * (u * (u * 6.0 - 15.0) + 10.0)
    low = _knot(key, row, col, rows, cols) * (1.0 - u) + _knot(key, row, col + 1, rows, cols) * u
    high = (
        _knot(key, row + 1, col, rows, cols) * (1.0 - u)
        + _knot(key, row + 1, col + 1, rows, cols) * u
    )
    return low * (1.0 - v) + high * v


@kernel
def fill_clouds(key, knot_rows, knot_cols, cover, clouds):
    """Fill `clouds` (rows, cols) float32 with the relative rain, 1 on average.

    Two octaves of value noise n from random numbers by counter; rain = max(0, n - threshold)², the
    threshold low enough that about `cover` (0-1) of the sky is cloudy. knot_rows, knot_cols: clouds
    along each side, 1 or more. The same pattern comes out at any number of cells. key: uint64.
    """
    rows, cols = clouds.shape
    threshold = 0.85 - 0.7 * cover
    total = 0.0
    for row in range(rows):
        y = row * (knot_rows / rows)
        for col in range(cols):
            x = col * (knot_cols / cols)
            noise = _noise(key, y, x, knot_rows, knot_cols)
            noise = 0.7 * noise + 0.3 * _noise(
                key + np.uint64(1), 2 * y, 2 * x, 2 * knot_rows, 2 * knot_cols
            )
            thick = max(noise - threshold, 0.0)
            clouds[row, col] = thick * thick
            total += thick * thick
    if total > 0.0:
        clouds *= np.float32(rows * cols / total)
    else:
        clouds[:] = 1.0
