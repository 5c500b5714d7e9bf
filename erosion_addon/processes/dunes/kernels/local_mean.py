# SPDX-License-Identifier: GPL-3.0-or-later
"""Local mean of a field: two passes of running means along rows and columns."""

import numpy as np

from ....base.kernels.jit import kernel


@kernel
def mean_along_rows(values, means, first, last, radius, wrap):
    """Means over 2 · radius + 1 cells in the rows first … last - 1; edges are extended, or wrap.

    Sums restart every 64 cells, so rounding errors do not accumulate.
    """
    cols = values.shape[1]
    share = 1.0 / (2 * radius + 1)
    for row in range(first, last):
        total = 0.0
        for col in range(cols):
            if col % 64 == 0:
                total = 0.0
                for at in range(col - radius, col + radius + 1):
                    total += values[row, at % cols if wrap else min(max(at, 0), cols - 1)]
            else:
                behind = col - radius - 1
                ahead = col + radius
                if wrap:
                    behind = behind % cols
                    ahead = ahead % cols
                else:
                    behind = max(behind, 0)
                    ahead = min(ahead, cols - 1)
                total += values[row, ahead] - values[row, behind]
            means[row, col] = total * share


@kernel
def mean_along_cols(values, means, first, last, radius, wrap):
    """`mean_along_rows` along columns first … last - 1, processed together row by row."""
    rows = values.shape[0]
    share = 1.0 / (2 * radius + 1)
    total = np.zeros(last - first)
    for row in range(rows):
        if row % 64 == 0:
            total[:] = 0.0
            for at in range(row - radius, row + radius + 1):
                total += values[at % rows if wrap else min(max(at, 0), rows - 1), first:last]
        else:
            behind = row - radius - 1
            ahead = row + radius
            if wrap:
                behind = behind % rows
                ahead = ahead % rows
            else:
                behind = max(behind, 0)
                ahead = min(ahead, rows - 1)
            total += values[ahead, first:last] - values[behind, first:last]
        means[row, first:last] = total * share
