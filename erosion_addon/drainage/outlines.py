# SPDX-License-Identifier: GPL-3.0-or-later
"""Lake outlines: contours of the water level as closed lines."""

import numpy as np

from ..base.arrays import Array

_SIDES = ((0, 0, 0, 1), (0, 1, 1, 1), (1, 1, 1, 0), (1, 0, 0, 0))
"""Corners (row, col, row, col) of each side of a face, counterclockwise."""

_WAYS = {
    1: ((0, 3),),
    2: ((1, 0),),
    3: ((1, 3),),
    4: ((2, 1),),
    6: ((2, 0),),
    7: ((2, 3),),
    8: ((3, 2),),
    9: ((0, 2),),
    11: ((1, 2),),
    12: ((3, 1),),
    13: ((0, 1),),
    14: ((3, 0),),
    5: ((0, 1), (2, 3)),
    10: ((3, 0), (1, 2)),
}
"""Marching squares: wet corners (bits 1 2 4 8 counterclockwise) → sides where the shore enters and
leaves, water on the left. Two diagonal wet corners belong to one lake.
"""


def outlines(
    lakes: Array, levels: Array, elevation: Array, spacing: tuple[float, float]
) -> list[list[Array]]:
    """Shores of each lake: closed lines (points, 2) m along columns and rows, the last point equal
    to the first.

    The outer shore comes first and runs counterclockwise, islands follow. lakes: (rows, cols)
    int32, numbers from 1 on, else 0. levels: (lakes,) m. elevation: (rows, cols) m.
    """
    ground = np.pad(np.asarray(elevation, np.float64), 1, mode="edge")
    lakes = np.pad(lakes, 1)
    polygons = []
    places = np.nonzero(lakes)
    order = np.argsort(lakes[places], kind="stable")
    ends = np.searchsorted(lakes[places][order], np.arange(1, len(levels) + 2))
    for number, level in enumerate(levels.tolist()):
        group = order[ends[number] : ends[number + 1]]
        rows = places[0][group]
        cols = places[1][group]
        box = np.s_[rows.min() - 1 : rows.max() + 2, cols.min() - 1 : cols.max() + 2]
        corner = np.array([rows.min() - 2, cols.min() - 2])
        lines = _rings(lakes[box] == number + 1, ground[box], level)
        rings = [((line + corner) * spacing)[:, ::-1] for line in lines]
        polygons.append(sorted(rings, key=_area, reverse=True))
    return polygons


def _area(ring: Array) -> float:
    """Twice the signed area, positive for counterclockwise lines."""
    x = ring[:, 0] - ring[0, 0]
    y = ring[:, 1] - ring[0, 1]
    return float((x[:-1] * y[1:] - x[1:] * y[:-1]).sum())


def _rings(wet: Array, ground: Array, level: float) -> list[Array]:
    """Closed lines (points, 2), rows and columns, around the wet cells of a box with a dry
    border.
    """
    corners = wet[:-1, :-1] + 2 * wet[:-1, 1:] + 4 * wet[1:, 1:] + 8 * wet[1:, :-1].astype(int)
    onward = {}
    for row, col in zip(*np.nonzero((corners > 0) & (corners < 15)), strict=True):
        for start, end in _WAYS[int(corners[row, col])]:
            onward[_side(row, col, start)] = _side(row, col, end)
    rings = []
    while onward:
        first, at = next(iter(onward.items()))
        line = [first, at]
        del onward[first]
        while at != first:
            at = onward.pop(at)
            line.append(at)
        rings.append(np.array([_shore(side, wet, ground, level) for side in line]))
    return rings


_Side = tuple[int, int, int, int]


def _side(row: int, col: int, number: int) -> _Side:
    """Key of a face's side: its two corners, the lower one first, equal for both adjacent faces."""
    first_row, first_col, second_row, second_col = _SIDES[number]
    start = (int(row) + first_row, int(col) + first_col)
    end = (int(row) + second_row, int(col) + second_col)
    return (*min(start, end), *max(start, end))


def _shore(side: _Side, wet: Array, ground: Array, level: float) -> tuple[float, float]:
    """Point where the ground crosses the level between a wet and a dry cell; the midpoint at the
    terrain's edge.
    """
    row, col = side[:2]
    other_row, other_col = side[2:]
    if not wet[row, col]:
        row, col, other_row, other_col = other_row, other_col, row, col
    rise = ground[other_row, other_col] - ground[row, col]
    share = min(max((level - ground[row, col]) / rise, 0.0), 1.0) if rise > 0 else 0.5
    return row + share * (other_row - row), col + share * (other_col - col)
