# SPDX-License-Identifier: GPL-3.0-or-later
"""Streams that come into a terrain over time, and gauges that measure them on a larger one.

The time of a step is divided into equal slices.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...base.arrays import Array

THINNEST = 1e-4
"""Depth in meters of the thinnest water whose load is measured: thinner films do not flow."""


def slice_of(step: int, steps: int, slices: int) -> int:
    """Slice in which a time step lies, of `steps` in all."""
    return step * slices // steps


def steps_in(at: int, steps: int, slices: int) -> int:
    """Number of the time steps that lie in a slice."""
    first, end = (-(-edge * steps // slices) for edge in (at, at + 1))
    return end - first


class Streams(NamedTuple):
    """Water that comes into a terrain. cells: (n,) int64, flat indices in order. water, load:
    (slices, n) m³/s of water and of the soil in it. walls: where open edges let no water out,
    (cols,) bool for the first and last row, (rows,) bool for the first and last column.
    """

    cells: Array
    water: Array
    load: Array
    walls: Sequence[Array]

    def entered(self, count: int, steps: int, seconds: float) -> tuple[float, float]:
        """Water and load so far, m³. count: time steps so far, of `steps`; seconds: of each."""
        slices = len(self.water)
        passed = np.array([slice_of(step, steps, slices) for step in range(count)], np.int64)
        counts = np.bincount(passed, minlength=slices)
        water, load = (
            float((counts * rates.sum(axis=1)).sum()) * seconds for rates in (self.water, self.load)
        )
        return water, load


class Gauges:
    """Means in each slice of the water, and of the load in it, that cross lines between cells.

    along: (2, slices, rows, lines) float32, m³/s of water and load through the lines between two
    columns, toward higher ones; down: (2, slices, lines, cols) through those between two rows.
    """

    def __init__(
        self, shape: tuple[int, int], rows: Sequence[int], cols: Sequence[int], slices: int
    ) -> None:
        """shape: (rows, cols) of the terrain. rows, cols: numbers of the first cells behind each
        line, from 1.
        """
        self.rows = np.array(rows, np.int64)
        self.cols = np.array(cols, np.int64)
        self.slices = slices
        self.along = np.zeros((2, slices, shape[0], len(cols)), np.float32)
        self.down = np.zeros((2, slices, len(rows), shape[1]), np.float32)

    def read(
        self,
        at: int,
        share: float,
        depth: Array,
        load: Array,
        fluxes: tuple[Array, Array],
        spacing: tuple[float, float],
    ) -> None:
        """Add a share of a slice's time. depth, load: (rows, cols) m. fluxes: (rows, cols + 1) and
        (rows + 1, cols) m²/s. spacing: (row, column) m.
        """
        thickness = (load / np.maximum(depth, THINNEST)).astype(np.float32)
        rows = self.rows
        cols = self.cols
        row_spacing, col_spacing = spacing
        crossing = fluxes[0][:, cols] * np.float32(row_spacing * share)
        self.along[0, at] += crossing
        self.along[1, at] += crossing * np.where(
            crossing > 0, thickness[:, cols - 1], thickness[:, cols]
        )
        crossing = fluxes[1][rows] * np.float32(col_spacing * share)
        self.down[0, at] += crossing
        self.down[1, at] += crossing * np.where(crossing > 0, thickness[rows - 1], thickness[rows])
