"""Flow graph against a plain priority flood, counts by hand, and symmetries."""

import heapq
import math

import numpy as np
import pytest

from erosion_addon.drainage import flow_graph
from erosion_addon.drainage.flow_graph import FlowGraph, UnsoundError
from tests.terrains import bowl, fractal, plane


def flood(heights, outlets, wrap):
    """Heights with all pits filled, by a heap (Barnes, Lehman, Mulla 2014); independent of the
    graph.
    """
    rows, cols = heights.shape
    levels = np.full(heights.shape, np.inf)
    queue = []
    for row, col in zip(*np.nonzero(outlets), strict=True):
        levels[row, col] = heights[row, col]
        heapq.heappush(queue, (heights[row, col], row, col))
    while queue:
        level, row, col = heapq.heappop(queue)
        for row_step in (-1, 0, 1):
            for col_step in (-1, 0, 1):
                at = row + row_step, col + col_step
                if wrap:
                    at = at[0] % rows, at[1] % cols
                elif not (0 <= at[0] < rows and 0 <= at[1] < cols):
                    continue
                if (filled := max(level, heights[at])) < levels[at]:
                    levels[at] = filled
                    heapq.heappush(queue, (filled, *at))
    return levels


def graph_of(heights, edges="open", outlets=None, spacing=(1.0, 1.0), threads=1, **options):
    graph = FlowGraph(heights.shape, spacing, edges, outlets, threads)
    flat = graph.padded(heights)
    graph.route(flat, **options)
    return graph, flat


def one_outlet(shape):
    outlets = np.zeros(shape, bool)
    outlets[3, 4] = True
    return outlets


@pytest.mark.parametrize("edges", ["open", "closed", "wrap"])
@pytest.mark.parametrize("seed", range(4))
def test_the_filled_surface_is_that_of_a_priority_flood_on_heights_with_many_ties(seed, edges):
    heights = np.random.default_rng(seed).integers(0, 9, (23, 31)).astype(float)
    graph, flat = graph_of(heights, edges, None if edges == "open" else one_outlet(heights.shape))
    filled = graph.inside(graph.filled(flat))
    np.testing.assert_array_equal(filled, flood(heights, graph.outlets, edges == "wrap"))


@pytest.mark.parametrize("edges", ["open", "closed", "wrap"])
def test_every_cell_reaches_an_outlet_and_the_outlets_areas_are_the_land(edges):
    heights = np.random.default_rng(7).integers(0, 5, (20, 20)).astype(float)
    graph, _ = graph_of(heights, edges, spacing=(2.0, 3.0))
    receivers = graph.receivers().ravel()
    cells = np.arange(heights.size)
    for _ in range(heights.size):
        cells = receivers[cells]
    ends = np.flatnonzero(receivers == np.arange(heights.size))
    assert set(cells) <= set(ends)
    areas = graph.inside(graph.drainage_area()).ravel()
    assert areas[ends].sum() == 6.0 * heights.size


def test_closed_ground_drains_to_its_lowest_cell():
    heights = fractal(24, 30, 50.0, seed=2)
    graph, _ = graph_of(heights, "closed")
    areas = graph.inside(graph.drainage_area())
    lowest = np.unravel_index(heights.argmin(), heights.shape)
    assert areas[lowest] == heights.size and areas.max() == heights.size


def test_a_bowl_is_carved_from_its_middle_to_the_lowest_place_of_its_rim():
    heights = bowl(21, 21, 4.0)
    # a notch, 1 m below the rest of the edge's lowest; the cell inside it lies at 3.24 m
    heights[10, 0] = 3.0
    graph, flat = graph_of(heights)
    filled = graph.inside(graph.filled(flat))[1:-1, 1:-1]
    np.testing.assert_array_equal(filled, np.maximum(heights[1:-1, 1:-1], heights[10, 1]))
    assert graph.receivers()[10, 1] == 10 * 21
    on_the_way = graph.receivers()[10, 10]
    assert on_the_way % 21 < 10  # the deepest cell, a pit before, drains towards the notch


