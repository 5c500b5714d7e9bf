# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames to keep of a run, by the object's settings."""

from pathlib import Path
from typing import Any

import bpy

from ...bake.parameters import SUNS
from ...base.errors import InputError
from ...base.regular_files import is_blend_path_in_network
from ...run.frames.frame_settings import FrameSettings
from ...run.frames.record import RECORD, Record, frames_of_film
from ...scene.derived import light
from ...scene.session import session
from ...scene.terrain import attributes, grid
from ...terrain.fields import BAKED, FIELDS

FIELD_NAMES = tuple(name for name in FIELDS if name != "elevation" and name not in BAKED)
"""Fields that a run may change."""


def folder_of(settings: Any) -> Path:
    """Folder of the frames; InputError if there is none yet."""
    name = settings.folder.strip()
    if not name:
        raise InputError("Choose a folder for the frames.")
    # a file from elsewhere may name a machine, which must not be contacted
    if is_blend_path_in_network(name):
        raise InputError(
            "Give the network folder of the frames a drive letter, and choose it there."
        )
    if name.startswith("//") and not bpy.data.filepath:
        raise InputError(
            "Save the .blend file first, as the frames are kept beside it, or choose a folder by "
            "its full path."
        )
    path = Path(bpy.path.abspath(name))
    if not path.is_absolute():
        raise InputError(
            "Choose a folder for the frames by its full path, or one beside the .blend file that "
            "begins with //."
        )
    return path


def settings_of(obj: bpy.types.Object) -> FrameSettings | None:
    """Frames to keep of a run on the object; None if none. InputError without a folder."""
    settings = obj.erosion.frames
    if not settings.keep:
        return None
    return FrameSettings(folder_of(settings), count_of(settings), fields_of(settings))


def count_of(settings: Any) -> int:
    """Number of frames to keep after the start."""
    if settings.by == "FILM":
        return frames_of_film(settings.length, settings.rate)
    return int(settings.count)


def fields_of(settings: Any) -> tuple[str, ...]:
    """Chosen fields in the order of their table."""
    return tuple(name for name in FIELD_NAMES if name in settings.fields)


def animated_fields_of(obj: bpy.types.Object) -> tuple[str, ...]:
    """Fields of an animation of the object: chosen ones, and its baked light."""
    lit = ("sky_light", *SUNS) if light.settings_of(obj.data) is not None else ()
    layers = attributes.ours(obj.data) if lit else ()
    return (*fields_of(obj.erosion.frames), *(name for name in lit if name in layers))


def record_of(obj: bpy.types.Object) -> Record | None:
    """Record of the frames in the folder of an object's settings; None if there are none. Cheap
    enough for panels.
    """
    settings = obj.erosion.frames
    if not settings.folder:
        return None
    try:
        folder = folder_of(settings)
        about = (folder / RECORD).stat()
    except (InputError, OSError):
        return None
    return _record(folder, about.st_mtime_ns, about.st_size)


@session.cached(8)
def _record(folder: Path, modified: int, size: int) -> Record | None:
    """Record in a folder, read again when its file has changed."""
    return Record.read(folder)


def frames_of(obj: bpy.types.Object) -> tuple[Path, Record]:
    """Folder of an object's frames and its record; InputError if there are none."""
    folder = folder_of(obj.erosion.frames)
    record = record_of(obj)
    if record is None:
        raise InputError("{folder} holds no frames of a run.").format(folder=folder)
    return folder, record


def shape_of(obj: bpy.types.Object) -> tuple[int, int] | None:
    """(rows, cols) of the object; None if it is no terrain."""
    try:
        lattice = grid.describe(obj)
    except InputError:
        return None
    return lattice.rows, lattice.cols
