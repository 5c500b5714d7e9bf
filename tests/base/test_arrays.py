# SPDX-License-Identifier: GPL-3.0-or-later
"""Sums of arrays, in an order of their own."""

import itertools
import math

import numpy as np

from erosion_addon.base.arrays import ordered_sum
from tests.terrains import fractal


def test_a_sum_adds_the_values_of_each_row_one_after_the_other():
    """As a plain loop does, and exactly between rows. numpy 1.26 and 2.5 differ in the last digit
    of such sums.
    """
    land = fractal(163, 82, 100.0, seed=1)
    rows = [list(itertools.accumulate(row.tolist()))[-1] for row in land]
    assert ordered_sum(land) == math.fsum(rows)
    assert ordered_sum(land[:, 0]) == list(itertools.accumulate(land[:, 0].tolist()))[-1]
    assert ordered_sum(land.astype(np.float32)) == ordered_sum(
        land.astype(np.float32).astype(np.float64)
    )
