# SPDX-License-Identifier: GPL-3.0-or-later
"""Light droplets: drops roll downhill, level the ground along their path, and moisten it where they
are slow.

Source: jehoz, TerrainGen and its article (2023, in Zig). One cell is 1 × 1 here, heights are in
cells.
"""

import math
from typing import NamedTuple

import numpy as np

from ....base.kernels import rng
from ....base.kernels.ghost_cells import CLOSED, WRAP, along_wall, wrapped
from ....base.kernels.jit import allocation_free
from ...shared.kernels.particle_queues import (
    COL,
    NONE,
    ROW,
    Pool,
    enter,
    fetch_queue,
    let_go,
    place_around,
    pull,
    queued,
    start_cell,
)
from ...shared.kernels.tiles import Tiles, fetch, number_of_tiles, reach_of, within
from . import bilinear

SMALLEST_SCALE = 2.0**-40
"""Smallest scale of the moisture map; below it the map is rescaled, long before float32
underflows.
"""

ROW_SPEED, COL_SPEED, LOAD, VOLUME, STEPS, SCALE = 2, 3, 4, 5, 6, 7
"""Columns of a drop after its position: velocity, load, volume, steps made, unit of moisture."""

NUMBERS = 8

SPANS = {VOLUME: (0.0, 1.0), STEPS: (0.0, 2.0**53), SCALE: (2.0**-80, math.inf)}
"""Valid ranges of values that have one. (The unit of moisture may be 0.)"""


class Constants(NamedTuple):
    """Constants of all drops, as in `RillParameters` but per step (soil: per drop)."""

    gravity: float
    friction: float
    transfer_rate: float
    sediment_ratio: float
    carries: bool
    """Whether the capacity form is used instead of the simple one."""
    capacity: float
    minimum_volume: float
    evaporation: float
    soil_absorption: float
    soil_evaporation: float
    maximum_steps: int
    edges: int
    """As in `kernels.edges`."""
    row_step: float
    """Cells along a column per unit of length; 1 for square cells."""
    col_step: float
    patience: int = 2**62
    """Steps per visit of a tile after which no further drop starts there."""
    first_rule: bool = False
    """Whether the capacity form ignores the height difference and uses spare capacity alone."""


class Totals(NamedTuple):
    """Totals of a run, one element per tile. Volumes in cells³."""

    eroded: np.ndarray
    filled: np.ndarray
    """Deposits of the simple form, which are not balanced by erosion."""
    exported: np.ndarray
    steps: np.ndarray
    paths_cut: np.ndarray


def make_totals(tiles: Tiles) -> Totals:
    """Zero totals for a number of tiles."""
    count = number_of_tiles(tiles)
    return Totals(
        *(np.zeros(count) for _ in range(3)), *(np.zeros(count, np.int64) for _ in range(2))
    )


