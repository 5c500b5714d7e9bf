# SPDX-License-Identifier: GPL-3.0-or-later
"""State machine of work by the worker process on an object, which ends in one change of the scene.

`State` and `TRANSITIONS` are drawn in docs/developing/architecture.md. Without a task there is no
state: `session.run.task` is None. A paused run is a finished one, with a checkpoint on its mesh.

To add a kind of work:

1. In the scene, a subclass of `Task` that gives its order to `self._runner` and has `_receive`,
   which handles messages of the worker and sets `self._result`, and `_write`, which changes the
   scene: all of it or nothing.
2. In the interface, an operator from `ui.run.modal.TaskOperator`, whose `begin` makes the task
   and hands it to `job.begin`. It is modal in a window, runs to the end for scripts, and its undo
   step is the task's.

`Task` handles progress, the status bar, Esc, undo, opened files, autosave, renders and Edit Mode.
"""

import time
from collections import deque
from contextlib import ExitStack
from enum import StrEnum
from typing import Any

import bpy

from ...base.errors import InputError, Sentence, print_traceback, printable_lines
from ...worker.messages import Message, Request
from ..session import session
from ..worker import computing, worker_process
from . import displayed_heights, readiness, run_queue
from .viewer import Viewer

LONG = 15.0
"""Seconds of work that a single Esc must not throw away."""

_MOST_ROUNDS = 4
"""Greatest number of rounds of requests for `_write`."""


class State(StrEnum):
    """State of a task."""

    STARTING = "starting"
    """The worker is getting ready, or reads the order."""

    COMPILING = "compiling"
    """The worker compiles the kernels of the order."""

    RUNNING = "running"
    """The worker computes the result, or data for the change of the scene."""

    WAITING = "waiting"
    """The result is complete, but the scene cannot be changed now."""

    COMMITTING = "committing"
    """The scene is being changed."""

    HELD = "held"
    """The result could not be written; the user may try again."""

    DONE = "done"
    RESCUED = "rescued"
    """The result went to a new object."""

    FAILED = "failed"
    CANCELLED = "cancelled"


_FAILURE = frozenset({State.FAILED, State.RESCUED, State.HELD, State.CANCELLED})
"""States in which a task may end early. With a result it is rescued or held, not failed."""

_AT_WORK = frozenset({State.RUNNING, State.WAITING, State.COMMITTING}) | _FAILURE

TRANSITIONS = {
    State.STARTING: _AT_WORK | {State.COMPILING},
    State.COMPILING: _AT_WORK,
    State.RUNNING: _AT_WORK - {State.RUNNING},
    State.WAITING: _AT_WORK - {State.WAITING},
    State.COMMITTING: _FAILURE | {State.DONE},
    State.HELD: _FAILURE - {State.HELD} | {State.WAITING},
    State.DONE: frozenset(),
    State.RESCUED: frozenset(),
    State.FAILED: frozenset(),
    State.CANCELLED: frozenset(),
}
"""States that may follow each state."""

ENDED = frozenset(state for state, following in TRANSITIONS.items() if not following)
"""States without a next one."""


class TransitionError(RuntimeError):
    """A transition outside of the table, from a state to another: an error of the extension."""


