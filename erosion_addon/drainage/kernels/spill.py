# SPDX-License-Identifier: GPL-3.0-or-later
"""Pits that hold a part of their water: a tree of depressions, and what flows from one to another.

Leaves of the tree are the basins of pits, from 1 on; 0 is all that drains. Where two depressions meet over their lowest
pass, they are the children of a larger one, until one is met that water leaves: over that pass it runs out.

Source: Barnes, Callaghan, Wickert, "Computing water flow through complex landscapes – Part 3: Fill–Spill–Merge" (2021).
"""

from typing import NamedTuple

import numpy as np

from ...kernels.compile import kernel, lean
from .receivers import neighbor


class Tree(NamedTuple):
    """Depressions by number: leaves as basins are labeled, then the larger ones, each after its children."""

    parent: np.ndarray
    """int64; 0 for those that spill to what drains, and 0 itself."""
    children: np.ndarray
    """(depressions, 2) int64, 0 for leaves."""
    spill: np.ndarray
    """m, the pass over which water runs out."""
    beyond: np.ndarray
    """int64, the leaf on the other side of that pass."""


@lean
def _find(roots, leaf):
    """The largest depression so far that holds a leaf."""
    while roots[leaf] != leaf:
        roots[leaf] = roots[roots[leaf]]
        leaf = roots[leaf]
    return leaf


@kernel
def grow(heights, network, labels, links, tree, outer):
    """Fill the tree, of zeros, from the passes of the minimum spanning tree, lowest first. outer: (basins,) int64,
    filled with the depressions that spill to what drains, each after the one that its water runs to. Returns how many
    of those there are, and the number of depressions, 0 among them.

    labels, links: as of `basins.span`, the links in order.
    """
    roots = np.arange(tree.parent.size)
    count, made = 0, links.shape[0] + 1
    for link in range(links.shape[0]):
        cell, other = links[link, 0], neighbor(network, links[link, 0], links[link, 1])
        height = max(heights[cell], heights[other])
        first, second = np.int64(labels[cell]), np.int64(labels[other])
        one, two = _find(roots, first), _find(roots, second)
        if one == 0 or two == 0:
            if one == 0:
                one, first, second = two, second, first
            tree.spill[one], tree.beyond[one] = height, second
            roots[one] = 0
            outer[count] = one
            count += 1
            continue
        tree.spill[one] = tree.spill[two] = height
        tree.beyond[one], tree.beyond[two] = second, first
        tree.parent[one] = tree.parent[two] = made
        tree.children[made, 0], tree.children[made, 1] = one, two
        roots[one] = roots[two] = made
        made += 1
    return count, made


@lean
def _reach(tree, far, depth):
    """`far`: a depression for each that holds it, so far up that a way of n parents takes some log n steps. depth: how
    many parents each has; both int64 by depression, 0 before.

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
    """`rooms`: m³ that each depression holds up to its spill; 0 before. area: m² of a cell."""
    below = np.zeros(rooms.size, np.int64)  # cells below the spill, which in a larger depression are deeper by a step
    far = np.zeros(rooms.size, np.int64)
    _reach(tree, far, np.zeros(rooms.size, np.int64))
    for cell in range(heights.size):
        height, holding = heights[cell], np.int64(labels[cell])
        while holding != 0 and tree.spill[holding] <= height:
            beyond = far[holding]
            holding = beyond if beyond != 0 and tree.spill[beyond] <= height else tree.parent[holding]
        if holding != 0:
            below[holding] += 1
            rooms[holding] += (tree.spill[holding] - height) * area
    for depression in range(1, rooms.size):
        parent = tree.parent[depression]
        if parent != 0:
            below[parent] += below[depression]
            step = tree.spill[parent] - tree.spill[depression]
            rooms[parent] += rooms[depression] + below[depression] * step * area


@lean
def _pour(tree, water, leaf, last, amount):
    """Add an amount to a leaf and to all that hold it, up to `last` or to the largest one."""
    while leaf != 0:
        water[leaf] += amount
        if leaf == last:
            return
        leaf = tree.parent[leaf]


@kernel
def fill(tree, outer, rooms, water, lakes):
    """Let water fill depressions, spill and merge; returns the m³ that run out of all.

    water: m³ that run to each leaf, 0 for what is larger; in the end what each depression holds. lakes: int64 by
    depression, 0 before, filled with the largest depression that holds it and stands at one level: itself for a leaf
    that is not full, and 0 for what is larger than one lake.
    """
    for depression in range(1, rooms.size):  # each before its parent
        parent = tree.parent[depression]
        if parent != 0:
            water[parent] += water[depression]
    out = 0.0
    for place in range(outer.size - 1, -1, -1):  # what flows to others comes before them
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
        one, two = tree.children[depression]
        if one == 0 or water[depression] >= rooms[one] + rooms[two]:
            lakes[depression] = depression
            continue
        if water[one] > rooms[one]:
            one, two = two, one
        over = water[two] - rooms[two]
        if over > 0.0:
            water[two] = rooms[two]
            _pour(tree, water, tree.beyond[two], one, over)
    return out


@kernel
def settle(heights, owners, order, water, rooms, spills, area, levels):
    """`levels`: m at which the water of each lake stands: at its lowest cell without any, at its spill if it is full.

    owners: by cell, its lake, 0 for none. order: the cells of lakes, by lake and then by height.
    """
    place = 0
    while place < order.size:
        lake = owners[order[place]]
        level, left, count = heights[order[place]], water[lake], 0
        while place < order.size and owners[order[place]] == lake:
            height = heights[order[place]]
            step = (height - level) * count * area
            if count > 0 and left < step:
                break
            left -= step
            level = height
            count += 1
            place += 1
        levels[lake] = spills[lake] if water[lake] >= rooms[lake] else min(level + left / (count * area), spills[lake])
        while place < order.size and owners[order[place]] == lake:
            place += 1
