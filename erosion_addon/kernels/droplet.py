# SPDX-License-Identifier: GPL-3.0-or-later
"""Droplet erosion: drops of water run downhill one after another, dissolve the ground, carry it and drop it.

Source: Ranmantaru Games, "Water erosion on heightmap terrain" (2011). One cell is 1 × 1 here and heights are in cells.
"""

import math
from typing import NamedTuple

import numpy as np

from . import random
from .compile import inlined, lean
from .edges import CLOSED, WRAP, along_wall, between, wrapped
from .ground import corners, deposit, erode, erode_inside, laid_share
from .tiles import COL, NONE, ROW, Pool, Tiles, enter, fetch, let_go, queued, reach_of, take_queue, within

FLAT = 1.1920929e-07
"""A direction shorter than this is no direction (FLT_EPSILON in the source)."""

PIT_MARGIN = 0.001
"""A filled pit is filled this much (in cells) over its rim, so that the drop flows on."""

ROW_WAY, COL_WAY, LEVEL, LOAD, SPEED, WATER, STEPS, DRAWS, COLOR = 2, 3, 4, 5, 6, 7, 8, 9, 10
"""Numbers of a drop after its place: direction, height, load, speed, water, steps made, random numbers drawn, and the
colour of its load."""

NUMBERS = 13


class Constants(NamedTuple):
    """Numbers that hold for all drops; names and units as in `model.droplet.DropletParameters`."""

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
    """Cells along a column that one unit of length covers; 1 where cells are square."""
    col_step: float


class Totals(NamedTuple):
    """What a run has done so far; an element for each tile, added to in place. Volumes in cells³."""

    eroded: np.ndarray
    exported: np.ndarray
    steps: np.ndarray
    paths_cut: np.ndarray
    random_directions: np.ndarray


def make_totals(tiles: Tiles) -> Totals:
    """Totals of nothing, for so many tiles."""
    count = (tiles.row_edges.size - 1) * (tiles.col_edges.size - 1)
    return Totals(np.zeros(count), np.zeros(count), *(np.zeros(count, np.int64) for _ in range(3)))


@lean
def _start_cell(start, sources, cells):
    """Cell index where a drop starts; sources: None for even rain, else cumulated weights (cells,) up to 1."""
    chance = random.uniform(start, 0)
    if sources is None:
        return min(int(chance * cells), cells - 1)
    return min(np.searchsorted(sources, chance, side="right"), cells - 1)


@inlined
def _add_water(flow, row, below, row_part, col, right, col_part, water):
    """Count the water of a drop in the cell nearest to it."""
    flow[np.uintp(row if row_part < 0.5 else below), np.uintp(col if col_part < 0.5 else right)] += np.float32(water)


@inlined
def _arrive(ground, z, x, dz, dx, last_row, last_col, constants):
    """What a drop finds at a place: the cells it lies between, its height, the direction from there on, of unit length,
    and how long that was before."""
    rows, cols = ground.shape[0], ground.shape[1]
    row, below, row_part = between(z, last_row, rows)
    col, right, col_part = between(x, last_col, cols)
    h00, h10, h01, h11 = corners(ground, row, below, col, right)
    height = (h00 * (1 - col_part) + h10 * col_part) * (1 - row_part) + (
        h01 * (1 - col_part) + h11 * col_part
    ) * row_part
    down, up = h00 - h11, h01 - h10
    dx = dx * constants.inertia + (down + up) * ((1.0 - constants.inertia) * constants.col_step)
    dz = dz * constants.inertia + (down - up) * ((1.0 - constants.inertia) * constants.row_step)
    if constants.edges == CLOSED and not (0.0 < x < last_col and 0.0 < z < last_row):
        dx, dz = along_wall(x, dx, last_col), along_wall(z, dz, last_row)
    length = math.sqrt(dx * dx + dz * dz)
    return row, below, row_part, col, right, col_part, height, dz / length, dx / length, length


