# SPDX-License-Identifier: GPL-3.0-or-later
"""Droplet kernel: numbers worked out by hand, plain Python, conservation laws."""

import itertools
import math
import os
from dataclasses import replace

import numpy as np
import pytest

from erosion_addon.processes.droplet.kernels import droplet
from erosion_addon.processes.droplet.kernels.motion import LOAD
from erosion_addon.processes.shared.kernels import particle_queues as queues
from tests.base.kernels.one_tile import OneTile
from tests.processes.droplet.kernels.drops import (
    EDGES,
    Rules,
    Scene,
    at,
    by_kernel,
    by_reference,
    constants_of,
)
from tests.terrains import bowl, fractal, plane, step


def assert_same(scene, rules, drops=1, tolerance=1e-9):
    """The kernel does to `scene` what the reference does, drop by drop, each from where the kernel
    left the ground: a rounding error grows from drop to drop until they take other ways. Returns
    both of the last drop, and all moves.
    """
    moves = 0
    for drop in range(drops):
        got, expected = (
            run(scene, rules, drop + 1, first=drop) for run in (by_kernel, by_reference)
        )
        for name, allowed in (
            ("height", tolerance),
            ("loose", tolerance),
            ("flow", 1e-5),
            ("color", 1e-6),
        ):
            if getattr(got, name) is not None:
                error = np.abs(getattr(got, name) - getattr(expected, name)).max()
                assert error <= allowed, f"{name} of drop {drop}"
        counts = ("moves", "long_paths", "random_directions")
        assert [getattr(got, name) for name in counts] == [
            getattr(expected, name) for name in counts
        ]
        sums = ("eroded", "exported")
        assert [getattr(got, name) for name in sums] == pytest.approx(
            [getattr(expected, name) for name in sums]
        )
        scene = replace(scene, height=got.height, loose=got.loose, color=got.color)
        moves += got.moves
    return got, expected, moves


# One drop, by hand


def test_a_drop_on_a_plane_digs_what_the_equations_say():
    """A plane falling 0.1 a cell along the columns, all by the source's defaults, the drop starting
    at [4, 3].

    Step 1: v = 0, so q = 0 and nothing is dug; v = √(2 · 20 · 0.1) = 2, w = 0.999. Step 2, at [4,
    4]: q = 0.1 · 2 · 0.999 · 10 = 1.998, of which 0.9 is more than the fall allows: 0.99 · 0.1 =
    0.099. nh is the height of column 5, which the guard keeps; the brush has weight 1 in the
    middle, 3/4 beside it and 1/2 at its corners, each over 2π; so the middle loses 0.099 / 2π, its
    three higher or equal neighbors and two upper corners the like. Gained: 0.099 · (1 + 3 · 3/4 + 2
    · 1/2) / 2π = 0.099 · 4.25 / 2π. At [4, 5] the path is cut and all of it is laid down.
    """
    height = plane(9, 12, fall_along_col=0.1)
    after = by_kernel(Scene(height, rain=at(4, 3, height.shape)), Rules(max_path_len=2), 1)
    expected = height.copy()
    part = 0.099 / (2 * math.pi)
    expected[3:6, 3:5] -= part * np.array([[0.5, 0.75], [0.75, 1.0], [0.5, 0.75]])
    expected[4, 5] += 4.25 * part
    assert np.allclose(after.height, expected, rtol=0, atol=1e-12)
    assert after.eroded == pytest.approx(4.25 * part, rel=1e-12)
    assert (
        np.count_nonzero(after.flow) == 2
        and after.flow[4, 3] == 1.0
        and after.flow[4, 4] == np.float32(0.999)
    )
    assert (after.moves, after.long_paths, after.random_directions) == (2, 1, 0)


def test_bilinear_erosion_takes_all_from_the_cell_the_drop_is_on():
    """The same drop without the brush: exactly at [4, 4] only that cell counts, so it loses
    0.099.
    """
    height = plane(9, 12, fall_along_col=0.1)
    after = by_kernel(
        Scene(height, rain=at(4, 3, height.shape)), Rules(max_path_len=2, brush=False), 1
    )
    change = after.height - height
    assert change[4, 4] == pytest.approx(-0.099, abs=1e-12) and change[4, 5] == pytest.approx(
        0.099, abs=1e-12
    )
    assert np.count_nonzero(np.abs(change) > 1e-12) == 2


