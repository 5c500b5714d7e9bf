# SPDX-License-Identifier: GPL-3.0-or-later
"""Lakes of a given rainfall: pits fill, spill over and merge."""

from typing import NamedTuple

import numpy as np

from ..base.arrays import Array
from .flow_graph import FlowGraph


class Filling(NamedTuple):
    """Water at rest.

    levels: (rows, cols) m, water surface, or ground where dry. closed: (rows, cols) bool, terminal
    cells: lakes that are not full, and the lowest cells of dry pits. out: m³ that left the map or
    reached the sea.
    """

    levels: Array
    closed: Array
    out: float


def filled_by(graph: FlowGraph, heights: Array, rain: float) -> Filling:
    """Resting place of `rain` m of water on each cell; the surplus leaves at the graph's outlets.

    heights: (flat) m; the graph is routed for them here.
    """
    from .kernels import spill

    passes = graph.route(heights, keep=True)
    ground = graph.inside(heights)
    area = graph.spacing[0] * graph.spacing[1]
    if passes is None:
        return Filling(ground.copy(), np.zeros(graph.shape, bool), rain * area * ground.size)
    labels, links = passes
    tree = spill.Tree(*(np.zeros(shape, kind) for shape, kind in _shapes(2 * len(links) + 1)))
    outer = np.empty(len(links), np.int64)
    links = links[_by_height(graph, heights, links)]
    count, size = spill.grow(heights, graph.network, labels, links, tree, outer)
    tree = spill.Tree(*(values[:size] for values in tree))
    rooms = np.zeros(size)
    spill.measure(heights, labels, tree, area, rooms)
    cells = np.bincount(graph.inside(labels).reshape(-1), minlength=size)
    water = cells * (rain * area)
    out = float(water[0])
    water[0] = 0.0
    lakes = np.zeros(size, np.int64)
    out += spill.fill_and_spill(tree, outer[:count], rooms, water, lakes)
    owners = lakes[labels]
    flooded = np.flatnonzero(owners)
    flooded = flooded[heights[flooded] <= tree.spill[owners[flooded]]]
    order = flooded[np.lexsort((heights[flooded], owners[flooded]))]
    levels = np.full(size, -np.inf)
    spill.lake_levels(heights, owners, order, water, rooms, tree.spill, area, levels)
    surface = np.maximum(levels[owners], heights)
    closed = (owners > 0) & (heights <= levels[owners]) & (water < rooms)[owners]
    return Filling(graph.inside(surface).copy(), graph.inside(closed).copy(), out)


def _shapes(size: int) -> tuple[tuple[int | tuple[int, int], type], ...]:
    """Shapes of the arrays of a tree."""
    return (size, np.int64), ((size, 2), np.int64), (size, float), (size, np.int64)


def _by_height(graph: FlowGraph, heights: Array, links: Array) -> Array:
    """Sort order of passes: by height, then by the lower side, then by the two cells."""
    cell = links[:, 0]
    next_cell = cell + graph.network.offsets[links[:, 1]]
    if graph.network.home.size:
        next_cell = graph.network.home[next_cell].astype(np.int64)
    height = heights[cell]
    two = heights[next_cell]
    order: Array = np.lexsort(
        (
            np.maximum(cell, next_cell),
            np.minimum(cell, next_cell),
            np.minimum(height, two),
            np.maximum(height, two),
        )
    )
    return order
