# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that older releases have saved open, run and restore for ever.

Those of 0.1.0 were saved by Blender 4.5. Their terrains keep the heights before erosion in the
attribute "before".
"""

from pathlib import Path
from types import SimpleNamespace

import bpy
import numpy as np
import pytest

from erosion_addon import ui
from erosion_addon.scene.original import original
from erosion_addon.scene.terrain.mesh import vertex_heights
from tests.ui.conftest import activate
from tests.ui.recipe.test_steps import Drawn

FOLDER = Path(__file__).parents[1] / "run" / "release_0_1_0"
FILES = {"eroded": "Eroded", "water": "Water", "edited": "Changed"}
"""File -> its terrain: with look, light and levels of detail; scaled, with water and foliage;
edited after a run.
"""


def opened(name):
    """The terrain of a file, active."""
    bpy.ops.wm.open_mainfile(filepath=str(FOLDER / f"{name}.blend"))
    obj = bpy.data.objects[FILES[name]]
    activate(obj)
    return obj


def before(obj):
    """Heights before erosion, as the file tells them."""
    values = np.empty(len(obj.data.vertices), np.float32)
    obj.data.attributes["before"].data.foreach_get("value", values)
    return values.tobytes()


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_0_1_0_shows_all_its_settings(name):
    obj = opened(name)
    assert obj.erosion.steps and obj.erosion.recipe_name in {"alpine", "flood plain", "canyon"}
    assert original.has_source(obj.data) and original.is_untouched_result(obj.data)
    panels = [
        cls for module in ui._MODULES for cls in module.CLASSES if issubclass(cls, bpy.types.Panel)
    ]
    for panel in panels:
        if panel.__name__ != "EROSION_PT_recipes" and (
            not hasattr(panel, "poll") or panel.poll(bpy.context)
        ):
            panel.draw(SimpleNamespace(layout=Drawn()), bpy.context)


@pytest.mark.parametrize(("name", "restores"), [("eroded", 1), ("water", 1), ("edited", 2)])
def test_a_file_of_0_1_0_restores_to_the_byte(name, restores):
    obj = opened(name)
    for _ in range(restores):
        assert original.has_source(obj.data)
        assert bpy.ops.erosion.restore() == {"FINISHED"}
    assert vertex_heights(obj.data).tobytes() == before(obj)
    assert not original.has_source(obj.data) and obj.data["note"] == "mine"


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_a_file_of_0_1_0_runs_again_from_the_terrain_before_erosion(name, tmp_path):
    obj = opened(name)
    source = original.source_heights(obj.data).tobytes()
    companions = sorted(child.name for child in obj.children)
    assert bpy.ops.erosion.run() == {"FINISHED"}
    assert (
        original.source_heights(obj.data).tobytes() == source != vertex_heights(obj.data).tobytes()
    )
    assert sorted(child.name for child in obj.children) == companions
    eroded = vertex_heights(obj.data).tobytes()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "land.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "land.blend"))
    obj = bpy.data.objects[FILES[name]]
    activate(obj)
    assert vertex_heights(obj.data).tobytes() == eroded
    while original.has_source(obj.data):
        assert bpy.ops.erosion.restore() == {"FINISHED"}
    assert vertex_heights(obj.data).tobytes() == before(obj)
