# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of the frames that a run keeps."""

from typing import Any

import bpy

from ...run.frames.record import FASTEST, LONGEST, MOST
from ...terrain.fields import FIELDS
from ..run.frame_choice import FIELD_NAMES
from . import result_slider

FIRST = {"sediment", "wear", "flow", "moisture"}
"""Default fields to keep."""


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
            description="Keep states of the run as image sequences of heights and fields",
            update=_name_folder,
        ),
        "by": bpy.props.EnumProperty(
            name="Count By",
            description="Choice of the number of states",
            items=[
                ("NUMBER", "Number", "A number of states"),
                ("FILM", "Frames per Second", "The number of frames in a film of this length"),
            ],
        ),
        "length": bpy.props.FloatProperty(
            name="Length",
            description="Length of the film from the start of the run to its end, in seconds",
            default=2.0,
            min=0.01,
            max=LONGEST,
            soft_max=60.0,
            precision=1,
        ),
        "rate": bpy.props.IntProperty(
            name="Frames per Second",
            description="Frame rate of the film. Use the scene's rate to play it at real length",
            default=24,
            min=1,
            max=FASTEST,
            soft_max=60,
        ),
        "count": bpy.props.IntProperty(
            name="Frames",
            description=(
                "States to keep, after equal shares of the work of the run. The start is kept "
                "too, as frame 0"
            ),
            default=48,
            min=1,
            max=MOST,
            soft_max=500,
        ),
        "folder": bpy.props.StringProperty(
            name="Folder",
            description="Folder of the frames. A folder that already holds frames is refused",
            subtype="DIR_PATH",
            options={"ANIMATABLE", "PATH_SUPPORTS_BLEND_RELATIVE"},
        ),
        "fields": bpy.props.EnumProperty(
            name="Fields",
            description="Maps to keep besides the heights",
            items=[
                (
                    name,
                    name.replace("_", " ").title(),
                    _sentence(FIELDS[name].meaning),
                    "NONE",
                    1 << number,
                )
                for number, name in enumerate(FIELD_NAMES)
            ],
            options={"ENUM_FLAG"},
            default=FIRST,
        ),
        "taken": bpy.props.StringProperty(
            name="Taken",
            description="Kept state of the current result, and the mark of that result",
            options={"HIDDEN"},
        ),
        "how_far": bpy.props.FloatProperty(
            name="How Far",
            description=(
                "Share of the run whose kept state is the result: its heights and the maps kept "
                "with it. Restore still goes back to the terrain before the run"
            ),
            subtype="PERCENTAGE",
            min=0.0,
            max=100.0,
            precision=0,
            get=result_slider.share,
            set=result_slider.choose,
        ),
    }


CLASSES = (EROSION_PG_frames,)
