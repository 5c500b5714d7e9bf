# SPDX-License-Identifier: GPL-3.0-or-later
"""Client of the worker process: never blocks, and does not depend on Blender."""

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, cast

from ..base.errors import Sentence
from ..recipe.recipe import Recipe
from ..run.frames.frame_settings import FrameSettings
from ..terrain.terrain import Terrain
from .diagnostics import why_broken
from .messages import MASK_PREFIX, NO_MEMORY, REGION, Message, Request, receive, send

_START = """
import sys
sys.path[:0] = [sys.argv[2]]
sys.path += sys.argv[3:]
from importlib import import_module
import_module("erosion_addon." + sys.argv[1]).main()
"""


def start(
    module: str, environment: Mapping[str, str], stdout: int, priority: str
) -> "subprocess.Popen[bytes]":
    """Start a process that runs `main` of a module beside this one; its standard input is a pipe.

    environment: additional variables. priority: niceness on Windows; other systems set it in the
    child. Raises OSError if it cannot be started.
    """
    package_folder = str(Path(__file__).resolve().parents[2])
    # -I: neither the user's environment nor the current folder decides what the process imports.
    program = [sys.executable, "-I", "-X", "utf8", "-c", _START, module]
    windows: dict[str, Any] = {}
    if sys.platform == "win32":
        quietly = subprocess.CREATE_NO_WINDOW | getattr(subprocess, f"{priority}_PRIORITY_CLASS")
        windows = {"creationflags": quietly, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(
        [*program, package_folder, *filter(os.path.isdir, sys.path)],
        stdin=subprocess.PIPE,
        stdout=stdout,
        env={**os.environ, **environment},
        **windows,
    )


LAST_SECONDS = 10.0
"""Grace period for a silent worker to exit."""


class Runner:
    """A worker process, started at once; `poll` returns its messages. One run at a time.

    environment: additional variables of the worker. libraries: compiler libraries with versions,
    once tested. fault: a sentence if they do not work. compiling: (fraction, message) during
    compilation. warming: whether `warm` is in progress. Raises OSError if the process cannot be
    started.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._process = start("worker.worker", environment, subprocess.PIPE, "BELOW_NORMAL")
        self._messages: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._orders: queue.SimpleQueue[tuple[Any, ...] | None] = queue.SimpleQueue()
        self._number = 0
        self.libraries = self.fault = self._reason = ""
        self._killed = False
        self.compiling: tuple[float, str] | None = None
        self.warming = False
        self._listener = threading.Thread(target=self._listen, daemon=True)
        try:
            threading.Thread(target=self._hand_over, daemon=True).start()
            self._listener.start()
        except (RuntimeError, MemoryError) as error:  # the system gives no more threads
            self._process.kill()
            raise OSError(str(error)) from None

    def _listen(self) -> None:
        """Read messages until the worker ends, then report the end."""
        answers = cast(BinaryIO, self._process.stdout)
        try:
            while (message := receive(answers)) is not None:
                self._take_note(message)
                if message.kind not in ("compiling", "warm"):
                    self._messages.put(message)
                del message  # a result is large, and the next message may be long in coming
        except MemoryError:
            self._give_up(Sentence("There is not enough memory for the result; use fewer cells."))
        except Exception as error:  # noqa: BLE001 - a silent worker is of no use
            reason = Sentence("The erosion process sent an invalid answer ({error:.200}).")
            self._give_up(reason.format(error=repr(error)))
        finally:
            self._bury()
            with contextlib.suppress(OSError):
                answers.close()

    def _give_up(self, reason: str) -> None:
        """End a process that no longer responds; the first reason is kept."""
        self._reason = self._reason or reason
        self._process.kill()

    def _bury(self) -> None:
        """Wait for a silent process to end, and report why."""
        try:
            code = self._process.wait(LAST_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        if not (self.libraries or self._killed or self._reason) and code not in (
            0,
            NO_MEMORY,
            -9,
            -15,
        ):
            self.fault = why_broken()  # it did not even come as far as to say so
        reason = self._reason or self.fault or _why_ended(code)
        self._messages.put(Message("ended", {"reason": reason}))
        self._orders.put(None)

    def _take_note(self, message: Message) -> None:
        """Record messages that do not belong to a run."""
        values = message.values
        if message.kind == "compiling":
            self.compiling = (values["fraction"], values["message"])
        else:
            self.compiling = None
        if message.kind == "ready":
            self.libraries = values["libraries"]
        elif message.kind == "broken":
            self.fault = values["reason"]
        elif message.kind == "warm":
            self.warming = False

    def warm(
        self,
        recipe: Recipe,
        spacing: tuple[float, float],
        masks: Iterable[str],
        fields: Iterable[str],
    ) -> None:
        """Compile all kernels of a recipe, for terrains with such masks and fields."""
        self.warming = True
        values = {
            "recipe": recipe.to_dict(),
            "spacing": spacing,
            "masks": list(masks),
            "fields": list(fields),
        }
        self._send("warm", values)

    def run(
        self,
        terrain: Terrain,
        recipe: Recipe,
        masks: Mapping[str, Any],
        threads: int = 0,
        adds_up: bool = False,
        frames: FrameSettings | None = None,
        region: Any = None,
    ) -> None:
        """Start a run; seed and edges are the recipe's.

        threads: the most to use, 0 for all processors. adds_up: whether to add to the terrain's
        wear and deposition. frames: to keep. region: (rows, cols) cells of a region, 0-1; None for
        the whole terrain.
        """
        values = {"threads": threads, "adds_up": adds_up, "frames": frames and frames.to_json()}
        arrays = {} if region is None else {REGION: region}
        self._begin(terrain, recipe, masks, values, arrays)

    def preview(
        self,
        terrain: Terrain,
        recipe: Recipe,
        masks: Mapping[str, Any],
        shape: tuple[int, int],
        threads: int = 0,
    ) -> None:
        """Start a run whose only result is the change of height, (rows, cols) of `shape`."""
        values = {"threads": threads, "adds_up": False, "frames": None, "preview": shape}
        self._begin(terrain, recipe, masks, values, {})

    def _begin(
        self,
        terrain: Terrain,
        recipe: Recipe,
        masks: Mapping[str, Any],
        values: dict[str, Any],
        arrays: dict[str, Any],
    ) -> None:
        """Send a run. values, arrays: of its kind."""
        self._number += 1
        values |= {"recipe": recipe.to_dict(), "spacing": terrain.spacing, "run": self._number}
        arrays |= {"elevation": terrain.elevation, **terrain.fields}
        arrays |= {MASK_PREFIX + kind: mask for kind, mask in masks.items()}
        self._send("run", values, arrays)

    def resume(self, file: Any, threads: int = 0, frames: FrameSettings | None = None) -> None:
        """Resume a paused run. file: (bytes,) uint8, the checkpoint from `pause`. frames: to go on
        with.
        """
        self._number += 1
        values = {"threads": threads, "run": self._number, "frames": frames and frames.to_json()}
        self._send("resume", values, {"file": file})

    def compute(self, request: Request, threads: int = 0) -> None:
        """Send a request of a scene; `computed` brings the answer."""
        self._number += 1
        values = {
            "service": request.kind,
            "values": request.values,
            "threads": threads,
            "run": self._number,
        }
        self._send("compute", values, request.arrays)

    def paint(self, values: Mapping[str, Any], arrays: Mapping[str, Any] | None = None) -> None:
        """Begin or continue a stroke of the brush: `painted` answers each time, see `painting`.

        values: `stroke` where it begins, `dabs`, and `end`; with the terrain in arrays also the
        arguments of `Painting`.
        """
        self._number += "stroke" in values
        self._send("paint", {**values, "run": self._number}, arrays)

    def request_heights(self) -> None:
        """Request the current heights for display; they come when the cost to the run is
        negligible.
        """
        self._send("heights")

    def stop(self) -> None:
        """Stop the run without a result; its pending messages are dropped."""
        self._number += 1
        self._send("stop")

    def finish(self) -> None:
        """End the run early and return its result so far."""
        self._send("finish")

    def pause(self) -> None:
        """Pause the run: returns its checkpoint as a file, then its result so far."""
        self._send("pause")

    def _send(self, *order: Any) -> None:
        self._orders.put(order)

    def _hand_over(self) -> None:
        """Write orders in sequence from a thread: a pipe accepts large arrays only as fast as the
        worker reads.
        """
        stream = cast(BinaryIO, self._process.stdin)
        try:
            while (order := self._orders.get()) is not None:
                send(stream, *order)
                del order  # a terrain is large, and the next order may be long in coming
        except OSError:
            pass  # the worker has ended, reported by `_listen`
        except MemoryError:
            self._give_up(
                Sentence(
                    "There is not enough memory to send the terrain to the erosion process; use "
                    "fewer cells."
                )
            )
        except Exception as error:  # noqa: BLE001 - the worker waits for the rest of the order
            reason = Sentence(
                "The request could not be sent to the erosion process ({error:.200})."
            )
            self._give_up(reason.format(error=repr(error)))
        with contextlib.suppress(OSError, ValueError):
            stream.close()

    def poll(self, seconds: float = 0.0) -> list[Message]:
        """Messages since the last call that belong to the last run; waits at most this many seconds
        for one.
        """
        messages = []
        try:
            messages.append(
                self._messages.get(timeout=seconds) if seconds > 0 else self._messages.get_nowait()
            )
            while True:
                messages.append(self._messages.get_nowait())
        except queue.Empty:
            return [
                message
                for message in messages
                if message.values.get("run", self._number) == self._number
            ]

    @property
    def alive(self) -> bool:
        """Whether the process is running, and has not been given up."""
        return not self._reason and self._process.poll() is None

    def kill(self) -> None:
        """Kill the process and wait for its end."""
        self._killed = True
        self._process.kill()
        self._process.wait()
        self._listener.join()


def _why_ended(code: int) -> str:
    """Reason of an unexpected exit, as a sentence."""
    if code == NO_MEMORY:
        return Sentence("There is not enough memory for this terrain; use fewer cells.")
    if code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        cause = name
        if name == "SIGKILL":
            cause = Sentence("{name}, most likely because memory ran out").format(name=name)
        return Sentence(
            "The erosion process was ended by the system ({cause}); the terrain is unchanged."
        ).format(cause=cause)
    return Sentence(
        "The erosion process ended unexpectedly (exit code {code}); the terrain is unchanged."
    ).format(code=code)
