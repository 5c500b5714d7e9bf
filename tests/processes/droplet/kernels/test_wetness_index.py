# SPDX-License-Identifier: GPL-3.0-or-later
"""Wetness index: moisture from flow and slope."""

import numpy as np

from erosion_addon.processes.droplet.kernels.droplet import wetness
from tests.terrains import fractal, plane


def moisture(elevation, flow, row_spacing=1.0, col_spacing=1.0, catchment=1.0, half_wet=100.0):
    result = np.full(elevation.shape, np.nan, np.float32)
    flow = np.broadcast_to(np.asarray(flow, np.float32), elevation.shape).copy()
    wetness(elevation, flow, row_spacing, col_spacing, catchment, half_wet, result)
    return result


def test_ground_is_half_wet_where_catchment_per_slope_is_as_said():
    # Slope 0.5 everywhere, edges included: a / tan β = 50 / 0.5 = 100.
    assert np.all(moisture(plane(5, 6, fall_along_col=0.5), 50.0) == 0.5)


def test_slope_is_in_meters_a_meter_along_both_axes():
    # Falls of 3 m over 10 m and 2 m over 5 m a cell: slope = hypot(0.3, 0.4) = 0.5.
    assert np.allclose(
        moisture(plane(5, 6, 3.0, 2.0), 50.0, row_spacing=10.0, col_spacing=5.0), 0.5, rtol=1e-6
    )


def test_wetness_counts_by_its_root():
    # 16 times half_wet has a root 4 times as large: 4 / (4 + 1).
    assert np.allclose(moisture(plane(5, 6, fall_along_col=0.5), 16 * 50.0), 0.8, rtol=1e-6)


def test_flat_ground_counts_as_a_slope_of_5_in_100():
    # 5 / 0.05 = 100.
    assert np.allclose(moisture(np.zeros((3, 3)), 5.0), 0.5, rtol=1e-6)
    assert np.all(
        moisture(plane(3, 3, fall_along_row=0.04), 2.0) == moisture(np.zeros((3, 3)), 2.0)
    )


def test_dry_ground_is_0_and_a_flood_is_at_most_1():
    assert np.all(moisture(np.zeros((4, 4)), 0.0) == 0.0)
    flooded = moisture(np.zeros((4, 4)), 1e30)
    assert np.all(flooded <= 1.0) and np.all(flooded > 0.999)


def test_a_mirrored_or_turned_terrain_gives_the_same_moisture():
    elevation = fractal(9, 12)
    flow = fractal(9, 12, seed=1)
    expected = moisture(elevation, flow)
    assert np.array_equal(moisture(elevation[::-1].copy(), flow[::-1])[::-1], expected)
    assert np.array_equal(moisture(elevation[:, ::-1].copy(), flow[:, ::-1])[:, ::-1], expected)
    # A sum of two squares does not depend on their order.
    assert np.array_equal(moisture(elevation.T.copy(), flow.T).T, expected)
