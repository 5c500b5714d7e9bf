# SPDX-License-Identifier: GPL-3.0-or-later
"""Partially filled pits: a tree of depressions, and the flow between them.

Leaves of the tree are the basins of pits, from 1 on; 0 is everything that drains. Two depressions
that meet at their lowest pass are the children of a larger one. A depression whose pass leads to
draining ground spills there.

Source: Barnes, Callaghan, Wickert, "Computing water flow through complex landscapes – Part 3:
Fill–Spill–Merge" (2021).
"""

from typing import NamedTuple

import numpy as np

from ...base.kernels.jit import allocation_free, kernel
from .basins import find
from .receivers import neighbor


class Tree(NamedTuple):
    """Tree of depressions: leaves in the order of basin labels, then the larger ones, children
    first.
    """

    parent: np.ndarray
    """int64; 0 for depressions that spill to draining ground, and for 0 itself."""
    children: np.ndarray
    """(depressions, 2) int64, 0 for leaves."""
    spill: np.ndarray
    """m, level of the pass over which water spills."""
    beyond: np.ndarray
    """int64, leaf on the other side of that pass."""


@kernel
def grow(heights, network, labels, links, tree, outer):
    """Build the tree (zeros before) from the passes of the minimum spanning tree, lowest first.

    labels, links: see `basins.span`, the links sorted. outer: (basins,) int64, filled with the
    depressions that spill to draining ground, each after its receiver. Returns the length of
    `outer`, and the number of depressions including 0.
    """
    roots = np.arange(tree.parent.size)
    count = 0
    depressions = links.shape[0] + 1
    for link in range(links.shape[0]):
        cell = links[link, 0]
        next_cell = neighbor(network, links[link, 0], links[link, 1])
        height = max(heights[cell], heights[next_cell])
        first = np.int64(labels[cell])
        second = np.int64(labels[next_cell])
        root = find(roots, first)
        next_root = find(roots, second)
        if root == 0 or next_root == 0:
            if root == 0:
                root, first, second = next_root, second, first
            tree.spill[root] = height
            tree.beyond[root] = second
            roots[root] = 0
            outer[count] = root
            count += 1
            continue
        tree.spill[root] = tree.spill[next_root] = height
        tree.beyond[root] = second
        tree.beyond[next_root] = first
        tree.parent[root] = tree.parent[next_root] = depressions
        tree.children[depressions, 0] = root
        tree.children[depressions, 1] = next_root
        roots[root] = roots[next_root] = depressions
        depressions += 1
    return count, depressions


@allocation_free
def _reach(tree, far, depth):
    """Fill `far` with skip pointers, so that a search over n ancestors takes about log n steps, and
    `depth` with the number of ancestors. Both are int64 by depression, 0 before.

    Source: Myers, "An applicative random-access stack" (1983).
    """
    for depression in range(far.size - 1, 0, -1):  # each after its parent
        parent = tree.parent[depression]
        near = far[parent]
        even = depth[parent] - depth[near] == depth[near] - depth[far[near]]
        far[depression] = far[near] if even else parent
        depth[depression] = depth[parent] + 1


@kernel
def measure(heights, labels, tree, area, rooms):
    """Fill `rooms` (0 before) with the capacity of each depression up to its spill level, in m³.
    area: m² of a cell.
    """
    # cells below the spill, which in a larger depression are deeper by a step
    below = np.zeros(rooms.size, np.int64)
    far = np.zeros(rooms.size, np.int64)
    _reach(tree, far, np.zeros(rooms.size, np.int64))
    for cell in range(heights.size):
        height = heights[cell]
        holding = np.int64(labels[cell])
        # to the root at most; of no number is that true
        while holding != 0 and tree.spill[holding] <= height:
            beyond = far[holding]
            holding = (
                beyond if beyond != 0 and tree.spill[beyond] <= height else tree.parent[holding]
            )
        if holding != 0:
            below[holding] += 1
            rooms[holding] += (tree.spill[holding] - height) * area
    for depression in range(1, rooms.size):
        parent = tree.parent[depression]
        if parent != 0:
            below[parent] += below[depression]
            step = tree.spill[parent] - tree.spill[depression]
            rooms[parent] += rooms[depression] + below[depression] * step * area


@allocation_free
def _pour(tree, water, leaf, last, amount):
    """Add an amount to a leaf and its ancestors, up to `last` or to the largest."""
    while leaf != 0:  # from child to parent, to the root
        water[leaf] += amount
        if leaf == last:
            return
        leaf = tree.parent[leaf]


@kernel
def fill_and_spill(tree, outer, rooms, water, lakes):
    """Let water fill depressions, spill and merge; returns the outflow in m³.

    water: m³ that reach each leaf, 0 for larger ones; on return, the contents of each depression.
    lakes: int64 by depression, 0 before; on return, the largest depression around it with a common
    water level: itself for a leaf that is not full, 0 for depressions larger than one lake.
    """
    for depression in range(1, rooms.size):  # each before its parent
        parent = tree.parent[depression]
        if parent != 0:
            water[parent] += water[depression]
    out = 0.0
    for place in range(outer.size - 1, -1, -1):  # donors come before their receivers
        root = outer[place]
        over = water[root] - rooms[root]
        if over > 0.0:
            water[root] = rooms[root]
            if tree.beyond[root] == 0:
                out += over
            else:
                _pour(tree, water, tree.beyond[root], 0, over)
    for depression in range(rooms.size - 1, 0, -1):  # each after its parent
        parent = tree.parent[depression]
        if lakes[parent] != 0:
            lakes[depression] = lakes[parent]
            continue
        left, right = tree.children[depression]
        if left == 0 or water[depression] >= rooms[left] + rooms[right]:
            lakes[depression] = depression
            continue
        if water[left] > rooms[left]:
            left, right = right, left
        over = water[right] - rooms[right]
        if over > 0.0:
            water[right] = rooms[right]
            _pour(tree, water, tree.beyond[right], left, over)
    return out


@kernel
def lake_levels(heights, owners, order, water, rooms, spills, area, levels):
    """Fill `levels` with the water level of each lake in m: its lowest cell if empty, its spill
    level if full.

    owners: lake of each cell, 0 for none. order: cells of lakes, sorted by lake and height.
    """
    place = 0
    while place < order.size:
        lake = owners[order[place]]
        level = heights[order[place]]
        left = water[lake]
        count = 0
        while place < order.size and owners[order[place]] == lake:
            height = heights[order[place]]
            step = (height - level) * count * area
            if count > 0 and left < step:
                break
            left -= step
            level = height
            count += 1
            place += 1
        levels[lake] = (
            spills[lake]
            if water[lake] >= rooms[lake]
            else min(level + left / (count * area), spills[lake])
        )
        while place < order.size and owners[order[place]] == lake:
            place += 1
