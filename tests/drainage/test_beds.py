# SPDX-License-Identifier: GPL-3.0-or-later
"""Beds carved by drawn rivers."""

import numpy as np
import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.drainage.beds import MASKS, carve, carve_rivers, masks
from erosion_addon.drainage.flow_graph import FlowGraph
from erosion_addon.drainage.parameters import BedParameters, CutParameters, RiverParameters
from erosion_addon.drainage.rivers import sea_of, sizes, water_of
from erosion_addon.grid.sampling import sample
from tests.terrains import fractal, plane

BED = BedParameters(width=30.0, depth=2.0, incision=3.0)


def depth_of_pits(land, spacing):
    graph = FlowGraph(land.shape, spacing)
    flat = graph.padded(land)
    graph.route(flat)
    return graph.inside(graph.filled(flat)) - graph.inside(flat)


def test_a_straight_river_has_the_width_the_depth_and_the_banks_that_were_asked():
    land = plane(41, 81, 0.0, 0.1)
    carved = carve(land, (10.0, 10.0), np.array([[0.0, 200.0], [800.0, 200.0]]), BED)
    across = (land - carved)[:, 60]
    assert across[20] == pytest.approx(5.0, abs=0.12)  # 3 m down to the water, and its 2 m
    assert across[19] == pytest.approx(across[21]) == pytest.approx(5.0, abs=0.12)
    assert (across[:19] == 0).all() and (across[22:] == 0).all()
    gorge = carve(
        land,
        (10.0, 10.0),
        np.array([[0.0, 200.0], [800.0, 200.0]]),
        BedParameters(incision=30.0, bank=45.0),
    )
    assert (land - gorge)[22, 60] == pytest.approx(30.0 - (20.0 - 10.5), abs=0.5)


def test_a_river_over_hills_never_rises_and_leaves_no_pit_in_its_way():
    land = fractal(60, 60, 80.0, seed=4) + plane(60, 60, 0.0, 4.0)
    line = np.array([[10.0, 300.0], [250.0, 350.0], [400.0, 200.0], [590.0, 280.0]])
    carved = carve(land, (10.0, 10.0), line, BED)
    assert (carved <= land).all() and (carved == land).mean() > 0.3
    share = np.linspace(0, 1, 400)[:, None]
    way = np.concatenate([line[i] + share * (line[i + 1] - line[i]) for i in range(3)])
    bed = np.array([carved[round(y / 10), round(x / 10)] for x, y in way])
    level = np.minimum.accumulate(sample(land, way[:, 1] / 10, way[:, 0] / 10))
    assert (bed[100:] <= level[100:] - 3.0 + 1e-6).all()
    pits = depth_of_pits(carved, (10.0, 10.0))
    on_way = {(round(y / 10), round(x / 10)) for x, y in way[50:]}
    assert max(pits[place] for place in on_way) < 1e-6


@pytest.mark.parametrize("seed", range(4))
def test_a_river_that_ends_inside_the_land_leaves_no_hollow(seed):
    """Its bed goes on until the ground lies below it; pits of the ground stay as deep as they
    were.
    """
    land = fractal(60, 60, 40.0, seed=seed) + plane(60, 60, 0.0, 2.0)
    line = np.array([[10.0, 300.0], [250.0, 350.0], [300.0, 270.0]])
    before = depth_of_pits(land, (10.0, 10.0))
    carved = carve(land, (10.0, 10.0), line, BED)
    assert (carved < land).any() and (
        depth_of_pits(carved, (10.0, 10.0)) <= before.max() + 1e-9
    ).all()
    assert depth_of_pits(carved, (10.0, 10.0)).sum() <= before.sum()


