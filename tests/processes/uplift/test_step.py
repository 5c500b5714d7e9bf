"""Uplift and rivers: known answers of the stream power law, and behavior artists rely on."""

import math

import numpy as np
import pytest

from erosion_addon import InputError, Recipe, Terrain, erode
from erosion_addon.drainage.flow_graph import FlowGraph
from erosion_addon.drainage.land import Land
from erosion_addon.drainage.land_statistics import statistics
from erosion_addon.processes.shared.state import State
from erosion_addon.processes.uplift.parameters import UpliftParameters
from erosion_addon.processes.uplift.step import STEPS, UpliftStep
from erosion_addon.run.step_state import set_step_arrays, step_arrays
from erosion_addon.terrain.limits import NO_LIMITS, Limits
from tests.terrains import fractal, plane

PURE = {"deposition": 0.0, "slope_limit": 90.0, "hillslope_length": 1e-3}
"""Rivers alone: nothing laid down, no falls, no creep to speak of."""


def run(terrain, seed=1, masks=None, edges=None, **values):
    recipe = Recipe.from_dict({"name": "rivers", "step": [{"kind": "uplift", **values}]})
    return erode(terrain, recipe, seed=seed, masks=masks, edges=edges)


def noise(side=96, size=4000.0, relief=850.0, seed=3):
    return Terrain(fractal(side, side, relief, seed=seed, steepness=1.8), size / side)


def flooded(terrain, edges="open"):
    """Depth of water in pits, m."""
    graph = FlowGraph(terrain.shape, terrain.spacing, edges)
    flat = graph.padded(terrain.elevation)
    graph.route(flat)
    return graph.inside(graph.filled(flat)) - terrain.elevation


