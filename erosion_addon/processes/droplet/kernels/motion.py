# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion of a drop: its storage in the pool, and one step as described in `droplet.run_tiles`.

Source: Ranmantaru Games, "Water erosion on heightmap terrain" (2011). One cell is 1 × 1 here and
heights are in cells.
"""

import math
from typing import NamedTuple

import numpy as np

from ....base.kernels import rng
from ....base.kernels.elementary import sincos
from ....base.kernels.ghost_cells import CLOSED, WRAP, along_wall, between, wrapped
from ....base.kernels.jit import allocation_free, inlined
from ...shared.kernels.exchange import (
    corners,
    deposit,
    erode,
    erode_inside,
    laid_share,
    turned_away,
    withheld,
)
from ...shared.kernels.particle_queues import COL, NONE, ROW, let_go, pull
from ...shared.kernels.tiles import within

FLAT = 1.1920929e-07
"""Length below which a direction is undefined (FLT_EPSILON in the source)."""

PIT_MARGIN = 0.001
"""Height in cells by which a filled pit exceeds its rim, so that the drop flows on."""

ROW_WAY, COL_WAY, LEVEL, LOAD, SPEED, WATER, STEPS, DRAWS, COLOR = 2, 3, 4, 5, 6, 7, 8, 9, 10
"""Columns of a drop after its position: direction, height, load, speed, water, steps made, random
numbers drawn, color of the load.
"""

RUNS, LEFT, ENDED = 0, 1, 2
"""Outcome of a step."""


class Fields(NamedTuple):
    """Fields that drops change, see `droplet.run_tiles`."""

    ground: np.ndarray
    flow: np.ndarray
    color: np.ndarray | None
    masks: np.ndarray | None


class Drop(NamedTuple):
    """A drop between two steps."""

    slot: int
    """Slot in the pool; `NONE`: no drop."""
    z: float
    x: float
    dz: float
    dx: float
    level: float
    load: float
    speed: float
    energy: float
    """The square of the speed."""
    water: float
    step: int
    eroded: float
    place: tuple[int, int, float, int, int, float]
    """Surrounding cells: rows above and below and the fraction between them, columns likewise."""
    ahead: tuple[float, float, float]
    """New direction of unit length along z and x, and its length before normalization."""


NOBODY = Drop(
    slot=NONE,
    z=0.0,
    x=0.0,
    dz=0.0,
    dx=0.0,
    level=0.0,
    load=0.0,
    speed=0.0,
    energy=0.0,
    water=0.0,
    step=0,
    eroded=0.0,
    place=(0, 0, 0.0, 0, 0, 0.0),
    ahead=(0.0, 0.0, 0.0),
)


@inlined
def _add_water(flow, place, water):
    """Count the drop's water in the nearest cell."""
    row, below, row_part, col, right, col_part = place
    flow[
        np.uintp(row if row_part < 0.5 else below), np.uintp(col if col_part < 0.5 else right)
    ] += np.float32(water)


@inlined
def footing(place, quarters):
    """Cells that receive a deposit: the four around the drop, weighted bilinearly or evenly."""
    row, below, row_part, col, right, col_part = place
    if quarters:
        row_part = 0.5
        col_part = 0.5
    return row, below, row_part, col, right, col_part


@inlined
def _arrive(tiles, ground, z, x, dz, dx, constants):
    """Surroundings of a position reached by a direction: `Drop.place`, height, and `Drop.ahead`."""
    row, below, row_part = between(z, tiles.last_row, ground.shape[0])
    col, right, col_part = between(x, tiles.last_col, ground.shape[1])
    h00, h10, h01, h11 = corners(ground, row, below, col, right)
    height = (h00 * (1 - col_part) + h10 * col_part) * (1 - row_part) + (
        h01 * (1 - col_part) + h11 * col_part
    ) * row_part
    down = h00 - h11
    up = h01 - h10
    dx = dx * constants.inertia + (down + up) * ((1.0 - constants.inertia) * constants.col_step)
    dz = dz * constants.inertia + (down - up) * ((1.0 - constants.inertia) * constants.row_step)
    if constants.edges == CLOSED and not (0.0 < x < tiles.last_col and 0.0 < z < tiles.last_row):
        dx = along_wall(x, dx, tiles.last_col)
        dz = along_wall(z, dz, tiles.last_row)
    length = math.sqrt(dx * dx + dz * dz)
    return (row, below, row_part, col, right, col_part), height, (dz / length, dx / length, length)


@inlined
def pick_up(pool, tiles, tile, ground, constants):
    """Next waiting drop on a tile."""
    slot = pull(pool, tile)
    if slot == NONE:
        return NOBODY
    drop = pool.numbers[slot]
    z = drop[ROW]
    x = drop[COL]
    dz = drop[ROW_WAY]
    dx = drop[COL_WAY]
    place, level, ahead = _arrive(tiles, ground, z, x, dz, dx, constants)
    # Others may have dug or filled since the drop left the last tile: it falls with the ground or
    # is slowed by it. With its old height it would take the fill for a pit and drop all it has:
    # walls would grow along the tiles' borders.
    fallen = drop[LEVEL] - level if drop[STEPS] > 0.0 else 0.0
    energy = max(drop[SPEED] * drop[SPEED] + 2.0 * constants.gravity * fallen, 0.0)
    return Drop(
        slot,
        z,
        x,
        dz,
        dx,
        level,
        drop[LOAD],
        math.sqrt(energy),
        energy,
        drop[WATER],
        int(drop[STEPS]),
        0.0,
        place,
        ahead,
    )


