# SPDX-License-Identifier: GPL-3.0-or-later
"""Droplet step in meters: mass balance, fields, masks, springs and colors."""

import numpy as np
import pytest

from erosion_addon import FIELDS, InputError, Recipe, Step, Terrain, erode
from erosion_addon.base.parameters import specifications
from erosion_addon.generators.registry import make
from erosion_addon.processes.droplet.parameters import DropletParameters
from erosion_addon.processes.shared.cell_units import HIGHEST_RELIEF
from tests.terrains import fractal, plane, step

EDGES = ("open", "closed", "wrap")


def eroded(terrain, edges="open", seed=1, masks=None, **parameters):
    recipe = Recipe("test", (Step("droplet", DropletParameters(**parameters)),))
    return erode(terrain, recipe, seed=seed, edges=edges, masks=masks)


def one_cell(rows, cols):
    """A path of one step, as a multiple of the longer side; the shortest allowed path may be
    longer.
    """
    return max(0.01, 1 / max(rows, cols))


def hills(rows=24, cols=30, relief=120.0, cell_size=10.0, **fields):
    return Terrain(fractal(rows, cols, relief), cell_size, fields)


# Mass


@pytest.mark.parametrize("edges", EDGES)
def test_no_mass_is_lost_where_the_ground_may_change_by_little(edges):
    """What may not lie where a drop ends is carried out."""
    limits = {"max_erosion": 5.0, "max_deposition": 0.5}
    recipe = Recipe.from_dict({"name": "test", "step": [{"kind": "droplet", "limits": limits}]})
    mass = erode(hills(), recipe, edges=edges).report["mass"]
    assert (
        abs(mass["error"]) <= 1e-9 * mass["moved"]
        and mass["moved"] > 1000
        and mass["exported"] > 100
    )


def test_meters_and_cells_scale_together():
    """A terrain 16 times as large in all directions is eroded 16 times as deep: exactly, being a
    power of two.
    """
    heights = fractal(24, 30, 12.0)
    small = eroded(Terrain(heights, 1.0))
    large = eroded(Terrain(heights * 16, 16.0))
    assert np.array_equal(large.elevation, small.elevation * 16)
    assert np.array_equal(large["wear"], small["wear"] * 16) and np.array_equal(
        large["flow"], small["flow"]
    )
    assert large.report["mass"]["moved"] == small.report["mass"]["moved"] * 16**3


def test_a_drop_walks_in_meters_where_cells_are_not_square():
    """Rows of 5 m, columns of 20 m (so lengths are in 10 m) and a fall of 1 in 1 along both: the
    drop goes 10 m at 45 degrees, which is √2 rows and √2 / 4 columns a step. Nothing is dug; the
    flow says where it was.
    """
    terrain = Terrain(plane(16, 9, fall_along_row=5.0, fall_along_col=20.0), (5.0, 20.0))
    spring = {
        "springs": [[2 / 8, 1 / 15, 1.0]],
        "spring_share": 1.0,
        "drops_per_cell": 1 / 144,
        "start": "corner",
    }
    after = eroded(terrain, erosion_rate=0.0, maximum_path=7 / 16, **spring)
    places = [(round(1 + 2**0.5 * step), round(2 + 2**0.5 / 4 * step)) for step in range(7)]
    assert [tuple(place) for place in np.argwhere(after["flow"])] == places


def test_moisture_is_what_the_formula_says():
    terrain = Terrain(fractal(14, 17, 60.0), (5.0, 20.0))
    after = eroded(terrain, drops_per_cell=2.0, wetness=300.0)
    # np.gradient is by central differences too, one-sided at the edges.
    slope = np.maximum(np.hypot(*np.gradient(after.elevation, 5.0, 20.0)), 0.05)
    wet = np.sqrt(after["flow"] * (10.0 / 2.0) / slope)
    assert np.allclose(after["moisture"], wet / (wet + np.sqrt(300.0)), rtol=1e-5, atol=1e-6)


