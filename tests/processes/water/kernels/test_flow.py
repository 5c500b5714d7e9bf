# SPDX-License-Identifier: GPL-3.0-or-later
"""Pipe model and its bed: a slow reference, and flows with known answers."""

import math

import numpy as np
import pytest

from erosion_addon.base.kernels.ghost_cells import CLOSED, OPEN, WRAP
from erosion_addon.processes.water.kernels import bed as water_ground
from erosion_addon.processes.water.kernels import flow as water
from erosion_addon.processes.water.kernels import level_slopes as water_slopes
from erosion_addon.processes.water.parameters import longest_step
from tests.processes.water.kernels import reference as reference_water
from tests.terrains import fractal

F = np.float32
GRAVITY = 9.81
NO_MASKS = np.zeros((4, 0, 0), F)
SEAMS = (5,), (1, 2, 3), (4, 5, 10), tuple(range(1, 11))
"""Rows of 11 above which a band begins."""
EDGES = {"open": OPEN, "closed": CLOSED, "wrap": WRAP}
RULES = {
    "seconds": 2.0,
    "row_spacing": 8.0,
    "col_spacing": 10.0,
    "evaporation": 1e-4,
    "capacity": 20.0,
    "minimum_tilt": 0.02,
    "pick_up": 0.1,
    "settle": 0.05,
    "rock": 0.05,
    "repose": 0.4,
    "slide": 0.05,
    "bank": 4.0,
    "dry": 0.99,
    "grow": 0.05,
    "die": 0.1,
    "fresh": 0.01,
    "grass_slope": 1.0,
    "protection": 0.8,
    "gravity": GRAVITY,
}


def pipes(edges, row_spacing=10.0, col_spacing=10.0, friction=0.05, pipe_depth=2.0, seconds=None):
    seconds = seconds or longest_step(row_spacing, col_spacing, GRAVITY, pipe_depth)
    return water.Pipes(
        F(seconds),
        F(GRAVITY * seconds / row_spacing),
        F(GRAVITY * seconds / col_spacing),
        F(1 / row_spacing),
        F(1 / col_spacing),
        F(GRAVITY),
        F(friction),
        F(pipe_depth),
        seconds / row_spacing,
        seconds / col_spacing,
        edges,
    )


def bands(shape, kernels, seams=()):
    """First rows of bands with a number of seams inside, number of rows, and working memory."""
    rows, cols = shape
    return (
        np.array([0, *seams, rows]),
        kernels.make_seams(len(seams) + 1, cols),
        kernels.make_rows(cols),
    )


class Basin:
    """Water over a bed, at rest at the start."""

    def __init__(self, bed, depth, edges=CLOSED, level=-math.inf, **constants):
        self.bed = np.ascontiguousarray(bed, float)
        self.depth = np.broadcast_to(np.asarray(depth, float), self.bed.shape).copy()
        self.suspended = np.zeros(self.bed.shape)
        rows, cols = self.bed.shape
        self.flux_x = np.zeros((rows, cols + 1), F)
        self.flux_y = np.zeros((rows + 1, cols), F)
        self.pipes, self.beyond = (
            pipes(edges, **constants),
            water.make_beyond(self.bed.shape, level),
        )
        self.spring([], [])
        self.totals = water.make_totals(rows)

    def spring(self, cells, depths):
        """Let springs rise in cells, by flat index in order. depths: m in a step."""
        cells = np.array(cells, np.int64)
        self.springs = water.by_row(cells, self.bed.shape), cells, np.array(depths, float)

    def slopes(self):
        steep = np.empty(self.bed.shape, F)
        work = water.make_rows(steep.shape[1])
        water_slopes.fill_slopes(self.bed, self.depth, 0, len(steep), steep, work, self.pipes)
        return steep

    def run(self, steps, seams=(), steep=None):
        """Steps with the slopes at their beginning, or with given ones."""
        steep = self.slopes() if steep is None else steep
        water.run_water(
            water.Maps(
                self.bed, steep, self.depth, self.suspended, self.flux_x, self.flux_y, self.beyond
            ),
            self.springs,
            steps,
            *bands(self.bed.shape, water, seams),
            self.pipes,
            self.totals,
        )
        return self


def random_basin(edges, seed=0, rows=11, cols=14, **constants):
    random = np.random.default_rng(seed)
    depth = np.maximum(random.normal(0.3, 0.5, (rows, cols)), 0.0)
    basin = Basin(fractal(rows, cols, 12.0, seed=seed), depth, edges, **constants)
    basin.suspended[:] = 0.1 * basin.depth * random.random((rows, cols))
    return basin


