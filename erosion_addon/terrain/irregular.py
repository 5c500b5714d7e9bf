# SPDX-License-Identifier: GPL-3.0-or-later
"""Causes for which the vertices of a mesh form no grid, from its faces and edges."""

from dataclasses import dataclass

import numpy as np

from ..base.arrays import Array
from ..base.errors import InputError


@dataclass(frozen=True, eq=False)
class Structure:
    """Topology of a mesh.

    edges: (count, 2) vertices. corners: (count,) vertex of each corner of a face. largest: corners
    of the largest face. hidden: vertices that Edit Mode hides.
    """

    edges: Array
    corners: Array
    largest: int
    hidden: int


def cause(name: str, points: Array, structure: Structure) -> InputError | None:
    """Reason why a mesh is not a grid, with its remedy; None if not found in its faces or edges.

    name: of the mesh. points: (vertices, 3), finite.
    """
    count = len(points)
    loose = np.flatnonzero(np.bincount(structure.corners, minlength=count) == 0)
    if 0 < len(loose) < count:
        return InputError(
            "{name} has vertices without a face ({count}, first: {first}); delete loose "
            "geometry in Edit Mode (Mesh > Clean Up > Delete Loose)."
        ).format(name=name, count=len(loose), first=loose[0])
    doubled = _doubled(points)
    if len(doubled):
        return InputError(
            "{name} has vertices that lie exactly on others ({count}, first: {first}); merge "
            "them by distance in Edit Mode (Mesh > Merge > By Distance)."
        ).format(name=name, count=len(doubled), first=doubled[0])
    if structure.hidden:
        return InputError(
            "{name} has hidden vertices ({hidden}), which count too; reveal them in Edit Mode "
            "with Alt H, and delete any outside the grid."
        ).format(name=name, hidden=structure.hidden)
    parts = _parts(structure.edges, count) if len(structure.edges) else 1
    if parts > 1:
        return InputError(
            "{name} consists of {parts} loose parts; separate them in Edit Mode (Mesh > "
            "Separate > By Loose Parts) and erode each, or make one grid of all."
        ).format(name=name, parts=parts)
    if structure.largest > 4:
        return InputError(
            "{name} has faces of up to {largest} corners, and no vertices within them; make a grid "
            "of it."
        ).format(name=name, largest=structure.largest)
    return None


def _doubled(points: Array) -> Array:
    """Vertices at the very place of another with a lower number, in ascending order."""
    order = np.lexsort((*points.T,))
    same = (points[order[1:]] == points[order[:-1]]).all(axis=1)
    return np.sort(order[1:][same])


def _parts(edges: Array, count: int) -> int:
    """Number of connected parts of `count` vertices."""
    part = np.arange(count)
    while True:
        lowest = np.minimum(part[edges[:, 0]], part[edges[:, 1]])
        before = part.copy()
        for end in (0, 1):
            np.minimum.at(part, part[edges[:, end]], lowest)
            np.minimum.at(part, edges[:, end], lowest)
        while not np.array_equal(part, part[part]):
            part = part[part]
        if np.array_equal(part, before):
            return len(np.unique(part))
