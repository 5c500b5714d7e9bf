# SPDX-License-Identifier: GPL-3.0-or-later
"""Flow over tiles against that of the land in one piece, cell by cell."""

from itertools import pairwise

import numpy as np
import pytest

from erosion_addon.drainage.flow_graph import FlowGraph
from erosion_addon.drainage.tiled.exchange import flow, join, ways_out
from erosion_addon.drainage.tiled.tile import Place, TileFlow
from tests.terrains import bowl, fractal, plane

ROWS = 61
COLS = 83

LEAST = 3
"""Cells from which a channel begins."""


def grounds():
    random = np.random.default_rng(5)
    yield "noise", random.normal(size=(ROWS, COLS))
    yield "ties", random.integers(0, 4, (ROWS, COLS)).astype(float)
    yield "steps", random.integers(0, 3, (ROWS, COLS)).astype(float) + plane(ROWS, COLS, 0.0, 0.25)
    yield "flat", np.zeros((ROWS, COLS))
    yield "fractal", fractal(ROWS, COLS, 300.0, seed=2)
    yield "rough fractal", fractal(ROWS, COLS, 300.0, seed=3, steepness=1.2)
    yield "bowl", bowl(ROWS, COLS, 50.0)
    yield "slope", plane(ROWS, COLS, 1.0, 0.5)
    yield "pans", np.abs(np.indices((ROWS, COLS)) % 17 - 8).sum(axis=0).astype(float)


GROUNDS = dict(grounds())


def in_tiles(heights, sides, spacing, edges, sea_level=None, threads=1):
    """(receivers' codes, cells upstream, levels, stream orders) of the land, from tiles of at most
    `sides` cells.
    """
    rows, cols = heights.shape
    ends = [
        [*range(0, count, side), count] for count, side in zip(heights.shape, sides, strict=True)
    ]
    places = [
        Place(top, left, (bottom - top, right - left), heights.shape)
        for top, bottom in pairwise(ends[0])
        for left, right in pairwise(ends[1])
    ]

    def flow_of(place):
        top, bottom, left, right = place.around
        return TileFlow(place, heights[top:bottom, left:right], spacing, edges, sea_level, threads)

    basins = [flow_of(place).basins() for place in places]
    ways = ways_out(basins, (rows, cols))
    routed = [flow_of(place).lead_out(way).copy() for place, way in zip(places, ways, strict=True)]
    told = [
        {"rim": tile["rim"], **flow_of(place).route(toward)}
        for tile, place, toward in zip(basins, places, routed, strict=True)
    ]
    found = [np.empty(heights.shape, np.uint8), np.empty(heights.shape), np.empty(heights.shape)]
    channels = []
    for place, toward, given in zip(places, routed, flow(told), strict=True):
        tile = flow_of(place)
        codes = tile.graph.inside(toward).copy()
        tile.route(toward)
        for whole, part in zip(found, (codes, *tile.drain(*given)), strict=True):
            whole[
                place.top : place.top + place.shape[0], place.left : place.left + place.shape[1]
            ] = part
        channels.append(tile.channels(given[0], LEAST * spacing[0] * spacing[1]))
    orders = np.empty(heights.shape, np.uint8)
    for place, told in zip(places, channels, strict=True):
        orders[place.top : place.top + place.shape[0], place.left : place.left + place.shape[1]] = (
            told["orders"]
        )
    for told, joined in zip(channels, join(channels), strict=True):
        orders.reshape(-1)[told["cells"]] = joined
    return [*found, orders]


def in_one(heights, spacing, edges, sea_level=None):
    outlets = None if sea_level is None else heights <= sea_level
    graph = FlowGraph(heights.shape, spacing, edges, outlets)
    flat = graph.padded(heights)
    graph.route(flat)
    ones = graph.accumulate(graph.padded(np.ones(heights.shape)))
    orders = graph.inside(graph.stream_order(ones, LEAST))
    return (
        graph.inside(graph.network.toward),
        graph.inside(ones),
        graph.inside(graph.filled(flat)),
        orders,
    )


@pytest.mark.slow
@pytest.mark.parametrize("sides", [(61, 83), (31, 28), (16, 83), (9, 11)])
@pytest.mark.parametrize("edges", ["open", "closed"])
@pytest.mark.parametrize("name", GROUNDS)
def test_tiles_are_the_land_in_one_piece(name, edges, sides):
    heights = GROUNDS[name]
    there = in_tiles(heights, sides, (2.0, 3.0), edges)
    for part, whole in zip(there, in_one(heights, (2.0, 3.0), edges), strict=True):
        np.testing.assert_array_equal(part, whole)


@pytest.mark.parametrize("edges", ["open", "closed"])
@pytest.mark.parametrize("name", ["noise", "ties", "fractal", "bowl"])
def test_rivers_end_in_the_sea_over_tiles_too(name, edges):
    heights = GROUNDS[name]
    level = float(np.quantile(heights, 0.2))
    there = in_tiles(heights, (20, 27), (1.0, 1.0), edges, level, threads=2)
    for part, whole in zip(there, in_one(heights, (1.0, 1.0), edges, level), strict=True):
        np.testing.assert_array_equal(part, whole)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_tiles_are_the_land_in_one_piece_whatever_the_land(seed):
    random = np.random.default_rng(seed)
    shape = random.integers(2, 30, 2)
    sides = random.integers(1, 12, 2)
    heights = random.integers(0, random.integers(2, 40), shape).astype(float)
    edges = ("open", "closed")[seed % 2]
    for part, whole in zip(
        in_tiles(heights, sides, (1.0, 1.0), edges), in_one(heights, (1.0, 1.0), edges), strict=True
    ):
        np.testing.assert_array_equal(part, whole)
