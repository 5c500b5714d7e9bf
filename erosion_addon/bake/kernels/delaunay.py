# SPDX-License-Identifier: GPL-3.0-or-later
"""Incremental Delaunay triangulation of grid points.

Half-edge i leads from corner i to the next corner of its triangle, i // 3; its twin is the reverse
in the neighbor. A new point splits the triangle or two that contain it, and flips restore the
Delaunay property around it (Lawson 1977).
"""

from typing import Any, NamedTuple

from ...base.kernels.jit import kernel

FLAT = 1e-12
"""Relative size below which a determinant may be rounding; smaller values cause flips that undo
each other.
"""


class Triangulation(NamedTuple):
    """A triangulation of a rectangle of rows × cols points, with room for more.

    vertices: (room,) int64, flat index of each vertex's grid point. corners: (3 room,) int32,
    vertices of the triangles, counterclockwise in (col, row). twins: (3 room,) int32, -1 at the
    border. worst: (room,) int64, the point farthest off each triangle, and error: (room,) float64,
    how far; inf for one that the border needs. covers: (room,) bool, whether a triangle covers
    anything that counts. waiting: (room,) int32, triangles to be looked at. count: (2,) int64,
    vertices and triangles there are.
    """

    vertices: Any
    corners: Any
    twins: Any
    worst: Any
    error: Any
    covers: Any
    waiting: Any
    count: Any


@kernel
def set_triangle(net, triangle, a, b, c, beside_ab, beside_bc, beside_ca):
    """Set the vertices and neighboring half-edges of `triangle`."""
    edge = 3 * triangle
    net.corners[edge] = a
    net.corners[edge + 1] = b
    net.corners[edge + 2] = c
    net.twins[edge] = beside_ab
    net.twins[edge + 1] = beside_bc
    net.twins[edge + 2] = beside_ca
    if beside_ab >= 0:
        net.twins[beside_ab] = edge
    if beside_bc >= 0:
        net.twins[beside_bc] = edge + 1
    if beside_ca >= 0:
        net.twins[beside_ca] = edge + 2


@kernel
def cell_of(net, vertex, cols):
    """(row, col) of a vertex."""
    cell = net.vertices[vertex]
    return cell // cols, cell % cols


@kernel
def following_edge(edge):
    """Next half-edge of the same triangle."""
    return edge - 2 if edge % 3 == 2 else edge + 1


@kernel
def edge_before(edge):
    """Previous half-edge of the same triangle."""
    return edge + 2 if edge % 3 == 0 else edge - 1


@kernel
def insert(net, cols, triangle):
    """Insert the worst point of `triangle` as the last corner of all triangles around it; returns
    one of them.
    """
    point = net.count[0]
    net.vertices[point] = net.worst[triangle]
    net.count[0] += 1
    row, col = cell_of(net, point, cols)
    for edge in range(3 * triangle, 3 * triangle + 3):
        row_0, col_0 = cell_of(net, net.corners[edge], cols)
        row_1, col_1 = cell_of(net, net.corners[following_edge(edge)], cols)
        if (col_1 - col_0) * (row - row_0) == (row_1 - row_0) * (col - col_0):
            return _split_edge(net, point, edge)
    edge = 3 * triangle
    second = net.count[1]
    third = net.count[1] + 1
    net.count[1] += 2
    a = net.corners[edge]
    b = net.corners[edge + 1]
    c = net.corners[edge + 2]
    beside_bc = net.twins[edge + 1]
    beside_ca = net.twins[edge + 2]
    set_triangle(net, triangle, a, b, point, net.twins[edge], -1, -1)
    set_triangle(net, second, b, c, point, beside_bc, -1, edge + 1)
    set_triangle(net, third, c, a, point, beside_ca, edge + 2, 3 * second + 1)
    return triangle


