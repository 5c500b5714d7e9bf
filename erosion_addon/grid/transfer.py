# SPDX-License-Identifier: GPL-3.0-or-later
"""Conservative transfer of fields between a grid and a coarser one over the same ground.

Cells are areas here: n cells of length l cover n · l, and both grids cover the same area. One
matrix P per axis holds the part of each coarse basis function on each fine cell. The basis
functions sum to 1, so constants are preserved, and each has the area of its cell. So P prolongs,
its transpose restricts, and both conserve sums: Σ f · (P c) · fine area = Σ (Pᵀ f) · c · coarse
area. Basis functions are blocks, or quadratic B-splines over three cells (Schoenberg 1946), which
have no kink, so no grid shows in the light.
"""

import math
from typing import Any

import numpy as np

from ..base.arrays import Array


class GridTransfer:
    """Transfer between a grid and a coarser one, both (rows, cols), over the same ground."""

    def __init__(self, fine: tuple[int, int], coarse: tuple[int, int], wrap: bool) -> None:
        self.fine = fine
        self.coarse = coarse
        sides = list(zip(fine, coarse, strict=True))
        self._bells, self._blocks = (
            [matrix for count, coarser in sides for matrix in shape(count, coarser, wrap)]
            for shape in (bells, blocks)
        )

    def average(self, fine: Array) -> Array:
        """Mean over each coarse cell."""
        return self._gather(self._blocks, fine)

    def gather(self, fine: Array) -> Array:
        """Mean weighted with the B-spline of each coarse cell: the transpose of `spread`."""
        return self._gather(self._bells, fine)

    def blocks(self, coarse: Array) -> Array:
        """Piecewise constant values of the coarse cells: the transpose of `average`."""
        return self._spread(self._blocks, coarse)

    def spread(self, coarse: Array) -> Array:
        """B-spline interpolation of the coarse cells: smooth, within their range."""
        return self._spread(self._bells, coarse)

    def _gather(self, matrices: list[Array], fine: Array) -> Array:
        from .kernels import bspline

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
    """B-spline matrix of one axis, from `coarse` to `fine` cells: index and weight (fine, taps)."""
    length = coarse / fine  # of a fine cell, in coarse ones
    start = (np.arange(fine) * length)[:, None]
    cell = np.floor(start - 1.0) + np.arange(math.ceil(length) + 4)
    weight = (_area(start + length - (cell + 0.5), 2) - _area(start - (cell + 0.5), 2)) / length
    return _folded(cell, coarse, wrap), np.maximum(weight, 0.0)


def blocks(fine: int, coarse: int, wrap: bool) -> tuple[Array, Array]:
    """Block matrix of one axis.

    Fine cells are hats that reach to the next centers, so averages of a slope stay even where the
    two grids are not aligned.
    """
    length = coarse / fine
    middle = ((np.arange(fine) + 0.5) * length)[:, None]
    cell = np.floor(middle - length) + np.arange(math.ceil(2 * length) + 1)
    weight = _area((cell + 1 - middle) / length, 1) - _area((cell - middle) / length, 1)
    return _folded(cell, coarse, wrap), np.maximum(weight, 0.0)


def _folded(cell: Array, coarse: int, wrap: bool) -> Array:
    """Cell indices beyond the ends, wrapped or reflected."""
    index = cell.astype(np.intp) % (coarse if wrap else 2 * coarse)
    folded: Array = np.minimum(index, 2 * coarse - 1 - index)
    return folded


def _area(end: Array, degree: int) -> Array:
    """Integral of the B-spline of this degree on cells of length 1 around 0, from its left end to
    `end`.
    """
    order = degree + 1
    area = np.zeros_like(end)
    for knot in range(order + 1):
        part = np.maximum(np.minimum(end, order / 2) + order / 2 - knot, 0.0)
        share = math.comb(order, knot) / math.factorial(order) * np.prod([part] * order, axis=0)
        area += -share if knot % 2 else share
    return area
