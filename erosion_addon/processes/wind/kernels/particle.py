# SPDX-License-Identifier: GPL-3.0-or-later
"""Wind particles: values, entry to the terrain, and passage between tiles."""

import math
from typing import Any, NamedTuple

import numpy as np

from ....base.kernels import rng
from ....base.kernels.ghost_cells import WRAP
from ....base.kernels.jit import allocation_free, inlined
from ...shared.kernels.particle_queues import Pool, queued, start_cell
from .surface import CELL, deposit

REACH = 16
"""Cells beyond its tile on which a particle may still deposit: far more than its path in a step of
any ordinary wind. With the heap around the last one, particles on a tile touch up to `REACH + 1`
cells beyond it.
"""

NO_END = 2**62
"""More steps than any particle takes."""

STEP = 7
"""Column of a particle's step count."""

WAY = 8
"""Column of a particle's path length."""

LANDING = 64
"""Steps in which ending particles land: enough to leave no visible heaps."""


class Particle(NamedTuple):
    """State of a particle between two steps."""

    z: float
    """Position along a column, and x along a row, in cells."""
    x: float
    y: float
    vz: float
    vx: float
    vy: float
    load: float
    step: int
    """Steps taken."""
    way: float
    """Path length in steps of speed 1; only the boundary layer counts it."""


def spans(rows: int, cols: int) -> dict[int, tuple[float, float]]:
    """Ranges of the values of a particle that have one, on a terrain of (rows, cols) cells."""
    return {
        0: (0.0, math.nextafter(rows, 0)),
        1: (0.0, math.nextafter(cols, 0)),
        STEP: (0.0, 2.0**53),
        WAY: (0.0, 2.0**53),
    }


@inlined
def particle_in(pool, slot):
    """Particle in a slot."""
    values = pool.numbers[slot]
    return Particle(
        values[0],
        values[1],
        values[2],
        values[3],
        values[4],
        values[5],
        values[6],
        int(values[7]),
        values[8],
    )


@inlined
def keep(pool, slot, particle):
    """Store a particle in a slot."""
    values = pool.numbers[slot]
    values[0] = particle.z
    values[1] = particle.x
    values[2] = particle.y
    values[3] = particle.vz
    values[4] = particle.vx
    values[5] = particle.vy
    values[6] = particle.load
    values[7] = particle.step
    values[8] = particle.way


def lay_down(pool: Pool, ground: np.ndarray, masks: np.ndarray | None) -> float:
    """Deposit the load of all particles in flight where they are; returns the part that masks kept
    in them.
    """
    rest: float = _lay_down(queued(pool), pool, ground, masks)
    return rest


@allocation_free
def _lay_down(slots, pool, ground, masks):
    size = ground.shape[0] * ground.shape[1]
    line = CELL * np.uintp(ground.shape[1])
    cells = ground.reshape(2 * size)
    shares = None if masks is None else masks.reshape(size, masks.shape[2])
    rest = 0.0
    for slot in slots:
        particle = particle_in(pool, slot)
        at = np.uintp(int(particle.z)) * line + CELL * np.uintp(int(particle.x))
        rest += particle.load - deposit(cells, shares, at, particle.load)
    return rest


def land(pool: Pool, constants: Any) -> Any:
    """Constants that let all particles in flight land: each is in the last quarter of its life,
    lifts nothing, and deposits its load bit by bit.
    """
    pool.numbers[queued(pool), STEP] = 3 * LANDING
    return constants._replace(maximum_steps=4 * LANDING)


class Bounds(NamedTuple):
    """Bounds of one tile; infinite if the ground is not tiled."""

    first_row: float
    end_row: float
    first_col: float
    end_col: float


@allocation_free
def bounds_of(tiles, tile):
    """Where a tile ends: nowhere along an axis that it has for itself."""
    down = tiles.row_edges.size - 1
    across = tiles.col_edges.size - 1
    row = tile // across
    col = tile % across
    first_row = -math.inf
    end_row = math.inf
    first_col = -math.inf
    end_col = math.inf
    if down > 1:
        first_row = float(tiles.row_edges[row])
        end_row = float(tiles.row_edges[row + 1])
    if across > 1:
        first_col = float(tiles.col_edges[col])
        end_col = float(tiles.col_edges[col + 1])
    return Bounds(first_row, end_row, first_col, end_col)


@inlined
def near_tile(z, x, bounds):
    """Whether a position lies within `REACH` of a tile."""
    near_row = bounds.first_row - REACH <= z < bounds.end_row + REACH
    return near_row and bounds.first_col - REACH <= x < bounds.end_col + REACH


@allocation_free
def anywhere(start, sources, rows, cols):
    """Place (z, x) by cumulated weights of cells, or with the same chance all over the terrain."""
    chance = rng.uniform(start, 0)
    along = rng.uniform(start, 1)
    if sources is None:
        return chance * rows, along * cols
    cell = start_cell(chance, sources, rows * cols)
    return cell // cols + 0.5, cell % cols + 0.5


@allocation_free
def start_place(start, sources, shape, wind, constants):
    """Place (z, x) where a particle enters: `anywhere` with sources or where edges wrap, else on a
    windward edge.
    """
    rows = shape[0]
    cols = shape[1]
    if sources is not None or constants.edges == WRAP:
        return anywhere(start, sources, rows, cols)
    wind_row, wind_col = wind
    chance = rng.uniform(start, 0)
    along = rng.uniform(start, 1)
    # the edge's length across the wind, in cells
    across = abs(wind_col) * constants.col_step * rows
    if chance * (across + abs(wind_row) * constants.row_step * cols) < across:
        return along * rows, 0.5 if wind_col > 0.0 else cols - 0.5
    return 0.5 if wind_row > 0.0 else rows - 0.5, along * cols
