# SPDX-License-Identifier: GPL-3.0-or-later
"""Threads for kernels, which run without the interpreter lock."""

import os
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from typing import TypeVar

OnProgress = Callable[[float, str], None]
"""Callback (fraction, message): 0-1 of the work, and what is done."""

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
    """Call work(first, last) on bands of `band` rows that cover the rows 0 … count.

    threads: includes the calling thread. The bands do not depend on it, so work that writes only
    the rows of its band leaves the same bytes. All threads have ended when this returns or raises,
    except after an interruption. After an error no further band starts; of several errors, that of
    the first band is raised.
    """
    bands = deque((first, min(first + band, count)) for first in range(0, count, band))
    errors: dict[int, BaseException] = {}

    def serve() -> None:
        first = -1
        try:
            for first, last in shared_out(bands):
                work(first, last)
        except BaseException as error:
            bands.clear()
            errors[first] = error
            if not isinstance(error, Exception):  # nobody waits for anything more
                raise

    helpers = _started(
        [threading.Thread(target=serve, daemon=True) for _ in range(min(threads, len(bands)) - 1)]
    )
    serve()
    for helper in helpers:
        helper.join()
    if errors:
        raise errors[min(errors)]


Item = TypeVar("Item")


def shared_out(queue: deque[Item]) -> Iterator[Item]:
    """Items of a queue that several threads empty together, each by an iterator of its own."""
    while queue:
        try:
            item = queue.popleft()
        except IndexError:  # another thread was quicker
            return
        yield item


def _started(helpers: list[threading.Thread]) -> list[threading.Thread]:
    """The threads that the system could start."""
    for number, helper in enumerate(helpers):
        try:
            helper.start()
        except (RuntimeError, MemoryError):
            # a limit of the user's or the machine's: fewer do the same work
            return helpers[:number]
    return helpers


class WorkerPool:
    """Reusable worker threads, for phases too short to start threads for each.

    size: number of threads, including the calling one. The threads end with the last reference to
    the pool.
    """

    def __init__(self, size: int) -> None:
        self.size = max(1, size)
        self._shared = _Shared(self.size - 1)
        weakref.finalize(self, self._shared.dismiss)

    def run(self, work: Callable[[int], object]) -> None:
        """Call work(0) … work(size - 1), each on its own thread, and wait for all; raises the first
        error.

        If the system provides fewer threads, the calling thread does the rest.
        """
        shared = self._shared
        shared.work = work
        shared.errors = [None] * len(shared.go)
        for go in shared.go:
            go.release()
        first: Exception | None = None
        try:
            work(0)
            for place in range(len(shared.go) + 1, self.size):
                work(place)
        # It is raised below; an interruption, which is no Exception, waits for nobody.
        except Exception as own:  # noqa: BLE001
            first = own
        for lock in shared.finished:
            lock.acquire()
        shared.work = None
        if first is not None:
            raise first
        for error in shared.errors:
            if error is not None:
                raise error


class _Shared:
    """State shared by a pool's threads. It holds no reference to the pool, so that the pool can be
    collected.
    """

    def __init__(self, count: int) -> None:
        self.work: Callable[[int], object] | None = None
        # Places made before, as there may be no memory left to note in that there is none.
        self.errors: list[BaseException | None] = []
        self.go = [threading.Lock() for _ in range(count)]
        self.finished = [threading.Lock() for _ in range(count)]
        for lock in (*self.go, *self.finished):
            lock.acquire()
        threads = [
            threading.Thread(target=self._serve, args=(place,), daemon=True)
            for place in range(count)
        ]
        started = len(_started(threads))
        del self.go[started:], self.finished[started:]

    def _serve(self, place: int) -> None:
        go = self.go[place]
        finished = self.finished[place]
        while True:
            go.acquire()
            if self.work is None:
                return
            try:
                self.work(place + 1)
            except BaseException as error:  # noqa: BLE001 - it is raised in the caller's thread
                self.errors[place] = error
            finally:
                finished.release()

    def dismiss(self) -> None:
        """End the threads."""
        self.work = None
        for go in self.go:
            # else an interruption came between its release and the thread, which finds no work
            if go.locked():
                go.release()
