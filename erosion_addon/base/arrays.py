# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays of a terrain: their type and what lies beyond their edges."""

import math
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

EDGES = ("open", "closed", "wrap")
"""Kinds of edges. open: water leaves with its load; closed: a wall; wrap: the opposite edge follows."""


def loose_of(layers: dict[str, Array]) -> Array:
    """Thickness of everything loose in a set of layers, in meters, float64."""
    loose = np.asarray(layers["sediment"], dtype=np.float64)
    return loose + layers["soil"] if "soil" in layers else loose


def mean_cell_size(spacing: tuple[float, float]) -> float:
    """Side of a cell in meters; of cells that are not square, the side of a square of the same area."""
    row_spacing, col_spacing = spacing
    return row_spacing if row_spacing == col_spacing else math.sqrt(row_spacing * col_spacing)
