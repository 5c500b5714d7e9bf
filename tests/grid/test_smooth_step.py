# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np

from erosion_addon.grid.sampling import smooth_step


def test_it_rises_from_0_to_1_between_the_ends_and_is_level_beyond_them():
    found = smooth_step(np.array([-9.0, 2.0, 3.0, 4.0, 6.0, 99.0]), 2.0, 6.0)
    assert np.array_equal(found, [0.0, 0.0, 3 / 16 - 2 / 64, 0.5, 1.0, 1.0])
