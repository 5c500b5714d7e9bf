# SPDX-License-Identifier: GPL-3.0-or-later
"""User interface: operators, panels and settings."""

import atexit
import os
import signal
import sys
from contextlib import ExitStack
from typing import Any

import bpy

from ..scene.session import session
from ..scene.worker import compiled
from . import menu, properties
from .base import handlers, manual, preferences, translations
from .brush import adjust, settings, stroke, tool
from .drainage import analysis, carving, rivers
from .export import heightmap_export, maps
from .frames import frame_panel, frame_settings, playback, result_slider
from .look import companions, light, lod, look
from .masks import mask_panel, mask_settings, mask_tools, mask_watch, surface_color
from .recipe import own_recipes, recipe_files, recipes, step_list, steps, wind_rose
from .run import live_preview, main_panel, modal, operators, run_panel, variants, warmup
from .terrain import advice, heightmaps, landscapes, mesh_grids, terrain_add

_MODULES: tuple[Any, ...] = (
    translations,
    manual,
    preferences,
    advice,
    main_panel,
    steps,
    step_list,
    wind_rose,
    frame_panel,
    variants,
    mask_settings,
    mask_panel,
    mask_tools,
    mask_watch,
    surface_color,
    frame_settings,
    properties,
    recipes,
    own_recipes,
    recipe_files,
    operators,
    result_slider,
    playback,
    heightmaps,
    landscapes,
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
    settings,
    stroke,
    adjust,
    tool,
    run_panel,
    menu,
    warmup,
    live_preview,
    modal,
)
"""Modules with CLASSES, and optionally HANDLERS, TIMERS, `register` and `unregister`. Panels appear
in this order.
"""

_undone_by = ExitStack()
"""Cleanup callbacks of the registration."""


def register() -> None:
    """Register everything, or nothing if a part fails."""
    with ExitStack() as stack:
        stack.callback(session.clear)  # last, after everything else
        for module in _MODULES:
            _add_module(module, stack)
        stack.callback(
            bpy.utils.unregister_cli_command,
            bpy.utils.register_cli_command("erosion", command_line),
        )
        stack.callback(_remove_keys, _add_keys())
        # Blender 4.5 as a Python module crashes if a script ends with the extension on.
        stack.callback(atexit.unregister, atexit.register(unregister))
        _undone_by.enter_context(stack.pop_all())


def unregister() -> None:
    """Unregister everything, and cancel a run in progress. An error in one part does not keep the
    others registered.
    """
    _undone_by.close()


def _add_module(module: Any, stack: ExitStack) -> None:
    for cls in module.CLASSES:
        # the tooltip, without the line breaks of a docstring
        if issubclass(cls, bpy.types.Operator):
            cls.bl_description = " ".join((cls.__doc__ or "").split())
        bpy.utils.register_class(cls)
        stack.callback(bpy.utils.unregister_class, cls)
    handlers.add(module)
    stack.callback(handlers.remove, module)
    if hasattr(module, "register"):
        module.register()
    if hasattr(module, "unregister"):
        stack.callback(module.unregister)


def _add_keys() -> list[tuple[Any, Any]]:
    """Bind Esc to cancel. Without a run, the operator's poll passes the key on."""
    keyconfig = bpy.context.window_manager.keyconfigs.addon
    if keyconfig is None:  # without a window
        return []
    keymap = keyconfig.keymaps.new(name="Window", space_type="EMPTY")
    item = keymap.keymap_items.new("erosion.cancel", "ESC", "PRESS")
    item.properties.asks = True
    return [(keymap, item)]


def _remove_keys(keys: list[tuple[Any, Any]]) -> None:
    for keymap, item in keys:
        keymap.keymap_items.remove(item)


def command_line(argv: list[str]) -> int:
    """`blender --command erosion …`: the command line, with Blender's image files."""
    from ..cli import commands
    from ..scene.terrain.image import BlenderFiles
    from .export import rendering
    from .export.eroding import erode

    os.environ.update(compiled.worker_environment())
    # Blender's own handler lets Ctrl-C pass until the work is done.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if argv[:1] == ["render"] and bpy.app.binary_path and not rendering.is_own_process():
        return rendering.run_alone([bpy.app.binary_path, *sys.argv[1:]])
    code = commands.main(
        argv, BlenderFiles(), "blender --command erosion", rendering.make_pictures, erode
    )
    rendering.report_end(code)
    return code