@pytest.mark.parametrize("edges", EDGES)
@pytest.mark.parametrize("row", range(4, 45, 8))
def test_a_drop_goes_on_over_the_border_of_a_tile_as_if_there_were_none(edges, row):
    """One drop alone: its height, load, speed, water and steps come along. The ground that it has
    dug a moment ago lies a little lower when it looks again, which may turn it a little.
    """
    height = fractal(48, 64, 2.0) + plane(48, 64, fall_along_col=0.4)
    scene = Scene(height, rain=at(row, 3, height.shape))
    rules = Rules(max_path_len=40, edges=edges)
    whole = by_kernel(scene, rules, 1)
    tiles = by_kernel(scene, rules, 1, side=16)
    assert np.ptp(np.nonzero(whole.flow)[1]) > 20, "it crosses a border"
    assert tiles.eroded == pytest.approx(whole.eroded, rel=0.01)
    assert tiles.height.sum() + tiles.exported == pytest.approx(height.sum(), abs=1e-9)
    assert tiles.flow.sum() == pytest.approx(whole.flow.sum(), rel=1e-6), "as much water on its way"
    assert (tiles.moves, tiles.long_paths) == (whole.moves, whole.long_paths)


def test_a_drop_over_a_step_speeds_up_by_what_it_falls():
    """Columns falling by 0.2 and by 3.2 from column 5 to 6; the drop starts at [4, 4] and never
    digs (Kr = 0).

    v² grows by 2 · 20 · fall: 8 after the first step, 8 + 128 = 136 after the step's edge, 144
    after one more. Digging is switched on there by comparing with Kr = 10⁻³ and Kd = 0: at [4, 7],
    the third step from the start having begun at [4, 6] with v = √136, q = 0.2 · √136 · 0.999² · 10
    and a thousandth of it is dug.
    """
    height = step(9, 14, edge=5)
    rules = Rules(max_path_len=3, Kr=0.001, Kd=0.0, brush=False)
    after = by_kernel(Scene(height, rain=at(4, 4, height.shape)), rules, 1)
    over_the_edge = 0.001 * 3.2 * math.sqrt(8) * 0.999 * 10
    speed = math.sqrt(8 + 2 * 20 * (3.2 - over_the_edge))
    below = 0.001 * (0.2 * speed * 0.999**2 * 10 - over_the_edge)
    change = after.height - height
    assert change[4, 5] == pytest.approx(-over_the_edge, rel=1e-9)
    assert change[4, 6] == pytest.approx(-below, rel=1e-9)
    assert change[4, 7] == pytest.approx(over_the_edge + below, rel=1e-9)


def test_a_drop_that_reaches_the_bottom_of_a_bowl_fills_it_and_ends():
    """A bowl h = r² / 4 with the drop at [4, 2], two cells left of the middle [4, 4]; both arms of
    the code by hand.

    The gradient is that of the cell to the right and below: gx = 2 (h[2] - h[3]), gz from row 4 to
    row 5. Kd = 0, Kr = 10⁻³ without the brush. The path is followed below cell by cell with the
    seed's arithmetic.
    """
    height = bowl(9, 9, depth=4.0)  # r² / 4
    after, expected, _ = assert_same(
        Scene(height, rain=at(4, 2, height.shape)),
        Rules(Kr=1e-3, Kd=0.0, brush=False, edges="closed"),
    )
    # First direction: corners 1, 1/4 (row 4, columns 2, 3), 5/4, 1/2 (row 5): gx = 2 · 3/4, gz =
    # -1/2, so the drop leaves along (3, -1) / √10, to column 2 + 3/√10 = 2.948683 and row 4 - 1/√10
    # = 3.683772.
    row, col, h, s, v, w = expected.path[1]
    assert (row, col) == pytest.approx((4 - 1 / math.sqrt(10), 2 + 3 / math.sqrt(10)), abs=1e-12)
    # Height there: bilinear between 1/2, 5/4 (row 3, columns 3 and 2) and 1/4, 1 (row 4).
    zf = 1 - 1 / math.sqrt(10)
    xf = 3 / math.sqrt(10)
    assert h == pytest.approx(
        (1.25 * (1 - xf) + 0.5 * xf) * (1 - zf) + (1.0 * (1 - xf) + 0.25 * xf) * zf, abs=1e-12
    )
    assert v == pytest.approx(math.sqrt(40 * (1 - h)), abs=1e-12) and (s, w) == (0.0, 0.999)
    # It has dug a little on its way, and in the end lays all of it down.
    assert after.eroded > 0 and after.long_paths == 0 and after.exported == 0
    assert after.height.sum() == pytest.approx(height.sum(), abs=1e-12)
    assert abs(expected.path[-1][0] - 4) <= 1 and abs(expected.path[-1][1] - 4) <= 1


