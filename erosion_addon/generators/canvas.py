# SPDX-License-Identifier: GPL-3.0-or-later
"""Canvas of a start terrain: cells, edges and seed."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..base.arrays import Array, longer_side
from ..files.image_files import ImageFiles

MARGIN = 0.125
"""Margin of noise around a terrain that does not tile, as a share of its longer side."""


@dataclass(frozen=True)
class Canvas:
    """Canvas of a generator.

    Forms depend only on positions and wavelengths relative to the longer side: more cells show the
    same terrain in finer detail.

    spacing: (row, col) m. tileable: whether noise is periodic. warp: 0-1. image_files: reader of
    images. threads: the most to use.
    """

    rows: int
    cols: int
    spacing: tuple[float, float]
    seed: int
    tileable: bool = False
    warp: float = 0.0
    image_files: ImageFiles | None = None
    threads: int = 1

    @property
    def longer_side(self) -> float:
        """Longer side in meters."""
        return longer_side((self.rows, self.cols), self.spacing)

    @property
    def half_width(self) -> float:
        """Half of the shorter side in meters, from the middle to the outermost cells."""
        return min((self.rows - 1) * self.spacing[0], (self.cols - 1) * self.spacing[1]) / 2

    @cached_property
    def margin(self) -> tuple[int, int]:
        """Rows and columns of noise beyond each side."""
        if self.tileable:
            return 0, 0
        wide = MARGIN * self.longer_side
        return int(np.ceil(wide / self.spacing[0])), int(np.ceil(wide / self.spacing[1]))

    @property
    def period(self) -> tuple[int, int]:
        """Period of the noise in rows and columns."""
        return self.rows + 2 * self.margin[0], self.cols + 2 * self.margin[1]

    def cut(self, field: Array) -> Array:
        """Crop a field (period) to the terrain."""
        top, left = self.margin
        rows, cols = (self.rows, self.cols)
        return field[top : top + rows, left : left + cols]
