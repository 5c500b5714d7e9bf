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
def _deposit(ground, row, col, next_row, next_col, row_part, col_part, amount, masks, color, carried, color_depth):
    """Spread `amount` over the four cells around a place by bilinear weights; returns what was laid down."""
    given = _give(ground, row, col, amount * (1 - row_part) * (1 - col_part), masks, color, carried, color_depth)
    given += _give(ground, row, next_col, amount * (1 - row_part) * col_part, masks, color, carried, color_depth)
    given += _give(ground, next_row, col, amount * row_part * (1 - col_part), masks, color, carried, color_depth)
    given += _give(ground, next_row, next_col, amount * row_part * col_part, masks, color, carried, color_depth)
    return given


@kernel
def _erode(ground, row, col, row_part, col_part, wanted, load, floor, constants, masks, color, carried):
    """Take `wanted` around a place, by the 4 × 4 bell or by bilinear weights; returns what came."""
    rows, cols = ground.shape[0], ground.shape[1]
    first, last = (-1, 3) if constants.brush else (0, 2)
    inside = row + first >= 0 and row + last <= rows and col + first >= 0 and col + last <= cols
    total = 0.0
    for down in range(first, last):
        across_row = row + down
        row_distance = down - row_part
        if not inside:
            if constants.edges == WRAP:
                across_row %= rows
            elif across_row < 0 or across_row >= rows:
                continue
        for right in range(first, last):
            across_col = col + right
            if not inside:
                if constants.edges == WRAP:
                    across_col %= cols
                elif across_col < 0 or across_col >= cols:
                    continue
            col_distance = right - col_part
            if constants.brush:
                weight = (1.0 - (row_distance * row_distance + col_distance * col_distance) * 0.25) * BRUSH_SCALE
            else:
                weight = (1.0 - abs(row_distance)) * (1.0 - abs(col_distance))
            if weight > 0.0:
                taken = _take(ground, across_row, across_col, wanted * weight, floor, masks)
                if color is not None:
                    _mix_in(carried, load + total, color, across_row, across_col, taken)
                total += taken
    return total