@pytest.mark.parametrize("land", ["plane", "step", "bowl", "fractal"])
def test_one_drop_is_where_the_published_arithmetic_has_it_after_every_step(land):
    """The path is cut after 1, 2, 3 … steps: then what the drop carries lies where the drop is."""
    height = {
        "plane": plane(12, 12, 0.11, 0.31),
        "step": step(12, 12, 6),
        "bowl": bowl(12, 12),
        "fractal": fractal(12, 12),
    }[land]
    scene = Scene(height, rain=at(3, 2, height.shape))
    whole = by_reference(scene, Rules(edges="open"), 1)
    assert whole.moves > 4
    for steps in range(1, min(whole.moves, 30) + 1):
        assert_same(scene, Rules(edges="open", max_path_len=steps), tolerance=1e-12)


# Many drops against plain Python

VARIANTS = list(itertools.product(("open", "closed", "wrap"), (True, False), (True, False)))


@pytest.mark.slow
@pytest.mark.parametrize(("edges", "brush", "sine"), VARIANTS)
def test_many_drops_do_what_plain_python_does(edges, brush, sine):
    rules = Rules(edges=edges, brush=brush, sine=sine, max_path_len=30)
    *_, moves = assert_same(Scene(fractal(11, 14, 8.0)), rules, 100)
    assert moves > 200


@pytest.mark.parametrize("edges", EDGES)
def test_cells_that_are_not_square_are_walked_in_meters(edges):
    # Rows of 20 m, columns of 5 m: a length of 10 m (the unit) is half a row and two columns.
    assert_same(
        Scene(fractal(10, 13, 6.0)),
        Rules(edges=edges, row_step=0.5, col_step=2.0, max_path_len=30),
        80,
    )


@pytest.mark.parametrize("edges", EDGES)
def test_masks_do_what_plain_python_does(edges):
    rng = np.random.default_rng(5)
    eighths = [rng.integers(0, 9, (10, 12)) / 8 for _ in range(2)]  # exact in float32
    scene = Scene(
        fractal(10, 12, 6.0),
        loose=fractal(10, 12, 0.5, seed=3),
        strength=eighths[0],
        hardness=eighths[1],
    )
    assert_same(scene, Rules(edges=edges, max_path_len=30), 80)


@pytest.mark.parametrize("edges", EDGES)
def test_color_is_carried_as_by_plain_python(edges):
    color = np.random.default_rng(6).random((10, 12, 3)).astype(np.float32)
    assert_same(Scene(fractal(10, 12, 6.0), color=color), Rules(edges=edges, max_path_len=30), 80)


def test_ground_of_one_color_keeps_it_on_terraces_too_where_drops_go_anywhere():
    color = np.full((20, 24, 3), 0.5, np.float32)
    scene = Scene(3.0 * np.round(fractal(20, 24, 3.0)), color=color)
    after = by_kernel(scene, Rules(Ki=0.0, max_path_len=30), 2000)
    assert after.random_directions > 20 and after.eroded > 20
    assert np.array_equal(after.color, color)


