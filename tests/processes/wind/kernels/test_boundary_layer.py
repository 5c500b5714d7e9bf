# SPDX-License-Identifier: GPL-3.0-or-later
"""Boundary layer kernel: numbers worked out by hand, plain Python, conservation laws."""

import math
import os
from types import SimpleNamespace

import numpy as np
import pytest

from erosion_addon.processes.shared.kernels.tiles import REACH
from erosion_addon.processes.wind.kernels import boundary_layer as wind_layer
from tests.processes.droplet.kernels.reference import uniform
from tests.processes.wind.kernels import test_saltation as test_wind
from tests.processes.wind.kernels.on_tiles import assert_alike, assert_balanced
from tests.processes.wind.kernels.reference_boundary_layer import Layer
from tests.processes.wind.kernels.test_saltation import EDGES, at, land
from tests.terrains import fractal

EAST = (0.0, 1.0)

SOURCE = {
    "layer": 2.0,
    "full": 0.3,
    "press": 50.0,
    "exchange": 0.05,
    "lee_exchange": 0.5,
    "abrasion": 0.01,
    "weight": 0.1,
    "drag": 0.3,
    "pull": 0.05,
    "follow": 0.9,
    "turbulence": 0.1,
    "share": 0.5,
    "time_step": 1.0,
    "row_step": 1.0,
    "col_step": 1.0,
    "row_slope": 0.5,
    "col_slope": 0.5,
    "row_hold": 0.4,
    "col_hold": 0.4,
    "diagonal_hold": 0.4 * math.sqrt(2),
    "shelter": 1.0,
    "yielding": 1.0,
    "maximum_way": 100.0,
    "maximum_steps": 6400,
    "edges": EDGES["wrap"],
}
"""The source's numbers, on cells of its size."""


def constants(**others):
    return wind_layer.Constants(**{**SOURCE, **others})


def by_kernel(rock, sediment, rules, blow=EAST, *given, **over):
    return test_wind.by_kernel(rock, sediment, rules, blow, *given, kernel=wind_layer, **over)


# One particle, by hand


def test_over_a_plain_a_particle_takes_on_the_wind_and_its_load_the_air_s():
    """On level ground nothing turns it: v += 0.05 (1 - v), then v += 0.9 (v' - v) with v' = 1 +
    near · 1 · (v - 1) = v, so it keeps v; v *= 1 - 0.3 load / full; and load += 0.05 (full v -
    load). Each cell gives what the load gains. The load is so small that the ground stays level,
    and weighs nothing.
    """
    shape = (5, 60)
    speed = 0.0
    load = 0.0
    place = 3.5
    full = 1e-7
    sand = np.full(shape, 5.0)
    left = sand[2].copy()
    steps = 30
    for _ in range(steps):
        speed += 0.05 * (1 - speed)
        speed *= 1 - 0.3 * load / full
        gain = 0.05 * (full * speed - load)
        left[int(place)] -= gain
        load = load + gain
        place = place + speed
    rules = constants(maximum_way=1000.0, full=full, weight=0.0, edges=EDGES["open"])
    reference = Layer(np.zeros(shape), sand, rules, "open")
    reference.drift(0, 2.5, 3.5, *EAST)
    z, x, height, velocity, carried = reference.path[steps - 1]
    assert (z, x, height) == pytest.approx((2.5, place, 5.0), abs=1e-4)
    assert (velocity[0], carried) == pytest.approx((speed, load), rel=1e-4)
    got = by_kernel(np.zeros(shape), sand, rules, sources=at(2, 3, shape))
    passed = np.s_[2, 3 : int(place)]
    assert (5 - got.surface[passed]) == pytest.approx(5 - left[passed[1]], rel=1e-3)


def test_a_particle_ends_after_its_way_however_slow_its_load_makes_it():
    """Twice the capacity is twice the load and the same speed; the same load in air that drags more
    is slower, takes more steps, and gets as far.
    """
    sand = np.full((5, 400), 5.0)
    ends = []
    steps = []
    for drag in (0.0, 0.6):
        rules = constants(maximum_way=60.0, drag=drag, edges=EDGES["open"], weight=0.0)
        got = by_kernel(0 * sand, sand, rules, sources=at(2, 3, sand.shape))
        ends.append(np.flatnonzero(got.track[2]).max())
        steps.append(got.steps)
        assert got.aged == 1
    assert abs(ends[0] - ends[1]) <= 2 and abs(ends[0] - 63) <= 2 and steps[1] > 1.3 * steps[0]


