# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators, panels and settings: what Blender shows of the extension."""

import atexit
import os
import signal
from contextlib import ExitStack
from typing import Any

import bpy
from bpy.app.handlers import persistent

from ..scene.display import displayed_heights
from ..scene.run import job
from ..scene.terrain import grid
from ..scene.worker import compiled
from . import menu, properties
from .base import handlers, manual, preferences, translations
from .drainage import analysis, carving, rivers
from .export import heightmap_export, maps
from .look import companions, light, lod, look
from .masks import mask_tools, mask_watch, masks, surface_color
from .recipe import own_recipes, recipe_files, recipes, step_list, steps, wind_rose
from .run import live_preview, main_panel, operators, progress, report, variants, warmup
from .terrain import advice, heightmaps, mesh_grids, terrain_add

_MODULES: tuple[Any, ...] = (
    translations,
    manual,
    preferences,
    advice,
    main_panel,
    steps,
    step_list,
    wind_rose,
    variants,
    masks,
    mask_tools,
    mask_watch,
    surface_color,
    properties,
    recipes,
    own_recipes,
    recipe_files,
    operators,
    heightmaps,
    heightmap_export,
    mesh_grids,
    terrain_add,
    light,
    lod,
    companions,
    maps,
    look,
    analysis,
    rivers,
    carving,
    report,
    menu,
    warmup,
    live_preview,
)
"""Each has CLASSES, and may have `register` and `unregister` for what is no class. Panels stand in this order."""

_undone_by = ExitStack()
"""What takes everything out of Blender again."""


def register() -> None:
    """Add everything to Blender, or nothing where a part of it fails."""
    global _undone_by
    with ExitStack() as stack:
        for module in _MODULES:
            _add_module(module, stack)
        handlers.add(_handlers())
        stack.callback(handlers.remove, _handlers())
        stack.callback(bpy.utils.unregister_cli_command, bpy.utils.register_cli_command("erosion", _command))
        stack.callback(_remove_keys, _add_keys())
        stack.callback(progress.stop)
        # A script may end with the extension still on; Blender 4.5 as a Python module would crash then.
        stack.callback(atexit.unregister, atexit.register(unregister))
        _undone_by = stack.pop_all()


def unregister() -> None:
    """Take everything out of Blender again; a run under way is cancelled. What fails keeps nothing else in."""
    _undone_by.close()


def _add_module(module: Any, stack: ExitStack) -> None:
    for cls in module.CLASSES:
        if issubclass(cls, bpy.types.Operator):  # the tooltip, without the line breaks of a docstring
            cls.bl_description = " ".join((cls.__doc__ or "").split())
        bpy.utils.register_class(cls)
        stack.callback(bpy.utils.unregister_class, cls)
    if hasattr(module, "register"):
        module.register()
    if hasattr(module, "unregister"):
        stack.callback(module.unregister)


def _add_keys() -> list[tuple[Any, Any]]:
    """Esc cancels a run. The operator's poll lets the key through to everything else when there is none."""
    keyconfig = bpy.context.window_manager.keyconfigs.addon
    if keyconfig is None:  # without a window
        return []
    keymap = keyconfig.keymaps.new(name="Window", space_type="EMPTY")
    return [(keymap, keymap.keymap_items.new("erosion.cancel", "ESC", "PRESS"))]


def _remove_keys(keys: list[tuple[Any, Any]]) -> None:
    for keymap, item in keys:
        keymap.keymap_items.remove(item)


@persistent
def _file_is_left(*_: Any) -> None:
    """Another file is about to be opened: the run belonged to this one."""
    progress.stop()


@persistent
def _meshes_are_others(*_: Any) -> None:
    grid.forget()


@persistent
def _history_moves(*_: Any) -> None:
    """Undo or redo: what is shown must not get mixed up with what comes back."""
    displayed_heights.put_back()


@persistent
def _history_moved(*_: Any) -> None:
    from ..scene.derived import maps  # here, as few sessions of Blender make any

    maps.forget_pixels()
    if job.current is not None and not job.current.is_here():
        job.current.cancel()


@persistent
def _render_begins(*_: Any) -> None:
    displayed_heights.put_back_for_render()


def _handlers() -> tuple[tuple[Any, Any], ...]:
    """Blender's lists of handlers, and what is called from each."""
    app = bpy.app.handlers
    return (
        (app.load_pre, _file_is_left),
        (app.render_init, _render_begins),
        (app.undo_pre, _history_moves),
        (app.redo_pre, _history_moves),
        (app.depsgraph_update_post, grid.forget_changed),
        (app.load_post, _meshes_are_others),
        (app.undo_post, _meshes_are_others),
        (app.redo_post, _meshes_are_others),
        (app.undo_post, _history_moved),
        (app.redo_post, _history_moved),
    )


def _command(argv: list[str]) -> int:
    """`blender --command erosion …`: the words of the command line, with Blender's own image files."""
    from ..cli import commands
    from ..scene.files.image import BlenderFiles
    from .export.rendering import render

    os.environ.update(compiled.worker_environment())
    # Blender's own handler lets Ctrl-C pass until the work is done.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    return commands.main(argv, BlenderFiles(), "blender --command erosion", render)