def test_moved_volume_is_what_the_cells_say_when_one_drop_runs():
    """One drop on a plane never digs where it has laid down: moved is the sum of wear, and exported
    what is missing.
    """
    terrain = Terrain(plane(9, 14, fall_along_col=1.0), 10.0)
    spring = {"springs": [[2 / 13, 0.5, 1.0]], "spring_share": 1.0, "start": "corner"}
    after = eroded(terrain, drops_per_cell=1 / 126, deposition_rate=0.0, **spring)
    mass = after.report["mass"]
    assert mass["moved"] == pytest.approx(after["wear"].sum() * 100, rel=1e-6)
    assert mass["exported"] == pytest.approx(mass["before"] - mass["after"], rel=1e-9)


# Fields


@pytest.mark.parametrize("edges", EDGES)
def test_elevation_is_what_was_less_wear_plus_deposition(edges):
    terrain = hills()
    after = eroded(terrain, edges)
    assert np.allclose(
        after.elevation, terrain.elevation - after["wear"] + after["deposition"], rtol=0, atol=1e-5
    )
    assert after["wear"].min() >= 0 and after["deposition"].min() >= 0
    assert after["wear"].max() > 0.1 and after["deposition"].max() > 0.1
    assert np.array_equal(after["sediment"], after["deposition"])


def test_wear_is_rock_alone_where_loose_material_lay():
    """Elevation = before - wear + (sediment - sediment before); what was loose is no wear."""
    terrain = hills()
    start = np.full(terrain.shape, 0.5, np.float32)
    after = eroded(terrain, masks={"sediment": start})
    expected = terrain.elevation - after["wear"] + after["sediment"] - start
    assert np.allclose(after.elevation, expected, rtol=0, atol=1e-5)
    assert np.allclose(
        after["deposition"], np.maximum(after["sediment"] - start, 0), rtol=0, atol=1e-5
    )
    assert after["sediment"].min() == 0.0
    assert after["wear"][after["sediment"] > 0].sum() < after["wear"].sum()


def test_a_start_layer_can_be_a_field_or_a_mask():
    start = np.full((24, 30), 0.5, np.float32)
    by_field = eroded(hills(sediment=start))
    by_mask = eroded(hills(), masks={"sediment": start})
    assert by_field.report["sha256"] == by_mask.report["sha256"]


def test_fields_have_the_types_of_the_table():
    after = eroded(hills(surface_color=np.full((24, 30, 3), 0.5)))
    assert set(after.fields) == {
        "bedrock",
        "sediment",
        "flow",
        "moisture",
        "wear",
        "deposition",
        "surface_color",
    }
    for name in after.fields:
        assert after[name].dtype == FIELDS[name].dtype and after[name].shape[:2] == (24, 30)


def test_total_flow_is_the_number_of_places_the_drops_were_at():
    """Without evaporation a drop counts 1 at each place: as often as it moved, and where it ended
    by itself.
    """
    after = eroded(hills(), evaporation=0.0, maximum_path=0.5)
    counts = after.report["steps"][0]
    moves = round(counts["mean_path"] * counts["drops"])
    assert after["flow"].sum(dtype=np.float64) == moves + counts["drops"] - counts["paths_cut"]


def test_flow_is_that_of_the_last_step():
    recipe = Recipe("x", (Step("droplet", DropletParameters(evaporation=0.0)),) * 2)
    after = erode(hills(), recipe)
    last = after.report["steps"][-1]
    places = round(last["mean_path"] * last["drops"]) + last["drops"] - last["paths_cut"]
    assert after["flow"].sum(dtype=np.float64) == places


def test_evaporation_of_all_water_leaves_only_where_drops_fell():
    after = eroded(hills(), evaporation=1.0)
    assert after["flow"].sum(dtype=np.float64) == after.report["steps"][0]["drops"]
    assert after.report["mass"]["moved"] == 0


def test_valleys_are_wetter_than_ridges():
    after = eroded(
        Terrain(np.abs(np.arange(-12, 13.0))[:, None] * 5 + plane(25, 30, 0, 1.0), 10.0),
        drops_per_cell=5,
    )
    assert after["moisture"][12].mean() > 3 * after["moisture"][[2, 3, -4, -3]].mean()


# Counts


def test_counts_are_reported():
    counts = eroded(hills(), drops_per_cell=0.5).report["steps"][0]
    assert counts["drops"] == 360 and counts["mean_path"] > 1 and counts["drops_per_second"] > 0


