# SPDX-License-Identifier: GPL-3.0-or-later
"""Wind lines: digital lines that cover the terrain, each cell once.

A line follows the axis closer to the wind cell by cell, and steps aside where the wind has deviated
by a cell. Sideways positions are periodic.
"""

import math
from typing import NamedTuple

import numpy as np

from ....base.kernels.jit import allocation_free, kernel


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


class Path(NamedTuple):
    """Where the cells of a line lie, in downwind order."""

    cell: np.ndarray
    """Index of the cell in an unpadded array."""
    ringed: np.ndarray
    """Index of the cell in a padded array."""
    start: np.ndarray
    """Whether the line enters the terrain here."""


@kernel
def make_path(length):
    """Path to be filled by `trace`."""
    return Path(np.empty(length, np.uintp), np.empty(length, np.uintp), np.empty(length, np.bool_))


@allocation_free
def trace(rays, shape, number, path):
    """Fill a path with the cells of a line."""
    length, count = extent(rays, shape)
    cols = shape[1]
    before = np.int64(0)
    side = np.int64(number)
    for step in range(length):
        shift = aside(rays, step)
        side += shift - before
        before = shift
        inside = 0 <= side < count
        if not inside:
            side += count if side < 0 else -count
        path.start[step] = step == 0 or not inside
        main = step if rays.forward else length - 1 - step
        row, col = (side, main) if rays.along_row else (main, side)
        path.cell[step] = row * cols + col
        path.ringed[step] = (row + 1) * (cols + 2) + col + 1


@allocation_free
def cell_of(rays, shape, number, step):
    """Index of the cell at a step of a line; of lines that wrap, at a step beyond the end too."""
    length, count = extent(rays, shape)
    turns, step = divmod(step, length)
    side = (number + turns * aside(rays, length) + aside(rays, step)) % count
    main = step if rays.forward else length - 1 - step
    return np.uintp(side * shape[1] + main if rays.along_row else main * shape[1] + side)


@allocation_free
def following(number, rays, shape):
    """Line that continues a line beyond a wrapped edge."""
    length, count = extent(rays, shape)
    return (number + aside(rays, length)) % count
