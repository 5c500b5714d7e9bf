# SPDX-License-Identifier: GPL-3.0-or-later
"""Bands of rows, each swept in place by a thread of its own, with seams between them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from ...base.threads import Team

CELLS = 2**16
"""Lower bound on the cells of a band: handing a smaller one to another thread takes longer than the work."""


@contextmanager
def however_small() -> Iterator[None]:
    """Let terrains of any size be cut into bands in the block, as a rehearsal of large ones takes."""
    global CELLS
    usual, CELLS = CELLS, 1
    try:
        yield
    finally:
        CELLS = usual


class Bands:
    """The bands of a terrain, as many as there are threads to use; `starts`: first row of each, and number of rows.

    For kernels that leave the same bytes whatever the bands are.
    effort: how long a pass over a cell takes, compared to one of the water's.
    """

    def __init__(self, shape: tuple[int, int], threads: int, effort: float = 1.0) -> None:
        rows, cols = shape
        self.count = max(1, min(threads, rows, int(rows * cols * effort) // CELLS))
        self.starts = np.arange(self.count + 1) * rows // self.count
        self._team = Team(self.count)

    def run(self, look_over: Callable[[int, int], object], sweep: Callable[[int, int], object]) -> None:
        """Let all seams be looked over, then all bands be swept, by threads numbered by their bands.

        look_over(seam, thread); sweep(band, thread). Seams are numbered from the one above the first band.
        """

        def seams(thread: int) -> None:
            look_over(thread, thread)
            if thread == self.count - 1:
                look_over(self.count, thread)

        self._team.run(seams)
        self.sweep(sweep)

    def sweep(self, sweep: Callable[[int, int], object]) -> None:
        """Let all bands be swept: sweep(band, thread)."""
        self._team.run(lambda thread: sweep(thread, thread))
