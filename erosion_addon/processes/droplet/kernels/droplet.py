# SPDX-License-Identifier: GPL-3.0-or-later
"""Droplet erosion: drops run downhill, pick up material and deposit it.

Source: Ranmantaru Games, "Water erosion on heightmap terrain" (2011). One cell is 1 × 1 here and
heights are in cells.
"""

import math
from typing import NamedTuple

import numpy as np

from ....base.kernels import rng
from ....base.kernels.ghost_cells import between
from ....base.kernels.jit import allocation_free, inlined, kernel
from ...shared.kernels.exchange import deposit, withheld
from ...shared.kernels.particle_queues import (
    COL,
    NONE,
    ROW,
    Pool,
    enter,
    fetch_queue,
    place_around,
    queued,
    start_cell,
)
from ...shared.kernels.tiles import Tiles, fetch, number_of_tiles, reach_of
from .motion import COLOR, DRAWS, LOAD, STEPS, WATER, Fields, footing, go_on, pick_up

NUMBERS = COLOR + 3
"""Values stored per drop on a tile."""

SPANS = {WATER: (0.0, 1.0), STEPS: (0.0, 2.0**53), DRAWS: (0.0, 2.0**53)}
"""Valid ranges of values that have one."""


class Constants(NamedTuple):
    """Constants of all drops; names and units as in `DropletParameters`."""

    capacity: float
    evaporation: float
    erosion_rate: float
    deposition_rate: float
    inertia: float
    minimum_slope: float
    gravity: float
    maximum_steps: int
    brush: bool
    sine_slope: bool
    color_depth: float
    edges: int
    row_step: float
    """Cells along a column per unit of length; 1 for square cells."""
    col_step: float
    patience: int = 2**62
    """Steps per visit of a tile after which no further drop starts there."""
    deposit_limit: float = math.inf
    """Greatest deposit in a step, in cells, not counting the filling of pits."""
    quarters: bool = False
    """Whether deposits are split evenly over the four cells; else by bilinear weights."""


class Totals(NamedTuple):
    """Totals of a run, one element per tile. Volumes in cells³."""

    eroded: np.ndarray
    exported: np.ndarray
    steps: np.ndarray
    paths_cut: np.ndarray
    random_directions: np.ndarray


def make_totals(tiles: Tiles) -> Totals:
    """Zero totals for a number of tiles."""
    count = number_of_tiles(tiles)
    return Totals(np.zeros(count), np.zeros(count), *(np.zeros(count, np.int64) for _ in range(3)))


@inlined
def _among(cell, cells):
    """Whether a sorted list contains a cell."""
    index = np.searchsorted(cells, cell)
    return index < cells.size and cells[index] == cell


