# SPDX-License-Identifier: GPL-3.0-or-later
"""Run operators: start, cancel, finish, pause, restore, apply."""

from pathlib import Path

import bpy

from ...base.errors import Sentence
from ...scene.derived import light, update_derived
from ...scene.original import original
from ...scene.run import displayed_heights, job, preview, readiness, run_queue
from ...scene.run.errand import Plan
from ...scene.run.machine import State, Task
from ...scene.session import session
from ...scene.terrain import grid
from ...scene.terrain.active import active_terrain
from ...worker.messages import Request
from ..base.panel import redraw_panels
from ..base.terrain_operator import allowed, reports_refusals
from ..base.terrain_settings import settings_of
from ..base.translations import phrase, report, sentence
from ..recipe import brush_layers
from . import live_preview, modal, progress, runs
from .modal import ErrandOperator, TaskOperator


class EROSION_OT_run(TaskOperator, bpy.types.Operator):
    """Erode the terrain with the recipe, in the background.

    Esc cancels. While another terrain is being eroded, this one waits for its turn
    """

    bl_idname = "erosion.run"
    bl_label = "Run"
    bl_options = {"REGISTER", "UNDO"}

    resume: bpy.props.BoolProperty(
        name="Resume",
        description="Go on with the run that was paused on this terrain",
        options={"SKIP_SAVE", "HIDDEN"},
    )
    animation: bpy.props.BoolProperty(
        name="Animation",
        description=(
            "Run each frame of the scene's range from the same start, with the settings as they "
            "are animated there, and keep the results as frames. The terrain stays. Frames made "
            "with the same settings before are not run again"
        ),
        options={"SKIP_SAVE", "HIDDEN"},
    )
    replace: bpy.props.BoolProperty(
        name="Replace Frames",
        description="Let an animation replace frames that were made with other settings",
        options={"SKIP_SAVE", "HIDDEN"},
    )
    asked: bpy.props.BoolProperty(
        description="Whether the user has agreed already to replace frames",
        options={"SKIP_SAVE", "HIDDEN"},
    )

    checks = readiness.QUEUE

    @reports_refusals()
    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        if session.modal.returning:
            return super().invoke(context, event)
        terrain = active_terrain(context)
        if self.animation and not self.replace and modal.possible():
            folder, count = runs.frames_to_replace(terrain)
            if count:
                return self._ask(context, event, folder, count)
        if session.run.task is None:
            return super().invoke(context, event)
        run_queue.add(terrain, self.resume, self.animation, self.replace)
        redraw_panels()
        report(
            self,
            {"INFO"},
            Sentence("{name} will be eroded when its turn comes.").format(name=terrain.name),
        )
        return {"INTERFACE"}

    def _ask(
        self, context: bpy.types.Context, event: bpy.types.Event, folder: Path, count: int
    ) -> set[str]:
        """Ask whether frames may be replaced."""
        self.asked = self.replace = True  # which is not kept without a click
        return context.window_manager.invoke_confirm(
            self,
            event,
            title=phrase("Replace Frames?"),
            message=phrase(
                "{count} frames in {folder} were made with other settings.",
                count=count,
                folder=folder,
            ),
            confirm_text=phrase("Replace"),
        )

    def execute(self, context: bpy.types.Context) -> set[str]:
        if self.asked:  # the dialog ends with a click, and the work begins in the next turn
            self.asked = False
            modal.repeat(type(self).bl_idname, self.as_keywords())
            return {"CANCELLED"}  # without an undo step
        return super().execute(context)

    def begin(self, context: bpy.types.Context) -> Task:
        terrain = active_terrain(context)
        if self.animation:
            return runs.start_animation(terrain, self.replace)
        return runs.start(terrain, self.resume)


class EROSION_OT_run_region(TaskOperator, bpy.types.Operator):
    """Erode a part of the terrain as it is now: the selected vertices, or those of a vertex group.

    The change fades to the border of the region, and nothing beyond it changes. Run begins with the
    whole terrain again, unless Continue from Result is on
    """

    bl_idname = "erosion.run_region"
    bl_label = "Run on Region"
    bl_options = {"REGISTER", "UNDO"}

    checks = readiness.RUN

    def begin(self, context: bpy.types.Context) -> Task:
        return runs.start(active_terrain(context), local=True)


class _RunningOperator:
    """Base of operators on the current run."""

    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if session.run.task is None:
            cls.poll_message_set(sentence(Sentence("Nothing is being eroded")))  # type: ignore[attr-defined]
        return session.run.task is not None


class EROSION_OT_cancel(_RunningOperator, bpy.types.Operator):
    """Stop the run and leave the terrain unchanged. The next one in the queue begins"""

    bl_idname = "erosion.cancel"
    bl_label = "Cancel"

    waiting_too: bpy.props.BoolProperty(
        name="Include Queue",
        description="Clear the queue too, so that nothing starts afterward",
        options={"SKIP_SAVE"},
    )
    asks: bpy.props.BoolProperty(
        name="Ask",
        description="Ask for a second press where much work is done",
        options={"SKIP_SAVE", "HIDDEN"},
    )

    def execute(self, context: bpy.types.Context) -> set[str]:
        run = session.run.task
        assert run is not None
        if self.asks and run.is_long and not progress.is_asking():
            progress.ask()
            return {"CANCELLED"}
        progress.answer()
        run.cancel()
        if self.waiting_too:
            run_queue.clear()
        modal.finish_run(run)
        progress.forget(run.find_object())
        progress.redraw(None)
        report(self, {"INFO"}, run.sentence)
        return {"FINISHED"}


