# SPDX-License-Identifier: GPL-3.0-or-later
"""The worker process of this Blender: started when first needed, and kept, because a start takes a second."""

import contextlib
import subprocess
from dataclasses import dataclass

from ...base.errors import InputError
from ...worker import child
from ...worker.client import Runner
from .. import session
from .compiled import worker_environment


@dataclass(eq=False, repr=False)
class _Now:
    """The processes of this session."""

    runner: Runner | None = None
    fault: str = ""
    compiler: "subprocess.Popen[bytes] | None" = None
    """Compiles in the background, or has done so."""


_now = session.remember(_Now)


def ready() -> Runner:
    """The worker, started if there is none; InputError where it cannot be, or is known not to work."""
    if reason := fault():
        raise InputError(reason)
    if _now.runner is None or not _now.runner.alive:
        try:
            _now.runner = Runner(worker_environment())
        except OSError as error:
            raise InputError(f"The erosion process cannot be started: {error}.") from None
    return _now.runner


def fault() -> str:
    """Why nothing can be eroded here until `restart`: what the worker found when it tried its libraries; else empty."""
    if _now.runner is not None and _now.runner.fault:
        _now.fault = _now.runner.fault
    return _now.fault


def compile_all() -> None:
    """Have all that shipped recipes call compiled in the background, once a session, where that can be kept."""
    environment = worker_environment()
    if _now.compiler is not None or fault() or environment.get("TERRAIN_EROSION_CACHE") == "":
        return
    with contextlib.suppress(OSError):  # else each recipe compiles what it needs
        _now.compiler = child.start("run.precompile_all", environment, subprocess.DEVNULL, "IDLE")


def stop_compiling() -> None:
    """End what compiles in the background."""
    if _now.compiler is not None:
        _now.compiler.kill()
        _now.compiler.wait()
        if _now.compiler.stdin is not None:
            _now.compiler.stdin.close()
    _now.compiler = None


def compiling() -> tuple[float, str] | None:
    """What the worker compiles now: how far that is, and a message."""
    return _now.runner.compiling if _now.runner is not None and _now.runner.alive else None


def is_getting_ready() -> bool:
    """Whether the worker starts or compiles, and will be ready soon."""
    return _now.runner is not None and _now.runner.alive and (not _now.runner.libraries or _now.runner.warming)


def condition() -> str:
    """How the worker is, in words."""
    if fault():
        return "Does not work"
    if _now.runner is None or not _now.runner.alive:
        return "Not running; starts when it is needed"
    if not _now.runner.libraries:
        return "Starting"
    return "Compiling" if _now.runner.warming or _now.runner.compiling else "Ready"


def libraries() -> str:
    """What the worker compiles with, with versions; empty while that is not known."""
    return _now.runner.libraries if _now.runner is not None else ""


def restart() -> Runner:
    """A new worker in place of the present one, with another try of its libraries."""
    stop()
    _now.fault = ""
    return ready()


def stop() -> None:
    """End the worker, if there is one."""
    fault()  # which is to be known beyond its end
    if _now.runner is not None:
        _now.runner.kill()
    _now.runner = None
