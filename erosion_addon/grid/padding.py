# SPDX-License-Identifier: GPL-3.0-or-later
"""Grids with a margin around them."""

import numpy as np

from ..base.arrays import Array


def continued(values: Array, margin: int | tuple[tuple[int, int], tuple[int, int]], wraps: bool) -> Array:
    """Values (rows, cols) with a margin: from the other side where they wrap, else as steep as inside.

    margin: cells on every side, or (before, after) by axis, as of `numpy.pad`.
    """
    if wraps:
        return np.pad(values, margin, mode="wrap")
    return np.pad(values, margin, mode="reflect", reflect_type="odd")
