# SPDX-License-Identifier: GPL-3.0-or-later
"""Padded grids."""

import numpy as np

from ..base.arrays import Array


def continued(
    values: Array, margin: int | tuple[tuple[int, int], tuple[int, int]], wraps: bool
) -> Array:
    """Values (rows, cols) with a margin: periodic along wrapped axes, else extrapolated linearly.

    margin: cells on every side, or (before, after) by axis, as in `numpy.pad`.
    """
    if wraps:
        return np.pad(values, margin, mode="wrap")
    return np.pad(values, margin, mode="reflect", reflect_type="odd")
