# SPDX-License-Identifier: GPL-3.0-or-later
"""Spanning trees over the basins of tiles, and flow between tiles."""

import numpy as np

from ...base.kernels.jit import kernel
from .basins import find
from .receivers import neighbor
from .streams import meet


@kernel
def contract(network, labels, cells, numbers, terminal, links, passes):
    """Split the minimum spanning tree over the basins of a tile into the part that other tiles
    cannot change, and the rest.

    A basin is a terminal if other tiles may touch it. The lowest pass of basins without a terminal
    belongs to the tree in any case: it goes into `links` (basins, 2): cell, number of the neighbor.
    Basins so joined have one terminal. A pass between two of them goes into `passes` (basins, 4):
    cell, number, terminal of either side, unless lower passes of the tile lead around it. Returns
    the number of both.

    cells, numbers: passes, lowest first. labels: basin of each cell. terminal: by basin; changed.
    """
    basins = terminal.size
    roots = np.arange(basins)
    joined = np.arange(basins)
    ends = np.arange(basins)
    link = 0
    crossing = 0
    for place in range(cells.size):
        cell = cells[place]
        number = numbers[place]
        basin = labels[cell]
        next_basin = labels[neighbor(network, cell, number)]
        root_of_basin = find(roots, basin)
        root_of_next = find(roots, next_basin)
        if root_of_basin == root_of_next:
            continue
        roots[max(root_of_basin, root_of_next)] = min(root_of_basin, root_of_next)
        root_of_basin = find(joined, basin)
        root_of_next = find(joined, next_basin)
        if terminal[root_of_basin] and terminal[root_of_next]:
            passes[crossing, 0] = cell
            passes[crossing, 1] = number
            passes[crossing, 2] = ends[root_of_basin]
            passes[crossing, 3] = ends[root_of_next]
            crossing += 1
            continue
        root = min(root_of_basin, root_of_next)
        leaf = max(root_of_basin, root_of_next)
        if terminal[leaf]:
            ends[root] = ends[leaf]
        joined[leaf] = root
        terminal[root] |= terminal[leaf]
        links[link, 0] = cell
        links[link, 1] = number
        link += 1
    return link, crossing


@kernel
def span(first, second, nodes):
    """Whether each edge belongs to the spanning tree, (edges,) bool. first, second: nodes of edges,
    lowest first.
    """
    roots = np.arange(nodes)
    in_tree = np.zeros(first.size, np.bool_)
    for edge in range(first.size):
        root = find(roots, first[edge])
        next_root = find(roots, second[edge])
        if root != next_root:
            roots[max(root, next_root)] = min(root, next_root)
            in_tree[edge] = True
    return in_tree


@kernel
def orient(first, second, root, nodes):
    """Edge of a tree that leads from each node toward the root, (nodes,) int64; -1 at the root and
    beside the tree.
    """
    head = np.full(nodes, -1)
    following = np.empty(2 * first.size, np.int64)
    for edge in range(first.size):
        for end in range(2):
            node = first[edge] if end == 0 else second[edge]
            following[2 * edge + end] = head[node]
            head[node] = 2 * edge + end
    below = np.full(nodes, -1)
    reached = np.empty(nodes, np.int64)
    count = 1
    at = 0
    reached[0] = root
    while at < count:  # every node once
        node = reached[at]
        at += 1
        entry = head[node]
        while entry >= 0:
            edge = entry // 2
            next_node = second[edge] if entry % 2 == 0 else first[edge]
            if edge != below[node] and count < nodes:
                below[next_node] = edge
                reached[count] = next_node
                count += 1
            entry = following[entry]
    return below


@kernel
def _downstream(onward):
    """Cells in downstream order, (cells,) int64. onward: next cell of each, -1 at an end."""
    size = onward.size
    donors = np.zeros(size, np.int64)
    order = np.empty(size, np.int64)
    count = 0
    for cell in range(size):
        if onward[cell] >= 0:
            donors[onward[cell]] += 1
    for cell in range(size):
        if donors[cell] == 0:
            order[count] = cell
            count += 1
    at = 0
    while at < count:  # each cell once, when its last donor has come; those on a circle never
        below = onward[order[at]]
        at += 1
        if below >= 0:
            donors[below] -= 1
            if donors[below] == 0:
                order[count] = below
                count += 1
    return order[:count]


@kernel
def carry(onward, inflow, levels):
    """Inflow of cells at borders of tiles, accumulated downstream, and water levels (m), carried
    upstream; in place.

    onward: the cell at which a cell's water enters the next tile, -1 if it reaches an outlet first.
    """
    order = _downstream(onward)
    for cell in order:
        if onward[cell] >= 0:
            inflow[onward[cell]] += inflow[cell]
    for place in range(order.size - 1, -1, -1):
        cell = order[place]
        if onward[cell] >= 0:
            levels[cell] = max(levels[cell], levels[onward[cell]])


@kernel
def join_orders(onward, orders, twins, targets, arriving):
    """Strahler orders of channels that lead through tiles, in place.

    onward: place of the next cell, -1 at an outlet. orders, twins: of the other channels that reach
    a cell, see `streams.meet`. targets, arriving: places reached by channels from other tiles, and
    their orders.
    """
    for channel in range(targets.size):
        meet(arriving[channel], targets[channel], orders, twins)
    for cell in _downstream(onward):
        orders[cell] = max(orders[cell] + (twins[cell] > 1), 1)
        if onward[cell] >= 0:
            meet(orders[cell], onward[cell], orders, twins)


@kernel
def ends(network, labels, links, terminal):
    """Terminal to which each basin is joined by the links of `contract`, (basins,) int64."""
    roots = np.arange(terminal.size)
    for link in range(links.shape[0]):
        cell, number = links[link]
        root = find(roots, labels[cell])
        next_root = find(roots, labels[neighbor(network, cell, number)])
        if terminal[root]:
            roots[next_root] = root
        else:
            roots[root] = next_root
    for basin in range(roots.size):
        roots[basin] = find(roots, basin)
    return roots
