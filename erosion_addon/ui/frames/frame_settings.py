# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of the frames that a run keeps."""

from pathlib import Path
from typing import Any

import bpy

from ...base.errors import InputError
from ...frames.sequence import MOST, FrameOrder
from ...scene.terrain import grid
from ...terrain.fields import BAKED, FIELDS

KEPT = tuple(name for name in FIELDS if name != "elevation" and name not in BAKED)
"""Fields that a run may change."""

FIRST = {"sediment", "wear", "flow", "moisture"}
"""Fields that are kept unless the user chooses others."""


def _sentence(meaning: str) -> str:
    return meaning[0].upper() + meaning[1:]


def _name_folder(settings: Any, context: bpy.types.Context) -> None:
    """Name a folder after the terrain when frames are switched on."""
    if settings.keep and not settings.folder:
        settings.folder = f"//{bpy.path.clean_name(settings.id_data.name)} frames"


class EROSION_PG_frames(bpy.types.PropertyGroup):
    """Frames of a run"""

    __annotations__ = {
        "keep": bpy.props.BoolProperty(
            name="Keep Frames",
            description="Keep states of the run as image sequences, heights and fields, while it goes on",
            update=_name_folder,
        ),
        "count": bpy.props.IntProperty(
            name="Frames",
            description="States to keep, after equal shares of the work of the run. The start is kept too, as frame 0",
            default=48,
            min=1,
            max=MOST,
            soft_max=500,
        ),
        "folder": bpy.props.StringProperty(
            name="Folder",
            description="Folder of the frames. One that holds frames is refused: no run replaces those of another",
            subtype="DIR_PATH",
            options={"ANIMATABLE", "PATH_SUPPORTS_BLEND_RELATIVE"},
        ),
        "fields": bpy.props.EnumProperty(
            name="Fields",
            description="Maps to keep besides the heights",
            items=[
                (name, name.replace("_", " ").title(), _sentence(FIELDS[name].meaning), "NONE", 1 << number)
                for number, name in enumerate(KEPT)
            ],
            options={"ENUM_FLAG"},
            default=FIRST,
        ),
    }


def folder_of(settings: Any) -> Path:
    """Folder of the frames; InputError if there is none yet."""
    name = settings.folder.strip()
    if not name:
        raise InputError("Choose a folder for the frames.")
    if name.startswith("//") and not bpy.data.filepath:
        raise InputError("Save the .blend file first, or choose a folder of full path: the frames are kept beside it.")
    path = Path(bpy.path.abspath(name))
    if not path.is_absolute():
        raise InputError(
            "Choose a folder of full path for the frames, or one beside the .blend file that begins with //."
        )
    return path


def order_of(obj: bpy.types.Object) -> FrameOrder | None:
    """Frames that a run on the object is to keep; None if none. InputError without a folder."""
    settings = obj.erosion.frames
    if not settings.keep:
        return None
    return FrameOrder(folder_of(settings), settings.count, fields_of(settings))


def fields_of(settings: Any) -> tuple[str, ...]:
    """Chosen fields in the order of their table."""
    return tuple(name for name in KEPT if name in settings.fields)


def shape_of(obj: bpy.types.Object) -> tuple[int, int] | None:
    """(rows, cols) of the object; None if it is no terrain."""
    try:
        found = grid.describe(obj)
    except InputError:
        return None
    return found.rows, found.cols


CLASSES = (EROSION_PG_frames,)
