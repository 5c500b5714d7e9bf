# SPDX-License-Identifier: GPL-3.0-or-later
"""What operators share whose work is done by the worker process."""

import traceback
from typing import Any

import bpy

from ...scene.run import job
from ...scene.run.task import Task
from ..base.refusals import reports_refusals
from ..base.terrain_operator import allowed
from ..base.translations import report
from . import attendance, progress


class TaskOperator:
    """For operators whose work is a task (scene/task.py): subclasses have `why_not` and `begin`, and the options
    REGISTER and UNDO.

    In a window the operator is modal until the result is written, and lets every event pass: Esc comes by the key map.
    For scripts it runs to the end. From the redo panel or by Repeat Last it begins anew, as an invoked one does.
    """

    @classmethod
    def why_not(cls, context: bpy.types.Context) -> str | None:
        """Why the work cannot begin; None if it can."""
        raise NotImplementedError

    def begin(self, context: bpy.types.Context) -> Task:
        """Make the task, and make it the current one by `job.begin`; InputError where that cannot be."""
        raise NotImplementedError

    def takes_time(self, context: bpy.types.Context) -> bool:
        """Whether the worker is needed, so that a window would stand still."""
        return True

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return attendance.now.returning or allowed(cls, cls.why_not(context))

    @reports_refusals()
    def invoke(self: Any, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        if not attendance.now.returning:
            progress.now.last_sentence = ""
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
        """Write a result for which the worker was not needed."""
        self.number = attendance.NOBODY
        done = self._deliver(task)
        if task.state == "failed":
            report(self, {"ERROR"}, task.sentence)
        return done

    def _deliver(self: Any, task: Task) -> set[str]:
        """Write the result; with this operator's end comes the undo step."""
        try:
            task.commit()
        except Exception:  # noqa: BLE001 - the task would never end
            traceback.print_exc()
            task.fail_unexpectedly()
        attendance.end(self.number)
        progress.settle(task)
        progress.redraw(None)
        return self._end(task)

    def _end(self: Any, task: Task) -> set[str]:
        if task.state in ("failed", "cancelled"):
            return {"CANCELLED"}
        if task.sentence:
            report(self, {"INFO" if task.state == "done" and not task.warnings else "WARNING"}, task.sentence)
        return {"FINISHED"}

    def cancel(self: Any, context: bpy.types.Context) -> None:
        """The window closes: the task goes on, and is attended in another one."""
        attendance.end(self.number)

    @reports_refusals()
    def execute(self: Any, context: bpy.types.Context) -> set[str]:
        repeated = self.options.is_repeat or self.options.is_repeat_last
        if repeated and attendance.possible() and self.takes_time(context):
            progress.repeat(type(self).bl_idname, self.as_keywords())
            return {"CANCELLED"}
        progress.now.last_sentence = ""
        task = self.begin(context)
        try:
            while not task.ended:
                task.poll(0.1)
        finally:
            progress.settle(task)
        if task.state == "failed":
            report(self, {"ERROR"}, task.sentence)
        return self._end(task)
