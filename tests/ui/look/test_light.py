# SPDX-License-Identifier: GPL-3.0-or-later
"""The operator that bakes light."""

import bpy
import numpy as np
import pytest

from erosion_addon.scene.derived import light
from erosion_addon.scene.masks.settings import DEFAULTS


def values_of(obj, name):
    values = np.empty(len(obj.data.vertices), np.float32)
    obj.data.attributes[name].data.foreach_get("value", values)
    return values


def test_light_is_baked_into_attributes(terrain_object):
    assert bpy.ops.erosion.light_bake() == {"FINISHED"}
    sky = values_of(terrain_object, "sky_light")
    assert 0 < sky.min() < sky.max() <= 1


def test_its_settings_are_those_that_are_declared(terrain_object):
    values = {
        "azimuths": 8,
        "radius": 0.1,
        "half_resolution": True,
        "suns": False,
        "terrain_shadow": False,
    }
    values["spheres"] = 2
    bpy.ops.erosion.light_bake(**values)
    assert light.settings_of(terrain_object.data).to_dict() == values


def test_undo_takes_the_light_away(terrain_object):
    with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):
        bpy.ops.ed.undo_push(message="before")
        bpy.ops.erosion.light_bake("EXEC_DEFAULT", True)
        bpy.ops.ed.undo()
    obj = bpy.data.objects["Terrain"]
    assert "sky_light" not in obj.data.attributes and light.settings_of(obj.data) is None


def test_light_is_brought_up_to_date_after_the_ground_has_changed(terrain_object):
    bpy.ops.erosion.light_bake()
    before = values_of(terrain_object, "sky_light")
    flat = np.zeros(3 * len(terrain_object.data.vertices), np.float32)
    terrain_object.data.attributes["position"].data.foreach_get("vector", flat)
    flat[2::3] *= 0.1
    terrain_object.data.attributes["position"].data.foreach_set("vector", flat)
    light.update(terrain_object, DEFAULTS)
    assert values_of(terrain_object, "sky_light").mean() > before.mean()


def test_a_collection_without_casters_is_refused_in_a_sentence(terrain_object):
    terrain_object.erosion.casters = bpy.data.collections.new("Nothing")
    with pytest.raises(RuntimeError, match="Nothing has no visible object"):
        bpy.ops.erosion.light_bake()
    assert "sky_light" not in terrain_object.data.attributes


def test_it_says_why_not(empty_scene):
    assert not bpy.ops.erosion.light_bake.poll()