@lean
def _run_drop(ground, flow, color, masks, numbers, slot, start, reach, constants, totals, tile):
    """Let one drop run until it leaves a reach, which is answered by True, or to its end: see `run_tiles`."""
    rows, cols = flow.shape
    wrap, closed, color_depth = constants.edges == WRAP, constants.edges == CLOSED, constants.color_depth
    last_row, last_col = (rows, cols) if wrap else (rows - 1, cols - 1)
    z, x, dz, dx = numbers[slot, ROW], numbers[slot, COL], numbers[slot, ROW_WAY], numbers[slot, COL_WAY]
    level, load, speed, water = numbers[slot, LEVEL], numbers[slot, LOAD], numbers[slot, SPEED], numbers[slot, WATER]
    earlier, draws, carried = int(numbers[slot, STEPS]), int(numbers[slot, DRAWS]), numbers[slot, COLOR:]
    row, below, row_part, col, right, col_part, there, next_dz, next_dx, length = _arrive(
        ground, z, x, dz, dx, last_row, last_col, constants
    )
    if earlier == 0:
        level = there
    # Others may have dug or filled since the drop left the last tile: it falls with the ground or is slowed by it. With
    # its old height it would take the fill for a pit and drop all it has: walls would grow along the tiles' borders.
    energy = max(speed * speed + 2.0 * constants.gravity * (level - there), 0.0)
    speed, level = math.sqrt(energy), there
    step, eroded, exported = earlier, 0.0, 0.0
    left = False
    while step < constants.maximum_steps:
        if not within(reach, row, col):
            numbers[slot, ROW], numbers[slot, COL], numbers[slot, ROW_WAY], numbers[slot, COL_WAY] = z, x, dz, dx
            numbers[slot, LEVEL], numbers[slot, LOAD], numbers[slot, SPEED] = level, load, speed
            numbers[slot, WATER], numbers[slot, STEPS], numbers[slot, DRAWS] = water, step, draws
            left = True
            break
        _add_water(flow, row, below, row_part, col, right, col_part, water)
        if length <= FLAT:
            angle = random.uniform(start, draws) * (2.0 * math.pi)
            dx, dz = math.cos(angle), math.sin(angle)
            draws += 1
            totals.random_directions[tile] += 1
        else:
            dx, dz = next_dx, next_dz

        x, z = x + dx * constants.col_step, z + dz * constants.row_step
        if not (0.0 < x < last_col and 0.0 < z < last_row):
            if wrap:
                x, z = wrapped(x, cols), wrapped(z, rows)
            elif closed:
                x, z = min(max(x, 0.0), last_col), min(max(z, 0.0), last_row)
            elif not (0.0 <= x <= last_col and 0.0 <= z <= last_row):
                exported += load
                break
        # From one place to the next each operation waits for the one before, and that is most of the time of a step:
        # so all of it comes first, and the processor digs meanwhile.
        new_row, new_below, new_row_part, new_col, new_right, new_col_part, new_height, next_dz, next_dx, length = (
            _arrive(ground, z, x, dz, dx, last_row, last_col, constants)
        )
        if masks is not None and masks[int(z + 0.5) % rows, int(x + 0.5) % cols, 3] > 0.0:
            given = deposit(
                ground, new_row, new_below, new_col, new_right, new_row_part, new_col_part, load,
                masks, color, carried, color_depth,
            )  # fmt: skip
            exported += max(load - given, 0.0)
            break

        pit = new_height >= level
        fill = min(new_height - level + PIT_MARGIN, load) if pit else 0.0
        laid = laid_share(masks, row, below, col, right, row_part, col_part)
        level += fill * laid
        if pit and (fill >= load or level <= new_height):
            deposit(ground, row, below, col, right, row_part, col_part, fill, masks, color, carried, color_depth)
            exported += max(load - fill * laid, 0.0)
            break
        energy, speed = 0.0 if pit else energy, 0.0 if pit else speed
        load = max(load - fill * laid, 0.0)
        fall = level - new_height
        slope = fall / math.sqrt(fall * fall + 1.0) if constants.sine_slope else fall
        carry = max(slope, constants.minimum_slope) * (water * constants.capacity) * speed
        if load >= carry:
            amount = (load - carry) * constants.deposition_rate
            deposit(
                ground, row, below, col, right, row_part, col_part, fill + amount, masks, color, carried, color_depth
            )
            load = max(load - amount * laid, 0.0)
            fall += amount * laid
        else:
            wanted = min((carry - load) * constants.erosion_rate, 0.99 * fall)
            if constants.brush and 1 <= row < rows - 2 and 1 <= col < cols - 2:
                taken = erode_inside(
                    ground, row, col, row_part, col_part, wanted, load, new_height, masks, color, carried
                )
            else:
                taken = erode(
                    ground, row, col, row_part, col_part, wanted, load, new_height,
                    constants.brush, wrap, masks, color, carried,
                )  # fmt: skip
            eroded += taken
            load += taken
            fall = max(fall - taken, 0.0)
        energy += 2.0 * constants.gravity * fall
        speed = math.sqrt(energy)
        water *= 1.0 - constants.evaporation
        level = new_height
        row, below, row_part, col, right, col_part = new_row, new_below, new_row_part, new_col, new_right, new_col_part
        step += 1
    if step >= constants.maximum_steps:
        totals.paths_cut[tile] += 1
        given = deposit(ground, row, below, col, right, row_part, col_part, load, masks, color, carried, color_depth)
        exported += max(load - given, 0.0) if masks is not None else 0.0
    totals.steps[tile] += step - earlier
    totals.eroded[tile] += eroded
    totals.exported[tile] += exported
    return left


