# SPDX-License-Identifier: GPL-3.0-or-later
"""How Far: a slider over the kept states of a run; the chosen one becomes the result."""

from typing import Any

import bpy

from ...base.errors import Sentence, printable_lines
from ...scene.derived import update_derived
from ...scene.frames import frame_state
from ...scene.run.errand import Plan
from ...scene.session import session
from ...scene.terrain import grid
from ...scene.terrain.active import active_terrain
from ...worker.messages import Request
from ..base import handlers
from ..base.terrain_settings import settings_of
from ..run import frame_choice, modal
from ..run.modal import ErrandOperator

REST = 0.2
"""Seconds of rest after which the slider's state is taken."""


def share(settings: Any) -> float:
    """Position of the slider in percent."""
    record = frame_choice.record_of(settings.id_data)
    obj = settings.id_data
    if record is None or not record.frames or obj.type != "MESH":
        return 100.0
    number = frame_state.taken(obj.data, settings.taken)
    if session.frames.target is not None and session.frames.target[0] == obj.session_uid:
        number = session.frames.target[1]
    return 100.0 * (record.kept if number is None else number) / record.frames


def choose(settings: Any, percent: float) -> None:
    """Take the state at the slider's position once it rests."""
    record = frame_choice.record_of(settings.id_data)
    if record is not None:
        number = min(round(percent / 100.0 * record.frames), record.kept)
        session.frames.target = settings.id_data.session_uid, number
        handlers.end(TIMERS)
        handlers.call_later(_take, REST)


def _take() -> None:
    if session.frames.target is None:
        return
    (uid, number), session.frames.target = session.frames.target, None
    terrain = active_terrain(bpy.context)
    if terrain is not None and terrain.session_uid == uid and session.run.task is None:
        try:
            modal.call("erosion.how_far", {"frame": number})
        except RuntimeError as error:  # the report of the operator
            print(printable_lines(str(error)))


class EROSION_OT_how_far(ErrandOperator, bpy.types.Operator):
    """Make a kept state of the run the result: its heights and the maps kept with it. Restore still
    goes back to the terrain before the run
    """

    bl_idname = "erosion.how_far"
    bl_label = "How Far"
    bl_options = {"REGISTER", "UNDO"}

    work = "State"

    frame: bpy.props.IntProperty(
        name="Frame", description="Number of the kept state: 0 for the start", min=0
    )

    @classmethod
    def why_not(cls, context: bpy.types.Context) -> str | None:
        return super().why_not(context) or why_no_frames(active_terrain(context))

    def plan(self) -> Plan:
        number = self.frame
        folder, record = frame_choice.frames_of(active_terrain(bpy.context))
        state = frame_state.read(folder, record, number)

        def requests(terrain: bpy.types.Object) -> list[Request]:
            heights = frame_state.heights(terrain, state)
            return update_derived.requests(
                terrain, grid.find_lattice(terrain), heights, state.fields, settings_of(terrain)
            )

        def change(terrain: bpy.types.Object) -> tuple[str, list[str]]:
            terrain.erosion.frames.taken = frame_state.take(terrain, state, number)
            terrain.erosion.report = ""
            return "", update_derived.update(terrain, settings_of(terrain))

        return Plan(requests, change)


def why_no_frames(terrain: bpy.types.Object) -> str | None:
    """Reason why there are no frames to show; None if there are any."""
    if frame_choice.record_of(terrain) is None:
        return Sentence("Keep the frames of a run first.")
    return None


CLASSES = (EROSION_OT_how_far,)

TIMERS: handlers.Timers = (_take,)
