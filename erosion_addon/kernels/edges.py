# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges for moving particles: open, closed or wrapped."""

from .jit import allocation_free

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
    return place - count if place >= count else (place + count if place < 0.0 else place)