def steady(**values):
    """A steady-state range and its graph; concavity 0.4, U = 0.5 and K = 10 mm/year at 1 km²."""
    terrain = noise(64, 20_000.0, 100.0)
    after = run(terrain, uplift=0.5, years=2e7, concavity=0.4, erodibility=10.0, **PURE, **values)
    graph = FlowGraph(terrain.shape, terrain.spacing)
    flat = graph.padded(after.elevation)
    graph.route(flat)
    receivers = graph.receivers()
    side = 64
    cell = terrain.cell_size
    rows, cols = np.mgrid[0:side, 0:side]
    distance = np.hypot(receivers // side - rows, receivers % side - cols) * cell
    return after.elevation, graph, receivers, distance, graph.inside(graph.drainage_area())


def test_a_steady_river_is_as_steep_as_uplift_and_area_demand():
    """U = K A^m S in every channel (slope exponent 1). Brooks change their beds in every time step,
    rivers do not.
    """
    heights, graph, receivers, distance, areas = steady()
    rivers = (areas > 20 * areas.min()) & ~graph.outlets
    slopes = (heights - heights.ravel()[receivers])[rivers] / distance[rivers]
    ratio = slopes / (0.5e-3 / (10e-3 * (areas[rivers] / 1e6) ** 0.4))
    assert rivers.sum() > 300
    assert np.median(ratio) == pytest.approx(1.0, abs=0.01)
    assert 0.96 < np.percentile(ratio, 10) < np.percentile(ratio, 90) < 1.04


@pytest.mark.slow
@pytest.mark.parametrize("exponent", [0.7, 1.5, 2.0])
def test_a_steady_river_is_as_steep_as_its_slope_exponent_demands(exponent):
    """S A^(m/n) = (U/K)^(1/n): on a steady range, along rivers that keep their beds."""
    heights, graph, receivers, distance, areas = steady(slope_exponent=exponent)
    rivers = (areas > 20 * areas.min()) & ~graph.outlets
    slopes = (heights - heights.ravel()[receivers])[rivers] / distance[rivers]
    ratio = slopes * (areas[rivers] / 1e6) ** 0.4 / (0.5 / 10.0) ** (1 / exponent)
    assert rivers.sum() > 300
    assert np.median(ratio) == pytest.approx(1.0, abs=0.01)
    assert 0.94 < np.percentile(ratio, 10) < np.percentile(ratio, 90) < 1.06


def test_all_tributaries_lie_on_one_line_over_chi():
    """z = U / K χ with χ = ∫ (1 km² / A)^m ds from the outlet (Perron & Royden 2013)."""
    heights, graph, receivers, distance, areas = steady()
    chi = np.zeros(areas.size)
    base = heights.ravel().copy()
    flat_areas = areas.ravel()
    lengths = distance.ravel()
    for cell in np.argsort(heights.ravel()):  # receivers lie lower
        if not graph.outlets.ravel()[cell]:
            base[cell] = base[receivers.ravel()[cell]]
            chi[cell] = (
                chi[receivers.ravel()[cell]] + lengths[cell] * (1e6 / flat_areas[cell]) ** 0.4
            )
    rivers = ((areas > 20 * areas.min()) & ~graph.outlets).ravel()
    rise = (heights.ravel() - base - 0.05 * chi)[rivers]
    assert np.std(rise) < 0.02 * np.ptp(heights.ravel()[rivers])


def test_before_the_wave_arrives_the_land_rises_unharmed():
    terrain = noise(48, 40_000.0, 50.0)
    after = run(terrain, uplift=0.5, years=2000.0, erodibility=0.01, breach=0.0, **PURE)
    inside = np.s_[8:-8, 8:-8]
    np.testing.assert_allclose((after.elevation - terrain.elevation)[inside], 1.0, atol=0.01)
    np.testing.assert_allclose(after["uplift"][inside], 1.0, rtol=1e-12)
    assert after["wear"][inside].max() < 0.01


@pytest.mark.slow
def test_a_wave_of_steeper_rivers_climbs_at_its_speed_and_leaves_a_steady_range():
    """After a tenth more uplift: new slopes where ∫ ds / (K Aᵐ) from the outlet is less than the
    time, else old ones.

    The time of the whole range is the greatest of these integrals (Whipple & Tucker 1999).
    """
    heights, graph, receivers, distance, areas = steady()
    arrival = np.zeros(areas.size)
    flat_areas = areas.ravel()
    lengths = distance.ravel()
    for cell in np.argsort(heights.ravel()):  # receivers lie lower
        if not graph.outlets.ravel()[cell]:
            slowness = 1.0 / (10e-3 * (flat_areas[cell] / 1e6) ** 0.4)
            arrival[cell] = arrival[receivers.ravel()[cell]] + lengths[cell] * slowness
    rivers = ((areas > 20 * areas.min()) & ~graph.outlets).ravel()
    terrain = Terrain(heights, 20_000.0 / 64)
    for years in (0.2 * arrival.max(), arrival.max()):
        after = run(
            terrain, uplift=0.55, years=years, concavity=0.4, erodibility=10.0, breach=0.0, **PURE
        )
        fall = after.elevation.ravel() - after.elevation.ravel()[receivers.ravel()]
        ratio = fall / np.maximum(lengths, 1.0) * 10e-3 * (flat_areas / 1e6) ** 0.4 / 0.55e-3
        behind = ratio[rivers & (arrival < 0.6 * years)]
        ahead = ratio[rivers & (arrival > 1.4 * years)]
        assert np.median(behind) == pytest.approx(1.0, abs=0.01)
        if ahead.size:
            assert np.median(ahead) == pytest.approx(0.5 / 0.55, abs=0.02)
        if years == arrival.max():
            everywhere = ratio[rivers]
            assert np.median(everywhere) == pytest.approx(1.0, abs=0.01)
            assert 0.95 < np.percentile(everywhere, 5) < np.percentile(everywhere, 95) < 1.05


def test_rising_land_adds_its_volume_and_the_balance_holds():
    terrain = noise(48)
    after = run(terrain, uplift=0.3, years=50_000.0)
    mass = after.report["mass"]
    area = np.prod(terrain.spacing)
    # the border stands
    assert mass["added"] == pytest.approx(0.3e-3 * 50_000 * 46 * 46 * area, rel=1e-9)
    assert abs(mass["error"]) <= 1e-11 * mass["moved"]
    raised = after["bedrock"] - terrain.elevation + after["wear"]
    np.testing.assert_allclose(raised, after["uplift"], atol=2e-3)


def test_a_hillslope_between_two_rivers_is_a_parabola():
    """z = U / 2D (L²/4 - x²): the middle of a strip five times as long as wide, whose border
    stands.
    """
    shape = (101, 21)
    cell = 10.0
    length = 20_000.0  # creep alone: rivers of 20 cells cut a thousandth of it
    width = 200.0
    given = {
        "uplift": 0.1,
        "erodibility": 1e-3,
        "slope_limit": 90.0,
        "deposition": 0.0,
        "hillslope_length": length,
    }
    diffusivity = UpliftParameters(**given).diffusivity(shape, (cell, cell))
    after = run(Terrain(np.zeros(shape), cell), years=width**2 / diffusivity, **given)
    x = (np.arange(shape[1]) - shape[1] // 2) * cell
    expected = 0.1e-3 / (2 * diffusivity) * (width**2 / 4 - x**2)
    np.testing.assert_allclose(after.elevation[shape[0] // 2], expected, atol=0.02 * expected.max())


def test_noise_becomes_one_net_of_valleys_that_leads_out():
    """Pits deeper than 1 % of the relief: 30 % of the start, under 2 % of the land after."""
    terrain = noise()
    after = run(terrain)
    relief = np.ptp(terrain.elevation)
    assert (flooded(terrain) > 0.01 * relief).mean() > 0.1
    assert (flooded(after) > 0.01 * relief).mean() < 0.02


def test_no_slope_stays_steeper_than_the_limit():
    after = run(noise(), slope_limit=30.0, years=200_000.0)
    slope = np.hypot(*np.gradient(after.elevation, *after.spacing))[2:-2, 2:-2]
    assert np.degrees(np.arctan(np.percentile(slope, 95))) < 32.5
    assert np.degrees(np.arctan(np.percentile(slope, 99))) < 34.0


@pytest.mark.slow
@pytest.mark.parametrize("rotation", [0, 1])
def test_kept_steepness_leaves_walls_where_the_land_is_steep(rotation):
    """A wall of 60° and a slope of 40° without rivers, under a limit of 30° of which half of the
    excess is kept.
    """
    x = np.arange(120) * 10.0
    profile = np.interp(x, [0, 400, 1000, 1200], np.cumsum([0, 0, 600 * 0.839, 200 * 1.732]))
    heights = np.rot90(np.tile(profile, (90, 1)), rotation)
    given = {"years": 100_000.0, "erodibility": 0.0, "slope_limit": 30.0, "hillslope_length": 10.0}
    plain, kept = (
        run(Terrain(heights, 10.0), edges="closed", keep_steepness=keep, **given)
        for keep in (0.0, 0.5)
    )
    slope = [
        np.rot90(np.hypot(*np.gradient(after.elevation, 10.0)), -rotation)[45]
        for after in (plain, kept)
    ]
    assert np.median(slope[0][55:85]) == pytest.approx(0.577, abs=0.02)  # tan 30°
    # halfway to 40°
    assert np.median(slope[1][55:85]) == pytest.approx((0.577 + 0.839) / 2, abs=0.03)
    # halfway to 60°
    assert np.median(slope[1][106:114]) == pytest.approx((0.577 + 1.732) / 2, abs=0.08)


def test_kept_steepness_changes_nothing_on_land_below_the_limit():
    gentle = noise(64, relief=300.0)
    plain, kept = (run(gentle, slope_limit=60.0, keep_steepness=keep) for keep in (0.0, 1.0))
    assert kept.elevation.tobytes() == plain.elevation.tobytes()


@pytest.mark.slow
@pytest.mark.parametrize("years", [100.0, 1000.0, 10_000.0])
def test_age_begins_at_the_untouched_land_and_goes_on_without_a_jump(years):
    """Twice the age changes the land by between one and two and a half times as much."""
    terrain = noise(64)
    once, twice = (
        np.abs(run(terrain, years=y).elevation - terrain.elevation).mean()
        for y in (years, 2 * years)
    )
    assert once < twice < 2.5 * once


def test_no_years_change_no_byte():
    terrain = noise(32)
    assert run(terrain, years=0.0, uplift=1.0).elevation.tobytes() == terrain.elevation.tobytes()


@pytest.mark.slow
def test_a_rough_cone_wears_alike_all_around():
    """The steepest of eight neighbors favors axes and diagonals; chance, and limits that know no
    direction, do not.

    (On a smooth cone brooks run side by side along the axes and join between them: there a quarter
    less is worn.)
    """
    side = 129
    cell = 20.0
    row, col = np.mgrid[0:side, 0:side] - side // 2
    distance = np.hypot(row, col)
    cone = np.maximum(60 - distance, 0.0) * cell * 0.5
    rough = [
        Terrain(cone + fractal(side, side, 30.0, seed=seed, steepness=1.0), cell)
        for seed in range(6)
    ]
    wear = sum(run(terrain, seed, years=100_000.0)["wear"] for seed, terrain in enumerate(rough))
    ring = (distance > 25) & (distance < 50)
    azimuth = np.degrees(np.arctan2(row, col))
    sectors = [
        wear[ring & (np.abs((azimuth - at + 45) % 90 - 45) < 7.5)].mean() for at in range(0, 90, 15)
    ]
    assert max(sectors) / min(sectors) < 1.15


def test_rain_on_one_half_cuts_that_half():
    terrain = Terrain(plane(64, 64, 0.0, 20.0) + fractal(64, 64, 5.0, seed=2), 50.0)
    rain = np.ones((64, 64))
    rain[:32] = 0.0
    wear = run(terrain, masks={"rain": rain}, hillslope_length=1.0, slope_limit=80.0)["wear"]
    assert wear[:24].mean() < 0.05 * wear[40:].mean()


def test_land_rises_where_the_mask_is_painted_and_by_the_terrains_pattern():
    terrain = noise(48)
    painted = np.zeros((48, 48))
    painted[:, 24:] = 2.0
    raised = run(terrain, masks={"uplift": painted}, uplift=0.1, years=10_000.0)["uplift"]
    assert not raised[:, :24].any() and raised[1:-1, 24:-1].min() == pytest.approx(2.0)
    pattern = run(terrain, uplift=0.1, years=10_000.0, pattern="terrain")["uplift"]
    heights = terrain.elevation - terrain.elevation.min()
    np.testing.assert_allclose(
        pattern[1:-1, 1:-1], (heights / heights.max())[1:-1, 1:-1], rtol=1e-12
    )


def test_nothing_is_cut_below_the_sea():
    terrain = noise(64, relief=400.0)
    after = run(terrain, sea=True, sea_level=150.0, years=500_000.0)
    drowned = terrain.elevation < 150.0
    np.testing.assert_array_equal(after.elevation[drowned], terrain.elevation[drowned])
    assert after.elevation[~drowned].min() > 149.0


@pytest.mark.slow
@pytest.mark.parametrize("edges", ["open", "wrap", "closed"])
@pytest.mark.parametrize("coarse", [False, True])
def test_water_leaves_at_the_outlets_of_the_mask_and_the_ground_stands_there(edges, coarse):
    land = noise(64)
    gates = np.zeros(land.elevation.shape, np.float32)
    gates[0, 30] = gates[40, 21] = 1.0
    gates[10, 10] = 0.4  # is none yet
    made = run(land, edges=edges, masks={"outlet": gates}, coarse_to_fine=coarse, uplift=0.5)
    np.testing.assert_array_equal(made.elevation[gates == 1.0], land.elevation[gates == 1.0])
    assert made.elevation[10, 10] != land.elevation[10, 10]
    graph = FlowGraph(gates.shape, land.spacing, edges, gates >= 0.5)
    heights = graph.padded(made.elevation)
    graph.route(heights)
    assert graph.inside(graph.filled(heights) - heights).max() < 0.01 * np.ptp(made.elevation)
    assert abs(made.report["mass"]["error"]) < 1e-9 * made.report["mass"]["moved"]


def test_hard_rock_stands_above_soft_rock():
    terrain = Terrain(plane(64, 64, 0.0, 20.0) + fractal(64, 64, 5.0, seed=2), 50.0)
    hardness = np.zeros((64, 64))
    hardness[:, 30:34] = 0.9
    wear = run(terrain, masks={"hardness": hardness}, years=50_000.0)["wear"]
    assert wear[8:-8, 31:33].mean() < 0.5 * wear[8:-8, 40:50].mean()


@pytest.mark.parametrize("exponent", [0.5, 0.7, 1.5, 3.0])
@pytest.mark.parametrize("cell", [2.0, 90.0])
def test_partly_hard_rock_without_water_or_fall_is_cut_by_no_more_than_numbers(exponent, cell):
    """Level plateaus and steps, where F is 0, on ground on a third of which no rain falls."""
    rain = np.ones((24, 30), np.float32)
    rain[:, :10] = 0.0
    for heights in (np.full((24, 30), 100.0), np.floor(fractal(24, 30, 300.0) / 60.0) * 60.0):
        for hardness in (np.full((24, 30), 0.5), np.random.default_rng(1).uniform(0, 1, (24, 30))):
            masks = {"hardness": hardness, "rain": rain}
            after = run(
                Terrain(heights, cell), edges="closed", masks=masks, slope_exponent=exponent
            )
            assert np.isfinite(after.elevation).all()
            mass = after.report["mass"]
            # three sums at each height in each time step
            rounding = 3 * STEPS * 2**-52 * heights.sum() * cell * cell
            assert abs(mass["error"]) <= 1e-9 * mass["moved"] + rounding


def test_a_rim_of_hard_rock_yields_to_the_lake_behind_it():
    heights = plane(64, 64, 0.0, 20.0) + fractal(64, 64, 5.0, seed=2)
    heights[:, 30:34] += 60.0
    hardness = np.zeros((64, 64))
    hardness[:, 30:34] = 0.985
    after = run(Terrain(heights, 50.0), masks={"hardness": hardness}, years=100_000.0)
    assert statistics(after.elevation, (50.0, 50.0))["free_drainage"] > 0.99
    assert after["wear"][8:-8, 31:33].mean() < 40.0


def test_a_lake_cuts_its_way_out_along_a_bed_that_rises_gently_to_the_rim():
    """10 m over 190 cells, and hardly any fall beyond: what the lake cuts is a share of its depth,
    not of one cell's rise.
    """
    bed = np.interp(np.arange(260), [0, 30, 220, 259], [60.0, 40.0, 50.0, 49.0])
    banks = 1.5 * np.abs(np.arange(41) - 20.0)
    land = Terrain(bed + banks[:, np.newaxis], 10.0)
    assert flooded(land).max() == pytest.approx(10.0)
    after = run(land, years=20_000.0, deposition=0.0, slope_limit=90.0, coarse_to_fine=False)
    assert flooded(after).max() < 0.1


@pytest.mark.slow
@pytest.mark.parametrize("exponent", [1.0, 1.5])
def test_hard_rock_wears_as_much_in_many_short_time_steps(monkeypatch, exponent):
    """A step's share of the fall, and of what stands above the slope limit, is no multiple of
    hardness.
    """
    terrain = Terrain(plane(64, 64, 0.0, 20.0) + fractal(64, 64, 200.0, seed=2), 20.0)
    masks = {"hardness": np.full((64, 64), 0.985)}
    cut = []
    for steps in (STEPS, 2 * STEPS):
        monkeypatch.setattr("erosion_addon.processes.uplift.step.STEPS", steps)
        wear = run(terrain, masks=masks, slope_exponent=exponent, coarse_to_fine=False)["wear"]
        cut.append(wear[8:-8, 8:-8].mean())
    assert cut[1] == pytest.approx(cut[0], rel=0.1)


@pytest.mark.parametrize("edges", ["open", "closed", "wrap"])
@pytest.mark.parametrize("share", [3.0, 3000.0])
def test_creep_solves_its_equation(edges, share):
    """Against a dense solver, along columns of a masked terrain."""
    heights = fractal(9, 12, 30.0, seed=1)
    masks = {"strength": np.random.default_rng(2).uniform(0, 1, heights.shape).astype(np.float32)}
    state = State(heights, {"sediment": np.zeros(heights.shape)}, masks, (10.0, 10.0), edges, 1)
    step = UpliftStep(state, UpliftParameters(), 1)
    step._drain()
    rows = heights.shape[0]
    columns = step._creep.Lines(start=15, step=1, cell_step=14, cells=rows)
    step._creep_along(share, columns, 12)
    ease = np.minimum(step._ease.reshape(11, 14), 1.0)[1:-1, 1:-1].astype(float)
    outlets = step._graph.inside(step._graph.network.toward) == 8
    for col in range(12):
        matrix = np.eye(rows)
        for row in range(rows):
            for other in (row - 1, row + 1):
                if edges != "wrap" and not 0 <= other < rows:
                    continue
                other %= rows
                if not outlets[row, col]:
                    flow = share * min(ease[row, col], ease[other, col])
                    matrix[row, row] += flow
                    matrix[row, other] -= flow
        expected = np.linalg.solve(matrix, heights[:, col])
        np.testing.assert_allclose(
            step._graph.inside(step._memory[1])[:, col], expected, rtol=1e-12, atol=share * 1e-12
        )


@pytest.mark.thorough
@pytest.mark.parametrize("edges", ["closed", "wrap"])
@pytest.mark.parametrize(
    ("shape", "cell", "length"),
    [((64, 64), 0.05, 1e6), ((40, 40), 2.0, 200.0), ((3, 3), 1e-6, 1e6), ((3, 200), 90.0, 1e6)],
)
def test_hillslopes_longer_than_the_land_make_it_level_and_lose_nothing(edges, shape, cell, length):
    """Up to the limit of the parameter, with which the creep of a time step crosses 1e30 cells."""
    terrain = Terrain(fractal(*shape, 100.0), cell)
    for erodibility in (10.0, 1e6):
        after = run(terrain, edges=edges, hillslope_length=length, erodibility=erodibility)
        np.testing.assert_allclose(after.elevation, terrain.elevation.mean(), rtol=1e-12)
        mass = after.report["mass"]
        assert abs(mass["error"]) <= 1e-12 * mass["moved"]


def test_long_hillslopes_keep_every_bit_where_the_strength_is_zero():
    terrain = noise(32)
    strength = np.ones((32, 32), np.float32)
    strength[:, 10:20] = 0.0
    after = run(terrain, hillslope_length=1e6, masks={"strength": strength})
    assert (after.elevation[:, 10:20] == terrain.elevation[:, 10:20]).all()
    assert np.ptp(after.elevation[:, 20:30]) < np.ptp(terrain.elevation[:, 20:30])


def test_as_many_time_steps_again_change_little(monkeypatch):
    terrain = noise(64)
    once = run(terrain).elevation.mean()
    monkeypatch.setattr("erosion_addon.processes.uplift.step.STEPS", 2 * STEPS)
    change = terrain.elevation.mean() - once
    assert run(terrain).elevation.mean() == pytest.approx(once, abs=0.1 * change)


def test_the_valleys_are_the_same_at_another_resolution():
    """Mean heights of 8 × 8 parts of the land, on 64² and 128² cells."""
    fine = fractal(128, 128, 850.0, seed=3)
    coarse = fine.reshape(64, 2, 64, 2).mean((1, 3))
    changes = []
    for heights in (coarse, fine):
        side = heights.shape[0]
        change = run(Terrain(heights, 4000.0 / side)).elevation - heights
        changes.append(change.reshape(8, side // 8, 8, side // 8).mean((1, 3)))
    assert changes[1].mean() == pytest.approx(changes[0].mean(), rel=0.1)
    assert np.corrcoef(changes[0].ravel(), changes[1].ravel())[0, 1] > 0.9
    assert math.isfinite(changes[0].sum())


def test_any_seed_will_do():
    terrain = noise(32)
    changes = {
        seed: run(terrain, seed=seed, years=50_000.0).elevation for seed in (0, 1, 2**31 - 1)
    }
    assert not np.array_equal(changes[0], changes[1]) and np.isfinite(changes[2**31 - 1]).all()


def stepping(terrain, limits=NO_LIMITS, **values):
    fields = {"sediment": np.zeros(terrain.shape)}
    state = State(terrain.elevation, fields, {}, terrain.spacing, "open", 1, limits=limits)
    return UpliftStep(state, UpliftParameters(**values), 7)


def test_what_has_risen_is_told_after_each_part_of_a_time_step():
    terrain = noise(32)
    step = stepping(terrain, uplift=1.0)
    before = float(terrain.elevation.sum())
    for _ in range(7):
        step._phase()
        left, raised = step._total[1:]
        layers = step.layers()
        assert layers["uplift"].sum() == pytest.approx(raised, rel=1e-12) and raised > 0
        assert layers["elevation"].sum() == pytest.approx(before + raised - left, rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("limits", [NO_LIMITS, Limits(max_erosion=20.0)])
def test_a_step_goes_on_from_any_of_its_parts_to_the_same_bytes(limits):
    terrain = noise(48)
    whole = stepping(terrain, limits)
    while whole.advance() < 1:
        pass
    for parts in (1, 2, 3, 61, 119):
        step = stepping(terrain, limits)
        other = stepping(terrain, limits)
        for _ in range(parts):
            step._phase()
        set_step_arrays(other, step_arrays(step))
        while other.advance() < 1:
            pass
        assert other.layers()["elevation"].tobytes() == whole.layers()["elevation"].tobytes()


@pytest.mark.parametrize(
    ("name", "value"), [("_heights", math.nan), ("_heights", math.inf), ("_loose", -1.0)]
)
def test_a_checkpoint_with_ground_that_is_none_is_refused(name, value):
    step = stepping(noise(32))
    arrays = step_arrays(step)
    arrays[name][500] = value
    with pytest.raises(InputError, match=f"The checkpoint is damaged in {name}"):
        set_step_arrays(stepping(noise(32)), arrays)


@pytest.mark.slow
def test_slopes_and_rivers_favor_no_direction_of_the_grid_by_much():
    """Of eight dissected fractal lands together, as each has directions of its own, without their
    borders.
    """
    facing = np.zeros(4)
    rivers = []
    for seed in range(1, 9):
        terrain = Terrain(fractal(128, 128, 850.0, seed=seed), 30.0)
        land = Land(run(terrain).elevation[3:-3, 3:-3].copy(), terrain.spacing)
        facing += land.surface[2]
        rivers.append(statistics(land.elevation, terrain.spacing)["channels_along_grid"])
    axes, diagonals = 4 * facing[:2] / facing[:3].sum() - 1
    assert abs(axes) < 0.05 and abs(diagonals) < 0.05
    assert np.mean(rivers) < 0.05


def test_creep_rounds_a_bump_alike_in_all_directions():
    """Rows and columns creep one after the other."""
    row, col = np.mgrid[-32:33, -32:33]
    distance = np.hypot(row, col)
    step = stepping(
        Terrain(50.0 * np.exp(-((distance / 6.0) ** 2)), 20.0),
        years=50_000.0,
        hillslope_length=100.0,
    )
    for _ in range(4):
        step._raise()
    found = step.elevation()
    assert found.max() < 45.0
    for at in range(4, 20):
        # along the axes, and where a right triangle has whole sides
        ring = found[np.abs(distance - at) < 0.05]
        np.testing.assert_allclose(ring, ring.mean(), atol=0.25)


def test_an_open_edge_is_lowered_with_the_land_behind_it():
    """Crests end at the edge without a wall: there it falls inward no steeper than the land
    inside.
    """
    after = run(noise(), years=400_000.0, slope_limit=26.0).elevation
    steepest = 1.25 * math.tan(math.radians(26.0)) * 4000.0 / 96
    for border, inside in ((after[0], after[1]), (after[-1], after[-2])):
        assert (border - inside).max() < steepest
    for border, inside in ((after[:, 0], after[:, 1]), (after[:, -1], after[:, -2])):
        assert (border - inside).max() < steepest


@pytest.mark.parametrize("edges", ["open", "closed", "wrap"])
@pytest.mark.parametrize("case", ["flat", "drowned", "masked", "drowned and rising"])
def test_land_on_which_no_river_can_cut_stays_and_a_note_says_so(case, edges):
    heights = np.zeros((48, 48)) if case == "flat" else fractal(48, 48, 100.0, seed=1)
    sea = {"sea": True, "sea_level": 500.0} if "drowned" in case else {}
    rising = {"uplift": 1.0} if "rising" in case else {}
    masks = {"strength": np.zeros((48, 48))} if case == "masked" else None
    after = run(Terrain(heights, 20.0), edges=edges, masks=masks, **sea, **rising)
    assert after.elevation.tobytes() == heights.tobytes()
    assert after.report["notes"] == ["The ground did not change."]


@pytest.mark.parametrize("edges", ["open", "closed", "wrap"])
def test_islands_of_one_cell_wear_down_to_the_sea_and_no_further(edges):
    heights = np.full((48, 48), -5.0)
    heights[10, 10] = 30.0
    heights[20:22, 20] = 10.0
    heights[0, 0] = 9.0
    after = run(Terrain(heights, 20.0), edges=edges, sea=True, sea_level=0.0)
    land = heights > 0.0
    np.testing.assert_array_equal(after.elevation[~land], -5.0)
    assert (after.elevation[land] >= 0.0).all() and (after.elevation[land] <= heights[land]).all()
    assert abs(after.report["mass"]["error"]) < 1e-9


def test_closed_flat_land_rises_evenly_where_nothing_can_run_off():
    after = run(Terrain(np.zeros((48, 48)), 20.0), edges="closed", uplift=0.5, years=300_000.0)
    np.testing.assert_allclose(after.elevation, 150.0, rtol=1e-9)


@pytest.mark.slow
def test_land_that_rivers_have_cut_is_recognized_after_more_of_them():
    """As on the elevation model of Big Tujunga: ground under 3° within 2 points, the steepest
    hundredth within 5°.
    """
    once = run(noise(128), years=200_000.0)
    more = run(Terrain(once.elevation, once.spacing[0]), seed=2, years=50_000.0)
    before, after = (statistics(land.elevation, land.spacing) for land in (once, more))
    assert abs(after["flat"] - before["flat"]) < 0.02
    assert after["slope_p99"] < before["slope_p99"] + 5.0
    assert np.corrcoef(once.elevation.ravel(), more.elevation.ravel())[0, 1] > 0.98


BEDS = {
    "name": "beds",
    "layer": [
        {"thickness": 100.0, "color": "#ff0000", "hardness": 1.0},
        {"thickness": 100.0, "color": "#0000ff"},
    ],
}


@pytest.mark.parametrize("coarse_to_fine", [False, True])
def test_beds_rise_with_the_land(coarse_to_fine):
    """Ground in the middle of a bed that never wears rises by 1 m in 1000 years for 100,000 years,
    away from edges, to where a soft bed had been. Without the bed, rivers cut into it.
    """
    land = Terrain(40.0 + fractal(64, 64, 20.0, seed=2), 60.0)
    values = {"kind": "uplift", "uplift": 1.0, "years": 100_000.0, "coarse_to_fine": coarse_to_fine}
    after = erode(land, Recipe.from_dict({"name": "rise", "strata": BEDS, "step": [values]}))
    inner = (slice(2, -2), slice(2, -2))
    np.testing.assert_allclose((after.elevation - land.elevation)[inner], 100.0, atol=0.5)
    bare = after["deposition"][inner] == 0.0
    assert bare.any() and (after["surface_color"][inner][bare] == (1.0, 0.0, 0.0)).all()
    soft = erode(land, Recipe.from_dict({"name": "rise", "step": [values]}))
    assert (soft.elevation - land.elevation)[inner].min() < 85.0


def test_a_later_step_finds_the_beds_where_uplift_has_left_them():
    """Drops of rain wear the soft bed that has risen into the heights of the hard one."""
    land = Terrain(140.0 + fractal(32, 32, 20.0, seed=2), 10.0)
    rain = {"kind": "droplet", "drops_per_cell": 0.02}
    worn = []
    for strata in ({}, {"strata": BEDS}):
        rise = {
            "kind": "uplift",
            "uplift": 1.0,
            "years": 100_000.0,
            "erodibility": 0.0,
            "slope_limit": 90.0,
        }
        rise["hillslope_length"] = 1e-3
        after = erode(
            land, Recipe.from_dict({"name": "rise", **strata, "step": [rise, rain]}), seed=1
        )
        worn.append(float(after["wear"].mean()))
    assert worn[1] == pytest.approx(worn[0], rel=0.01) and worn[0] > 0.01
