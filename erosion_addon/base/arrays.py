# SPDX-License-Identifier: GPL-3.0-or-later
"""Array types, kinds of edges, and layer thickness."""

import math
from typing import Any

import numpy as np

from .kernels.elementary import power

Array = np.ndarray[Any, Any]

EDGES = ("open", "closed", "wrap")
"""Kinds of edges. open: water and its load leave; closed: a wall; wrap: periodic."""

LOOSE = ("sediment", "soil")
"""Loose layers."""


def ordered_sum(values: Array) -> float:
    """Sum of an array with at least one axis, in the order of its values within each row.

    The order of `numpy.sum` depends on the version of numpy, which differs between releases of
    Blender.
    """
    return math.fsum(
        np.add.accumulate(row, dtype=np.float64)[-1] for row in values.reshape(-1, values.shape[-1])
    )


def loose_of(layers: dict[str, Array]) -> Array:
    """Total thickness of the loose layers, in meters, float64."""
    loose = np.asarray(layers["sediment"], dtype=np.float64)
    return loose + layers["soil"] if "soil" in layers else loose


def longer_side(shape: tuple[int, ...], spacing: tuple[float, float]) -> float:
    """Longer side in meters of (rows, cols) cells with (row, column) spacing."""
    return max(cells * side for cells, side in zip(shape[:2], spacing, strict=True))


def cell_diagonal(spacing: tuple[float, float]) -> float:
    """Diagonal of a cell in meters."""
    row_spacing, col_spacing = spacing
    return math.sqrt(row_spacing * row_spacing + col_spacing * col_spacing)


def mean_cell_size(spacing: tuple[float, float]) -> float:
    """Mean side of a cell in meters: the square root of its area."""
    row_spacing, col_spacing = spacing
    return row_spacing if row_spacing == col_spacing else math.sqrt(row_spacing * col_spacing)


def linear(encoded: Array) -> Array:
    """Linear values from sRGB (IEC 61966-2-1) of the same type; values below 0 count as 0."""
    values = np.maximum(encoded, 0.0)
    return np.where(values <= 0.04045, values / 12.92, power((values + 0.055) / 1.055, 2.4)).astype(
        values.dtype
    )
