# SPDX-License-Identifier: GPL-3.0-or-later
"""Lakes of a given rainfall: by hand, against an independent plain simulation, and by their water
budget.
"""

import math

import numpy as np
import pytest

from erosion_addon.drainage.flow_graph import FlowGraph
from erosion_addon.drainage.parameters import RiverParameters
from erosion_addon.drainage.rivers import lake_sizes, water_of
from erosion_addon.drainage.spill import filled_by
from tests.terrains import bowl, fractal

ALL = {"lake_area": 1e-9, "lake_depth": 1e-12}
"""Parameters by which puddles are lakes too."""


def rest(land, rain, spacing=(1.0, 1.0), edges="open", outlets=None):
    graph = FlowGraph(land.shape, spacing, edges, outlets)
    return filled_by(graph, graph.padded(land), rain)


def full(land, spacing=(1.0, 1.0), edges="open"):
    graph = FlowGraph(land.shape, spacing, edges)
    flat = graph.padded(land)
    graph.route(flat)
    return graph.inside(graph.filled(flat))


def trench(*heights):
    """A trench between walls of 100 m, whose ends are open: (3, cells)."""
    land = np.full((3, len(heights)), 100.0)
    land[1] = heights
    return land


CHAIN = trench(9.0, 10.0, 4.0, 8.0, 5.0, 6.0, 3.0, 7.0, 0.0)
"""Pits at 4, 5 and 3 m, to which 3, 1 and 2 cells drain, and which meet at 8 and 6 m; water runs
out at 7 m.
"""


def test_two_pits_fill_in_part_one_spills_into_the_other_and_both_become_one_lake():
    # two cells drain to each pit; they meet at 5 m
    land = trench(9.0, 8.0, 2.0, 5.0, 1.0, 9.0, 0.0)
    found = rest(land, 0.5)
    assert found.levels[1].tolist() == [9.0, 8.0, 3.0, 5.0, 2.0, 9.0, 0.0]
    assert found.closed[1].tolist() == [False, False, True, False, True, False, False]
    spilled = rest(land, 1.6)  # 3.2 m³ each: 3 fill the first up to 5 m
    assert spilled.levels[1, 2] == 5.0 and not spilled.closed[1, 2]
    np.testing.assert_allclose(spilled.levels[1, 4], 1.0 + 3.2 + 0.2, rtol=1e-15)
    merged = rest(land, 2.0)  # 3 and 4 of 8 m³ fill both to 5 m; what is left lies on three cells
    np.testing.assert_allclose(merged.levels[1, 2:5], 5.0 + 1.0 / 3.0, rtol=1e-15)
    assert merged.levels[1, 2] == merged.levels[1, 3] == merged.levels[1, 4]
    assert rest(land, 6.0).levels[1, 1:5].tolist() == [9.0] * 4  # 20 of 24 m³


def test_a_chain_of_three_spills_merges_and_runs_out_as_counted_by_hand():
    little = rest(CHAIN, 0.5)
    np.testing.assert_allclose(
        little.levels[1, [2, 4, 6]], [4.0 + 1.5, 5.0 + 0.5, 3.0 + 1.0], rtol=1e-15
    )
    # 4.2, 1.4 and 2.8 m³: the first is full with 4 and spills into the second, that with 1 into the
    # third, that is full with 3: these two are one lake, whose other 0.4 m³ lie on three cells.
    more = rest(CHAIN, 1.4)
    assert more.levels[1, 2] == 8.0
    np.testing.assert_allclose(more.levels[1, 4:7], 6.0 + 0.4 / 3.0, rtol=1e-14)
    assert not more.closed[1, 2] and more.closed[1, 4:7].all()
    # 9, 3 and 6 m³, of which the first holds 4 and the lower lake 7; what falls on the other cells
    # runs out too.
    much = rest(CHAIN, 3.0)
    assert (
        much.levels[1].tolist() == [9.0, 10.0, 8.0, 8.0, 7.0, 7.0, 7.0, 7.0, 0.0]
        and not much.closed.any()
    )
    assert much.out == 3.0 * 27 - 11.0