def test_color_and_masks_and_rain_go_together():
    rng = np.random.default_rng(7)
    scene = Scene(
        fractal(9, 10, 5.0),
        strength=rng.integers(0, 3, (9, 10)) / 2,
        hardness=rng.integers(0, 3, (9, 10)) / 2,
        color=rng.random((9, 10, 3)).astype(np.float32),
        rain=rng.random((9, 10)),
    )
    assert_same(scene, Rules(edges="closed", Kd=0.3, max_path_len=30), 80)


@pytest.mark.parametrize("edges", EDGES)
def test_what_the_source_has_in_comments_does_what_plain_python_does(edges):
    """A cap on what is laid down in a step, a quarter of it on each cell; and drops that start
    anywhere.
    """
    strength = np.random.default_rng(8).integers(0, 9, (10, 12)) / 8
    for scene in (Scene(fractal(10, 12, 6.0)), Scene(fractal(10, 12, 6.0), strength=strength)):
        for given in (
            {"cap": 0.01},
            {"quarters": True},
            {"anywhere": True, "cap": 0.02, "quarters": True},
        ):
            assert_same(scene, Rules(edges=edges, Kd=0.3, max_path_len=30, **given), 40)


def test_no_more_than_the_cap_is_laid_down_in_a_step():
    """Where no pit is filled and no path ends: on a plane that drops run down and lose their water
    on.
    """
    height = plane(9, 40, fall_along_col=0.1)
    rules = Rules(Kw=0.5, Kd=1.0, edges="open")
    free, capped = (
        by_kernel(Scene(height, rain=at(4, 3, height.shape)), each, 1)
        for each in (rules, replace(rules, cap=0.001))
    )
    assert free.loose.max() > 0.01 and 0 < capped.loose.max() <= 0.002  # of two steps at most


def test_a_quarter_of_what_is_laid_down_falls_on_each_cell():
    """A path that is cut on column 5 of row 4 lays its load on the four cells from there on."""
    height = plane(9, 12, fall_along_col=0.1)
    rules = Rules(max_path_len=2, quarters=True)
    after = by_kernel(Scene(height, rain=at(4, 3, height.shape)), rules, 1)
    assert after.loose[4:6, 5:7] == pytest.approx(np.full((2, 2), after.eroded / 4))
    assert np.count_nonzero(after.loose) == 4


@pytest.mark.parametrize("shape", [(3, 3), (3, 9), (9, 3), (4, 5)])
@pytest.mark.parametrize("edges", EDGES)
def test_the_smallest_grids_are_right_too(shape, edges):
    assert_same(Scene(fractal(*shape, 3.0, seed=2)), Rules(edges=edges, max_path_len=30), 40)


@pytest.mark.parametrize("case", range(12))
def test_random_parameters_do_what_plain_python_does(case):
    seed = draw_seed(case)
    rng = np.random.default_rng(seed)
    rules = random_rules(rng, max_path_len=15)
    assert_same(Scene(fractal(8, 9, 10 ** rng.uniform(-2, 1.5), seed)), rules, 40, tolerance=1e-7)


# Laws


def draw_seed(case):
    """Seed of this run, printed when the test fails; TEST_SEED repeats it."""
    seed = int(os.environ.get("TEST_SEED") or 1) + case
    print(f"TEST_SEED={seed - case}, case {case}")
    return seed


def random_rules(rng, **others):
    """Random parameters within their ranges, often at the ends."""

    def between(low, high):
        ends = rng.random()
        return low if ends < 0.1 else high if ends < 0.2 else rng.uniform(low, high)

    return Rules(
        Kq=between(0, 1000) if rng.random() < 0.5 else between(0, 20),
        Kw=between(0, 1) ** 3,
        Kr=between(0, 1),
        Kd=between(0, 1),
        Ki=between(0, 0.99),
        minSlope=between(0, 10),
        g=between(0, 1000),
        brush=bool(rng.integers(2)),
        sine=bool(rng.integers(2)),
        edges=str(rng.choice(list(EDGES))),
        row_step=1 / (aspect := float(rng.choice([1.0, 1.0, 2.8, 0.4]))),
        col_step=aspect,
        **others,
    )


