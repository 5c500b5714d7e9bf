# SPDX-License-Identifier: GPL-3.0-or-later
"""A smooth rise between two values."""

import numpy as np

from ..base.arrays import Array


def smooth_step(values: Array, low: float = 0.0, high: float = 1.0) -> Array:
    """From 0 at `low` and below it to 1 at `high` and above it: 3 t² - 2 t³."""
    share = np.clip((values - low) / (high - low), 0, 1)
    return np.asarray(share * share * (3 - 2 * share))
