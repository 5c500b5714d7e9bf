# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges of a run: the user's choice, or the recipe's where the land allows them."""

from itertools import pairwise

import numpy as np

from ..base.arrays import Array
from ..base.errors import Sentence
from .recipe import EDGE_CHOICE, Recipe

TEAR = 2.0
"""Step between opposite edges above which land does not tile, relative to its steepest row or
column.

Land made to tile stays below 1.1 on 64² cells and more, and below 1.8 on 16²; land cut from larger
land has about 6.
"""

ROWS = 256
"""Rows compared at a time, so that memory does not grow with the land."""


def edges_of_run(
    recipe: Recipe, elevation: Array, choice: str | None
) -> tuple[str, list[Sentence]]:
    """Edges, and notes on them. elevation: (rows, cols) m. choice: the user's, which always
    applies, or None.
    """
    edges = recipe.edges if choice is None else EDGE_CHOICE.checked(choice)
    if edges != "wrap" or is_seamless(elevation):
        return edges, []
    if choice is None:
        return "open", [
            Sentence(
                "{name} wraps at the edges, but opposite edges of this land do not meet, so it ran "
                "with open edges."
            ).format(name=recipe.name)
        ]
    return edges, [
        Sentence(
            "Opposite edges of this land do not meet, so wrapping tears it along them; open edges "
            "do not."
        )
    ]


def is_seamless(elevation: Array) -> bool:
    """Whether opposite edges of (rows, cols) heights differ no more than rows and columns side by
    side do.
    """
    return all(_meets(heights) for heights in (elevation, elevation.T))


def _meets(heights: Array) -> bool:
    """Whether the last row continues in the first."""
    starts = [*range(0, len(heights) - 1, ROWS), len(heights) - 1]
    steepest = max(
        float(_steps(heights[first : last + 1]).max()) for first, last in pairwise(starts)
    )
    return float(_steps(heights[[-1, 0]])[0]) <= TEAR * steepest


def _steps(heights: Array) -> Array:
    """Mean height between each row and the next, (rows - 1,)."""
    steps: Array = np.abs(np.diff(heights, axis=0)).mean(axis=1)
    return steps