@pytest.mark.slow
@pytest.mark.parametrize("edges", EDGES)
@pytest.mark.parametrize("level", [-math.inf, 6.0])
def test_the_pipes_do_as_the_slow_reference(edges, level):
    basin = random_basin(EDGES[edges], row_spacing=8.0, level=level)
    rows, cols = basin.bed.shape
    slow = reference_water.Water(
        basin.bed,
        basin.depth.copy(),
        basin.suspended.copy(),
        *(np.zeros((rows, cols)) for _ in range(3)),
        edges,
        8.0,
        10.0,
        level,
    )
    for _ in range(60):
        basin.run(1)
        reference_water.run(slow, basin.pipes.row_share * 8.0, GRAVITY, 0.05, 2.0)
    # float32 fluxes, 60 steps: 60 · 6e-8 of depths up to meters, some more where water has just run
    # dry.
    assert np.allclose(basin.depth, slow.depth, atol=1e-4)
    assert np.allclose(basin.suspended, slow.suspended, atol=1e-5)
    for fast, exact in ((basin.totals.outflow, slow.outflow), (basin.totals.inflow, slow.inflow)):
        assert fast.sum() == pytest.approx(exact, rel=1e-4, abs=1e-9)
    assert basin.totals.exported.sum() == pytest.approx(slow.exported, rel=1e-4, abs=1e-9)


def test_walls_all_around_are_closed_edges():
    walled = random_basin(OPEN, level=math.inf).run(60)
    closed = random_basin(CLOSED).run(60, (5,))
    assert_the_same(walled, closed)
    assert not walled.totals.outflow.any() and walled.depth.sum() > 0


def test_a_wall_along_one_side_lets_water_out_over_the_others():
    basin = Basin(np.zeros((6, 8)), 1.0, OPEN)
    basin.beyond.first_col[:] = math.inf
    basin.run(20)
    assert (
        not basin.flux_x[:, 0].any()
        and (basin.flux_x[:, -1] > 0).all()
        and (basin.flux_y[0] < 0).all()
    )


def springing_basin(edges):
    """Basin with springs in its first row, its last row and between."""
    basin = random_basin(edges, level=6.0)
    basin.spring([3, 75, 10 * 14 + 2], [0.01, 0.02, 0.03])
    return basin


def assert_the_same(basin, other):
    for name in ("depth", "suspended", "flux_x", "flux_y"):
        assert np.array_equal(getattr(basin, name), getattr(other, name)), name
    assert all(
        np.array_equal(one, two) for one, two in zip(basin.totals, other.totals, strict=True)
    )


@pytest.mark.parametrize("edges", EDGES.values())
def test_bands_of_rows_give_the_same_bits_as_all_rows_at_once(edges):
    whole = springing_basin(edges).run(42)
    for seams in SEAMS:
        assert_the_same(whole, springing_basin(edges).run(42, seams))


@pytest.mark.parametrize("edges", EDGES.values())
def test_steps_taken_in_one_visit_give_the_same_bits_as_one_by_one(edges):
    for seams in ((), (5,), (1, 2, 3)):
        together = springing_basin(edges).run(42, seams)
        singly = springing_basin(edges)
        steep = singly.slopes()
        for _ in range(42):
            singly.run(1, seams, steep)
        assert_the_same(together, singly)


@pytest.mark.parametrize("seams", [(), (5,)])
def test_a_spring_gives_its_depth_each_step_where_it_rises(seams):
    """In pits, so that the water stays there."""
    cells = [3, 75, 10 * 14 + 2]
    depths = np.array([0.01, 0.02, 0.03])
    bed = np.full((11, 14), 5.0)
    bed.flat[cells] = 0.0
    basin = Basin(bed, 0.0, WRAP)
    expected = np.zeros((11, 14))
    basin.spring(cells, depths)
    expected.flat[cells] = 10 * depths
    np.testing.assert_allclose(basin.run(10, seams).depth, expected, rtol=1e-12)


def run_ground(bed, soil, depth, suspended, flux_x, flux_y, moisture, grass, *rest):
    """One step of the bed on all bands."""
    flow, rain, masks, starts, seams, work, ground, sums = rest
    maps = water_ground.Maps(
        bed, soil, depth, suspended, flux_x, flux_y, moisture, grass, flow, rain, masks
    )
    for seam, start in enumerate(starts):
        water_ground.fill_seam(maps, start, seam, seams, work, ground)
    for band in range(len(starts) - 1):
        water_ground.sweep(maps, starts[band], starts[band + 1], band, seams, work, ground, sums)


