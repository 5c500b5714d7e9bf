# SPDX-License-Identifier: GPL-3.0-or-later
"""Work of the worker process on an object of the scene, that ends in one change of it.

To add a kind of work:

1. In the scene, a subclass of `Task` that gives its order to `self._runner` and has `_receive`,
   which handles messages of the worker and sets `self._result`, and `_write`, which changes the
   scene: all of it or nothing.
2. In the interface, an operator from `ui.task_operator.TaskOperator`, whose `begin` makes the task
   and hands it to `job.begin`. It is modal in a window, runs to the end for scripts, and its undo
   step is the task's.

`Task` handles progress, the status bar, Esc, undo, opened files, autosave, renders and Edit Mode.
"""

import time
from collections import deque
from contextlib import ExitStack
from typing import Any

import bpy

from ...base.errors import InputError, print_traceback, printable_lines
from ...worker.messages import Message, Request
from ..worker import computing, worker_process
from . import busy, displayed_heights, run_queue
from .viewer import Viewer

LONG = 15.0
"""Seconds of work that a single Esc must not throw away."""

_MOST_ROUNDS = 4
"""Greatest number of rounds of requests for `_write`."""


class Task:
    """Work under way. `poll` it now and then until `ended`; then `sentence` tells the outcome.

    state: "starting" (the worker is getting ready), "running", "waiting" (done, but the scene
    cannot be changed now), "done", "rescued" (the result went to a new object), "cancelled" or
    "failed". warnings: remarks on finished work for the user. speed: of the step at work, in words.
    seconds_left: until the end, None while that is unknown. operator, properties: who attends it in
    a window, and with what settings. viewer: shows it on the mesh, if any does. held: why a
    complete result could not be written, which is tried again once this is empty. holds: what it
    has locked.
    """

    work, doing = "Erosion", "eroded"
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
        self.state = "starting"
        self.message = "Starting"
        self.fraction = 0.0
        self.sentence = ""
        self.speed = ""
        self.seconds_left = None
        self.held = ""
        self.holds: ExitStack[bool | None] = ExitStack()
        self._since = time.monotonic()
        self._result: Any = None
        self._asked: deque[Request] | None = None
        self._rounds = 0
        self._runner = worker_process.ready() if needs_worker else None

    def _receive(self, message: Message) -> None:
        """Handle a message of the worker; the base class handles the common ones."""
        if message.kind == "progress":
            self.state = "running"
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
        """Change the scene, and set `sentence` and `state` ("done" or "rescued"); InputError if
        impossible.

        obj: in Object Mode; None if deleted.
        """
        raise NotImplementedError

    def is_here(self) -> bool:
        """Whether its object survives an undo; else the task is canceled."""
        return self.find_object() is not None

    @property
    def ended(self) -> bool:
        """Whether the task has ended."""
        return self.state in ("done", "rescued", "cancelled", "failed")

    @property
    def is_long(self) -> bool:
        """Whether so much work is done that Esc asks before it cancels."""
        return self.state == "waiting" or time.monotonic() - self._since > LONG

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
                if self._asked and (answer := computing.answer_in(message)) is not None:
                    self._take_answer(answer)
                else:
                    self._receive(message)
            if self.state == "starting" and (compiling := worker_process.compiling()) is not None:
                self.fraction, self.message = compiling
            if self.viewer is not None and self.state == "running" and self._result is None:
                self.viewer.turn(self.find_object(), self._runner)
        if self._result is None or self._asked or self.ended:
            return
        if self._hindrance() is not None:
            self._asked = None  # the scene may be another one after it
            self._rounds = 0
        elif self._asked is None:
            self._ask_for_what_is_missing()

    def _ask_for_what_is_missing(self) -> None:
        """Send the missing requests for the current scene."""
        self._rounds += 1  # a scene that never rests is waited for in the end
        needed = self._requests() if self._rounds <= _MOST_ROUNDS else []
        self._asked = deque(request for request in needed if not computing.is_known(request))
        if self._asked:
            self._runner = worker_process.ready()
            self._ask()

    def _ask(self) -> None:
        self._runner.compute(self._asked[0], computing.now.threads())

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
            self.state = "waiting"
            self.message = "Done: " + hindrance
        elif not self._is_asking:
            displayed_heights.put_back()
            self._commit()
            if self.state != "failed":  # else its answers are there for another attempt
                computing.forget()

    def _commit(self) -> None:
        try:
            self._write(self.find_object(), self._result)
        except InputError as error:
            self.fail(str(error))
        except MemoryError:
            self.fail("There is not enough memory to write the result; the terrain is unchanged.")
        except Exception:  # noqa: BLE001 - the task would never end
            print_traceback()
            self.fail_unexpectedly()

    def _hindrance(self) -> str | None:
        """Reason why the scene cannot be changed now, in a few words."""
        if self.held:
            return "the result is not written yet"
        obj = self.find_object()
        if obj is not None and obj.mode != "OBJECT":
            return "leave " + obj.mode.replace("_", " ").title() + " Mode"
        # Renders and bakes read the scene from threads of their own; an undo step amid a stroke
        # would hold half of it.
        at = busy.at()
        return None if at is None else f"waits for the end of {at}"

    def fail(self, sentence: str) -> None:
        """End with a message, without changes."""
        self.state = "failed"
        self.sentence = sentence
        displayed_heights.put_back()
        computing.forget_refusals()
        if self._runner is not None and not self._runner.alive:
            worker_process.stop()

    def fail_unexpectedly(self) -> None:
        """End with the message of an internal error."""
        cause = f"{self.work} failed because of an internal error"
        self.fail(f"{cause}. The terrain is unchanged; see the system console.")

    def cancel(self) -> None:
        """Cancel without changes; the worker has ended on return."""
        if not self.ended:
            self.state = "cancelled"
            self.sentence = f"{self.work} of {self.object_name} was canceled."
            worker_process.stop()
            displayed_heights.put_back()
            computing.forget()

    def find_object(self) -> bpy.types.Object | None:
        """The object under its current name, scene or undo step; None if deleted."""
        return run_queue.find_object(self.object_uid)
