# SPDX-License-Identifier: GPL-3.0-or-later
"""Creep: what rolls between two cells, by hand and in a plain loop over all pairs of neighbors."""

import numpy as np
import pytest

from erosion_addon.processes.dunes.kernels import creep
from erosion_addon.processes.shared.kernels.mask_layers import DUG, HIGHEST, LAID, LOWEST

SHARES = 0.1, 0.2
"""Shares of a fall that roll along a column and along a row."""


def crept(surface, loose, blown, cover=None, shares=None, wrap=False):
    """Sand after one pass of the kernels, in two bands of rows."""
    rows = len(surface)
    after = loose.copy()
    flows = (np.empty(surface.shape), np.empty(surface.shape))
    for band in ((0, 2), (2, rows)):
        creep.find_flows(*band, loose, surface, blown, cover, shares, SHARES, *flows)
    for band in ((0, 2), (2, rows)):
        creep.apply_fluxes(*band, after, *flows, wrap)
    return after


def pairs(rows, cols, wrap):
    """Pairs of neighbors, and the share of their fall that rolls."""
    for row, col in np.ndindex(rows, cols):
        if wrap or row + 1 < rows:
            yield (row, col), ((row + 1) % rows, col), SHARES[0]
        if wrap or col + 1 < cols:
            yield (row, col), (row, (col + 1) % cols), SHARES[1]


def plain(surface, loose, blown, cover=None, shares=None, wrap=False):
    """The same, pair by pair from the higher cell to the lower one."""
    after = loose.copy()
    cols = surface.shape[1]
    for one, other, share in pairs(*surface.shape, wrap):
        high, low = (one, other) if surface[one] > surface[other] else (other, one)
        amount = (
            min(share * (surface[high] - surface[low]), 0.2 * loose[high])
            if blown[one] and blown[other]
            else 0.0
        )
        of_high = high[0] * cols + high[1]
        of_low = low[0] * cols + low[1]
        if cover is not None:
            amount *= cover[of_high, 1]
        if shares is not None:
            amount *= shares[of_high, DUG] * shares[of_low, LAID]
            if shares.shape[1] > HIGHEST:
                room = min(
                    surface[high] - shares[of_high, LOWEST], shares[of_low, HIGHEST] - surface[low]
                )
                amount = min(amount, 0.2 * max(room, 0.0))
        after[high] -= amount
        after[low] += amount
    return after


@pytest.mark.parametrize("wrap", [False, True])
@pytest.mark.parametrize("given", ["nothing", "cover", "masks", "limits"])
def test_between_neighbors_in_the_wind_a_share_of_the_fall_rolls_down(given, wrap):
    random = np.random.default_rng(2)
    shape = (5, 7)
    surface = random.uniform(0.0, 3.0, shape)
    loose = np.where(random.random(shape) < 0.5, 0.1, 5.0)
    blown = (random.random(shape) < 0.8).astype(np.uint8)
    cover = shares = None
    if given == "cover":
        cover = random.choice([0.0, 0.25, 0.5, 1.0], (35, 2)).astype(np.float32)
    elif given in ("masks", "limits"):
        shares = random.choice([0.25, 0.5, 1.0], (35, 6)).astype(np.float32)
        shares[:, LOWEST] = surface.ravel() - random.uniform(-0.3, 1.0, 35)
        shares[:, HIGHEST] = surface.ravel() + random.uniform(-0.3, 1.0, 35)
        shares = np.ascontiguousarray(shares[:, : 6 if given == "limits" else 4])
    after = crept(surface, loose, blown, cover, shares, wrap)
    np.testing.assert_allclose(after, plain(surface, loose, blown, cover, shares, wrap), rtol=1e-12)
    assert after.sum() == pytest.approx(loose.sum(), rel=1e-12) and (after != loose).mean() > 0.7


def test_a_cell_gives_each_neighbor_at_most_a_fifth_of_its_sand():
    surface = np.zeros((3, 3))
    loose = np.full((3, 3), 4.0)
    surface[1, 1] = 0.8
    loose[1, 1] = 0.1
    after = crept(surface, loose, np.ones((3, 3), np.uint8))
    assert after[1, 1] == pytest.approx(0.1 - 4 * 0.2 * 0.1)
    surface[1, 1] = -0.8  # 0.08 from above and below, 0.16 from the sides
    after = crept(surface, loose, np.ones((3, 3), np.uint8))
    assert after[1, 1] == pytest.approx(0.1 + 2 * 0.08 + 2 * 0.16)
