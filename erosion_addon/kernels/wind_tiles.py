# SPDX-License-Identifier: GPL-3.0-or-later
"""Where particles of wind enter the terrain, and where they leave a tile of it."""

import math
from typing import NamedTuple

import numpy as np

from . import random
from .compile import inlined, lean
from .edges import WRAP

REACH = 16
"""Cells beyond its tile on which a particle may still lay something down: far more than it goes in a step of any
ordinary wind. With the heap around the last one it is `REACH + 1` cells that what is on a tile may touch."""


class Bounds(NamedTuple):
    """The places on one tile; endless where the ground is not cut."""

    first_row: float
    end_row: float
    first_col: float
    end_col: float


@lean
def bounds_of(tiles, tile):
    """Where a tile ends: nowhere along an axis that it has for itself."""
    down, across = tiles.row_edges.size - 1, tiles.col_edges.size - 1
    row, col = tile // across, tile % across
    first_row, end_row, first_col, end_col = -math.inf, math.inf, -math.inf, math.inf
    if down > 1:
        first_row, end_row = float(tiles.row_edges[row]), float(tiles.row_edges[row + 1])
    if across > 1:
        first_col, end_col = float(tiles.col_edges[col]), float(tiles.col_edges[col + 1])
    return Bounds(first_row, end_row, first_col, end_col)


@inlined
def near_tile(z, x, bounds):
    """Whether a place is within `REACH` of a tile."""
    near_row = bounds.first_row - REACH <= z < bounds.end_row + REACH
    return near_row and bounds.first_col - REACH <= x < bounds.end_col + REACH


@lean
def start_place(start, sources, shape, wind_row, wind_col, constants):
    """Place (z, x) where a particle enters: by cumulated weights of cells, anywhere, or on a windward edge."""
    rows, cols = shape[0], shape[1]
    chance, along = random.uniform(start, 0), random.uniform(start, 1)
    if sources is not None:
        cell = np.searchsorted(sources, chance, side="right")
        return cell // cols + 0.5, cell % cols + 0.5
    if constants.edges == WRAP:
        return chance * rows, along * cols
    across = abs(wind_col) * constants.col_step * rows  # the edge's length across the wind, in cells
    if chance * (across + abs(wind_row) * constants.row_step * cols) < across:
        return along * rows, 0.5 if wind_col > 0.0 else cols - 0.5
    return 0.5 if wind_row > 0.0 else rows - 0.5, along * cols
