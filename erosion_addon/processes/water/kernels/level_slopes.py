# SPDX-License-Identifier: GPL-3.0-or-later
"""Slope of the form drag: the slope of the water level down the bed."""

import math

import numpy as np

from ....base.kernels.ghost_cells import WRAP
from ....base.kernels.jit import allocation_free
from .faces import FILM, copy_row, face_depth


@allocation_free
def _slope(bed, depth, row, col, row_beyond, col_beyond, steepness):
    """Size of the slope at a face, m/m: the level's, where the bed falls the same way and at most
    as far as that.

    So the front of a bore on a flat bed is no drag to it, nor is the bank beside a river, over
    which no water runs.
    """
    fall = np.float32(
        (bed[row, col] + depth[row, col])
        - (bed[row_beyond, col_beyond] + depth[row_beyond, col_beyond])
    )
    water = np.float32(depth[row, col])
    beyond = np.float32(depth[row_beyond, col_beyond])
    bed_fall = fall - (water - beyond)
    zero = np.float32(0.0)
    common = max(min(fall, bed_fall), -max(fall, bed_fall), zero)
    return common * steepness if face_depth(fall, water, beyond) > FILM else zero


@allocation_free
def fill_slopes(bed, depth, first, last, steep, work, pipes):
    """Fill the rows of `steep` (rows, cols) float32 m/m from `first` to `last` - 1: from the
    steeper face of each cell along the row and along the column, the terrain's edges left out. bed,
    depth: (rows, cols) float64 m.
    """
    rows, cols = bed.shape
    wrap = pipes.edges == WRAP
    slope_x = work.slope_x
    slope_y = work.slope_y
    for row in range(first, last):
        above = (row - first) % 2
        below = (row - first + 1) % 2
        if row == first:
            for col in range(cols):
                slope_y[above, col] = _slope(
                    bed, depth, (row - 1) % rows, col, row, col, pipes.row_steepness
                )
        for col in range(cols):
            slope_y[below, col] = _slope(
                bed, depth, row, col, (row + 1) % rows, col, pipes.row_steepness
            )
        if not wrap and row == 0:
            copy_row(slope_y, below, slope_y, above)
        if not wrap and row == rows - 1:
            copy_row(slope_y, above, slope_y, below)
        for col in range(1, cols):
            slope_x[col] = _slope(bed, depth, row, col - 1, row, col, pipes.col_steepness)
        slope_x[0] = (
            _slope(bed, depth, row, cols - 1, row, 0, pipes.col_steepness) if wrap else slope_x[1]
        )
        slope_x[cols] = slope_x[0] if wrap else slope_x[cols - 1]
        for col in range(cols):
            along = max(slope_x[col], slope_x[col + 1])
            down = max(slope_y[above, col], slope_y[below, col])
            steep[row, col] = math.sqrt(along * along + down * down)
