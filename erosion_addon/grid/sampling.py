# SPDX-License-Identifier: GPL-3.0-or-later
"""Smoothstep and smootherstep."""

import numpy as np

from ..base.arrays import Array


def smooth_step(values: Array, low: float = 0.0, high: float = 1.0) -> Array:
    """Smooth rise from 0 at or below `low` to 1 at or above `high`: 3 t² - 2 t³."""
    share = np.clip((values - low) / (high - low), 0, 1)
    return np.asarray(share * share * (3 - 2 * share))


def smoother_step(values: Array, low: float, high: float) -> Array:
    """The same without a bend at either end: 6 t⁵ - 15 t⁴ + 10 t³ (Perlin 2002)."""
    share = np.clip((values - low) / (high - low), 0, 1)
    return np.asarray(share * share * share * (share * (6 * share - 15) + 10))
