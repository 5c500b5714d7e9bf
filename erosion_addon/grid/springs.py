# SPDX-License-Identifier: GPL-3.0-or-later
"""Springs: checks of their places, and their cells."""

from collections.abc import Iterable

from ..base.errors import InputError


def require_on_terrain(springs: Iterable[tuple[float, ...]]) -> None:
    """Raise InputError for a spring beside the terrain.

    springs: rows of x, y (0-1 from the left and bottom edge), rate.
    """
    for x, y, _ in springs:
        if x > 1 or y > 1:
            raise InputError(
                f"springs: one lies at ({x:g}, {y:g}), outside the terrain; x and y go from 0 to 1."
            )


def spring_cells(shape: tuple[int, ...], springs: Iterable[tuple[float, ...]]) -> list[int]:
    """Flat index of each spring's cell on a grid of `shape`. springs: as for
    `require_on_terrain`.
    """
    rows, cols = shape
    return [round(y * (rows - 1)) * cols + round(x * (cols - 1)) for x, y, _ in springs]
