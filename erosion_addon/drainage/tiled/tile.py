# SPDX-License-Identifier: GPL-3.0-or-later
"""Flow on one tile of a land from its own heights, and its part of the flow on the whole land."""

from dataclasses import dataclass

import numpy as np

from ...base.arrays import Array
from ..flow_graph import NEIGHBORS, FlowGraph

Arrays = dict[str, Array]


@dataclass(frozen=True)
class Place:
    """Place of a tile on its land: first row and column, (rows, cols), and the land's (rows,
    cols).
    """

    top: int
    left: int
    shape: tuple[int, int]
    land: tuple[int, int]

    @property
    def around(self) -> tuple[int, int, int, int]:
        """Top, bottom, left and right of the tile with the cells of the land around it."""
        rows, cols = self.shape
        most, widest = self.land
        bottom = min(self.top + rows + 1, most)
        right = min(self.left + cols + 1, widest)
        return max(self.top - 1, 0), bottom, max(self.left - 1, 0), right

    def ringed(self, values: Array, beyond: float) -> Array:
        """Flat array of the tile with a ring of one cell, from values of `around`; `beyond` outside
        the land.
        """
        top, bottom, left, right = self.around
        rows, cols = self.shape
        missing = (
            (top - self.top + 1, self.top + rows + 1 - bottom),
            (left - self.left + 1, self.left + cols + 1 - right),
        )
        return np.pad(np.asarray(values, np.float64), missing, constant_values=beyond).reshape(-1)

    def on_land(self, cells: Array) -> Array:
        """Numbers on the land, in reading order, of cells of a flat array with a ring."""
        row, col = np.divmod(np.asarray(cells, np.int64), self.shape[1] + 2)
        return np.asarray((row - 1 + self.top) * self.land[1] + col - 1 + self.left)

    def in_tile(self, cells: Array) -> Array:
        """Opposite of `on_land`."""
        row, col = np.divmod(np.asarray(cells, np.int64), self.land[1])
        return np.asarray((row - self.top + 1) * (self.shape[1] + 2) + col - self.left + 1)

    def rim(self) -> Array:
        """Cells of the tile with neighbors in other tiles, ascending, in a flat array with a
        ring.
        """
        rows, cols = self.shape
        most, widest = self.land
        inside = np.ones((rows, cols), bool)
        up = int(self.top > 0)
        left = int(self.left > 0)
        down = rows - int(self.top + rows < most)
        right = cols - int(self.left + cols < widest)
        inside[up:down, left:right] = False
        return np.flatnonzero(np.pad(inside, 1).reshape(-1))


def steps(land: tuple[int, int]) -> Array:
    """Difference between the number of a cell on the land and that of each neighbor, (8,)."""
    return np.asarray(NEIGHBORS[:, 0] * land[1] + NEIGHBORS[:, 1])


