# SPDX-License-Identifier: GPL-3.0-or-later
"""The operators for rivers and lakes, as scripts and buttons call them."""

import bpy
import pytest

from erosion_addon.scene.derived import companions, rivers
from tests.ui.conftest import activate


def test_rivers_and_lakes_are_added_once_and_removed(terrain_object):
    for _ in range(2):
        bpy.ops.erosion.rivers_add(source_area=0.005)
        bpy.ops.erosion.lakes_add(source_area=0.005, lake_area=300.0)
    assert {one.name for one in companions.find(terrain_object)} == {"Terrain Rivers", "Terrain Lakes"}
    assert rivers.settings_in(terrain_object).lake_area == 300.0
    activate(companions.find(terrain_object, "rivers")[0])
    for kind in ("rivers", "lakes"):
        bpy.ops.erosion.companion_remove(kind=kind)
    assert bpy.data.objects[:] == [terrain_object]


def test_undo_takes_the_rivers_away_again(terrain_object):
    with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):
        bpy.ops.ed.undo_push(message="before")
        bpy.ops.erosion.rivers_add("EXEC_DEFAULT", True, source_area=0.005)
        assert len(bpy.data.objects) == 2
        bpy.ops.ed.undo()
    assert len(bpy.data.objects) == 1


def test_a_run_brings_rivers_up_to_date(terrain_object):
    bpy.ops.erosion.rivers_add(source_area=0.005)
    made = companions.find(terrain_object, "rivers")[0]
    mesh, before = made.data, [vertex.co.z for vertex in made.data.vertices]
    bpy.ops.erosion.run()
    assert made.data == mesh and [vertex.co.z for vertex in mesh.vertices] != before


def test_where_there_is_none_it_is_said(terrain_object):
    with pytest.raises(RuntimeError, match="no river of that much land"):
        bpy.ops.erosion.rivers_add(source_area=500.0)
    with pytest.raises(RuntimeError, match="no lake of that size"):
        bpy.ops.erosion.lakes_add(lake_area=1e9)
    assert bpy.data.objects[:] == [terrain_object]
