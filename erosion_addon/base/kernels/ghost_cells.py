# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges for moving particles: open, closed or wrapped."""

from .jit import allocation_free, inlined, kernel

OPEN, CLOSED, WRAP = 0, 1, 2
"""Codes in the order of `base.arrays.EDGES`."""


@allocation_free
def between(place, last, count):
    """Indices of the two cells around a position along one axis, and the fraction from the first to
    the second.
    """
    # Wrapping, the neighbor of a negative zero rounds to `count` itself: hence the bound there too.
    first = min(int(place), last - 1)
    return first, first + 1 if first + 1 < count else 0, place - first


@allocation_free
def along_wall(place, direction, last):
    """Direction along one axis, 0 if it runs into a wall."""
    return (
        0.0
        if (place <= 0.0 and direction < 0.0) or (place >= last and direction > 0.0)
        else direction
    )


@allocation_free
def wrapped(place, count):
    """Wrapped position, for positions up to one cell beyond an edge."""
    if place >= count:
        return place - count
    return place + count if place < 0.0 else place


@inlined
def neighbor(index, count, wrap):
    """Index of a cell up to two cells beyond an edge, wrapped or clamped."""
    if not wrap:
        return min(max(index, 0), count - 1)
    if index < 0:
        return index + count
    return index - count if index >= count else index


@kernel
def fill_border(rock, loose, masks, edges):
    """Fill the ghost cells of rock and loose material, both (rows + 2, cols + 2) in meters.

    OPEN: bare rock that extrapolates the surface by the smaller of its last two gradients; it takes
    sliding material and gives none back. With the last gradient alone, an edge cell below bare rock
    would lose more the deeper it lies. Where a mask reduces the loss of a cell, the extrapolation
    is flatter by the same factor. CLOSED: as high as the edge, so nothing slides there. WRAP: the
    opposite edge. masks: (rows + 2, cols + 2, 3), see `halo.share_masks`, or None.
    """
    rows = rock.shape[0] - 2
    cols = rock.shape[1] - 2
    for row in range(rows + 2):
        inner_row = min(max(row, 1), rows)
        step = 1 if row == 0 or row == rows + 1 else cols + 1
        for col in range(0, cols + 2, step):
            if edges == WRAP:
                across_row = (row - 1) % rows + 1
                across_col = (col - 1) % cols + 1
                rock[row, col] = rock[across_row, across_col]
                loose[row, col] = loose[across_row, across_col]
                continue
            loose[row, col] = 0.0
            inner_col = min(max(col, 1), cols)
            if edges == CLOSED:
                rock[row, col] = rock[inner_row, inner_col] + loose[inner_row, inner_col]
            else:
                beyond_row = 2 * inner_row - row
                beyond_col = 2 * inner_col - col
                edge = rock[inner_row, inner_col] + loose[inner_row, inner_col]
                inside = rock[beyond_row, beyond_col] + loose[beyond_row, beyond_col]
                far_row = min(max(2 * beyond_row - inner_row, 1), rows)
                far_col = min(max(2 * beyond_col - inner_col, 1), cols)
                before = inside - (rock[far_row, far_col] + loose[far_row, far_col])
                rise = edge - inside
                if rise * before <= 0.0:
                    rise = 0.0
                elif abs(before) < abs(rise):
                    rise = before
                if masks is not None:
                    rise *= masks[beyond_row, beyond_col, 0] * masks[beyond_row, beyond_col, 2]
                rock[row, col] = edge + rise
