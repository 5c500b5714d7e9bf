# SPDX-License-Identifier: GPL-3.0-or-later
"""Intersection of a line of sight with the ground, on the grid of heights.

A tree of faces would be rebuilt after each dab.
"""

import math
from typing import Any, NamedTuple

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ...grid.sampling import sample
from ..terrain.lattice import Array, Lattice


class Frame(NamedTuple):
    """Between the world and the grid of a terrain. to_grid: world → column, row, height in meters;
    to_world: back.
    """

    to_grid: Any
    to_world: Any
    spacing: tuple[float, float]


def frame_of(obj: bpy.types.Object, lattice: Lattice, place: Array) -> Frame:
    """The frame of an object whose vertices lie at `place` (vertices, 3)."""
    low, per_meter = lattice.frame(place)
    size = (
        per_meter[0] * lattice.spacing[1],
        per_meter[1] * lattice.spacing[0],
        1.0 / lattice.scale_z,
    )
    local = Matrix.LocRotScale((low[0], low[1], 0.0), None, size)
    to_world = obj.matrix_world @ local
    return Frame(to_world.inverted_safe(), to_world, lattice.spacing)


def meters(frame: Frame, world: Any) -> tuple[float, float]:
    """A place of the world in meters from the first vertex of the grid, along x and y."""
    col, row, _ = frame.to_grid @ Vector(world)
    return col * frame.spacing[1], row * frame.spacing[0]


def hit(
    elevation: Array, levels: tuple[float, float], frame: Frame, origin: Any, direction: Any
) -> tuple[float, float] | None:
    """Column and row where a line from `origin` (world) along `direction` first meets the ground;
    None where it passes by. elevation: (rows, cols) m, all of it between the two levels.
    """
    start = frame.to_grid @ Vector(origin)
    way = frame.to_grid @ (Vector(origin) + Vector(direction)) - start
    first = 0.0
    last = math.inf
    tops = (elevation.shape[1] - 1.0, elevation.shape[0] - 1.0, levels[1] + 1e-6)
    lows = (0.0, 0.0, levels[0] - 1e-6)
    for at, step, low, high in zip(start, way, lows, tops, strict=True):
        if abs(step) < 1e-12:
            if not low <= at <= high:
                return None
            continue
        ends = sorted(((low - at) / step, (high - at) / step))
        first = max(first, ends[0])
        last = min(last, ends[1])
    if not first <= last < math.inf:
        return None
    # Two looks for each cell on the way: a ridge that is thinner than that is none of the grid's.
    looks = 2 + math.ceil(2 * (last - first) * max(abs(way[0]), abs(way[1])))
    along = np.linspace(first, last, looks)
    cols = start[0] + along * way[0]
    rows = start[1] + along * way[1]
    over = start[2] + along * way[2] - sample(elevation, rows, cols)
    below = np.flatnonzero(over <= 0)
    if not below.size:
        return None
    at = int(below[0])
    part = over[at - 1] / (over[at - 1] - over[at]) if at else 0.0
    distance = along[at - 1] + part * (along[at] - along[at - 1]) if at else along[0]
    return start[0] + distance * way[0], start[1] + distance * way[1]


def ring(
    elevation: Array, frame: Frame, middle: tuple[float, float], radius: float, points: int = 64
) -> list[Any]:
    """Points of a circle of a radius (m) on the ground around a column and row, in the world."""
    turn = np.linspace(0.0, 2 * math.pi, points, endpoint=False)
    cols = middle[0] + radius / frame.spacing[1] * np.cos(turn)
    rows = middle[1] + radius / frame.spacing[0] * np.sin(turn)
    heights = sample(elevation, rows, cols)
    return [frame.to_world @ Vector(place) for place in zip(cols, rows, heights, strict=True)]
