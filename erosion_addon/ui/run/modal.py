# SPDX-License-Identifier: GPL-3.0-or-later
"""Modal operators with a task, and the timer that updates it.

Tasks run without the operator. But only changes by an operator get an undo step and a redo panel of
their own; changes by a timer would be undone by the redo panel of an earlier operator. Blender
cannot autosave while an operator is modal, and retries every 10 ms, so the operator pauses now and
then, and the timer calls it again.
"""

import json
import time
from typing import TYPE_CHECKING, Any

import bpy
from bpy.app.handlers import persistent

from ...base.errors import InputError, print_traceback, reason_of
from ...base.parameters import Parameters, specifications
from ...scene.run import job, preview, readiness, run_queue
from ...scene.run.errand import Errand, Plan
from ...scene.run.machine import State, Task
from ...scene.session import session
from ...scene.terrain.active import active_terrain
from ...scene.worker import computing, worker_process
from ..base import handlers, preferences
from ..base.parameter_properties import draw_values, exact
from ..base.terrain_operator import allowed, reports_refusals
from ..base.translations import report
from ..masks import mask_watch
from ..recipe import brush_layers
from . import progress, runs

if TYPE_CHECKING:
    from bpy.types import Operator
else:
    # A mixin: Blender alone makes instances of its operators, and tests need some.
    Operator = object

TICK = 0.1
"""Seconds between two updates, by the operator and by the timer."""


SHOWING = 0.05
"""`TICK` for a run that is shown on its mesh, so that it moves five times a second."""


STAY = 10.0
"""Seconds until the operator pauses: the greatest delay of an autosave."""


AWAY = 2
"""Updates that a pause lasts. Blender's timers run before each."""


NOBODY = 0
"""Number of no operator."""


class TaskOperator(Operator):
    """Base of operators with a task (scene/run/machine.py). Subclasses define `begin`, and have the
    options REGISTER and UNDO. checks: before it may begin.

    In a window the operator is modal until the result is written, and passes every event through;
    Esc comes by the key map. In scripts it runs to the end. The redo panel and Repeat Last start it
    anew, as an invoked one.
    """

    checks: tuple[readiness.Check, ...] = readiness.CHANGE
    number = NOBODY  # until it is modal: a dialog may be left before

    @classmethod
    def why_not(cls, context: bpy.types.Context) -> str | None:
        """Reason why the work cannot begin; None if it can."""
        return readiness.why_not(active_terrain(context), cls.checks, mask_watch.known_problem)

    def begin(self, context: bpy.types.Context) -> Task:
        """Make the task current by `job.begin`; InputError if impossible."""
        raise NotImplementedError

    def takes_time(self, context: bpy.types.Context) -> bool:
        """Whether the work needs the worker, as it would block the window."""
        return True

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return session.modal.returning or allowed(cls, cls.why_not(context))

    @reports_refusals()
    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        if not session.modal.returning:
            progress.forget(active_terrain(context))
            task = self.begin(context)
            task.operator, task.properties = type(self).bl_idname, self.as_keywords()
            if task.ready:
                return self._deliver_at_once(task)
            watch()
        self.number = join(self, context)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        task = session.run.task
        if is_by(self.number) and task is not None and not task.ended:
            if task.ready:
                return self._deliver(task)
            if not is_long():
                return {"PASS_THROUGH"}
            step_aside()
        end(self.number)
        return {"CANCELLED"}

    def _deliver_at_once(self, task: Task) -> set[str]:
        """Write a result that did not need the worker."""
        self.number = NOBODY
        result = self._deliver(task)
        if task.state is State.FAILED:
            report(self, {"ERROR"}, task.sentence)
        return result

    def _deliver(self, task: Task) -> set[str]:
        """Write the result; the undo step comes with the end of the operator."""
        task.commit()
        end(self.number)
        if task.state is State.HELD:
            return {"CANCELLED"}
        finish_run(task)
        progress.redraw(None)
        return self._end(task)

    def _end(self, task: Task) -> set[str]:
        if task.state in (State.FAILED, State.CANCELLED, State.HELD):
            return {"CANCELLED"}
        if task.sentence:
            is_smooth = task.state is State.DONE and not task.warnings
            report(self, {"INFO" if is_smooth else "WARNING"}, task.sentence)
        return {"FINISHED"}

    def cancel(self, context: bpy.types.Context) -> None:
        """The window closes: the task continues, attended in another one."""
        end(self.number)

    @reports_refusals()
    def execute(self, context: bpy.types.Context) -> set[str]:
        repeated = self.options.is_repeat or self.options.is_repeat_last
        if repeated and possible() and self.takes_time(context):
            repeat(type(self).bl_idname, self.as_keywords())
            return {"CANCELLED"}
        progress.forget(active_terrain(context))
        task = self.begin(context)
        try:
            while not task.has_halted:
                task.poll(0.1)
        finally:
            if task.state is not State.HELD:
                finish_run(task)
        if task.state in (State.FAILED, State.HELD):
            report(self, {"ERROR"}, task.sentence)
        return self._end(task)


