# SPDX-License-Identifier: GPL-3.0-or-later
"""What lies around the terrain, for things that move over it: they leave, meet a wall, or come in on the other side."""

from .compile import lean

OPEN, CLOSED, WRAP = 0, 1, 2
"""In the order of `model.state.EDGES`."""


@lean
def between(place, last, count):
    """The two cells of one axis that a place lies between, and how far it is from the first to the second."""
    # Wrapping, the neighbor of a negative zero rounds to `count` itself: hence the bound there too.
    first = min(int(place), last - 1)
    return first, first + 1 if first + 1 < count else 0, place - first


@lean
def along_wall(place, direction, last):
    """A direction along one axis, or none where it runs into a wall."""
    return 0.0 if (place <= 0.0 and direction < 0.0) or (place >= last and direction > 0.0) else direction


@lean
def wrapped(place, count):
    """A place up to one cell beyond an edge, on the opposite side."""
    return place - count if place >= count else (place + count if place < 0.0 else place)
