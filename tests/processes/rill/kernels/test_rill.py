# SPDX-License-Identifier: GPL-3.0-or-later
"""Rill kernel: numbers worked out by hand, plain Python, conservation laws."""

import itertools
import math
import os
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from erosion_addon.processes.rill.kernels import rill
from erosion_addon.processes.shared.kernels import particle_queues as queues
from tests.base.kernels.one_tile import OneTile
from tests.processes.rill.kernels import reference as reference_rill
from tests.processes.rill.kernels.reference import Options
from tests.terrains import bowl, fractal, plane

EDGES = ("open", "closed", "wrap")


def constants(options):
    return rill.Constants(
        float(options.gravity),
        float(options.friction),
        float(options.sediment_transfer_rate),
        float(options.sediment_ratio),
        options.carries,
        float(options.sed_capacity),
        float(options.min_volume),
        float(options.droplet_evaporation),
        float(options.soil_absorption),
        float(options.soil_evaporation),
        options.max_steps,
        EDGES.index(options.edges),
        float(options.row_step),
        float(options.col_step),
        first_rule=options.first_rule,
    )


def arrays(scene):
    """Kernel's ground, water and totals for a scene: a dict with height and optionally loose,
    moisture and masks.
    """
    height = np.asarray(scene["height"], float)
    ground = np.stack([height, scene.get("loose", np.zeros_like(height))], -1)
    water = np.zeros((*height.shape, 2), np.float32)
    water[..., 1] = scene.get("moisture", 0.0)
    return ground, water


def masks_of(scene):
    if not {"strength", "hardness"} & set(scene):
        return None
    shape = np.shape(scene["height"])
    strength, hardness = (
        np.broadcast_to(scene.get(kind, default), shape)
        for kind, default in (("strength", 1.0), ("hardness", 0.0))
    )
    return np.stack([strength, 1 - hardness, strength, strength], -1).astype(np.float32)


def by_kernel(scene, options, drops, first=0, key=1, chunks=()):
    """Run the drops from `first` up to `drops`; chunks: where to interrupt."""
    (ground, water), given = arrays(scene), constants(options)
    tile = OneTile(rill, water.shape[:2], given.edges)
    scale = np.ones(1)
    masks = masks_of(scene)
    for begin, end in itertools.pairwise([first, *chunks, drops]):
        drops_of = None, np.uint64(key), begin, end, water, scale, given.soil_evaporation
        totals = tile.run(drops_of, (ground, water, masks, given))
    return answer(ground, water, totals, scale[0])


def answer(ground, water, totals, scale=1.0):
    names = ("eroded", "filled", "exported", "steps", "paths_cut")
    return SimpleNamespace(
        height=ground[..., 0],
        loose=ground[..., 1],
        flow=water[..., 0],
        moisture=water[..., 1] * np.float32(scale),
        **{name: total[0] for name, total in zip(names, totals, strict=True)},
    )


def one_by_kernel(height, place, options):
    """One drop from a given place."""
    (ground, water), given = arrays({"height": height}), constants(options)
    tile = OneTile(rill, water.shape[:2], given.edges)
    tile.pool = queues.with_room(tile.pool, 1)
    slot = queues.enter(tile.pool, tile.tiles, np.uint64(0), *map(float, place))
    tile.pool.numbers[slot, [rill.VOLUME, rill.SCALE]] = 1.0
    totals = tile.work((ground, water, None, given))
    return answer(ground, water, totals)


def by_reference(scene, options, drops, first=0, key=1):
    shape = np.shape(scene["height"])
    given = {"loose": np.zeros(shape), "moisture": np.zeros(shape), **scene}
    terrain = reference_rill.Terrain(
        **{name: np.array(array, float).tolist() for name, array in given.items()}
    )
    for drop in range(first, drops):
        reference_rill.run_drop(terrain, options, reference_rill.start(terrain, options, key, drop))
    for name in ("height", "loose", "flow", "moisture"):
        setattr(terrain, name, np.array(getattr(terrain, name)))
    return terrain


