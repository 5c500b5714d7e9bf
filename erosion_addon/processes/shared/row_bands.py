# SPDX-License-Identifier: GPL-3.0-or-later
"""Bands of rows, each swept in place by its own thread, with seams between them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from ...base.threads import WorkerPool

CELLS = 2**16
"""Smallest band in cells; handing a smaller one to another thread takes longer than the work."""


@contextmanager
def however_small() -> Iterator[None]:
    """Context in which terrains of any size are split into bands, to rehearse large ones."""
    global CELLS
    usual = CELLS
    CELLS = 1
    try:
        yield
    finally:
        CELLS = usual


class Bands:
    """Bands of a terrain, one for each thread; `starts`: first row of each, and the number of rows.

    For kernels whose result does not depend on the bands. effort: cost of a cell relative to one
    pass of water.
    """

    def __init__(self, shape: tuple[int, int], threads: int, effort: float = 1.0) -> None:
        rows, cols = shape
        self.count = max(1, min(threads, rows, int(rows * cols * effort) // CELLS))
        self.starts = np.arange(self.count + 1) * rows // self.count
        self._pool = WorkerPool(self.count)

    def run(
        self, fill_seam: Callable[[int, int], object], sweep: Callable[[int, int], object]
    ) -> None:
        """Fill all seams, then sweep all bands, on threads numbered by band.

        fill_seam(seam, thread); sweep(band, thread). Seam 0 lies above the first band.
        """

        def seams(thread: int) -> None:
            fill_seam(thread, thread)
            if thread == self.count - 1:
                fill_seam(self.count, thread)

        self._pool.run(seams)
        self.sweep(sweep)

    def sweep(self, sweep: Callable[[int, int], object]) -> None:
        """Sweep all bands: sweep(band, thread)."""
        self._pool.run(lambda thread: sweep(thread, thread))