def test_a_plane_drains_straight_down_and_each_cell_carries_what_lies_above_it():
    heights = plane(12, 9, 0.0, 1.0)
    graph, _ = graph_of(heights, "closed", heights == 0.0, (5.0, 5.0))
    areas = graph.inside(graph.drainage_area())
    np.testing.assert_array_equal(areas, np.tile(25.0 * np.arange(1, 10), (12, 1)))


def test_on_oblong_cells_the_steepest_way_counts_distances():
    """A plane that falls by 1 a cell along both axes: on cells of 1 × 3 m it is steepest along the
    short side.
    """
    heights = plane(9, 9, 1.0, 1.0)
    graph, _ = graph_of(heights, spacing=(1.0, 3.0))
    assert graph.receivers()[4, 4] == 5 * 9 + 4
    square, _ = graph_of(heights)
    assert square.receivers()[4, 4] == 5 * 9 + 5


@pytest.mark.parametrize("turn", range(8))
def test_turned_and_mirrored_terrain_drains_turned_and_mirrored(turn):
    heights = fractal(25, 33, 80.0, seed=4)

    def turned(array):
        return np.rot90(array.T if turn > 3 else array, turn % 4)

    areas = graph_of(heights)[0]
    there = graph_of(np.ascontiguousarray(turned(heights)))[0]
    np.testing.assert_array_equal(
        there.inside(there.drainage_area()), turned(areas.inside(areas.drainage_area()))
    )


def test_higher_and_stretched_terrain_drains_the_same_way():
    heights = np.round(fractal(30, 30, 64.0, seed=5) * 256) / 256
    receivers = graph_of(heights)[0].receivers()
    np.testing.assert_array_equal(graph_of(heights + 1024.0)[0].receivers(), receivers)
    np.testing.assert_array_equal(graph_of(heights * 8.0)[0].receivers(), receivers)


def test_cells_that_no_way_out_leads_over_keep_their_receivers():
    """Carving turns the way from a pit to its pass and nothing else."""
    heights = fractal(40, 40, 60.0, seed=6)
    graph, _ = graph_of(heights)
    receivers = graph.receivers().ravel()
    uphill = heights.ravel()[receivers] > heights.ravel()
    rows, cols = np.divmod(np.arange(1600), 40)
    steps = np.stack(np.meshgrid([-1, 0, 1], [-1, 0, 1], indexing="ij"), -1).reshape(-1, 2)
    for cell in np.flatnonzero(~graph.outlets.ravel()):
        falls = {
            at: (heights[rows[cell], cols[cell]] - heights.ravel()[at]) / math.hypot(row, col)
            for row, col in steps
            if (row or col) and (at := (rows[cell] + row) * 40 + cols[cell] + col) >= 0
        }
        if max(falls.values()) > 0 and falls[receivers[cell]] != max(falls.values()):
            uphill[cell] = True  # turned round
    assert 0 < uphill.sum() < 400


def test_the_same_bytes_on_any_number_of_threads():
    heights = fractal(130, 140, 200.0, seed=8)
    found = [graph_of(heights, threads=threads, wander=3) for threads in (1, 2, 3, 8)]
    for graph, _ in found[1:]:
        assert graph.order.tobytes() == found[0][0].order.tobytes()
        assert graph.drainage_area().tobytes() == found[0][0].drainage_area().tobytes()


def test_by_chance_a_plane_drains_straight_down_on_the_mean():
    """A plane falling at 20° to an axis: the steepest of eight runs along the axis (0°), chance
    leads it on down.
    """
    rows, cols = np.mgrid[0:200, 0:200]
    heights = -(cols * math.cos(math.radians(20)) + rows * math.sin(math.radians(20)))
    ways = {}
    for wander in (None, 5):
        receivers = graph_of(heights, wander=wander)[0].receivers()[1:-1, 1:-1]
        down = receivers // 200 - rows[1:-1, 1:-1]
        right = receivers % 200 - cols[1:-1, 1:-1]
        ways[wander] = math.degrees(math.atan2(down.mean(), right.mean()))
    assert ways[None] == pytest.approx(0.0, abs=1e-9)
    assert ways[5] == pytest.approx(20.0, abs=3.0)


