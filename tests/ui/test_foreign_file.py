# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of strangers: any content in the extension's properties is handled."""

from types import SimpleNamespace

import bpy
import numpy as np
import pytest

from erosion_addon import ui
from erosion_addon.base.errors import InputError
from erosion_addon.scene.companions import companions, material_inputs, visible_water
from erosion_addon.scene.derived import light, lod, maps
from erosion_addon.scene.original import original as source
from erosion_addon.scene.original import transaction
from erosion_addon.scene.plants import foliage
from erosion_addon.scene.run import start_state as start
from erosion_addon.scene.terrain import attributes, grid
from erosion_addon.scene.terrain.grid import snapshot
from erosion_addon.scene.terrain.mesh import make_grid_object, vertex_heights
from erosion_addon.scene.water import analysis, water_surface
from tests.terrains import fractal
from tests.ui.conftest import activate
from tests.ui.recipe.test_steps import Drawn

OF_MESHES = [
    attributes.OURS,
    source.RESULT,
    source.COUNT,
    f"{source.COUNT}.1",
    transaction.KEY,
    light.SETTINGS,
    analysis.ANALYSIS,
]
OF_TERRAINS = [maps.IMAGES, "erosion_palette", material_inputs.WATER_SURFACE, companions.KIND]
OF_COMPANIONS = [companions.KIND, companions.AXES, lod.ERROR, lod.OF_WATER, visible_water.THRESHOLD]
GARBAGE = [7, float("nan"), "x", [1, 2], {"a": 1}]


def terrain_with_everything():
    """A terrain that was eroded, with water, foliage and two levels of detail."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    obj = make_grid_object(
        "Terrain", fractal(8, 9, relief=50.0), (10.0, 10.0), bpy.context.scene.collection
    )
    activate(obj)
    bpy.context.view_layer.update()
    fields = {
        "water_depth": np.ones((8, 9), np.float32),
        "moisture": np.full((8, 9), 0.5, np.float32),
    }
    source.keep_source(obj.data, vertex_heights(obj.data))
    attributes.write_fields(obj.data, grid.find_lattice(obj), fields)
    source.mark_result(obj.data)
    water_surface.add(obj)
    foliage.add(obj)
    for number in (1, 2):
        level = companions.add(obj, "lod", f"Terrain_LOD{number}", bpy.data.meshes.new("Level"))
        level[lod.ERROR] = float(number)
        level[lod.OF_WATER] = False
    return obj


def look_at_all(obj):
    """Draw all panels and read all stored data; only InputError may be raised."""
    panels = [
        cls for module in ui._MODULES for cls in module.CLASSES if issubclass(cls, bpy.types.Panel)
    ]
    for panel in panels:
        if panel.__name__ != "EROSION_PT_recipes" and (
            not hasattr(panel, "poll") or panel.poll(bpy.context)
        ):
            panel.draw(SimpleNamespace(layout=Drawn()), bpy.context)
    for read in (
        lambda: start.heights(obj.data, snapshot(obj), False),
        lambda: source.is_paused(obj.data) and source.paused_run(obj.data),
        lambda: maps.images_of(obj),
        lambda: lod.levels_of(obj),
        lambda: light.settings_of(obj.data),
        lambda: analysis.settings_of(obj.data),
        lambda: companions.put_in_place(obj),
        lambda: water_surface.update(obj, obj.children[0]),
        lambda: source.restore(obj.data),
    ):
        try:
            read()
        except InputError:
            continue


@pytest.mark.parametrize("key", [*OF_MESHES, *OF_TERRAINS, *OF_COMPANIONS])
def test_whatever_is_kept_under_our_names_makes_no_traceback(key):
    obj = terrain_with_everything()
    before = vertex_heights(obj.data)
    for garbage in GARBAGE:
        kept = obj.children if key in OF_COMPANIONS else [obj]
        for holder in [obj.data] if key in OF_MESHES else kept:
            holder[key] = garbage
        look_at_all(obj)
        assert vertex_heights(obj.data).tobytes() == before.tobytes()