def settled(edges, masked, seams):
    """A wet landscape of 11 rows after some steps of the bed."""
    basin = random_basin(edges, row_spacing=8.0).run(30)
    random = np.random.default_rng(5)
    shape = basin.bed.shape
    soil = np.maximum(random.normal(0.2, 0.3, shape), 0.0)
    moisture, grass, rain = (random.random(shape).astype(F) for _ in range(3))
    masks = random.random((3, *shape)).astype(F) if masked else NO_MASKS
    if masked:
        masks = np.concatenate([masks, masks[2:]])
    ground = water_ground.Ground(**{name: F(value) for name, value in RULES.items()}, edges=edges)
    flow = np.zeros(shape, F)
    sums = water_ground.make_sums(shape[0])
    changed = (basin.bed, soil, basin.depth, basin.suspended)
    for _ in range(10):
        run_ground(
            *changed,
            basin.flux_x,
            basin.flux_y,
            moisture,
            grass,
            flow,
            rain * F(1e-4),
            masks,
            *bands(shape, water_ground, seams),
            ground,
            sums,
        )
    return (*changed, moisture, grass, flow, *sums)


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("edges", EDGES.values())
def test_bands_of_ground_give_the_same_bits_as_all_rows_at_once(edges, masked):
    whole = settled(edges, masked, ())
    for seams in SEAMS:
        parts = settled(edges, masked, seams)
        assert all(np.array_equal(one, other) for one, other in zip(whole, parts, strict=True)), (
            seams
        )


@pytest.mark.parametrize("edges", EDGES)
def test_the_ground_does_as_the_slow_reference(edges):
    basin = random_basin(EDGES[edges], row_spacing=8.0).run(30)
    random = np.random.default_rng(5)
    shape = basin.bed.shape
    soil = np.maximum(random.normal(0.2, 0.3, shape), 0.0)
    moisture, grass, rain = (random.random(shape).astype(F) for _ in range(3))
    rain *= F(1e-4)
    slow = reference_water.Water(
        basin.bed.copy(),
        basin.depth.copy(),
        basin.suspended.copy(),
        soil.copy(),
        moisture.astype(float),
        grass.astype(float),
        edges,
        8.0,
        10.0,
    )
    slow.flux = [-basin.flux_x[:, :-1], basin.flux_x[:, 1:], -basin.flux_y[:-1], basin.flux_y[1:]]
    ground = water_ground.Ground(
        **{name: F(value) for name, value in RULES.items()}, edges=EDGES[edges]
    )
    flow = np.zeros(shape, F)
    for _ in range(5):
        run_ground(
            basin.bed,
            soil,
            basin.depth,
            basin.suspended,
            basin.flux_x,
            basin.flux_y,
            moisture,
            grass,
            flow,
            rain,
            NO_MASKS,
            *bands(shape, water_ground),
            ground,
            water_ground.make_sums(shape[0]),
        )
        reference_water.settle(slow, RULES, rain)
    # something happened
    assert np.abs(basin.bed - random_basin(OPEN, row_spacing=8.0).bed).max() > 0.1
    for fast, exact in (
        (basin.bed, slow.bed),
        (soil, slow.soil),
        (basin.depth, slow.depth),
        (basin.suspended, slow.suspended),
        (moisture, slow.moisture),
        (grass, slow.grass),
    ):
        assert np.allclose(fast, exact, atol=2e-6, rtol=1e-5)


@pytest.mark.parametrize("edges", EDGES.values())
def test_a_lake_at_rest_stays_level_for_ever(edges):
    bed = fractal(20, 30, 50.0)
    if edges == OPEN:
        bed[[0, -1]] = 60.0
        bed[:, [0, -1]] = 60.0
    lake = Basin(bed, np.maximum(40.0 - bed, 0.0), edges).run(3000)
    wet = lake.depth > 0
    assert wet.any() and not wet.all()
    assert np.abs((lake.bed + lake.depth)[wet] - 40.0).max() <= 40.0 * 1e-12
    assert np.abs(lake.flux_x).max() < 1e-9 and np.abs(lake.flux_y).max() < 1e-9


