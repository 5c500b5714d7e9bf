# SPDX-License-Identifier: GPL-3.0-or-later
"""The worker process of this Blender: started when first needed, and kept, because a start takes a second."""

import contextlib
import subprocess

from ...base.errors import InputError
from ...worker import child
from ...worker.client import Runner
from .compiled import worker_environment

_runner: Runner | None = None
_fault = ""

_compiler: "subprocess.Popen[bytes] | None" = None
"""Compiles in the background, or has done so."""


def ready() -> Runner:
    """The worker, started if there is none; InputError where it cannot be, or is known not to work."""
    global _runner
    if reason := fault():
        raise InputError(reason)
    if _runner is None or not _runner.alive:
        try:
            _runner = Runner(worker_environment())
        except OSError as error:
            raise InputError(f"The erosion process cannot be started: {error}.") from None
    return _runner


def fault() -> str:
    """Why nothing can be eroded here until `restart`: what the worker found when it tried its libraries; else empty."""
    global _fault
    if _runner is not None and _runner.fault:
        _fault = _runner.fault
    return _fault


def compile_all() -> None:
    """Have all that shipped recipes call compiled in the background, once a session, where that can be kept."""
    global _compiler
    environment = worker_environment()
    if _compiler is not None or fault() or environment.get("TERRAIN_EROSION_CACHE") == "":
        return
    with contextlib.suppress(OSError):  # else each recipe compiles what it needs
        _compiler = child.start("run.precompile_all", environment, subprocess.DEVNULL, "IDLE")


def stop_compiling() -> None:
    """End what compiles in the background."""
    global _compiler
    if _compiler is not None:
        _compiler.kill()
        _compiler.wait()
        if _compiler.stdin is not None:
            _compiler.stdin.close()
    _compiler = None


def compiling() -> tuple[float, str] | None:
    """What the worker compiles now: how far that is, and a message."""
    return _runner.compiling if _runner is not None and _runner.alive else None


def is_getting_ready() -> bool:
    """Whether the worker starts or compiles, and will be ready soon."""
    return _runner is not None and _runner.alive and (not _runner.libraries or _runner.warming)


def condition() -> str:
    """How the worker is, in words."""
    if fault():
        return "Does not work"
    if _runner is None or not _runner.alive:
        return "Not running; starts when it is needed"
    if not _runner.libraries:
        return "Starting"
    return "Compiling" if _runner.warming or _runner.compiling else "Ready"


def libraries() -> str:
    """What the worker compiles with, with versions; empty while that is not known."""
    return _runner.libraries if _runner is not None else ""


def restart() -> Runner:
    """A new worker in place of the present one, with another try of its libraries."""
    global _fault
    stop()
    _fault = ""
    return ready()


def stop() -> None:
    """End the worker, if there is one."""
    global _runner
    fault()  # which is to be known beyond its end
    if _runner is not None:
        _runner.kill()
    _runner = None
