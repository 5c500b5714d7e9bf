# SPDX-License-Identifier: GPL-3.0-or-later
"""Worker process of this Blender: started on first use and kept, as a start takes a second."""

import contextlib
import subprocess

from ...base.errors import InputError, Sentence
from ...worker import client
from ...worker.client import Runner
from ..session import session
from .compiled import worker_environment


def ready() -> Runner:
    """The worker, started if needed; InputError if that fails, or it is known not to work."""
    if reason := fault():
        raise InputError(reason)
    if session.worker.runner is None or not session.worker.runner.alive:
        try:
            session.worker.runner = Runner(worker_environment())
        except OSError as error:
            raise InputError("The erosion process cannot be started: {error}.").format(
                error=error
            ) from None
    return session.worker.runner


def fault() -> str:
    """Reason why erosion is impossible until `restart`: result of the worker's library test; empty
    if fine.
    """
    if session.worker.runner is not None and session.worker.runner.fault:
        session.worker.fault = session.worker.runner.fault
    return session.worker.fault


def compile_all() -> None:
    """Compile the kernels of all shipped recipes in the background, once a session, if they can be
    cached.
    """
    environment = worker_environment()
    if (
        session.worker.compiler is not None
        or fault()
        or environment.get("TERRAIN_EROSION_CACHE") == ""
    ):
        return
    with contextlib.suppress(OSError):  # otherwise each recipe compiles its own kernels
        session.worker.compiler = client.start(
            "run.precompile_all", environment, subprocess.DEVNULL, "IDLE"
        )


def stop_compiling() -> None:
    """Stop the background compilation."""
    if session.worker.compiler is not None:
        session.worker.compiler.kill()
        session.worker.compiler.wait()
        if session.worker.compiler.stdin is not None:
            session.worker.compiler.stdin.close()
    session.worker.compiler = None


def compiling() -> tuple[float, str] | None:
    """Progress of the worker's compilation, and a message."""
    runner = session.worker.runner
    return runner.compiling if runner is not None and runner.alive else None


def is_getting_ready() -> bool:
    """Whether the worker is starting or compiling."""
    return (
        session.worker.runner is not None
        and session.worker.runner.alive
        and (not session.worker.runner.libraries or session.worker.runner.warming)
    )


def condition() -> str:
    """State of the worker in words."""
    if fault():
        return Sentence("Does not work")
    if session.worker.runner is None or not session.worker.runner.alive:
        return Sentence("Not running; starts when it is needed")
    if not session.worker.runner.libraries:
        return "Starting"
    return (
        "Compiling" if session.worker.runner.warming or session.worker.runner.compiling else "Ready"
    )


def libraries() -> str:
    """Compiler libraries of the worker with versions; empty if unknown."""
    return session.worker.runner.libraries if session.worker.runner is not None else ""


def restart() -> Runner:
    """Replace the worker by a new one, and test its libraries again."""
    stop()
    session.worker.fault = ""
    return ready()


def stop() -> None:
    """End the worker, if there is one."""
    fault()  # which is to be known beyond its end
    if session.worker.runner is not None:
        session.worker.runner.kill()
    session.worker.runner = None
