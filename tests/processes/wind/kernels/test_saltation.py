# SPDX-License-Identifier: GPL-3.0-or-later
"""Saltation kernel: numbers worked out by hand, plain Python, conservation laws."""

import itertools
import math
import os
from types import SimpleNamespace

import numba
import numpy as np
import pytest

from erosion_addon.base.kernels import ghost_cells as kinds
from erosion_addon.base.kernels import rng
from erosion_addon.processes.shared.kernels import cascade as heap
from erosion_addon.processes.shared.kernels import particle_queues as queues
from erosion_addon.processes.shared.kernels import tiles
from erosion_addon.processes.wind.kernels import saltation as wind
from erosion_addon.processes.wind.kernels.particle import REACH
from erosion_addon.processes.wind.kernels.surface import fields
from tests.processes.droplet.kernels.reference import uniform
from tests.processes.shared.kernels.test_relax import reach_of
from tests.processes.wind.kernels.on_tiles import assert_alike, assert_balanced
from tests.processes.wind.kernels.reference import Land
from tests.terrains import fractal

EDGES = {"open": kinds.OPEN, "closed": kinds.CLOSED, "wrap": kinds.WRAP}
EAST = (0.0, math.sqrt(2))

SOURCE = {
    "time_step": 0.25,
    "lift": 0.25e-4,
    "fall": 0.25e-4,
    "lee_fall": 0.25,
    "abrasion": 0.25e-4,
    "gravity": 0.25 * 0.01,
    "pull": 0.25 * 0.1,
    "air_lift": 0.0,
    "air_drag": 0.0,
    "share": 0.0025,
    "row_step": 0.25,
    "col_step": 0.25,
    "row_slope": 40.0,
    "col_slope": 40.0,
    "row_hold": 0.005,
    "col_hold": 0.005,
    "diagonal_hold": 0.005 * math.sqrt(2),
    "shelter": 0.0,
    "maximum_steps": 2000,
    "edges": kinds.OPEN,
}
"""The article's numbers at dt = 0.25 and a height of 80 cells."""

STRONG = {"lift": 0.02, "fall": 0.02, "abrasion": 0.2, "share": 0.1}
"""Enough to see a few particles at work."""


def constants(**others):
    return wind.Constants(**{**SOURCE, **others})


def at(row, col, shape):
    """Sources that start all particles in the center of one cell."""
    weights = np.zeros(shape)
    weights[row, col] = 1.0
    return np.cumsum(weights)


def by_kernel(
    rock,
    sediment,
    rules,
    blow=EAST,
    count=1,
    sources=None,
    supply=0.0,
    chunks=(),
    first=0,
    side=10**6,
    kernel=wind,
    **over,
):
    """kernel: the module `saltation` or `boundary_layer`."""
    ground = np.ascontiguousarray(np.stack([rock + sediment, sediment], -1), dtype=np.float64)
    track = np.zeros(rock.shape, np.uint8)
    cut = tiles.cut(*rock.shape, side, rules.edges)
    blow = tuple(map(float, blow))
    pool = queues.make_pool(len(wind.make_totals(cut).steps), wind.NUMBERS)
    totals = wind.make_totals(cut)
    for start, end in itertools.pairwise([first, *chunks, count]):
        pool = queues.with_room(pool, end - start)
        kernel.start_particles(pool, cut, sources, np.uint64(1), start, end, blow, supply, rules)
        while pool.under_way[0]:
            for tile in range(len(pool.queue)):
                kernel.run_tiles(
                    np.array([tile]), cut, pool, fields(ground, track, **over), blow, rules, totals
                )
                queues.hand_on(pool, cut, np.array([tile]))
    sums = {name: float(total.sum()) for name, total in totals._asdict().items()}
    return SimpleNamespace(surface=ground[..., 0], sediment=ground[..., 1], track=track, **sums)


def by_reference(rock, sediment, rules, edges, start, blow=EAST, supply=0.0, **over):
    land = Land(rock, sediment, rules, edges, **over)
    land.fly(*start, *blow, load=supply)
    land.surfaces = np.array(
        [[land.surface((row, col)) for col in range(land.cols)] for row in range(land.rows)]
    )
    land.loose = np.array(
        [[land.sediment[row, col] for col in range(land.cols)] for row in range(land.rows)]
    )
    return land


# One particle, by hand


