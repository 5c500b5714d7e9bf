# SPDX-License-Identifier: GPL-3.0-or-later
"""Wind shadow on several threads: strips of rows or columns along the wind, one per thread."""

from collections.abc import Callable
from functools import partial

import numpy as np

from ...base.arrays import Array
from ...base.threads import in_parts

CELLS = 2**18
"""Smallest strip in cells; handing a smaller one to another thread takes longer than the work."""

NARROWEST = 64
"""Cells across a strip at least: threads meet after as many lines of cells as a strip is wide, or
half of them.
"""

LINES = 256
"""Most lines of cells between two meetings of the threads: enough to make these cost nothing."""


class WindShadow:
    """Casts the shadows of a terrain of (rows, cols) cells; the same bytes whatever the number of
    threads.

    threads: the most to use.
    """

    def __init__(self, shape: tuple[int, int], threads: int) -> None:
        rows, cols = shape
        self.strips = max(1, min(threads, min(shape) // NARROWEST, rows * cols // CELLS))

    def cast(
        self, ground: Array, shade: Array, wind: tuple[float, float], drop: float, wrap: bool
    ) -> None:
        """Fill `shade` (rows, cols) float64 with the height of the shadow over each cell; -inf
        without one.

        ground: (rows, cols, 2) float64, its surface first. wind: direction (row, col) in cells.
        drop: by how much a shadow sinks on the way to the next row or column, whichever the wind
        crosses faster.
        """
        from .kernels import shadow

        wind_row, wind_col = wind
        rays = shadow.make_rays(wind_row, wind_col, drop, wrap)
        across = shade.T if rays.along_row else shade
        lines, count = across.shape
        starts = np.arange(self.strips + 1) * count // self.strips
        length = max(1, min(count // self.strips // abs(rays.reach), lines - 1, LINES))
        # Where edges wrap, around a second time: only then is known what falls over the edge.
        numbers = 2 * lines if wrap else lines
        across[0 if rays.forward else -1] = -np.inf
        for begin in range(1, numbers, length):
            end = min(begin + length, numbers)
            last = across[(end - 1) % lines if rays.forward else -1 - (end - 1) % lines]
            before = last.copy()
            self._sweep(partial(shadow.cast, ground, shade, rays, begin, end), starts)
            if end > lines and np.array_equal(last, before):
                return  # and so would all lines after it stay as they are

    def _sweep(self, cast: Callable[[int, int, bool], object], starts: Array) -> None:
        """Call cast(first, last, alone) for each strip: first for all alone, then for shadows from
        the next strip.
        """
        for alone in (True, False):

            def on_strip(strip: int, alone: bool = alone) -> None:
                cast(starts[strip], starts[strip + 1], alone)

            in_parts(on_strip, self.strips, self.strips)