@kernel
def _split_edge(net, point, edge):
    """Split the triangles on both sides of `edge` (one at the border) at a point on it."""
    first = edge // 3
    twin = net.twins[edge]
    second = net.count[1]
    net.count[1] += 1
    u = net.corners[edge]
    v = net.corners[following_edge(edge)]
    w = net.corners[edge_before(edge)]
    beside_vw = net.twins[following_edge(edge)]
    beside_wu = net.twins[edge_before(edge)]
    set_triangle(net, first, v, w, point, beside_vw, -1, -1)
    set_triangle(net, second, w, u, point, beside_wu, -1, 3 * first + 1)
    if twin >= 0:
        third = twin // 3
        fourth = net.count[1]
        net.count[1] += 1
        xv = edge_before(twin)
        x = net.corners[xv]
        beside_ux = net.twins[following_edge(twin)]
        beside_xv = net.twins[xv]
        set_triangle(net, third, u, x, point, beside_ux, -1, 3 * second + 1)
        set_triangle(net, fourth, x, v, point, beside_xv, 3 * first + 2, 3 * third + 1)
    return first


@kernel
def make_delaunay(net, cols, row_step, col_step, triangle):
    """Flip outer edges around a new point until all are Delaunay in meters; returns the first
    triangle around it.

    Each triangle has the point as its last corner: its outer edge is the first, and the next
    triangle lies beyond the second.
    """
    first = triangle
    before = net.twins[3 * first + 2]
    # a point of the border has a first triangle around it
    while before >= 0 and before // 3 != triangle:
        first = before // 3
        before = net.twins[3 * first + 2]
    if before >= 0:
        first = triangle
    triangle = first
    again = True
    # once around the point; each flip adds an edge to it, of which there are as many as vertices
    while again:
        while _flip(net, cols, row_step, col_step, triangle):
            pass
        following = net.twins[3 * triangle + 1]
        triangle = following // 3
        again = following >= 0 and triangle != first
    return first


@kernel
def _flip(net, cols, row_step, col_step, triangle):
    """Flip the first edge of a triangle if the vertex beyond it lies in its circumcircle; returns
    whether it did.
    """
    edge = 3 * triangle
    twin = net.twins[edge]
    if twin < 0:
        return False
    next_to_a = following_edge(twin)
    next_to_b = edge_before(twin)
    a = net.corners[edge]
    b = net.corners[edge + 1]
    point = net.corners[edge + 2]
    beyond = net.corners[next_to_b]
    if not _in_circle(net, cols, row_step, col_step, a, b, point, beyond):
        return False
    beside_b = net.twins[edge + 1]
    beside_a = net.twins[next_to_a]
    beside_beyond = net.twins[next_to_b]
    beside_point = net.twins[edge + 2]
    neighbor = twin // 3
    set_triangle(net, triangle, a, beyond, point, beside_a, -1, beside_point)
    set_triangle(net, neighbor, beyond, b, point, beside_beyond, beside_b, edge + 1)
    return True


@kernel
def _in_circle(net, cols, row_step, col_step, a, b, c, point):
    """Whether a vertex lies inside the circle through three others: the sign of the usual
    determinant.
    """
    row, col = cell_of(net, point, cols)
    row_a, col_a = cell_of(net, a, cols)
    row_b, col_b = cell_of(net, b, cols)
    row_c, col_c = cell_of(net, c, cols)
    ax = (col_a - col) * col_step
    ay = (row_a - row) * row_step
    bx = (col_b - col) * col_step
    by = (row_b - row) * row_step
    cx = (col_c - col) * col_step
    cy = (row_c - row) * row_step
    aa = ax * ax + ay * ay
    bb = bx * bx + by * by
    cc = cx * cx + cy * cy
    terms = aa * (bx * cy - cx * by), bb * (cx * ay - ax * cy), cc * (ax * by - bx * ay)
    return terms[0] + terms[1] + terms[2] > FLAT * (abs(terms[0]) + abs(terms[1]) + abs(terms[2]))
