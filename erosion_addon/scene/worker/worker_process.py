# SPDX-License-Identifier: GPL-3.0-or-later
"""Worker process of this Blender: started on first use and kept, as a start takes a second."""

import contextlib
import subprocess

from ...base.errors import InputError
from ...worker import client
from ...worker.client import Runner
from .. import session
from .compiled import worker_environment


class _Now:
    """State of the session."""

    def __init__(self) -> None:
        self.runner: Runner | None = None
        self.fault = ""
        self.compiler: subprocess.Popen[bytes] | None = None
        """Background process that compiles, running or ended."""


_now = session.remember(_Now)


def ready() -> Runner:
    """The worker, started if needed; InputError if that fails, or it is known not to work."""
    if reason := fault():
        raise InputError(reason)
    if _now.runner is None or not _now.runner.alive:
        try:
            _now.runner = Runner(worker_environment())
        except OSError as error:
            raise InputError(f"The erosion process cannot be started: {error}.") from None
    return _now.runner


def fault() -> str:
    """Reason why erosion is impossible until `restart`: result of the worker's library test; empty
    if fine.
    """
    if _now.runner is not None and _now.runner.fault:
        _now.fault = _now.runner.fault
    return _now.fault


def compile_all() -> None:
    """Compile the kernels of all shipped recipes in the background, once a session, if they can be
    cached.
    """
    environment = worker_environment()
    if _now.compiler is not None or fault() or environment.get("TERRAIN_EROSION_CACHE") == "":
        return
    with contextlib.suppress(OSError):  # else each recipe compiles what it needs
        _now.compiler = client.start("run.precompile_all", environment, subprocess.DEVNULL, "IDLE")


def stop_compiling() -> None:
    """Stop the background compilation."""
    if _now.compiler is not None:
        _now.compiler.kill()
        _now.compiler.wait()
        if _now.compiler.stdin is not None:
            _now.compiler.stdin.close()
    _now.compiler = None


def compiling() -> tuple[float, str] | None:
    """Progress of the worker's compilation, and a message."""
    return _now.runner.compiling if _now.runner is not None and _now.runner.alive else None


def is_getting_ready() -> bool:
    """Whether the worker is starting or compiling."""
    return (
        _now.runner is not None
        and _now.runner.alive
        and (not _now.runner.libraries or _now.runner.warming)
    )


def condition() -> str:
    """State of the worker in words."""
    if fault():
        return "Does not work"
    if _now.runner is None or not _now.runner.alive:
        return "Not running; starts when it is needed"
    if not _now.runner.libraries:
        return "Starting"
    return "Compiling" if _now.runner.warming or _now.runner.compiling else "Ready"


def libraries() -> str:
    """Compiler libraries of the worker with versions; empty if unknown."""
    return _now.runner.libraries if _now.runner is not None else ""


def restart() -> Runner:
    """Replace the worker by a new one, and test its libraries again."""
    stop()
    _now.fault = ""
    return ready()


def stop() -> None:
    """End the worker, if there is one."""
    fault()  # which is to be known beyond its end
    if _now.runner is not None:
        _now.runner.kill()
    _now.runner = None
