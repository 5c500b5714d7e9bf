# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a start terrain is made: its cells, its edges and its seed, and what all kinds of them have in common."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..base.arrays import Array
from ..base.parameters import parameter
from ..files.image_files import ImageFiles

MARGIN = 0.125
"""Of the longer side: how far noise goes on around a terrain that does not tile."""

GROUP = "Finish"
"""Heading of the parameters that most kinds share."""


def relief(default: float) -> Any:
    """A parameter: how high the terrain is."""
    return parameter(default, "Height from the lowest to the highest point.", low=0, high=1e6, unit="m", soft_high=2000)


def warp(default: float = 0.0) -> Any:
    """A parameter: how much the terrain is bent."""
    return parameter(
        default,
        "How far the forms are bent and pulled about: 0 not at all, 1 into folds.",
        low=0,
        high=1,
        group=GROUP,
    )


def island() -> Any:
    """A parameter: how much of the terrain is coast."""
    return parameter(
        0.0,
        "Makes an island: the share of the way from the border to the middle that is coast; 0 for none.",
        low=0,
        high=1,
        group=GROUP,
    )


def tileable() -> Any:
    """A parameter: whether copies fit together."""
    return parameter(
        False, "The terrain goes on seamlessly in copies of itself, as the edges wrap want it.", group=GROUP
    )


@dataclass(frozen=True)
class Site:
    """Where a terrain is made. Forms depend on places and wavelengths relative to the longer side alone, so that more
    cells show the same terrain in finer detail.

    spacing: (row, col) m. tileable: whether noise repeats after the last cell. warp: 0-1. image_files: reads images.
    """

    rows: int
    cols: int
    spacing: tuple[float, float]
    seed: int
    tileable: bool = False
    warp: float = 0.0
    image_files: ImageFiles | None = None

    @property
    def longer_side(self) -> float:
        """Meters."""
        return max(self.rows * self.spacing[0], self.cols * self.spacing[1])

    @property
    def half_width(self) -> float:
        """Half of the shorter side in meters, from the middle to the outermost cells."""
        return min((self.rows - 1) * self.spacing[0], (self.cols - 1) * self.spacing[1]) / 2

    @cached_property
    def margin(self) -> tuple[int, int]:
        """Rows and columns of noise on each side of the terrain."""
        if self.tileable:
            return 0, 0
        wide = MARGIN * self.longer_side
        return int(np.ceil(wide / self.spacing[0])), int(np.ceil(wide / self.spacing[1]))

    @property
    def period(self) -> tuple[int, int]:
        """Rows and columns after which noise repeats."""
        return self.rows + 2 * self.margin[0], self.cols + 2 * self.margin[1]

    def cut(self, field: Array) -> Array:
        """The terrain's part of a field (period) with its margins."""
        (top, left), (rows, cols) = self.margin, (self.rows, self.cols)
        return field[top : top + rows, left : left + cols]
