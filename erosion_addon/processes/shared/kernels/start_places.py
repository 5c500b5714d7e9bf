# SPDX-License-Identifier: GPL-3.0-or-later
"""Places where particles start."""

import numpy as np

from ....kernels.edges import wrapped
from ....kernels.jit import allocation_free, inlined


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
