# SPDX-License-Identifier: GPL-3.0-or-later
"""Water surface between the cells: its shoreline and its height at dry corners."""

import numpy as np
import pytest

from erosion_addon.grid.water_level import water_level


def test_the_shore_of_a_round_pool_on_level_ground_is_no_staircase_of_cells():
    """Measured where the depth is 0 on the lines between cells. An edge right at the first dry
    cells spreads the radius by 0.27 cells, and makes it 0.35 cells too large.
    """
    row, col = np.mgrid[:64, :64]
    depth = np.where(np.hypot(row - 31.4, col - 31.7) < 14.7, 0.5, 0).astype(np.float32)
    level, _ = water_level(np.zeros_like(depth), depth, np.float32(0.02))
    edges = []
    for down, right in ((0, 1), (1, 0)):
        one = level[: 64 - down, : 64 - right]
        other = level[down:, right:]
        at = np.nonzero((one > 0) & (other < 0) | (one < 0) & (other > 0))
        share = one[at] / (one[at] - other[at])
        edges.append(np.hypot(at[0] + down * share - 31.4, at[1] + right * share - 31.7))
    radius = np.concatenate(edges)
    assert radius.std() < 0.19
    assert radius.mean() == pytest.approx(14.7, abs=0.1)


def test_water_on_a_slope_floats_nowhere():
    """A stream two cells wide down a ramp: at its dry neighbors the surface lies below the ground
    on every side.
    """
    ground = np.broadcast_to(0.5 * np.arange(12.0), (12, 12)).astype(np.float32)
    depth = np.zeros((12, 12), np.float32)
    depth[5:7] = 0.3
    level, faces = water_level(ground, depth, np.float32(0.1))
    assert faces.sum() == 3 * 11
    dry = np.zeros((12, 12), bool)
    dry[4] = True
    dry[7] = True
    assert (level[dry] <= ground[dry] - 0.1 + 1e-6).all()
    np.testing.assert_array_equal(level[5:7], (ground + depth)[5:7])


def test_every_wet_vertex_is_there_up_to_the_border():
    depth = np.full((5, 6), 1.0, np.float32)
    level, faces = water_level(np.zeros((5, 6), np.float32), depth, np.float32(0.1))
    assert faces.all() and (level == 1.0).all()
