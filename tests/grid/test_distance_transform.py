# SPDX-License-Identifier: GPL-3.0-or-later
"""Distance transform against the distances of all pairs of cells."""

import numpy as np
import pytest

from erosion_addon.grid.distance_transform import distance_to


def brute_force(marked, spacing):
    place = np.stack(np.mgrid[: marked.shape[0], : marked.shape[1]], axis=-1) * np.array(spacing)
    across = place[:, :, None] - place[marked]
    return np.sqrt((across**2).sum(axis=-1)).min(axis=2)


@pytest.mark.parametrize("spacing", [(1.0, 1.0), (10.0, 10.0), (3.0, 0.7), (0.5, 40.0)])
@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1), (7, 12), (23, 19)])
@pytest.mark.parametrize("share", [0.01, 0.1, 0.9])
def test_it_is_the_distance_to_the_nearest_of_all_marked_cells(shape, spacing, share):
    marked = np.random.default_rng(3).random(shape) < share
    marked.ravel()[-1] = True
    distance = distance_to(marked, spacing, 1e6)
    assert distance.dtype == np.float32
    np.testing.assert_allclose(distance, brute_force(marked, spacing), rtol=1e-6)


def test_it_ends_at_the_reach():
    marked = np.random.default_rng(4).random((20, 120)) < 0.005
    expected = brute_force(marked, (10.0, 1.0))
    assert ((expected > 41) & (expected < 42)).any() and (expected > 42).any()
    np.testing.assert_allclose(
        distance_to(marked, (10.0, 1.0), 42.0), np.minimum(expected, 42.0), rtol=1e-6
    )


def test_grids_larger_than_a_block_have_no_seams():
    marked = np.zeros((5, 20000), bool)  # 16384 cells a block
    marked[2, 9000] = True
    rows, cols = np.mgrid[:5, :20000]
    np.testing.assert_allclose(
        distance_to(marked, (1.0, 1.0), 1e3),
        np.minimum(np.hypot(rows - 2, cols - 9000), 1e3),
        rtol=1e-6,
    )
    np.testing.assert_allclose(
        distance_to(np.ascontiguousarray(marked.T), (1.0, 1.0), 1e3),
        np.minimum(np.hypot(rows - 2, cols - 9000), 1e3).T,
        rtol=1e-6,
    )


def test_where_nothing_is_marked_everything_is_as_far_as_can_be():
    assert np.array_equal(
        distance_to(np.zeros((4, 6), bool), (1.0, 1.0), 9.0), np.full((4, 6), 9.0)
    )
    assert not distance_to(np.ones((4, 6), bool), (1.0, 1.0), 9.0).any()