@allocation_free
def _start_place(start, sources, tiles):
    """Start (row, col) of a drop, real-valued; sources: None for uniform rain, else cumulated
    weights (cells,).
    """
    along_rows = rng.uniform(start, 0)
    along_cols = rng.uniform(start, 1)
    if sources is None:
        return along_rows * tiles.last_row, along_cols * tiles.last_col
    cols = tiles.col_of.size
    cell = start_cell(rng.uniform(start, 2), sources, tiles.row_of.size * cols)
    return place_around(float(cell // cols), float(cell % cols), along_rows, along_cols, tiles)


@allocation_free
def _moisten(water, place, target, scale):
    """Moisten the ground around a position by `target` of its deficit."""
    row, below, row_part, col, right, col_part = place
    m00 = water[row, col, 1]
    m10 = water[row, right, 1]
    m01 = water[below, col, 1]
    m11 = water[below, right, 1]
    moisture = (m00 * (1 - col_part) + m10 * col_part) * (1 - row_part) + (
        m01 * (1 - col_part) + m11 * col_part
    ) * row_part
    amount = target * max(1.0 / scale - moisture, 0.0)
    water[row, col, 1] = m00 + amount * (1 - row_part) * (1 - col_part)
    water[row, right, 1] = m10 + amount * (1 - row_part) * col_part
    water[below, col, 1] = m01 + amount * row_part * (1 - col_part)
    water[below, right, 1] = m11 + amount * row_part * col_part


@allocation_free
def _level(ground, place, height, new_height, masks, constants, totals, tile):
    """Step 3 of the simple form: move the ground at `place` toward `new_height`."""
    rise = new_height - height
    up = rise > 0.0
    amount = abs(rise) * constants.transfer_rate * (constants.sediment_ratio if up else 1.0)
    change = bilinear.move(ground, place, amount, new_height, 1.0 if up else -1.0, masks)
    totals.filled[tile] += change if up else 0.0
    totals.eroded[tile] += 0.0 if up else change


@allocation_free
def _exchange(ground, place, height, new_height, carry, load, masks, constants, totals, tile):
    """Step 3 of the capacity form: erode or deposit; returns the new load."""
    rise = new_height - height
    spare = carry * max(-rise, 0.0) - load
    up = spare <= 0.0
    amount = (
        abs(spare) if constants.first_rule else min(abs(spare), abs(rise))
    ) * constants.transfer_rate
    amount = min(amount * constants.sediment_ratio, load) if up else amount
    level = max(height, new_height) if up else new_height
    change = bilinear.move(ground, place, amount, level, 1.0 if up else -1.0, masks)
    totals.eroded[tile] += 0.0 if up else change
    return load + (-change if up else change)


@allocation_free
def _run_drop(ground, water, masks, numbers, slot, reach, constants, totals, tile):
    """Run one drop to its end, or until it leaves the reach of its tile (returns True); see
    `run_tiles`.
    """
    rows = ground.shape[0]
    cols = ground.shape[1]
    wrap = constants.edges == WRAP
    closed = constants.edges == CLOSED
    last_row, last_col = (rows, cols) if wrap else (rows - 1, cols - 1)
    z = numbers[slot, ROW]
    x = numbers[slot, COL]
    vz = numbers[slot, ROW_SPEED]
    vx = numbers[slot, COL_SPEED]
    load = numbers[slot, LOAD]
    volume = numbers[slot, VOLUME]
    scale = numbers[slot, SCALE]
    earlier = int(numbers[slot, STEPS])
    place = bilinear.cells_at(z, x, last_row, last_col, rows, cols)
    step = earlier
    while volume > constants.minimum_volume and step < constants.maximum_steps:
        if not within(reach, int(place[0]), int(place[3])):
            # the drop waits in its slot until its new tile is worked
            numbers[slot, ROW] = z
            numbers[slot, COL] = x
            numbers[slot, ROW_SPEED] = vz
            numbers[slot, COL_SPEED] = vx
            numbers[slot, LOAD] = load
            numbers[slot, VOLUME] = volume
            numbers[slot, STEPS] = step
            totals.steps[tile] += step - earlier
            return True
        height, slope_z, slope_x = bilinear.surface(ground, place)
        row, col = bilinear.nearest(place)
        water[row, col, 0] += np.float32(volume)
        vx = vx * (1 - constants.friction) - slope_x * constants.col_step * constants.gravity
        vz = vz * (1 - constants.friction) - slope_z * constants.row_step * constants.gravity
        if closed and not (0.0 < x < last_col and 0.0 < z < last_row):
            vx = along_wall(x, vx, last_col)
            vz = along_wall(z, vz, last_row)
        speed = math.sqrt(vx * vx + vz * vz)
        if speed == 0.0:
            break
        x += vx / speed * constants.col_step
        z += vz / speed * constants.row_step
        if not (0.0 < x < last_col and 0.0 < z < last_row):
            if wrap:
                x = wrapped(x, cols)
                z = wrapped(z, rows)
            elif closed:
                x = min(max(x, 0.0), last_col)
                z = min(max(z, 0.0), last_row)
            elif not (0.0 <= x <= last_col and 0.0 <= z <= last_row):
                totals.exported[tile] += load
                load = 0.0
                break
        cells = bilinear.cells_at(z, x, last_row, last_col, rows, cols)
        step += 1
        new_height = bilinear.height(ground, cells)
        if constants.carries:
            carry = speed * volume * constants.capacity
            load = _exchange(
                ground, place, height, new_height, carry, load, masks, constants, totals, tile
            )
        else:
            _level(ground, place, height, new_height, masks, constants, totals, tile)
        place = cells
        if speed < 1.0 and constants.soil_absorption > 0.0:
            _moisten(water, place, (1.0 - speed) * constants.soil_absorption, scale)
        volume *= 1 - constants.evaporation
    if step >= constants.maximum_steps:
        totals.paths_cut[tile] += 1
    totals.steps[tile] += step - earlier
    load -= bilinear.lay(ground, place, load, np.inf, masks)
    totals.exported[tile] += max(load, 0.0) if masks is not None else 0.0
    return False


@allocation_free
def start_drops(pool, tiles, sources, key, first_drop, last_drop, water, scale, soil_evaporation):
    """Place the drops first_drop … last_drop - 1 on the tiles where they start.

    After each drop all moisture is multiplied by 1 - soil_evaporation. The map in `water` holds m /
    scale, so only the scale, (1,) float64, changes. sources: see `_start_place`.
    """
    rows = tiles.row_of.size
    cols = tiles.col_of.size
    for number in range(first_drop, last_drop):
        start = rng.stream(key, number)
        z, x = _start_place(start, sources, tiles)
        slot = enter(pool, tiles, start, z, x)
        pool.numbers[slot, VOLUME] = 1.0
        pool.numbers[slot, SCALE] = scale[0]
        scale[0] *= 1 - soil_evaporation
        if scale[0] < SMALLEST_SCALE:
            for row in range(rows):
                for col in range(cols):
                    water[row, col, 1] *= scale[0]
            for place in range(len(pool.numbers)):
                pool.numbers[place, SCALE] /= scale[0]
            scale[0] = 1.0


@allocation_free
def run_tiles(worked, tiles, pool, ground, water, masks, constants, totals):
    """Let the drops on the tiles `worked` run, one after another, each until it leaves their reach
    or to its end; where there are many, as many as `patience` allows: the others wait on.

    A drop has a position p, a velocity v = 0, a volume w = 1, and in the capacity form a load s =
    0. While w > minimum_volume, with h the bilinear height:

    1. v = v · (1 - friction) - ∇h(p) · gravity; a drop that stands still ends;
    2. p' = p + v / |v|: always one unit of length;
    3. the ground around p changes by bilinear weights. Simple form: by Δh · transfer_rate with Δh =
       h(p') - h(p), times sediment_ratio where that is positive. Capacity form: with q = |v| · w ·
       max(-Δh, 0) · capacity, by the smaller of |Δh| and |q - s|, times transfer_rate, down where q
       > s and else up, times sediment_ratio, at most s; by the article's first rule |q - s| alone;
    4. moisture m at p' grows by max(0, 1 - |v|) · max(0, 1 - m(p')) · soil_absorption;
    5. w = w · (1 - evaporation).

    Stability: no cell is lowered below h(p') or raised above the higher of both places. (The
    published form lacks this and diverges for some parameters: filling by transfer_rate ·
    sediment_ratio > 1 overshoots.) Heights in the simple form then stay between the lowest and the
    highest there were; in the capacity form a drop adds what it still carries where it ends. The
    simple form makes and destroys material: what it takes is gone, what it fills is new.

    A drop touches at most the cell before the reach of its tile and two behind it, on each axis.

    tiles, pool: see `particle_queues`. ground: (rows, cols, 2) float64, height of the surface and
    the loose part of it, in cells; changed in place. water: (rows, cols, 2) float32, water that
    passed in drops, and moisture / scale, see `start_drops`. masks: (rows, cols, 3) float32 or
    None: share that may be dug, 1 - hardness, share that may be laid down. constants: `Constants`.
    totals: `Totals`. At an open edge the load that leaves is exported, as is a last load that a
    mask keeps from being laid down.
    """
    for tile in worked:
        fetch(pool, tiles, tile, ground[..., 0])
        fetch(pool, tiles, tile, water[..., 0])
        fetch_queue(pool, tile)
        reach = reach_of(tiles, tile)
        stop = totals.steps[tile] + constants.patience
        slot = pull(pool, tile)
        while slot != NONE:
            left = _run_drop(
                ground, water, masks, pool.numbers, slot, reach, constants, totals, tile
            )
            let_go(pool, tiles, tile, slot, left)
            slot = pull(pool, tile) if totals.steps[tile] < stop else NONE


def lay_down(tiles: Tiles, pool: Pool, ground: np.ndarray, masks: np.ndarray | None) -> float:
    """Deposit the load of all drops in flight where they are; returns the part that masks kept in
    them.
    """
    rest: float = _lay_down(queued(pool), tiles, pool, ground, masks)
    return rest


@allocation_free
def _lay_down(slots, tiles, pool, ground, masks):
    rest = 0.0
    for slot in slots:
        z = pool.numbers[slot, ROW]
        x = pool.numbers[slot, COL]
        load = pool.numbers[slot, LOAD]
        place = bilinear.cells_at(
            z, x, tiles.last_row, tiles.last_col, tiles.row_of.size, tiles.col_of.size
        )
        load -= bilinear.lay(ground, place, load, np.inf, masks)
        rest += max(load, 0.0) if masks is not None else 0.0
    return rest
