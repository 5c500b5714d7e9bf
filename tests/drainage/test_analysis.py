# SPDX-License-Identifier: GPL-3.0-or-later
"""Analysis on terrains with known answers."""

import numpy as np
import pytest

from erosion_addon.base.arrays import EDGES
from erosion_addon.base.errors import InputError
from erosion_addon.drainage.analysis import analyze
from erosion_addon.drainage.land import Land
from erosion_addon.drainage.parameters import AnalysisParameters
from erosion_addon.terrain.fields import ANALYZED, FIELDS
from erosion_addon.terrain.terrain import Terrain
from tests.terrains import bowl, fractal, plane


def fields_of(elevation, spacing=(1.0, 1.0), edges="open", **parameters):
    return analyze(Terrain(elevation, spacing), AnalysisParameters(**parameters), edges).fields


def test_there_are_all_fields_and_no_others():
    found = fields_of(fractal(20, 24, 30.0))
    assert tuple(found) == ANALYZED
    for name, values in found.items():
        components = FIELDS[name].components
        assert values.dtype == np.float32 and np.isfinite(values).all()
        assert values.shape == ((20, 24) if components == 1 else (20, 24, components))


def test_the_slope_of_a_plane_is_its_own_to_the_edge_also_on_oblong_cells():
    slope = fields_of(plane(20, 30, 3.0, 8.0), (1.0, 2.0))["slope"]
    np.testing.assert_allclose(slope, 5.0, rtol=1e-6)  # 3 along rows, 4 along columns


def test_the_curvature_of_a_paraboloid_and_of_a_saddle():
    y, x = np.mgrid[-10:11, -10:11] * 2.0
    hill = fields_of(50.0 - 0.01 * (x * x + y * y), (2.0, 2.0))
    assert hill["curvature"][10, 10] == pytest.approx(0.02, rel=1e-6)
    slope = 0.02 * np.hypot(x, y)
    expected = 0.01 * (1.0 + 1.0 + slope * slope) / (1.0 + slope * slope) ** 1.5  # of z = -r² / 100
    np.testing.assert_allclose(hill["curvature"][1:-1, 1:-1], expected[1:-1, 1:-1], rtol=1e-5)
    np.testing.assert_allclose(hill["slope"][1:-1, 1:-1], slope[1:-1, 1:-1], rtol=1e-6)
    saddle = fields_of(0.01 * (x * x - y * y), (2.0, 2.0))["curvature"]
    assert saddle[10, 10] == 0


def test_a_hollow_is_curved_the_other_way_and_a_plane_not_at_all():
    assert (fields_of(bowl(15, 15))["curvature"][1:-1, 1:-1] < 0).all()
    assert not fields_of(plane(15, 15, 2.0, 1.0))["curvature"].any()


def test_a_ball_is_curved_by_its_radius():
    y, x = np.mgrid[-20:21, -20:21]
    ball = np.sqrt(100.0**2 - x * x - y * y)
    np.testing.assert_allclose(fields_of(ball)["curvature"][1:-1, 1:-1], 0.01, rtol=1e-3)


def test_wrapped_ground_has_the_slope_of_its_neighbor_tile():
    wave = np.cos(2 * np.pi * np.arange(32) / 32) * np.ones((16, 1))
    found = fields_of(wave, edges="wrap")
    for name in ("slope", "curvature"):
        np.testing.assert_allclose(
            found[name],
            np.roll(found[name], 16, axis=1) * (1 if name == "slope" else -1),
            atol=1e-6,
        )


def test_the_drainage_area_of_a_tilted_plane_is_what_lies_above_on_any_cells():
    """Rows fall to the open edge; of 3 m² each, the first is an edge and keeps its own."""
    heights = plane(9, 12, 0.0, 1.0)
    areas = fields_of(heights, (1.0, 3.0))["drainage_area"][1:-1]
    np.testing.assert_array_equal(areas[:, 1:-1], np.tile(3.0 * np.arange(1, 11), (7, 1)))


def test_a_cone_drains_from_its_top_and_all_of_it_over_the_edge():
    y, x = np.mgrid[-15:16, -15:16]
    areas = fields_of(100.0 - np.hypot(x, y), (2.0, 2.0))["drainage_area"]
    edge = np.concatenate([areas[0], areas[-1], areas[1:-1, 0], areas[1:-1, -1]])
    assert edge.sum() == areas.size * 4.0
    assert areas[15, 15] == areas.min() == 4.0
    falls = fields_of(100.0 - np.hypot(x, y), (2.0, 2.0))["flow_direction"]
    outward = falls[..., 0] * x + falls[..., 1] * y
    assert (outward[1:-1, 1:-1][np.hypot(x, y)[1:-1, 1:-1] > 0] > 0).all()


def test_the_lake_in_a_bowl_is_as_deep_as_its_rim_is_high():
    heights = bowl(21, 21, 4.0)
    depth = fields_of(heights)["lake_depth"]
    level = heights[10, 0]  # the lowest of the rim
    inside = np.maximum(level - heights, 0.0)
    inside[[0, -1]] = inside[:, [0, -1]] = 0.0
    np.testing.assert_array_equal(depth, inside.astype(np.float32))
    assert not fields_of(plane(9, 9, 1.0))["lake_depth"].any()


