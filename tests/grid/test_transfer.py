# SPDX-License-Identifier: GPL-3.0-or-later
"""Transfer between two grids: sums, evenness, smoothness, and agreement with plain means."""

import numpy as np
import pytest

from erosion_addon.grid.transfer import GridTransfer

SHAPES = [
    ((24, 32), (6, 8)),
    ((25, 31), (7, 12)),
    ((10, 9), (3, 9)),
    ((40, 7), (37, 3)),
    ((5, 6), (5, 6)),
]
ways = pytest.mark.parametrize("wrap", [False, True])
shapes = pytest.mark.parametrize(("fine", "coarse"), SHAPES)


THIRDS = np.array([[7, 1, 0], [1, 6, 1], [0, 1, 7]]) / 8
"""What `average` does to three cells on three."""


def noise(shape, seed=0):
    return np.random.default_rng(seed).random(shape)


@ways
@shapes
def test_ways_down_are_the_transposes_of_the_ways_up_and_keep_sums(fine, coarse, wrap):
    grids = GridTransfer(fine, coarse, wrap)
    few = noise(coarse)
    many = noise(fine, 1)
    for down, up in ((grids.spread, grids.gather), (grids.blocks, grids.average)):
        assert down(few).mean() == pytest.approx(few.mean(), rel=1e-13)
        assert up(many).mean() == pytest.approx(many.mean(), rel=1e-13)
        assert (down(few) * many).mean() == pytest.approx((few * up(many)).mean(), rel=1e-13)


@ways
@shapes
def test_what_is_even_stays_even_and_nothing_goes_beyond_what_there_was(fine, coarse, wrap):
    grids = GridTransfer(fine, coarse, wrap)
    few = noise(coarse)
    for down, up in ((grids.spread, grids.gather), (grids.blocks, grids.average)):
        assert np.allclose(down(np.full(coarse, 3.0)), 3.0, rtol=1e-13)
        assert np.allclose(up(np.full(fine, 3.0)), 3.0, rtol=1e-13)
        assert few.min() - 1e-13 <= down(few).min() and down(few).max() <= few.max() + 1e-13


def test_averages_are_those_of_straight_lines_between_the_middles_of_cells():
    """So an eighth of a cell at the end of a coarse one belongs to the next."""
    many = noise((12, 3))
    expected = np.array([1, 7, 8, 8, 7, 1])[:, None] / 32 * many[3:9]
    few = GridTransfer((12, 3), (3, 3), False).average(many @ np.linalg.inv(THIRDS.T))
    assert np.allclose(few[1], expected.sum(axis=0))


@pytest.mark.parametrize("coarse", [(17, 25), (20, 14), (59, 69)])
def test_a_plane_stays_a_plane_away_from_the_edges(coarse):
    grids = GridTransfer((60, 70), coarse, False)
    row, col = (np.arange(cells) + 0.5 for cells in (60, 70))
    plane = row[:, None] * 0.3 + col * 0.7
    assert np.allclose(
        grids.spread(grids.average(plane))[12:-12, 12:-12],
        plane[12:-12, 12:-12],
        rtol=0,
        atol=1e-12,
    )


def test_a_single_bell_is_smooth_and_spans_three_cells():
    """The quadratic B-spline of each axis: 3/4 in its middle, 1/8 at the ends of its cell, no jump
    and no kink.
    """
    few = np.zeros((7, 7))
    few[3, 3] = 1.0
    bell = GridTransfer((7 * 64, 7 * 64), (7, 7), False).spread(few)
    assert bell.max() == pytest.approx(0.75**2, rel=1e-3)
    assert bell[:128].max() == 0 and bell[320:].max() == 0 and bell[129:319, 224].min() > 0
    assert (
        np.abs(np.diff(bell, axis=0)).max() < 1.01 / 64
        and np.abs(np.diff(bell, 2, axis=0)).max() < 2.01 / 64**2
    )


def test_wrapped_grids_know_no_edge():
    grids = GridTransfer((30, 40), (10, 8), True)
    few = noise((10, 8))
    assert np.allclose(
        grids.spread(np.roll(few, (3, 2), (0, 1))), np.roll(grids.spread(few), (9, 10), (0, 1))
    )


def test_further_axes_are_carried_along():
    grids = GridTransfer((12, 15), (4, 5), False)
    colors = noise((4, 5, 3))
    assert np.array_equal(grids.spread(colors)[..., 1], grids.spread(colors[..., 1]))
    assert np.array_equal(
        grids.average(grids.spread(colors))[..., 2], grids.average(grids.spread(colors[..., 2]))
    )