class ErrandOperator(TaskOperator):
    """Base of operators on the active terrain. Subclasses define `work`, its name, and `plan`.

    Without a need for the worker they change the terrain at once, as other operators do.
    """

    work = ""

    def plan(self) -> Plan:
        """Request to the worker and its follow-up, without references to this operator: another one
        may execute it.
        """
        raise NotImplementedError

    def takes_time(self, context: bpy.types.Context) -> bool:
        try:
            return bool(self.plan().requests(active_terrain(context)))
        except InputError:
            return False

    def begin(self, context: bpy.types.Context) -> Task:
        terrain = active_terrain(context)
        job.check(terrain)
        return job.begin(Errand(terrain, self.work, self.plan()))


class ParameterOperator(ErrandOperator):
    """Base of operators whose settings are parameters.

    Subclasses define `parameters`, the class, and its properties.
    """

    parameters: type[Parameters]

    def remembered(self, terrain: bpy.types.Object) -> Parameters | None:
        """Last settings, used as defaults; None if there are none."""
        return None

    def parameter_values(self) -> Any:
        """Settings as an instance of `parameters`."""
        names = specifications(self.parameters)
        return self.parameters.from_dict({name: exact(getattr(self, name), None) for name in names})

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        if not session.modal.returning:
            last = self.remembered(active_terrain(context))
            for name, value in last.to_dict().items() if last else ():
                if not self.properties.is_property_set(name):
                    setattr(self, name, value)
        return super().invoke(context, event)

    def draw(self, context: bpy.types.Context) -> None:
        draw_values(self.layout, self, specifications(self.parameters))


def possible() -> bool:
    """Whether operators can be modal, that is, Blender has a window."""
    return not bpy.app.background and len(bpy.context.window_manager.windows) > 0


def join(operator: Any, context: bpy.types.Context) -> int:
    """Make an operator modal; returns its number here."""
    manager = context.window_manager
    session.modal.last_number += 1
    session.modal.timers[session.modal.last_number] = manager.event_timer_add(
        TICK, window=context.window
    )
    manager.modal_handler_add(operator)
    session.modal.present, session.modal.since = session.modal.last_number, time.monotonic()
    return session.modal.last_number


def is_by(number: int) -> bool:
    """Whether the operator with that number belongs to the task."""
    return number == session.modal.present


def leave() -> None:
    """Dismiss the modal operator, which ends at its next event."""
    session.modal.present = NOBODY


def end(number: int) -> None:
    """Remove an operator that is no longer modal."""
    if is_by(number):
        leave()
    if number in session.modal.timers:
        bpy.context.window_manager.event_timer_remove(session.modal.timers.pop(number))


def is_long() -> bool:
    """Whether it is time for an autosave."""
    return time.monotonic() - session.modal.since > STAY


def step_aside() -> None:
    """Pause the modal operator; the timer calls it again shortly."""
    leave()
    session.modal.away = AWAY


def ensure(task: Task) -> None:
    """Make sure that a task has a modal operator. RuntimeError if Blender calls none."""
    if session.modal.present:
        return
    if session.modal.away:
        session.modal.away -= 1
        return
    session.modal.returning = True
    try:
        call(task.operator, task.properties)
    finally:
        session.modal.returning = False


def call(operator: str, properties: dict[str, Any]) -> None:
    """Call an operator from a timer as if by a click in the viewport."""
    window = bpy.context.window_manager.windows[0]
    area = next(
        (area for area in window.screen.areas if area.type == "VIEW_3D"), window.screen.areas[0]
    )
    region = next(region for region in area.regions if region.type == "WINDOW")
    module, _, name = operator.partition(".")
    with bpy.context.temp_override(window=window, area=area, region=region):
        getattr(getattr(bpy.ops, module), name)("INVOKE_DEFAULT", **properties)


def end_all() -> None:
    """Remove all operators."""
    for number in tuple(session.modal.timers):
        end(number)


def watch() -> None:
    """Start watching the current run and the queue."""
    handlers.call_later(_tick, TICK, persistent=True)


def stop() -> None:
    """Stop watching; cancels the current run and clears the queue."""
    handlers.end(TIMERS)
    end_all()
    run_queue.clear()
    preview.end()
    job.clear()
    computing.forget()
    worker_process.stop()
    # Not at once: when Blender quits some windows are gone by now, such as that of the preferences,
    # and it would crash.
    handlers.call_later(_clear, persistent=True)


