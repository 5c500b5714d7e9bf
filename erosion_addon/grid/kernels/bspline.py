# SPDX-License-Identifier: GPL-3.0-or-later
"""Separable transfer between a fine and a coarse grid: `spread`, and its transpose `gather`.

index, weight: (places, taps) of an axis, the coarse cells of each fine cell and their weights.
"""

import numpy as np

from ...base.kernels.jit import kernel


@kernel
def spread(row_index, row_weight, col_index, col_weight, coarse, fine):
    """fine[r, c] = Σ row_weight[r, j] · col_weight[c, k] · coarse[row_index[r, j], col_index[c,
    k]]; both float64.
    """
    line = np.empty(coarse.shape[1])
    for row in range(fine.shape[0]):
        line[:] = 0.0
        for tap in range(row_index.shape[1]):
            at = row_index[row, tap]
            weight = row_weight[row, tap]
            for col in range(line.size):
                line[col] += weight * coarse[at, col]
        for col in range(fine.shape[1]):
            total = 0.0
            for tap in range(col_index.shape[1]):
                total += col_weight[col, tap] * line[col_index[col, tap]]
            fine[row, col] = total


@kernel
def gather(row_index, row_weight, col_index, col_weight, fine, coarse):
    """Add the transpose of `spread`, applied to `fine`, to `coarse`."""
    line = np.empty(coarse.shape[1])
    for row in range(fine.shape[0]):
        line[:] = 0.0
        for col in range(fine.shape[1]):
            value = fine[row, col]
            for tap in range(col_index.shape[1]):
                line[col_index[col, tap]] += col_weight[col, tap] * value
        for tap in range(row_index.shape[1]):
            at = row_index[row, tap]
            weight = row_weight[row, tap]
            for col in range(line.size):
                coarse[at, col] += weight * line[col]
