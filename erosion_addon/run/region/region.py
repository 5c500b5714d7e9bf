# SPDX-License-Identifier: GPL-3.0-or-later
"""Region of a terrain: its share in each cell, and the window that a local run computes."""

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ...base.arrays import Array
from ...base.errors import InputError
from ...grid.distance_transform import distance_to
from ...processes.shared.process import Part, Spacing
from ...terrain.masks import softened
from ...terrain.terrain import SMALLEST_SIDE, Terrain

FADE = 0.5
"""Width of the border across which the run fades out, as a part of the largest distance of a cell
to the border.
"""

WIDEST = 32
"""Widest fading border in cells."""

MARGIN, LEAST_MARGIN, MOST_MARGIN = 0.25, 16, 96
"""Surroundings in the window: a part of the region's longer side, and limits in cells. Water that
falls there enters the region.
"""


@dataclass(frozen=True, eq=False)
class Region:
    """Region of a terrain.

    share: (rows, cols) float32, 0-1: how much of the run acts on a cell; 0 at the border and
    beyond. rows, cols: indices of the window's rows and columns, continued over wrapped edges.
    edges: of the window.
    """

    share: Array
    spacing: Spacing
    rows: Array
    cols: Array
    edges: str

    @classmethod
    def of(cls, inside: Array, spacing: Spacing, edges: str) -> Self:
        """Region of the cells above 0. inside: (rows, cols), bool or 0-1. edges: of the terrain.

        InputError for none, or values that are not from 0 to 1.
        """
        cells = np.asarray(inside, np.float32)
        if not ((cells >= 0) & (cells <= 1)).all():
            raise InputError(
                "The region has values that are not from 0 to 1; 0 is outside, 1 inside."
            )
        if not cells.any():
            raise InputError("The region is empty; select the part of the terrain to erode.")
        wraps = edges == "wrap"
        share = _faded(cells, spacing, wraps)
        if not share.any():
            raise InputError(
                "The region is too small to fade out to its border; make it a few cells wider."
            )
        return cls.around(share, spacing, edges)

    @classmethod
    def around(cls, share: Array, spacing: Spacing, edges: str) -> Self:
        """Region of these shares, not all 0, with its window. edges: of the terrain."""
        inside = share > 0
        wraps = edges == "wrap"
        rows = _window(inside.any(axis=1), wraps)
        cols = _window(inside.any(axis=0), wraps)
        # edges of a window within the terrain are open
        is_complete = (len(rows), len(cols)) == share.shape
        return cls(share, spacing, rows, cols, edges if is_complete else "open")

    @classmethod
    def rectangle(
        cls, terrain: Terrain, corners: tuple[float, float, float, float], edges: str
    ) -> Self:
        """Rectangle between x0, y0 and x1, y1, in meters from the terrain's first cell. InputError
        outside.
        """
        if not all(map(math.isfinite, corners)):
            raise InputError("The corners of the region must be numbers.")
        x = sorted(corners[::2])
        y = sorted(corners[1::2])
        (row, col), (rows, cols) = terrain.spacing, terrain.shape
        along = (np.arange(rows) * row >= y[0]) & (np.arange(rows) * row <= y[1])
        across = (np.arange(cols) * col >= x[0]) & (np.arange(cols) * col <= x[1])
        if not (along.any() and across.any()):
            raise InputError(
                "The region from ({x0:g}, {y0:g}) to ({x1:g}, {y1:g}) m holds no cell of the "
                "terrain, which goes from (0, 0) to ({cols:g}, {rows:g}) m."
            ).format(
                x0=x[0], y0=y[0], x1=x[1], y1=y[1], cols=(cols - 1) * col, rows=(rows - 1) * row
            )
        return cls.of(along[:, None] & across, terrain.spacing, edges)

    @property
    def part(self) -> Part:
        """The window, for parameters."""
        rows, cols = self.share.shape
        return Part(
            (rows, cols),
            self.spacing,
            int(self.rows[0]),
            int(self.cols[0]),
            len(self.rows),
            len(self.cols),
        )

    def cut(self, array: Array) -> Array:
        """Window of an array (rows, cols, …); a copy."""
        rows, cols = self.share.shape
        return np.ascontiguousarray(array[np.ix_(self.rows % rows, self.cols % cols)])

    def put(self, array: Array, window: Array) -> None:
        """Write a window into an array (rows, cols, …)."""
        rows, cols = self.share.shape
        array[np.ix_(self.rows % rows, self.cols % cols)] = window


def _faded(cells: Array, spacing: Spacing, wraps: bool) -> Array:
    """Cells with a border that fades out inward, 3 t² - 2 t³; the terrain's own edge is no
    border.
    """
    reach = WIDEST / FADE * max(spacing)
    # across a wrapped edge the region continues, as far as the fade reaches
    pad = math.ceil(reach / min(spacing)) + 1 if wraps else 0
    padded = np.pad(cells, pad, mode="wrap") if pad else cells
    outside = padded == 0
    if not outside.any():
        return cells
    border = FADE * float(distance_to(outside, spacing, reach).max())
    soft = softened(padded, spacing, border)
    rows, cols = cells.shape
    return soft[pad : pad + rows, pad : pad + cols]


def _window(inside: Array, wraps: bool) -> Array:
    """Indices of the window's rows (or columns). inside: whether each holds cells of the region."""
    count = len(inside)
    cells = np.flatnonzero(inside)
    first = int(cells[0])
    end = int(cells[-1]) + 1
    margin = int(min(max(MARGIN * (end - first), LEAST_MARGIN), MOST_MARGIN, count))
    first = first - margin
    end = end + margin
    # indices beyond the edges, which `cut` takes modulo the size
    if wraps and end - first < count:
        return np.arange(first, end)
    first = max(first, 0)
    end = min(end, count)
    return np.arange(first, end) if end - first >= SMALLEST_SIDE else np.arange(count)


def as_region(area: Any, terrain: Terrain, edges: str) -> Region:
    """Region from corners x0, y0, x1, y1 (m), or an array (rows, cols) of its cells. InputError for
    anything else.
    """
    if isinstance(area, Region):
        return area
    try:
        array = np.asarray(area, np.float32)
    except (TypeError, ValueError):
        array = np.empty(0, np.float32)
    if array.shape == (4,):
        return Region.rectangle(terrain, tuple(map(float, array)), edges)  # type: ignore[arg-type]
    if array.shape != terrain.shape:
        raise InputError(
            "A region is x0, y0, x1, y1 in meters, or an array of as many rows and columns as the "
            "terrain has, {rows} × {cols}."
        ).format(rows=terrain.rows, cols=terrain.cols)
    return Region.of(array, terrain.spacing, edges)
