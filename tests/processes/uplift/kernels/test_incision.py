# SPDX-License-Identifier: GPL-3.0-or-later
"""Incision, the slope limit and the routing of water and load: known answers on a few cells."""

import math

import numpy as np
import pytest

from erosion_addon import Terrain
from erosion_addon.drainage.flow_graph import FlowGraph
from erosion_addon.processes.shared.kernels.mask_layers import BREAKS
from erosion_addon.processes.uplift.kernels.incision import _share_left as share_left
from erosion_addon.processes.uplift.kernels.incision import _softened as softened
from erosion_addon.processes.uplift.kernels.incision import limit_slopes, limit_two, lower_border
from tests.processes.uplift.test_step import PURE, stepping
from tests.terrains import fractal, plane


@pytest.mark.parametrize("exponent", [0.5, 0.7, 0.999, 1.001, 1.5, 2.0, 3.0])
def test_what_is_left_of_a_fall_solves_its_equation(exponent):
    """y + F yⁿ = 1, for rivers that hardly cut and for such as leave nothing; n = 2 has a root in
    closed form.
    """
    assert 0.0 < share_left(math.inf, exponent) < 1e-60
    for pull in (0.0, 1e-12, 1e-3, 0.5, 1.0, 2.0, 1e3, 1e9):
        left = share_left(pull, exponent)
        assert 0.0 < left <= 1.0
        assert left + pull * left**exponent == pytest.approx(1.0, abs=1e-11)
        if exponent == 2.0 and pull >= 0.5:
            assert left == pytest.approx((math.sqrt(1 + 4 * pull) - 1) / (2 * pull), rel=1e-11)


@pytest.mark.parametrize("exponent", [0.7, 1.0, 1.5, 2.0])
def test_hard_rock_is_cut_by_its_share_in_short_steps_and_like_soft_rock_in_long_ones(exponent):
    for pull in (0.0, 1e-300, 1e-17):  # no water, or ground as good as level
        assert softened(pull, 0.3, exponent) == pytest.approx(0.3, rel=1e-12)
    assert softened(1e-7, 0.3, exponent) == pytest.approx(0.3, rel=1e-5)
    assert softened(1e12, 0.3, exponent) == pytest.approx(1.0, rel=1e-4)
    assert softened(0.8, 1.0, exponent) == 1.0


@pytest.mark.parametrize("m", [0.4, 0.5])
def test_a_lake_cuts_its_rim_by_the_share_of_its_river_in_flood(m):
    """A valley between walls: the outlet, a rim 10 m above it, and a lake 6 m and 4 m above it.
    With F for a river that drains one cell: the rim wears to 10 m / (1 + 3ᵐ F), then by 2ᵐ f F / (1
    + 2ᵐ f F), f = 10, of half its height over the deepest place, as half of a lake is to be
    drained.
    """
    heights = np.full((3, 5), 1000.0)
    heights[1, :4] = 0.0, 10.0, 6.0, 4.0
    step = stepping(Terrain(heights, 10.0), years=50_000.0, breach=0.5, concavity=m, **PURE)
    step._drain()
    step._cut()
    pull = step._constants.cut * 100.0**m / 10.0
    rim = 10.0 / (1.0 + 3.0**m * pull)
    flood = 10.0 * 2.0**m * pull
    rim -= 0.5 * (rim - 4.0) * flood / (1.0 + flood)
    assert rim > 4.0 and pull > 1e-3
    np.testing.assert_allclose(step.elevation()[1, :4], [0.0, rim, 6.0, 4.0], rtol=1e-12)


def limited(heights, spacing, steepest, sweeps):
    """Surface after a number of sweeps of the slope limit below (rows, cols) heights with a fixed
    border.
    """
    graph = FlowGraph(heights.shape, spacing)
    flat = graph.padded(heights)
    graph.fill_ring(flat)
    for sweep in range(sweeps):
        found = flat.copy()
        rises = steepest * spacing[0], steepest * spacing[1]
        ends = 0, 0, heights.shape[0]  # one alone
        limit_two(graph.network, flat, found, heights.shape[1], rises, None, bool(sweep % 2), *ends)
        flat = found
    return graph.inside(flat)


@pytest.mark.parametrize("azimuth", range(0, 360, 15))
def test_a_plane_as_steep_as_the_limit_stands_whatever_way_it_faces(azimuth):
    for spacing in ((10.0, 10.0), (10.0, 17.0), (25.0, 10.0)):
        row, col = np.mgrid[0:24, 0:20]
        way = math.cos(math.radians(azimuth)), math.sin(math.radians(azimuth))
        slope = 0.7 * (way[0] * row * spacing[0] + way[1] * col * spacing[1])
        np.testing.assert_allclose(
            limited(slope, spacing, 0.7 * (1 + 1e-12), 2), slope, rtol=0, atol=1e-6
        )