# One drop, by hand


@pytest.mark.slow
def test_a_drop_on_a_plane_takes_half_of_the_fall_from_the_cells_it_leaves():
    """Falling 0.1 a cell along the columns, from row 4, column 3.25: it goes to 4.25, where it is
    0.1 lower. Half of that is taken: three quarters from column 3, one from column 4. v = 0.1 ·
    0.1875, so the ground at 4.25 gets (1 - 0.01875) · 0.5 of moisture by the same weights.
    """
    height = plane(9, 12, fall_along_col=0.1)
    after = one_by_kernel(height, (4, 3.25), Options(max_steps=1))
    change = np.zeros_like(height)
    change[4, 3:5] = -0.05 * np.array([0.75, 0.25])
    assert np.allclose(after.height - height, change, rtol=0, atol=1e-15)
    wet = np.zeros_like(height)
    wet[4, 4:6] = (1 - 0.01875) * 0.5 * np.array([0.75, 0.25])
    assert np.allclose(after.moisture, wet, rtol=1e-6, atol=0)
    assert after.eroded == pytest.approx(0.05, rel=1e-12) and (after.filled, after.exported) == (
        0,
        0,
    )
    assert np.argwhere(after.flow).tolist() == [[4, 3]] and (after.steps, after.paths_cut) == (1, 1)


@pytest.mark.slow
def test_the_second_step_sees_the_ground_that_the_first_one_changed():
    """Then h(4.25) is lower by 0.75 · 0.0125, the slope along the row is 0.1 - 0.0125 and, row 5
    being untouched, there is one across of 0.75 · 0.0125: v = (0.01875 · 0.95 + 0.0875 · 0.1875,
    -0.009375 · 0.1875), in (x, z).
    """
    height = plane(9, 12, fall_along_col=0.1)
    expected = by_path(height, (4, 3.25), 2)
    vx = 0.01875 * 0.95 + 0.0875 * 0.1875
    vz = -0.75 * 0.0125 * 0.1875
    length = math.hypot(vx, vz)
    assert expected.path[2] == pytest.approx((4 + vz / length, 4.25 + vx / length), abs=1e-14)
    got = one_by_kernel(height, (4, 3.25), Options(max_steps=2))
    assert np.allclose(got.height, expected.height, rtol=0, atol=1e-15)


def by_path(height, place, steps):
    zeros = np.zeros_like(height)
    terrain = reference_rill.Terrain(height.tolist(), zeros.tolist(), zeros.tolist())
    reference_rill.run_drop(terrain, Options(max_steps=steps, soil_evaporation=0.0), place)
    return terrain


def test_going_uphill_fills_up_to_where_the_drop_goes_and_not_above():
    """A valley |col - 4| / 10 with a drop at column 3.6: it goes to 4.6, which is 0.02 higher. Of
    the fill,
    0.02 · 0.5 · 3 = 0.03, six tenths fall on column 4; column 3 stands higher than 4.6 already and
    gets none. With a
    ratio of 30 column 4 would rise by 0.18, over its new neighbor: it rises to 0.06.
    """
    height = np.abs(np.arange(9.0) - 4) / 10 + np.zeros((5, 1))
    for ratio, rise in ((3, 0.018), (30, 0.06)):
        after = one_by_kernel(height, (2, 3.6), Options(max_steps=1, sediment_ratio=ratio))
        change = after.height - height
        assert change[2, 4] == pytest.approx(rise, rel=1e-12) and np.count_nonzero(change) == 1
        assert after.filled == pytest.approx(rise, rel=1e-12) and after.eroded == 0