@allocation_free
def start_drops(pool, tiles, sources, key, first_drop, last_drop, spread, spread_all):
    """Place the drops first_drop … last_drop - 1 on the tiles where they start.

    A drop starts on the corner of its cell, where the published gradient uses only cells behind it
    along both axes. sources: see `start_cell`. spread: (n,) int64, sorted cells in which drops
    start at random within half a cell of the corner; spread_all: whether all drops do.
    """
    rows = tiles.row_of.size
    cols = tiles.col_of.size
    for number in range(first_drop, last_drop):
        start = rng.stream(key, number)
        draws = 1.0
        cell = np.int64(start_cell(rng.uniform(start, 0), sources, rows * cols))
        z = float(cell // cols)
        x = float(cell % cols)
        if spread_all or _among(cell, spread):
            z, x = place_around(z, x, rng.uniform(start, 1), rng.uniform(start, 2), tiles)
            draws = 3.0
        slot = enter(pool, tiles, start, z, x)
        pool.numbers[slot, WATER] = 1.0
        pool.numbers[slot, DRAWS] = draws


@allocation_free
def run_tiles(worked, tiles, pool, ground, flow, color, masks, constants, totals):
    """Let the drops on the tiles `worked` run, two at a time, each until it leaves their reach or
    to its end; where there are many, as many as `patience` allows: the others wait on.

    A drop has a position, a direction of unit length, a height h, a load s, a speed v and water w =
    1. One step:

    1. gradient from the corners of its cell: gx = h00 + h01 - h10 - h11, gz likewise;
    2. direction = (direction - gradient) · inertia + gradient, normalized; a random one where that
       is flat;
    3. the next place lies one cell further, its height nh is bilinear;
    4. nh ≥ h: a pit. The drop fills it by nh - h + 0.001 and starts anew with v = 0, or drops all
       it has and ends;
    5. capacity q = max(slope, minimum_slope) · v · w · capacity, slope = h - nh or its sine;
    6. s > q: lays down min((s - q) · deposition_rate, deposit_limit) here; s < q: takes min((q - s)
       · erosion_rate, 0.99 (h - nh));
    7. v = √(v² + 2 gravity (h - nh)), w = w (1 - evaporation).

    Stability: no cell is ever lowered below nh, and the drop gains exactly what the cells lose.
    (The published form digs cells that lie lower than nh too, and diverges at edges that drops
    leave by.) Heights then stay between the lowest point there was and the highest plus what was
    laid down, for any parameters in range. The corner heights of the next cell are read before the
    brush changes them and reused, as in the source; a drop that comes from another tile reads them
    anew, with what its height has changed by as speed.

    A drop touches at most the cell before the reach of its tile and two behind it, on each axis.

    tiles, pool: see `particle_queues`. ground: (rows, cols, 2) float64, height of the surface and
    the loose part of it, in cells; changed in place. flow: (rows, cols) float32, water that passed,
    in drops; added to. color: (rows, cols, 3) float32, carried along by the drops and changed in
    place, or None. masks: (rows, cols, 4 or 6) float32, see `mask_layers`, or None. constants:
    `Constants`. totals: `Totals`. At an open edge the load that leaves is counted as exported, as
    is the load that a strength mask kept in a drop.
    """
    fields = Fields(ground, flow, color, masks)
    for tile in worked:
        fetch(pool, tiles, tile, ground[..., 0])
        fetch(pool, tiles, tile, flow)
        fetch_queue(pool, tile)
        reach = reach_of(tiles, tile)
        stop = totals.steps[tile] + constants.patience
        # While one of the two waits for its next place, the processor digs for the other.
        drop = pick_up(pool, tiles, tile, ground, constants)
        beside = pick_up(pool, tiles, tile, ground, constants)
        # each drop of the queue to its last step at most
        while drop.slot != NONE or beside.slot != NONE:
            if drop.slot != NONE:
                drop = go_on(drop, pool, tiles, tile, reach, fields, constants, totals, stop)
            if beside.slot != NONE:
                beside = go_on(beside, pool, tiles, tile, reach, fields, constants, totals, stop)


def lay_down(
    tiles: Tiles,
    pool: Pool,
    ground: np.ndarray,
    color: np.ndarray | None,
    masks: np.ndarray | None,
    constants: Constants,
) -> float:
    """Deposit the load of all drops in flight where they are; returns the part that masks kept in
    them.
    """
    rest: float = _lay_down(queued(pool), tiles, pool, ground, color, masks, constants)
    return rest


@allocation_free
def _lay_down(slots, tiles, pool, ground, color, masks, constants):
    rest = 0.0
    for slot in slots:
        drop = pool.numbers[slot]
        row, below, row_part = between(drop[ROW], tiles.last_row, tiles.row_of.size)
        col, right, col_part = between(drop[COL], tiles.last_col, tiles.col_of.size)
        place = footing((row, below, row_part, col, right, col_part), constants.quarters)
        deposited = deposit(
            ground, place, drop[LOAD], masks, color, drop[COLOR:], constants.color_depth
        )
        rest += withheld(masks, drop[LOAD], deposited)
    return rest


@kernel
def wetness(elevation, flow, row_spacing, col_spacing, catchment_per_flow, half_wet, moisture):
    """Fill `moisture` of the soil, (rows, cols) float32, with 0-1 from elevation and flow.

    Topographic wetness (Beven & Kirkby 1979): w = a / tan β with a the specific catchment in
    meters, here flow · catchment_per_flow; then moisture = √w / (√w + √half_wet). The root spreads
    the scale: w runs over six decades from crest to river, and without it every flat floor is as
    wet as the river that crosses it. tan β by central differences (m/m, one-sided at the edges),
    not below 0.05: flats differ by their water, not by the last centimeters of their slope.
    elevation: (rows, cols) float64 m; flow: (rows, cols) float32; spacings in meters.
    """
    rows, cols = elevation.shape
    for row in range(rows):
        above = max(row - 1, 0)
        below = min(row + 1, rows - 1)
        for col in range(cols):
            left = max(col - 1, 0)
            right = min(col + 1, cols - 1)
            slope_x = (elevation[row, right] - elevation[row, left]) / (
                (right - left) * col_spacing
            )
            slope_z = (elevation[below, col] - elevation[above, col]) / (
                (below - above) * row_spacing
            )
            slope = max(math.sqrt(slope_x * slope_x + slope_z * slope_z), 0.05)
            wet = math.sqrt(flow[row, col] * catchment_per_flow / slope)
            moisture[row, col] = np.float32(wet / (wet + math.sqrt(half_wet)))
