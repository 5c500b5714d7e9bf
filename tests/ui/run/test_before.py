# SPDX-License-Identifier: GPL-3.0-or-later
"""Show Before: the terrain before erosion in place of the result."""

import bpy
import numpy as np
import pytest

from erosion_addon.scene.original import original
from erosion_addon.scene.run import displayed_heights
from erosion_addon.scene.session import session
from erosion_addon.scene.terrain.mesh import OWN_HEIGHTS, fingerprint, shown_positions
from erosion_addon.ui.run import live_preview
from tests.ui.conftest import activate, z_of


@pytest.fixture(autouse=True)
def nothing_shown():
    yield
    displayed_heights.put_back()
    session.live.due.clear()
    session.live.settings.clear()


@pytest.fixture
def eroded(terrain_object):
    """An eroded terrain; its heights before as `before`."""
    before = z_of(terrain_object)
    bpy.ops.erosion.run("EXEC_DEFAULT")
    return terrain_object, before


def seen(obj):
    return shown_positions(obj.data)[:, 2].copy()


def switch():
    assert bpy.ops.erosion.before() == {"FINISHED"}


def test_one_press_shows_the_heights_before_and_the_next_those_after(eroded):
    terrain, before = eroded
    after = z_of(terrain)
    mark = fingerprint(terrain.data)
    switch()
    assert np.array_equal(seen(terrain), before) and np.array_equal(z_of(terrain), after)
    assert displayed_heights.is_before(terrain.data)
    live_preview.poll()
    assert np.array_equal(seen(terrain), before)
    switch()
    assert np.array_equal(seen(terrain), after) and fingerprint(terrain.data) == mark
    assert (
        not displayed_heights.is_before(terrain.data) and OWN_HEIGHTS not in terrain.data.attributes
    )


def test_a_terrain_scaled_since_shows_the_heights_before_as_scaled(eroded):
    terrain, before = eroded
    terrain.scale = (1.0, 1.0, 2.0)
    bpy.context.view_layer.update()
    bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)
    switch()
    np.testing.assert_allclose(seen(terrain), 2.0 * before, atol=1e-3)


def test_a_terrain_that_was_not_eroded_has_no_before(terrain_object):
    assert not bpy.ops.erosion.before.poll()
    assert not displayed_heights.is_any()


def test_a_tilted_terrain_says_why_it_shows_none(eroded):
    terrain, _ = eroded
    terrain.rotation_euler = (0.3, 0.0, 0.0)
    bpy.context.view_layer.update()
    bpy.ops.object.transform_apply(location=False, rotation=True, scale=False)
    after = seen(terrain)
    if bpy.ops.erosion.before.poll():
        with pytest.raises(RuntimeError, match="was tilted since its last run"):
            bpy.ops.erosion.before()
    assert np.array_equal(seen(terrain), after) and not displayed_heights.is_any()


LEAVINGS = {
    "another object": lambda terrain: activate(bpy.data.objects["Other"]),
    "Edit Mode": lambda terrain: bpy.ops.object.mode_set(mode="EDIT"),
    "a new run": lambda terrain: bpy.ops.erosion.run("EXEC_DEFAULT"),
    "Restore": lambda terrain: bpy.ops.erosion.restore(),
    "Apply": lambda terrain: bpy.ops.erosion.apply(),
}


@pytest.mark.parametrize("what", LEAVINGS)
def test_the_eroded_terrain_is_back_with(eroded, what):
    terrain, before = eroded
    after = z_of(terrain)
    bpy.context.scene.collection.objects.link(
        bpy.data.objects.new("Other", bpy.data.meshes.new("Other"))
    )
    switch()
    LEAVINGS[what](terrain)
    live_preview.poll()
    if terrain.mode == "EDIT":
        bpy.ops.object.mode_set(mode="OBJECT")
    assert OWN_HEIGHTS not in terrain.data.attributes and not displayed_heights.is_any()
    assert np.array_equal(seen(terrain), before if what == "Restore" else after)


def test_a_file_saved_meanwhile_holds_the_eroded_terrain(eroded, tmp_path):
    terrain, _ = eroded
    bpy.ops.erosion.lod_add()
    after = z_of(terrain)
    name = terrain.name
    switch()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "valley.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "valley.blend"))
    terrain = bpy.data.objects[name]
    assert np.array_equal(seen(terrain), after) and original.has_source(terrain.data)
    assert OWN_HEIGHTS not in terrain.data.attributes and not any(
        obj.hide_viewport for obj in bpy.data.objects
    )


def test_what_follows_the_eroded_terrain_is_hidden_meanwhile(eroded):
    terrain, _ = eroded
    bpy.ops.erosion.lod_add()
    levels = list(terrain.children)
    levels[0].hide_viewport = True  # by the user
    switch()
    assert all(level.hide_viewport for level in levels)
    switch()
    assert [level.hide_viewport for level in levels] == [True] + [False] * (len(levels) - 1)


def test_a_live_preview_comes_back_after_it(eroded):
    terrain, before = eroded
    terrain.erosion.live_preview = True
    terrain.erosion.seed = 7
    switch()
    terrain.erosion.seed = 8
    for _ in range(5):
        live_preview.poll()
    assert np.array_equal(seen(terrain), before)
    switch()
    assert session.live.due == {terrain.session_uid: session.live.due[terrain.session_uid]}
    terrain.erosion.live_preview = False