def test_on_flat_ground_every_direction_is_random_and_nothing_moves():
    terrain = Terrain(np.full((10, 10), 55.5), 10.0)
    after = eroded(terrain, "wrap")
    counts = after.report["steps"][0]
    assert counts["random_directions"] == counts["drops"] == 100 and counts["mean_path"] == 0
    assert after.elevation.tobytes() == terrain.elevation.tobytes()


def test_long_paths_are_cut_and_counted_and_lose_nothing():
    after = eroded(Terrain(plane(8, 40, fall_along_col=5.0), 10.0), "closed", maximum_path=0.05)
    counts = after.report["steps"][0]
    assert counts["paths_cut"] > 200 and counts["mean_path"] <= 2
    assert abs(after.report["mass"]["error"]) <= 1e-9 * after.report["mass"]["moved"]


def test_no_drops_change_nothing():
    terrain = hills()
    after = eroded(terrain, drops_per_cell=0.0)
    assert after.elevation.tobytes() == terrain.elevation.tobytes()
    assert after.report["mass"]["moved"] == 0 and after.report["mass"]["error"] == 0
    assert not after["flow"].any() and not after["moisture"].any()


# Masks


def test_strength_0_keeps_every_bit_at_any_height_and_cell_size():
    terrain = Terrain(fractal(24, 30, 120.0) + 1234.5678, 7.3)
    strength = np.zeros(terrain.shape, np.float32)
    strength[:, 15:] = 1.0
    after = eroded(terrain, masks={"strength": strength})
    assert after.elevation[:, :15].tobytes() == terrain.elevation[:, :15].tobytes()
    assert not after["wear"][:, :15].any() and not after["deposition"][:, :15].any()
    assert after["wear"][:, 15:].max() > 0.1
    mass = after.report["mass"]
    assert abs(mass["error"]) <= 1e-9 * mass["moved"]


def test_half_the_strength_changes_less():
    full, half = (
        eroded(hills(), masks={"strength": np.full((24, 30), share)}) for share in (1.0, 0.5)
    )
    assert 0 < half.report["mass"]["moved"] < full.report["mass"]["moved"]


@pytest.mark.parametrize("edges", EDGES)
def test_hard_rock_is_never_worn_and_loose_material_on_it_is(edges):
    terrain = hills()
    masks = {"hardness": np.ones(terrain.shape), "sediment": np.full(terrain.shape, 0.2)}
    after = eroded(terrain, edges, masks=masks)
    assert after["wear"].max() < 1e-6 and after["sediment"].min() < 0.01
    mass = after.report["mass"]
    assert mass["moved"] > 0 and abs(mass["error"]) <= 1e-9 * mass["moved"]
    # All of it is gone before rock would be.
    assert np.all(after.elevation >= terrain.elevation - 0.2 - 1e-6)


def test_without_loose_material_hard_rock_stays_as_it_is():
    terrain = hills()
    after = eroded(terrain, masks={"hardness": np.ones(terrain.shape)})
    assert (
        after.elevation.tobytes() == terrain.elevation.tobytes()
        and after.report["mass"]["moved"] == 0
    )


def test_no_drop_starts_where_the_rain_is_zero():
    rain = np.zeros((20, 20))
    rain[5:8, 10:] = 1.0
    after = eroded(
        hills(20, 20), masks={"rain": rain}, maximum_path=one_cell(20, 20), drops_per_cell=20
    )
    assert after["flow"][rain == 0].max() == 0 and after["flow"][rain > 0].min() > 0


def test_rain_is_relative():
    rain = fractal(12, 12, 1.0)
    little, much = (
        eroded(hills(12, 12), masks={"rain": rain * factor}) for factor in (2.0**-20, 2.0**10)
    )
    assert little.report["sha256"] == much.report["sha256"]


# Springs


