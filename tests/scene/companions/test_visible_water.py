# SPDX-License-Identifier: GPL-3.0-or-later
"""Visible water: one answer for all that grows or lies beside it."""

import bpy
import numpy as np
import pytest

from erosion_addon.drainage.parameters import RiverParameters
from erosion_addon.scene.companions import visible_water
from erosion_addon.scene.derived import update_derived
from erosion_addon.scene.masks.settings import DEFAULTS
from erosion_addon.scene.materials import material
from erosion_addon.scene.materials.foliage_nodes import DENSITY
from erosion_addon.scene.plants import foliage, plants
from erosion_addon.scene.terrain import attributes, grid
from erosion_addon.scene.terrain.mesh import make_grid_object
from erosion_addon.scene.water import rivers, water_surface

SLOPE = np.repeat(0.1 * np.arange(30.0)[:, None], 20, axis=1)


@pytest.fixture
def slope(empty_scene):
    """Moist ground that rises by 0.1 m a cell of 1 m."""
    obj = make_grid_object("Slope", SLOPE, (1.0, 1.0), empty_scene.collection)
    bpy.context.view_layer.update()
    attributes.write_fields(
        obj.data, grid.find_lattice(obj), {"moisture": np.full(SLOPE.shape, 0.5, np.float32)}
    )
    return obj


def wet(obj):
    lattice = grid.find_lattice(obj)
    return visible_water.where(obj, lattice, grid.read_terrain(obj)[0].elevation)


def test_a_sea_that_is_shown_is_water_and_foliage_leaves_it_out(slope):
    foliage.add(slope)
    assert not wet(slope).any()
    rivers.add(slope, "sea", RiverParameters(sea_level=1.05))
    update_derived.update_companions(slope, DEFAULTS, update_derived.BESIDE_WATER)
    assert (wet(slope) == (SLOPE < 1.05)).all()
    grown = attributes.read_fields(slope.data, grid.find_lattice(slope), [DENSITY])[DENSITY]
    assert ((grown > 0) == (SLOPE > 1.05)).all()
    update_derived.remove_companions(slope, "sea")
    assert not wet(slope).any()
    assert attributes.read_fields(slope.data, grid.find_lattice(slope), [DENSITY])[DENSITY].all()


def test_pools_are_water_from_the_depth_on_that_the_surface_shows(slope):
    lattice = grid.find_lattice(slope)
    attributes.write_fields(
        slope.data, lattice, {"water_depth": np.maximum(1.0 - SLOPE, 0).astype(np.float32)}
    )
    # 0.01 m is shown, and the next cell lies 0.1 m deeper
    assert (wet(slope) == (SLOPE < 0.95)).all()
    water_surface.add(slope, threshold=0.55)
    assert (wet(slope) == (SLOPE < 0.45)).all()


def test_water_that_the_material_draws_by_moisture_is_water_and_nothing_grows_in_it(empty_scene):
    # Wet all over: on the level half it is a lake, on the other half wet ground.
    land = np.where(
        np.arange(40)[:, None] < 20, 0.0, 4.0 * (np.arange(40)[:, None] - 20)
    ) + np.zeros((40, 40))
    obj = make_grid_object("Lake", land, (10.0, 10.0), empty_scene.collection)
    bpy.context.view_layer.update()
    lattice = grid.find_lattice(obj)
    moisture = {"moisture": np.full(land.shape, 0.95, np.float32)}
    attributes.write_fields(obj.data, lattice, moisture)
    assert not wet(obj).any()  # no material, no water
    material.assign(obj, "alpine")
    level = np.arange(40)[:, None] < 20
    assert (wet(obj) == level).all()
    trees = plants.add(obj)
    rows = np.array([vertex.co.y for vertex in trees.data.vertices]) / 10 + 19.5
    assert len(rows) > 100 and rows.min() > 19
    # A water step knows better.
    attributes.write_fields(
        obj.data, lattice, moisture | {"water_depth": np.zeros(land.shape, np.float32)}
    )
    assert not wet(obj).any()
