# SPDX-License-Identifier: GPL-3.0-or-later
"""Derived objects follow the fields of their terrain, also when fields disappear."""

import bpy
import numpy as np
import pytest

from erosion_addon.bake.parameters import LightParameters
from erosion_addon.scene.companions import companions
from erosion_addon.scene.derived import light, maps
from erosion_addon.scene.derived import update_derived as follow
from erosion_addon.scene.masks.settings import DEFAULTS, TerrainSettings
from erosion_addon.scene.terrain import attributes, grid
from erosion_addon.scene.terrain.mesh import vertex_heights, write_heights
from erosion_addon.scene.water import water_surface

SKY = LightParameters(azimuths=4, suns=False)


@pytest.fixture
def lake(make_hills):
    """A terrain half under water, with its surface, an image of the depth, and the light of the
    sky.
    """
    terrain = make_hills(8, 9)
    write(terrain, depth=2.0)
    water_surface.add(terrain)
    maps.send(terrain, ["water_depth"])
    light.bake_light(terrain, SKY, None, "open")
    return terrain


def write(terrain, depth):
    field = np.zeros((8, 9), np.float32)
    field[:4] = depth
    attributes.write_fields(terrain.data, grid.find_lattice(terrain), {"water_depth": field})


def values(mesh, name):
    found = np.empty(len(mesh.vertices), np.float32)
    mesh.attributes[name].data.foreach_get("value", found)
    return found


def highest(image):
    pixels = np.empty(len(image.pixels), np.float32)
    image.pixels.foreach_get(pixels)
    return pixels.reshape(-1, image.channels)[:, 0].max()


def census():
    collections = (
        bpy.data.objects,
        bpy.data.meshes,
        bpy.data.images,
        bpy.data.materials,
        bpy.data.node_groups,
    )
    return [sorted(item.name for item in collection) for collection in collections]


def test_all_of_it_follows_in_place(lake):
    before = census()
    sky = values(lake.data, "sky_light")
    surface = companions.find(lake, "water")[0]
    image = bpy.data.images["Hills water_depth"]
    write(lake, depth=5.0)
    heights = vertex_heights(lake.data)
    write_heights(lake.data, heights * 4)
    assert follow.update(lake, DEFAULTS) == []
    assert census() == before
    assert values(surface.data, "water_depth").max() == pytest.approx(5, abs=1e-4)
    assert highest(image) == 5
    assert values(lake.data, "sky_light").mean() < sky.mean()  # deeper hollows


def test_what_shows_a_field_that_is_gone_shows_nothing(lake):
    image = bpy.data.images["Hills water_depth"]
    attributes.remove_fields(lake.data, but=["sky_light"])
    assert follow.update(lake, DEFAULTS) == []
    assert highest(image) == 0 and not len(companions.find(lake, "water")[0].data.vertices)
    write(lake, depth=3.0)
    follow.update(lake, DEFAULTS)
    assert highest(image) == 3 and len(companions.find(lake, "water")[0].data.vertices)


def test_what_cannot_follow_is_said_and_stops_nothing_else(lake):
    settings = TerrainSettings(casters=bpy.data.collections.new("Nobody"))
    write(lake, depth=5.0)
    (sentence,) = follow.update(lake, settings)
    assert sentence.startswith(
        "Its light could not be updated: The collection Nobody has no visible object"
    )
    assert highest(bpy.data.images["Hills water_depth"]) == 5


def test_a_fault_of_ours_is_said_too(lake, monkeypatch, capsys):
    def broken(*given, **more):
        raise ZeroDivisionError

    monkeypatch.setattr(follow, "update_companions", broken)
    assert follow.update(lake, DEFAULTS) == [
        "Its surfaces could not be updated; see the system console."
    ]
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_a_part_for_which_memory_is_too_scarce_is_said_without_a_traceback(
    lake, monkeypatch, capsys
):
    def greedy(*arguments, **settings):
        raise MemoryError

    monkeypatch.setattr("erosion_addon.scene.derived.light.update", greedy)
    monkeypatch.setattr("erosion_addon.scene.water.water_surface.update", greedy)
    light, water = follow.update(lake, DEFAULTS)
    assert light == "Its light could not be updated: there is not enough memory."
    assert water.endswith("still shows the previous terrain: there is not enough memory.")
    assert "Traceback" not in capsys.readouterr().err


def test_a_terrain_with_none_of_it_is_left_alone(make_hills, everything_of):
    terrain = make_hills()
    before = everything_of(terrain.data)
    assert follow.update(terrain, DEFAULTS) == []
    assert everything_of(terrain.data) == before and not bpy.data.images