class EROSION_OT_queue_remove(bpy.types.Operator):
    """Remove this terrain from the queue"""

    bl_idname = "erosion.queue_remove"
    bl_label = "Remove from Queue"
    bl_options = {"INTERNAL"}

    uid: bpy.props.IntProperty(
        name="Number", description="session_uid of the terrain", options={"SKIP_SAVE"}
    )
    name: bpy.props.StringProperty(
        name="Name",
        description="Name of the terrain, for scripts that do not give its number",
        options={"SKIP_SAVE"},
    )

    def execute(self, context: bpy.types.Context) -> set[str]:
        for entry in run_queue.waiting():
            if self.uid == entry.uid or (not self.uid and entry.name == self.name):
                run_queue.remove(entry.uid)
        redraw_panels()
        return {"FINISHED"}


class EROSION_OT_write_result(_RunningOperator, bpy.types.Operator):
    """Write the result that could not be written, now that there is memory for it"""

    bl_idname = "erosion.write_result"
    bl_label = "Write Result"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return (
            super().poll(context) and session.run.task.state is State.HELD  # type: ignore[union-attr]
        )

    def execute(self, context: bpy.types.Context) -> set[str]:
        run = session.run.task
        assert run is not None
        run.retry()
        while not (modal.possible() or run.has_halted):
            run.poll(0.1)
        if run.ended:
            modal.finish_run(run)
        return {"FINISHED"}


class _StoppingOperator(_RunningOperator):
    """Base of operators that end the work; a result that waits for Object Mode is complete
    already.
    """

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        run = session.run.task
        return (
            super().poll(context)
            and run is not None
            and run.stops_early
            and run.state not in (State.WAITING, State.HELD)
        )


class EROSION_OT_finish(_StoppingOperator, bpy.types.Operator):
    """Stop the run and keep its current result"""

    bl_idname = "erosion.finish"
    bl_label = "Finish Now"

    def execute(self, context: bpy.types.Context) -> set[str]:
        assert isinstance(session.run.task, job.Job)
        session.run.task.finish()
        return {"FINISHED"}


class EROSION_OT_pause(_StoppingOperator, bpy.types.Operator):
    """Stop the run, keep its current result, and store its state for Resume"""

    bl_idname = "erosion.pause"
    bl_label = "Pause"

    def execute(self, context: bpy.types.Context) -> set[str]:
        assert isinstance(session.run.task, job.Job)
        session.run.task.pause()
        return {"FINISHED"}


class EROSION_OT_restore(ErrandOperator, bpy.types.Operator):
    """Bring back the terrain before erosion, and remove the maps and the light of the run.

    If an edited terrain was eroded, the edited one comes back first
    """

    bl_idname = "erosion.restore"
    bl_label = "Restore"
    bl_options = {"REGISTER", "UNDO"}

    work = "Levels of Detail"

    checks = readiness.REVERT

    def plan(self) -> Plan:
        return Plan(_requests_of_restore, _restore)


def _requests_of_restore(terrain: bpy.types.Object) -> list[Request]:
    heights = original.before_erosion(terrain.data)[0][:, 2]
    return update_derived.requests(
        terrain, grid.find_lattice(terrain), heights, {}, settings_of(terrain), lit=False
    )


def _restore(terrain: bpy.types.Object) -> tuple[str, list[str]]:
    original.restore(terrain.data)
    light.remove(terrain.data)
    terrain.erosion.report = ""
    return "", update_derived.update(terrain, settings_of(terrain))


class EROSION_OT_before(bpy.types.Operator):
    """Show the heights before erosion until pressed again.

    Nothing in the file changes; maps and colors stay those of the run
    """

    bl_idname = "erosion.before"
    bl_label = "Show Before"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return allowed(cls, readiness.why_not(active_terrain(context), readiness.REVERT))

    @reports_refusals()
    def execute(self, context: bpy.types.Context) -> set[str]:
        terrain = active_terrain(context)
        if displayed_heights.is_before(terrain.data):
            live_preview.end_before(terrain)
            return {"FINISHED"}
        live_preview.show_before(terrain)
        return {"FINISHED"}


class EROSION_OT_apply(bpy.types.Operator):
    """Bake the result into the mesh. It becomes the start of the next run, and Restore is no longer
    possible
    """

    bl_idname = "erosion.apply"
    bl_label = "Apply"
    bl_options = {"REGISTER", "UNDO"}

    remove_maps: bpy.props.BoolProperty(
        name="Remove Maps",
        description=(
            "Also remove the maps of the run from the mesh: wear, flow, sediment and others"
        ),
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return allowed(cls, readiness.why_not(active_terrain(context), readiness.REVERT))

    @reports_refusals()
    def execute(self, context: bpy.types.Context) -> set[str]:
        terrain = active_terrain(context)
        preview.end()
        original.apply(terrain.data, self.remove_maps)
        brush_layers.forget(terrain)
        terrain.erosion.continue_from_result = False  # there is no last run any more
        return {"FINISHED"}


CLASSES = (
    EROSION_OT_run,
    EROSION_OT_run_region,
    EROSION_OT_cancel,
    EROSION_OT_write_result,
    EROSION_OT_queue_remove,
    EROSION_OT_finish,
    EROSION_OT_pause,
    EROSION_OT_restore,
    EROSION_OT_before,
    EROSION_OT_apply,
)
