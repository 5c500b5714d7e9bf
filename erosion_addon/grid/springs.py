# SPDX-License-Identifier: GPL-3.0-or-later
"""Cells of springs."""

from collections.abc import Iterable


def spring_cells(shape: tuple[int, ...], springs: Iterable[tuple[float, ...]]) -> list[int]:
    """Flat index of each spring's cell on a grid of `shape`. springs: rows of x, y (0-1 from the left and bottom edge),
    rate.
    """
    rows, cols = shape
    return [round(y * (rows - 1)) * cols + round(x * (cols - 1)) for x, y, _ in springs]
