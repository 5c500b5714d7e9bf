# SPDX-License-Identifier: GPL-3.0-or-later
"""The system's orders to end, which leave no file half written: as of a farm whose time is up, or a closed terminal."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))

_state = {"came": 0, "postponed": False}
"""Number of the signal that has come, and whether one that comes is only noted."""


class Ended(BaseException):
    """The system has ended the work; says what was written. code: exit code."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.code = 128 + _state["came"]


@contextmanager
def heeded() -> Iterator[None]:
    """Let an order to end raise `Ended` in the block, once: what is left behind is cleaned up meanwhile."""
    _state["came"] = 0
    ours = threading.current_thread() is threading.main_thread()
    # One that the user has switched off, as nohup does, stays so.
    heard = [number for number in _SIGNALS if ours and signal.getsignal(number) == signal.SIG_DFL]
    for number in heard:
        signal.signal(number, _end)
    try:
        yield
    finally:
        for number in heard:
            signal.signal(number, signal.SIG_DFL)


@contextmanager
def postponed(wanted: bool) -> Iterator[None]:
    """Let an order to end in the block only be noted, for `came`."""
    _state["postponed"] = wanted
    try:
        yield
    finally:
        _state["postponed"] = False


def came() -> bool:
    """Whether an order to end has come."""
    return _state["came"] != 0


def _end(number: int, frame: Any) -> None:
    if came():
        return
    _state["came"] = number
    if not _state["postponed"]:
        raise Ended("Ended by the system; nothing was written.")
