# SPDX-License-Identifier: GPL-3.0-or-later
"""Greedy triangulation of a surface within an error.

The point with the largest error is inserted into a Delaunay triangulation until none exceeds the
allowed one (Garland and Heckbert, "Fast polygonal approximation of terrains and height fields",
1995). Points are inserted in rounds with a halving tolerance, which spares a queue and costs a few
more points.
"""

from typing import Any, NamedTuple

import numpy as np

from ...base.kernels.jit import kernel
from .delaunay import cell_of, following_edge, insert, make_delaunay, set_triangle


class Surface(NamedTuple):
    """Surface to approximate.

    high: (layers, rows, cols) float64, values at the vertices, interpolated linearly. low: the
    same, or -inf where triangles may lie anywhere below, and are not needed. row_step, col_step:
    sides of a cell. border_error: tolerance at the border.
    """

    high: Any
    low: Any
    row_step: float
    col_step: float
    border_error: float


@kernel
def start(net, surface):
    """Two triangles over the whole rectangle."""
    _, rows, cols = surface.high.shape
    net.vertices[0] = 0
    net.vertices[1] = cols - 1
    net.vertices[2] = rows * cols - 1
    net.vertices[3] = (rows - 1) * cols
    net.count[0] = 4
    net.count[1] = 2
    set_triangle(net, 0, 0, 1, 2, -1, -1, 3)
    set_triangle(net, 1, 0, 2, 3, 2, -1, -1)
    _measure(net, surface, 0)
    _measure(net, surface, 1)


@kernel
def refine(net, surface, allowed):
    """Insert points until no triangle exceeds the error `allowed`; returns False if space runs
    out.
    """
    waiting = _find_waiting(net, allowed)
    # a point is inserted once, and each triangle then measured meets the tolerance or gets another
    while waiting > 0:
        triangle = net.waiting[waiting - 1]
        if net.error[triangle] <= allowed:
            waiting -= 1
        elif net.count[1] + 2 > net.error.size or net.count[0] + 1 > net.vertices.size:
            return False
        else:
            cols = surface.high.shape[2]
            first = insert(net, cols, triangle)
            first = make_delaunay(net, cols, surface.row_step, surface.col_step, first)
            waiting = _measure_around(net, surface, first, allowed, waiting)
        if waiting == 0:
            waiting = _find_waiting(net, allowed)  # triangles that did not fit into the list
    return True


@kernel
def _find_waiting(net, allowed):
    """List the triangles that exceed the tolerance; returns their number."""
    waiting = 0
    for triangle in range(net.count[1]):
        if net.error[triangle] > allowed:
            net.waiting[waiting] = triangle
            waiting += 1
    return waiting


@kernel
def _measure_around(net, surface, first, allowed, waiting):
    """Measure the triangles around a new point, and list those that exceed the tolerance; returns
    the length of the list.
    """
    triangle = first
    again = True
    while again:  # once around the point
        _measure(net, surface, triangle)
        if net.error[triangle] > allowed and waiting < net.waiting.size:
            net.waiting[waiting] = triangle
            waiting += 1
        following = net.twins[3 * triangle + 1]
        triangle = following // 3
        again = following >= 0 and triangle != first
    return waiting


@kernel
def _measure(net, surface, triangle):
    """Find the point of a triangle with the largest error in any layer, and whether it covers
    anything.

    The border is measured along its edges only, so its vertices do not depend on the interior.
    """
    cols = surface.high.shape[2]
    edge = 3 * triangle
    net.error[triangle] = 0.0
    net.worst[triangle] = -1
    net.covers[triangle] = False
    a = cell_of(net, net.corners[edge], cols)
    b = cell_of(net, net.corners[edge + 1], cols)
    c = cell_of(net, net.corners[edge + 2], cols)
    for layer in range(surface.high.shape[0]):
        _measure_inside(net, surface.high[layer], surface.low[layer], triangle, a, b, c)
    if not net.covers[triangle]:
        net.error[triangle] = 0.0
        return
    for side in range(edge, edge + 3):
        if net.twins[side] < 0:
            start = net.vertices[net.corners[side]]
            end = net.vertices[net.corners[following_edge(side)]]
            for layer in range(surface.high.shape[0]):
                high = surface.high[layer].ravel()
                low = surface.low[layer].ravel()
                _measure_border(
                    net,
                    high,
                    low,
                    cols,
                    surface.border_error,
                    triangle,
                    min(start, end),
                    max(start, end),
                )


@kernel
def _measure_inside(net, high, low, triangle, a, b, c):
    """`_measure` for the points (row, col) in and on the triangle a, b, c that are not on the
    border.
    """
    rows, cols = high.shape
    row_a, col_a = a
    row_b, col_b = b
    row_c, col_c = c
    double_area = (col_b - col_a) * (row_c - row_a) - (col_c - col_a) * (row_b - row_a)
    up_b = high[b] - high[a]
    up_c = high[c] - high[a]
    by_row = ((col_b - col_a) * up_c - (col_c - col_a) * up_b) / double_area
    by_col = ((row_c - row_a) * up_b - (row_b - row_a) * up_c) / double_area
    worst = -1
    error = net.error[triangle]
    covers = net.covers[triangle]
    for row in range(min(row_a, row_b, row_c), max(row_a, row_b, row_c) + 1):
        first = 0
        last = cols - 1
        # Left of an edge that goes down in rows or right of one that goes up is outside; whole
        # numbers, so exact.
        for start, end in ((a, b), (b, c), (c, a)):
            fall = end[0] - start[0]
            across = (row - start[0]) * (end[1] - start[1])
            if fall < 0:
                first = max(first, start[1] - (across // -fall))
            elif fall > 0:
                last = min(last, start[1] + across // fall)
        inner_row = 0 < row < rows - 1
        at_row = high[a] + by_row * (row - row_a) - by_col * col_a
        for col in range(first, last + 1):
            at = at_row + by_col * col
            off = max(low[row, col] - at, at - high[row, col])
            covers |= low[row, col] != -np.inf
            if off > error and inner_row and 0 < col < cols - 1:
                error = off
                worst = row * cols + col
    net.covers[triangle] = covers
    corner = (
        worst == row_a * cols + col_a
        or worst == row_b * cols + col_b
        or worst == row_c * cols + col_c
    )
    if worst >= 0 and not corner:  # a corner is off by rounding alone
        net.error[triangle] = error
        net.worst[triangle] = worst


@kernel
def _measure_border(net, high, low, cols, border_error, triangle, start, end):
    """`_measure` for the points between two on the border, from the lower flat index to the
    higher.
    """
    step = cols if (end - start) % cols == 0 else 1
    count = (end - start) // step
    error = border_error
    for number in range(1, count):
        at = high[start] + (high[end] - high[start]) * (number / count)
        cell = start + number * step
        off = max(low[cell] - at, at - high[cell])
        if off > error:
            error = off
            net.error[triangle] = np.inf
            net.worst[triangle] = cell
