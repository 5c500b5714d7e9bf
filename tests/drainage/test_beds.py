# SPDX-License-Identifier: GPL-3.0-or-later
"""Beds carved by drawn rivers."""

import numpy as np
import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.drainage.beds import MASKS, carve, masks
from erosion_addon.drainage.flow_graph import FlowGraph
from erosion_addon.drainage.parameters import BedParameters, RiverParameters
from erosion_addon.drainage.rivers import sample, sea_of, sizes, water_of
from tests.terrains import fractal, plane

BED = BedParameters(width=30.0, depth=2.0, incision=3.0)


def depth_of_pits(land, spacing):
    graph = FlowGraph(land.shape, spacing)
    flat = graph.padded(land)
    graph.route(flat)
    return graph.inside(graph.filled(flat) - flat)


def test_a_straight_river_has_the_width_the_depth_and_the_banks_that_were_asked():
    land = plane(41, 81, 0.0, 0.1)
    carved = carve(land, (10.0, 10.0), np.array([[0.0, 200.0], [800.0, 200.0]]), BED)
    across = (land - carved)[:, 60]
    assert across[20] == pytest.approx(5.0, abs=0.12)  # 3 m down to the water, and its 2 m
    assert across[19] == pytest.approx(across[21]) == pytest.approx(5.0, abs=0.12)
    assert (across[:19] == 0).all() and (across[22:] == 0).all()
    gorge = carve(land, (10.0, 10.0), np.array([[0.0, 200.0], [800.0, 200.0]]), BedParameters(incision=30.0, bank=45.0))
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
    """Its bed goes on until the ground lies below it; pits of the ground stay as deep as they were."""
    land = fractal(60, 60, 40.0, seed=seed) + plane(60, 60, 0.0, 2.0)
    line = np.array([[10.0, 300.0], [250.0, 350.0], [300.0, 270.0]])
    before, carved = depth_of_pits(land, (10.0, 10.0)), carve(land, (10.0, 10.0), line, BED)
    assert (carved < land).any() and (depth_of_pits(carved, (10.0, 10.0)) <= before.max() + 1e-9).all()
    assert depth_of_pits(carved, (10.0, 10.0)).sum() <= before.sum()


def test_a_river_into_a_lake_ends_in_it():
    """It digs no deeper than the floor, and the lake keeps its level."""
    x, y = np.meshgrid(np.arange(80) - 40.0, np.arange(80) - 40.0)
    away = np.sqrt(x * x + y * y)
    land = 100.0 - 3.0 * np.abs(away - 20.0)
    carved = carve(land, (10.0, 10.0), np.array([[400.0, 220.0], [400.0, 330.0]]), BED)
    assert (carved < land).any() and carved.min() == land.min() and carved[40, 40] == land[40, 40]
    inside = away < 10.0
    assert depth_of_pits(carved, (10.0, 10.0))[inside].min() > 0.9 * depth_of_pits(land, (10.0, 10.0))[inside].min()


def test_cells_off_the_river_keep_their_bytes():
    land = fractal(40, 40, 5.0, seed=1)
    line = np.array([[0.0, 390.0], [390.0, 390.0]])
    carved = carve(land, (10.0, 10.0), line[::-1] if land[39, 0] < land[39, 39] else line, BED)
    assert carved[:20].tobytes() == land[:20].tobytes() and (carved[38:] != land[38:]).any()


def test_a_river_that_leaves_the_land_and_comes_back_goes_on_lower():
    land = plane(40, 40, 0.0, 1.0)
    line = np.array([[50.0, 200.0], [50.0, -100.0], [250.0, -100.0], [250.0, 200.0], [390.0, 200.0]])
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
        (np.array([[20.0, 50.0], [20.0, 6e6]]), "Brook is too long for cells of this size: 6000 km"),
        (np.array([[300.0, 50.0], [20.0, 50.0]]), "runs uphill: it begins at 9 m and ends at 37 m"),
    ],
)
def test_lines_that_are_no_river_are_refused(line, words):
    with pytest.raises(InputError, match=words):
        carve(plane(40, 40, 0.0, 1.0), (10.0, 10.0), line, BED, "Brook")


def test_masks_of_water_go_on_over_wrapped_edges():
    """A tile is the same tile wherever it begins. Rivers end at its edges, where their lines are smoothed
    otherwise by up to a cell.
    """
    land = fractal(96, 96, 300.0, seed=3)
    parameters = RiverParameters(source_area=0.02, runoff=500.0, width=3.0, sea=True, sea_level=float(land.mean()) / 2)
    found = {}
    for shift in (0, 40):
        moved = np.roll(land, (shift, shift), (0, 1))
        water = water_of(moved, (10.0, 10.0), "wrap", parameters)
        made = masks(water, sizes(water, parameters), (10.0, 10.0), "wrap", sea_of(moved, parameters))
        found[shift] = {name: np.roll(mask, (-shift, -shift), (0, 1)) for name, mask in made.items()}
    assert all(found[0][name].any() for name in MASKS)
    for name in ("lake", "sea", "shore"):
        assert found[0][name].tobytes() == found[40][name].tobytes(), name
    for name, share in (("river", 0.01), ("bank", 0.03)):
        moved = np.abs(found[0][name] - found[40][name]) > 0.5
        assert moved.sum() <= share * np.count_nonzero(found[0][name]), name
