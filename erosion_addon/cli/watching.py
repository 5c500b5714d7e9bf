# SPDX-License-Identifier: GPL-3.0-or-later
"""A run under way on the command line: progress, its time limit, orders to end."""

import math
import time
from collections.abc import Callable, Iterator

from ..run.precompile import Tell
from ..run.progress import Progress
from . import ending
from .terminal import ProgressLine


def watched(
    run: Iterator[Progress],
    compile_kernels: Callable[[Tell], None],
    quiet: bool = False,
    seconds: float = math.inf,
    is_saved: bool = False,
) -> Progress:
    """The last progress of a run, shown on standard error on its way to the end or the time limit.

    compile_kernels: called first with what it is to tell about its progress. seconds: the time limit. is_saved: whether
    an order of the system to end waits for the chunk under way, as its result is kept.
    """
    line = None if quiet else ProgressLine()
    end = time.monotonic() + seconds
    try:
        compile_kernels(line.show_compiling if line else lambda fraction, message: None)
        with ending.postponed(is_saved):
            for progress in run:
                if line:
                    line.show(progress)
                ending.check()
                if time.monotonic() >= end or ending.came():
                    break
    finally:
        if line:
            line.close()
    return progress
