# SPDX-License-Identifier: GPL-3.0-or-later
"""Tiles: they cover all cells, tiles of one color never touch the same cell, no particle is lost
between them.
"""

import itertools

import numpy as np
import pytest

from erosion_addon.base.kernels import ghost_cells
from erosion_addon.processes.droplet.kernels import droplet
from erosion_addon.processes.shared.kernels import particle_queues as queues
from erosion_addon.processes.shared.kernels import tiles
from erosion_addon.processes.wind.kernels import particle as wind_tiles
from tests.terrains import fractal

EDGES = [ghost_cells.OPEN, ghost_cells.CLOSED, ghost_cells.WRAP]
REACH = {
    "drops": (tiles.REACH + 1, tiles.REACH + 2),
    "wind": (wind_tiles.REACH + 1, wind_tiles.REACH + 1),
}
"""Cells before and behind its own that what is on a tile may touch."""


def touched(cut, tile, axis, wrap, reach):
    """Rows or columns within the reach of a tile."""
    places = (cut.row_edges, cut.col_edges)[axis]
    across = len(cut.col_edges) - 1
    place = (tile // across, tile % across)[axis]
    reached = range(places[place] - reach[0], places[place + 1] + reach[1])
    return {index % places[-1] if wrap else index for index in reached}


@pytest.mark.parametrize("reach", REACH.values(), ids=REACH)
@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("shape", [(3, 5), (64, 64), (100, 333), (129, 191), (320, 64), (500, 320)])
def test_two_tiles_of_one_color_never_touch_the_same_cell(shape, edge, reach):
    cut = tiles.cut(*shape, 64, edge)
    wrap = edge == ghost_cells.WRAP
    for color in tiles.colors(cut, edge):
        for one, other in itertools.combinations(color, 2):
            rows, cols = (
                touched(cut, one, axis, wrap, reach) & touched(cut, other, axis, wrap, reach)
                for axis in (0, 1)
            )
            assert not (rows and cols), (one, other)


@pytest.mark.parametrize("edge", EDGES)
def test_every_cell_is_on_one_tile_of_one_color(edge):
    cut = tiles.cut(200, 333, 64, edge)
    assert np.array_equal(np.sort(np.concatenate(tiles.colors(cut, edge))), np.arange(3 * 5))
    assert np.diff(cut.row_edges).min() >= 60 and np.diff(cut.col_edges).min() >= 60
    for row, col in ((0, 0), (199, 332), (100, 100)):
        place = tiles.tile_at(cut, float(row), float(col))
        tile_row, tile_col = divmod(int(place), 5)
        assert cut.row_edges[tile_row] <= min(row, cut.last_row - 1) < cut.row_edges[tile_row + 1]
        assert cut.col_edges[tile_col] <= min(col, cut.last_col - 1) < cut.col_edges[tile_col + 1]


@pytest.mark.slow
# of 25 tiles more are gone to than there are lists of their own for
@pytest.mark.parametrize("across", [2, 5])
def test_drops_go_round_in_order_and_no_slot_is_lost(across):
    side = 64 * across
    cut = tiles.cut(side, side, 64, ghost_cells.CLOSED)
    count = across**2
    pool = queues.make_pool(count, 3)
    expected = [[] for _ in range(count)]

    def tile_at(place):
        return int(place[0] // 64) * across + int(place[1] // 64)

    rng = np.random.default_rng(4)
    for turn in range(50):
        pool = queues.with_room(pool, 5 * count)
        for number in range(turn * 5 * count, (turn + 1) * 5 * count):
            place = rng.uniform(0, side - 1, 2)
            queues.enter(pool, cut, np.uint64(number), *place)
            expected[tile_at(place)].append(number)
        for color in tiles.colors(cut, ghost_cells.CLOSED):
            left = []
            for tile in color:
                while (slot := int(queues.pull(pool, tile))) != queues.NONE:
                    assert pool.start[slot] == expected[tile].pop(0)
                    goes = bool(rng.random() > 0.2)
                    if goes:
                        pool.numbers[slot, :2] = place = rng.uniform(0, side - 1, 2)
                        left.append((tile_at(place), int(pool.start[slot])))
                    queues.let_go(pool, cut, tile, slot, goes)
            queues.hand_on(pool, cut, color)
            for tile, number in left:
                expected[tile].append(number)
        assert pool.waiting.tolist() == [len(queue) for queue in expected]
        assert pool.start[queues.queued(pool)].tolist() == list(itertools.chain(*expected))
        assert pool.under_way[0] == pool.taken.sum() == pool.waiting.sum()
    assert len(pool.start) < 35 * count  # slots are used again: 250 have started for each tile


@pytest.mark.parametrize("edge", EDGES)
def test_drops_of_a_tile_change_nothing_beyond_what_it_may_touch(edge):
    """All drops start on tile 8, in the middle, or on tile 0, in a corner; some go beyond its
    border, none too far.
    """
    shape = (200, 333)
    wrap = edge == ghost_cells.WRAP
    cut = tiles.cut(*shape, 64, edge)
    constants = droplet.Constants(
        10, 0.001, 0.9, 0.02, 0.1, 0.05, 20, 2000, True, False, 0.05, edge, 1.0, 1.0
    )
    for tile in (8, 0):
        ground = np.zeros((*shape, 2))
        flow = np.zeros(shape, np.float32)
        ground[..., 0] = before = fractal(*shape, relief=60.0, seed=2)
        pool = queues.with_room(queues.make_pool(15, droplet.NUMBERS), 20000)
        totals = droplet.make_totals(cut)
        droplet.start_drops(pool, cut, None, np.uint64(1), 0, 20000, np.zeros(0, np.int64), False)
        droplet.run_tiles(np.array([tile]), cut, pool, ground, flow, None, None, constants, totals)
        changed = (flow > 0) | (ground[..., 0] != before)
        for axis, places in enumerate((cut.row_edges, cut.col_edges)):
            where = set(np.flatnonzero(changed.any(axis=1 - axis)).tolist())
            place = (tile // 5, tile % 5)[axis]
            assert where <= touched(cut, tile, axis, wrap, REACH["drops"])
            assert where - set(range(places[place], places[place + 1])), (
                "no drop has gone beyond the border"
            )


@pytest.mark.parametrize("side", [2 * tiles.REACH, 2 * tiles.REACH + 2])
def test_tiles_too_small_for_their_reach_would_not_go_unnoticed(side):
    cut = tiles.cut(12 * side, side, side, ghost_cells.CLOSED)
    one, other = (
        touched(cut, tile, 0, False, REACH["drops"])
        for tile in tiles.colors(cut, ghost_cells.CLOSED)[0][:2]
    )
    assert one & other
