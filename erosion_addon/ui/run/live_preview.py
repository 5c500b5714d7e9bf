# SPDX-License-Identifier: GPL-3.0-or-later
"""Live preview, and display of the terrain before erosion.

A timer watches the settings of the active terrain, and previews them once they have not changed for
a moment.
"""

import time
from typing import Any

import bpy
from bpy.app.handlers import persistent

from ...base.errors import InputError, Sentence, print_traceback
from ...scene.masks import masks
from ...scene.run import displayed_heights, preview, readiness
from ...scene.session import session
from ...scene.terrain import obstacle
from ...scene.terrain.active import terrain_of
from ...terrain.masks import MASK_KINDS
from ..base import handlers, preferences
from ..base.panel import redraw_panels
from ..masks import mask_settings
from ..recipe import steps

QUIET = 0.15
"""Seconds without changes before a preview becomes finer, or its ground is read anew."""

INTERVAL = 0.05
"""Seconds between two checks of the settings."""

SOON = 0.02
"""Seconds between two checks of a preview that is being computed."""


_IGNORED = {
    "rna_type",
    "name",
    "report",
    "loaded",
    "recipe_loaded",
    "active_step",
    "surface_color",
    "casters",
    "live_preview",
    "live_preview_choice",
    "region_name",
}
"""Settings without effect on a preview, beside all that begin with show_."""


def wanted(settings: Any) -> bool:
    """Whether live preview is on for an object."""
    choice = settings.live_preview_choice
    return preferences.previews_live() if choice < 0 else bool(choice)


def choose(settings: Any, value: bool) -> None:
    """Switch the preview on, which shows one at once, or off, which restores the terrain."""
    settings.live_preview_choice = int(value)
    obj = settings.id_data
    session.live.problems.pop(obj.session_uid, None)
    if value:
        session.live.due[obj.session_uid] = time.monotonic()
        watch()
    elif session.run.preview is not None and session.run.preview.object_uid == obj.session_uid:
        preview.end()


def watch() -> None:
    """Schedule a check of the active terrain's settings. Called while Blender draws."""
    handlers.call_later(_tick, INTERVAL, persistent=True)


def _tick() -> float | None:
    try:
        return poll()
    except Exception:  # noqa: BLE001 - a timer that raises would be gone, and what is shown stay
        print_traceback()
        preview.end()
        return None


def poll() -> float | None:
    """Check the active terrain; returns the delay of the next check, None if there is nothing to
    show.
    """
    obj = terrain_of(bpy.context.view_layer.objects.active)
    if session.run.task is not None:
        return None  # the panel is drawn when the run has ended, and calls again
    if displayed_heights.is_any_before():
        return _look_at_before(obj)
    if obj is None or obj.type != "MESH" or not obj.erosion.live_preview:
        preview.end()
        return None
    if displayed_heights.is_any():
        displayed_heights.heal()
    uid = obj.session_uid
    if obstacle.why_not(obj) is not None or readiness.is_rendering():
        if session.run.preview is not None:  # it comes back with Object Mode, or after the render
            preview.end()
            session.live.due[uid] = time.monotonic()
        return INTERVAL
    values = _values(obj.erosion)
    if session.live.settings.get(uid, values) != values:
        session.live.due[uid] = time.monotonic()
    session.live.settings[uid] = values
    session.live.changed = session.live.due.get(uid, session.live.changed)
    _go_on(obj)
    if (current := session.run.preview) is None:
        return INTERVAL if uid in session.live.due else None
    if current.note != session.live.note:
        session.live.note = current.note
        redraw_panels()
    return SOON if current.is_computing else INTERVAL


def _go_on(obj: bpy.types.Object) -> None:
    """Receive finished previews and start due ones: a quick one at once, a finer one when the
    settings rest.
    """
    current = session.run.preview
    uid = obj.session_uid
    rests = time.monotonic() - session.live.changed >= QUIET
    if current is not None and current.is_computing:
        current.poll(obj)
    if uid in session.live.due:
        knows = (
            current is not None
            and current.object_uid == uid
            and current.knows(obj, _key(obj.erosion))
        )
        if rests or (
            knows and current is not None and (not current.is_computing or current.is_late)
        ):
            del session.live.due[uid]
            _start(obj)
    elif rests and current is not None and current.under_way and not current.is_computing:
        current.refine()


