# SPDX-License-Identifier: GPL-3.0-or-later
"""The sea: submerged cells, shore, surface."""

import numpy as np

from erosion_addon.drainage import beds, ribbon
from erosion_addon.drainage.parameters import RiverParameters
from erosion_addon.drainage.rivers import sizes, water_of
from erosion_addon.drainage.sea import BEACH, shore, sunk
from tests.terrains import fractal, plane

LAND = fractal(40, 50, 200.0, seed=3)
SPACING = (10.0, 10.0)


def test_what_is_lower_than_the_sea_is_below_it_and_land_at_its_height_is_not():
    assert sunk(np.array([[1.0, 2.0, 3.0]]), 2.0).tolist() == [[True, False, False]]


def test_a_shore_falls_from_the_water_to_nothing_over_its_width_in_meters():
    sea = plane(9, 20, 0.0, 1.0) < 5.0  # the last five columns
    found = shore(sea, (10.0, 20.0), "open")
    wide = BEACH * np.sqrt(200.0)
    assert not found[sea].any()
    np.testing.assert_allclose(
        found[4, 14::-1], np.clip(1.0 - 20.0 * np.arange(1, 16) / wide, 0.0, 1.0), atol=1e-6
    )


def test_land_without_a_sea_has_no_shore():
    assert not shore(np.zeros((5, 6), bool), SPACING, "open").any()


def test_the_sheet_of_the_sea_is_level_to_the_bit_and_reaches_under_the_land_by_a_cell():
    sea = sunk(LAND, 80.0)
    sheet = ribbon.sheets(sea.astype(np.int32), np.array([80.0]), LAND, SPACING)
    assert set(sheet.place[:, 2]) == {80.0}
    depth = sheet.layers["water_depth"]
    assert np.count_nonzero(depth > 0) == np.count_nonzero(sea)
    assert ((depth > 0) == (sheet.layers["shore"] == 0)).all()
    row, col = (np.rint(sheet.place[:, axis] / 10).astype(int) for axis in (1, 0))
    np.testing.assert_allclose(depth, 80.0 - LAND[row, col], atol=1e-4)


def test_masks_tell_sea_from_shore_and_banks_lie_on_land():
    parameters = RiverParameters(source_area=0.004, sea=True, sea_level=80.0)
    water = water_of(LAND, SPACING, "open", parameters)
    found = beds.masks(water, sizes(water, parameters), SPACING, "open", sunk(LAND, 80.0))
    sea = found["sea"] == 1
    assert (
        (sea == (LAND < 80.0)).all()
        and not found["shore"][sea].any()
        and not found["bank"][sea].any()
    )
    assert found["shore"].max() > 0.5 and found["bank"].any()