def test_a_particle_that_cannot_move_ends_too_and_lays_down_its_load():
    sand = np.full((5, 9), 5.0)
    rules = constants(drag=1.0, full=1e-6, maximum_way=20.0, maximum_steps=300, weight=0.0)
    got = by_kernel(0 * sand, sand, rules, sources=at(2, 3, sand.shape), supply=1.0)
    assert got.steps == 300 and got.aged == 1
    assert (got.surface - sand).sum() == pytest.approx(1.0, abs=1e-12)


def test_in_the_shadow_of_a_slope_the_wind_slackens_and_sand_falls():
    """Over a crest: the load grows up the windward slope and falls on the other side."""
    sand = np.broadcast_to(5 + 3 * np.sin(np.arange(60) * np.pi / 30 - np.pi / 2), (5, 60)).copy()
    got = by_kernel(np.zeros_like(sand), sand, constants(share=0.0, turbulence=0.0), count=500)
    change = (got.surface - sand).mean(axis=0)
    assert change[5:25].mean() < 0 < change[35:55].mean()


def test_on_bare_rock_a_loaded_particle_wears_it_and_an_empty_one_does_not():
    rock = np.broadcast_to(np.arange(30) * 0.3, (5, 30)).copy()
    rules = constants(edges=EDGES["open"], abrasion=0.5)
    empty = by_kernel(rock, 0 * rock, rules, sources=at(2, 1, rock.shape))
    loaded = by_kernel(rock, 0 * rock, rules, sources=at(2, 1, rock.shape), supply=0.1)
    assert empty.abraded == 0 and np.array_equal(empty.surface, rock)
    assert loaded.abraded > 0
    assert (loaded.surface - loaded.sediment).sum() == pytest.approx(
        rock.sum() - loaded.abraded, abs=1e-12
    )


def test_a_shaded_cell_keeps_its_sand_and_takes_that_of_the_air():
    flat = np.full((5, 40), 5.0)
    shade = np.full(flat.shape, -math.inf)
    shade[:, 20:25] = 6.0
    rules = constants(edges=EDGES["open"], full=1e-4, weight=0.0)
    change = (
        by_kernel(
            0 * flat, flat, rules, count=20, sources=at(2, 1, flat.shape), shade=shade
        ).surface
        - flat
    )
    assert change[2, 3:20].mean() < 0 and change[2, 20:23].min() > 5 * change[2, 3:20].max()
    assert change[2, 20] > change[2, 22]  # half of the load falls on each feature size


# Many particles against plain Python


def start_of(particle, shape, sources):
    chance = uniform(1, particle, 0)
    along = uniform(1, particle, 1)
    if sources is None:
        return chance * shape[0], along * shape[1]
    cell = int(np.searchsorted(sources, chance, side="right"))
    return cell // shape[1] + 0.5, cell % shape[1] + 0.5


def assert_same(rock, sediment, rules, edges, blow=EAST, count=30, sources=None, **over):
    """Compare particle by particle, each from the kernel's ground; returns the sums of the kernel's
    totals.
    """
    sums = dict.fromkeys(("lifted", "slid", "abraded", "exported"), 0.0)
    for particle in range(count):
        got = by_kernel(
            rock, sediment, rules, blow, particle + 1, sources, 0.01, first=particle, **over
        )
        expected = Layer(rock, sediment, rules, edges, **over)
        expected.drift(particle, *start_of(particle, rock.shape, sources), *blow, load=0.01)
        for (row, col), loose in expected.sediment.items():
            assert got.surface[row, col] == pytest.approx(expected.surface((row, col)), abs=1e-9), (
                particle
            )
            assert got.sediment[row, col] == pytest.approx(loose, abs=1e-9), particle
        assert {tuple(map(int, cell)) for cell in np.argwhere(got.track)} == expected.track, (
            particle
        )
        for name in sums:
            assert getattr(got, name) == pytest.approx(
                getattr(expected, name), rel=1e-6, abs=1e-9
            ), name
            sums[name] += getattr(got, name)
        rock = got.surface - got.sediment
        sediment = got.sediment
    return SimpleNamespace(**sums)


@pytest.mark.slow
@pytest.mark.parametrize("edges", EDGES)
@pytest.mark.parametrize("blow", [EAST, (0.6, -0.8), (-1.0, 0.0)])
def test_many_particles_do_what_plain_python_does(edges, blow):
    rules = constants(edges=EDGES[edges], maximum_way=30.0, maximum_steps=90)
    sums = assert_same(*land(relief=4.0), rules, edges, blow)
    assert sums.lifted > 0 and sums.slid > 0 and sums.abraded > 0