@pytest.mark.parametrize(("width", "uneven"), [(10.0, 0.02), (13.0, 0.04)])
def test_walls_around_a_shaft_fall_back_to_a_cone_of_the_limit(width, uneven):
    """Too steep by 12 % at most, as all schemes of first order are beside a point, and in all
    directions alike.
    """
    row, col = np.mgrid[-30:31, -30:31]
    distance = np.hypot(row * 10.0, col * width)
    found = limited(np.where(distance > 0, 1e4, 0.0), (10.0, width), 0.7, 8)
    ring = (distance > 100) & (distance < 250)
    excess = found / np.maximum(0.7 * distance, 1e-9) - 1
    azimuth = np.degrees(np.arctan2(row * 10.0, col * width))
    sectors = [
        excess[ring & (np.abs((azimuth - at + 90) % 180 - 90) < 7.5)].mean()
        for at in range(0, 180, 15)
    ]
    assert excess[ring].min() > 0.0 and excess[ring].max() < 0.12
    assert max(sectors) - min(sectors) < uneven


@pytest.mark.parametrize("singly", [False, True])
def test_where_edges_wrap_a_cone_around_a_shaft_goes_on_beyond_them(singly):
    """As on the same land with the shaft in the middle, by rows all at once and one by one."""
    graph = FlowGraph((13, 17), (10.0, 10.0), "wrap")
    found = []
    for shaft in ((6, 8), (0, 0), (12, 16)):
        heights = np.full((13, 17), 1e4)
        heights[shaft] = 0.0
        flat = graph.padded(heights)
        for sweep in range(40):
            graph.fill_ring(flat)
            before = flat
            flat = flat.copy() if singly else np.zeros_like(flat)
            given = graph.network, before, flat, 17, (7.0, 7.0), None, bool(sweep % 2)
            if singly:
                rows = flat.reshape(15, 19)
                for row in range(13) if sweep % 2 == 0 else range(12, -1, -1):
                    limit_slopes(*given, row, row + 1, rows[row + 2 * (sweep % 2)])
            else:
                limit_two(*given, 0, 0, 13)
        found.append(np.roll(graph.inside(flat), (6 - shaft[0], 8 - shaft[1]), (0, 1)))
    assert 70.0 < found[0].max() < 1.15 * 70.0  # 10 cells from the shaft to the corners
    for other in found[1:]:
        np.testing.assert_allclose(other, found[0], rtol=0, atol=1e-6)


def test_a_wall_along_the_grid_falls_from_a_level_top():
    wall = np.zeros((20, 24))
    wall[:, 12:] = 200.0
    found = limited(wall, (10.0, 10.0), 1.0, 4)
    np.testing.assert_allclose(
        found[8:12, 12:18], np.tile(np.arange(1, 7) * 10.0, (4, 1)), atol=0.5
    )


@pytest.mark.parametrize("upwards", [False, True])
def test_slopes_limited_in_bands_are_those_of_one_sweep(upwards):
    """Bands begin beside ground that is not limited; where it matters they are swept again, across
    a whole one too.
    """
    heights = fractal(90, 40, 900.0, seed=3)
    # one long slope over all of a band
    heights[20:70] = np.sort(heights[20:70], axis=0)[:: -1 if upwards else 1]
    graph = FlowGraph(heights.shape, (10.0, 10.0))
    flat = graph.padded(heights)
    graph.fill_ring(flat)
    given = graph.network, flat
    whole = flat.copy()
    parts = flat.copy()
    limit_two(*given, whole, 40, (6.0, 6.0), None, upwards, 0, 0, 90)
    ends = [(0, 25), (25, 51), (51, 90)]
    limit_two(*given, parts, 40, (6.0, 6.0), None, upwards, 0, 25, 51)
    limit_two(*given, parts, 40, (6.0, 6.0), None, upwards, 51, 51, 90)
    assert parts.tobytes() != whole.tobytes()

    def behind(first, last):
        return parts.reshape(92, 42)[last + 1 if upwards else first]

    ended = [
        limit_slopes(*given, parts, 40, (6.0, 6.0), None, upwards, *each, behind(*each))
        for each in ends[:: -1 if upwards else 1][1:]
    ]
    assert parts.tobytes() == whole.tobytes() and True in ended


@pytest.mark.parametrize(
    "land", [fractal(32, 32, 100.0), plane(32, 32, 1.0, 1.0)], ids=["hills", "a slope to a corner"]
)
def test_what_rains_on_the_land_leaves_by_its_outlets(land):
    step = stepping(Terrain(land, 10.0))
    step._drain()
    ends = step._trees.places == np.arange(32 * 32)
    assert step._trees.areas[ends].sum() == pytest.approx(320.0**2, rel=1e-12)


@pytest.mark.parametrize("soft", [1.0, 0.5])
def test_a_wall_at_an_open_edge_comes_down_to_the_slope_of_the_land_behind_it(soft):
    """Land that rises by 1 m a row towards two edges; around it a wall 0.8 m higher, of which 0.2 m
    are loose.
    """
    row, col = np.abs(np.mgrid[-5:6, -6:7])
    wall = (row == 5) | (col == 6)
    step = stepping(Terrain(row + 0.8 * wall, 10.0))
    step._loose[:] = 0.2
    step._graph.route(step._heights)
    masks = np.ones((step._heights.size, 3), np.float32)
    masks[:, BREAKS] = soft
    left = lower_border(step._graph.network, step._ground, masks, 13)
    np.testing.assert_allclose(step.elevation(), row + (0.6 - 0.6 * soft) * wall, atol=1e-6)
    assert left == pytest.approx((0.2 + 0.6 * soft) * wall.sum(), rel=1e-6)
    assert step._graph.inside(step._loose) == pytest.approx(0.2 * ~wall)