def test_a_particle_on_a_plain_is_slowed_by_friction_and_pulled_by_the_wind():
    """On level ground v × n × n = -v: each step v = 0.75 v, then v += 0.025 (p - v). With u = v /
    p: 1, 0.75625 … The place after k steps is 0.25 p Σ u. Nothing presses on the ground, so nothing
    is lifted.
    """
    shape = (5, 40)
    sand = np.full(shape, 0.1)
    place = 3.5
    share = 1.0
    for steps in range(1, 30):
        share = 0.75 * share + 0.025 * (1 - 0.75 * share)
        place += 0.25 * math.sqrt(2) * share
        rules = constants(maximum_steps=steps)
        got = by_kernel(np.zeros(shape), sand, rules, sources=at(2, 3, shape), supply=1e-3)
        after = by_reference(np.zeros(shape), sand, rules, "open", (2.5, 3.5))
        assert after.path[-1][1] == pytest.approx(place, abs=1e-12)
        # short paths lay down all of it in one step
        assert np.argmax(got.surface[2]) == int(place) or steps >= 4
        assert got.lifted == 0 and np.array_equal(np.flatnonzero(got.track.any(axis=0))[[0]], [3])
        assert int(place) - 1 <= np.flatnonzero(got.track[2]).max() <= int(place)


def test_a_particle_off_a_step_falls_by_gravity_alone():
    """Rock 1 high up to column 4, then 0. As the normal leans at columns 3 to 5 the particle is
    thrown up there; from then on v_y = (v_y - 0.0025) · 0.975 each step, and y += 0.25 v_y, until
    it is down.
    """
    rock = np.zeros((5, 60))
    rock[:, :5] = 1.0
    path = by_reference(rock, 0 * rock, constants(maximum_steps=80), "open", (2.5, 1.5)).path
    off = next(number for number, at_ in enumerate(path) if at_[1] >= 5)
    height = path[off][2]
    rise = path[off][3][1]
    assert height > 1.0 and rise > 0  # thrown up at the edge
    for _, _, y, speed, _ in path[off + 1 :]:
        rise = (rise - 0.0025) * 0.975
        height += 0.25 * rise
        assert (speed[1], y) == pytest.approx((rise, height), abs=1e-12)
    got = by_kernel(rock, 0 * rock, constants(maximum_steps=80), sources=at(2, 1, rock.shape))
    assert not got.track[:, 6:].any() and got.track[2, 1:4].all()


def test_a_particle_into_a_wall_lifts_what_the_force_says():
    """Level sand of 0.1 and a wall of rock, 0.01 higher, from column 4 on; the particle starts in
    the middle of column
    3. There the slope is 40 (0.11 - 0.1) = 0.4, so n = (-0.4, 1) / √1.16, n · v = -0.4 √2 / √1.16,
       and after the first
    step v_y = 0.975 · 0.25 · (-0.4 √2) / 1.16. It goes on along the ground; the blow that takes it
    into column 4 is force = |v| (0.11 - y), and lift · force is gone from column 3.
    """
    rock = np.full((5, 9), 0.0)
    sand = np.full((5, 9), 0.1)
    rock[:, 4:] = 0.11
    sand[:, 4:] = 0.0
    rules = constants(lift=0.1, share=0.0, maximum_steps=40)
    path = by_reference(rock, sand, rules, "open", (2.5, 3.5)).path
    rise = -0.975 * 0.25 * 0.4 * math.sqrt(2) / 1.16
    assert (path[0][3][1], path[0][2]) == pytest.approx((rise, 0.1 + 0.25 * rise), abs=1e-12)
    hit = next(number for number, at_ in enumerate(path) if at_[1] >= 4)
    _, _, y, speed, load = path[hit]
    before = path[hit - 1][4]
    assert load - before == pytest.approx(
        0.1 * math.sqrt(sum(v * v for v in speed)) * (0.11 - y), rel=1e-12
    )
    assert y < 0.11
    got = by_kernel(rock, sand, rules, sources=at(2, 3, rock.shape))
    assert got.lifted == pytest.approx(max(at_[4] for at_ in path), rel=1e-9) and got.lifted >= load


def test_where_half_the_suspension_is_left_half_as_much_is_lifted():
    rock, sediment = land()
    cover = np.zeros((*rock.shape, 3), np.float32)
    cover[..., 1:] = 1.0, 0.5
    slow = constants(lift=0.01, share=0.0, maximum_steps=100)
    halved = by_kernel(
        rock, sediment, slow._replace(lift=0.02), sources=at(4, 4, rock.shape), cover=cover
    )
    plain = by_kernel(rock, sediment, slow, sources=at(4, 4, rock.shape))
    assert plain.lifted > 0 and np.array_equal(halved.surface, plain.surface)


