# SPDX-License-Identifier: GPL-3.0-or-later
"""Flow graph: the receiver of each cell. All water reaches an outlet."""

from collections.abc import Callable

import numpy as np

from ..base.arrays import Array
from ..base.errors import InputError
from ..base.threads import in_bands, in_parts

NEIGHBORS = np.array([(row, col) for row in (-1, 0, 1) for col in (-1, 0, 1) if row or col])
"""Row and column offsets of the neighbors, by number."""


PARTS = 64
"""Most parts of the order, and of the land in the largest branch of a river."""

SMALLEST = 4096
"""Cells of a part that are worth a thread."""


class UnsoundError(InputError):
    """Heights or flow paths on which no water finds its way."""

    def __init__(self) -> None:
        super().__init__(
            "The heights are not numbers within bounds, or flow paths lead in a circle."
        )


class FlowGraph:
    """Single-direction flow routing (D8) without pits.

    A cell drains to its steepest lower neighbor. Outlets are the border cells of open edges, cells
    below the sea, and the cells of `outlets`; if there are none, as between closed edges, the
    lowest pit is the outlet. All other pits drain over their lowest pass, see `kernels.basins`.
    `route` builds the graph for given heights and may be called repeatedly.

    shape: (rows, cols). spacing: (row, col) m. edges: see `base.arrays.EDGES`. outlets: (rows,
    cols) bool, or None. leaving: (rows, cols) bool, border cells that are outlets, in place of all
    of open edges, or None. threads: the most to use; the result has the same bytes on any number.
    """

    def __init__(
        self,
        shape: tuple[int, int],
        spacing: tuple[float, float],
        edges: str = "open",
        outlets: Array | None = None,
        threads: int = 1,
        leaving: Array | None = None,
    ) -> None:

        from .kernels import basins, receivers, streams

        self._receivers = receivers
        self._basins = basins
        self._streams = streams
        self.shape = shape
        self.spacing = spacing
        self._threads = threads
        rows, cols = shape
        size = (rows + 2) * (cols + 2)
        toward = np.full((rows + 2, cols + 2), receivers.RING, np.uint8)
        ends = np.zeros(shape, bool)
        if edges == "open" or leaving is not None:
            ends[[0, -1]] = ends[:, [0, -1]] = True
        if leaving is not None:
            ends &= leaving
        self._ends = np.pad(ends if outlets is None else ends | outlets, 1).reshape(-1)
        self.outlets = self.inside(self._ends)
        toward[1:-1, 1:-1] = np.where(self.outlets, receivers.OUTLET, receivers.PIT)
        home = np.empty(0, np.int32)
        if edges == "wrap":
            cells = np.arange(size, dtype=np.int32).reshape(rows + 2, cols + 2)
            home = np.ascontiguousarray(np.pad(cells[1:-1, 1:-1], 1, mode="wrap")).reshape(-1)
        along = spacing[0] * spacing[0]
        across = spacing[1] * spacing[1]
        distances = np.sqrt(
            NEIGHBORS[:, 0] * NEIGHBORS[:, 0] * along + NEIGHBORS[:, 1] * NEIGHBORS[:, 1] * across
        )
        offsets = NEIGHBORS[:, 0] * (cols + 2) + NEIGHBORS[:, 1]
        self.network = receivers.Network(toward.reshape(-1), home, offsets, distances)
        self._donors = np.empty(size, np.uint8)
        self.order = np.empty(rows * cols, np.int32)
        """Cells in topological order, receivers first, as flat indices of the padded grid."""
        self.labels = np.empty(size, np.int32)
        """Number of each cell's basin, flat; while a routing runs."""
        self.places = self.labels[: rows * cols]  # which are made when labels are no longer needed
        """Position in the order of each cell's receiver; an outlet's own."""
        self._sizes = np.empty(rows * cols, np.int32)
        self._stretches = np.empty((2, rows * cols // 2 + 2, 2), np.int32)
        self._trunks = self._stretches[0, :0]
        self._branches = [self._trunks]

    def padded(self, array: Array) -> Array:
        """Flat copy of a (rows, cols) array with a ring of zeros."""
        return np.pad(np.asarray(array, dtype=np.float64), 1).reshape(-1)

    def inside(self, flat: Array) -> Array:
        """(rows, cols) array inside the ring of a flat one."""
        rows, cols = self.shape
        interior: Array = flat.reshape(rows + 2, cols + 2)[1:-1, 1:-1]
        return interior

    def route(
        self, heights: Array, wander: int | None = None, keep: bool = False
    ) -> tuple[Array, Array] | None:
        """Route heights (flat, padded; m). The ring is set here.

        wander: random key for the lengths of diagonals, None for exact ones; see
        `kernels.receivers.find_receivers`. keep: return the basins of pits and the passes between
        them, `labels` and `links` of `kernels.basins.span`; None without pits. UnsoundError for
        heights that are not finite.
        """
        self.fill_ring(heights)
        count = self.find_receivers(heights, wander)
        if not self.outlets.any():
            self._basins.open_lowest(heights, self.network)
            count -= 1
        links = self._lead_out(heights, count) if count else None
        passes = (self.labels.copy(), links) if keep and links is not None else None
        self.sort()
        return passes

    def find_receivers(self, heights: Array, wander: int | None = None) -> int:
        """Set the receiver of each cell by its heights (flat, padded; m), also in the ring; returns
        the number of pits. wander: see `route`. UnsoundError for heights that are not finite.
        """
        kernels = self._receivers
        network = self.network
        rows, cols = self.shape
        key = np.uint64(wander or 0)
        chance = wander is not None
        results: list[tuple[int, bool]] = []
        in_bands(
            lambda first, last: results.append(
                kernels.find_receivers(heights, self._ends, network, cols, key, chance, first, last)
            ),
            rows,
            self._threads,
        )
        if not all(sound for _, sound in results):
            raise UnsoundError
        return sum(pits for pits, _ in results)

    def sort(self) -> None:
        """Sort cells in topological order, once every one of them reaches an outlet; UnsoundError
        if one does not.
        """
        streams = self._streams
        network = self.network
        rows, cols = self.shape
        trees = np.empty(streams.count_outlets(network) + 1, np.int64)
        in_bands(
            lambda first, last: streams.list_donors(network, cols, first, last, self._donors),
            rows,
            self._threads,
        )
        streams.depth_first(network, self._donors, self.order, self.places, trees)
        if trees[-1] < self.order.size:
            raise UnsoundError
        self._cut(trees)

    def _cut(self, trees: Array) -> None:
        """Cut the trees into parts for threads. trees: their places, and the number of cells."""
        streams = self._streams
        cells = self.order.size
        targets = np.linspace(0, cells, 1 + min(PARTS, max(1, cells // SMALLEST)))
        ends = np.unique(trees[np.searchsorted(trees, targets)])
        in_parts(
            lambda part: streams.count_upstream(
                self.places, ends[part], ends[part + 1], self._sizes
            ),
            ends.size - 1,
            self._threads,
        )
        trunks, branches = self._stretches
        numbers = streams.cut_branches(self._sizes, max(cells // PARTS, SMALLEST), trunks, branches)
        self._trunks = trunks[: numbers[0]]
        branches = branches[: numbers[1]]
        sizes = np.cumsum(branches[:, 1] - branches[:, 0])
        splits = np.unique(np.searchsorted(sizes, targets[1:-1]))
        self._branches = np.split(branches, splits)

    def _lead_out(self, heights: Array, count: int) -> Array:
        kernels = self._basins
        network = self.network
        labels = self.labels
        kernels.number_pits(network, labels)
        self.label_basins()
        links = np.empty((count, 2), np.int64)
        if kernels.span(heights, network, labels, self.borders(heights), links) < count:
            raise UnsoundError
        kernels.carve(heights, network, labels, links, np.empty(count + 1))
        return links

    def label_basins(self) -> None:
        """Label cells below 0 in `labels` like the first labeled cell on their flow path;
        UnsoundError for a path without one.
        """
        kernels = self._basins
        rows, cols = self.shape

        def label(first: int, last: int) -> None:
            if not kernels.label_basins(self.network, self.labels, cols, first, last):
                raise UnsoundError

        in_bands(label, rows, self._threads)

    def borders(self, heights: Array) -> Array:
        """Pairs of neighbors in different basins, in reading order; see
        `kernels.basins.list_borders`.
        """
        kernels = self._basins
        rows, cols = self.shape
        by_border: dict[int, Array] = {}

        def border(first: int, last: int) -> None:
            by_border[first] = kernels.list_borders(
                heights, self.network, self.labels, cols, first, last
            )

        in_bands(border, rows, self._threads)
        return np.concatenate([by_border[first] for first in sorted(by_border)])

    def fill_ring(self, heights: Array) -> None:
        """Set the ring of flat heights (m), see `kernels.receivers.fill_ring`."""
        self._receivers.fill_ring(heights, self.network)

    def clear_ring(self, flat: Array) -> None:
        """Set the ring of a flat array to 0."""
        rows, cols = self.shape
        ringed = flat.reshape(rows + 2, cols + 2)
        ringed[[0, -1]] = ringed[:, [0, -1]] = 0.0

    @property
    def ends(self) -> Array:
        """Outlets of the last routing, (rows, cols) bool."""
        at_outlet: Array = self.inside(self.network.toward) == self._receivers.OUTLET
        return at_outlet

    def close_outlet(self) -> None:
        """Remove the outlet at the lowest pit of closed ground."""
        toward = self.network.toward
        toward[toward == self._receivers.OUTLET] = self._receivers.PIT

    @property
    def parts(self) -> int:
        """Number of parts that `upstream` and `downstream` work on."""
        return 1 + len(self._branches)

    def upstream(self, work: Callable[[int, Array], object]) -> None:
        """Call work(part, stretches) on parts of the order, receivers before their donors, on all
        threads.

        stretches: (n, 2) int32 in ascending order, first place and the one after the last of each.
        The parts do not depend on the number of threads.
        """
        work(0, self._trunks)
        self._on_branches(work)

    def downstream(self, work: Callable[[int, Array], object]) -> None:
        """As `upstream`, with donors before their receivers: to be taken from the last stretch to
        the first. All donors of a cell are in its own part or in parts before it.
        """
        self._on_branches(work)
        work(0, self._trunks)

    def _on_branches(self, work: Callable[[int, Array], object]) -> None:
        branches = self._branches
        in_parts(lambda part: work(part + 1, branches[part]), len(branches), self._threads)

    def accumulate(self, amounts: Array) -> Array:
        """Accumulate amounts (flat) downstream, in place."""
        self.downstream(
            lambda _, stretches: self._streams.accumulate(
                self.network, self.order, amounts, stretches
            )
        )
        return amounts

    def drainage_area(self, rain: Array | None = None) -> Array:
        """Drainage area of each cell (flat, m²), including itself. rain: (rows, cols) weights or
        None.
        """
        area = self.spacing[0] * self.spacing[1]
        return self.accumulate(
            self.padded(np.full(self.shape, area) if rain is None else rain * area)
        )

    def arrivals(self, heights: Array, amounts: Array, share: Array) -> Array:
        """Amounts that enter a region, and these times their mean way and fall in meters, (rows,
        cols, 3); see `kernels.streams.arrivals`. heights: flat, m. amounts, share of the region:
        (rows, cols).
        """
        waiting = np.zeros((heights.size, 3))
        waiting[:, 0] = self.padded(amounts * (1.0 - share))
        arrived = np.zeros_like(waiting)
        self._streams.arrivals(
            self.network, self.order, heights, self.padded(share), waiting, arrived
        )
        return np.stack([self.inside(values) for values in arrived.T], axis=-1)

    def filled(self, heights: Array) -> Array:
        """Heights (flat, m) with all pits filled to their spill level."""
        levels = np.empty_like(heights)
        self._streams.fill(self.network, self.order, heights, levels)
        return levels

    def stream_order(self, areas: Array, least: float) -> Array:
        """Strahler order of channels (flat, uint8), 0 elsewhere. Channels begin at a drainage area
        of `least` m².
        """
        orders = np.zeros(areas.size, np.uint8)
        twins = np.zeros(areas.size, np.uint8)
        self._streams.strahler(
            self.network, self.order, areas, least, orders, twins, np.zeros(areas.size, bool)
        )
        return orders

    def receivers(self) -> Array:
        """Receivers (rows, cols) int64 as flat indices of the grid without ring; an outlet is its
        own receiver.
        """
        rows, cols = self.shape
        place = np.arange(rows * cols).reshape(rows, cols)
        way = np.append(NEIGHBORS, [(0, 0)], axis=0)[
            np.minimum(self.inside(self.network.toward), 8)
        ]
        row = (place // cols + way[..., 0]) % rows
        cells: Array = row * cols + (place % cols + way[..., 1]) % cols
        return cells