def test_stream_orders_are_strahlers_from_the_least_area_on():
    """Cells of 1 km²; a tree by hand is in the tests of the flow graph."""
    found = fields_of(fractal(40, 40, 400.0), (1000.0, 1000.0), channel_area=5.0)
    order = found["stream_order"]
    area = found["drainage_area"]
    np.testing.assert_array_equal(order > 0, area >= 5e6)
    assert order.max() >= 3
    assert (
        fields_of(fractal(40, 40, 400.0), (1000.0, 1000.0), channel_area=1e6)["stream_order"].max()
        == 0
    )


def test_water_flows_down_a_plane_and_towards_the_outlet_through_a_lake():
    way = fields_of(plane(9, 12, 1.0, 0.0))["flow_direction"]
    # to the larger y
    np.testing.assert_array_equal(way[1:-1, 1:-1], np.broadcast_to([0.0, 1.0], (7, 10, 2)))
    assert not way[[0, -1]].any()  # there it leaves
    heights = bowl(21, 21, 4.0)
    heights[10, 0] = 3.0
    inside = fields_of(heights)["flow_direction"][10, 1:11]
    assert (inside[:, 0] < -0.7).all()
    lengths = np.hypot(way[..., 0], way[..., 1])
    np.testing.assert_array_equal(lengths[1:-1, 1:-1], 1.0)


@pytest.mark.parametrize("edges", EDGES)
def test_the_same_bytes_on_any_number_of_threads(edges):
    terrain = Terrain(fractal(130, 140, 200.0, seed=8), (5.0, 7.0))
    found = [analyze(terrain, edges=edges, threads=threads) for threads in (1, 2, 3, 8)]
    for other in found[1:]:
        assert other.figures == found[0].figures
        assert all(
            other.fields[name].tobytes() == values.tobytes()
            for name, values in found[0].fields.items()
        )


@pytest.mark.parametrize("edges", ["closed", "wrap"])
def test_where_no_edge_is_open_water_gathers_at_the_lowest_place_and_a_note_says_so(edges):
    terrain = Terrain(fractal(24, 30, 50.0, seed=2))
    found = analyze(terrain, edges=edges)
    lowest = np.unravel_index(terrain.elevation.argmin(), terrain.shape)
    assert found.fields["drainage_area"][lowest] == terrain.elevation.size
    assert found.notes == ["No edge is open, so all water gathers at the lowest point."]


def test_water_leaves_closed_land_at_the_outlets_of_the_mask():
    terrain = Terrain(fractal(64, 66, 50.0, seed=2), 20.0)
    mask = np.zeros((64, 66))
    mask[20, 31] = 0.5
    mask[40, 10] = 0.4
    found = analyze(terrain, edges="closed", outlets=mask)
    assert (
        found.fields["drainage_area"][20, 31] == terrain.elevation.size * 400.0 and not found.notes
    )
    levels = terrain.elevation + found.fields["lake_depth"]
    assert (
        found.fields["lake_depth"][20, 31] == 0.0
        and levels.min() >= terrain.elevation[20, 31] - 1e-4
    )
    coarse = Land(terrain.elevation, (20.0, 20.0), "closed", None, 1, mask).averaged
    assert (
        coarse.spacing == (40.0, 40.0)
        and coarse.graph.outlets.sum() == 1
        and coarse.graph.outlets[10, 15]
    )
    with pytest.raises(InputError, match="outlet mask"):
        analyze(terrain, outlets=3.0 * mask)


def test_flat_ground_has_no_slope_and_no_lakes_and_a_note_says_so():
    found = analyze(Terrain(np.zeros((9, 12))))
    assert not any(found.fields[name].any() for name in ("slope", "curvature", "lake_depth"))
    assert "flat" in found.notes[0]


def test_rivers_end_in_the_sea_which_counts_as_no_land():
    heights = bowl(65, 65, 100.0)
    land = AnalysisParameters(sea=True, sea_level=20.0)
    found = analyze(Terrain(heights, 30.0), land, "closed")
    assert found.figures["pits"] == 0 and found.figures["free_drainage"] == 1 and not found.notes
    assert not found.fields["lake_depth"].any()
    assert found.figures["relief"] == pytest.approx(np.ptp(heights[heights > 20.0]))


def test_a_sea_over_all_of_it_is_refused_in_a_sentence():
    with pytest.raises(InputError, match="below the sea at 500 m; lower"):
        analyze(Terrain(bowl(9, 9)), AnalysisParameters(sea=True, sea_level=500.0))


def test_the_terrain_is_not_changed():
    terrain = Terrain(fractal(20, 20, 30.0))
    before = terrain.elevation.tobytes()
    analyze(terrain)
    assert terrain.elevation.tobytes() == before and not terrain.fields
