# SPDX-License-Identifier: GPL-3.0-or-later
"""Slabs of sand: sweeps whose outcome is known, on open, closed and wrapped lines."""

import math

import numpy as np
import pytest

from erosion_addon.base.kernels.ghost_cells import CLOSED, OPEN, WRAP
from erosion_addon.processes.dunes.kernels import lines, slabs
from erosion_addon.processes.shared.kernels.mask_layers import HIGHEST, LAID, LOWEST

SLAB = 0.5
EAST = (0.0, 1.0)
KEY = np.uint64(1)


def constants(**others):
    """Wind that carries a slab beyond any end of a line, over ground of any form, and wears
    nothing.
    """
    far = {"slab": SLAB, "hop": 1e6, "speed_up": 0.0, "lead": 0, "drop": 1e6, "climb": math.inf}
    spared = {"wear": 0.0, "reach": 0.0, "dust": 0.0, "hull": 0, "brought": 0.0}
    return slabs.Constants(**{**far, **spared, "edges": OPEN, **others})


class Field:
    """Sand (rows, cols) on level rock, in the wind of one sweep."""

    def __init__(self, sand, wind=EAST, bump=None, cover=None, shares=None, **rules):
        self.shape = sand.shape
        self.rays = lines.make_rays(*wind, 0.3)
        self.constants = constants(**rules)
        bump = np.zeros(sand.shape) if bump is None else bump
        blown = np.zeros(sand.size, np.uint8)
        self.ground = slabs.Ground(
            np.zeros(np.pad(sand, 1).size),
            np.pad(sand, 1).ravel(),
            bump.ravel(),
            blown,
            cover,
            shares,
        )
        self.length, self.lines = lines.extent(self.rays, self.shape)
        self.entering = np.full(self.lines, -math.inf)
        self.leaving, self.totals = np.zeros((self.lines, 4)), np.zeros((self.lines, slabs.COUNTS))

    def given(self):
        return (0, self.lines, self.rays, self.shape, self.ground, self.constants, KEY)

    @property
    def ends(self):
        return slabs.Ends(self.entering, self.leaving, self.totals)

    def blow(self):
        slabs.blow(*self.given(), self.ends)
        return self

    def hand_on(self, arriving):
        slabs.hand_on(*self.given(), arriving, self.ends)
        return self

    def inside(self, ringed):
        return ringed.reshape(self.shape[0] + 2, -1)[1:-1, 1:-1]

    @property
    def sand(self):
        return self.inside(self.ground.loose)

    def total(self, column):
        return self.totals[:, column].sum()


def masks(shape, **given):
    """Mask layers (cells, 6) that allow all, but for those given."""
    layers = np.ones((math.prod(shape), 6), np.float32)
    layers[:, LOWEST] = -np.inf
    layers[:, HIGHEST] = np.inf
    for name, value in given.items():
        layers[:, {"laid": LAID, "lowest": LOWEST, "highest": HIGHEST}[name]] = value
    return layers


@pytest.mark.parametrize("shape", [(4, 6), (5, 7)])
@pytest.mark.parametrize("wind", [EAST, (0.4, 1.0), (-1.0, 0.3)])
def test_each_cell_gives_one_slab_which_leaves_over_an_open_edge(shape, wind):
    field = Field(np.full(shape, 2.0), wind).blow()
    assert np.array_equal(field.sand, np.full(shape, 2.0 - SLAB))
    assert (
        field.total(slabs.OUT) == SLAB * field.sand.size
        and field.total(slabs.HOPS) == field.sand.size
    )


def test_at_a_closed_edge_all_that_flies_comes_down_in_the_last_cell():
    """But for the slab of that cell itself, which is lifted and laid down again like the others."""
    sand = Field(np.full((3, 8), 2.0), edges=CLOSED).blow().sand
    assert np.array_equal(sand[:, :-1], np.full((3, 7), 2.0 - SLAB))
    assert np.array_equal(sand[:, -1], np.full(3, 2.0 + 7 * SLAB))


def test_over_a_wrapped_edge_all_that_flies_is_handed_on():
    field = Field(np.full((3, 8), 2.0), edges=WRAP).blow()
    assert np.array_equal(field.sand, np.full((3, 8), 2.0 - SLAB))
    # beyond the last step that is counted
    assert np.array_equal(field.leaving, [[0.0, 0.0, 0.0, 8 * SLAB]] * 3)


def test_nothing_is_lifted_from_below_the_lowest_level():
    sand = np.array([[2.0, 2.0, 2.0, 2.0]])
    lowest = np.array([1.9, 1.0, 2.0, 2.5])
    after = Field(sand, shares=masks(sand.shape, lowest=lowest)).blow().sand
    assert after == pytest.approx(np.array([[1.9, 1.5, 2.0, 2.0]]), abs=1e-6)


@pytest.mark.parametrize(("highest", "laid"), [(SLAB, True), (0.99 * SLAB, False)])
def test_nothing_is_laid_down_above_the_highest_level(highest, laid):
    """Plants all over, which hold each slab that may lie."""
    shape = (2, 5)
    cover = np.tile(np.array([1.0, 0.0], np.float32), (10, 1))
    field = Field(np.zeros(shape), cover=cover, shares=masks(shape, highest=highest), edges=WRAP)
    arriving = np.zeros((2, 4))
    arriving[:, 2] = SLAB
    field.hand_on(arriving)
    assert np.array_equal(field.sand[:, 2], np.full(2, SLAB if laid else 0.0))
    assert field.leaving.sum() == (0.0 if laid else 2 * SLAB)


