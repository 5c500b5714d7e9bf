# SPDX-License-Identifier: GPL-3.0-or-later
"""Approximation of a shape by a few spheres, for soft shadows."""

import numpy as np

from ..base.arrays import Array

SAMPLES = 512
"""Sample points of a surface."""


def surface_points(vertices: Array, triangles: Array) -> Array:
    """The vertices of a mesh and points spread evenly over its faces, so that a box of eight
    vertices has sides.

    vertices: (count, 3); triangles: (count, 3) indices of vertices. The points are the same each
    time: a sequence by the two-dimensional golden ratio, with even gaps (Roberts, "The unreasonable
    effectiveness of quasirandom sequences", 2018).
    """
    vertices = np.asarray(vertices, np.float64)
    first, second, third = (vertices[triangles[:, corner]] for corner in range(3))
    area = np.linalg.norm(np.cross(second - first, third - first), axis=1)
    if not area.sum() > 0:
        return vertices
    number = np.arange(SAMPLES) + 0.5
    picks = np.searchsorted(area.cumsum() / area.sum(), number / SAMPLES).clip(max=len(area) - 1)
    along = (number * 0.7548776662466927) % 1
    across = (number * 0.5698402909980532) % 1
    along, across = np.where(along + across > 1, (1 - along, 1 - across), (along, across))
    corner = first[picks]
    inside = (
        corner
        + along[:, None] * (second[picks] - corner)
        + across[:, None] * (third[picks] - corner)
    )
    return np.concatenate([vertices, inside])


def fit_spheres(points: Array, count: int) -> Array:
    """Spheres (up to count, 4), x, y, z, radius, in place of the shape that points (any, 3) of its
    surface show.

    The box about the points is cut across its longest side, so often that `count` parts are about
    as large. The box of each becomes the sphere that throws as large a shadow, on average over all
    directions, as the ellipsoid in it. A ball stays itself.
    """
    # Of radius √((ab + bc + ca) / 3) with half sides a, b, c, as a convex body's average shadow is
    # a quarter of its surface (Cauchy).
    parts = _parts(points, count)
    low = np.array([part.min(axis=0) for part in parts])
    high = np.array([part.max(axis=0) for part in parts])
    a, b, c = ((high - low) / 2).T
    radius = np.sqrt((a * b + b * c + c * a) / 3)
    spheres: Array = np.column_stack([(low + high) / 2, radius])[radius > 0]
    return spheres


def _parts(points: Array, count: int) -> list[Array]:
    low = points.min(axis=0)
    sides = np.ptp(points, axis=0)
    if count == 1 or not sides.any():
        return [points]
    # the first of equal ones, whatever their last digits
    axis = int(np.argmax(sides > 0.99 * sides.max()))
    fewer = count // 2
    upper = points[:, axis] > low[axis] + sides[axis] * fewer / count
    return _parts(points[~upper], fewer) + _parts(points[upper], count - fewer)
