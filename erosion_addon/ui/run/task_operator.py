# SPDX-License-Identifier: GPL-3.0-or-later
"""Base of operators whose work is done by the worker process."""

from typing import Any

import bpy

from ...scene.companions import companions
from ...scene.run import job
from ...scene.run.task import Task
from ..base.refusals import reports_refusals
from ..base.terrain_operator import allowed
from ..base.translations import report
from . import attendance, progress


class TaskOperator:
    """Base of operators with a task (scene/run/task.py). Subclasses define `why_not` and `begin`,
    and have the options REGISTER and UNDO.

    In a window the operator is modal until the result is written, and passes every event through;
    Esc comes by the key map. In scripts it runs to the end. The redo panel and Repeat Last start it
    anew, as an invoked one.
    """

    number = attendance.NOBODY  # until it is modal: a dialog may be left before

    @classmethod
    def why_not(cls, context: bpy.types.Context) -> str | None:
        """Reason why the work cannot begin; None if it can."""
        raise NotImplementedError

    def begin(self, context: bpy.types.Context) -> Task:
        """Make the task current by `job.begin`; InputError if impossible."""
        raise NotImplementedError

    def takes_time(self, context: bpy.types.Context) -> bool:
        """Whether the work needs the worker, as it would block the window."""
        return True

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return attendance.now.returning or allowed(cls, cls.why_not(context))

    @reports_refusals()
    def invoke(self: Any, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        if not attendance.now.returning:
            progress.forget(companions.terrain_of(context.object))
            task = self.begin(context)
            task.operator, task.properties = type(self).bl_idname, self.as_keywords()
            if task.ready:
                return self._deliver_at_once(task)
            progress.watch()
        self.number = attendance.join(self, context)
        return {"RUNNING_MODAL"}

    def modal(self: Any, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        task = job.now.current
        if attendance.is_by(self.number) and task is not None and not task.ended:
            if task.ready:
                return self._deliver(task)
            if not attendance.is_long():
                return {"PASS_THROUGH"}
            attendance.step_aside()
        attendance.end(self.number)
        return {"CANCELLED"}

    def _deliver_at_once(self: Any, task: Task) -> set[str]:
        """Write a result that did not need the worker."""
        self.number = attendance.NOBODY
        done = self._deliver(task)
        if task.state == "failed":
            report(self, {"ERROR"}, task.sentence)
        return done

    def _deliver(self: Any, task: Task) -> set[str]:
        """Write the result; the undo step comes with the end of the operator."""
        task.commit()
        attendance.end(self.number)
        if task.held:
            return {"CANCELLED"}
        progress.finish_run(task)
        progress.redraw(None)
        return self._end(task)

    def _end(self: Any, task: Task) -> set[str]:
        if task.state in ("failed", "cancelled") or task.held:
            return {"CANCELLED"}
        if task.sentence:
            report(
                self,
                {"INFO" if task.state == "done" and not task.warnings else "WARNING"},
                task.sentence,
            )
        return {"FINISHED"}

    def cancel(self: Any, context: bpy.types.Context) -> None:
        """The window closes: the task continues, attended in another one."""
        attendance.end(self.number)

    @reports_refusals()
    def execute(self: Any, context: bpy.types.Context) -> set[str]:
        repeated = self.options.is_repeat or self.options.is_repeat_last
        if repeated and attendance.possible() and self.takes_time(context):
            progress.repeat(type(self).bl_idname, self.as_keywords())
            return {"CANCELLED"}
        progress.forget(companions.terrain_of(context.object))
        task = self.begin(context)
        try:
            while not (task.ended or task.held):
                task.poll(0.1)
        finally:
            if not task.held:
                progress.finish_run(task)
        if task.state == "failed" or task.held:
            report(self, {"ERROR"}, task.sentence)
        return self._end(task)