def test_what_is_handed_on_lands_where_its_hop_ends_or_goes_on_over_the_next_edge():
    shape = (2, 3)
    cover = np.tile(np.array([1.0, 0.0], np.float32), (6, 1))
    field = Field(np.zeros(shape), cover=cover, edges=WRAP)
    arriving = np.zeros((2, 8))
    field.leaving = np.zeros((2, 8))
    arriving[0, [0, 2, 4]] = SLAB, 1.5 * SLAB, 0.25
    arriving[1, 3] = SLAB
    field.hand_on(arriving)
    assert np.array_equal(field.sand, [[SLAB, 0.0, 1.5 * SLAB], [0.0, 0.0, 0.0]])
    assert (
        field.leaving[0, 1] == 0.25
        and field.leaving[1, 0] == SLAB
        and field.leaving.sum() == 0.25 + SLAB
    )
    assert not arriving.any()


def test_in_the_lee_of_a_wall_sand_stays_and_what_flies_comes_down():
    """Of rock 3 m high in the fourth cell, under a shadow that descends by 1 m a cell: over the two
    next ones it is higher than a slab over the sand.
    """
    field = Field(np.full((2, 9), 2 * SLAB / 5), slab=SLAB / 5, drop=1.0)
    field.inside(field.ground.rock)[:, 3] = 3.0
    field.sand[:, 3] = 0.0
    slabs_left = field.blow().sand / (SLAB / 5)
    assert slabs_left == pytest.approx(
        np.tile([1.0, 1.0, 1.0, 0.0, 5.0, 2.0, 1.0, 1.0, 1.0], (2, 1))
    )
    assert np.array_equal(
        field.ground.blown.reshape(2, 9), np.tile([1, 1, 1, 1, 0, 0, 1, 1, 1], (2, 1))
    )


def test_sand_blown_in_lands_as_far_as_hops_reach_and_stays_as_often_everywhere():
    """From all places before the edge, with all lengths up to twice the mean: at x with the density
    (1 - x / 2L) / L. Half of it stays, on plants where masks let half lie. Up to L / 8: 0.5 (1 -
    (15 / 16)²) = 0.061 of 12,000 slabs, and a fiftieth of that by a second hop. Up to L: 0.375,
    0.052 by a second hop and 0.004 by a third.
    """
    shape = (400, 400)
    hop = 80.0
    brought = 30.0
    cover = np.tile(np.array([1.0, 0.0], np.float32), (math.prod(shape), 1))
    field = Field(
        np.zeros(shape), cover=cover, shares=masks(shape, laid=0.5), hop=hop, brought=brought
    ).blow()
    assert field.total(slabs.BROUGHT) == pytest.approx(400 * 30 * SLAB)
    stayed = field.sand.sum(axis=0) / (400 * 30 * SLAB)
    assert stayed[:10].sum() == pytest.approx(0.062, abs=0.007)
    assert stayed[:80].sum() == pytest.approx(0.431, abs=0.02)


def test_bouncing_sand_spares_rock_as_far_as_the_ground_along_the_wind_is_high():
    """`reach` above its surroundings no rock is worn, `reach` below them twice as much as on level
    ground.

    Heights are means over two cells before and two behind. What is worn leaves as dust, so both
    fields have the same hops.
    """
    shape = (300, 40)
    reach = 2.0
    bump = 3.0 * np.sin(np.arange(40) / 3.0) + np.zeros(shape)
    rules = {"hop": 6.0, "brought": 6.0, "wear": 1e-9, "hull": 2, "dust": 1.0}
    evenly, spared = (
        Field(np.zeros(shape), bump=bump, reach=height, **rules).blow() for height in (0.0, reach)
    )
    worn, less = (-field.inside(field.ground.rock).sum(axis=0) for field in (evenly, spared))
    along = bump[0]
    mean = np.array([along[max(col - 2, 0) : col + 3].mean() for col in range(40)])
    assert worn.min() > 0
    assert less / worn == pytest.approx(np.clip(1.0 - mean / reach, 0.0, 2.0), abs=1e-6)
    assert spared.total(slabs.WORN) == pytest.approx(less.sum(), rel=1e-9)


def test_a_shadow_enters_the_line_that_goes_on_and_the_next_ones_as_long_as_it_is():
    """A wall of 100 m in the third of eight cells: at the end of its line its shadow has come down
    by 6 m, and by 8 m more at the end of each further line.
    """
    sand = np.zeros((5, 8))
    sand[1, 2] = 100.0
    field = Field(sand, (0.25, 1.0), drop=1.0, edges=WRAP)
    tails = np.zeros(5)
    slabs.find_shadows(0, 5, field.rays, field.shape, field.ground, field.constants, tails)
    slabs.hand_on_shadows(field.rays, field.shape, field.constants, tails, field.entering)
    line = int(np.argmax(tails))
    assert sorted(tails) == [-1.0, -1.0, -1.0, -1.0, 94.0]
    for height in (94.0, 86.0, 78.0):
        line = lines.following(line, field.rays, field.shape)
        assert field.entering[line] == height