def test_a_spring_lies_where_its_x_and_y_say():
    """x along the columns, y along the rows from row 0: the smallest y."""
    for x, y, cell in (
        (0, 0, (0, 0)),
        (1, 0, (0, 29)),
        (0, 1, (23, 0)),
        (1, 1, (23, 29)),
        (10 / 29, 4 / 23, (4, 10)),
    ):
        after = eroded(
            hills(), springs=[[x, y, 1]], spring_share=1.0, maximum_path=one_cell(24, 30)
        )
        assert np.argwhere(after["flow"]).tolist() == [list(cell)]


def test_springs_share_the_drops_with_the_rain_and_among_each_other():
    springs = [[0.0, 0.0, 1.0], [1.0, 1.0, 3.0], [0.5, 0.5, 0.0]]
    after = eroded(
        hills(20, 20),
        springs=springs,
        spring_share=0.5,
        maximum_path=one_cell(20, 20),
        drops_per_cell=100,
    )["flow"]
    # 40 000 drops, of which 20 000 rise: 5 000 and 15 000 (each ± 5 sigma, 350 and 530), and 50
    # fall on each cell.
    assert abs(after[0, 0] - 5050) < 350 and abs(after[19, 19] - 15050) < 530
    assert after[10, 10] < 100 and after.sum() == 40000


def test_springs_without_water_are_no_springs():
    plain = eroded(hills())
    dry = eroded(hills(), springs=[[0.5, 0.5, 0.0]])
    assert plain.report["sha256"] == dry.report["sha256"]


def test_springs_rise_also_where_it_never_rains():
    rain = np.zeros((20, 20))
    rain[:, :3] = 1.0
    after = eroded(
        hills(20, 20),
        springs=[[1.0, 1.0, 1.0]],
        masks={"rain": rain},
        maximum_path=one_cell(20, 20),
        drops_per_cell=9,
    )
    assert after["flow"][19, 19] > 1000 and after["flow"][:, 3:19].max() == 0


QUADRANTS = [
    (slice(0, 20), slice(0, 20)),
    (slice(0, 20), slice(21, 41)),
    (slice(21, 41), slice(0, 20)),
    (slice(21, 41), slice(21, 41)),
]
"""Of 41 × 41 cells around the middle one."""


def fan(after):
    """Share of the flow in each quadrant."""
    flows = [after["flow"][quadrant].sum() for quadrant in QUADRANTS]
    return np.array(flows) / sum(flows)


def cone():
    y, x = np.mgrid[:41, :41] - 20.0
    return Terrain(200.0 - 5.0 * np.hypot(x, y), 10.0)


SUMMIT = {"springs": [[0.5, 0.5, 1.0]], "spring_share": 1.0, "drops_per_cell": 1.0}


@pytest.mark.parametrize("start", ["springs", "anywhere"])
def test_a_spring_on_a_summit_fans_out_to_all_sides(start):
    assert fan(eroded(cone(), start=start, erosion_rate=0.0, **SUMMIT)) == pytest.approx(
        0.25, abs=0.1
    )


def test_the_brook_that_a_spring_cuts_prefers_no_side():
    """Where drops dig, the first channel takes most of the water: which one it is, the seed
    decides.
    """
    fans = [
        fan(eroded(cone(), seed=seed, **{**SUMMIT, "drops_per_cell": 0.03})) for seed in range(60)
    ]
    assert np.mean(fans, axis=0) == pytest.approx(0.25, abs=0.1)


def test_the_sources_corner_sends_a_spring_to_one_side():
    """The gradient of a cell's corner sees what lies ahead of it along both axes: nothing of a
    summit's other sides.
    """
    assert fan(eroded(cone(), start="corner", **SUMMIT)).max() > 0.9


def test_rain_on_a_summit_fans_out_where_drops_start_anywhere():
    y, x = np.mgrid[:41, :41] - 20
    masks = {"rain": (np.hypot(x, y) < 1).astype(float)}
    after = eroded(cone(), masks=masks, start="anywhere", erosion_rate=0.0)
    assert fan(after) == pytest.approx(0.25, abs=0.1)


@pytest.mark.parametrize("edges", EDGES)
def test_a_spring_in_a_corner_of_the_terrain_rises_there(edges):
    """Half a cell before row 0 lies the last row where the edges wrap, and nothing else."""
    after = eroded(
        hills(), edges, springs=[[0, 0, 1]], spring_share=1.0, maximum_path=one_cell(24, 30)
    )["flow"]
    assert after[0, 0] > 0 and after[0, 0] == after.sum()


