# SPDX-License-Identifier: GPL-3.0-or-later
"""B-spline spreading and gathering, against matrices."""

import numpy as np
import pytest

from erosion_addon.grid.kernels import bspline as bells


def axis(rng, fine, coarse, taps):
    """Random indices and weights (fine, taps), and the equivalent matrix (fine, coarse)."""
    index = rng.integers(0, coarse, (fine, taps))
    weight = rng.random((fine, taps))
    matrix = np.zeros((fine, coarse))
    np.add.at(matrix, (np.arange(fine)[:, None], index), weight)
    return index, weight, matrix


@pytest.mark.parametrize("seed", range(4))
def test_both_ways_are_the_matrices(seed):
    rng = np.random.default_rng(seed)
    rows = rng.integers(3, 12, 2)
    cols = rng.integers(3, 12, 2)
    *of_rows, down = axis(rng, *rows, 4)
    *of_cols, along = axis(rng, *cols, 3)
    few = rng.standard_normal((rows[1], cols[1]))
    many = rng.standard_normal((rows[0], cols[0]))
    spread = np.empty_like(many)
    gathered = np.ones_like(few)
    bells.spread(*of_rows, *of_cols, few, spread)
    bells.gather(*of_rows, *of_cols, many, gathered)
    assert np.allclose(spread, down @ few @ along.T, rtol=1e-12, atol=1e-12)
    assert np.allclose(gathered, 1 + down.T @ many @ along, rtol=1e-12, atol=1e-12)