@lean
def start_drops(pool, tiles, sources, key, first_drop, last_drop):
    """Put the drops first_drop … last_drop - 1 on the tiles where they start. sources: see `_start_cell`."""
    rows, cols = tiles.row_of.size, tiles.col_of.size
    for number in range(first_drop, last_drop):
        start = random.stream(key, number)
        cell = np.uint64(_start_cell(start, sources, rows * cols))
        row = cell // np.uint64(cols)
        slot = enter(pool, tiles, start, float(row), float(cell - row * np.uint64(cols)))
        pool.numbers[slot, WATER], pool.numbers[slot, DRAWS] = 1.0, 1.0


@lean
def run_tiles(worked, tiles, pool, ground, flow, color, masks, constants, totals):
    """Let the drops on the tiles `worked` run, one after another, each until it leaves their reach or to its end.

    A drop has a position, a direction of unit length, a height h, a load s, a speed v and water w = 1. One step:

    1. gradient from the corners of its cell: gx = h00 + h01 - h10 - h11, gz likewise;
    2. direction = (direction - gradient) · inertia + gradient, normalised; a random one where that is flat;
    3. the next place lies one cell further, its height nh is bilinear;
    4. nh ≥ h: a pit. The drop fills it by nh - h + 0.001 and starts anew with v = 0, or drops all it has and ends;
    5. capacity q = max(slope, minimum_slope) · v · w · capacity, slope = h - nh or its sine;
    6. s > q: lays down (s - q) · deposition_rate here; s < q: takes min((q - s) · erosion_rate, 0.99 (h - nh));
    7. v = √(v² + 2 gravity (h - nh)), w = w (1 - evaporation).

    Stability: no cell is ever lowered below nh, and the drop gains exactly what the cells lose. (The published form
    digs cells that lie lower than nh too, and diverges at edges that drops leave by.) Heights then stay between the
    lowest point there was and the highest plus what was laid down, for any parameters in range.
    The corner heights of the next cell are read before the brush changes them and reused, as in the source; a drop
    that comes from another tile reads them anew, with what its height has changed by as speed.

    A drop touches at most the cell before the reach of its tile and two behind it, on each axis.

    tiles, pool: see `kernels.tiles`. ground: (rows, cols, 2) float64, height of the surface and the loose part of it,
    in cells; changed in place. flow: (rows, cols) float32, water that passed, in drops; added to. color: (rows, cols,
    3) float32, carried along by the drops and changed in place, or None. masks: (rows, cols, 4) float32, share that
    may be dug, 1 - hardness, share that may be laid down, and whether drops end there; or None. constants:
    `Constants`. totals: `Totals`.
    At an open edge the load that leaves is counted as exported, as is the load that a strength mask kept in a drop.
    """
    for tile in worked:
        fetch(pool, tiles, tile, ground[..., 0])
        fetch(pool, tiles, tile, flow)
        reach = reach_of(tiles, tile)
        slot = take_queue(pool, tile)
        while slot != NONE:
            following = pool.follower[slot]
            left = _run_drop(
                ground, flow, color, masks, pool.numbers, slot, pool.start[slot],
                reach, constants, totals, tile,
            )  # fmt: skip
            let_go(pool, tile, slot, left)
            slot = following


def lay_down(
    tiles: Tiles, pool: Pool, ground: np.ndarray, color: np.ndarray | None, masks: np.ndarray | None,
    constants: Constants,
) -> float:  # fmt: skip
    """Lay down what the drops under way carry, each where it is; returns what masks kept in them."""
    kept: float = _lay_down(queued(pool), tiles, pool, ground, color, masks, constants)
    return kept


@lean
def _lay_down(slots, tiles, pool, ground, color, masks, constants):
    kept = 0.0
    for slot in slots:
        drop = pool.numbers[slot]
        row, below, row_part = between(drop[ROW], tiles.last_row, tiles.row_of.size)
        col, right, col_part = between(drop[COL], tiles.last_col, tiles.col_of.size)
        given = deposit(
            ground, row, below, col, right, row_part, col_part, drop[LOAD],
            masks, color, drop[COLOR:], constants.color_depth,
        )  # fmt: skip
        kept += max(drop[LOAD] - given, 0.0) if masks is not None else 0.0
    return kept