@kernel
def _start_cell(start, sources, cells):
    """Cell index where a drop starts; sources: None for even rain, else cumulated weights (cells,) up to 1."""
    chance = random.uniform(start, 0)
    if sources is None:
        return min(int(chance * cells), cells - 1)
    return min(np.searchsorted(sources, chance, side="right"), cells - 1)


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
    rows, cols = flow.shape
    wrap = constants.edges == WRAP
    last_row = rows if wrap else rows - 1
    last_col = cols if wrap else cols - 1
    carried = np.zeros(3)
    for drop in range(first_drop, last_drop):
        start = random.stream(key, drop)
        draws = 1
        cell = _start_cell(start, sources, rows * cols)
        z, x = float(cell // cols), float(cell % cols)
        row, col = cell // cols, cell % cols
        if not wrap:
            row, col = min(row, rows - 2), min(col, cols - 2)
        row_part, col_part = z - row, x - col
        next_row = row + 1 if row + 1 < rows else 0
        next_col = col + 1 if col + 1 < cols else 0
        h00, h10 = ground[row, col, 0], ground[row, next_col, 0]
        h01, h11 = ground[next_row, col, 0], ground[next_row, next_col, 0]
        height = ground[cell // cols, cell % cols, 0]
        load, speed, water = 0.0, 0.0, 1.0
        dx, dz = 0.0, 0.0
        carried[:] = 0.0
        step = 0
        while step < constants.maximum_steps:
            flow[int(z + 0.5) % rows, int(x + 0.5) % cols] += np.float32(water)
            gx = (h00 + h01 - h10 - h11) * constants.col_step
            gz = (h00 + h10 - h01 - h11) * constants.row_step
            dx = (dx - gx) * constants.inertia + gx
            dz = (dz - gz) * constants.inertia + gz
            if constants.edges == CLOSED:  # along a wall, not into it
                if (x <= 0.0 and dx < 0.0) or (x >= last_col and dx > 0.0):
                    dx = 0.0
                if (z <= 0.0 and dz < 0.0) or (z >= last_row and dz > 0.0):
                    dz = 0.0
            length = math.sqrt(dx * dx + dz * dz)
            if length <= FLAT:
                angle = random.uniform(start, draws) * (2.0 * math.pi)
                draws += 1
                dx, dz = math.cos(angle), math.sin(angle)
                totals.random_directions[0] += 1
            else:
                dx /= length
                dz /= length

            new_x, new_z = x + dx * constants.col_step, z + dz * constants.row_step
            if wrap:
                new_x = new_x - cols if new_x >= cols else (new_x + cols if new_x < 0.0 else new_x)
                new_z = new_z - rows if new_z >= rows else (new_z + rows if new_z < 0.0 else new_z)
            elif constants.edges == CLOSED:
                new_x, new_z = min(max(new_x, 0.0), last_col), min(max(new_z, 0.0), last_row)
            elif not (0.0 <= new_x <= last_col and 0.0 <= new_z <= last_row):
                totals.exported[0] += load
                break
            # A negative zero's neighbour plus `cols` rounds to `cols` itself: hence the upper bound when wrapping too.
            new_row = min(int(new_z), last_row - 1)
            new_col = min(int(new_x), last_col - 1)
            new_row_part, new_col_part = new_z - new_row, new_x - new_col
            below = new_row + 1 if new_row + 1 < rows else 0
            right = new_col + 1 if new_col + 1 < cols else 0
            n00, n10 = ground[new_row, new_col, 0], ground[new_row, right, 0]
            n01, n11 = ground[below, new_col, 0], ground[below, right, 0]
            new_height = (n00 * (1 - new_col_part) + n10 * new_col_part) * (1 - new_row_part) + (
                n01 * (1 - new_col_part) + n11 * new_col_part
            ) * new_row_part

            if new_height >= height:
                needed = new_height - height + PIT_MARGIN
                stuck = needed >= load
                given = _deposit(
                    ground, row, col, next_row, next_col, row_part, col_part, min(needed, load), masks, color, carried,
                    constants.color_depth,
                )
                load -= given
                height += given
                speed = 0.0
                if stuck or height <= new_height:
                    if masks is not None:
                        totals.exported[0] += load
                    break

            fall = height - new_height
            slope = fall / math.sqrt(fall * fall + 1.0) if constants.sine_slope else fall
            carry = max(slope, constants.minimum_slope) * speed * water * constants.capacity
            if load >= carry:
                given = _deposit(
                    ground, row, col, next_row, next_col, row_part, col_part,
                    (load - carry) * constants.deposition_rate, masks, color, carried, constants.color_depth,
                )
                load -= given
                fall += given
            else:
                wanted = min((carry - load) * constants.erosion_rate, 0.99 * fall)
                taken = _erode(
                    ground, row, col, row_part, col_part, wanted, load, new_height, constants, masks, color, carried
                )
                totals.eroded[0] += taken
                load += taken
                fall = max(fall - taken, 0.0)
            speed = math.sqrt(speed * speed + 2.0 * constants.gravity * fall)
            water *= 1.0 - constants.evaporation
            x, z, height = new_x, new_z, new_height
            row, col, next_row, next_col = new_row, new_col, below, right
            row_part, col_part = new_row_part, new_col_part
            h00, h10, h01, h11 = n00, n10, n01, n11
            step += 1
        if step >= constants.maximum_steps:
            totals.paths_cut[0] += 1
            load -= _deposit(
                ground, row, col, next_row, next_col, row_part, col_part, load, masks, color, carried,
                constants.color_depth,
            )
            if masks is not None:
                totals.exported[0] += load
        totals.steps[0] += step
