# SPDX-License-Identifier: GPL-3.0-or-later
"""Supervision of a run on the command line: progress, time limit, termination signals, checkpoints on the way."""

import argparse
import math
import time
from collections.abc import Callable, Iterator

from ..base.threads import OnProgress
from ..run.progress import Progress
from .terminal import signals
from .terminal.progress import ProgressEvents, ProgressLine


def watched(
    run: Iterator[Progress],
    compile_kernels: Callable[[OnProgress], None],
    given: argparse.Namespace,
    seconds: float = math.inf,
    save: Callable[[Progress], None] | None = None,
    every: float = math.inf,
) -> Progress:
    """Run to the end or the time limit with progress on standard error; returns the last progress.

    compile_kernels: called first with the progress callback. seconds: the time limit. save: keeps the state of the run;
    with it a signal waits for the current chunk. every: seconds between two calls of it.
    """
    line = None if given.quiet else ProgressEvents() if given.progress == "json" else ProgressLine()
    begin = time.monotonic()
    due = begin + every
    try:
        compile_kernels(line.show_compiling if line else lambda fraction, message: None)
        with signals.deferred(save is not None):
            for progress in run:
                if line:
                    line.show(progress)
                signals.raise_pending()
                if time.monotonic() >= begin + seconds or signals.arrived():
                    break
                if save and time.monotonic() >= due and progress.fraction < 1:
                    save(progress)
                    due = time.monotonic() + every
    finally:
        if line:
            line.close()
    return progress
