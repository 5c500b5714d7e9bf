# SPDX-License-Identifier: GPL-3.0-or-later
"""Compilation ahead of a run: while the artist sets parameters, the worker starts, tests its
libraries and compiles.

The panel reports the terrain that it shows; everything slow happens in a timer and in the worker.
"""

import json
from typing import Any

import bpy

from ...base.errors import InputError, print_traceback
from ...recipe.recipe import Recipe
from ...scene.run import run_queue, start_state
from ...scene.session import session
from ...scene.terrain import attributes, grid, obstacle
from ...scene.worker import worker_process
from ...terrain.masks import MASK_KINDS
from ..base import handlers, preferences
from ..base.panel import redraw_panels
from ..recipe import steps

INTERVAL = 0.3
"""Seconds from the notice to the start of the worker, and between checks of it."""


def notice(obj: bpy.types.Object) -> None:
    """Report the terrain shown in the tab. Called while Blender draws, so it only sets a timer."""
    session.warmup.terrain = obj.session_uid
    if preferences.warms_up() and _has_window():
        _later()


def _has_window() -> bool:
    return not bpy.app.background


def _later() -> None:
    handlers.call_later(_tick, INTERVAL)


def unregister() -> None:
    """End the compilation, and forget requests."""
    worker_process.stop_compiling()
    session.warmup.request = ""


def _tick() -> float | None:
    if session.run.task is not None:  # it compiles its own kernels
        return None
    try:
        warm_up(run_queue.find_object(session.warmup.terrain))
    except InputError:
        pass  # the panel says it
    except Exception:  # noqa: BLE001 - a warm-up is never worth a fault in the artist's face
        print_traceback()
        return None
    redraw_panels()
    if worker_process.is_getting_ready():
        return INTERVAL
    worker_process.compile_all()  # the terrain on display first, as the likeliest run
    return None


def warm_up(obj: bpy.types.Object | None) -> None:
    """Have the worker compile the kernels of a run on this terrain, unless that was the last
    request.
    """
    if obj is None or obstacle.why_not(obj) is not None:
        return
    recipe = steps.recipe_or_none(obj.erosion)
    masks = [kind for kind in MASK_KINDS if getattr(obj.erosion, kind).source != "NONE"]
    fields = [name for name in start_state.LAYERS if attributes.holds(obj.data, name)]
    request = json.dumps([masks, fields, recipe and _shape(recipe)])
    if request == session.warmup.request:
        return
    session.warmup.request, runner = request, worker_process.ready()
    if recipe is not None:
        runner.warm(recipe, grid.describe(obj).spacing, masks, fields)


def _shape(recipe: Recipe) -> list[Any]:
    """Parts of a recipe that determine its kernels and their argument types; amounts do not."""
    return [
        [
            step.kind,
            step.enabled,
            {
                name: bool(value) if isinstance(value, float | list) else value
                for name, value in step.parameters.to_dict().items()
            },
        ]
        for step in recipe.steps
    ]


CLASSES = ()

TIMERS: handlers.Timers = (_tick,)