def test_a_sea_beyond_open_edges_holds_its_level():
    sea = Basin(np.full((8, 9), -3.0), 3.0, OPEN, level=0.0).run(500)
    assert np.all(sea.depth == 3.0) and sea.totals.inflow.sum() == sea.totals.outflow.sum() == 0.0


@pytest.mark.parametrize("edges", EDGES.values())
def test_no_water_and_no_load_is_lost_or_made(edges):
    basin = random_basin(edges, rows=24, cols=31)
    water_before = basin.depth.sum()
    load_before = basin.suspended.sum()
    basin.run(400)
    totals = basin.totals
    assert basin.depth.sum() + totals.outflow.sum() - totals.inflow.sum() == pytest.approx(
        water_before, rel=1e-12
    )
    assert basin.suspended.sum() + totals.exported.sum() == pytest.approx(load_before, rel=1e-12)
    assert basin.depth.min() >= 0 and basin.suspended.min() >= 0
    assert (totals.outflow.sum() > 0) == (edges == OPEN)


def test_a_load_that_fades_never_falls_below_zero():
    # As float32 it would round up to the least denormal, 1.4e-45, and more would leave a cell than
    # there was.
    basin = random_basin(CLOSED, rows=24, cols=31)
    basin.suspended[:] = 7.1e-46
    assert basin.run(50).suspended.min() >= 0


def test_a_dam_break_in_deep_water_is_that_of_linear_waves():
    # Pipes of 1 m under 10 m of water: d'Alembert, c = √(g · 1 m); two steps of half the height run
    # apart.
    depth = np.where(np.arange(400) < 200, 10.1, 10.0) + np.zeros((3, 1))
    dam = Basin(np.zeros((3, 400)), depth, friction=1e-3, pipe_depth=1.0)
    steps = 120
    row = dam.run(steps).depth[1]
    reach = math.sqrt(GRAVITY) * steps * float(dam.pipes.seconds) / 10.0
    assert row[150:200].mean() == pytest.approx(10.05, abs=0.002)
    assert row[205:230].mean() == pytest.approx(10.05, abs=0.002)
    front = 200 + np.argmax(row[200:] < 10.025)
    assert front - 200 == pytest.approx(reach, abs=3)