def show_before(obj: bpy.types.Object) -> None:
    """Show the terrain before erosion instead of a preview; InputError if impossible."""
    preview.end()
    displayed_heights.show_before(obj)
    watch()


def end_before(obj: bpy.types.Object) -> None:
    """Show the eroded terrain again, and a preview if it is on."""
    displayed_heights.put_back()
    if obj.erosion.live_preview:
        session.live.due[obj.session_uid] = time.monotonic()
        watch()


def _look_at_before(obj: bpy.types.Object | None) -> float:
    """Show the terrain before erosion while it is selected, in Object Mode and not rendered."""
    displayed_heights.heal()
    is_selected = obj is not None and obj.type == "MESH" and displayed_heights.is_before(obj.data)
    if not is_selected or obstacle.why_not(obj) is not None or readiness.is_rendering():
        displayed_heights.put_back()
    return INTERVAL


def _start(obj: bpy.types.Object) -> None:
    settings = obj.erosion
    session.live.problems.pop(obj.session_uid, None)
    try:
        recipe = steps.recipe_of(settings, masks.spring_rows(obj, settings.springs))
        view = preview.of(obj)
        key = _key(settings)
        if not view.knows(obj, key):
            view.prepare(obj, key, mask_settings.arrays_of(obj), settings.continue_from_result)
        view.run(recipe, preferences.threads())
    except InputError as error:
        preview.end()
        session.live.problems[obj.session_uid] = Sentence("No preview: {error}").format(error=error)


def _key(settings: Any) -> Any:
    """Settings that the ground of a preview depends on."""
    return settings.continue_from_result, tuple(
        _values(getattr(settings, kind)) for kind in MASK_KINDS
    )


def _values(group: Any) -> tuple[Any, ...]:
    """Settings of a property group that affect a preview, for comparison."""
    values: list[Any] = []
    for prop in group.bl_rna.properties:
        name = prop.identifier
        if name in _IGNORED or name.startswith("show_"):
            continue
        value = getattr(group, name)
        if isinstance(value, bpy.types.PropertyGroup):
            # A step has settings for every kind, and only those of its own count.
            values.append(_values(value) if name == getattr(group, "kind", name) else None)
        elif prop.type == "COLLECTION":
            values.append(tuple(_values(item) for item in value))
        elif isinstance(value, bpy.types.Collection):
            values.append(tuple(tuple(obj.matrix_world.translation) for obj in value.all_objects))
        elif isinstance(value, bpy.types.ID):
            values.append(value.session_uid)
        else:
            values.append(tuple(value) if getattr(prop, "is_array", False) else value)
    return tuple(values)


@persistent
def _history_moves(*_: Any) -> None:
    """Undo and redo: restore the mesh first, so that displayed and stored heights do not mix."""
    if session.run.preview is not None:
        session.live.due[session.run.preview.object_uid] = time.monotonic()
    preview.end()


@persistent
def _history_moved(*_: Any) -> None:
    displayed_heights.forget()
    displayed_heights.heal()


@persistent
def _file_is_opened(*_: Any) -> None:
    displayed_heights.forget()
    displayed_heights.heal()


@persistent
def _file_is_saved(*_: Any) -> None:
    """Saving: restore the terrain, as displayed heights must not enter the file."""
    displayed_heights.put_back()


@persistent
def _render_begins(*_: Any) -> None:
    displayed_heights.put_back_for_render()


@persistent
def _file_was_saved(*_: Any) -> None:
    current = session.run.preview
    obj = terrain_of(bpy.context.view_layer.objects.active)
    if current is not None and obj is not None and obj.session_uid == current.object_uid:
        current.show(obj)


def unregister() -> None:
    """Hide previews."""
    preview.end()


CLASSES = ()

HANDLERS: handlers.Handlers = (
    ("undo_pre", _history_moves),
    ("redo_pre", _history_moves),
    ("undo_post", _history_moved),
    ("redo_post", _history_moved),
    ("load_post", _file_is_opened),
    ("render_init", _render_begins),
    ("save_pre", _file_is_saved),
    ("save_post", _file_was_saved),
)

TIMERS: handlers.Timers = (_tick,)
