# SPDX-License-Identifier: GPL-3.0-or-later
"""Supervision of a run on the command line: progress, time limit, termination signals."""

import math
import time
from collections.abc import Callable, Iterator

from ..run.precompile import Tell
from ..run.progress import Progress
from .terminal import signals
from .terminal.progress import ProgressLine


def watched(
    run: Iterator[Progress],
    compile_kernels: Callable[[Tell], None],
    quiet: bool = False,
    seconds: float = math.inf,
    is_saved: bool = False,
) -> Progress:
    """Run to the end or the time limit with progress on standard error; returns the last progress.

    compile_kernels: called first with the progress callback. seconds: the time limit. is_saved: whether a signal waits
    for the current chunk, as its result is kept.
    """
    line = None if quiet else ProgressLine()
    end = time.monotonic() + seconds
    try:
        compile_kernels(line.show_compiling if line else lambda fraction, message: None)
        with signals.postponed(is_saved):
            for progress in run:
                if line:
                    line.show(progress)
                signals.check()
                if time.monotonic() >= end or signals.came():
                    break
    finally:
        if line:
            line.close()
    return progress
