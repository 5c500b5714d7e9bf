# SPDX-License-Identifier: GPL-3.0-or-later
"""Progress of a command on standard error, and supervision of a run: time limit, termination
signals, checkpoints on the way.
"""

import math
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from ...base.threads import OnProgress
from ...run.progress import Gauge, Progress
from . import signals
from .output import draw, encodable, is_json, note, print_event

FORMS = ("text", "json")
"""Forms of the progress: for people, and a JSON object a line for programs."""

_EVERY = 1.0
"""Least seconds between two lines of JSON with the same text."""


class ProgressLine:
    """Progress: a bar on a terminal, else a line at every tenth; as JSON, a line a second at most,
    and one at once for a new text.
    """

    def __init__(self, quiet: bool = False, patience: float = 0.0) -> None:
        """quiet: whether nothing is shown. patience: seconds before people see anything."""
        self._quiet = quiet
        self._patience = patience
        self._start = self._last = time.monotonic()
        self._terminal = sys.stderr is not None and sys.stderr.isatty()
        self._full, self._empty = (
            ("█", "░") if self._terminal and encodable("█░", sys.stderr) == "█░" else ("#", "-")
        )
        self._tenth = 0.1
        self._due = 0.0
        self._text = ""

    @property
    def seconds(self) -> float:
        """Seconds since the start, without compilation."""
        return time.monotonic() - self._start

    def show(
        self, fraction: float, text: str, seconds_left: float | None = None, **more: Any
    ) -> None:
        """Show the share done and the time left. more: further values, for programs."""
        self._last = time.monotonic()
        if self._quiet:
            return
        if is_json():
            if self._is_due(text) or fraction >= 1:
                left = None if seconds_left is None else round(seconds_left, 1)
                event = {"text": text, "seconds": round(self.seconds, 3), "seconds_left": left}
                print_event("progress", fraction=round(fraction, 6), **event, **more)
        elif self.seconds < self._patience:
            return
        elif self._terminal:
            draw(f"{text} {self._bar(fraction)} {self._numbers(fraction, seconds_left)}")
        elif fraction >= self._tenth - 1e-9:
            note(f"{text}: {self._numbers(fraction, seconds_left)}")
            while self._tenth - 1e-9 <= fraction:
                self._tenth += 0.1

    def show_compiling(self, fraction: float, message: str) -> None:
        """Show the progress of a compilation."""
        clock = time.monotonic()
        self._start = self._start + clock - self._last
        self._last = clock
        if self._quiet:
            return
        if is_json():
            if self._is_due(message):
                print_event("compiling", fraction=round(fraction, 6), text=message)
        elif self._terminal:
            draw(f"{message} {self._bar(fraction)} {_percent(fraction)}")
        elif message != self._text:
            self._text = message
            note(message)

    def _is_due(self, text: str) -> bool:
        """Whether to print a line of JSON now. The next one with the same text waits for
        `_EVERY`.
        """
        if self._last < self._due and text == self._text:
            return False
        self._due = self._last + _EVERY
        self._text = text
        return True

    def _bar(self, fraction: float) -> str:
        cells = round(24 * fraction)
        return self._full * cells + self._empty * (24 - cells)

    def _numbers(self, fraction: float, left: float | None) -> str:
        if fraction >= 1:
            return f"100 %, {duration(self.seconds)}"
        return _percent(fraction) + (f", {duration(left)} left" if left is not None else "")


class RunProgress:
    """Progress of the simulations of a command, one after the other."""

    def __init__(self, line: ProgressLine, work: float = 1.0) -> None:
        """work: of all runs, in the caller's unit."""
        self.line = line
        self._work = work
        self._finished = 0.0
        self._size = 0.0
        self._name = ""

    def begin(self, work: float = 1.0, name: str = "") -> None:
        """Begin the next run. work: its part of the whole. name: of the run, if there are
        several.
        """
        self._finished += self._size
        self._size = work
        self._name = name and f"{name}, "
        self._gauge = Gauge()

    def skip(self, work: float, name: str) -> None:
        """Leave out a run whose result is there already, after another run."""
        self._work -= work
        self.line.show((self._finished + self._size) / self._work, f"{name}, there already")

    def show(self, progress: Progress) -> None:
        """Show the progress of the run at work."""
        fraction = (self._finished + self._size * progress.fraction) / self._work
        left = self._seconds_left(progress)
        speed = self._gauge.speed(progress)
        text = f"{self._name}{progress.message}"
        self.line.show(
            fraction, text, left, step=progress.number + 1, kind=progress.step, speed=speed
        )

    def _seconds_left(self, progress: Progress) -> float | None:
        """Time left of all runs: this one by its own steps, later ones by the pace so far."""
        left = self._gauge.seconds_left(progress)
        spent = self.line.seconds
        if left is None and self._finished:
            left = (
                self._size
                * (1.0 - progress.fraction)
                * spent
                / (self._finished + self._size * progress.fraction)
            )
        if left is None:
            return None
        total = self._finished + self._size
        return left + (self._work - total) * (spent + left) / total


class ShareProgress:
    """Progress of work with a known share. The time left follows from the pace since the first
    call.
    """

    def __init__(self, line: ProgressLine) -> None:
        self._line = line
        self._first = (-1.0, 0.0)

    def show(self, fraction: float, text: str) -> None:
        """Show the share done, and the last task."""
        seconds = self._line.seconds
        if self._first[0] < 0:
            self._first = seconds, fraction
        start, before = self._first
        share = fraction - before
        self._line.show(
            fraction, text, (seconds - start) * (1.0 - fraction) / share if share > 0 else None
        )


class Stages:
    """Progress of a command by its stages; of one that takes less than a second people see
    nothing.
    """

    def __init__(self, quiet: bool, *texts: str) -> None:
        """texts: description of each part, shown at its end."""
        self._texts = texts
        self._finished = 0
        self._progress = ShareProgress(ProgressLine(quiet, patience=1.0))
        self._progress.show(0.0, "begun")

    def end(self) -> None:
        """Tell that the next stage is done."""
        self._finished += 1
        self._progress.show(self._finished / len(self._texts), self._texts[self._finished - 1])


def watched(
    run: Iterator[Progress],
    compile_kernels: Callable[[OnProgress], None],
    display: RunProgress,
    seconds: float = math.inf,
    save: Callable[[Progress], None] | None = None,
    every: float = math.inf,
) -> Progress:
    """Run to the end or the time limit with progress on standard error; returns the last progress.

    compile_kernels: called first with the progress callback. display: where the progress goes.
    seconds: the time limit. save: keeps the state of the run; with it a signal waits for the
    current chunk. every: seconds between two calls of it.
    """
    begin = time.monotonic()
    due = begin + every

    def show_compiling(fraction: float, message: str) -> None:
        display.line.show_compiling(fraction, message)
        signals.raise_pending()

    compile_kernels(show_compiling)
    with signals.deferred(save is not None):
        for progress in run:
            display.show(progress)
            signals.raise_pending()
            if time.monotonic() >= begin + seconds or signals.arrived():
                break
            if save and time.monotonic() >= due and progress.fraction < 1:
                save(progress)
                due = time.monotonic() + every
    return progress


def duration(seconds: float) -> str:
    """A time in words."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _percent(fraction: float) -> str:
    return f"{fraction:4.0%}".replace("%", " %")
