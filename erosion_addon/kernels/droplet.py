# SPDX-License-Identifier: GPL-3.0-or-later
"""Droplet erosion: drops of water run downhill one after another, dissolve the ground, carry it and drop it.

Source: Ranmantaru Games, "Water erosion on heightmap terrain" (2011). One cell is 1 × 1 here and heights are in cells.
"""

import math
from typing import NamedTuple

import numpy as np

from . import random
from .compile import kernel

OPEN, CLOSED, WRAP = 0, 1, 2

BRUSH_SCALE = 0.1591549430918953
"""1 / 2π: makes the weights 1 - r²/4 of the 4 × 4 brush sum to about 1."""

FLAT = 1.1920929e-07
"""A direction shorter than this is no direction (FLT_EPSILON in the source)."""

PIT_MARGIN = 0.001
"""A filled pit is filled this much (in cells) over its rim, so that the drop flows on."""


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
    """What a run has done so far; arrays of one element, added to in place. Volumes in cells³."""

    eroded: np.ndarray
    exported: np.ndarray
    steps: np.ndarray
    paths_cut: np.ndarray
    random_directions: np.ndarray


@kernel
def _height(ground, row, col):
    """Height of a cell. Unsigned indices, here and below, spare numba's test for negative ones."""
    return ground[np.uintp(row), np.uintp(col), 0]


@kernel
def _take(ground, row, col, wanted, floor, masks):
    """Take up to `wanted` from one cell, loose material first, never below `floor`; returns what came."""
    room = max(ground[row, col, 0] - floor, 0.0)
    if masks is None:
        taken = min(wanted, room)
        ground[row, col, 1] = max(ground[row, col, 1] - taken, 0.0)
    else:
        taken = min(wanted * masks[row, col, 0], room)
        loose = min(ground[row, col, 1], taken)
        taken = loose + (taken - loose) * masks[row, col, 1]
        ground[row, col, 1] -= loose
    ground[row, col, 0] -= taken
    return taken


@kernel
def _mix_in(carried, load, color, row, col, taken):
    """Mix the colour of the ground into what the drop carries, by amounts."""
    if taken > 0.0:
        share = taken / (load + taken)
        for channel in range(3):
            carried[channel] += share * (color[row, col, channel] - carried[channel])


@kernel
def _give(ground, row, col, amount, masks, color, carried, color_depth):
    """Lay `amount` on one cell as loose material; returns what the masks let through."""
    row, col = np.uintp(row), np.uintp(col)
    if masks is not None:
        amount = amount * masks[row, col, 0]
    ground[row, col, 0] += amount
    ground[row, col, 1] += amount
    if color is not None:
        share = amount / (amount + color_depth)
        for channel in range(3):
            color[row, col, channel] += share * (carried[channel] - color[row, col, channel])
    return amount


@kernel
def _deposit(ground, row, below, col, right, row_part, col_part, amount, masks, color, carried, color_depth):
    """Spread `amount` over the four cells around a place by bilinear weights; returns what was laid down."""
    given = _give(ground, row, col, amount * (1 - row_part) * (1 - col_part), masks, color, carried, color_depth)
    given += _give(ground, row, right, amount * (1 - row_part) * col_part, masks, color, carried, color_depth)
    given += _give(ground, below, col, amount * row_part * (1 - col_part), masks, color, carried, color_depth)
    given += _give(ground, below, right, amount * row_part * col_part, masks, color, carried, color_depth)
    return given


@kernel
def _dig(ground, row, col, wanted, load, floor, masks, color, carried):
    """Take up to `wanted` from one cell into a drop that carries `load`; returns what came."""
    row, col = np.uintp(row), np.uintp(col)
    taken = _take(ground, row, col, wanted, floor, masks)
    if color is not None:
        _mix_in(carried, load, color, row, col, taken)
    return taken


@kernel
def _erode_inside(ground, row, col, row_part, col_part, wanted, load, floor, masks, color, carried):
    """Take `wanted` by the 4 × 4 bell where all of it lies on the terrain; returns what came.

    The same as `_erode`, unrolled and without a branch that the processor could guess wrong.
    """
    wanted *= BRUSH_SCALE
    fall_0 = (-1 - col_part) * (-1 - col_part) * 0.25
    fall_1 = (0 - col_part) * (0 - col_part) * 0.25
    fall_2 = (1 - col_part) * (1 - col_part) * 0.25
    fall_3 = (2 - col_part) * (2 - col_part) * 0.25
    total = 0.0
    for down in range(-1, 3):
        at = row + down
        top = 1.0 - (down - row_part) * (down - row_part) * 0.25
        came = _dig(ground, at, col - 1, wanted * max(top - fall_0, 0.0), load + total, floor, masks, color, carried)
        held = load + (total + came)
        came += _dig(ground, at, col, wanted * max(top - fall_1, 0.0), held, floor, masks, color, carried)
        held = load + (total + came)
        came += _dig(ground, at, col + 1, wanted * max(top - fall_2, 0.0), held, floor, masks, color, carried)
        held = load + (total + came)
        came += _dig(ground, at, col + 2, wanted * max(top - fall_3, 0.0), held, floor, masks, color, carried)
        total += came
    return total