def test_a_drop_with_a_load_digs_until_it_is_full():
    """Same plane, capacity form: q = |v| · w · 0.1 · 10 = 0.01875 is less than the fall; half of it
    is dug, and laid
    down where the path is cut: at column 4.25.
    """
    height = plane(9, 12, fall_along_col=0.1)
    after = one_by_kernel(height, (4, 3.25), Options(max_steps=1, carries=True))
    change = np.zeros_like(height)
    load = 0.5 * 0.01875
    change[4, 3:5] = -load * np.array([0.75, 0.25])
    change[4, 4:6] += load * np.array([0.75, 0.25])
    assert np.allclose(after.height - height, change, rtol=0, atol=1e-15)
    assert after.eroded == pytest.approx(load, rel=1e-12) and (after.filled, after.exported) == (
        0,
        0,
    )


def test_the_articles_first_rule_digs_the_spare_capacity_whatever_the_fall():
    """Same plane, a capacity of 100: q = 0.1875, so half of that is wanted, which is nearly the
    fall of 0.1: three quarters of it fall on column 3, whose height over the new place is 0.125,
    and a quarter on column 4, over which it is 0.025 high. By the rule that knows the fall it is
    half of 0.1.
    """
    height = plane(9, 12, fall_along_col=0.1)
    for first_rule, wanted in ((True, 0.09375), (False, 0.05)):
        options = Options(max_steps=1, carries=True, sed_capacity=100, first_rule=first_rule)
        after = one_by_kernel(height, (4, 3.25), options)
        dug = np.array([0.75, 0.25]) * wanted
        change = np.zeros_like(height)
        change[4, 3:5] = -dug
        change[4, 4:6] += dug.sum() * np.array([0.75, 0.25])
        assert np.allclose(after.height - height, change, rtol=0, atol=1e-15)


def test_speed_and_moisture_follow_the_closed_form_on_a_plane():
    """v after k steps = gravity · slope · (1 - 0.95^k) / 0.05. Column c, entered exactly at step c
    - 3, gets max(0, 1 - v) · 0.5; with a slope of 0.4 that ends at step 22, where v goes over 1.
    """
    height = plane(5, 40, fall_along_col=0.4)
    after = one_by_kernel(
        height, (2, 3), Options(max_steps=36, sediment_transfer_rate=0, edges="closed")
    )
    speed = 0.1875 * 0.4 * (1 - 0.95 ** np.arange(1, 37)) / 0.05
    assert np.allclose(after.moisture[2, 4:], np.maximum(0, 1 - speed) * 0.5, atol=1e-6)
    assert after.moisture[2, 24] > 0 and after.moisture[2, 25] == 0
    assert np.allclose(after.flow[2, 3:39], 0.99 ** np.arange(36), rtol=1e-6)


# Thresholds


def test_a_drop_lives_until_its_volume_is_down_to_the_minimum():
    """0.99^459 ≤ 0.01 < 0.99^458, so it makes 459 steps; a minimum at the very volume of a step
    ends it there.
    """
    around = Options(sediment_transfer_rate=0, edges="wrap", friction=0.0)
    height = plane(6, 6, fall_along_col=0.2)
    assert one_by_kernel(height, (2, 3), around).steps == 459
    volumes = [1.0]
    for _ in range(5):
        volumes.append(volumes[-1] * (1 - 0.01))
    for minimum, steps in ((volumes[4], 4), (np.nextafter(volumes[4], 0), 5), (1.0, 0)):
        assert one_by_kernel(height, (2, 3), replace(around, min_volume=minimum)).steps == steps


@pytest.mark.parametrize("edges", EDGES)
@pytest.mark.parametrize("carries", [False, True])
def test_a_drop_on_flat_ground_ends_at_once(edges, carries):
    after = by_kernel({"height": np.full((6, 7), 3.0)}, Options(edges=edges, carries=carries), 50)
    assert (
        after.steps == 0
        and np.all(after.height == 3)
        and not after.moisture.any()
        and after.flow.sum() == 50
    )


def test_a_drop_at_a_wall_does_not_go_through_it():
    height = plane(8, 9, fall_along_col=0.2)
    after = one_by_kernel(height, (3, 7.5), Options(edges="closed", sediment_transfer_rate=0))
    assert (after.steps, after.paths_cut) == (1, 0) and after.flow[3, 8] == np.float32(0.99 + 1)
    assert one_by_kernel(height, (3, 7.5), Options(edges="open")).flow.sum() == 1