def test_a_river_into_a_lake_ends_in_it():
    """It digs no deeper than the floor, and the lake keeps its level."""
    x, y = np.meshgrid(np.arange(80) - 40.0, np.arange(80) - 40.0)
    away = np.sqrt(x * x + y * y)
    land = 100.0 - 3.0 * np.abs(away - 20.0)
    carved = carve(land, (10.0, 10.0), np.array([[400.0, 220.0], [400.0, 330.0]]), BED)
    assert (carved < land).any() and carved.min() == land.min() and carved[40, 40] == land[40, 40]
    inside = away < 10.0
    assert (
        depth_of_pits(carved, (10.0, 10.0))[inside].min()
        > 0.9 * depth_of_pits(land, (10.0, 10.0))[inside].min()
    )


def test_cells_off_the_river_keep_their_bytes():
    land = fractal(40, 40, 5.0, seed=1)
    line = np.array([[0.0, 390.0], [390.0, 390.0]])
    carved = carve(land, (10.0, 10.0), line[::-1] if land[39, 0] < land[39, 39] else line, BED)
    assert carved[:20].tobytes() == land[:20].tobytes() and (carved[38:] != land[38:]).any()


def test_a_river_that_leaves_the_land_and_comes_back_goes_on_lower():
    land = plane(40, 40, 0.0, 1.0)
    line = np.array(
        [[50.0, 200.0], [50.0, -100.0], [250.0, -100.0], [250.0, 200.0], [390.0, 200.0]]
    )
    carved = carve(land, (10.0, 10.0), line, BED)
    assert carved[0, 15] == land[0, 15] and carved[10, 25] < land[10, 25] - 2.0


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (np.empty((0, 2)), "has no length"),
        (np.array([[5.0, 5.0]]), "has no length"),
        (np.array([[5.0, 5.0], [5.0, 5.0]]), "has no length"),
        (np.array([[5.0, np.nan], [5.0, 9.0]]), "Brook has a point whose position is not a number"),
        (np.array([[-500.0, 0.0], [-300.0, 50.0]]), "lies outside the terrain"),
        (np.array([[20.0, 50.0], [1e30, 50.0]]), "Brook is too long"),
        (
            np.array([[20.0, 50.0], [20.0, 6e6]]),
            "Brook is too long for cells of this size: 6000 km",
        ),
        (np.array([[300.0, 50.0], [20.0, 50.0]]), "runs uphill: it begins at 9 m and ends at 37 m"),
    ],
)
def test_lines_that_are_no_river_are_refused(line, words):
    with pytest.raises(InputError, match=words):
        carve(plane(40, 40, 0.0, 1.0), (10.0, 10.0), line, BED, "Brook")


