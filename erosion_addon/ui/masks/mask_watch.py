# SPDX-License-Identifier: GPL-3.0-or-later
"""Cached state of masks for the panel: problems of each, and the displayed one.

A timer reads changed masks a few times a second, as panels and draw handlers must not.
"""

import time
from typing import Any

import bpy
import numpy as np
from bpy.app.handlers import persistent

from ...base.errors import InputError, print_traceback
from ...base.regular_files import is_blend_path_in_network
from ...scene.masks import masks, overlay
from ...scene.masks.masks import field_values
from ...scene.run import readiness
from ...scene.session import session
from ...scene.terrain import grid
from ...scene.terrain.lattice import Lattice
from ...scene.terrain.mesh import positions
from ...terrain.fields import FIELDS, Field
from ...terrain.masks import MASK_KINDS
from ..base import handlers
from ..base.panel import redraw_panels
from ..base.parameter_properties import label
from ..base.terrain_settings import mask_of

INTERVAL = 0.25
"""Minimum time between two updates, in seconds."""

FIELD = "field "


def problem(obj: bpy.types.Object, kind: str) -> str | None:
    """Known problem of a mask as a sentence; a changed mask is scheduled for reading."""
    if getattr(obj.erosion, kind).source == "NONE":
        return None
    mask = obj.session_uid, kind
    entry = session.masks.readings.get(mask)
    if (entry is None or entry[0] != _depends_on(obj, kind)) and not _is_in_network(obj, kind):
        session.masks.due.add(mask)
        _watch()
    return entry[1] if entry is not None else None


def known_problem(obj: bpy.types.Object | None) -> str | None:
    """Known problem of any of the object's current masks; reads nothing."""
    if obj is None:
        return None
    for kind in MASK_KINDS:
        entry = session.masks.readings.get((obj.session_uid, kind))
        if entry is not None and entry[1] is not None and entry[0] == _depends_on(obj, kind):
            return entry[1]
    return None


def is_shown(obj: bpy.types.Object, kind: str) -> bool:
    """Whether the mask is displayed on its terrain."""
    return session.masks.displayed == (obj.session_uid, kind)


def show(obj: bpy.types.Object, kind: str) -> str | None:
    """Display this mask or field, and no other, until `hide`; returns its problem."""
    session.masks.displayed = obj.session_uid, kind
    session.masks.readings.pop(session.masks.displayed, None)
    refresh()
    _watch()
    return session.masks.readings.get((obj.session_uid, kind), (None, None))[1]


def hide() -> None:
    """Hide the displayed mask."""
    session.masks.displayed = None
    overlay.hide()


def refresh() -> None:
    """Read the displayed and scheduled masks or fields whose dependencies have changed."""
    for mask in {*session.masks.due, *filter(None, [session.masks.displayed])}:
        uid, kind = mask
        obj = next((obj for obj in bpy.data.objects if obj.session_uid == uid), None)
        if obj is None or not (
            kind.startswith(FIELD) or getattr(obj.erosion, kind).source != "NONE"
        ):
            session.masks.due.discard(mask)
            if mask == session.masks.displayed:
                hide()
        elif obj.mode in overlay.MODES:
            session.masks.due.discard(mask)
            depends_on = _depends_on(obj, kind)
            if (
                mask not in session.masks.readings
                or session.masks.readings[mask][0] != depends_on
                or _is_being_painted(obj, kind)
            ):
                session.masks.readings[mask] = depends_on, _read(obj, kind)
                redraw_panels()


def _read(obj: bpy.types.Object, kind: str) -> str | None:
    """Read a mask, and draw it if it is displayed; returns its problem."""
    try:
        lattice = grid.find_lattice(obj)
        if kind.startswith(FIELD):
            _draw_field(obj, lattice, FIELDS[kind.removeprefix(FIELD)])
            return None
        values = masks.read(obj, lattice, kind, mask_of(obj, kind))
        if is_shown(obj, kind):
            declared = MASK_KINDS[kind]
            highest = 1.0 if declared.highest == 1.0 else float(values.max()) or 1.0
            title = f"{declared.label} of {obj.name}"
            share = values / np.float32(highest)
            overlay.show(
                obj, lattice, positions(obj.data), share, title, (0.0, highest), declared.unit
            )
    except InputError as error:
        if is_shown(obj, kind):
            overlay.hide()
        return error.sentence
    return None