def test_in_a_bare_cell_a_loaded_particle_wears_rock_and_an_empty_one_nothing():
    rock = np.broadcast_to(np.arange(12) * 0.01, (5, 12)).copy()
    rules = constants(abrasion=0.5, share=0.0)
    empty = by_kernel(rock, 0 * rock, rules, sources=at(2, 1, rock.shape))
    loaded = by_kernel(rock, 0 * rock, rules, sources=at(2, 1, rock.shape), supply=0.1)
    assert empty.abraded == 0 and np.array_equal(empty.surface, rock)
    assert loaded.abraded > 0
    assert (loaded.surface - loaded.sediment).sum() == pytest.approx(
        rock.sum() - loaded.abraded, abs=1e-12
    )


def test_a_thin_layer_is_taken_and_not_lost():
    """Less sand than a blow lifts: the source sets it to 0 and loses it, here it is carried."""
    rock = np.broadcast_to(np.arange(12) * 0.01, (5, 12)).copy()
    got = by_kernel(
        rock, np.full(rock.shape, 1e-6), constants(lift=0.5), sources=at(2, 1, rock.shape)
    )
    assert got.lifted >= 3e-6
    assert (got.surface - rock).sum() == pytest.approx(60e-6 - got.exported, abs=1e-15)


def test_a_load_too_small_to_matter_falls_whole_and_at_once():
    """Where a particle is thrown off a step of rock; a larger one falls by shares."""
    rock = np.zeros((5, 60))
    rock[:, :5] = 1.0
    small, large = (
        by_kernel(
            rock,
            0 * rock,
            constants(maximum_steps=300),
            sources=at(2, 1, rock.shape),
            supply=supply,
        )
        for supply in (1e-31, 1e-29)
    )
    assert small.sediment[2, :6].sum() == 1e-31
    assert 0 < large.sediment[2, :6].sum() < 0.1e-29


def test_a_particle_that_stands_still_ends():
    got = by_kernel(
        np.zeros((5, 9)), np.zeros((5, 9)), constants(), blow=(0.0, 0.05), sources=at(2, 1, (5, 9))
    )
    # u falls to 0.025 / 0.2685 of 0.05, which is below 0.01, within 16 steps and before the age
    # limit.
    assert 4 < got.steps < 16 and got.aged == 0


# Heaps


