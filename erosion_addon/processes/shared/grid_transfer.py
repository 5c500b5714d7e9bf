# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields carried between a grid of cells and a coarser one over the same ground, with sums kept to rounding.

Cells are areas here, not points: n cells of length l cover n · l, and both grids cover the same. Between the grids
stands one matrix P an axis: how much of each coarse cell's shape lies on a fine cell. All shapes together are 1
everywhere, so that what is even stays even, and each has the area of its cell. So P spreads, its transpose averages,
and both keep sums: Σ f · (P c) · fine area = Σ (Pᵀ f) · c · coarse area. Shapes are blocks, or bells over three cells:
the quadratic B-splines (Schoenberg 1946), without a kink, so that no grid shows in the light.
"""

import math
from typing import Any

import numpy as np

from ...base.arrays import Array


class Grids:
    """A grid of cells and a coarser one, both (rows, cols), over the same ground."""

    def __init__(self, fine: tuple[int, int], coarse: tuple[int, int], wrap: bool) -> None:
        self.fine, self.coarse = fine, coarse
        sides = list(zip(fine, coarse, strict=True))
        self._bells, self._blocks = (
            [matrix for side in sides for matrix in shape(*side, wrap)] for shape in (bells, blocks)
        )

    def average(self, fine: Array) -> Array:
        """Mean of what lies on each coarse cell."""
        return self._gather(self._blocks, fine)

    def gather(self, fine: Array) -> Array:
        """Mean below the bell of each coarse cell: the transpose of `spread`."""
        return self._gather(self._bells, fine)

    def blocks(self, coarse: Array) -> Array:
        """What each coarse cell says, on all of it: the transpose of `average`."""
        return self._spread(self._blocks, coarse)

    def spread(self, coarse: Array) -> Array:
        """The sum of all bells, as high as the coarse cells say: smooth, and nowhere beyond them."""
        return self._spread(self._bells, coarse)

    def _gather(self, matrices: list[Array], fine: Array) -> Array:
        from .kernels import bspline  # numba takes a second to import, so only where it runs

        coarse = np.zeros((*self.coarse, *fine.shape[2:]))
        for part in np.ndindex(fine.shape[2:]):
            at: Any = (..., *part)
            # All in one type, as each one more has to be compiled.
            bspline.gather(*matrices, np.ascontiguousarray(fine[at], dtype=np.float64), coarse[at])
        coarse *= self.coarse[0] * self.coarse[1] / (self.fine[0] * self.fine[1])
        return coarse

    def _spread(self, matrices: list[Array], coarse: Array) -> Array:
        from .kernels import bspline

        fine = np.empty((*self.fine, *coarse.shape[2:]))
        for part in np.ndindex(coarse.shape[2:]):
            at: Any = (..., *part)
            bspline.spread(*matrices, coarse[at].astype(np.float64), fine[at])
        return fine


def bells(fine: int, coarse: int, wrap: bool) -> tuple[Array, Array]:
    """P of one axis for bells, from `coarse` cells to `fine` ones: index and weight (fine, taps) of where each takes
    how much."""
    length = coarse / fine  # of a fine cell, in coarse ones
    start = (np.arange(fine) * length)[:, None]
    cell = np.floor(start - 1.0) + np.arange(math.ceil(length) + 4)
    weight = (_area(start + length - (cell + 0.5), 2) - _area(start - (cell + 0.5), 2)) / length
    return _folded(cell, coarse, wrap), np.maximum(weight, 0.0)


def blocks(fine: int, coarse: int, wrap: bool) -> tuple[Array, Array]:
    """The same for blocks. Fine cells reach as a hat to the next ones' middles, so that averages of a slope are even
    where the cells of one grid lie askew to the other's."""
    length = coarse / fine
    middle = ((np.arange(fine) + 0.5) * length)[:, None]
    cell = np.floor(middle - length) + np.arange(math.ceil(2 * length) + 1)
    weight = _area((cell + 1 - middle) / length, 1) - _area((cell - middle) / length, 1)
    return _folded(cell, coarse, wrap), np.maximum(weight, 0.0)


def _folded(cell: Array, coarse: int, wrap: bool) -> Array:
    """Indices of cells of which some lie beyond the ends: at the other one, or folded back."""
    index = cell.astype(np.intp) % (coarse if wrap else 2 * coarse)
    folded: Array = np.minimum(index, 2 * coarse - 1 - index)
    return folded


def _area(end: Array, degree: int) -> Array:
    """Area of the B-spline of this degree and cells of length 1 around 0, from its left end to `end`."""
    order = degree + 1
    area = np.zeros_like(end)
    for knot in range(order + 1):
        part = np.maximum(np.minimum(end, order / 2) + order / 2 - knot, 0.0)
        share = math.comb(order, knot) / math.factorial(order) * np.prod([part] * order, axis=0)
        area += -share if knot % 2 else share
    return area
