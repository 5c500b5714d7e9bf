# SPDX-License-Identifier: GPL-3.0-or-later
"""Drops that enter a window from the land around."""

import numpy as np

from ....base.kernels import rng
from ....base.kernels.ghost_cells import wrapped
from ....base.kernels.jit import allocation_free, inlined
from .particle_queues import COL, ROW, enter


@allocation_free
def start_cell(chance, sources, cells):
    """Index of a cell drawn with a random number in [0, 1).

    sources: None for equal chances, else cumulated weights (cells,) up to 1; the last cell if all
    are 0.
    """
    if sources is None:
        return min(int(chance * cells), cells - 1)
    return min(np.searchsorted(sources, chance, side="right"), cells - 1)


@inlined
def place_around(row, col, row_chance, col_chance, tiles):
    """Position (row, col) within half a cell of another, drawn with two random numbers in [0, 1).

    Before row or column 0 lies the last one where the edges wrap; elsewhere such positions move to
    the edge.
    """
    z = _along(row + row_chance - 0.5, tiles.last_row, tiles.row_of.size)
    return z, _along(col + col_chance - 0.5, tiles.last_col, tiles.col_of.size)


@inlined
def _along(place, last, count):
    """Position on the terrain along one axis. last: its last position, `count` where the edges
    wrap.
    """
    return wrapped(place, count) if last == count else min(max(place, 0.0), last)


@allocation_free
def enter_drops(pool, tiles, key, first, last, chances, drops, load):
    """Put the drops first … last - 1 on the tiles where they enter; returns the sum of their loads.

    chances: cumulated weights (cells,) up to 1 of the cells where they do. drops: (cells, n)
    float64, values of the drops of each, whose positions are moved by up to half a cell. load:
    column of the load.
    """
    brought = 0.0
    for number in range(first, last):
        start = rng.stream(key, number)
        cell = start_cell(rng.uniform(start, 0), chances, chances.size)
        z, x = place_around(
            drops[cell, ROW], drops[cell, COL], rng.uniform(start, 1), rng.uniform(start, 2), tiles
        )
        slot = enter(pool, tiles, start, z, x)
        for column in range(COL + 1, drops.shape[1]):
            pool.numbers[slot, column] = drops[cell, column]
        brought += drops[cell, load]
    return brought
