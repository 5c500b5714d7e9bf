# SPDX-License-Identifier: GPL-3.0-or-later
"""Registration while others change what was registered, or while a part of it fails."""

import re
from pathlib import Path

import bpy
import pytest

import erosion_addon
from erosion_addon import ui
from erosion_addon.ui.base import handlers
from erosion_addon.ui.look import lod
from erosion_addon.ui.run import live_preview


def ours():
    """Number of Blender's handlers that belong to this extension."""
    lists = [
        found
        for name in dir(bpy.app.handlers)
        if isinstance(found := getattr(bpy.app.handlers, name), list)
    ]
    return sum(
        getattr(handler, "__module__", "").startswith("erosion_addon")
        for found in lists
        for handler in found
    )


@pytest.fixture
def switched_off():
    erosion_addon.unregister()
    yield
    erosion_addon.unregister()  # nothing where it is off
    erosion_addon.register()


def test_handlers_that_another_add_on_cleared_keep_nothing_in(switched_off):
    erosion_addon.register()
    expected = ours()
    assert expected > 10
    for found in (
        bpy.app.handlers.undo_pre,
        bpy.app.handlers.load_post,
        bpy.app.handlers.depsgraph_update_post,
    ):
        found.clear()
    erosion_addon.unregister()
    assert (
        ours() == 0
        and not hasattr(bpy.types.Object, "erosion")
        and not hasattr(bpy.types, "EROSION_PT_main")
    )
    erosion_addon.register()
    assert ours() == expected


def test_a_class_that_is_gone_already_keeps_nothing_else_in(switched_off):
    erosion_addon.register()
    bpy.utils.unregister_class(lod.EROSION_OT_lod_add)
    with pytest.raises(RuntimeError):
        erosion_addon.unregister()
    assert (
        ours() == 0
        and not hasattr(bpy.types.Object, "erosion")
        and not hasattr(bpy.types, "EROSION_PT_main")
    )


def test_where_a_part_fails_nothing_is_registered(switched_off, monkeypatch):
    def fails():
        raise OSError("no room")

    with monkeypatch.context() as patch, pytest.raises(OSError, match="no room"):
        patch.setattr(live_preview, "register", fails, raising=False)
        erosion_addon.register()
    assert (
        ours() == 0
        and not hasattr(bpy.types.Object, "erosion")
        and not hasattr(bpy.types, "EROSION_PT_main")
    )


def test_registering_adds_every_handler_once(switched_off):
    erosion_addon.register()
    listed = [pair for module in ui._MODULES for pair in getattr(module, "HANDLERS", ())]
    assert len(listed) == ours()
    for name, handler in listed:
        assert getattr(bpy.app.handlers, name).count(handler) == 1


def test_no_timer_outlives_the_extension(switched_off):
    erosion_addon.register()
    timers = [timer for module in ui._MODULES for timer in getattr(module, "TIMERS", ())]
    assert len(timers) == 8
    for timer in timers:
        handlers.call_later(timer, 1e6)
        handlers.call_later(timer, 1e6)
    assert all(map(bpy.app.timers.is_registered, timers))
    erosion_addon.unregister()
    assert not any(map(bpy.app.timers.is_registered, timers))


UI = Path(ui.__file__).parent


@pytest.mark.parametrize(
    "path", sorted(UI.rglob("*.py")), ids=lambda path: str(path.relative_to(UI))
)
def test_handlers_and_timers_are_added_in_one_place(path):
    text = path.read_text(encoding="utf-8")
    assert path.stem == "handlers" or not re.search(
        r"timers\.(un)?register|app\.handlers\.\w+\.", text
    )
