# SPDX-License-Identifier: GPL-3.0-or-later
"""The flow graph: each cell's receiver, such that the water of every cell reaches an outlet."""

from typing import Any

import numpy as np

from ..base.arrays import Array
from ..base.threads import in_bands

AROUND = np.array([(row, col) for row in (-1, 0, 1) for col in (-1, 0, 1) if row or col])
"""Rows and columns to each neighbor, by its number."""


class FlowGraph:
    """Where the water of each cell of a terrain goes.

    A cell drains to the steepest of its lower neighbors. Outlets are the border cells of open edges, cells below the
    sea, and those of `outlets`; where there is none, as between closed edges, the lowest pit is one. Every other pit is
    led out over its lowest pass, see `kernels.basins`. `route` makes it for heights, as often as wanted.

    shape: (rows, cols). spacing: (row, col) m. edges: as of `base.arrays.EDGES`. outlets: (rows, cols) bool, or None.
    threads: the most to use; the result has the same bytes on any number.
    """

    def __init__(
        self,
        shape: tuple[int, int],
        spacing: tuple[float, float],
        edges: str = "open",
        outlets: Array | None = None,
        threads: int = 1,
    ) -> None:
        from .kernels import basins, receivers, streams  # numba takes a second to import, so only where it runs

        self._receivers, self._basins, self._streams = receivers, basins, streams
        self.shape, self.spacing, self._threads = shape, spacing, threads
        rows, cols = shape
        size = (rows + 2) * (cols + 2)
        toward = np.full((rows + 2, cols + 2), receivers.RING, np.uint8)
        ends = np.zeros(shape, bool)
        if edges == "open":
            ends[[0, -1]] = ends[:, [0, -1]] = True
        self._ends = np.pad(ends if outlets is None else ends | outlets, 1).reshape(-1)
        self.outlets = self.inside(self._ends)
        toward[1:-1, 1:-1] = np.where(self.outlets, receivers.OUTLET, receivers.PIT)
        home = np.empty(0, np.int32)
        if edges == "wrap":
            cells = np.arange(size, dtype=np.int32).reshape(rows + 2, cols + 2)
            home = np.ascontiguousarray(np.pad(cells[1:-1, 1:-1], 1, mode="wrap")).reshape(-1)
        along, across = spacing[0] * spacing[0], spacing[1] * spacing[1]
        distances = np.sqrt(AROUND[:, 0] * AROUND[:, 0] * along + AROUND[:, 1] * AROUND[:, 1] * across)
        offsets = AROUND[:, 0] * (cols + 2) + AROUND[:, 1]
        self.network = receivers.Network(toward.reshape(-1), home, offsets, distances)
        self._donors = np.empty(size, np.uint8)
        self.order = np.empty(rows * cols, np.int32)
        """The cells, each after its receiver, as flat indices of the grid with its ring."""
        self._labels = np.empty(size, np.int32)
        self.places = self._labels[: rows * cols]  # which are made when labels are no longer needed
        """The place in the order of each one's receiver, of an outlet its own."""
        self.parts = np.zeros(2, np.int64)
        """Places in the order where a part of whole trees begins, and its end."""

    def padded(self, array: Array) -> Array:
        """A copy (flat, with a ring of zeros) of a (rows, cols) array."""
        return np.pad(np.asarray(array, dtype=np.float64), 1).reshape(-1)

    def inside(self, flat: Array) -> Array:
        """The (rows, cols) array within the ring of a flat one."""
        rows, cols = self.shape
        found: Array = flat.reshape(rows + 2, cols + 2)[1:-1, 1:-1]
        return found

    def route(self, heights: Array, wander: int | None = None, keep: bool = False) -> tuple[Array, Array] | None:
        """Make the graph of heights (flat, with the ring, whose values are set here; m).

        wander: key of the chance by which diagonals count longer or shorter, None for none; see
        `kernels.receivers.find_receivers`. keep: return the basins of pits and the passes between them, `labels` and
        `links` of `kernels.basins.span`; None where there are none.
        """
        kernels, network = self._receivers, self.network
        rows, cols = self.shape
        self.fill_ring(heights)
        key, chance = np.uint64(wander or 0), wander is not None
        pits: list[int] = []
        in_bands(
            lambda first, last: pits.append(
                kernels.find_receivers(heights, self._ends, network, cols, key, chance, first, last)
            ),
            rows,
            self._threads,
        )
        count = sum(pits)
        if not self.outlets.any():
            self._basins.open_lowest(heights, network)
            count -= 1
        links = self._lead_out(heights, count) if count else None
        passes = (self._labels.copy(), links) if keep and links is not None else None
        trees = np.empty(self._streams.count_outlets(network) + 1, np.int64)
        streams = self._streams
        in_bands(lambda first, last: streams.list_donors(network, cols, first, last, self._donors), rows, self._threads)
        streams.depth_first(network, self._donors, self.order, self.places, trees)
        wanted = np.linspace(0, self.order.size, 1 + min(64, max(1, self.order.size // 4096)))
        self.parts = np.unique(trees[np.searchsorted(trees, wanted)])
        return passes

    def _lead_out(self, heights: Array, count: int) -> Array:
        kernels, network, (rows, cols), labels = self._basins, self.network, self.shape, self._labels
        kernels.number_pits(network, labels)
        in_bands(lambda first, last: kernels.label_basins(network, labels, cols, first, last), rows, self._threads)
        found: dict[int, Array] = {}

        def border(first: int, last: int) -> None:
            found[first] = kernels.list_borders(heights, network, labels, cols, first, last)

        in_bands(border, rows, self._threads)
        borders = np.concatenate([found[first] for first in sorted(found)])
        links = np.empty((count, 2), np.int64)
        kernels.span(heights, network, labels, borders, links)
        kernels.carve(heights, network, labels, links, np.empty(count + 1))
        return links

    def fill_ring(self, heights: Array) -> None:
        """Set the ring of flat heights (m): see `kernels.receivers.fill_ring`."""
        self._receivers.fill_ring(heights, self.network)

    def clear_ring(self, flat: Array) -> None:
        """Set the ring of a flat array to 0."""
        rows, cols = self.shape
        ringed = flat.reshape(rows + 2, cols + 2)
        ringed[[0, -1]] = ringed[:, [0, -1]] = 0.0

    @property
    def ends(self) -> Array:
        """(rows, cols) bool: where water leaves, as it was last routed."""
        found: Array = self.inside(self.network.toward) == self._receivers.OUTLET
        return found

    def close_outlet(self) -> None:
        """Let the lowest pit of closed ground be no outlet any more."""
        toward = self.network.toward
        toward[toward == self._receivers.OUTLET] = self._receivers.PIT

    def in_parts(self, work: Any) -> None:
        """Call work(part, first, last) for parts of the order that hold whole trees, on all threads: the largest first,
        or one thread would be left with it at the end."""
        parts = self.parts
        turns = np.argsort(-np.diff(parts), kind="stable")

        def serve(turn: int, _: int) -> None:
            part = turns[turn]
            work(part, parts[part], parts[part + 1])

        in_bands(serve, turns.size, self._threads, band=1)

    def accumulate(self, amounts: Array) -> Array:
        """The amounts (flat) of all that drain through each cell, in place."""
        self.in_parts(lambda _, first, last: self._streams.accumulate(self.network, self.order, amounts, first, last))
        return amounts

    def drainage_area(self, rain: Array | None = None) -> Array:
        """The area that drains through each cell (flat, m²), its own among it. rain: (rows, cols) weights or None."""
        area = self.spacing[0] * self.spacing[1]
        return self.accumulate(self.padded(np.full(self.shape, area) if rain is None else rain * area))

    def filled(self, heights: Array) -> Array:
        """Heights (flat, m) with all pits filled up to where they spill."""
        levels = np.empty_like(heights)
        self._streams.fill(self.network, self.order, heights, levels)
        return levels

    def stream_order(self, areas: Array, least: float) -> Array:
        """(flat, uint8) Strahler's order of channels, which begin where the area reaches `least` m²; 0 elsewhere."""
        orders, twins = np.zeros(areas.size, np.uint8), np.zeros(areas.size, np.uint8)
        self._streams.strahler(self.network, self.order, areas, least, orders, twins)
        return orders

    def receivers(self) -> Array:
        """(rows, cols) int64: flat index, in the grid without its ring, of the cell that each drains to; its own for an
        outlet."""
        rows, cols = self.shape
        place = np.arange(rows * cols).reshape(rows, cols)
        way = np.append(AROUND, [(0, 0)], axis=0)[np.minimum(self.inside(self.network.toward), 8)]
        row = (place // cols + way[..., 0]) % rows
        found: Array = row * cols + (place % cols + way[..., 1]) % cols
        return found
