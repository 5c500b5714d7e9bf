# SPDX-License-Identifier: GPL-3.0-or-later
"""Land: a terrain with its flow graph, and quantities derived from both."""

from functools import cached_property

import numpy as np

from ..base.arrays import Array
from ..base.threads import in_bands
from ..grid.stencils import continued
from .flow_graph import FlowGraph
from .sea import river_ends, sunk

FINEST = 30.0
"""Smallest cell in meters for measurements of rivers and slopes, as in elevation models."""


class Land:
    """Terrain with its flow graph. Derived quantities are computed on first use.

    elevation: (rows, cols) m. spacing: (row, col) m. edges: see `FlowGraph`. sea_level: m, where
    rivers end, or None. threads: see `FlowGraph`. outlets: mask of outlets, (rows, cols), or None.
    """

    def __init__(
        self,
        elevation: Array,
        spacing: tuple[float, float],
        edges: str = "open",
        sea_level: float | None = None,
        threads: int = 1,
        outlets: Array | None = None,
    ) -> None:
        self.elevation = np.ascontiguousarray(elevation, np.float64)
        self.spacing = spacing
        self.edges = edges
        self.sea_level = sea_level
        self.threads = threads
        self._outlets = outlets
        self.sea = None if sea_level is None else sunk(elevation, sea_level)
        rows, cols = elevation.shape
        self.graph = FlowGraph((rows, cols), spacing, edges, river_ends(self.sea, outlets), threads)
        self.heights = self.graph.padded(elevation)
        """Flat and padded, in the layout of the graph."""
        self.graph.route(self.heights)

    def above_sea(self, values: Array) -> Array:
        """Values (any,) above the sea, out of (rows, cols); all values without a sea."""
        return values.reshape(-1) if self.sea is None else values[~self.sea]

    @cached_property
    def areas(self) -> Array:
        """Drainage area of each cell, flat, m²."""
        return self.graph.drainage_area()

    @cached_property
    def levels(self) -> Array:
        """Heights with all pits filled, flat, m."""
        return self.graph.filled(self.heights)

    @cached_property
    def surface(self) -> tuple[Array, Array, Array]:
        """Slope (m/m) and curvature (1/m), (rows, cols) float32, and numbers of cells (4,) by
        sector of their aspect.

        See `kernels.surface`. Edges that do not wrap are extrapolated linearly.
        """
        from .kernels import surface

        rows, cols = self.elevation.shape
        ringed = continued(self.elevation, 1, self.edges == "wrap")
        slopes = np.empty((rows, cols), np.float32)
        curvatures = np.empty((rows, cols), np.float32)
        aspects = np.empty((rows, 4), np.int64)
        in_bands(
            lambda first, last: surface.measure(
                ringed, *self.spacing, first, last, slopes, curvatures, aspects
            ),
            rows,
            self.threads,
        )
        return slopes, curvatures, aspects.sum(axis=0)

    @cached_property
    def averaged(self) -> "Land":
        """Block means with cells no smaller than the finest to be measured.

        Returns the land itself if its cells are large enough already, or if it is too small for
        such blocks.
        """
        along, across = (max(1, round(FINEST / side)) for side in self.spacing)
        rows = self.elevation.shape[0] // along
        cols = self.elevation.shape[1] // across
        if along == across == 1 or min(rows, cols) < 32:
            return self

        def blocks(values: Array) -> Array:
            return values[: rows * along, : cols * across].reshape(rows, along, cols, across)

        spacing = self.spacing[0] * along, self.spacing[1] * across
        outlets = None if self._outlets is None else blocks(self._outlets).max(axis=(1, 3))
        means = blocks(self.elevation).mean(axis=(1, 3))
        return Land(means, spacing, self.edges, self.sea_level, self.threads, outlets)

    def directions(self, steps: int) -> Array:
        """(rows, cols, 2) float32: unit vectors of the flow along columns and rows, averaged over
        `steps` cells downstream; 0 at outlets.
        """
        from .kernels import streams

        rows, cols = self.elevation.shape
        result = np.empty((rows, cols, 2), np.float32)
        network = self.graph.network
        in_bands(
            lambda first, last: streams.ways(
                network, cols, *self.spacing, steps, first, last, result
            ),
            rows,
            self.threads,
        )
        return result