def plain(land, rain, order):
    """The same with lakes as sets of basins that overflow one at a time, in any order; for heights
    without ties.
    """
    rows, cols = land.shape
    around = [(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if r or c]

    def beside(row, col):
        return [
            (row + r, col + c) for r, c in around if 0 <= row + r < rows and 0 <= col + c < cols
        ]

    def basin(at):
        while 0 < at[0] < rows - 1 and 0 < at[1] < cols - 1:
            below = max(beside(*at), key=lambda b: (land[at] - land[b]) / math.dist(at, b))
            if land[below] >= land[at]:
                return at
            at = below
        return None

    basins = {(r, c): basin((r, c)) for r in range(rows) for c in range(cols)}
    lakes = {pit: frozenset([pit]) for pit in basins.values() if pit}
    water = {}
    out = 0.0
    for pit in basins.values():
        if pit:
            water[lakes[pit]] = water.get(lakes[pit], 0.0) + rain
        out += 0.0 if pit else rain

    def spill(lake):
        passes = [
            (max(land[a], land[b]), basins[b])
            for a in basins
            if basins[a] in lake
            for b in beside(*a)
            if basins[b] not in lake
        ]
        return min(passes, key=lambda found: found[0])

    def room(lake):
        height, _ = spill(lake)
        return sum(max(height - land[cell], 0.0) for cell in basins if basins[cell] in lake)

    rooms = {}
    while over := [
        lake for lake in water if water[lake] > rooms.setdefault(lake, room(lake)) + 1e-9
    ]:
        lake = over[order.integers(len(over))]
        height, pit = spill(lake)
        target = lakes.get(pit)
        if (
            target is not None
            and spill(target)[0] == height
            and water[target] >= rooms.setdefault(target, room(target))
        ):
            both = lake | target
            water[both] = water.pop(lake) + water.pop(target)
            lakes |= dict.fromkeys(both, both)
            continue
        excess = water[lake] - rooms[lake]
        water[lake] = rooms[lake]
        if target is None:
            out += excess
        else:
            water[target] += excess
            if spill(target)[0] == height and water[target] > rooms.setdefault(
                target, room(target)
            ):
                both = lake | target
                water[both] = water.pop(lake) + water.pop(target)
                lakes |= dict.fromkeys(both, both)
    return {lake: held for lake, held in water.items() if held > 0}, out, basins


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("rain", [0.05, 0.3, 1.0])
def test_every_lake_holds_what_a_plain_simulation_lets_run_to_it(seed, rain):
    random = np.random.default_rng(seed)
    land = fractal(12, 14, 6.0, seed=seed, steepness=1.0) + random.uniform(0, 1, (12, 14))
    lakes, out, basins = plain(land, rain, random)
    found = rest(land, rain)
    assert found.out == pytest.approx(out, rel=1e-9)
    depth = found.levels - land
    for lake, held in lakes.items():
        there = np.array([[basins[row, col] in lake for col in range(14)] for row in range(12)])
        assert depth[there].sum() == pytest.approx(held, rel=1e-9)
        levels = found.levels[there & (depth > 0)]
        assert (levels == levels[0]).all()


@pytest.mark.parametrize("edges", ["open", "closed", "wrap"])
@pytest.mark.parametrize("rain", [0.0, 1e-4, 0.03, 0.5, 4.0, 1e3])
def test_what_falls_stands_in_lakes_or_runs_out(edges, rain):
    land = fractal(60, 70, 60.0, seed=5, steepness=1.2)
    found = rest(land, rain, (10.0, 8.0), edges)
    held = float((found.levels - land).sum()) * 80.0
    assert held + found.out == pytest.approx(rain * land.size * 80.0, rel=1e-12)
    assert (found.levels >= land).all() and (found.levels <= full(land, (10.0, 8.0), edges)).all()


@pytest.mark.parametrize("edges", ["open", "closed", "wrap"])
def test_much_rain_gives_the_full_lakes_byte_for_byte_and_none_gives_none(edges):
    land = fractal(50, 60, 30.0, seed=8, steepness=1.2)
    found = rest(land, 1e3, edges=edges)
    assert found.levels.tobytes() == full(land, edges=edges).tobytes() and not found.closed.any()
    dry = rest(land, 0.0, edges=edges)
    assert dry.levels.tobytes() == land.tobytes() and dry.out == 0.0


def test_more_rain_lowers_no_lake():
    land = fractal(40, 40, 30.0, seed=2, steepness=1.2)
    before = land
    for rain in (0.01, 0.05, 0.2, 0.6, 2.0):
        levels = rest(land, rain).levels
        assert (levels >= before - 1e-12).all() and (levels > before).any()
        before = levels


def test_heights_with_many_ties_and_level_ground_keep_the_budget():
    for land in (
        np.random.default_rng(3).integers(0, 6, (30, 30)).astype(float),
        np.zeros((20, 20)),
    ):
        for edges in ("open", "closed", "wrap"):
            found = rest(land, 0.7, edges=edges)
            assert (found.levels - land).sum() + found.out == pytest.approx(
                0.7 * land.size, rel=1e-12
            )


def test_land_without_pits_sheds_all_of_it():
    land = np.add.outer(np.arange(8.0), np.arange(9.0))
    found = rest(land, 2.0, (3.0, 4.0))
    assert (
        found.out == 2.0 * 72 * 12.0
        and found.levels.tobytes() == land.tobytes()
        and not found.closed.any()
    )


def test_rivers_end_in_lakes_that_are_not_full_and_run_on_from_full_ones():
    land = bowl(41, 41, 20.0)
    half = RiverParameters(source_area=4e-5, limited_water=True, rain=1000.0, **ALL)
    found = water_of(land, (1.0, 1.0), "open", half)
    assert len(found.level) == 1 and found.level[0] < 20.0
    ends = found.place[found.starts[:-1]][found.following[found.starts[:-1]] < 0]
    in_lake = ends[:, 2] == found.level[0]
    assert in_lake.sum() >= 4
    runs = found.following >= 0
    assert (found.place[runs, 2] >= found.place[found.following[runs], 2]).all()
    over = water_of(
        land,
        (1.0, 1.0),
        "open",
        RiverParameters(source_area=4e-5, limited_water=True, rain=1e6, **ALL),
    )
    always = water_of(land, (1.0, 1.0), "open", RiverParameters(source_area=4e-5, **ALL))
    for name in ("place", "starts", "following", "area", "order", "inside", "lakes", "level"):
        assert getattr(over, name).tobytes() == getattr(always, name).tobytes()


def test_lakes_of_rivers_hold_what_the_filling_says_to_rounding():
    land = fractal(64, 80, 300.0, seed=3)
    spacing = (10.0, 12.0)
    found = water_of(land, spacing, "open", RiverParameters(limited_water=True, rain=300.0, **ALL))
    graph = FlowGraph(land.shape, spacing)
    filling = filled_by(graph, graph.padded(land), 0.3)
    held = lake_sizes(found.lakes, found.level, land, spacing).volume.sum()
    assert held + filling.out == pytest.approx(0.3 * land.size * 120.0, rel=1e-9)
    for number, level in enumerate(found.level, 1):
        assert (filling.levels[found.lakes == number] == level).all()


def test_the_sea_takes_what_runs_into_it():
    land = fractal(40, 50, 200.0, seed=3)
    parameters = RiverParameters(sea=True, sea_level=80.0, limited_water=True, rain=200.0, **ALL)
    found = water_of(land, (10.0, 10.0), "open", parameters)
    assert not (found.lakes[land < 80.0]).any() and (found.level >= 80.0).all()
