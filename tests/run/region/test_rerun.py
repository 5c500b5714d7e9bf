# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs on a region: nothing beyond it changes, mass is told, rivers bring the water from outside,
no border shows.
"""

import dataclasses
import itertools

import numpy as np
import pytest

from erosion_addon import InputError, Recipe, Terrain, erode, erode_region
from erosion_addon.run.region.region import Region
from erosion_addon.run.region.rerun import local_recipe, surroundings
from erosion_addon.terrain.strata import Strata
from tests.processes.test_laws import SHORT, recipe
from tests.terrains import fractal

ROWS = 72
COLS = 90
INSIDE = (slice(20, 50), slice(30, 66))


def land():
    return Terrain(
        fractal(ROWS, COLS, relief=300.0), (8.0, 10.0), {"sediment": np.full((ROWS, COLS), 2.0)}
    )


def region():
    cells = np.zeros((ROWS, COLS), np.float32)
    cells[INSIDE] = 1
    return cells


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "edges"), list(zip(SHORT, itertools.cycle(["open", "closed", "wrap"])))
)
def test_cells_beyond_the_region_keep_every_byte_and_mass_is_told(kind, edges):
    before = land()
    before.fields["wear"] = np.full((ROWS, COLS), 3.0, np.float32)
    strokes = [{"kind": "rain", "radius": 60.0, "strength": 1.0, "dabs": [[480.0, 280.0, 1.0]]}]
    values = {"strokes": strokes} if kind == "brush" else {}
    after = erode_region(before, recipe(kind, **values), region(), seed=4, edges=edges)
    beyond = region() == 0
    for name in ("elevation", "sediment", "wear"):
        assert after[name][beyond].tobytes() == before[name][beyond].tobytes(), name
    for name in set(after.fields) - set(before.fields) - {"bedrock"}:
        assert not after[name][beyond].any(), name
    mass = after.report["mass"]
    change = float((after.elevation - before.elevation).sum()) * 80.0
    suspended = float(np.sum(after.fields.get("suspended", 0.0), dtype=np.float64)) * 80.0
    assert change + suspended == pytest.approx(
        mass["added"] - mass["exported"], abs=1e-6 * max(mass["moved"], 1.0)
    )
    assert abs(mass["error"]) <= 1e-9 * max(mass["moved"], 1.0)
    if kind != "snow":
        assert (after.elevation[INSIDE] != before.elevation[INSIDE]).any()
        np.testing.assert_allclose(
            after["bedrock"],
            after.elevation - after["sediment"] - after.fields.get("soil", 0.0),
            atol=1e-3,
        )


def test_beds_of_a_region_lie_as_on_the_whole():
    beds = Strata.from_dict(
        {**Strata.load("red canyon").to_dict(), "dip": 20.0, "undulation": 30.0}
    )
    still = dataclasses.replace(recipe("talus", rock_angle=90.0), strata=beds)
    before = Terrain(fractal(ROWS, COLS, relief=300.0), (8.0, 10.0))
    after = erode_region(before, still, region(), seed=1)
    cells = region()
    inside = Region.of(cells, (8.0, 10.0), "open").share > 0.9
    np.testing.assert_allclose(
        after["surface_color"][inside],
        beds.colors(before.elevation, (8.0, 10.0))[inside],
        atol=1e-5,
    )


def test_the_change_fades_to_the_border():
    cells = region()
    share = Region.of(cells, (8.0, 10.0), "open").share
    assert share.max() == 1 and not share[cells == 0].any()
    assert share[20, 48] < 0.05 and np.diff(share[20:36, 48]).min() >= 0
    before = land()
    change = np.abs(
        erode_region(before, recipe("talus", reach=100.0), cells, seed=1).elevation
        - before.elevation
    )
    rim = (share > 0) & (share < 0.05)
    assert change[rim].mean() < 0.1 * change[share == 1].mean()


def test_a_region_at_the_edge_of_the_terrain_is_eroded_up_to_it():
    cells = np.zeros((ROWS, COLS), bool)
    cells[:30, 20:60] = True
    share = Region.of(cells, (8.0, 10.0), "open").share
    assert share[0, 40] == 1 and share[29, 40] < 0.05


def test_a_region_goes_on_over_wrapped_edges():
    """Rolling the land rolls the result."""
    bed = fractal(ROWS, COLS, relief=300.0)
    cells = region()
    steps = recipe("talus", reach=100.0)
    here = erode_region(Terrain(bed, 8.0), steps, cells, edges="wrap").elevation
    turned = np.roll(bed, (33, 50), (0, 1)), np.roll(cells, (33, 50), (0, 1))
    there = erode_region(Terrain(turned[0], 8.0), steps, turned[1], edges="wrap").elevation
    assert (there != turned[0]).any() and (there[33:43, 60:70] == turned[0][33:43, 60:70]).all()
    np.testing.assert_allclose(np.roll(there, (-33, -50), (0, 1)), here, atol=1e-9)


def test_rivers_bring_the_water_of_all_land_upstream():
    """A valley that crosses the window: what enters is what lies upstream."""
    row, col = np.mgrid[:60, :40].astype(float)
    # all drains to column 20, and down to row 0
    valley = Terrain(0.5 * row + 3.0 * np.abs(col - 20.2), 10.0)
    cells = np.zeros((60, 40), bool)
    cells[20:30, 12:28] = True
    window = Region.of(cells, valley.spacing, "open")
    entering = surroundings(valley, window, "open", {}).inflow
    top = window.rows[-1]
    river = entering[top - 1 - window.rows[0], 20 - window.cols[0]]
    # the land above the window's last row but its outlets, to the sides and at the top
    upstream = (60 - top - 1) * 38
    assert entering.sum() == pytest.approx(upstream) and river > 0.9 * upstream
    cut = recipe("uplift", years=2_000.0, hillslope_length=5.0)
    deep = erode_region(valley, cut, cells).elevation - valley.elevation
    alone = Terrain(valley.elevation[window.rows][:, window.cols], 10.0)
    shallow = (
        erode(alone, cut, masks={"strength": window.cut(window.share)}).elevation - alone.elevation
    )
    middle = 25, 20
    assert deep[middle] < 1.3 * shallow[25 - window.rows[0], 20 - window.cols[0]] < 0


@pytest.mark.slow
def test_water_of_the_land_upstream_flows_through_the_region():
    """Water enters without a load, and at once; on the whole it gathers for a quarter of an
    hour.
    """
    row, col = np.mgrid[0:40, 0:96]
    before = Terrain(1.8 * np.abs(row - 20.0) + 0.6 * (95.0 - col), 10.0)
    cells = np.zeros(before.shape, np.float32)
    middle = (slice(12, 29), slice(66, 78))
    cells[8:33, 60:84] = 1
    flood = recipe("water", duration=0.5, rain=60.0, cloud_cover=0.0)
    whole = erode(before, flood, seed=1)
    local = erode_region(before, flood, cells, seed=1)
    through = [
        float((one["water_depth"] * one["velocity"][..., 0])[middle].sum())
        for one in (whole, local)
    ]
    # 0.35 of it without the water from around
    assert through[1] == pytest.approx(through[0], rel=0.15)
    assert abs(local.report["mass"]["error"]) < 1e-9 * local.report["mass"]["moved"]


@pytest.mark.parametrize(("kind", "given"), [("droplet", {}), ("rill", {"form": "capacity"})])
def test_as_many_drops_pass_through_a_region_as_on_the_whole(kind, given):
    """In a valley with most of its land upstream, whose drops come loaded. The load is told as
    added.
    """
    row, col = np.mgrid[:160, :96]
    before = Terrain(fractal(160, 96, relief=100.0) + 3.0 * row + 4.0 * np.abs(col - 48.2), 20.0)
    cells = np.zeros(before.shape, np.float32)
    cells[25:75, 22:74] = 1
    steps = Recipe.from_dict({"name": kind, "step": [{"kind": kind, "detail": 0, **given}]})
    whole = erode(before, steps, seed=1, edges="open")
    local = erode_region(before, steps, cells, seed=2, edges="open")
    core = Region.of(cells, before.spacing, "open").share > 0.99
    flow = [float(one["flow"][core].mean()) for one in (whole, local)]
    assert flow[1] == pytest.approx(flow[0], rel=0.3)
    mass = local.report["mass"]
    assert mass["added"] > 0 and abs(mass["error"]) < 1e-9 * mass["moved"]


def test_a_region_gets_the_rain_of_the_whole():
    """Half as much rain in the region as elsewhere is half as many drops, not all of them."""
    row, col = np.mgrid[:64, :64]
    summit = Terrain(-5.0 * np.hypot(row - 31.5, col - 31.5), 10.0)
    cells = np.zeros((64, 64), np.float32)
    cells[20:44, 20:44] = 1
    rain = np.ones((64, 64))
    rain[10:54, 10:54] = 0.5
    drops = [
        erode_region(summit, recipe("droplet"), cells, seed=1, masks=masks).report["steps"][0][
            "drops"
        ]
        for masks in ({}, {"rain": rain})
    ]
    assert drops[1] == pytest.approx(0.5 / rain.mean() * drops[0], rel=0.05)


def test_lengths_in_sides_of_the_terrain_stay_those_of_the_whole():
    given = Recipe.from_dict(
        {
            "name": "all",
            "step": [
                {
                    "kind": "droplet",
                    "detail": 60,
                    "maximum_path": 1.0,
                    "springs": [[0.5, 0.5, 1.0], [0.99, 0.99, 1.0]],
                },
                {"kind": "uplift"},
            ],
        }
    )
    window = Region.of(region(), (10.0, 10.0), "open")
    drops, rivers = (step.parameters for step in local_recipe(given, window).steps)
    longer = max(len(window.rows), len(window.cols))
    assert drops.maximum_path == pytest.approx(COLS / longer) and drops.detail == round(
        60 * longer / COLS
    )
    assert rivers.hillslope_length == pytest.approx(COLS * 10 / 400)
    assert len(drops.springs) == 1
    x, y, _ = drops.springs[0]
    assert window.cols[0] + x * len(window.cols) == pytest.approx(COLS / 2)
    assert window.rows[0] + y * len(window.rows) == pytest.approx(ROWS / 2)


@pytest.mark.thorough
@pytest.mark.slow
def test_no_border_shows():
    """The ground is as rough on both sides of the border as where it was eroded as a whole, and
    nearly so across it.

    There the land before and after mix. What they have not in common is 1/√2 as rough, half and
    half.
    """
    before = erode(Terrain(fractal(256, 256, relief=1000.0), 20.0), Recipe.load("alpine"), seed=1)
    cells = np.zeros((256, 256), bool)
    cells[60:190, 70:200] = True
    after = erode_region(before, Recipe.load("alpine"), cells, seed=9)
    share = Region.of(cells, before.spacing, "open").share
    for low, high in ((0.0, 0.1), (0.1, 0.5), (0.5, 0.99), (0.99, 1.0)):
        band = (share > low) & (share <= high)
        least = 0.7 if (low, high) == (0.1, 0.5) else 0.75
        assert least < roughness(after)[band].std() / roughness(before)[band].std() < 1.3, (
            low,
            high,
        )


def roughness(terrain):
    high = terrain.elevation
    return np.pad(
        4 * high[1:-1, 1:-1] - high[:-2, 1:-1] - high[2:, 1:-1] - high[1:-1, :-2] - high[1:-1, 2:],
        1,
    )


@pytest.mark.parametrize(
    "given, said",
    [
        ((5000.0, 0.0, 6000.0, 10.0), "holds no cell"),
        ((0.0, 0.0, float("nan"), 10.0), "must be numbers"),
        (np.zeros((ROWS, COLS)), "is empty"),
        (np.full((ROWS, COLS), 2.0), "from 0 to 1"),
        (np.ones((3, 3)), "as many rows and columns"),
        ("all", "as many rows and columns"),
    ],
    ids=str,
)
def test_regions_that_are_none_are_refused(given, said):
    with pytest.raises(InputError, match=said):
        erode_region(land(), recipe("talus"), given)


@pytest.mark.slow
def test_the_whole_terrain_as_a_region_is_a_run_on_the_whole():
    everywhere = np.ones((ROWS, COLS))
    for edges in ("open", "closed", "wrap"):
        whole = erode(land(), recipe("rill"), seed=2, edges=edges, masks={"strength": everywhere})
        part = erode_region(land(), recipe("rill"), everywhere, seed=2, edges=edges)
        assert part.elevation.tobytes() == whole.elevation.tobytes()
