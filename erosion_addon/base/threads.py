# SPDX-License-Identifier: GPL-3.0-or-later
"""Threads for kernels, which run without the interpreter lock."""

import os
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress

OnProgress = Callable[[float, str], None]
"""Callback (fraction, message): share of the work, 0-1, and its description."""

BAND = 32
"""Rows per work item: enough to make the hand-out negligible."""


def processors() -> int:
    """Number of threads of this process that can run at once."""
    if hasattr(os, "sched_getaffinity"):  # a farm may give a process some of the machine's only
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def granted(most: int) -> int:
    """Number of threads to use: `most`, or one for each processor if 0.

    Resolved once at each entry point (run, light, analysis, estimate); all callees take a positive
    number.
    """
    return most or processors()


class Tally:
    """Thread-safe progress counter that reports the share of work done. total: amount of the
    work.
    """

    def __init__(self, on_progress: Callable[[float], None] = lambda share: None) -> None:
        self.total = 1.0
        self._on_progress = on_progress
        self._amount = 0.0
        self._lock = threading.Lock()

    def add(self, amount: float) -> None:
        """Add finished work."""
        with self._lock:
            self._amount += amount
            self._on_progress(min(self._amount / self.total, 1.0))


def in_bands(
    work: Callable[[int, int], object], count: int, threads: int, band: int = BAND
) -> None:
    """Call work(first, last) on bands of `band` rows that cover the rows 0 … count, see
    `in_parts`.

    The bands do not depend on the number of threads, so work that writes only the rows of its band
    leaves the same bytes.
    """

    def on_band(number: int) -> None:
        first = number * band
        work(first, min(first + band, count))

    in_parts(on_band, -(-count // band), threads)


def in_parts(work: Callable[[int], object], count: int, threads: int) -> None:
    """Call work(0) … work(count - 1), each once, beginning in this order.

    threads: the most to use, with the calling one; more than there are processors do not help and
    are not used. All calls have ended when this returns or raises, except after an interruption.
    After an error no further one begins; of several errors, that of the first part is raised.
    """
    helpers = min(threads, count, processors()) - 1
    phase = _Phase(work, count, helpers)
    if helpers <= 0:
        phase.serve()
    else:
        # Calls from several threads at once, or from within a part, have crews of their own.
        try:
            crew = _crews.pop()
        except IndexError:
            crew = _Crew()
        crew.do(phase, helpers)
        # after an interruption, which waits for nobody, it may still be at work and is dropped
        _crews.append(crew)
    if phase.errors:
        raise phase.errors[min(phase.errors)]


class _Phase:
    """Parts of work that several threads take one after the other, and their errors."""

    def __init__(self, work: Callable[[int], object], count: int, helpers: int) -> None:
        self._work = work
        self._parts = deque(range(count))
        self.errors: dict[int, BaseException] = {}
        self._lock = threading.Lock()
        self._seats = helpers
        self._helping = 0
        self._end = threading.Lock()

    @property
    def has_room(self) -> bool:
        """Whether another helper would find something to do."""
        return bool(self._parts) and self._seats > 0

    def _next(self) -> int | None:
        try:
            return self._parts.popleft()
        except IndexError:
            return None

    def serve(self) -> None:
        """Work on parts until none is left."""
        number: int | None = None
        try:
            while (number := self._next()) is not None:
                self._work(number)
        except BaseException as error:
            self._parts.clear()
            self.errors[-1 if number is None else number] = error
            if not isinstance(error, Exception):  # an interruption
                raise

    def help(self) -> None:
        """`serve` on a thread besides the caller's, if there is a seat left."""
        with self._lock:
            if not self._seats:
                return
            self._seats -= 1
            self._helping += 1
        try:
            self.serve()
        finally:
            with self._lock:
                self._helping -= 1
                if not self._helping and self._end.locked():
                    self._end.release()

    def wait(self) -> None:
        """Wait until no helper is at work, and let no other one begin."""
        with self._lock:
            self._seats = 0
            if not self._helping:
                return
            self._end.acquire()
        self._end.acquire()  # which the last helper releases


class _Crew:
    """Threads that sleep between phases, as many phases are shorter than the start of a thread.

    Each that wakes wakes two others while parts are left: short phases wake few.
    """

    def __init__(self) -> None:
        self._sleeping: deque[threading.Lock] = deque()
        self._size = 0
        self._phase: _Phase | None = None

    def do(self, phase: _Phase, helpers: int) -> None:
        """Work on all parts of a phase. helpers: the most threads besides the caller's."""
        self._grow(helpers)
        self._phase = phase
        self._wake(2)
        phase.serve()
        phase.wait()
        self._phase = None

    def _grow(self, size: int) -> None:
        while self._size < size:
            try:
                threading.Thread(target=self._serve, daemon=True).start()
            except (RuntimeError, MemoryError):
                # a limit of the user's or the machine's: fewer do the same work
                return
            self._size += 1

    def _wake(self, count: int) -> None:
        """Wake some of the sleeping threads if there is work for them."""
        phase = self._phase
        for _ in range(count):
            if phase is None or not phase.has_room:
                return
            try:
                self._sleeping.pop().release()
            except IndexError:
                return

    def _serve(self) -> None:
        bed = threading.Lock()
        bed.acquire()
        while True:
            phase = self._phase
            if phase is not None and phase.has_room:
                self._wake(2)
                with suppress(BaseException):  # the caller's thread raises it
                    phase.help()
            del phase
            self._sleeping.append(bed)
            # a phase that began in between has not seen this thread sleep
            self._wake(1)
            bed.acquire()


_crews: list[_Crew] = []
"""Crews without work. They stay: threads that sleep cost nothing."""

if hasattr(os, "register_at_fork"):
    # a child has none of its parent's threads
    os.register_at_fork(after_in_child=_crews.clear)