@pytest.mark.slow
@pytest.mark.parametrize("edges", EDGES)
def test_masks_covers_shadows_and_oblong_cells_do_what_plain_python_does(edges):
    rng = np.random.default_rng(5)
    over = {
        "masks": np.take(rng.integers(0, 5, (9, 11, 3)) / 4, [0, 2, 1, 1], axis=2).astype(
            np.float32
        ),
        "cover": (rng.integers(0, 5, (9, 11, 2)) / 4 * (0.01, 1.0)).astype(np.float32),
        "shade": rng.uniform(-1, 4, (9, 11)),
    }
    rules = constants(
        edges=EDGES[edges],
        maximum_way=30.0,
        maximum_steps=90,
        yielding=0.7,
        shelter=0.75,
        row_step=2.0,
        col_step=0.5,
        row_slope=1.0,
        col_slope=0.25,
        row_hold=0.2,
        col_hold=0.8,
        diagonal_hold=0.825,
    )
    sources = np.cumsum(np.full((9, 11), 1 / 99))
    sums = assert_same(*land(relief=4.0), rules, edges, (0.6, 0.8), sources=sources, **over)
    assert sums.lifted > 0


@pytest.mark.parametrize("edges", EDGES)
def test_the_smallest_grids_are_right_too(edges):
    assert_same(
        *land(3, 3, relief=2.0), constants(edges=EDGES[edges], maximum_steps=20), edges, (0.8, 0.6)
    )


# Laws


@pytest.mark.parametrize("case", range(30))
def test_no_parameters_break_the_balance_of_mass_or_the_bounds(case):
    """Any numbers that the parameters' ranges can lead to: finite, never less than no sand, and
    nothing lost.
    """
    seed = int(os.environ.get("TEST_SEED") or 1)
    print(f"TEST_SEED={seed}, case {case}")
    rng = np.random.default_rng(seed + case)
    edges = list(EDGES)[case % 3]
    rows, cols = (int(side) for side in rng.integers(3, 30, 2))
    relief = 10 ** rng.uniform(-3, 3)
    rock, sediment = land(rows, cols, relief, int(rng.integers(100)))
    rules = constants(
        layer=10 ** rng.uniform(-2, 2),
        full=10 ** rng.uniform(-4, 1),
        press=rng.uniform(0, 1000),
        exchange=rng.uniform(0, 1),
        lee_exchange=rng.uniform(0, 1),
        abrasion=rng.uniform(0, 1),
        weight=rng.uniform(0, 10),
        drag=rng.uniform(0, 1),
        pull=rng.uniform(0, 1),
        follow=rng.uniform(0, 1),
        turbulence=rng.uniform(0, 1),
        share=rng.uniform(0, 0.5),
        row_step=rng.uniform(0.01, 2),
        col_step=rng.uniform(0.01, 2),
        row_slope=10 ** rng.uniform(-2, 2),
        col_slope=10 ** rng.uniform(-2, 2),
        row_hold=10 ** rng.uniform(-3, 1),
        col_hold=10 ** rng.uniform(-3, 1),
        diagonal_hold=10 ** rng.uniform(-3, 1),
        shelter=rng.uniform(0, 1),
        maximum_way=rng.uniform(1, 200),
        yielding=rng.uniform(0.01, 1.1),
        maximum_steps=int(rng.integers(1, 200)),
        edges=EDGES[edges],
    )
    turn = rng.uniform(0, 2 * math.pi)
    over = {"shade": rock + sediment + rng.normal(0, relief, rock.shape)} if case % 2 else {}
    after = by_kernel(rock, sediment, rules, (math.sin(turn), math.cos(turn)), 300, **over)
    assert np.isfinite(after.surface).all() and after.sediment.min() >= 0
    change = math.fsum((after.surface - rock - sediment).ravel())
    moved = after.lifted + after.slid
    assert abs(change + after.exported) <= 1e-9 * moved + 1e-15 * relief * after.steps
    assert after.exported == 0 or edges == "open"
    assert np.all(after.surface - after.sediment <= rock + 1e-12 * relief)  # rock never grows