def _clear() -> None:
    """Clear the status bar, from a timer in the next turn of the main loop."""
    progress.redraw(session.run.task)


def _tick() -> float | None:
    try:
        return _turn()
    except Exception:  # noqa: BLE001 - a timer that raises is never called again, and nothing would ever end
        print_traceback()
        if session.run.task is not None and not session.run.task.ended:
            session.run.task.fail_unexpectedly()
        else:
            job.clear()
        return TICK if session.run.task is not None or run_queue.waiting() else None


def _turn() -> float | None:
    progress.count_turn()
    if session.run.task is None:
        for uid, sentence in runs.start_next():
            progress.say(uid, sentence)
    run = session.run.task
    if run is None:
        progress.redraw(None)
        return None
    poll(run)
    if not (run.ready and possible()):
        run.commit()  # or report the reason to wait
    progress.redraw(run)
    if run.ended:
        leave()
        finish_run(run)
        progress.redraw(None)
        if run.state in (State.DONE, State.RESCUED):
            push_undo("Erode")
    elif possible():
        _attend(run)
        _mark_changed()
    return SHOWING if run.viewer is not None and run.viewer.shows else TICK


def poll(run: Task) -> None:
    """Update the progress, and show the run on its mesh if enabled."""
    if run.viewer is not None:
        obj = run.find_object()
        run.viewer.shows = obj is not None and obj.erosion.show_progress
    run.listen()


def repeat(operator: str, properties: dict[str, Any]) -> None:
    """Repeat an operator after Blender has undone and redone the changes of its redo panel."""
    session.progress.repeated = operator, properties
    handlers.call_later(_repeat)


def _repeat() -> None:
    if session.progress.repeated is None:
        return
    called = session.progress.repeated
    session.progress.repeated = None
    try:
        call(*called)
    except RuntimeError as error:  # the report of the operator
        terrain = active_terrain(bpy.context)
        progress.say(progress.GONE if terrain is None else terrain.session_uid, reason_of(error))


def _attend(run: Task) -> None:
    """Let an operator write the result; without modal operators it is written here."""
    try:
        ensure(run)
    except RuntimeError:
        print_traceback()
        run.commit()


def _mark_changed() -> None:
    """Mark the file as changed, so that Blender asks before it quits during a run.

    Blender marks it when it pushes an undo step; with undo disabled it does not.
    """
    if bpy.data.is_dirty:
        return
    preferences_ = bpy.context.preferences
    edit = bpy.context.preferences.edit
    steps = edit.undo_steps
    were_changed = preferences_.is_dirty
    try:
        edit.undo_steps = 0
        push_undo("Erode")
    finally:
        edit.undo_steps = steps
        preferences_.is_dirty = were_changed


def push_undo(message: str) -> None:
    """Push one undo step for changes by a timer; operators push their own."""
    # in a timer the context has no window, which the operator needs
    window = bpy.context.window_manager.windows[0]
    with bpy.context.temp_override(window=window):
        if bpy.ops.ed.undo_push.poll():
            bpy.ops.ed.undo_push(message=message)


def finish_run(run: Task) -> None:
    """Store the report of an ended run with the object, and its message for the panel."""
    obj = run.find_object()
    if run.state is State.DONE and obj is not None and run.report is not None:
        obj.erosion.report = json.dumps(run.report)
        brush_layers.mark(obj)
    if run.state is not State.DONE or run.warnings:
        progress.say(progress.GONE if obj is None else run.object_uid, run.sentence)
    job.clear()
    if run_queue.waiting():
        watch()
    elif not preferences.keeps_worker():
        worker_process.stop()


@persistent
def _file_is_left(*_: Any) -> None:
    """Another file is about to open: cancel the run, which belongs to this one."""
    stop()


@persistent
def _file_is_open(*_: Any) -> None:
    session.begin_file()


@persistent
def _history_moved(*_: Any) -> None:
    """Undo or redo may have removed the mesh of the run and the objects of the messages."""
    session.progress.messages.clear()
    run = session.run.task
    # a result that waits goes to a new object
    if run is not None and run.state not in (State.WAITING, State.HELD) and not run.is_here():
        run.cancel()


def unregister() -> None:
    """Cancel all work."""
    stop()


CLASSES = ()


HANDLERS: handlers.Handlers = (
    ("load_pre", _file_is_left),
    ("load_post", _file_is_open),
    ("undo_post", _history_moved),
    ("redo_post", _history_moved),
)


TIMERS: handlers.Timers = (_tick, _repeat)
"""Without `_clear`, which must run after unregistering."""
