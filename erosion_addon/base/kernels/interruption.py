# SPDX-License-Identifier: GPL-3.0-or-later
"""Interruption of long kernels: Python hears a signal between two of its own instructions, and so
not before a kernel in the main thread returns, which takes seconds on a large terrain.

Where signals are handled, kernels on many cells run in another thread while the main thread waits;
a signal ends the wait at once. The kernel runs on, unused, until the process ends.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

LARGE = 2**20
"""Numbers in an array of a kernel that may take long; on fewer it ends in a fraction of a
second.
"""

_handled = [False]
"""Whether signals are handled."""

_left: list[threading.Thread] = []
"""Threads that nobody waits for any more."""


@contextmanager
def handled(enabled: bool = True) -> Iterator[None]:
    """Context in which a signal's exception ends the wait for a kernel."""
    _handled[0] = enabled
    try:
        yield
    finally:
        _handled[0] = False


def is_long(arguments: tuple[Any, ...]) -> bool:
    """Whether a call with these arguments is left to another thread."""
    return (
        _handled[0]
        and threading.current_thread() is threading.main_thread()
        and _is_large(arguments)
    )


def _is_large(arguments: tuple[Any, ...]) -> bool:
    return any(
        _is_large(argument)
        if isinstance(argument, tuple)
        else getattr(argument, "size", 0) >= LARGE
        for argument in arguments
    )


def aside(work: Callable[[], Any]) -> Any:
    """Result of work() in another thread, or its error."""
    results: list[Any] = []
    errors: list[BaseException] = []
    finished = threading.Event()

    def serve() -> None:
        try:
            results.append(work())
        except BaseException as error:  # noqa: BLE001 - it is raised in the caller's thread
            errors.append(error)
        finally:
            finished.set()

    thread = threading.Thread(target=serve, daemon=True)
    try:
        thread.start()
    except RuntimeError:  # the system gives no more threads
        return work()
    try:
        finished.wait()
    except BaseException:
        _left.append(thread)
        raise
    if errors:
        raise errors[0]
    return results[0]


def is_kernel_left() -> bool:
    """Whether a kernel works for nobody."""
    return any(thread.is_alive() for thread in _left)