@pytest.mark.parametrize("case", range(100))
def test_no_parameters_break_the_balance_of_mass_or_the_bounds(case):
    """Any parameters, edges and heights of 10⁻³ to 10³ cells: finite, nothing below the lowest
    point there was, nothing above the highest by more than was moved, and what was lost is what
    left.
    """
    rng = np.random.default_rng(draw_seed(case))
    rows, cols = rng.integers(3, 40, 2)
    height = fractal(rows, cols, 10 ** rng.uniform(-3, 3), int(rng.integers(1000)))
    rules = random_rules(rng, max_path_len=int(rng.integers(1, 200)))
    scene = Scene(height)
    if rng.random() < 0.3:
        scene.strength, scene.hardness = (rng.integers(0, 3, height.shape) / 2 for _ in range(2))
    if rng.random() < 0.3:
        scene.color = rng.random((rows, cols, 3)).astype(np.float32)
    after = by_kernel(scene, rules, 1500)
    assert (
        np.isfinite(after.height).all()
        and np.isfinite(after.loose).all()
        and np.isfinite(after.flow).all()
    )
    assert after.height.min() >= height.min() - 1e-12 * np.ptp(height)
    # 1500 drops fill pits by 0.001 at most
    assert after.height.max() <= height.max() + after.eroded + 1.5
    assert after.loose.min() >= -1e-12 * np.ptp(height) and after.eroded >= 0
    lost = -math.fsum((after.height - height).ravel())
    # 4 · 10⁻¹⁶ of the height may go with each sum into a cell.
    assert abs(lost - after.exported) <= 1e-9 * after.eroded + 4e-16 * np.ptp(height) * after.moves
    if rules.edges != "open" and scene.strength is None:
        assert after.exported == 0
    if scene.color is not None:
        assert (
            after.color.min() >= scene.color.min() - 1e-6
            and after.color.max() <= scene.color.max() + 1e-6
        )


@pytest.mark.parametrize("edges", EDGES)
def test_the_divergence_of_the_published_form_does_not_come(edges):
    """100 drops a cell on heights of 100 cells: with open edges the published form is at -10²⁰ by
    then.
    """
    height = fractal(32, 32, 100.0)
    after = by_kernel(Scene(height), Rules(edges=edges), 100 * height.size)
    assert after.height.min() >= height.min() and after.height.max() <= height.max() + 1.0


def test_no_cell_is_dug_below_the_place_the_water_flows_to():
    """Along row 4 of a slope the brush reaches row 3, which lies lower than anything the drop comes
    to: it stays.
    """
    height = plane(9, 12, fall_along_col=0.5) + 10
    height[3] = 1.0
    after = by_kernel(
        Scene(height, rain=at(4, 2, height.shape)), Rules(edges="open", max_path_len=4), 1
    )
    assert after.eroded > 0.1
    assert np.array_equal(after.height[3], height[3])


@pytest.mark.parametrize("edges", EDGES)
def test_drops_run_two_at_a_time_as_in_the_reference(edges):
    """On 9 × 9 cells, where they are in each other's way; rounding grows from step to step, hence
    the tolerance.
    """
    height = fractal(9, 9, 10.0)
    got, expected = (
        run(Scene(height), Rules(edges=edges, max_path_len=20), 12)
        for run in (by_kernel, by_reference)
    )
    for name in ("height", "loose", "flow"):
        np.testing.assert_allclose(
            getattr(got, name), getattr(expected, name), rtol=1e-6, atol=1e-6
        )
    assert got.moves == expected.moves > 40


def test_another_key_sends_the_drops_elsewhere():
    scene = Scene(fractal(12, 12))
    assert not np.array_equal(
        by_kernel(scene, Rules(), 50).height, by_kernel(scene, Rules(), 50, key=2).height
    )