def column(height, shape=(21, 21)):
    sand = np.zeros(shape)
    sand[shape[0] // 2, shape[1] // 2] = height
    return sand


@pytest.mark.slow
def test_a_column_slides_to_a_heap_that_keeps_the_roughness():
    """Everywhere on it neighbors differ by no more than they hold, by the distance of each, and
    none is lost.
    """
    sand = column(1.0)
    hold = 0.05
    ground = np.stack([sand, sand], -1)
    for _ in range(300):
        for row, col in np.ndindex(sand.shape):
            heap.cascade(ground, row, col, 1.0, None, hold, hold, hold * math.sqrt(2), False)
    surface = ground[..., 0]
    assert surface.sum() == pytest.approx(1.0, abs=1e-12) and 0.05 < surface.max() < 0.6
    assert np.abs(np.diff(surface, axis=0)).max() <= hold + 1e-6
    assert np.abs(surface[1:, 1:] - surface[:-1, :-1]).max() <= hold * math.sqrt(2) + 1e-6
    # across, more stands than along
    assert np.abs(surface[1:, 1:] - surface[:-1, :-1]).max() > hold


@numba.njit
def visit(ground, count, slides, holds):
    """Let heaps around random cells slide, as particles do."""
    start = rng.stream(np.uint64(1), 0)
    for number in range(count):
        row = int(rng.uniform(start, 2 * number) * ground.shape[0])
        col = int(rng.uniform(start, 2 * number + 1) * ground.shape[1])
        if slides:
            heap.avalanche(ground, row, col, 0.5, None, holds[0], holds[1], False)
        else:
            heap.cascade(ground, row, col, 0.5, None, holds[0], holds[1], holds[2], False)


@pytest.mark.slow
@pytest.mark.parametrize("stretch", [(1, 1), (1, 2), (2, 1)])
def test_down_the_true_slope_a_column_slides_to_a_round_cone(stretch):
    """Measured, with radii at 0 to 90°: round within 1.3 %. Between pairs of cells it is 3.6 %, at
    2 : 1 8.8 %.
    """
    hold = 0.5
    radius = 24.0
    rows = 81 // stretch[0] | 1
    cols = 81 // stretch[1] | 1
    row, col = np.mgrid[:rows, :cols] - np.reshape([rows // 2, cols // 2], (2, 1, 1))
    sand = np.where(np.hypot(row * stretch[0], col * stretch[1]) <= 12.0, 1.0, 0.0)
    sand *= math.pi * radius**3 * hold / 3 / (stretch[0] * stretch[1]) / sand.sum()
    holds = (hold * stretch[0], hold * stretch[1], hold * math.hypot(*stretch))
    found = {}
    for downhill in (True, False):
        ground = np.stack([sand, sand], -1)
        visit(ground, 1500 * sand.size, downhill, holds)
        assert ground[..., 0].sum() == pytest.approx(sand.sum(), rel=1e-12) and ground.min() >= 0.0
        reaches = [
            reach_of(ground[..., 0], 0.25 * radius * hold, way, stretch)
            for way in (0.0, 22.5, 45.0, 67.5, 90.0)
        ]
        found[downhill] = np.array(reaches) / (0.75 * radius)
    print(np.round(found[True], 3), np.round(found[False], 3))
    assert np.ptp(found[True]) / 2 < 0.02 < 0.03 < np.ptp(found[False]) / 2
    assert found[True].mean() == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("downhill", [False, True])
def test_sand_slides_alike_on_rock_of_any_height(downhill):
    low, high = (np.stack([column(8.0) + rock, column(8.0)], -1) for rock in (0.0, 64.0))
    for ground in (low, high):
        visit(ground, 20 * 441, downhill, (0.5, 0.4, 0.64))
    assert np.allclose(high[..., 0] - 64.0, low[..., 0], rtol=0, atol=1e-9) and low.max() < 4.0
    assert np.allclose(high[..., 1], low[..., 1], rtol=0, atol=1e-9)


@pytest.mark.parametrize(("to", "hold"), [((0, 1), 0.2), ((1, 0), 0.3), ((1, 1), 0.5)])
def test_a_pair_below_the_threshold_stands_and_above_it_moves_half_the_excess(to, hold):
    for difference, moved in ((hold - 1e-9, 0.0), (hold + 0.1, 0.05)):
        ground = np.full((5, 5, 2), 5.0)
        ground[2, 2, 0] += difference
        got = heap.slide(ground, 2, 2, 2 + to[0], 2 + to[1], hold, 1.0, None)
        assert got == pytest.approx(moved, abs=1e-12)
        assert ground[2, 2, 0] == pytest.approx(5 + difference - moved)
        assert ground[2 + to[0], 2 + to[1], 0] == pytest.approx(5 + moved)


@pytest.mark.slow
@pytest.mark.parametrize("turned", [False, True])
def test_sand_slides_no_higher_than_a_level_that_holds_and_leaves_none_below_its_lowest(turned):
    """From 9 m onto 5 m half the excess of 4 m would slide; 5.5 m are the most here, or 8.8 m the
    least there.
    """
    high, low = ((2, 3), (2, 2)) if turned else ((2, 2), (2, 3))
    for level, moved in (((0.0, 5.5), 0.5), ((8.8, 100.0), 0.2), ((9.5, 100.0), 0.0)):
        ground = np.full((5, 5, 2), 5.0)
        masks = np.ones((5, 5, 6), np.float32)
        ground[high] = 9.0
        masks[..., 4:] = level
        got = heap.slide(ground, 2, 2, 2, 3, 0.0, 1.0, masks)
        assert got == pytest.approx(moved, abs=1e-6)
        assert ground[high][0] == pytest.approx(9.0 - moved, abs=1e-6)
        assert ground[low][0] == pytest.approx(5.0 + moved, abs=1e-6)


def test_rock_never_slides():
    ground = np.zeros((5, 5, 2))
    ground[2, 2, 0] = 1.0
    assert heap.cascade(ground, 2, 2, 1.0, None, 0.1, 0.1, 0.14, False) == 0


@pytest.mark.parametrize("cell", [(0, 0), (0, 2), (4, 4), (2, 0), (2, 4)])
def test_over_an_edge_sand_slides_only_where_edges_wrap(cell):
    """The cell that slides is tested, which the source does with the particle's."""
    for wrap in (False, True):
        ground = np.zeros((5, 5, 2))
        ground[cell] = 1.0
        heap.cascade(ground, *cell, 0.1, None, 0.0, 0.0, 0.0, wrap)
        reached = np.count_nonzero(ground[..., 0]) - 1
        inside = (
            sum(
                0 <= cell[0] + r < 5 and 0 <= cell[1] + c < 5
                for r in (-1, 0, 1)
                for c in (-1, 0, 1)
            )
            - 1
        )
        assert reached == (8 if wrap else inside)


@pytest.mark.parametrize("cell", [(0, 0), (0, 2), (4, 4), (2, 0), (2, 4), (2, 2)])
def test_over_an_edge_sand_slides_down_the_true_slope_only_where_edges_wrap(cell):
    neighbors = [
        (cell[0] + down, cell[1] + right) for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1))
    ]
    for wrap in (False, True):
        ground = np.zeros((5, 5, 2))
        ground[cell] = 1.0
        heap.avalanche(ground, *cell, 0.1, None, 0.1, 0.1, wrap)
        reached = {
            (row % 5, col % 5) for row, col in neighbors if wrap or (0 <= row < 5 and 0 <= col < 5)
        }
        assert {tuple(map(int, place)) for place in np.argwhere(ground[..., 0])} == reached | {cell}
        assert ground[..., 0].sum() == pytest.approx(1.0, rel=1e-12)


def test_creep_evens_out_only_where_the_wind_touched():
    ground = np.stack([fractal(9, 9, 1.0)] * 2, -1)
    before = ground.copy()
    track = np.zeros((9, 9), np.uint8)
    slid = np.zeros(1)
    track[4, 4] = 1
    heap.creep(
        np.array([0]), tiles.cut(9, 9, 64, kinds.OPEN), ground, track, 0.25, None, False, slid
    )
    assert slid[0] > 0
    changed = np.argwhere(ground[..., 0] != before[..., 0]).tolist()
    assert changed == [[4, 4], [4, 5], [5, 4]]
    assert ground[..., 0].sum() == pytest.approx(before[..., 0].sum(), abs=1e-12)


# Many particles against plain Python


def start_of(particle, edges, shape, sources):
    chance = uniform(1, particle, 0)
    along = uniform(1, particle, 1)
    if sources is not None:
        cell = int(np.searchsorted(sources, chance, side="right"))
        return cell // shape[1] + 0.5, cell % shape[1] + 0.5
    assert edges == "wrap"
    return chance * shape[0], along * shape[1]


def assert_same(rock, sediment, rules, edges, blow=EAST, count=40, tolerance=1e-9, **over):
    """Compare particle by particle, each from the kernel's ground; returns the sums of the kernel's
    totals.
    """
    everywhere = np.cumsum(np.full(rock.shape, 1 / rock.size))
    sources = None if edges == "wrap" else everywhere
    sums = dict.fromkeys(("lifted", "slid", "abraded", "exported"), 0.0)
    for particle in range(count):
        got = by_kernel(
            rock, sediment, rules, blow, particle + 1, sources, 1e-3, first=particle, **over
        )
        start = start_of(particle, edges, rock.shape, sources)
        expected = by_reference(rock, sediment, rules, edges, start, blow, 1e-3, **over)
        assert np.abs(got.surface - expected.surfaces).max() <= tolerance, particle
        assert np.abs(got.sediment - expected.loose).max() <= tolerance, particle
        assert {tuple(map(int, cell)) for cell in np.argwhere(got.track)} == expected.track, (
            particle
        )
        for name in sums:
            assert getattr(got, name) == pytest.approx(
                getattr(expected, name), rel=1e-6, abs=tolerance
            ), name
            sums[name] += getattr(got, name)
        rock = got.surface - got.sediment
        sediment = got.sediment
    return SimpleNamespace(**sums)


def land(rows=9, cols=11, relief=0.3, seed=1):
    """Rolling sand with bare rock in places."""
    sediment = np.maximum(fractal(rows, cols, relief, seed) - 0.4 * relief, 0.0)
    return fractal(rows, cols, relief / 3, seed + 1), sediment


@pytest.mark.slow
@pytest.mark.parametrize("edges", EDGES)
@pytest.mark.parametrize("blow", [EAST, (1.0, -1.0), (-1.3, 0.2)])
def test_many_particles_do_what_plain_python_does(edges, blow):
    rules = constants(**STRONG, edges=EDGES[edges], maximum_steps=120)
    sums = assert_same(*land(), rules, edges, blow)
    assert sums.lifted > 0 and sums.slid > 0 and (sums.abraded > 0 or blow != EAST)


@pytest.mark.parametrize("edges", EDGES)
def test_cells_that_are_not_square_do_what_plain_python_does(edges):
    rules = constants(
        **STRONG,
        edges=EDGES[edges],
        maximum_steps=60,
        row_step=0.5,
        col_step=0.125,
        row_slope=80.0,
        col_slope=20.0,
        row_hold=0.0025,
        col_hold=0.01,
        diagonal_hold=0.0103,
    )
    assert assert_same(*land(), rules, edges, (0.7, 1.2)).lifted > 0


@pytest.mark.parametrize("drag", [0.01, 2.0])
@pytest.mark.parametrize("edges", EDGES)
def test_masks_covers_shadows_lift_and_drag_do_what_plain_python_does(edges, drag):
    """Also a drag that lets a particle stand still within a step."""
    rng = np.random.default_rng(5)
    over = {
        "masks": np.take(rng.integers(0, 5, (9, 11, 3)) / 4, [0, 2, 1, 1], axis=2).astype(
            np.float32
        ),
        "cover": (rng.integers(0, 5, (9, 11, 2)) / 4 * (0.01, 1.0)).astype(np.float32),
        "shade": rng.uniform(-0.1, 0.4, (9, 11)),
    }
    rules = constants(
        **STRONG, edges=EDGES[edges], maximum_steps=100, shelter=0.75, air_lift=0.001, air_drag=drag
    )
    sums = assert_same(*land(), rules, edges, (0.5, 1.3), **over)
    assert sums.lifted > 0 and sums.abraded > 0


@pytest.mark.parametrize("shape", [(3, 3), (3, 9), (9, 3)])
@pytest.mark.parametrize("edges", EDGES)
def test_the_smallest_grids_are_right_too(shape, edges):
    rules = constants(**STRONG, edges=EDGES[edges], maximum_steps=40)
    assert_same(*land(*shape), rules, edges, (1.0, 1.0), count=20)


# Laws


@pytest.mark.parametrize("case", range(40))
def test_no_parameters_break_the_balance_of_mass_or_the_bounds(case):
    """Any numbers that the parameters' ranges can lead to: finite, never less than no sand, and
    nothing lost.
    """
    seed = int(os.environ.get("TEST_SEED") or 1)
    print(f"TEST_SEED={seed}, case {case}")
    rng = np.random.default_rng(seed + case)
    edges = list(EDGES)[case % 3]
    rows, cols = (int(side) for side in rng.integers(3, 30, 2))
    relief = 10 ** rng.uniform(-4, 1)
    rock, sediment = land(rows, cols, relief, int(rng.integers(100)))
    dt = rng.uniform(0.001, 0.5)
    rules = constants(
        time_step=dt,
        lift=10 ** rng.uniform(-6, 3),
        fall=rng.uniform(0, 1) ** 3,
        lee_fall=rng.uniform(0, 1),
        abrasion=10 ** rng.uniform(-6, 3),
        gravity=dt * rng.uniform(0, 1),
        pull=dt * rng.uniform(0, 2),
        air_lift=dt * rng.uniform(0, 1),
        air_drag=dt * rng.uniform(0, 2),
        share=rng.uniform(0, 0.5),
        row_step=rng.uniform(0.01, 2),
        col_step=rng.uniform(0.01, 2),
        row_slope=10 ** rng.uniform(-1, 4),
        col_slope=10 ** rng.uniform(-1, 4),
        row_hold=10 ** rng.uniform(-5, 0),
        col_hold=10 ** rng.uniform(-5, 0),
        diagonal_hold=10 ** rng.uniform(-5, 0),
        shelter=rng.uniform(0, 1),
        maximum_steps=int(rng.integers(1, 300)),
        edges=EDGES[edges],
    )
    blow = rng.uniform(-3, 3, 2)
    over = {"shade": rock + sediment + rng.normal(0, relief, rock.shape)} if case % 2 else {}
    after = by_kernel(rock, sediment, rules, blow, 400, **over)
    assert np.isfinite(after.surface).all() and after.sediment.min() >= 0
    change = math.fsum((after.surface - rock - sediment).ravel())
    moved = after.lifted + after.slid
    assert abs(change + after.exported) <= 1e-9 * moved + 1e-16 * relief * after.steps
    assert after.exported == 0 or edges == "open"
    assert np.all(after.surface - after.sediment <= rock + 1e-12 * relief)  # rock never grows


def test_particles_in_one_chunk_or_many_give_the_same_bytes():
    rock, sediment = land(20, 20)
    rules = constants(**STRONG, edges=kinds.WRAP, maximum_steps=200)
    whole = by_kernel(rock, sediment, rules, count=300)
    for chunks in ([1, 2, 3], [7, 100, 299]):
        parts = by_kernel(rock, sediment, rules, count=300, chunks=chunks)
        assert (
            parts.surface.tobytes() == whole.surface.tobytes()
            and parts.track.tobytes() == whole.track.tobytes()
        )
        assert (parts.lifted, parts.slid, parts.steps) == (whole.lifted, whole.slid, whole.steps)


def test_a_turned_terrain_in_a_turned_wind_is_eroded_turned():
    """Without slides, which go through the neighbors one after another."""
    rock, sediment = land(11, 11)
    rules = constants(**{**STRONG, "share": 0.0})
    straight = by_kernel(rock, sediment, rules, (0.4, 1.2), sources=at(5, 1, rock.shape))
    turned = by_kernel(
        *(np.ascontiguousarray(np.rot90(field, 2)) for field in (rock, sediment)),
        rules,
        (-0.4, -1.2),
        sources=at(5, 9, rock.shape),
    )
    assert straight.lifted > 0 and turned.lifted == pytest.approx(straight.lifted, rel=1e-9)
    assert np.allclose(np.rot90(turned.surface, 2), straight.surface, rtol=0, atol=1e-12)


@pytest.mark.parametrize("way", [(0, -6), (0, 6), (-5, 0), (5, 0), (-5, -6), (5, 6)])
def test_where_edges_wrap_it_makes_no_difference_where_they_lie(way):
    """A blow beside a dent: more stands over it than across, and less than along."""
    sand = np.full((11, 13), 0.1)
    rules = constants(lift=0.05, share=0.1, edges=kinds.WRAP, maximum_steps=1)
    sand[5, 5] -= 0.02
    rules = rules._replace(row_hold=0.015, col_hold=0.015, diagonal_hold=0.025)
    middle = by_kernel(0 * sand, sand, rules, sources=at(5, 6, sand.shape))
    moved = by_kernel(
        0 * sand, np.roll(sand, way, (0, 1)), rules, sources=at(5 + way[0], 6 + way[1], sand.shape)
    )
    assert middle.lifted > 0 and middle.slid > 0
    assert np.array_equal(np.roll(moved.surface, (-way[0], -way[1]), (0, 1)), middle.surface)


@pytest.mark.parametrize("place", [-1e-17, -0.5, 0.0, 8.999, 9.0, 30.25])
def test_a_place_beyond_a_wrapped_edge_comes_in_on_the_grid(place):
    """Also one so little beyond that the remainder is rounded to the other edge."""
    inside = wind.come_in(place, 9)
    assert 0.0 <= inside < 9.0 and (place - inside) / 9 == pytest.approx(
        round((place - inside) / 9), abs=1e-12
    )


@pytest.mark.parametrize(
    ("blow", "edge"),
    [
        ((0.0, 1.0), np.s_[:, 0]),
        ((0.0, -1.0), np.s_[:, -1]),
        ((1.0, 0.0), np.s_[0]),
        ((-1.0, 0.0), np.s_[-1]),
    ],
)
def test_particles_start_on_the_windward_edge(blow, edge):
    track = by_kernel(
        np.zeros((12, 15)), np.zeros((12, 15)), constants(maximum_steps=1), blow, 400
    ).track
    assert track[edge].all() and track.sum() == track[edge].sum()


def test_slanting_winds_start_on_both_edges_by_their_projected_length():
    """Towards (row, col) = (1, 3) on 20 rows, 40 columns: 20 · 3 of 20 · 3 + 40 · 1 = 0.6 on the
    left edge.
    """
    left = 0
    for particle in range(4000):
        chance = uniform(1, particle, 0)
        left += chance < 0.6
    rock = np.zeros((20, 40))
    track = np.zeros(rock.shape)
    for particle in range(1000):
        start = by_kernel(
            rock, rock, constants(maximum_steps=1), (1.0, 3.0), particle + 1, first=particle
        ).track
        track += start
    assert track[:, 1:].sum() - track[0, 1:].sum() == 0  # nowhere but on the two
    assert (
        abs(track[1:, 0].sum() / 1000 - 0.6 * 19 / 20) < 0.08
        and abs(track[0, 1:].sum() / 1000 - 0.4) < 0.08
    )
    assert abs(left / 4000 - 0.6) < 0.04


# Tiles


def on_one_tile(ground, tile, rules, blow=(0.9, 1.1), count=200, kernel=wind):
    """Ground and track (two arrays) after all particles that start on one of nine tiles of 64 cells
    have left it.
    """
    ground, track, shape = ground.copy(), np.zeros(ground.shape[:2], np.uint8), ground.shape[:2]
    cut = tiles.cut(*shape, 64, rules.edges)
    here = np.array([tile])
    inside = np.zeros(shape)
    row, col = divmod(tile, 3)
    inside[
        cut.row_edges[row] : cut.row_edges[row + 1], cut.col_edges[col] : cut.col_edges[col + 1]
    ] = 1.0
    pool = queues.with_room(queues.make_pool(9, wind.NUMBERS), count)
    sources = np.cumsum(inside) / inside.sum()
    kernel.start_particles(pool, cut, sources, np.uint64(1), 0, count, blow, 1e-3, rules)
    kernel.run_tiles(here, cut, pool, fields(ground, track), blow, rules, wind.make_totals(cut))
    return ground, track


@pytest.mark.parametrize("speed", [1.0, 30.0])
@pytest.mark.parametrize("tile", [0, 4, 5])
def test_what_is_on_a_tile_touches_and_reads_nothing_beyond_its_reach(tile, speed):
    """Beyond it all heights are none: whatever came near one would be none too. 30 goes past the
    reach in a step.
    """
    rules = constants(
        **STRONG, edges=kinds.WRAP, maximum_steps=3000, row_step=0.25 * speed, col_step=0.25 * speed
    )
    rock, sediment = land(192, 192, 2.0)
    whole = np.stack([rock + sediment, sediment], -1)
    near = np.zeros(rock.shape, bool)
    row, col = (64 * place for place in divmod(tile, 3))
    reach = REACH + 1
    near[np.ix_(*(np.arange(place - reach, place + 64 + reach) % 192 for place in (row, col)))] = (
        True
    )
    cut_off = np.where(near[..., None], whole, np.nan)
    (expected, marks), (ground, track) = (
        on_one_tile(given, tile, rules) for given in (whole, cut_off)
    )
    assert np.array_equal(ground[near], expected[near]) and np.array_equal(track, marks)
    assert np.array_equal(expected[~near], whole[~near]) and np.isnan(ground[~near]).all()
    assert np.count_nonzero(ground[near] != whole[near]) > 1000
    own = np.zeros(rock.shape, bool)
    own[row : row + 64, col : col + 64] = True
    assert not track[~own].any() and (expected != whole).any(axis=-1)[~own].any()


@pytest.mark.parametrize("edges", EDGES)
def test_on_tiles_one_particle_goes_the_way_it_goes_without(edges):
    """Alone it meets nobody: every bit is the same, also where it ends or stops just over a
    border.
    """
    rock, sediment = land(130, 200, 2.0)
    for particle in range(12):
        for steps in (37, 400 + 7 * particle):
            rules = constants(**STRONG, edges=EDGES[edges], maximum_steps=steps)
            whole, cut = (
                by_kernel(
                    rock,
                    sediment,
                    rules,
                    (0.8, -1.2),
                    particle + 1,
                    first=particle,
                    supply=1e-3,
                    side=side,
                )
                for side in (10**6, 64)
            )
            assert_alike(cut, whole)


@pytest.mark.parametrize("edges", EDGES)
def test_no_mass_is_lost_between_tiles_however_far_a_step_goes(edges):
    rock, sediment = land(150, 200, 2.0)
    rules = constants(**STRONG, edges=EDGES[edges], maximum_steps=200, row_step=9.0, col_step=14.0)
    after = by_kernel(rock, sediment, rules, (1.3, -2.1), 500, supply=1e-3, side=64)
    assert_balanced(after, rock, sediment)
    assert np.isfinite(after.surface).all() and after.sediment.min() >= 0
    assert after.supplied == pytest.approx(0.5) and after.lifted > 0
