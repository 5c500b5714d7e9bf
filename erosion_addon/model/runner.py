# SPDX-License-Identifier: GPL-3.0-or-later
"""Drives the worker process from Blender's side, without ever waiting for it. Knows nothing of Blender."""

import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, cast

from .checkpoint import Checkpoint
from .messages import MASK_PREFIX, Message, receive, send
from .recipe import Recipe
from .terrain import Terrain

_START = """
import sys
sys.path[:0] = [sys.argv[1]]
sys.path += sys.argv[2:]
from erosion_addon.model.worker import main
main()
"""


class Runner:
    """A worker process, started at once; `poll` brings what it says. One run at a time.

    Raises OSError where the process cannot be started. environment: variables for the worker beyond this process's.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        package_folder = str(Path(__file__).resolve().parents[2])
        # -I: neither the user's environment nor the current folder decides what the worker imports.
        command = [sys.executable, "-I", "-X", "utf8", "-c", _START, package_folder, *filter(os.path.isdir, sys.path)]
        windows: dict[str, Any] = {}
        if sys.platform == "win32":
            windows = {"creationflags": subprocess.CREATE_NO_WINDOW, "stderr": subprocess.DEVNULL}
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, **environment}, **windows
        )
        self._messages: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._stdin_lock = threading.Lock()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        answers = cast(BinaryIO, self._process.stdout)
        try:
            while (message := receive(answers)) is not None:
                self._messages.put(message)
            reason = ""
        except MemoryError:
            self._process.kill()
            reason = "There is not enough memory for the result; use fewer cells."
        self._messages.put(Message("ended", {"reason": reason or _why_ended(self._process.wait())}))

    def run(self, terrain: Terrain, recipe: Recipe, masks: Mapping[str, Any], threads: int = 0) -> None:
        """Hand over a terrain; seed and edges are the recipe's. threads: the most to use, 0 for all processors."""
        values = {"recipe": recipe.to_dict(), "spacing": terrain.spacing, "threads": threads}
        arrays = {"elevation": terrain.elevation, **terrain.fields}
        arrays |= {MASK_PREFIX + kind: mask for kind, mask in masks.items()}
        self._send("run", values, arrays)

    def resume(self, checkpoint: Checkpoint, threads: int = 0) -> None:
        """Go on with a run that was paused."""
        self._send("resume", {**checkpoint.values, "threads": threads}, checkpoint.arrays)

    def finish(self) -> None:
        """End the run soon and bring its result so far."""
        self._send("finish")

    def pause(self) -> None:
        """End the run soon and bring its checkpoint, then its result so far."""
        self._send("pause")

    def _send(self, *message: Any) -> None:
        """Write from a thread: a pipe takes large arrays only as fast as the worker reads."""

        def write() -> None:
            with self._stdin_lock:
                try:
                    send(cast(BinaryIO, self._process.stdin), *message)
                except (OSError, ValueError):
                    pass  # the worker is gone, which `_listen` reports

        threading.Thread(target=write, daemon=True).start()

    def poll(self, seconds: float = 0.0) -> list[Message]:
        """What the worker has said since the last time; waits up to so many seconds for the first message."""
        messages = []
        try:
            messages.append(self._messages.get(timeout=seconds) if seconds > 0 else self._messages.get_nowait())
            while True:
                messages.append(self._messages.get_nowait())
        except queue.Empty:
            return messages

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.poll() is None

    def kill(self) -> None:
        """End the process now, whatever it is doing, and wait until it is gone."""
        self._process.kill()
        self._process.wait()


def _why_ended(code: int) -> str:
    """A worker's unasked-for end in a sentence."""
    if code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        cause = f"{name}, most likely for want of memory" if name == "SIGKILL" else name
        return f"The erosion process was ended by the system ({cause}); the terrain is unchanged."
    return f"The erosion process ended unexpectedly (exit code {code}); the terrain is unchanged."