def test_stream_order_is_strahlers():
    """Two first-order brooks make a second-order one; a third joining it changes nothing."""
    heights = np.full((7, 5), 100.0)
    # the trunk, out over the lower edge
    heights[[1, 2, 3, 4, 5, 6], 2] = [60.0, 50.0, 40.0, 30.0, 20.0, 10.0]
    heights[2, 1] = 61.0
    heights[2, 3] = 62.0
    heights[4, 3] = 35.0
    walls = np.zeros(heights.shape, bool)
    walls[6, 2] = True
    graph, _ = graph_of(heights, "closed", walls)
    areas = graph.drainage_area()
    orders = graph.inside(graph.stream_order(areas, 4.0))
    assert orders[1, 2] == 1 and orders[6, 2] == orders[:, 2].max() == 2
    assert not orders[0].any()


def test_flat_ground_has_a_way_out_of_every_cell():
    graph, _ = graph_of(np.zeros((9, 12)))
    assert graph.inside(graph.drainage_area())[graph.outlets].sum() == 9 * 12


@pytest.mark.parametrize("edges", ["open", "closed", "wrap"])
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e31])
def test_heights_that_are_not_finite_are_refused(edges, value):
    graph = FlowGraph((20, 30), (10.0, 10.0), edges, threads=2)
    heights = graph.padded(fractal(20, 30, 100.0))
    graph.inside(heights)[7, 11] = value
    with pytest.raises(UnsoundError):
        graph.route(heights)


def test_flow_paths_in_a_circle_are_refused():
    """As in a damaged file; looking for their end would never end."""
    graph = FlowGraph((6, 6), (10.0, 10.0))
    graph.route(graph.padded(plane(6, 6, 0.1)))
    toward = graph.inside(graph.network.toward)
    toward[2, 2] = 4
    toward[2, 3] = 3
    with pytest.raises(UnsoundError):
        graph.sort()
    graph.labels[:] = np.where(graph.network.toward < 8, -1, 0)
    with pytest.raises(UnsoundError):
        graph.label_basins()


def test_passes_that_do_not_join_all_basins_are_counted():
    """Two pits in closed ground, and the pass between them left out."""
    from erosion_addon.drainage.kernels import basins

    heights = np.full((3, 7), 10.0)
    heights[1, [1, 5]] = 1.0, 2.0
    graph = FlowGraph((3, 7), (10.0, 10.0), "closed")
    flat = graph.padded(heights)
    graph.fill_ring(flat)
    assert graph.find_receivers(flat) >= 2
    basins.number_pits(graph.network, graph.labels)
    graph.label_basins()
    links = np.empty((2, 2), np.int64)
    assert basins.span(flat, graph.network, graph.labels, np.empty(0, np.uint32), links) == 0


@pytest.mark.parametrize("smallest", [1, 7, 100])
@pytest.mark.parametrize("land", ["hills", "one basin", "closed"])
def test_branches_and_trunks_hold_each_cell_once_and_its_donors_before_it(
    smallest, land, monkeypatch
):
    """Summed up by parts, amounts have the bytes of a sum over the order from its end."""
    monkeypatch.setattr(flow_graph, "SMALLEST", smallest)
    heights = fractal(64, 48, 300.0, seed=5)
    outlets = np.zeros(heights.shape, bool)
    outlets[10, 0] = True
    graph, _ = {
        "hills": lambda: graph_of(heights, threads=4),
        "one basin": lambda: graph_of(heights, "closed", outlets, threads=4),
        "closed": lambda: graph_of(heights, "closed", threads=4),
    }[land]()
    part_of = np.full(graph.order.size, -1)

    def note(part, stretches):
        for first, last in stretches:
            assert (part_of[first:last] == -1).all()
            part_of[first:last] = part

    graph.upstream(note)
    assert (part_of >= 0).all() and graph.parts > 2
    receivers = part_of[graph.places]
    assert ((receivers == part_of) | (receivers == 0)).all()
    amounts = graph.padded(np.random.default_rng(1).random(heights.shape))
    expected = amounts.copy()
    for place in range(graph.order.size - 1, -1, -1):
        if graph.places[place] != place:
            expected[graph.order[graph.places[place]]] += expected[graph.order[place]]
    assert graph.accumulate(amounts).tobytes() == expected.tobytes()
