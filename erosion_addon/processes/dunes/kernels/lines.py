# SPDX-License-Identifier: GPL-3.0-or-later
"""Wind lines: digital lines that cover the terrain, each cell once.

A line follows the axis closer to the wind cell by cell, and steps aside where the wind has deviated by a cell. Sideways
positions are periodic.
"""

import math
from typing import NamedTuple

import numpy as np

from ....kernels.jit import allocation_free


class Rays(NamedTuple):
    """Geometry of wind lines, see `make_rays`."""

    along_row: bool
    """Whether a step leads to the next column and not to the next row."""
    forward: bool
    """Whether steps lead to higher columns or rows."""
    aside: float
    """Sideways deviation per step in cells."""
    phase: float
    """Offset of the positions where lines step aside, 0-1."""


def make_rays(row: float, col: float, phase: float) -> Rays:
    """Lines along a direction. row, col: its components in cells."""
    along_row = abs(col) >= abs(row)
    main, side = (col, row) if along_row else (row, col)
    return Rays(along_row, main > 0, side / abs(main), phase)


@allocation_free
def extent(rays, shape):
    """Length of a line, and number of lines."""
    return (shape[1], shape[0]) if rays.along_row else (shape[0], shape[1])


@allocation_free
def aside(rays, step):
    """Accumulated sideways deviation in cells."""
    return np.int64(math.floor(rays.aside * step + rays.phase))


@allocation_free
def cell_of(rays, shape, number, step):
    """Row and column of a step of a line, and the number of times it has wrapped by then."""
    length, count = extent(rays, shape)
    turns, side = divmod(number + aside(rays, step), count)
    main = step if rays.forward else length - 1 - step
    row, col = (side, main) if rays.along_row else (main, side)
    return row, col, turns


@allocation_free
def following(number, rays, shape):
    """Line that continues a line beyond a wrapped edge."""
    length, count = extent(rays, shape)
    return (number + aside(rays, length)) % count
