# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines of the wind: digital lines that cover the terrain, each cell once.

A line crosses the terrain cell by cell along the axis that the wind follows more closely, and moves aside where the
wind has done so by a cell. Sides are counted around the edge.
"""

import math
from typing import NamedTuple

import numpy as np

from ....kernels.compile import lean


class Rays(NamedTuple):
    """Lines of the wind, see `make_rays`."""

    along_row: bool
    """A step leads to the next column, not to the next row."""
    forward: bool
    """Steps go to higher numbers of columns or rows."""
    aside: float
    """Cells that the wind moves aside on a step."""
    phase: float
    """Moves the places where lines step aside, 0-1."""


def make_rays(row: float, col: float, phase: float) -> Rays:
    """Lines along a direction. row, col: its components, in cells."""
    along_row = abs(col) >= abs(row)
    main, side = (col, row) if along_row else (row, col)
    return Rays(along_row, main > 0, side / abs(main), phase)


@lean
def extent(rays, shape):
    """Length of a line, and number of lines."""
    return (shape[1], shape[0]) if rays.along_row else (shape[0], shape[1])


@lean
def aside(rays, step):
    """Cells by which a line has moved aside."""
    return np.int64(math.floor(rays.aside * step + rays.phase))


@lean
def cell_of(rays, shape, number, step):
    """Row and column of a step of a line, and how often the line has gone around the edge by then."""
    length, count = extent(rays, shape)
    turns, side = divmod(number + aside(rays, step), count)
    main = step if rays.forward else length - 1 - step
    row, col = (side, main) if rays.along_row else (main, side)
    return row, col, turns


@lean
def following(number, rays, shape):
    """The line that goes on behind the end of one, where edges wrap."""
    length, count = extent(rays, shape)
    return (number + aside(rays, length)) % count
