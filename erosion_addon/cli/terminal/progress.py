# SPDX-License-Identifier: GPL-3.0-or-later
"""Progress on standard error."""

import shutil
import sys
import time
from contextlib import suppress

from ...run.progress import Gauge, Progress
from .output import encodable, note, print_event

FORMS = ("text", "json")
"""Forms of the progress: for people, and a JSON object a line for programs."""

_EVERY = 1.0
"""Least seconds between two lines of JSON within a step."""


class ProgressLine:
    """Progress on standard error: a bar on a terminal, else a line at every tenth."""

    def __init__(self) -> None:
        self._began, self._gauge = time.monotonic(), Gauge()
        self._terminal = sys.stderr is not None and sys.stderr.isatty()
        self._full, self._empty = ("█", "░") if self._terminal and encodable("█░", sys.stderr) == "█░" else ("#", "-")
        self._next = 0.1
        self._length = 0
        self._compiling = ""

    def show(self, progress: Progress) -> None:
        """Show the progress of the simulation and the time left."""
        fraction, left = progress.fraction, self._gauge.seconds_left(progress)
        if self._terminal:
            self._redraw(f"{progress.message} {self._bar(fraction)} {self._numbers(fraction, left)}")
        elif fraction >= self._next - 1e-9:
            note(f"{progress.message}: {self._numbers(fraction, left)}")
            while self._next - 1e-9 <= fraction:
                self._next += 0.1

    def show_compiling(self, fraction: float, message: str) -> None:
        """Show the progress of the compilation before the simulation."""
        if self._terminal:
            self._redraw(f"{message} {self._bar(fraction)} {fraction:4.0%}".replace("%", " %"))
        elif message != self._compiling:
            note(message)
        self._compiling = message
        self._began = time.monotonic()  # the time that it took is the simulation's

    def close(self) -> None:
        """Remove the bar, so that later output starts on a new line."""
        if self._length:
            self._redraw("")
            with suppress(OSError):
                sys.stderr.write("\r")

    def _bar(self, fraction: float) -> str:
        cells = round(24 * fraction)
        return self._full * cells + self._empty * (24 - cells)

    def _numbers(self, fraction: float, left: float | None) -> str:
        if fraction >= 1:
            return f"100 %, {duration(time.monotonic() - self._began)}"
        said = f", {duration(left)} left" if left is not None else ""
        return f"{fraction:4.0%}".replace("%", " %") + said

    def _redraw(self, text: str) -> None:
        text = text[: shutil.get_terminal_size().columns - 1]
        # An interrupt may come as soon as anything is seen: by then it is known that there is something to take away.
        before, self._length = self._length, len(text)
        with suppress(OSError):
            sys.stderr.write("\r" + text.ljust(before))
            sys.stderr.flush()


class ProgressEvents:
    """Progress on standard error as JSON, a line a second at most."""

    def __init__(self) -> None:
        self._began, self._gauge = time.monotonic(), Gauge()
        self._next, self._number = 0.0, -1

    def show(self, progress: Progress) -> None:
        """Tell the progress of the simulation and the time left."""
        left, speed = self._gauge.seconds_left(progress), self._gauge.speed(progress)
        now = time.monotonic()
        if now < self._next and progress.number == self._number and progress.fraction < 1:
            return
        self._next, self._number = now + _EVERY, progress.number
        print_event(
            "progress",
            fraction=round(progress.fraction, 6),
            step=progress.number + 1,
            kind=progress.step,
            text=progress.message,
            seconds=round(now - self._began, 3),
            seconds_left=None if left is None else round(left, 1),
            speed=speed,
        )

    def show_compiling(self, fraction: float, message: str) -> None:
        """Tell the progress of the compilation before the simulation."""
        self._began = time.monotonic()
        if self._began >= self._next:
            self._next = self._began + _EVERY
            print_event("compiling", fraction=round(fraction, 6), text=message)

    def close(self) -> None:
        """Nothing is left on the terminal."""


class Stages:
    """Progress of a command that says nothing on its way to people: as JSON, a line at the end of each stage."""

    def __init__(self, *texts: str) -> None:
        """texts: what is done at the end of each."""
        self._texts, self._done, self._began = texts, 0, time.monotonic()

    def end(self) -> None:
        """Tell that the next stage is done."""
        self._done += 1
        fraction, spent = self._done / len(self._texts), time.monotonic() - self._began
        print_event(
            "progress",
            fraction=round(fraction, 6),
            text=self._texts[self._done - 1],
            seconds=round(spent, 3),
            seconds_left=round(spent * (1 - fraction) / fraction, 1),
        )


def duration(seconds: float) -> str:
    """A time in words."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
