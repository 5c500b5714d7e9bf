# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators translate between Blender and the floors below; they compute nothing."""

import bpy

from ..model.errors import InputError
from ..scene import companions, follow, job, source, springs, surface_color
from . import masks, preferences, progress, steps
from .terrain_operator import allowed, why_no_run


def start_run(obj: bpy.types.Object) -> "job.Job":
    """Begin a run on an object by its settings; InputError says what is in the way."""
    settings = obj.erosion
    arrays = masks.arrays_of(obj)
    recipe = steps.recipe_of(settings, springs.spring_rows(obj, settings.springs))
    color = settings.surface_color
    recipe, layers = surface_color.start(obj, recipe, color.source, color.layer, color.image, color.strata)
    return job.start(obj, recipe, arrays, settings.continue_from_result, layers, preferences.threads())


class EROSION_OT_run(bpy.types.Operator):
    """Erode the terrain by the recipe, in the background. Esc cancels"""

    bl_idname = "erosion.run"
    bl_label = "Run"
    bl_options = {"REGISTER", "UNDO"}

    resume: bpy.props.BoolProperty(
        name="Resume", description="Go on with the run that was paused on this terrain", options={"SKIP_SAVE"}
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return allowed(cls, why_no_run(companions.terrain_of(context.object)))

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        try:
            self._start(companions.terrain_of(context.object))
        except InputError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        progress.watch()
        # The run goes on without this operator: one that stays modal keeps Blender from autosaving. Nothing has
        # changed yet, so there is no undo step here; the commit pushes it.
        return {"INTERFACE"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        try:
            run = self._start(companions.terrain_of(context.object))
            try:
                while not run.ended:
                    run.poll(0.1)
            finally:
                progress.settle(run)
        except InputError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        if run.state == "failed":
            self.report({"ERROR"}, run.sentence)
            return {"CANCELLED"}
        self.report({"WARNING" if run.warnings else "INFO"}, run.sentence)
        return {"FINISHED"}

    def _start(self, obj: bpy.types.Object) -> "job.Job":
        return job.resume(obj, preferences.threads()) if self.resume else start_run(obj)


class _RunningOperator:
    """For operators that act on the run under way."""

    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if job.current is None:
            cls.poll_message_set("Nothing is being eroded")  # type: ignore[attr-defined]
        return job.current is not None


class EROSION_OT_cancel(_RunningOperator, bpy.types.Operator):
    """End the run now and leave the terrain as it was"""

    bl_idname = "erosion.cancel"
    bl_label = "Cancel"

    def execute(self, context: bpy.types.Context) -> set[str]:
        run = job.current
        assert run is not None
        run.cancel()
        progress.settle(run)
        progress.last_sentence = ""
        progress.redraw(None)
        self.report({"INFO"}, run.sentence)
        return {"FINISHED"}


class _StoppingOperator(_RunningOperator):
    """For operators that end the work; a result that waits for Object Mode is past that."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return super().poll(context) and job.current is not None and job.current.state != "waiting"


class EROSION_OT_finish(_StoppingOperator, bpy.types.Operator):
    """End the run now and keep what is there so far"""

    bl_idname = "erosion.finish"
    bl_label = "Finish Now"

    def execute(self, context: bpy.types.Context) -> set[str]:
        assert job.current is not None
        job.current.finish()
        return {"FINISHED"}


class EROSION_OT_pause(_StoppingOperator, bpy.types.Operator):
    """End the run now, keep what is there so far, and keep with the terrain what is needed to go on later"""

    bl_idname = "erosion.pause"
    bl_label = "Pause"

    def execute(self, context: bpy.types.Context) -> set[str]:
        assert job.current is not None
        job.current.pause()
        return {"FINISHED"}


class EROSION_OT_restore(bpy.types.Operator):
    """Bring back the terrain before erosion, and remove the maps and the light of the run"""

    bl_idname = "erosion.restore"
    bl_label = "Restore"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        terrain = companions.terrain_of(context.object)
        reason = why_no_run(terrain)
        if reason is None and terrain is not None and not source.has_source(terrain.data):
            reason = "This terrain has not been eroded"
        return allowed(cls, reason)

    def execute(self, context: bpy.types.Context) -> set[str]:
        terrain = companions.terrain_of(context.object)
        try:
            source.restore(terrain.data)
        except InputError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        terrain.erosion.report = ""
        for sentence in follow.update(terrain):
            self.report({"WARNING"}, sentence)
        return {"FINISHED"}


CLASSES = (
    EROSION_OT_run,
    EROSION_OT_cancel,
    EROSION_OT_finish,
    EROSION_OT_pause,
    EROSION_OT_restore,
)