def test_particles_in_one_chunk_or_many_give_the_same_bytes():
    rock, sediment = land(20, 20, relief=4.0)
    whole = by_kernel(rock, sediment, constants(), count=200)
    for chunks in ([1, 2, 3], [7, 100, 199]):
        parts = by_kernel(rock, sediment, constants(), count=200, chunks=chunks)
        assert (
            parts.surface.tobytes() == whole.surface.tobytes()
            and parts.track.tobytes() == whole.track.tobytes()
        )
        assert (parts.lifted, parts.slid, parts.steps) == (whole.lifted, whole.slid, whole.steps)


def test_a_turned_terrain_in_a_turned_wind_is_eroded_turned():
    """Slides too, as they go to the lowest first; without swirls, whose numbers have a
    direction.
    """
    rock, sediment = land(11, 11, relief=4.0)
    rules = constants(turbulence=0.0, edges=EDGES["open"])
    straight = by_kernel(rock, sediment, rules, (0.6, 0.8), sources=at(5, 1, rock.shape), count=5)
    turned = by_kernel(
        *(np.ascontiguousarray(np.rot90(field)) for field in (rock, sediment)),
        rules,
        (-0.8, 0.6),
        sources=at(9, 5, rock.shape),
        count=5,
    )
    assert straight.lifted > 0 and straight.slid > 0
    assert np.allclose(np.rot90(straight.surface), turned.surface, rtol=0, atol=1e-12)


@pytest.mark.slow
def test_steep_sand_comes_to_stand_at_its_angle():
    sand = np.maximum(fractal(24, 24, 20.0, seed=3), 0)
    after = by_kernel(0 * sand, sand, constants(full=0.01), count=3000)
    assert np.abs(np.diff(sand, axis=1)).max() > 1.0
    assert np.abs(np.diff(after.surface, axis=1)).max() < 0.5


# Tiles


@pytest.mark.parametrize("speed", [1.0, 30.0])
@pytest.mark.parametrize("tile", [0, 4, 5])
def test_what_is_on_a_tile_touches_and_reads_nothing_beyond_its_reach(tile, speed):
    """Other heights beyond it change nothing, neither there nor within. 30 goes past the reach in a
    step.
    """
    rules = constants(maximum_steps=300, maximum_way=300.0, row_step=speed, col_step=speed)
    rock, sediment = land(192, 192, 20.0)
    whole = np.stack([rock + sediment, sediment], -1)
    row, col = (64 * place for place in divmod(tile, 3))
    own, written, read = (np.zeros(rock.shape, bool) for _ in range(3))
    for field, reach in ((own, 0), (written, REACH + 1), (read, REACH + 2)):
        field[
            np.ix_(*(np.arange(place - reach, place + 64 + reach) % 192 for place in (row, col)))
        ] = True
    other = whole + np.where(read, 0.0, fractal(192, 192, 20.0, seed=9))[..., None]
    (expected, marks), (ground, track) = (
        test_wind.on_one_tile(given, tile, rules, (0.6, 0.8), kernel=wind_layer)
        for given in (whole, other)
    )
    assert np.array_equal(ground[read], expected[read]) and np.array_equal(track, marks)
    assert np.array_equal(expected[~written], whole[~written]) and np.array_equal(
        ground[~written], other[~written]
    )
    assert np.count_nonzero(expected != whole) > 500 and (expected != whole)[~own].any()


@pytest.mark.parametrize("edges", EDGES)
def test_on_tiles_one_particle_goes_the_way_it_goes_without(edges):
    """Alone it meets nobody: every bit is the same, also where it ends just as it leaves a tile."""
    rock, sediment = land(130, 200, 20.0)
    for particle in range(12):
        for steps in (37, 81, 82, 400 + 7 * particle):
            rules = constants(edges=EDGES[edges], maximum_way=0.7 * steps, maximum_steps=steps)
            whole, cut = (
                by_kernel(
                    rock,
                    sediment,
                    rules,
                    (0.6, -0.8),
                    particle + 1,
                    first=particle,
                    supply=0.01,
                    side=side,
                )
                for side in (10**6, 64)
            )
            assert_alike(cut, whole)


@pytest.mark.parametrize("edges", EDGES)
def test_no_mass_is_lost_between_tiles_however_far_a_step_goes(edges):
    rock, sediment = land(150, 200, 20.0)
    rules = constants(
        edges=EDGES[edges], maximum_steps=200, maximum_way=200.0, row_step=40.0, col_step=70.0
    )
    after = by_kernel(rock, sediment, rules, (0.6, -0.8), 500, supply=0.01, side=64)
    assert_balanced(after, rock, sediment)
    assert np.isfinite(after.surface).all() and after.sediment.min() >= 0
    assert after.supplied == pytest.approx(5.0) and after.lifted > 0
