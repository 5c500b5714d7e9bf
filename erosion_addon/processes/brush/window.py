# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of a terrain around a dab, on its own small grid."""

from dataclasses import dataclass

import numpy as np

from ...base.arrays import Array

SLACK = 2
"""Margin of cells around the change of a dab."""

Box = tuple[int, int, int, int]
"""As `Window.box`."""


@dataclass(frozen=True)
class Window:
    """Some rows and columns of a terrain. On one that wraps they may go over its edge, and are
    never there twice.

    row, col: number of the first; counts of them: rows, cols. whole: whether the terrain is all
    there, and wraps. shape: (rows, cols) of the terrain.
    """

    row: int
    col: int
    rows: int
    cols: int
    shape: tuple[int, int]
    complete: bool = False

    def _places(self) -> tuple[Array | slice, Array | slice]:
        places: list[Array | slice] = []
        for first, count, most in zip(
            (self.row, self.col), (self.rows, self.cols), self.shape, strict=True
        ):
            inside = first >= 0 and first + count <= most
            places.append(
                slice(first, first + count) if inside else np.arange(first, first + count) % most
            )
        if all(isinstance(place, slice) for place in places):
            return places[0], places[1]
        rows, cols = (
            np.arange(place.start, place.stop) if isinstance(place, slice) else place
            for place in places
        )
        return rows[:, None], cols

    def cut(self, array: Array) -> Array:
        """A copy of this part of an array (rows, cols, …)."""
        return np.ascontiguousarray(array[self._places()]).copy()

    def put(self, array: Array, part: Array) -> None:
        """Write this part of an array."""
        array[self._places()] = part

    @property
    def box(self) -> tuple[int, int, int, int]:
        """First row, end of rows, first column, end of columns that hold it all without going over
        an edge.
        """
        box: list[int] = []
        for first, count, most in zip(
            (self.row, self.col), (self.rows, self.cols), self.shape, strict=True
        ):
            box += [first, first + count] if first >= 0 and first + count <= most else [0, most]
        return box[0], box[1], box[2], box[3]


def window_at(
    place: tuple[float, float],
    reach: float,
    shape: tuple[int, int],
    spacing: tuple[float, float],
    wraps: bool,
) -> Window | None:
    """The window of all cells within a reach (m) of a place (m along rows, m along columns); None
    without any.
    """
    spans = []
    for at, side, count in zip(place, spacing, shape, strict=True):
        at = at / side
        at = (
            at % count
            if wraps
            else min(max(at, -2.0 * count - reach / side), 3.0 * count + reach / side)
        )
        half = min(reach / side, 4.0 * count)
        spans.append((int(np.floor(at - half)) - SLACK, int(np.ceil(at + half)) + SLACK + 1))
    if wraps:
        if any(last - first >= count for (first, last), count in zip(spans, shape, strict=True)):
            starts = [
                (first + last) // 2 - count // 2
                for (first, last), count in zip(spans, shape, strict=True)
            ]
            row, col = starts
            return Window(row, col, shape[0], shape[1], shape, complete=True)
        (row, end_row), (col, end_col) = spans
    else:
        (row, end_row), (col, end_col) = (
            (max(first, 0), min(last, count))
            for (first, last), count in zip(spans, shape, strict=True)
        )
        if row >= end_row or col >= end_col:
            return None
    return Window(row, col, end_row - row, end_col - col, shape)


def distances(
    window: Window, place: tuple[float, float], spacing: tuple[float, float], wraps: bool
) -> Array:
    """Distance (m) of each of its cells from a place (m along rows, m along columns), (rows,
    cols).
    """
    axes = []
    firsts = (window.row, window.col)
    counts = (window.rows, window.cols)
    for at, side, count, first, number in zip(
        place, spacing, window.shape, firsts, counts, strict=True
    ):
        at = (at / side) % count * side if wraps else at
        axes.append(np.arange(first, first + number) * side - at)
    return np.asarray(np.sqrt(axes[0][:, None] * axes[0][:, None] + axes[1] * axes[1]))


def united(boxes: list[Box]) -> Box | None:
    """The box that holds all boxes; None of none."""
    if not boxes:
        return None
    rows, end_rows, cols, end_cols = zip(*boxes, strict=True)
    return min(rows), max(end_rows), min(cols), max(end_cols)