@kernel
def _erode(ground, row, col, row_part, col_part, wanted, load, floor, brush, wrap, masks, color, carried):
    """Take `wanted` around a place, by the 4 × 4 bell or by bilinear weights; returns what came."""
    rows, cols = ground.shape[0], ground.shape[1]
    first, last = (-1, 3) if brush else (0, 2)
    if brush:
        wanted *= BRUSH_SCALE
    total = 0.0
    for down in range(first, last):
        at_row, row_distance = row + down, down - row_part
        if wrap:
            at_row %= rows
        elif at_row < 0 or at_row >= rows:
            continue
        came = 0.0
        for right in range(first, last):
            at_col, col_distance = col + right, right - col_part
            if wrap:
                at_col %= cols
            elif at_col < 0 or at_col >= cols:
                continue
            if brush:
                weight = 1.0 - row_distance * row_distance * 0.25 - col_distance * col_distance * 0.25
            else:
                weight = (1.0 - abs(row_distance)) * (1.0 - abs(col_distance))
            if weight > 0.0:
                held = load + (total + came)
                came += _dig(ground, at_row, at_col, wanted * weight, held, floor, masks, color, carried)
        total += came
    return total


@kernel
def _start_cell(start, sources, cells):
    """Cell index where a drop starts; sources: None for even rain, else cumulated weights (cells,) up to 1."""
    chance = random.uniform(start, 0)
    if sources is None:
        return min(int(chance * cells), cells - 1)
    return min(np.searchsorted(sources, chance, side="right"), cells - 1)


@kernel
def _between(place, last, count):
    """The two cells of one axis that a place lies between, and how far it is from the first to the second."""
    # Wrapping, the neighbour of a negative zero rounds to `count` itself: hence the bound there too.
    first = min(int(place), last - 1)
    return first, first + 1 if first + 1 < count else 0, place - first


@kernel
def _corners(ground, row, below, col, right):
    """Heights h00, h10, h01, h11 of four cells; the first digit counts along a row, the second along a column."""
    h00, h10 = _height(ground, row, col), _height(ground, row, right)
    h01, h11 = _height(ground, below, col), _height(ground, below, right)
    return h00, h10, h01, h11


@kernel
def _add_water(flow, x, z, water):
    """Count the water of a drop in the cell nearest to it."""
    rows, cols = flow.shape
    row, col = int(z + 0.5), int(x + 0.5)
    row, col = row if row < rows else 0, col if col < cols else 0
    flow[np.uintp(row), np.uintp(col)] += np.float32(water)


@kernel
def _along_wall(place, direction, last):
    """A direction along one axis, or none where it runs into a wall."""
    return 0.0 if (place <= 0.0 and direction < 0.0) or (place >= last and direction > 0.0) else direction


@kernel
def _wrapped(place, count):
    """A place up to one cell beyond an edge, on the opposite side."""
    return place - count if place >= count else (place + count if place < 0.0 else place)


