# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np

from erosion_addon.grid.stencils import continued


def test_a_slope_goes_on_beyond_the_edges():
    row, col = np.mgrid[0:4, 0:5].astype(float)
    wider_row, wider_col = np.mgrid[-2:6, -1:6].astype(float)
    plane = continued(3.0 * row - 2.0 * col, ((2, 2), (1, 1)), wraps=False)
    assert np.array_equal(plane, 3.0 * wider_row - 2.0 * wider_col)


def test_what_wraps_goes_on_at_the_other_side():
    values = np.arange(12.0).reshape(3, 4)
    assert np.array_equal(
        continued(values, 1, wraps=True)[1:-1],
        np.column_stack([values[:, -1], values, values[:, 0]]),
    )
