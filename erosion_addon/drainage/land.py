# SPDX-License-Identifier: GPL-3.0-or-later
"""Land: a terrain with its flow graph, and what is measured on both."""

from functools import cached_property

import numpy as np

from ..base.arrays import Array
from ..base.threads import in_bands
from ..grid.padding import continued
from .flow_graph import FlowGraph

FINEST = 30.0
"""Meters: rivers and slopes are measured on cells of this size at least, as those of elevation models are."""


class Land:
    """A terrain whose water was led out of every pit. What else is known of it is found when it is first asked for.

    elevation: (rows, cols) m. spacing: (row, col) m. edges: as of `FlowGraph`. sea_level: m, of a sea that rivers end
    in, or None. threads: as of `FlowGraph`.
    """

    def __init__(
        self,
        elevation: Array,
        spacing: tuple[float, float],
        edges: str = "open",
        sea_level: float | None = None,
        threads: int = 1,
    ) -> None:
        self.elevation, self.spacing, self.edges = np.ascontiguousarray(elevation, np.float64), spacing, edges
        self.sea_level, self.threads = sea_level, threads
        self.sea = None if sea_level is None else elevation <= sea_level
        rows, cols = elevation.shape
        self.graph = FlowGraph((rows, cols), spacing, edges, self.sea, threads)
        self.heights = self.graph.padded(elevation)
        """Flat, as the graph has them."""
        self.graph.route(self.heights)

    def above_sea(self, values: Array) -> Array:
        """The values (any,) of what lies above the sea, of (rows, cols); all, where there is none."""
        return values.reshape(-1) if self.sea is None else values[~self.sea]

    @cached_property
    def areas(self) -> Array:
        """(flat) m² that drain through each cell."""
        return self.graph.drainage_area()

    @cached_property
    def levels(self) -> Array:
        """(flat) m, with all pits filled."""
        return self.graph.filled(self.heights)

    @cached_property
    def surface(self) -> tuple[Array, Array, Array]:
        """Slope (m/m) and curvature (1/m), (rows, cols) float32, and numbers of cells (4,) that face each sector, see
        `kernels.surface`. Where edges do not wrap, the ground goes on straight beyond them."""
        from .kernels import surface  # numba takes a second to import, so only where it runs

        rows, cols = self.elevation.shape
        ringed = continued(self.elevation, 1, self.edges == "wrap")
        slopes, curvatures = np.empty((rows, cols), np.float32), np.empty((rows, cols), np.float32)
        aspects = np.empty((rows, 4), np.int64)
        in_bands(
            lambda first, last: surface.measure(ringed, *self.spacing, first, last, slopes, curvatures, aspects),
            rows,
            self.threads,
        )
        return slopes, curvatures, aspects.sum(axis=0)

    @cached_property
    def averaged(self) -> "Land":
        """Means over blocks of cells that are as wide as the finest that is measured; the land itself where it has no
        finer ones, or is too small for such blocks."""
        along, across = (max(1, round(FINEST / side)) for side in self.spacing)
        rows, cols = self.elevation.shape[0] // along, self.elevation.shape[1] // across
        if along == across == 1 or min(rows, cols) < 32:
            return self
        blocks = self.elevation[: rows * along, : cols * across].reshape(rows, along, cols, across)
        spacing = self.spacing[0] * along, self.spacing[1] * across
        return Land(blocks.mean(axis=(1, 3)), spacing, self.edges, self.sea_level, self.threads)

    def directions(self, steps: int) -> Array:
        """(rows, cols, 2) float32: unit vectors of the flow, along columns and rows, averaged over `steps` cells
        downstream; 0 at outlets."""
        from .kernels import streams

        rows, cols = self.elevation.shape
        found = np.empty((rows, cols, 2), np.float32)
        network = self.graph.network
        in_bands(
            lambda first, last: streams.ways(network, cols, *self.spacing, steps, first, last, found),
            rows,
            self.threads,
        )
        return found
