# SPDX-License-Identifier: GPL-3.0-or-later
"""Slopes and lowest neighbors of a row of cells. above, bed, below: (cols,) float64 m, heights of
three rows.
"""

import numpy as np

from ....kernels.jit import kernel


@kernel
def slopes(above, bed, below, row_span, wrap, slope_x, slope_y, col_spacing):
    """Slope of the bed (m/m) by central differences, one-sided at edges; row_span: meters between
    above and below.
    """
    last = bed.size - 1
    span = col_spacing * np.float32(2.0)
    for col in range(1, last):
        slope_x[col] = np.float32(bed[col + 1] - bed[col - 1]) / span
    if wrap:
        slope_x[0] = np.float32(bed[1] - bed[last]) / span
        slope_x[last] = np.float32(bed[0] - bed[last - 1]) / span
    else:
        slope_x[0] = np.float32(bed[1] - bed[0]) / col_spacing
        slope_x[last] = np.float32(bed[last] - bed[last - 1]) / col_spacing
    for col in range(bed.size):
        slope_y[col] = np.float32(below[col] - above[col]) / row_span


@kernel
def lowest(above, bed, below, wrap, floor):
    """Lowest neighbor of each cell in a row; the cell itself if none is lower."""
    last = bed.size - 1
    for col in range(1, last):
        floor[col] = min(min(bed[col - 1], bed[col + 1]), min(above[col], below[col]))
    left, right = (bed[last], bed[0]) if wrap else (bed[0], bed[last])
    floor[0] = min(min(left, bed[1]), min(above[0], below[0]))
    floor[last] = min(min(bed[last - 1], right), min(above[last], below[last]))
