# SPDX-License-Identifier: GPL-3.0-or-later
"""Wind shadow of heights, in which sand is not lifted and settles.

Shadows fall at a constant angle, as in Werner, "Eolian dunes" (1995).
"""

import math
from typing import NamedTuple

import numpy as np

from ....base.kernels.jit import kernel

STRIP = 8
"""Cells of a column that are processed together: cells of a large map, at distances of a power of
two, hardly fit into the cache at once.
"""


class Rays(NamedTuple):
    """Geometry of shadows from each line of cells to the next; see `make_rays`."""

    along_row: bool
    """Lines are columns, not rows."""
    forward: bool
    """The wind goes to higher numbers of columns or rows."""
    cells: int
    """The shadow on a cell comes from between two cells of the line before: offset of the first of
    them.
    """
    reach: int
    """The farther one of the two: -1, 1 or 2."""
    part: float
    """Weight of the second."""
    drop: float
    wrap: bool


def make_rays(wind_row: float, wind_col: float, drop: float, wrap: bool) -> Rays:
    """Rays of a wind of this direction in cells, which sink by `drop` on the way to the next row or
    column, whichever it crosses faster.
    """
    along_row = abs(wind_col) >= abs(wind_row)
    main, side = (wind_col, wind_row) if along_row else (wind_row, wind_col)
    shift = -side / abs(main)
    cells = math.floor(shift)
    return Rays(
        along_row, main > 0, cells, cells if cells < 0 else cells + 1, shift - cells, drop, wrap
    )


@kernel
def _inside(at, count, wrap):
    """The cell of a line that counts for one beyond its ends."""
    return at % count if wrap else min(max(at, 0), count - 1)


@kernel
def cast(ground, shade, rays, begin, end, first, last, alone):
    """Let shadows fall on the cells first … last - 1 of the lines begin … end - 1.

    Lines are numbered as the wind meets them, and on from `lines` around a second time. The shadow
    at a cell is the higher of ground and shadow, interpolated between two cells of the line before,
    less `drop`.

    The cells beside these may be another thread's: so first, with alone=True, go only those that
    nothing reaches from there since the line before `begin`; when all threads are done with that,
    with alone=False, the others. For that there must be fewer lines than in all, and at most (last
    - first) / |reach|.

    ground: (rows, cols, 2) float64, its surface first; shade: (rows, cols) float64, changed in
    place.
    """
    way = 1 if rays.forward else -1
    if rays.along_row:
        tops = ground[::1, ::way, 0].T
        shades = shade[::1, ::way].T
    else:
        tops = ground[::way, ::1, 0]
        shades = shade[::way, ::1]
    lines, count = shades.shape
    cells = rays.cells
    reach = rays.reach
    part = rays.part
    drop = rays.drop
    wrap = rays.wrap
    width = STRIP if rays.along_row else last - first
    strips = -(-(last - first) // width)
    for place in range(strips):
        strip = first + width * (place if reach < 0 else strips - 1 - place)
        for number in range(begin, end):
            split = (first if reach < 0 else last) - reach * (number - begin)
            start, stop = (split, last) if alone == (reach < 0) else (first, split)
            line = np.uintp(number % lines)
            before = np.uintp((number - 1) % lines)
            for at in range(max(strip, start), min(strip + width, stop)):
                near = at + cells
                far = at + cells + 1
                if near < 0 or far >= count:
                    near = _inside(near, count, wrap)
                    far = _inside(far, count, wrap)
                near = np.uintp(near)
                far = np.uintp(far)
                top = max(tops[before, near], shades[before, near])
                other_top = max(tops[before, far], shades[before, far])
                shades[line, np.uintp(at)] = top + part * (other_top - top) - drop
