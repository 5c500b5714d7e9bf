# SPDX-License-Identifier: GPL-3.0-or-later
"""Exchange between tiles: passes over which basins drain, and water that crosses into another tile.

The land in one piece has one minimum spanning tree over the passes between its basins, see
`kernels.basins`. Tiles leave out the passes that cannot belong to it and join basins that lie
within them, so the rest grows with the length of their borders. After Barnes, "Parallel
priority-flood depression filling for trillion cell digital elevation models on desktops or
clusters" (2016, arXiv 1606.06204) and "Parallel non-divergent flow accumulation for trillion cell
digital elevation models on desktops or clusters" (2017, arXiv 1608.04431), with the flow graph of
this package within tiles.
"""

from collections.abc import Sequence

import numpy as np

from ...base.arrays import Array
from .tile import Arrays, steps


def ways_out(tiles: Sequence[Arrays], land: tuple[int, int]) -> list[Array]:
    """Ways out of basins, for each tile as `TileFlow.lead_out` takes them.

    tiles: results of `TileFlow.basins`. land: (rows, cols).
    """
    from ..kernels.receivers import OUTLET
    from ..kernels.tiles import orient, span

    across = steps(land)
    counts = np.array([int(tile["count"][0]) - 1 for tile in tiles])
    before = np.concatenate([[0], np.cumsum(counts)])
    owners = np.repeat(np.arange(len(tiles)), counts)
    nodes = int(before[-1]) + 1

    def node(numbers: Array, tile: int) -> Array:
        return np.where(numbers > 0, numbers + before[tile], numbers)

    find = _Rim(tiles, [node(tile["nodes"], number) for number, tile in enumerate(tiles)])
    exits = np.concatenate([tile["exits"] for tile in tiles])
    leaving = np.concatenate(
        [node(1 + np.arange(len(tile["exits"])), number) for number, tile in enumerate(tiles)]
    )
    passes = np.concatenate([tile["passes"] for tile in tiles])
    sides = np.concatenate(
        [node(tile["passes"][:, 2:], number) for number, tile in enumerate(tiles)]
    )
    crossing = sides[:, 1] < 0
    sides[crossing, 1] = find(passes[crossing, 0] + across[passes[crossing, 1]])
    cells = np.concatenate([exits[:, 0], passes[:, 0]])
    numbers = np.concatenate([exits[:, 1], passes[:, 1]])
    first = np.concatenate([leaving, sides[:, 0]])
    second = np.concatenate([find(exits[:, 0] + across[exits[:, 1]]), sides[:, 1]])
    heights = np.concatenate([tile["heights"] for tile in tiles])
    lowest = np.lexsort(
        (passes[:, 0] + across[passes[:, 1]], passes[:, 0], heights[:, 1], heights[:, 0])
    )
    order = np.concatenate([np.arange(len(exits)), len(exits) + lowest])
    tree_edges = order[span(first[order], second[order], nodes)]

    root, outlet = _root(tiles, before)
    toward = orient(first[tree_edges], second[tree_edges], root, nodes)
    node_of = np.flatnonzero(toward >= 0)
    edges = tree_edges[toward[node_of]]
    at_first = first[edges] == node_of
    over = ~(at_first & (edges < len(exits)))  # exits that keep their target stay
    node_of = node_of[over]
    edges = edges[over]
    at_first = at_first[over]
    starts = np.where(at_first, cells[edges], cells[edges] + across[numbers[edges]])
    ways = np.stack([starts, np.where(at_first, numbers[edges], 7 - numbers[edges])], axis=1)
    if outlet >= 0:
        ways = np.append(ways, [(outlet, OUTLET)], axis=0)
        node_of = np.append(node_of, root)
    tile_of = owners[node_of - 1]
    return [ways[tile_of == tile] for tile in range(len(tiles))]


def _root(tiles: Sequence[Arrays], before: Array) -> tuple[int, int]:
    """Node from which the tree grows, and the lowest pit if it is an outlet, else -1."""
    if any(tile["outlets"][0] for tile in tiles):
        return 0, -1
    pits = [
        (tile["lowest"][2], tile["lowest"][0], number)
        for number, tile in enumerate(tiles)
        if tile["lowest"][0] >= 0
    ]
    _, cell, number = min(pits)
    return int(before[number] + tiles[number]["lowest"][1]), int(cell)


def flow(tiles: Sequence[Arrays]) -> list[tuple[Array, Array]]:
    """Inflow from other tiles and water levels (m) at exits, for each tile as `TileFlow.drain`
    takes them.

    tiles: results of `TileFlow.route`, with the rim of `TileFlow.basins`.
    """
    from ..kernels.tiles import carry

    where = _Rim(tiles, [np.zeros(len(tile["rim"]), np.int64) for tile in tiles])
    onward, gives, levels = (
        np.concatenate([tile[name] for tile in tiles]) for name in ("onward", "gives", "levels")
    )
    onward = np.where(onward < 0, -1, where.place(onward))
    inflow = np.bincount(onward[gives > 0], gives[gives > 0], minlength=onward.size)
    carry(onward, inflow, levels)
    ends = np.cumsum([len(tile["rim"]) for tile in tiles])[:-1]
    return list(zip(np.split(inflow, ends), np.split(levels, ends), strict=True))


def join(tiles: Sequence[Arrays]) -> list[Array]:
    """Strahler orders of the cells that channels lead through from tile to tile, for each tile in
    its order.

    tiles: results of `TileFlow.channels`.
    """
    from ..kernels.tiles import join_orders

    cells, onward = (np.concatenate([tile[name] for tile in tiles]) for name in ("cells", "onward"))
    targets, arriving = np.concatenate([tile["sent"] for tile in tiles]).T
    orders, twins = np.concatenate([tile["known"] for tile in tiles], axis=1)
    order = np.argsort(cells)

    def places(numbers: Array) -> Array:
        return np.asarray(order[np.searchsorted(cells[order], numbers)])

    join_orders(
        np.where(onward < 0, -1, places(np.maximum(onward, 0))),
        orders,
        twins,
        places(targets),
        arriving,
    )
    return np.split(orders, np.cumsum([len(tile["cells"]) for tile in tiles])[:-1])


class _Rim:
    """Cells of all rims, found by their number on the land."""

    def __init__(self, tiles: Sequence[Arrays], values: Sequence[Array]) -> None:
        cells = np.concatenate([tile["rim"] for tile in tiles])
        self._order = np.argsort(cells, kind="stable")
        self._cells = cells[self._order]
        self._values = np.concatenate(values)

    def place(self, cells: Array) -> Array:
        """Places in the list of all rims, tile by tile."""
        index = np.searchsorted(self._cells, cells)
        return (
            np.asarray(self._order[np.minimum(index, self._order.size - 1)])
            if self._order.size
            else cells
        )

    def __call__(self, cells: Array) -> Array:
        """Values of cells."""
        return np.asarray(self._values[self.place(cells)])
