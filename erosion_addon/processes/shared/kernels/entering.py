# SPDX-License-Identifier: GPL-3.0-or-later
"""Drops that enter a window from the land around."""

from ....kernels import rng
from ....kernels.jit import allocation_free
from .particle_queues import COL, ROW, enter
from .start_places import place_around, start_cell


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
