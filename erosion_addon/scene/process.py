# SPDX-License-Identifier: GPL-3.0-or-later
"""The worker process of this Blender: started when first needed, and kept, because a start takes a second."""

from ..model.errors import InputError
from ..model.runner import Runner
from .compiled import worker_environment

_runner: Runner | None = None


def ready() -> Runner:
    """The worker, started if there is none; InputError where it cannot be."""
    global _runner
    if _runner is None or not _runner.alive:
        try:
            _runner = Runner(worker_environment())
        except OSError as error:
            raise InputError(f"The erosion process cannot be started: {error}.") from None
    return _runner


def stop() -> None:
    """End the worker, if there is one."""
    global _runner
    if _runner is not None:
        _runner.kill()
    _runner = None