def bore(high, low, cell):
    """Speed of the bore after a dam break, m/s, and level behind it, m."""
    cols = round(800 / cell)
    early = 30.0
    late = 60.0
    depth = np.where(np.arange(cols) < cols // 2, high, low) + np.zeros((3, 1))
    dam = Basin(
        np.zeros((3, cols)),
        depth,
        friction=1e-4,
        pipe_depth=10.0,
        row_spacing=cell,
        col_spacing=cell,
    )
    done = 0
    fronts = []
    for until in (early, late):
        steps = round(until / float(dam.pipes.seconds))
        row = dam.run(steps - done).depth[1]
        done = steps
        front = cols // 2 + int(np.argmax(row[cols // 2 :] < 0.5 * (low + row[cols // 2 + 4])))
        fronts.append(front * cell)
    return (fronts[1] - fronts[0]) / (late - early), float(
        np.median(row[cols // 2 + 3 : front - 5])
    )


@pytest.mark.parametrize("cell", [10.0, 2.5])
@pytest.mark.parametrize(("low", "speed", "level"), [(1.0, 3.53, 1.541), (0.2, 2.69, 1.276)])
def test_a_bore_is_that_of_the_equations_on_any_grid(low, speed, level, cell):
    # Without advection of momentum, 2 m of water over h₀: a rarefaction q = 2/3 √g (2^1.5 - h^1.5)
    # meets a shock of q = s (h - h₀), s² = g (h + h₀) / 2. Stoker (1957), with advection: 4.18 and
    # 4.39 m/s, 1.454 and 0.792 m.
    found, behind = bore(2.0, low, cell)
    assert found == pytest.approx(speed, rel=0.2 if cell == 10.0 else 0.06)
    assert behind == pytest.approx(level, rel=0.07)


@pytest.mark.slow
@pytest.mark.parametrize("slope", [0.001, 0.01, 0.05, 0.375, 1.0])
def test_water_on_a_tilted_plane_runs_downhill_whatever_the_azimuth(slope):
    # Uniform flow: q = h √(g h S / (f + S)) along the fall. Multiples of 5°; beyond 45° it is the
    # transposed plane.
    side = 41
    depth = 0.2 if slope > 0.005 else 0.02
    speed = math.sqrt(GRAVITY * depth * slope / (0.05 + slope))
    # until the wave from the edge has come half the way to the middle
    seconds = 100.0 / (1.5 * speed)
    y, x = np.mgrid[:side, :side] * 10.0
    for azimuth in np.radians(np.arange(0, 50, 5)):
        plane = Basin(-slope * (x * math.cos(azimuth) + y * math.sin(azimuth)), depth, OPEN)
        for _ in range(round(seconds / float(plane.pipes.seconds) / 3)):
            plane.run(3)
        q_x = float(plane.flux_x[20, 20])
        q_y = float(plane.flux_y[20, 20])
        h = float(plane.depth[20, 20])
        flow = h * math.sqrt(GRAVITY * h * slope / (0.05 + slope))
        assert math.degrees(math.atan2(q_y, q_x) - azimuth) == pytest.approx(0.0, abs=1.0)
        assert math.hypot(q_x, q_y) == pytest.approx(flow, rel=0.03)


def test_steady_flow_down_a_plane_has_the_depth_that_friction_gives():
    # q = h √(g h S / (f + S)): 1 m²/s at S = 0.01, f = 0.05 is h = (0.06 / 0.0981)^(1/3) = 0.849 m.
    bed = np.broadcast_to(0.1 * np.arange(60)[::-1], (3, 60))
    plane = Basin(bed, 0.849, OPEN)
    plane.bed[[0, 2]] += 50.0  # walls
    plane.depth[[0, 2]] = 0.0
    for _ in range(3000):
        plane.depth[1, 0] += plane.pipes.col_share * 1.0
        plane.flux_x[:, 0] = 0.0
        plane.run(1)
    assert plane.flux_x[1, 5:50] == pytest.approx(1.0 - abs(plane.flux_x[1, 0]), rel=0.02)
    q = float(plane.flux_x[1, 30])
    assert plane.depth[1, 10:40] == pytest.approx((q * q * 0.06 / 0.0981) ** (1 / 3), rel=0.02)


def turned(array, way):
    return np.ascontiguousarray(
        {
            "mirror": array[:, ::-1],
            "flip": array[::-1],
            "transpose": array.T,
            "turn": np.rot90(array),
        }[way]
    )


@pytest.mark.parametrize("edges", EDGES.values())
@pytest.mark.parametrize("way", ["mirror", "flip", "transpose", "turn"])
def test_a_turned_terrain_gives_the_same_bits(edges, way):
    constants = water_ground.Ground(
        **{name: F(value) for name, value in RULES.items() if "spacing" not in name},
        row_spacing=F(10),
        col_spacing=F(10),
        edges=edges,
    )
    results = []
    for turn in (lambda array: array, lambda array: turned(array, way)):
        start = random_basin(edges, seed=4)
        basin = Basin(turn(start.bed), turn(start.depth), edges)
        basin.suspended[:] = turn(start.suspended)
        shape = basin.bed.shape
        soil = np.full(shape, 0.3)
        flow = np.zeros(shape, F)
        rain = np.full(shape, 1e-4, F)
        moisture = np.ones(shape, F)
        grass = np.full(shape, 0.2, F)
        for _ in range(40):
            basin.run(2)
            run_ground(
                basin.bed,
                soil,
                basin.depth,
                basin.suspended,
                basin.flux_x,
                basin.flux_y,
                moisture,
                grass,
                flow,
                rain,
                NO_MASKS,
                *bands(shape, water_ground),
                constants,
                water_ground.make_sums(shape[0]),
            )
        results.append((basin.bed, soil, basin.depth, basin.suspended, moisture, grass, flow))
    for straight, other in zip(*results, strict=True):
        assert np.array_equal(turned(straight, way), other)


def test_a_step_twice_as_long_as_the_limit_is_where_waves_would_grow():
    wave = 1.0 + 0.01 * np.random.default_rng(0).standard_normal((12, 12))
    stable = Basin(np.zeros((12, 12)), wave, WRAP, friction=1e-3, pipe_depth=1.0).run(2000)
    assert np.ptp(stable.depth) < np.ptp(wave)
    longest = longest_step(10.0, 10.0, GRAVITY, 1.0)
    wild = Basin(
        np.zeros((12, 12)), wave, WRAP, friction=1e-3, pipe_depth=1.0, seconds=2 * longest
    ).run(2000)
    assert np.isfinite(wild.depth).all() and wild.depth.min() >= 0
    assert np.ptp(wild.depth) > np.ptp(wave)