def test_a_transposed_terrain_is_eroded_transposed():
    """One drop that needs no random direction, on cells four times as long as wide."""
    height = fractal(13, 11, 2.0) + plane(13, 11, 0.8, 0.6)
    along = Rules(edges="open", row_step=0.5, col_step=2.0)
    across = Rules(edges="open", row_step=2.0, col_step=0.5)
    along = by_kernel(Scene(height, rain=at(2, 3, (13, 11))), along, 1)
    across = by_kernel(Scene(height.T.copy(), rain=at(3, 2, (11, 13))), across, 1)
    assert along.eroded > 0.1 and along.moves >= 3 and along.random_directions == 0
    assert np.allclose(across.height.T, along.height, rtol=0, atol=1e-12)
    assert np.array_equal(across.flow.T, along.flow)


def test_every_cell_is_rained_upon():
    """A flat terrain and drops of one step: the flow is the rain. 400 a cell: no cell is 5 sigma
    (100) off.
    """
    after = by_kernel(Scene(np.zeros((7, 9))), Rules(max_path_len=1, edges="wrap"), 400 * 63)
    assert after.flow.sum() == 400 * 63 and np.abs(after.flow - 400).max() < 100


def test_rain_falls_by_its_weights():
    rain = np.zeros((6, 8))
    rain[1, 2] = 1.0
    rain[5, 7] = 3.0
    after = by_kernel(Scene(np.zeros((6, 8)), rain=rain), Rules(max_path_len=1, edges="wrap"), 4000)
    assert np.count_nonzero(after.flow) == 2
    # 5 sigma
    assert after.flow[1, 2] + after.flow[5, 7] == 4000 and abs(after.flow[1, 2] - 1000) < 140


def test_drops_of_springs_start_around_the_corner_of_their_cell_and_all_others_on_it():
    shape = (6, 8)
    springs = np.array([20, 22, 28])
    tile = OneTile(droplet, shape, EDGES["open"])
    pool = queues.with_room(tile.pool, 2000)
    droplet.start_drops(pool, tile.tiles, None, np.uint64(1), 0, 2000, springs, False)
    places = pool.numbers[:2000, :2]
    corners = np.rint(places)
    of_springs = np.isin(np.ravel_multi_index(corners.astype(int).T, shape), springs)
    assert 60 < of_springs.sum() < 200  # 3 of 48 cells: 125
    assert np.array_equal(places[~of_springs], corners[~of_springs])
    assert (np.abs(places - corners)[of_springs] > 0).all()
    assert np.abs((places - corners)[of_springs].mean(axis=0)).max() < 0.13  # 5 sigma


@pytest.mark.parametrize("edges", ["open", "closed"])
@pytest.mark.parametrize("col", [0, 11])
def test_a_drop_runs_down_along_an_edge(edges, col):
    height = plane(9, 12, fall_along_row=0.1)
    after = by_kernel(
        Scene(height, rain=at(2, col, height.shape)), Rules(edges=edges, Kw=0.0, max_path_len=4), 1
    )
    assert np.array_equal(np.argwhere(after.flow), [[row, col] for row in range(2, 6)])


@pytest.mark.parametrize("edges", EDGES)
def test_flow_counts_every_step_of_every_drop(edges):
    """Without evaporation each place a drop was at counts 1: as often as it moved, and where it
    ended by itself.
    """
    after = by_kernel(Scene(fractal(16, 16)), Rules(edges=edges, Kw=0.0, max_path_len=30), 300)
    assert after.flow.sum() == after.moves + 300 - after.long_paths


# Both sides of each threshold


def pit(rim):
    """A trough along the columns, falling by 1 a cell up to column 5, with a rim of `rim` over it
    in column 6.
    """
    height = np.broadcast_to([9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 4.0 + rim, 2.0, 1.0], (7, 9)).copy()
    return Scene(height, rain=at(3, 1, height.shape))


PIT_RULES = Rules(edges="open", Kd=0.0, Ki=0.9, brush=False)


def test_a_pit_shallower_than_the_load_is_filled_over_its_rim_and_passed():
    after, expected, _ = assert_same(pit(0.1), PIT_RULES)
    # to the edge, where it leaves
    assert [place[1] for place in expected.path] == pytest.approx(range(1, 9))
    assert after.exported > 0
    assert after.height[3, 5] == pytest.approx(4.0 + 0.1 + 0.001, abs=1e-12)
    # The speed starts anew: behind the pit it is what the margin of 0.001 gave.
    assert expected.path[4][4] > 5 and expected.path[5][4] == pytest.approx(
        math.sqrt(2 * 20 * 0.001)
    )