def _draw_field(obj: bpy.types.Object, lattice: Lattice, field: Field) -> None:
    """Display a field; InputError if the terrain has none."""
    values = field_values(obj, lattice, field.name)
    place = positions(obj.data)
    title = f"{label(field.name)} of {obj.name}"
    if field.components == 2:
        overlay.show_directions(obj, lattice, place, values, title)
        return
    share, ends = overlay.shares(values, logarithmic=field.name in ("drainage_area", "flow"))
    overlay.show(obj, lattice, place, share, title, ends, field.unit)


def _depends_on(obj: bpy.types.Object, kind: str) -> Any:
    """Dependencies of a mask that are cheap to get, for comparison."""
    if kind.startswith(FIELD):
        return (
            obj.data.session_uid,
            session.masks.changes.get(obj.data.session_uid, 0),
            session.masks.changes.get(0, 0),
        )
    mask = getattr(obj.erosion, kind)
    size = tuple(round(value, 6) for value in obj.matrix_world.to_scale())
    image = mask.image and (
        mask.image.session_uid,
        mask.image.filepath,
        mask.image.is_dirty,
        tuple(mask.image.size),
    )
    settings = mask.source, mask.layer, image, mask.invert, mask.fit, mask.scale, mask.border
    source = mask.layer in obj.vertex_groups, obj.data.session_uid, len(obj.data.vertices)
    return (
        settings,
        source,
        size,
        session.masks.changes.get(obj.data.session_uid, 0),
        session.masks.changes.get(0, 0),
    )


def _is_in_network(obj: bpy.types.Object, kind: str) -> bool:
    """Whether the mask's image lies on a network path.

    Drawing a panel must not access a network path of a file from elsewhere; runs and Show do.
    """
    image = getattr(obj.erosion, kind).image
    return (
        image is not None and image.packed_file is None and is_blend_path_in_network(image.filepath)
    )


def _is_being_painted(obj: bpy.types.Object, kind: str) -> bool:
    """Whether a displayed mask has an image with unsaved changes: Blender sends no update for
    strokes on it.
    """
    if kind.startswith(FIELD):
        return False
    mask = getattr(obj.erosion, kind)
    return (
        is_shown(obj, kind)
        and mask.source == "IMAGE"
        and mask.image is not None
        and mask.image.is_dirty
    )


@persistent
def _depsgraph_changed(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    for update in depsgraph.updates if session.masks.readings else ():
        changed = update.id.original
        if isinstance(changed, bpy.types.Image):
            _count(0)
        elif update.is_updated_geometry:
            _count(getattr(getattr(changed, "data", changed), "session_uid", 0))


@persistent
def _history_moved(*_: Any) -> None:
    _count(0)


@persistent
def _file_opened(*_: Any) -> None:
    hide()
    session.masks.readings.clear()
    session.masks.due.clear()
    session.masks.changes.clear()


def _count(uid: int) -> None:
    session.masks.changes[uid] = session.masks.changes.get(uid, 0) + 1


def _watch() -> None:
    handlers.call_later(_tick, 0.05)


def _tick() -> float | None:
    if session.masks.displayed is None and not session.masks.due:
        return None
    start = time.perf_counter()
    if readiness.operation() is None:
        try:
            refresh()
        except Exception:  # noqa: BLE001 - a fault of ours must not come back four times a second
            print_traceback()
            session.masks.due.clear()
            hide()
            return None
    # Large terrains, which take longer to read, are checked less often.
    return max(INTERVAL, 10 * (time.perf_counter() - start))


def unregister() -> None:
    """Hide the displayed mask."""
    hide()


CLASSES = ()

HANDLERS: handlers.Handlers = (
    ("depsgraph_update_post", _depsgraph_changed),
    ("undo_post", _history_moved),
    ("redo_post", _history_moved),
    ("load_post", _file_opened),
)

TIMERS: handlers.Timers = (_tick,)