@kernel
def _run_drop(ground, flow, color, masks, start, cell, constants, totals, carried):
    """Let one drop run from a cell to its end: see `run_drops`. start: that of its random numbers."""
    rows, cols = flow.shape
    wrap, closed, color_depth = constants.edges == WRAP, constants.edges == CLOSED, constants.color_depth
    last_row, last_col = (rows, cols) if wrap else (rows - 1, cols - 1)
    row_pull, col_pull = (1.0 - constants.inertia) * constants.row_step, (1.0 - constants.inertia) * constants.col_step
    z, x = float(cell // cols), float(cell % cols)
    row, below, row_part = _between(z, last_row, rows)
    col, right, col_part = _between(x, last_col, cols)
    h00, h10, h01, h11 = _corners(ground, row, below, col, right)
    height = _height(ground, cell // cols, cell % cols)
    load, speed, water, dx, dz = 0.0, 0.0, 1.0, 0.0, 0.0
    step, draws = 0, 1
    while step < constants.maximum_steps:
        _add_water(flow, x, z, water)
        # From these heights to reading the next ones each operation waits for the one before, and that is most of the
        # time of a step: hence step 2 in a form with few in a row.
        down, up = h00 - h11, h01 - h10
        dx = dx * constants.inertia + (down + up) * col_pull
        dz = dz * constants.inertia + (down - up) * row_pull
        if closed and not (0.0 < x < last_col and 0.0 < z < last_row):
            dx, dz = _along_wall(x, dx, last_col), _along_wall(z, dz, last_row)
        length = math.sqrt(dx * dx + dz * dz)
        if length <= FLAT:
            angle = random.uniform(start, draws) * (2.0 * math.pi)
            dx, dz = math.cos(angle), math.sin(angle)
            draws += 1
            totals.random_directions[0] += 1
        else:
            dx /= length
            dz /= length

        new_x, new_z = x + dx * constants.col_step, z + dz * constants.row_step
        if not (0.0 < new_x < last_col and 0.0 < new_z < last_row):
            if wrap:
                new_x, new_z = _wrapped(new_x, cols), _wrapped(new_z, rows)
            elif closed:
                new_x, new_z = min(max(new_x, 0.0), last_col), min(max(new_z, 0.0), last_row)
            elif not (0.0 <= new_x <= last_col and 0.0 <= new_z <= last_row):
                totals.exported[0] += load
                break
        new_row, new_below, new_row_part = _between(new_z, last_row, rows)
        new_col, new_right, new_col_part = _between(new_x, last_col, cols)
        h00, h10, h01, h11 = _corners(ground, new_row, new_below, new_col, new_right)
        new_height = (h00 * (1 - new_col_part) + h10 * new_col_part) * (1 - new_row_part) + (
            h01 * (1 - new_col_part) + h11 * new_col_part
        ) * new_row_part

        if new_height >= height:
            needed = new_height - height + PIT_MARGIN
            stuck, amount = needed >= load, min(needed, load)
            given = _deposit(
                ground, row, below, col, right, row_part, col_part, amount, masks, color, carried, color_depth
            )
            load -= given
            height += given
            speed = 0.0
            if stuck or height <= new_height:
                totals.exported[0] += load if masks is not None else 0.0
                break

        fall = height - new_height
        slope = fall / math.sqrt(fall * fall + 1.0) if constants.sine_slope else fall
        carry = max(slope, constants.minimum_slope) * (speed * water * constants.capacity)
        if load >= carry:
            amount = (load - carry) * constants.deposition_rate
            given = _deposit(
                ground, row, below, col, right, row_part, col_part, amount, masks, color, carried, color_depth
            )
            load -= given
            fall += given
        else:
            wanted = min((carry - load) * constants.erosion_rate, 0.99 * fall)
            if constants.brush and 1 <= row < rows - 2 and 1 <= col < cols - 2:
                taken = _erode_inside(
                    ground, row, col, row_part, col_part, wanted, load, new_height, masks, color, carried
                )
            else:
                taken = _erode(
                    ground, row, col, row_part, col_part, wanted, load, new_height,
                    constants.brush, wrap, masks, color, carried,
                )  # fmt: skip
            totals.eroded[0] += taken
            load += taken
            fall = max(fall - taken, 0.0)
        speed = math.sqrt(speed * speed + 2.0 * constants.gravity * fall)
        water *= 1.0 - constants.evaporation
        x, z, height = new_x, new_z, new_height
        row, below, row_part, col, right, col_part = new_row, new_below, new_row_part, new_col, new_right, new_col_part
        step += 1
    if step >= constants.maximum_steps:
        totals.paths_cut[0] += 1
        load -= _deposit(ground, row, below, col, right, row_part, col_part, load, masks, color, carried, color_depth)
        totals.exported[0] += load if masks is not None else 0.0
    totals.steps[0] += step


@kernel
def run_drops(ground, flow, color, masks, sources, key, first_drop, last_drop, constants, totals):
    """Let the drops first_drop … last_drop - 1 run, each to its end, one after another.

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
    The corner heights of the next cell are read before the brush changes them and reused, as in the source.

    ground: (rows, cols, 2) float64, height of the surface and the loose part of it, in cells; changed in place.
    flow: (rows, cols) float32, water that passed, in drops; added to. color: (rows, cols, 3) float32, carried along by
    the drops and changed in place, or None. masks: (rows, cols, 2) float32, strength and 1 - hardness, or None.
    sources: see `_start_cell`. key: uint64. constants: `Constants`. totals: `Totals`.
    At an open edge the load that leaves is counted as exported, as is the load that a strength mask kept in a drop.
    """
    carried = np.zeros(3)
    for drop in range(first_drop, last_drop):
        start = random.stream(key, drop)
        carried[:] = 0.0
        cell = _start_cell(start, sources, flow.size)
        _run_drop(ground, flow, color, masks, start, cell, constants, totals, carried)