# Color


def test_sediment_below_a_red_cliff_is_red_and_all_colors_stay_between_those_there_were():
    color = np.full((20, 24, 3), 0.5, np.float32)
    color[:, :11] = (0.9, 0.1, 0.2)
    terrain = Terrain(step(20, 24, edge=10, height=60.0), 10.0, {"surface_color": color})
    after = eroded(terrain, "closed", drops_per_cell=5)
    fan = (after["deposition"] > 1.0) & (np.arange(24) > 11)
    assert fan.sum() > 20
    assert (
        after["surface_color"][fan][:, 0].mean() > 0.6
        and after["surface_color"][fan][:, 1].mean() < 0.4
    )
    for channel, (low, high) in enumerate(((0.5, 0.9), (0.1, 0.5), (0.2, 0.5))):
        values = after["surface_color"][..., channel]
        assert values.min() >= low - 1e-6 and values.max() <= high + 1e-6


def test_color_changes_no_height():
    plain = eroded(hills())
    colored = eroded(hills(surface_color=np.full((24, 30, 3), 0.5)))
    assert plain.report["sha256"]["elevation"] == colored.report["sha256"]["elevation"]


# Refusals and smallest terrains


def test_relief_beyond_all_measure_is_refused():
    heights = np.zeros((5, 5))
    heights[2, 2] = HIGHEST_RELIEF * 1.01
    with pytest.raises(InputError, match="relief is more than 1e\\+07 times the cell size"):
        eroded(Terrain(heights, 1.0))


@pytest.mark.parametrize("edges", EDGES)
@pytest.mark.parametrize("shape", [(3, 3), (3, 50), (50, 3)])
@pytest.mark.parametrize("spacing", [(1.0, 1.0), (1.0, 8.0), (8.0, 1.0)])
def test_the_smallest_terrains_with_the_longest_cells_are_eroded(shape, edges, spacing):
    after = eroded(Terrain(fractal(*shape, 4.0), spacing), edges, drops_per_cell=20)
    mass = after.report["mass"]
    assert abs(mass["error"]) <= 1e-9 * mass["moved"] and after["sediment"].min() >= 0
    assert after.elevation.min() >= 0


def test_a_spike_and_a_hole_do_no_harm():
    for height in (1e6, -1e6):
        heights = fractal(12, 12)
        heights[6, 6] = height
        after = eroded(Terrain(heights), "closed")
        mass = after.report["mass"]
        assert np.isfinite(after.elevation).all() and abs(mass["error"]) <= 1e-9 * max(
            mass["moved"], 1.0
        )


# Golden run


def test_the_golden_run_gives_the_golden_numbers():
    """Recorded from this very line, when the kernel agreed with the reference drop by drop."""
    after = eroded(Terrain(fractal(12, 12, 60.0), 10.0), seed=7, drops_per_cell=0.3, maximum_path=2)
    mass = after.report["mass"]
    assert mass["moved"] == pytest.approx(15824.80496, rel=1e-5)
    assert mass["exported"] == pytest.approx(2132.533214, rel=1e-5)
    assert after["wear"].max() == pytest.approx(4.2653651, rel=1e-5)
    assert after["deposition"].max() == pytest.approx(10.425139, rel=1e-5)
    assert after["flow"].sum() == pytest.approx(213.59247, rel=1e-5)


def test_rain_at_its_soft_limit_leaves_a_landscape():
    """The valleys lie where they lay; 20 drops on a cell leave single spikes in a plain, and
    correlation 0.43.
    """
    most = specifications(DropletParameters)["drops_per_cell"].soft_high
    before = make("fractal", 64, 64, 10.0, 3, {"relief": 100.0})
    recipe = Recipe.from_dict(
        {"name": "test", "step": [{"kind": "droplet", "drops_per_cell": most}]}
    )
    after = erode(before, recipe, seed=1)
    assert np.corrcoef(before.elevation.ravel(), after.elevation.ravel())[0, 1] > 0.55
    assert after.elevation.std() > 0.6 * before.elevation.std()