def test_a_pit_deeper_than_the_load_ends_the_drop_with_all_it_carries():
    after, expected, _ = assert_same(pit(3.9), PIT_RULES)
    assert [place[1] for place in expected.path] == pytest.approx(range(1, 6))
    load = expected.path[-1][3]
    assert 3 * 0.99 - 1e-9 <= load < 3.9  # dug 0.99 of three falls of 1 by the source's rule
    assert after.exported == 0 and after.height[3, 5] == pytest.approx(4.0 + load, abs=1e-12)


def test_a_drop_digs_below_its_capacity_and_lays_down_above_it():
    """A plane of fall 0.1, Kw = 1/2, Kr = Kd = 1, without the brush, the drop starting at [4, 3]
    with v = 0.

    Step 2, at [4, 4]: v = 2, w = 1/2, so q = 0.1 · 2 · 1/2 · Kq and at most 0.99 · 0.1 = 0.099 is
    dug: it is for both Kq = 1 and 2. Then v² = 4 + 40 (0.1 - 0.099). Step 3, at [4, 5]: q = 0.1 ·
    √4.04 · 1/4 · Kq, which is 0.05025 < 0.099 and 0.1005 > 0.099: the one lays down the difference,
    the other digs it.
    """
    height = plane(9, 14, fall_along_col=0.1)
    for capacity in (1.0, 2.0):
        rules = Rules(
            Kq=capacity, Kr=1.0, Kd=1.0, Kw=0.5, brush=False, edges="open", max_path_len=3
        )
        after = by_kernel(Scene(height, rain=at(4, 3, height.shape)), rules, 1)
        change = after.height - height
        assert change[4, 4] == pytest.approx(-0.099, abs=1e-12)
        assert change[4, 5] == pytest.approx(
            0.099 - 0.1 * math.sqrt(4.04) * capacity / 4, abs=1e-12
        )


def test_drops_under_way_lay_down_what_masks_let_them():
    """A load of 2 where a quarter may lie."""
    tile = OneTile(droplet, (6, 8), EDGES["open"])
    shape = (6, 8)
    pool = queues.with_room(tile.pool, 1)
    droplet.start_drops(
        pool,
        tile.tiles,
        np.cumsum(at(4, 3, shape)),
        np.uint64(1),
        0,
        1,
        np.zeros(0, np.int64),
        False,
    )
    pool.numbers[0, LOAD] = 2.0
    quarter = np.full((*shape, 4), 0.25, np.float32)
    for masks, laid in ((None, 2.0), (quarter, 0.5)):
        ground = np.zeros((*shape, 2))
        kept = droplet.lay_down(tile.tiles, pool, ground, None, masks, constants_of(Rules()))
        assert kept == 2.0 - laid and ground[4, 3].tolist() == [laid, laid]


def test_strength_0_keeps_every_bit():
    height = fractal(16, 16)
    strength = np.zeros((16, 16))
    strength[:, 8:] = 1.0
    after = by_kernel(Scene(height, strength=strength), Rules(edges="closed"), 2000)
    assert after.height[:, :8].tobytes() == height[:, :8].tobytes() and not after.loose[:, :8].any()
    assert after.eroded > 1.0


def test_hardness_1_is_never_worn_and_what_lies_on_it_is():
    height = fractal(16, 16)
    loose = np.full((16, 16), 0.01)
    after = by_kernel(
        Scene(height, loose=loose, hardness=np.ones((16, 16))), Rules(edges="closed"), 500
    )
    rock = after.height - after.loose
    rock_before = height - loose
    assert np.allclose(rock, rock_before, rtol=0, atol=1e-12)
    assert after.eroded > 0 and after.loose.min() == 0.0 and after.loose.max() > 0.01


