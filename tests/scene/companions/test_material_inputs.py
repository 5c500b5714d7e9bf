# SPDX-License-Identifier: GPL-3.0-or-later
"""Shores: how wet the ground is beside water that is seen."""

import bpy
import numpy as np
import pytest

from erosion_addon.scene.companions import material_inputs
from erosion_addon.scene.derived import update_derived
from erosion_addon.scene.materials import material, water_material
from erosion_addon.scene.materials.terrain.sockets import SHORE
from erosion_addon.scene.terrain import attributes, grid
from erosion_addon.scene.terrain.mesh import make_grid_object
from erosion_addon.scene.water import water_surface

BEACH = np.repeat(0.05 * np.arange(40.0)[:, None], 30, axis=1)


@pytest.fixture
def beach(empty_scene):
    """Ground that rises by 5 cm a cell of 1 m out of water, whose level is that of row 10."""
    obj = make_grid_object("Beach", BEACH, (1.0, 1.0), empty_scene.collection)
    bpy.context.view_layer.update()
    depth = np.maximum(0.5 - BEACH, 0).astype(np.float32)
    attributes.write_fields(obj.data, grid.find_lattice(obj), {"water_depth": depth})
    return obj


def shore_of(obj):
    values = np.empty(len(obj.data.vertices), np.float32)
    obj.data.attributes[SHORE].data.foreach_get("value", values)
    return values.reshape(BEACH.shape)


def test_ground_is_less_wet_the_higher_it_lies_and_dry_far_away(beach):
    water_surface.add(beach)
    found = shore_of(beach)[:, 15]
    assert (found[:10] == 1).all() and (np.diff(found[9:15]) < 0).all() and (found[15:] == 0).all()


def test_a_bank_higher_than_splashes_is_dry():
    steep = np.where(np.arange(40)[:, None] < 20, 0.0, 5.0) + np.zeros((40, 30))
    wet = np.zeros((40, 30), bool)
    wet[:20] = True
    found = material_inputs.wet_shores(
        steep.astype(np.float32), wet, (steep + 0.3).astype(np.float32), 1.0
    )
    assert (found[:20] == 1).all() and (found[20:] == 0).all()


def test_shores_go_with_the_water_and_come_back_with_it(beach):
    before = set(beach.data.attributes.keys())
    for _ in range(2):
        water_surface.add(beach)
        assert SHORE in beach.data.attributes
        update_derived.remove_companions(beach, "water")
        assert set(beach.data.attributes.keys()) == before


def test_waves_break_where_the_palette_has_surf(beach):
    for palette, expected in (("coast", 0.9), ("alpine", 0.0)):
        material.assign(beach, palette)
        surface = water_surface.add(beach)
        assert surface[water_material.SURF] == pytest.approx(expected)


def test_waves_run_with_the_wind_where_they_break(beach):
    flow = np.broadcast_to(np.float32([3.0, 4.0]), (*BEACH.shape, 2))
    attributes.write_fields(beach.data, grid.find_lattice(beach), {"wind_flow": flow})
    for palette, expected in (("coast", (0.6, 0.8, 0.0)), ("alpine", (0.0, 0.0, 0.0))):
        material.assign(beach, palette)
        surface = water_surface.add(beach)
        assert tuple(surface[water_material.WAVES]) == pytest.approx(expected)


@pytest.mark.parametrize("cells", [0, 1, 2, 5, 1_000_000])
def test_values_spread_over_a_square(cells):
    values = np.zeros((6, 9), np.float32)
    values[1, 2] = 1.0
    values[5, 8] = 2.0
    row, col = np.indices(values.shape)
    near = [
        value * (np.maximum(abs(row - r), abs(col - c)) <= cells)
        for r, c, value in ((1, 2, 1.0), (5, 8, 2.0))
    ]
    np.testing.assert_array_equal(material_inputs._spread(values, cells), np.maximum(*near))