def valley(rows, cols, fall, side):
    """Straight valley that falls by `fall` m a row toward row 0, with sides that rise by `side` m a
    column.
    """
    row, col = np.mgrid[:rows, :cols]
    return 100.0 + fall * row + side * np.abs(col - cols // 2)


def test_a_brook_in_a_narrow_valley_cuts_its_own_cells_by_its_depth_and_the_incision():
    """The depth is 0.3 Q^0.4 m, and all land upstream drains 40 mm a day. The sides are steeper
    than the banks.
    """
    land = valley(60, 41, 0.5, 9.0)
    cell = 10.0
    rivers = RiverParameters(source_area=0.02)
    found = water_of(land, (cell, cell), "open", rivers)
    carved = carve_rivers(land, (cell, cell), "open", found, rivers, CutParameters(incision=0.5))
    changed = np.flatnonzero((carved != land).any(axis=0))
    assert changed.tolist() == [20] and 1.0 < sizes(found, rivers).width.max() < cell
    row = 5
    upstream = (60 - row) * 41 * cell * cell * 0.04 / 86400.0
    assert (land - carved)[row, 20] == pytest.approx(0.5 + 0.3 * upstream**0.4, rel=0.02)
    assert (np.diff(carved[:, 20]) > 0).all()


def test_the_bed_of_a_wide_river_is_level_across_and_nothing_beyond_its_water_changes():
    land = valley(60, 81, 0.02, 0.3)
    cell = 10.0
    rivers = RiverParameters(source_area=0.1, width=20.0)
    found = water_of(land, (cell, cell), "open", rivers)
    carved = carve_rivers(land, (cell, cell), "open", found, rivers, CutParameters(incision=1.0))
    row = 8
    wide = sizes(found, rivers)
    here = np.flatnonzero(np.abs(found.place[:, 1] - cell * row) < 1.0)
    width = float(wide.width[here].mean())
    depth = float(wide.depth[here].mean())
    away = np.abs(np.arange(81) - 40) * cell
    cut = (land - carved)[row]
    assert width > 4 * cell and cut[40] == pytest.approx(1.0 + depth, rel=0.02)
    bed = carved[row, away < 0.3 * width]
    assert (
        np.ptp(bed) < 0.1 * depth
        and (cut[away > 1.6 * width] == 0.0).all()
        and cut[away < 0.5 * width].min() > 0.9
    )


@pytest.mark.parametrize("edges", ["open", "wrap", "closed"])
def test_no_water_stands_in_beds_of_rivers_but_that_of_lakes_which_keep_their_level(edges):
    """Also over wrapped edges and beside the sea. Only cells beside a river change, and none
    rises.
    """
    land = fractal(96, 80, 300.0, seed=3)
    spacing = (10.0, 12.0)
    rivers = RiverParameters(source_area=0.01, runoff=400.0, sea=edges != "closed", sea_level=20.0)
    before = water_of(land, spacing, edges, rivers)
    carved = carve_rivers(land, spacing, edges, before, rivers, CutParameters(incision=2.0))
    assert (carved <= land).all() and 0.02 < (carved < land).mean() < 0.3
    assert len(before.level) > 3 and set(before.level) <= set(
        water_of(carved, spacing, edges, rivers).level
    )
    assert (before.crossing >= 0).any() == (edges == "wrap")
    on_cell = before.thalweg[(before.thalweg % spacing[::-1] == 0).all(axis=1)]
    col, row = np.rint(on_cell / spacing[::-1]).astype(int).T
    graph = FlowGraph(land.shape, spacing, edges, sea_of(carved, rivers))
    heights = graph.padded(carved)
    graph.route(heights)
    level = graph.inside(graph.filled(heights))
    stands = (level > carved)[row, col]
    assert set(level[row, col][stands]) <= set(before.level) and stands.mean() < 0.6
    if edges == "closed":
        assert carved.min() == land.min()


def test_ground_without_a_river_has_no_bed_to_be_carved():
    rivers = RiverParameters(source_area=100.0)
    land = valley(20, 21, 0.5, 1.0)
    with pytest.raises(InputError, match="no river with that much drainage area to be carved"):
        carve_rivers(
            land,
            (1.0, 1.0),
            "open",
            water_of(land, (1.0, 1.0), "open", rivers),
            rivers,
            CutParameters(),
        )


def test_masks_of_water_go_on_over_wrapped_edges():
    """A tile is the same tile wherever it begins. Rivers end at its edges, where their lines are
    smoothed otherwise by up to a cell.
    """
    land = fractal(96, 96, 300.0, seed=3)
    parameters = RiverParameters(
        source_area=0.02, runoff=500.0, width=3.0, sea=True, sea_level=float(land.mean()) / 2
    )
    found = {}
    for shift in (0, 40):
        moved = np.roll(land, (shift, shift), (0, 1))
        water = water_of(moved, (10.0, 10.0), "wrap", parameters)
        made = masks(
            water, sizes(water, parameters), (10.0, 10.0), "wrap", sea_of(moved, parameters)
        )
        found[shift] = {
            name: np.roll(mask, (-shift, -shift), (0, 1)) for name, mask in made.items()
        }
    assert all(found[0][name].any() for name in MASKS)
    for name in ("lake", "sea", "shore"):
        assert found[0][name].tobytes() == found[40][name].tobytes(), name
    for name, share in (("river", 0.01), ("bank", 0.03)):
        moved = np.abs(found[0][name] - found[40][name]) > 0.5
        assert moved.sum() <= share * np.count_nonzero(found[0][name]), name
