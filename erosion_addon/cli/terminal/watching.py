# SPDX-License-Identifier: GPL-3.0-or-later
"""Supervision of a run on the command line: progress, time limit, termination signals, checkpoints
on the way.
"""

import math
import time
from collections.abc import Callable, Iterator

from ...base.threads import OnProgress
from ...run.progress import Progress
from . import signals
from .progress import RunProgress


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
