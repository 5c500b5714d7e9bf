# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields as colors."""

import numpy as np
import pytest

from erosion_addon.terrain.color_attributes import COLORS


def test_colors_run_from_straw_over_green_to_water():
    moisture = {"moisture": np.array([0.0, 0.5, 1.0], np.float32)}
    straw, green, water = COLORS["moisture_color"].colors(moisture, 10.0)
    assert straw[0] > straw[1] > straw[2]
    assert green[1] > max(green[0], green[2])
    assert water[2] > max(water[0], water[1])
    assert straw[3] == green[3] == water[3] == 1


def test_more_sediment_is_lighter_and_values_off_the_ramp_take_its_ends():
    ramp = COLORS["sediment_color"]
    sediment = np.array([-1.0, 0.2, 2.0, 1e9], np.float32)
    none, some, much, most = ramp.colors({"sediment": sediment}, 10.0)
    assert none.tolist() == pytest.approx([0.16, 0.15, 0.14, 1])
    assert (none < some)[:3].all()
    assert (some < much)[:3].all()
    assert np.array_equal(much, most)
    assert np.array_equal(some, ramp.colors({"sediment": sediment * 10}, 100.0)[1])


def test_packed_maps_hold_moisture_sediment_wear_and_water():
    """Full at 1, a fifth of a cell, a cell, and a tenth of a cell, as the manual says."""
    fields = {
        "moisture": np.array([[0.25, 1.0]], np.float32),
        "sediment": np.array([[1.0, 3.0]]),
        "wear": np.array([[5.0, -1.0]]),
        "water_depth": np.array([[0.1, 50.0]]),
    }
    first, second = COLORS["maps_color"].colors(fields, 10.0)[0]
    assert first.tolist() == pytest.approx([0.25, 0.5, 0.5, 0.1])
    assert second.tolist() == [1, 1, 0, 1]


def test_a_channel_whose_field_is_missing_is_empty():
    packed = COLORS["maps_color"].colors({"wear": np.full((2, 3), 10.0)}, 10.0)
    assert packed.shape == (2, 3, 4) and packed.dtype == np.float32
    assert np.array_equal(packed, np.broadcast_to([0, 0, 1, 0], (2, 3, 4)))