@allocation_free
def _put_down(drop, pool, tiles, tile, end, lost, totals):
    """Store a drop that has left its tile, or end it; lost: the load that then leaves the
    terrain.
    """
    slot = drop.slot
    numbers = pool.numbers
    totals.steps[tile] += drop.step - int(numbers[slot, STEPS])
    totals.eroded[tile] += drop.eroded
    totals.exported[tile] += lost
    if end == LEFT:
        numbers[slot, ROW] = drop.z
        numbers[slot, COL] = drop.x
        numbers[slot, ROW_WAY] = drop.dz
        numbers[slot, COL_WAY] = drop.dx
        numbers[slot, LEVEL] = drop.level
        numbers[slot, LOAD] = drop.load
        numbers[slot, SPEED] = drop.speed
        numbers[slot, WATER] = drop.water
        numbers[slot, STEPS] = drop.step
    let_go(pool, tiles, tile, slot, end == LEFT)


@inlined
def _advance(drop, pool, tiles, tile, reach, fields, constants, totals):
    """Advance a drop by one step; returns the drop, the outcome (RUNS, LEFT or ENDED), and the load
    lost at its end.
    """
    slot, z, x, dz, dx, level, load, speed, energy, water, step, eroded, place, ahead = drop
    ground, flow, color, masks = fields
    rows, cols = flow.shape
    last_row = tiles.last_row
    last_col = tiles.last_col
    wrap = constants.edges == WRAP
    depth = constants.color_depth
    carried = pool.numbers[slot, COLOR:]
    row, _, row_part, col, _, col_part = place
    below_drop = footing(place, constants.quarters)
    if step >= constants.maximum_steps:
        totals.paths_cut[tile] += 1
        deposited = deposit(ground, below_drop, load, masks, color, carried, depth)
        return drop, ENDED, withheld(masks, load, deposited)
    if not within(reach, row, col):
        return drop, LEFT, 0.0
    _add_water(flow, place, water)
    dz, dx, length = ahead
    if length <= FLAT:
        angle = rng.uniform(pool.start[slot], int(pool.numbers[slot, DRAWS])) * (2.0 * math.pi)
        dz, dx = sincos(angle)
        pool.numbers[slot, DRAWS] += 1.0
        totals.random_directions[tile] += 1

    x = x + dx * constants.col_step
    z = z + dz * constants.row_step
    if not (0.0 < x < last_col and 0.0 < z < last_row):
        if wrap:
            x = wrapped(x, cols)
            z = wrapped(z, rows)
        elif constants.edges == CLOSED:
            x = min(max(x, 0.0), last_col)
            z = min(max(z, 0.0), last_row)
        elif not (0.0 <= x <= last_col and 0.0 <= z <= last_row):
            return drop, ENDED, load
    # From one place to the next each operation waits for the one before, and that is most of the
    # time of a step: so all of it comes first, and the processor digs meanwhile.
    new_place, new_level, ahead = _arrive(tiles, ground, z, x, dz, dx, constants)
    pit = new_level >= level
    fill = min(new_level - level + PIT_MARGIN, load) if pit else 0.0
    permitted = laid_share(masks, below_drop)
    level += fill * permitted
    if pit and (fill >= load or level <= new_level):
        deposited = deposit(ground, below_drop, fill, masks, color, carried, depth)
        return (
            drop,
            ENDED,
            max(load - fill * permitted, 0.0) + turned_away(masks, fill * permitted, deposited),
        )
    energy = 0.0 if pit else energy
    speed = 0.0 if pit else speed
    load = max(load - fill * permitted, 0.0)
    fall = level - new_level
    slope = fall / math.sqrt(fall * fall + 1.0) if constants.sine_slope else fall
    carry = max(slope, constants.minimum_slope) * (water * constants.capacity) * speed
    if load >= carry:
        amount = min((load - carry) * constants.deposition_rate, constants.deposit_limit)
        deposited = deposit(ground, below_drop, fill + amount, masks, color, carried, depth)
        load = max(load - amount * permitted, 0.0) + turned_away(
            masks, (fill + amount) * permitted, deposited
        )
        fall += amount * permitted
    else:
        demand = min((carry - load) * constants.erosion_rate, 0.99 * fall)
        place = row, col, row_part, col_part
        if constants.brush and 1 <= row < rows - 2 and 1 <= col < cols - 2:
            taken = erode_inside(ground, place, demand, load, new_level, masks, color, carried)
        else:
            taken = erode(
                ground, place, demand, load, new_level, constants.brush, wrap, masks, color, carried
            )
        eroded += taken
        load += taken
        fall = max(fall - taken, 0.0)
    energy += 2.0 * constants.gravity * fall
    water *= 1.0 - constants.evaporation
    return (
        Drop(
            slot,
            z,
            x,
            dz,
            dx,
            new_level,
            load,
            math.sqrt(energy),
            energy,
            water,
            step + 1,
            eroded,
            new_place,
            ahead,
        ),
        RUNS,
        0.0,
    )


@inlined
def go_on(drop, pool, tiles, tile, reach, fields, constants, totals, stop):
    """Advance a drop by one step; returns it, or the next waiting drop if it has left the tile or
    ended.

    stop: steps on the tile after which no further drop starts.
    """
    after, end, lost = _advance(drop, pool, tiles, tile, reach, fields, constants, totals)
    if end == RUNS:
        return after
    _put_down(drop, pool, tiles, tile, end, lost, totals)
    if totals.steps[tile] >= stop:
        return NOBODY
    return pick_up(pool, tiles, tile, fields.ground, constants)
