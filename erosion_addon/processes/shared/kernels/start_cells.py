# SPDX-License-Identifier: GPL-3.0-or-later
"""Cells where particles start."""

import numpy as np

from ....kernels.jit import allocation_free


@allocation_free
def start_cell(chance, sources, cells):
    """Index of a cell drawn with a random number in [0, 1).

    sources: None for equal chances, else cumulated weights (cells,) up to 1; the last cell if all are 0.
    """
    if sources is None:
        return min(int(chance * cells), cells - 1)
    return min(np.searchsorted(sources, chance, side="right"), cells - 1)