class TileFlow:
    """Flow graph of a tile whose water may leave to its neighbors.

    heights: of `place.around`, m. edges: open or closed. sea_level: m, where rivers end, or None.
    outlets: cells of the tile where water leaves besides open edges, (rows, cols) bool, or None.
    """

    def __init__(
        self,
        place: Place,
        heights: Array,
        spacing: tuple[float, float],
        edges: str = "open",
        sea_level: float | None = None,
        threads: int = 1,
        outlets: Array | None = None,
    ) -> None:
        from ..kernels import receivers

        self._codes = receivers
        self.place = place
        rows, cols = place.shape
        self.heights = place.ringed(heights, receivers.BEYOND)
        ends = np.zeros((rows, cols), bool) if outlets is None else outlets.copy()
        if edges == "open":
            ends[0] |= place.top == 0
            ends[-1] |= place.top + rows == place.land[0]
            ends[:, 0] |= place.left == 0
            ends[:, -1] |= place.left + cols == place.land[1]
        if sea_level is not None:
            ends |= self.heights.reshape(rows + 2, cols + 2)[1:-1, 1:-1] <= sea_level
        # open edges of the land are among the ends; other borders lead to neighboring tiles
        self.graph = FlowGraph((rows, cols), spacing, "closed", ends, threads)
        self.ring = self.graph.network.toward == receivers.RING
        self.rim = place.rim()

    def basins(self) -> Arrays:
        """Data on the basins that other tiles need.

        rim: cells with neighbors in other tiles, by number on the land. nodes: their basins. exits:
        cells whose water crosses into another tile, (n, 2): number on the land, direction; their
        basins are 1, 2, …. passes: (n, 4): cell, direction, basin of the cell and beyond, -1 in
        another tile. heights: of both cells of passes, the higher first, m. lowest: number, basin
        and height (m) of the lowest pit, -1 without pits. count: basins, with 0 for outlets.
        outlets: number of outlets.
        """
        self._label()
        network = self.graph.network
        labels = self.graph.labels
        rim = self.rim
        rank = np.cumsum(self._terminal) - 1
        numbers, cells = (array.reshape(-1) for array in np.meshgrid(np.arange(4, 8), rim))
        beyond = cells + network.offsets[numbers]
        crossing = self.ring[beyond] & (self.heights[beyond] < self._codes.BEYOND)
        cells = cells[crossing]
        numbers = numbers[crossing]
        outer = np.stack([cells, numbers, rank[labels[cells]], np.full(cells.size, -1)], axis=1)
        inner = self._passes.copy()
        inner[:, 2:] = rank[inner[:, 2:]]
        passes = np.concatenate([inner, outer])
        first = self.heights[passes[:, 0]]
        second = self.heights[passes[:, 0] + network.offsets[passes[:, 1]]]
        passes[:, 0] = self.place.on_land(passes[:, 0])
        lowest = np.full(3, -1.0)
        if self._pits.size:
            pit = self._pits[np.argmin(self.heights[self._pits])]
            lowest[:] = self.place.on_land(pit), rank[labels[pit]], self.heights[pit]
        return {
            "rim": self.place.on_land(rim),
            "nodes": rank[labels[rim]],
            "exits": np.stack(
                [self.place.on_land(self._exits), network.toward[self._exits]], axis=1
            ).astype(np.int64),
            "passes": passes,
            "heights": np.stack([np.maximum(first, second), np.minimum(first, second)], axis=1),
            "lowest": lowest,
            "count": np.array([self._terminal.sum()]),
            "outlets": np.array([np.count_nonzero(network.toward == self._codes.OUTLET)]),
        }

    def lead_out(self, ways: Array) -> Array:
        """Receivers, flat, with all basins led out, as `kernels.receivers` has them.

        ways: (n, 2): cells where the water of a basin of this tile leaves it over a pass, by number
        on the land, and directions; 8 for the pit that is the outlet of closed ground.
        """
        from ..kernels import basins

        self._label()
        network = self.graph.network
        labels = self.graph.labels
        cells = self.place.in_tile(ways[:, 0])
        numbers = ways[:, 1]
        network.toward[cells[numbers == self._codes.OUTLET]] = self._codes.OUTLET
        turned = np.zeros(self._terminal.size, bool)
        starts = np.stack([cells, numbers], axis=1)[numbers < self._codes.OUTLET]
        turned[self._ends(labels[starts[:, 0]])] = True
        number = np.cumsum(turned | ~self._terminal).astype(np.int32)
        number[self._terminal & ~turned] = 0
        labels[:] = number[labels]
        links = np.concatenate([self._links, starts])
        basins.carve(self.heights, network, labels, links, np.empty(len(links) + 1))
        network.toward[self.ring] = self._codes.RING
        return network.toward

    def _ends(self, basins: Array) -> Array:
        """Terminal to which each basin is joined."""
        from ..kernels.tiles import ends

        network = self.graph.network
        return np.asarray(ends(network, self.graph.labels, self._links, self._terminal)[basins])

    def _label(self) -> None:
        """Number basins, and join those that no other tile touches.

        Basins are outlets, 0; cells whose water leaves to other tiles; pits.
        """
        from ..kernels import tiles

        graph = self.graph
        codes = self._codes
        graph.find_receivers(self.heights)
        network = graph.network
        labels = graph.labels
        self._exits = self.rim[self._leaves(self.rim)]
        self._pits = np.flatnonzero(network.toward == codes.PIT)
        labels[:] = np.where(network.toward < codes.OUTLET, -1, 0)
        labels[self._exits] = 1 + np.arange(self._exits.size)
        labels[self._pits] = 1 + self._exits.size + np.arange(self._pits.size)
        graph.label_basins()
        basins = 1 + self._exits.size + self._pits.size
        self._terminal = np.zeros(basins, bool)
        self._terminal[: 1 + self._exits.size] = self._terminal[labels[self.rim]] = True
        if self._pits.size:
            # if no edge is open, the lowest pit of the land is its outlet
            self._terminal[labels[self._pits[np.argmin(self.heights[self._pits])]]] = True
        borders = graph.borders(self.heights).astype(np.int64)
        cells = borders // 4
        numbers = 4 + borders % 4
        first = self.heights[cells]
        second = self.heights[cells + network.offsets[numbers]]
        order = np.lexsort((np.minimum(first, second), np.maximum(first, second)))
        links = np.empty((basins, 2), np.int64)
        passes = np.empty((basins, 4), np.int64)
        link_count, pass_count = tiles.contract(
            network, labels, cells[order], numbers[order], self._terminal.copy(), links, passes
        )
        self._links = links[:link_count]
        self._passes = passes[:pass_count]

    def _leaves(self, cells: Array) -> Array:
        """Whether water goes from a cell straight to another tile, (n,) bool."""
        network = self.graph.network
        toward = network.toward[cells]
        return np.asarray(
            (toward < self._codes.OUTLET)
            & self.ring[cells + network.offsets[np.minimum(toward, 7)]]
        )

    def route(self, toward: Array) -> Arrays:
        """Apply receivers led out, and return the data on the flow that other tiles need.

        By cells of the rim: onward: the cell at which its water enters the next tile, by number on
        the land, -1 if it reaches an outlet first. levels: highest ground on the way there, m.
        gives: cells whose water leaves here.
        """
        graph = self.graph
        network = self.graph.network
        labels = self.graph.labels
        network.toward[:] = toward
        leaves = self._leaves(self.rim)
        self.exits = self.rim[leaves]
        self._targets = targets = self.place.on_land(
            self.exits + network.offsets[network.toward[self.exits]]
        )
        network.toward[self.exits] = self._codes.OUTLET
        labels[:] = np.where(network.toward < self._codes.OUTLET, -1, 0)
        labels[self.exits] = 1 + np.arange(self.exits.size)
        graph.label_basins()
        onward = np.append(-1, targets)[labels[self.rim]]
        graph.sort()
        amounts = graph.accumulate(graph.padded(np.ones(graph.shape)))
        gives = np.where(leaves, amounts[self.rim], 0.0)
        return {"onward": onward, "levels": graph.filled(self.heights)[self.rim], "gives": gives}

    def drain(self, inflow: Array, levels: Array) -> tuple[Array, Array]:
        """Cells that drain through each cell, with itself, and water levels in filled basins (m),
        (rows, cols).

        After `route`. inflow: cells that drain into each cell of the rim from other tiles. levels:
        m, of the rim.
        """
        graph = self.graph
        amounts = graph.padded(np.ones(graph.shape))
        amounts[self.rim] += inflow
        self._amounts = graph.accumulate(amounts)
        heights = self.heights.copy()
        heights[self.exits] = levels[np.searchsorted(self.rim, self.exits)]
        return graph.inside(amounts), graph.inside(graph.filled(heights))

    def channels(self, inflow: Array, least: float) -> Arrays:
        """Strahler orders of channels, as far as known within the tile, and data for other tiles.

        After `drain`, with its inflow. least: drainage area of the smallest channel, m². orders:
        (rows, cols) uint8, 0 on slopes. By cells that channels of other tiles lead through: cells:
        number on the land; onward: that of the next one, -1 at an outlet; inner: order and count of
        the other channels that meet there, see `streams.meet`. By other channels that cross into
        another tile: sent: (n, 2): cell that they enter, by number on the land, and order.
        """
        from ..kernels import streams

        graph = self.graph
        network = self.graph.network
        area = self.graph.spacing[0] * self.graph.spacing[1]
        size = self.heights.size
        orders = np.zeros(size, np.uint8)
        twins = np.zeros(size, np.uint8)
        through = np.zeros(size, bool)
        through[self.rim] = inflow * area >= least
        streams.strahler(network, graph.order, self._amounts * area, least, orders, twins, through)
        cells = np.flatnonzero(through)
        toward = network.toward[cells]
        below = self.place.on_land(cells + network.offsets[np.minimum(toward, 7)])
        onward = np.where(toward < self._codes.OUTLET, below, -1)
        crossing = through[self.exits]
        onward[np.searchsorted(cells, self.exits[crossing])] = self._targets[crossing]
        inner = ~crossing & (orders[self.exits] > 0)
        return {
            "orders": graph.inside(orders),
            "cells": self.place.on_land(cells),
            "onward": onward,
            "known": np.stack([orders[cells], twins[cells]]),
            "sent": np.stack([self._targets[inner], orders[self.exits[inner]]], axis=1),
        }
