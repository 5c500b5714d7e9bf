# SPDX-License-Identifier: GPL-3.0-or-later
"""Progress of a simulation: position, speed and time left."""

import time
from collections.abc import Callable
from typing import Any, Protocol

from ..base.arrays import Array
from ..processes.registry import PROCESSES
from ..terrain.terrain import Terrain
from .checkpoint import Checkpoint


class Simulation(Protocol):
    """Interface of a simulation to its progress. kinds, titles: of the enabled steps."""

    kinds: list[str]
    titles: list[str]

    def snapshot(self, fraction: float, make: Callable[..., Terrain] = Terrain) -> Terrain:
        """Current terrain with its report."""
        ...

    def drain(self) -> None:
        """Let work in flight finish."""
        ...

    def checkpoint(self) -> Checkpoint:
        """State to resume from."""
        ...

    def elevation(self) -> Array:
        """Current heights."""
        ...

    def water_depth(self) -> Array | None:
        """Water depth in the current step, if it has any."""
        ...

    def counts(self) -> dict[str, Any]:
        """Counts of the current step so far."""
        ...

    def estimates(self) -> list[float]:
        """Rough duration of each step on one processor, in seconds."""
        ...


class Progress:
    """Position of a simulation between two chunks of work.

    fraction: 0-1 of the whole recipe. step: kind of the current step. message: the same in words.
    number: of finished steps; done: 0-1 of the current step. simulation: whose progress it is.
    """

    def __init__(self, number: int, share: float, simulation: Simulation) -> None:
        kinds = simulation.kinds
        self.number = number
        self.done = share
        self.step = kinds[number]
        self.fraction = (number + share) / len(kinds)
        self.message = f"{simulation.titles[number]}, step {number + 1} of {len(kinds)}"
        self.simulation = simulation

    @property
    def terrain(self) -> Terrain:
        """Current terrain with its fields and report; a copy, made on demand."""
        return self.simulation.snapshot(self.fraction)

    @property
    def result(self) -> Terrain:
        """As `terrain`, without copies of the run's own arrays: to read only, and only until the
        run continues.
        """
        return self.simulation.snapshot(self.fraction, Terrain.sharing)

    def drain(self) -> None:
        """Let work in flight, such as drops, finish without starting more, to end the run here."""
        self.simulation.drain()

    @property
    def checkpoint(self) -> Checkpoint:
        """State for `resume`; a copy, made on demand."""
        return self.simulation.checkpoint()

    @property
    def elevation(self) -> Array:
        """Current heights (rows, cols), meters; a view, valid until the simulation continues."""
        return self.simulation.elevation()

    @property
    def water_depth(self) -> Array | None:
        """Water depth in the current step (rows, cols), meters, a view; None in a step without
        water.
        """
        return self.simulation.water_depth()

    @property
    def work(self) -> tuple[float, str]:
        """Work done in the current step and its unit; 0 and "" between steps."""
        counts, (name, word) = self.simulation.counts(), PROCESSES[self.step].work
        return (float(counts[name]), word) if name in counts else (0.0, "")

    @property
    def estimates(self) -> list[float]:
        """Rough duration of each step on one processor, in seconds."""
        return self.simulation.estimates()


class Gauge:
    """Speed and time left of one simulation, by the wall clock."""

    def __init__(self) -> None:
        self._estimates: list[float] = []
        # time, and estimated seconds of the work before
        self._start = self._step_start = (0.0, 0.0)
        self._number = -1
        self._last = 0.0
        self._speed = ""
        self._work = 0.0
        self._looked = 0.0

    def seconds_left(self, progress: Progress) -> float | None:
        """Time left: the current step by its own pace, later steps by their estimates, corrected by
        the accuracy so far. None while unknown.
        """
        clock = time.perf_counter()
        self._estimates = self._estimates or [max(seconds, 1e-6) for seconds in progress.estimates]
        before = sum(self._estimates[: progress.number])
        estimate = self._estimates[progress.number]
        at = before + estimate * progress.done
        if progress.number != self._number:
            # What went before the first look was done by an earlier run; a step begins when the
            # last one has ended.
            start = (clock, at) if self._number < 0 else (self._last, before)
            self._start = start if self._number < 0 else self._start
            self._number = progress.number
            self._step_start = start
        self._last = clock
        spent = clock - self._start[0]
        share = at - self._start[1]
        if spent < 1.0 or share <= 0.0:
            return None
        step_spent = clock - self._step_start[0]
        step_done = at - self._step_start[1]
        pace = step_spent / step_done if step_done > 0.03 * estimate else spent / share
        return (before + estimate - at) * pace + sum(
            self._estimates[progress.number + 1 :]
        ) * spent / share

    def speed(self, progress: Progress) -> str:
        """Speed of the current step in its own unit, such as "1.2 M drops/s", updated once a
        second.
        """
        clock = time.perf_counter()
        if clock - self._looked < 1.0 and progress.number == self._number:
            return self._speed
        (work, word), seconds = progress.work, clock - self._looked
        if 0.0 < self._work < work:
            self._speed = f"{_short((work - self._work) / seconds)} {word}/s"
        elif not 0.0 < work == self._work:
            self._speed = ""
        self._work = work
        self._looked = clock
        return self._speed


def _short(number: float) -> str:
    """A number with three significant digits: 1.23 M."""
    for limit, suffix in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if number >= limit:
            return f"{number / limit:.3g}{suffix}"
    return f"{number:.3g}"