def test_hardness_0_and_strength_1_are_as_if_there_were_no_masks():
    height = fractal(12, 12)
    ones = np.ones((12, 12))
    plain = by_kernel(Scene(height), Rules(edges="open"), 200)
    masked = by_kernel(Scene(height, strength=ones, hardness=0 * ones), Rules(edges="open"), 200)
    assert np.allclose(masked.height, plain.height, rtol=0, atol=1e-12)
    assert np.allclose(masked.loose, plain.loose, rtol=0, atol=1e-12)


def test_half_hard_rock_is_worn_half_as_much():
    height = plane(9, 12, fall_along_col=0.1)
    scene = Scene(height, rain=at(4, 3, height.shape), hardness=np.full((9, 12), 0.5))
    after = by_kernel(scene, Rules(max_path_len=2, brush=False), 1)
    # of the 0.099 in the test of bilinear erosion above
    assert after.eroded == pytest.approx(0.099 / 2, rel=1e-9)


def test_loose_material_goes_first():
    """What is taken shrinks the deposit; only the rest is rock (the source's r and d)."""
    height = plane(9, 12, fall_along_col=0.1)
    for lying, left in ((0.2, 0.2 - 0.099), (0.05, 0.0)):
        scene = Scene(height, loose=np.full((9, 12), lying), rain=at(4, 3, height.shape))
        after = by_kernel(scene, Rules(max_path_len=2, brush=False), 1)
        assert after.loose[4, 4] == pytest.approx(left, abs=1e-12)
        assert after.loose[4, 5] == pytest.approx(lying + 0.099, abs=1e-12)


# Color


def test_deposit_below_a_red_cliff_is_red():
    height = step(15, 16, edge=7, height=6.0)
    color = np.full((15, 16, 3), 0.5, np.float32)
    color[:, :8] = (1.0, 0.0, 0.0)
    after = by_kernel(Scene(height, color=color), Rules(edges="closed"), 3000)
    fan = (after.loose > 0.05) & (np.arange(16) > 8)
    assert fan.sum() > 10
    assert (after.color[fan][:, 0] > 0.55).mean() > 0.8 and (
        after.color[fan][:, 1] < 0.45
    ).mean() > 0.8


def test_one_color_stays_that_color():
    color = np.full((12, 12, 3), 0.25, np.float32)
    after = by_kernel(Scene(fractal(12, 12), color=color), Rules(edges="open"), 500)
    assert after.eroded > 1.0 and np.abs(after.color - 0.25).max() < 1e-6


@pytest.mark.fuzz
def test_colors_stay_between_those_there_were_for_any_parameters():
    """Loads that are rounding errors must not mix: nearly dry drops that lay down all they
    carry.
    """
    color = np.where(
        np.random.default_rng(0).random((12, 12, 1)) < 0.5, [0.0, 0.2, 1.0], [1.0, 0.4, 0.0]
    )
    for evaporation in (0.5, 0.9, 0.999, 1.0):
        rules = Rules(Kd=1.0, Kw=evaporation, edges="closed", max_path_len=100)
        after = by_kernel(Scene(fractal(12, 12), color=color.astype(np.float32)), rules, 3000).color
        assert after.min() >= -1e-6 and after.max() <= 1 + 1e-6
        assert after[..., 1].min() >= 0.2 - 1e-6 and after[..., 1].max() <= 0.4 + 1e-6


# Golden run


def test_the_golden_run_gives_the_golden_numbers():
    """Recorded from by_reference(Scene(fractal(16, 16, 10.0, seed=4)), Rules(edges="open",
    max_path_len=30), 40).
    """
    after = by_kernel(
        Scene(fractal(16, 16, 10.0, seed=4)), Rules(edges="open", max_path_len=30), 40
    )
    assert (after.moves, after.long_paths, after.random_directions) == (172, 3, 0)
    assert after.eroded == pytest.approx(54.602629993, rel=1e-6)
    assert after.exported == pytest.approx(32.917005370, rel=1e-6)
    assert after.loose.sum() == pytest.approx(16.839207153, rel=1e-6)
    assert after.height[8, 8] == pytest.approx(2.451203319, rel=1e-6)
    assert after.height.max() == pytest.approx(9.827282343, rel=1e-6)