# Against plain Python


@pytest.mark.parametrize("edges", EDGES)
@pytest.mark.parametrize(
    "form", [{"carries": False}, {"carries": True}, {"carries": True, "first_rule": True}]
)
@pytest.mark.parametrize("masked", [False, True])
def test_the_kernel_does_what_plain_python_does(edges, form, masked):
    """Drop by drop, each from where the kernel left the ground: a rounding error grows from step to
    step, tenfold in about seven of them in a pit, so drops are short-lived here too.
    """
    options = Options(edges=edges, col_step=0.8, row_step=1.25, droplet_evaporation=0.1, **form)
    random = np.random.default_rng(5)
    scene = {"height": fractal(13, 16, 6.0, seed=2), "loose": random.random((13, 16)) * 0.3}
    if masked:
        scene |= {"strength": random.random((13, 16)), "hardness": random.random((13, 16))}
        scene |= {name: scene[name].astype(np.float32) for name in ("strength", "hardness")}
    steps = 0
    for drop in range(25):
        got, expected = (
            run(scene, options, drop + 1, first=drop) for run in (by_kernel, by_reference)
        )
        assert (got.steps, got.paths_cut) == (expected.steps, expected.paths_cut)
        for name in ("height", "loose", "flow", "moisture"):
            assert np.allclose(getattr(got, name), getattr(expected, name), rtol=0, atol=1e-5), (
                name,
                drop,
            )
        for name in ("eroded", "filled", "exported"):
            assert getattr(got, name) == pytest.approx(
                getattr(expected, name), rel=1e-5, abs=1e-6
            ), (name, drop)
        scene = {**scene, "height": got.height, "loose": got.loose, "moisture": got.moisture}
        steps += got.steps
    assert steps > 100


@pytest.mark.slow
@pytest.mark.parametrize("soil_evaporation", [0.0, 0.00025, 0.02, 0.5, 0.999])
def test_lazy_drying_equals_drying_the_whole_map_after_every_drop(soil_evaporation):
    """300 drops on ground that stays as it is; from 0.1 on the map has been multiplied out at least
    once.
    """
    options = Options(
        sediment_transfer_rate=0, soil_evaporation=soil_evaporation, edges="closed", min_volume=0.4
    )
    scene = {"height": fractal(14, 14, 3.0, seed=3), "moisture": np.full((14, 14), 0.3)}
    got, expected = (run(scene, options, 300) for run in (by_kernel, by_reference))
    assert np.abs(got.moisture - expected.moisture).max() <= 1e-5
    assert expected.moisture.max() > 1e-4


# Laws


@pytest.mark.parametrize("edges", EDGES)
@pytest.mark.parametrize("carries", [False, True])
def test_where_it_is_interrupted_changes_no_bit(edges, carries):
    scene = {"height": fractal(16, 18, 8.0)}
    options = Options(edges=edges, carries=carries, soil_evaporation=0.02)
    whole = by_kernel(scene, options, 300)
    parts = by_kernel(scene, options, 300, chunks=(1, 2, 130, 299))
    for name in ("height", "loose", "flow", "moisture", "eroded", "filled", "exported", "steps"):
        assert np.array_equal(getattr(whole, name), getattr(parts, name)), name


