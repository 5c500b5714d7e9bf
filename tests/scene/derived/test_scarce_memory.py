# SPDX-License-Identifier: GPL-3.0-or-later
"""Derived objects for which there is no memory stay as they were."""

from contextlib import suppress
from functools import partial

import bpy
import numpy as np
import pytest

import erosion_addon
from erosion_addon.drainage.parameters import RiverParameters
from erosion_addon.scene.companions import companions
from erosion_addon.scene.derived import lod, surroundings
from erosion_addon.scene.masks.settings import DEFAULTS
from erosion_addon.scene.plants import plants
from erosion_addon.scene.terrain import attribute_values, attributes, grid
from erosion_addon.scene.terrain.mesh import make_grid_object, vertex_heights, write_heights
from erosion_addon.scene.water import rivers, water_surface
from erosion_addon.scene.worker import computing
from tests.faults import MEMORY, Faults
from tests.mesh_contents import everything
from tests.terrains import fractal

LAND = fractal(20, 24, relief=100.0, seed=3)
WATER = RiverParameters(source_area=0.004, lake_area=300.0, sea_level=20.0)


@pytest.fixture(scope="module", autouse=True)
def registered():
    """The extension's settings registered on objects."""
    erosion_addon.register()
    yield
    erosion_addon.unregister()


@pytest.fixture
def terrain(empty_scene):
    """Land with moisture, and a film of water on a third of it."""
    obj = make_grid_object("Land", LAND, (10.0, 10.0), empty_scene.collection)
    bpy.context.view_layer.update()
    fields = {
        "moisture": np.full(LAND.shape, 0.5, np.float32),
        "water_depth": np.where(np.percentile(LAND, 33) > LAND, np.float32(0.5), np.float32(0.0)),
    }
    attributes.write_fields(obj.data, grid.find_lattice(obj), fields)
    return obj


def add_levels(terrain):
    water_surface.add(terrain)
    lod.add(terrain, 2)


ADD = {
    "water": water_surface.add,
    "rivers": lambda terrain: rivers.add(terrain, "rivers", WATER),
    "rivers as curves": lambda terrain: rivers.add(terrain, "rivers", WATER, as_curves=True),
    "lakes": lambda terrain: rivers.add(terrain, "lakes", WATER),
    "sea": lambda terrain: rivers.add(terrain, "sea", WATER),
    "plants": lambda terrain: plants.add(
        terrain, limit=50, shrubs=False, grass=False, boulders=False
    ),
    "surroundings": surroundings.add,
    "lod": add_levels,
}
UPDATE = {
    "water": water_surface.update,
    "plants": plants.update,
    "surroundings": surroundings.update,
    "lod": lod.update,
}


def contents(data):
    if isinstance(data, bpy.types.Mesh):
        return everything(data)
    return {
        attribute.name: attribute_values.read(attribute).tobytes() for attribute in data.attributes
    }


@pytest.mark.parametrize("what", ADD)
def test_each_is_whole_wherever_memory_runs_out(terrain, what):
    """One array after the other cannot be made, until an update comes to its end."""
    ADD[what](terrain)
    kind = what.split()[0]
    update = UPDATE.get(kind, partial(rivers.update, settings=DEFAULTS))
    shown = lod.levels_of(terrain) if kind == "lod" else companions.find(terrain, kind)
    write_heights(terrain.data, 0.5 * vertex_heights(terrain.data)[::-1])

    def state():
        return [contents(obj.data) for obj in (terrain, *shown)]

    before = state()
    lattice = grid.find_lattice(terrain)
    now = vertex_heights(terrain.data)
    depth = attributes.read_fields(terrain.data, lattice, ["water_depth"])["water_depth"]
    asked = [
        *rivers.requests_of_update(terrain, lattice, now, DEFAULTS),
        *(lod.requests_of_update(terrain, lattice, now, depth) if kind == "lod" else ()),
    ]
    with computing.ahead(asked):
        for place in range(1, 1000):
            with (
                Faults(MEMORY, MemoryError, place, stays=False).at_work() as faults,
                suppress(MemoryError),
            ):
                update(terrain, shown[0])
            if not faults.fired:
                break
            assert state() == before, place
    assert place > 5 and state() != before
