# SPDX-License-Identifier: GPL-3.0-or-later
"""Termination signals (time limit of a farm, closed terminal, Ctrl-C), handled without leaving
partial files.
"""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...base.kernels import interruption

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))

_NOTHING = "Ended by the system; nothing was written."

TRY_AGAIN = 75
"""Exit code of work that the same command resumes, for example after a time limit: EX_TEMPFAIL of
sysexits.h.
"""

_state = {"signal": 0, "deferred": False, "interrupted": False}
"""Signal received, whether signals are deferred, and whether Ctrl-C was pressed."""


class Ended(BaseException):
    """Ended before the result was complete; the message names the files written. code: exit code,
    by default of the signal.
    """

    def __init__(self, sentence: str, code: int = 0) -> None:
        super().__init__(sentence)
        self.code = code or 128 + _state["signal"]


def renamed(end: KeyboardInterrupt | Ended, what: str) -> KeyboardInterrupt | Ended:
    """Copy with a message that names the files written. what: end of the sentence, after the
    reason.
    """
    if isinstance(end, Ended):
        reason = "The time limit ended the run" if end.code == TRY_AGAIN else "Ended by the system"
        return Ended(f"{reason}; {what}.", end.code)
    return KeyboardInterrupt(f"Interrupted; {what}.")


@contextmanager
def handled() -> Iterator[None]:
    """Context in which a signal raises `Ended`, once, so that cleanup runs."""
    _state["signal"] = 0
    _state["interrupted"] = False
    ours = threading.current_thread() is threading.main_thread()
    # One that the user has switched off, as nohup does, stays so.
    heard = [number for number in _SIGNALS if ours and signal.getsignal(number) == signal.SIG_DFL]
    for number in heard:
        signal.signal(number, _end)
    keyboard = ours and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if keyboard:
        signal.signal(signal.SIGINT, _interrupt)
    try:
        with interruption.handled(keyboard or bool(heard)):
            yield
    finally:
        for number in heard:
            signal.signal(number, signal.SIG_DFL)
        if keyboard:
            signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def deferred(is_deferred: bool) -> Iterator[None]:
    """Context in which a signal is only recorded, for `arrived`."""
    _state["deferred"] = is_deferred
    try:
        yield
    finally:
        _state["deferred"] = False


def arrived() -> bool:
    """Whether a termination signal has arrived."""
    return _state["signal"] != 0


def raise_pending() -> None:
    """Raise the exception of a recorded signal: exceptions raised in a callback of the compiler are
    lost.
    """
    if _state["interrupted"]:
        raise KeyboardInterrupt
    if arrived() and not _state["deferred"]:
        raise Ended(_NOTHING)


def leave(code: int) -> None:
    """End the process at once. A running kernel would break the interpreter's own shutdown."""
    if interruption.is_kernel_left():
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def _interrupt(number: int, frame: Any) -> None:
    _state["interrupted"] = True
    raise KeyboardInterrupt


def _end(number: int, frame: Any) -> None:
    if arrived():
        return
    _state["signal"] = number
    if not _state["deferred"]:
        raise Ended(_NOTHING)
