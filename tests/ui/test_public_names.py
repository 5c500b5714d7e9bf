# SPDX-License-Identifier: GPL-3.0-or-later
"""Public names in Blender: operators and properties that scripts call. More may be added; none of
these may change.
"""

import bpy
import pytest

from erosion_addon.processes.registry import PROCESSES

OPERATORS = [
    "run",
    "finish",
    "cancel",
    "restore",
    "terrain_add",
    "heightmap_import",
    "maps_export",
    "material_add",
    "water_add",
    "foliage_add",
    "light_bake",
    "lod_add",
    "recipe_load",
    "recipe_save",
    "analyze",
    "rivers_add",
    "lakes_add",
    "brush_stroke",
    "frames_export",
]


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_keep_their_names(name):
    assert getattr(bpy.ops.erosion, name).get_rna_type().name


def test_the_brush_keeps_its_name_among_the_tools_of_object_mode():
    from bl_ui.space_toolsystem_toolbar import VIEW3D_PT_tools_active as toolbar

    tools = toolbar._tools_flatten(toolbar.tools_from_context(bpy.context, mode="OBJECT"))
    assert "erosion.brush" in [tool.idname for tool in tools if tool]


def test_settings_of_a_terrain_keep_their_names(terrain_object):
    settings = terrain_object.erosion
    assert {
        "seed",
        "edges",
        "recipe_name",
        "steps",
        "strength",
        "hardness",
        "rain",
        "sediment",
    } <= {*settings.bl_rna.properties.keys()}
    step = settings.steps[0]
    assert step.kind == "droplet" and step.enabled
    assert {*PROCESSES} <= {*step.bl_rna.properties.keys()}