class Task:
    """Work under way. `poll` it now and then until `ended`; then `sentence` describes the outcome.

    warnings: remarks on finished work for the user. speed: of the step at work, in words.
    seconds_left: until the end, None while that is unknown. operator, properties: who attends it in
    a window, and with what settings. viewer: shows it on the mesh, if any does. locks: files of
    others that it keeps locked.
    """

    work, doing = "Erosion", Sentence("eroded")
    """Name of the work, and the past participle: "Terrain is being …"."""

    stops_early = False
    """Whether it can end early with its current result: `finish` and `pause`."""

    operator = ""
    viewer: Viewer | None = None

    def __init__(self, obj: bpy.types.Object, needs_worker: bool = True) -> None:
        self.object_uid = obj.session_uid
        self.object_name = obj.name
        self.properties: dict[str, Any] = {}
        self.report: dict[str, Any] | None = None
        self.warnings: list[str] = []
        self._state = State.STARTING
        self.message = "Starting"
        self.fraction = 0.0
        self.sentence = ""
        self.speed = ""
        self.seconds_left = None
        self.locks: ExitStack[bool | None] = ExitStack()
        self._since = time.monotonic()
        self._result: Any = None
        self._asked: deque[Request] | None = None
        self._rounds = 0
        self._runner = worker_process.ready() if needs_worker else None

    @property
    def state(self) -> State:
        """Current state."""
        return self._state

    def enter(self, state: State) -> None:
        """Change to a state; TransitionError if the table has no such transition."""
        if state is self._state:
            return
        if state not in TRANSITIONS[self._state]:
            raise TransitionError(self._state, state)
        self._state = state

    def _receive(self, message: Message) -> None:
        """Handle a message of the worker; the base class handles the common ones."""
        if message.kind == "progress":
            self.enter(State.RUNNING)
            self.fraction = message.values["fraction"]
            self.message = message.values["message"]
            self.speed = message.values["speed"]
            self.seconds_left = message.values["seconds_left"]
        elif message.kind in ("refused", "broken", "ended"):
            self.fail(message.values["reason"])
        elif message.kind == "failed":
            print(printable_lines(message.values["reason"]))
            self.fail_unexpectedly()

    def _requests(self) -> list[Request]:
        """Requests whose answers `_write` needs.

        Sent once the scene can be changed, and again if they differ when answers arrive.
        """
        return []

    def _write(self, obj: bpy.types.Object | None, result: Any) -> None:
        """Change the scene, set `sentence`, and enter DONE; InputError if impossible.

        obj: in Object Mode; None if deleted.
        """
        raise NotImplementedError

    def is_here(self) -> bool:
        """Whether its object survives an undo; else the task is canceled."""
        return self.find_object() is not None

    @property
    def ended(self) -> bool:
        """Whether the task has ended."""
        return self._state in ENDED

    @property
    def has_halted(self) -> bool:
        """Whether it goes no further by itself: it has ended, or holds its result."""
        return self.ended or self._state is State.HELD

    @property
    def is_long(self) -> bool:
        """Whether so much work is done that Esc asks before it cancels."""
        return self._state in (State.WAITING, State.HELD) or time.monotonic() - self._since > LONG

    @property
    def ready(self) -> bool:
        """Whether `commit` would write the result now."""
        return (
            self._result is not None
            and not self.ended
            and not self._is_asking
            and self._hindrance() is None
        )

    @property
    def _is_asking(self) -> bool:
        """Whether requests for `_write` are pending."""
        return self._asked is None or len(self._asked) > 0

    def poll(self, seconds: float = 0.0) -> None:
        """Handle messages of the worker, waiting at most this many seconds; write the result once
        it is complete.
        """
        self.listen(seconds)
        self.commit()

    def listen(self, seconds: float = 0.0) -> None:
        """Handle messages of the worker, waiting at most this many seconds, without writing."""
        if (self._result is None or self._asked) and not self.ended:
            for message in self._runner.poll(seconds):
                if self.ended:
                    break
                if self._asked and (answer := computing.answer_in(message)) is not None:
                    self._take_answer(answer)
                else:
                    self._receive(message)
            self._show_compilation()
            is_running = self._state is State.RUNNING and self._result is None
            if self.viewer is not None and is_running:
                self.viewer.turn(self.find_object(), self._runner)
        if self._result is None or self._asked or self.ended:
            return
        if self._hindrance() is not None:
            self._asked = None  # the scene may be another one after it
            self._rounds = 0
        elif self._asked is None:
            self._ask_for_what_is_missing()

    def _show_compilation(self) -> None:
        """Show the progress of the worker's compilation until it is at work."""
        if self._state not in (State.STARTING, State.COMPILING):
            return
        if (compiling := worker_process.compiling()) is not None:
            self.enter(State.COMPILING)
            self.fraction, self.message = compiling

    def _ask_for_what_is_missing(self) -> None:
        """Send the missing requests for the current scene."""
        self._rounds += 1  # a scene that never rests is waited for in the end
        needed = self._requests() if self._rounds <= _MOST_ROUNDS else []
        self._asked = deque(request for request in needed if not computing.is_known(request))
        if self._asked:
            self._runner = worker_process.ready()
            self._ask()

    def _ask(self) -> None:
        self._runner.compute(self._asked[0], session.worker.threads())

    def _take_answer(self, answer: computing.Answer) -> None:
        """Store an answer for `_write`; without a worker, the rest is requested when needed."""
        computing.keep(self._asked.popleft(), answer)
        if not self._runner.alive:
            worker_process.stop()
            self._asked.clear()
        elif self._asked:
            self._ask()
        else:
            self._asked = None  # the scene may be another one by now

    def commit(self) -> None:
        """Write the result if it is complete; set the reason if the scene cannot be changed now."""
        if self._result is None or self._asked or self.ended:
            return
        if (hindrance := self._hindrance()) is not None:
            displayed_heights.put_back()
            self.message = "Done: " + hindrance
            if self._state is not State.HELD:
                self.enter(State.WAITING)
        elif not self._is_asking:
            displayed_heights.put_back()
            self._commit()
            if self._state is not State.FAILED:  # its answers are there for another attempt
                computing.forget()

    def _commit(self) -> None:
        self.enter(State.COMMITTING)
        try:
            self._write(self.find_object(), self._result)
        except InputError as error:
            self.fail(error.sentence)
        except MemoryError:
            self.fail(
                Sentence(
                    "There is not enough memory to write the result; the terrain is unchanged."
                )
            )
        except Exception:  # noqa: BLE001 - the task would never end
            print_traceback()
            self.fail_unexpectedly()

    def _hindrance(self) -> str | None:
        """Reason why the scene cannot be changed now, in a few words."""
        if self._state is State.HELD:
            return Sentence("the result is not written yet")
        return readiness.why_not_written(self.find_object())

    def fail(self, sentence: str) -> None:
        """End with a message, without changes of the object."""
        self.sentence = sentence
        displayed_heights.put_back()
        computing.forget_refusals()
        if self._runner is not None and not self._runner.alive:
            worker_process.stop()
        self.enter(self._outcome_of_failure())

    def _outcome_of_failure(self) -> State:
        """State after a failure; a subclass may save the result."""
        return State.FAILED

    def retry(self) -> None:
        """Try again to write a held result."""
        self.enter(State.WAITING)

    def fail_unexpectedly(self) -> None:
        """End with the message of an internal error."""
        cause = Sentence("{work} failed because of an internal error").format(work=self.work)
        self.fail(
            Sentence("{cause}. The terrain is unchanged; see the system console.").format(
                cause=cause
            )
        )

    def cancel(self) -> None:
        """Cancel without changes; the worker has ended on return."""
        if not self.ended:
            self.enter(State.CANCELLED)
            self.sentence = Sentence("{work} of {object_name} was canceled.").format(
                work=self.work, object_name=self.object_name
            )
            worker_process.stop()
            displayed_heights.put_back()
            computing.forget()

    def find_object(self) -> bpy.types.Object | None:
        """The object under its current name, scene or undo step; None if deleted."""
        return run_queue.find_object(self.object_uid)