@pytest.mark.parametrize("case", range(30))
def test_heights_stay_bounded_and_mass_adds_up_for_any_parameters(case):
    """Parameters from one end of their range to the other; TEST_SEED repeats a run."""
    seed = int(os.environ.get("TEST_SEED") or 1)
    print(f"TEST_SEED={seed}, case {case}")
    rng = np.random.default_rng(seed + case)

    def draw(high):
        return float(
            rng.choice([0.0, high, rng.uniform(0, high), high * 10.0 ** -rng.uniform(0, 4)])
        )

    options = Options(
        gravity=draw(1000),
        friction=draw(1),
        sediment_transfer_rate=draw(1),
        sediment_ratio=draw(100),
        carries=bool(case % 2),
        sed_capacity=draw(1e4),
        min_volume=draw(1),
        droplet_evaporation=draw(1),
        soil_absorption=draw(1),
        soil_evaporation=draw(1),
        max_steps=60,
        edges=EDGES[case % 3],
    )
    relief = 10.0 ** rng.uniform(-3, 3)
    height = fractal(int(rng.integers(3, 20)), int(rng.integers(3, 20)), relief, case)
    after = by_kernel({"height": height}, options, 800, key=case)
    rounding = 1e-13 * relief * height.size
    assert after.height.min() >= height.min() - rounding and after.loose.min() >= -rounding
    dropped = after.eroded if options.carries else 0.0
    assert after.height.max() <= height.max() + dropped + rounding
    change = (after.height - height).sum()
    made = -after.exported if options.carries else after.filled - after.eroded
    assert abs(change - made) <= 1e-9 * (after.eroded + after.filled) + rounding
    assert after.exported >= 0 and (options.edges == "open" or after.exported == 0)
    assert np.isfinite(after.moisture).all() and after.moisture.min() >= 0


def test_the_bottom_of_a_bowl_fills_up_to_a_flat_floor_and_gets_wet():
    height = bowl(40, 40, depth=10.0)
    after = by_kernel({"height": height}, Options(edges="closed"), 4000)
    middle = (slice(16, 25), slice(16, 25))
    assert np.ptp(after.height[middle]) < 0.25 * np.ptp(height[middle])
    assert after.height[middle].mean() > height[middle].mean() + 1
    assert after.moisture[middle].mean() > 3 * after.moisture[:, 0].mean()


def test_a_slope_with_a_little_noise_gets_rills_that_are_wetter_than_the_ridges_between_them():
    height = plane(50, 40, fall_along_row=0.2) + 0.02 * fractal(50, 40, 1.0, steepness=0.0)
    after = by_kernel({"height": height}, Options(edges="open"), 1500)
    inner = (slice(5, 45), slice(5, 35))
    relief, wet = (
        field[inner] - field[inner].mean(1, keepdims=True)
        for field in (after.height, after.moisture)
    )
    assert relief.std() > 20 * 0.006 and np.corrcoef(relief.ravel(), wet.ravel())[0, 1] < -0.5


def test_drops_start_anywhere_evenly():
    """Two steps of no length: flow is where they start, by halves of cells at the border."""
    after = by_kernel({"height": np.zeros((6, 6))}, Options(edges="closed"), 40_000)
    inner = after.flow[1:-1, 1:-1]
    side = after.flow[0, 1:-1]
    corner = after.flow[0, 0]
    assert abs(inner.mean() - 1600) < 40 and abs(side.mean() - 800) < 60 and abs(corner - 400) < 100
    wrapped = by_kernel({"height": np.zeros((6, 6))}, Options(edges="wrap"), 40_000).flow
    assert np.abs(wrapped - 40_000 / 36).max() < 5 * math.sqrt(40_000 / 36)


@pytest.mark.parametrize("carries", [False, True])
def test_the_golden_run_gives_the_golden_numbers(carries):
    after = by_kernel(
        {"height": fractal(16, 16, 10.0, seed=4)}, Options(edges="open", carries=carries), 40
    )
    expected = GOLDEN[carries]
    assert (after.steps, after.paths_cut) == expected[0]
    got = (
        after.eroded,
        after.filled,
        after.exported,
        after.height[8, 8],
        after.moisture.sum(dtype=float),
    )
    assert got == pytest.approx(expected[1], rel=1e-6)


GOLDEN = {
    False: ((362, 0), (70.5617657601, 77.4915916041, 0.0, 4.12435521653, 65.0432433257)),
    True: ((427, 0), (67.1193533949, 0.0, 26.1896069257, 2.51309542658, 69.3616874872)),
}
"""From that very line, when the kernel agreed with the reference drop by drop: steps and cut paths;
dug, filled, exported, one height, all moisture.
"""
