# SPDX-License-Identifier: GPL-3.0-or-later
"""Wind erosion: grains of wind fly over rock and the sand on it, lift it, drop it and let its heaps slide.

Source: Nick McDonald (weigert), "Particle-Based Wind Erosion" (2020). Lengths along the ground are in its cells here,
times in its time, and heights in its height unit, in which its maps go from 0 to about 1.
"""

import math
from typing import NamedTuple

import numpy as np

from . import random
from .compile import kernel
from .edges import CLOSED, OPEN, WRAP
from .heap import cascade, inlined

STILL = 0.01
"""A particle slower than this has stopped."""


class Constants(NamedTuple):
    """Numbers that hold for all particles; see `run_particles` for the equations they stand in."""

    time_step: float
    lift: float
    """Share of the force on sand that it loses in a step."""
    fall: float
    """Share of its load that a flying particle loses in a step."""
    lee_fall: float
    """The same in the wind shadow."""
    abrasion: float
    gravity: float
    pull: float
    air_lift: float
    air_drag: float
    share: float
    """Share of the excess of a heap that slides in one visit, at most 1/2."""
    row_step: float
    """Cells that speed 1 goes along a column in one step; with `col_step` the time step and the cells' sides."""
    col_step: float
    row_slope: float
    """Slope along a column of a height difference of 1 between the two cells beside a cell."""
    col_slope: float
    row_hold: float
    """Height difference to the next cell along a column that a heap holds."""
    col_hold: float
    diagonal_hold: float
    shelter: float
    """Share of the force that is missing in the wind shadow."""
    maximum_steps: int
    edges: int


class Totals(NamedTuple):
    """What a run has done so far; arrays of one element, added to in place. Volumes in height units times cells."""

    lifted: np.ndarray
    slid: np.ndarray
    abraded: np.ndarray
    supplied: np.ndarray
    exported: np.ndarray
    steps: np.ndarray
    aged: np.ndarray


@kernel
def _inside(index, count, wrap):
    """An index up to two cells beyond an edge: that of the opposite side, or of the edge."""
    if index < 0:
        return index + count if wrap else 0
    if index >= count:
        return index - count if wrap else count - 1
    return index


@inlined
def _differences(ground, z, x, wrap):
    """Height difference over two cells along columns and rows, blended from that of the four cells around a place."""
    rows, cols = ground.shape[0], ground.shape[1]
    place_z, place_x = z - 0.5, x - 0.5
    floor_z, floor_x = np.floor(place_z), np.floor(place_x)
    down, right = place_z - floor_z, place_x - floor_x
    row, col = int(floor_z), int(floor_x)
    r0, r3 = np.uintp(_inside(row - 1, rows, wrap)), np.uintp(_inside(row + 2, rows, wrap))
    r1, r2 = np.uintp(_inside(row, rows, wrap)), np.uintp(_inside(row + 1, rows, wrap))
    c0, c3 = np.uintp(_inside(col - 1, cols, wrap)), np.uintp(_inside(col + 2, cols, wrap))
    c1, c2 = np.uintp(_inside(col, cols, wrap)), np.uintp(_inside(col + 1, cols, wrap))
    h11, h12, h21, h22 = ground[r1, c1, 0], ground[r1, c2, 0], ground[r2, c1, 0], ground[r2, c2, 0]
    left, up = 1.0 - right, 1.0 - down
    along_row = ((h12 - ground[r1, c0, 0]) * left + (ground[r1, c3, 0] - h11) * right) * up + (
        (h22 - ground[r2, c0, 0]) * left + (ground[r2, c3, 0] - h21) * right
    ) * down
    along_column = ((h21 - ground[r0, c1, 0]) * up + (ground[r3, c1, 0] - h11) * down) * left + (
        (h22 - ground[r0, c2, 0]) * up + (ground[r3, c2, 0] - h12) * down
    ) * right
    return along_column, along_row


@inlined
def _cascade(ground, row, col, share, masks, constants):
    """Let the heap around a cell slide; returns what moved."""
    return cascade(
        ground, row, col, share, masks,
        constants.row_hold, constants.col_hold, constants.diagonal_hold, constants.edges == WRAP,
    )  # fmt: skip


@kernel
def _settle(ground, row, col, amount, masks):
    """Lay `amount` on a cell; returns what a mask let through."""
    row, col = np.uintp(row), np.uintp(col)
    if masks is not None:
        amount *= masks[row, col, 1]
    ground[row, col, 0] += amount
    ground[row, col, 1] += amount
    return amount


@kernel
def _wear(ground, row, col, depth, speed, load, masks, constants):
    """A blow on bare rock by a particle `depth` under the surface: returns what became loose."""
    row, col = np.uintp(row), np.uintp(col)
    worn = min(constants.abrasion * speed * load, 1.0) * depth
    if masks is not None:
        worn *= masks[row, col, 0] * masks[row, col, 2]
    ground[row, col, 1] = worn
    return worn


@kernel
def _lift(ground, row, col, depth, speed, cover, masks, constants):
    """A blow on sand by a particle `depth` under the surface: returns what was lifted."""
    row, col = np.uintp(row), np.uintp(col)
    lifted = min(constants.lift * speed, 1.0) * depth
    if cover is not None:
        lifted = lifted * max(1.0 - cover[row, col, 0] / (speed * depth), 0.0) if lifted > 0.0 else 0.0
    if masks is not None:
        lifted *= masks[row, col, 0]
    lifted = min(lifted, ground[row, col, 1])
    ground[row, col, 0] -= lifted
    ground[row, col, 1] -= lifted
    return lifted


@kernel
def _start(start, sources, shape, wind_row, wind_col, constants):
    """Place (z, x) where a particle enters: by cumulated weights of cells, anywhere, or on a windward edge."""
    rows, cols = shape[0], shape[1]
    chance, along = random.uniform(start, 0), random.uniform(start, 1)
    if sources is not None:
        cell = np.searchsorted(sources, chance, side="right")
        return cell // cols + 0.5, cell % cols + 0.5
    if constants.edges == WRAP:
        return chance * rows, along * cols
    across = abs(wind_col) * constants.col_step * rows  # the edge's length across the wind, in cells
    if chance * (across + abs(wind_row) * constants.row_step * cols) < across:
        return along * rows, 0.5 if wind_col > 0.0 else cols - 0.5
    return 0.5 if wind_row > 0.0 else rows - 0.5, along * cols


@kernel
def _fly(ground, track, cover, shade, masks, z, x, load, wind_row, wind_col, constants, totals):
    """Let one particle fly from a place to its end: see `run_particles`."""
    rows, cols = track.shape
    vz, vx, vy, y = wind_row, wind_col, 0.0, -math.inf
    dt, share = constants.time_step, constants.share
    row, col = int(z), int(x)
    last_lift = constants.maximum_steps - constants.maximum_steps // 4
    lifted = slid = abraded = 0.0
    left, step = False, 0
    while step < constants.maximum_steps:
        step += 1
        surface = ground[np.uintp(row), np.uintp(col), 0]
        y = y if y > surface else surface
        lee = shade is not None and y < shade[np.uintp(row), np.uintp(col)]
        blow = 1.0
        if y > surface:
            vy -= constants.gravity
            if constants.air_drag > 0.0 or constants.air_lift > 0.0:
                speed = math.sqrt(vz * vz + vx * vx + vy * vy)
                slower = 1.0 - min(constants.air_drag * speed, 1.0)
                vy += constants.air_lift * math.sqrt(vz * vz + vx * vx)
                vz, vx, vy = vz * slower, vx * slower, vy * slower
        else:
            track[np.uintp(row), np.uintp(col)] = 1
            slope_z, slope_x = _differences(ground, z, x, constants.edges == WRAP)
            slope_z, slope_x = slope_z * constants.row_slope, slope_x * constants.col_slope
            # (v × n) × n = n (n · v) - v, with n = (-slope_z, 1, -slope_x) / length
            into = (vy - slope_z * vz - slope_x * vx) / (1.0 + slope_z * slope_z + slope_x * slope_x)
            vz += dt * (-slope_z * into - vz)
            vx += dt * (-slope_x * into - vx)
            vy += dt * (into - vy)
            if cover is not None:
                blow *= cover[np.uintp(row), np.uintp(col), 1]
        vz += constants.pull * (wind_row * blow - vz)
        vx += constants.pull * (wind_col * blow - vx)
        vy -= constants.pull * vy
        z += constants.row_step * vz
        x += constants.col_step * vx
        y += dt * vy

        if not (0.0 <= z < rows and 0.0 <= x < cols):
            left = constants.edges == OPEN
            if left or constants.edges == CLOSED:
                break
            z, x = z % rows, x % cols
            z, x = z if z < rows else 0.0, x if x < cols else 0.0  # -1e-17 % rows is rows
        new_row, new_col = int(z), int(x)
        new_surface = ground[np.uintp(new_row), np.uintp(new_col), 0]
        speed = math.sqrt(vz * vz + vx * vx + vy * vy)
        if step > last_lift:
            falling = 0.5 * load / (constants.maximum_steps + 1 - step)
            load -= _settle(ground, new_row, new_col, falling, masks)
            load -= _settle(ground, row, col, falling, masks)
        elif y <= new_surface:
            force = speed * (1.0 - constants.shelter if lee else 1.0)
            depth = new_surface - y
            if ground[np.uintp(row), np.uintp(col), 1] <= 0.0:
                abraded += _wear(ground, row, col, depth, force, load, masks, constants)
            else:
                amount = _lift(ground, row, col, depth, force, cover, masks, constants)
                if amount > 0.0:
                    load += amount
                    lifted += amount
                    slid += _cascade(ground, row, col, share, masks, constants)
        else:
            falling = 0.5 * load * (constants.lee_fall if lee else constants.fall)
            load -= _settle(ground, new_row, new_col, falling, masks)
            load -= _settle(ground, row, col, falling, masks)
            if new_row == row and new_col == col:  # as good as twice, at half the price
                slid += _cascade(ground, row, col, 2.0 * share, masks, constants)
            else:
                slid += _cascade(ground, new_row, new_col, share, masks, constants)
                slid += _cascade(ground, row, col, share, masks, constants)
        row, col = new_row, new_col
        if speed < STILL:
            break
    if not left:
        load -= _settle(ground, row, col, load, masks)
        slid += _cascade(ground, row, col, share, masks, constants)
    totals.lifted[0] += lifted
    totals.slid[0] += slid
    totals.abraded[0] += abraded
    totals.exported[0] += load
    totals.steps[0] += step
    totals.aged[0] += step == constants.maximum_steps


@kernel
def run_particles(
    ground, track, cover, shade, masks, sources, key, first, last, wind_row, wind_col, supply, constants, totals
):
    """Let the particles first … last - 1 fly, each to its end, one after another.

    A particle has a place, a height y, a velocity v (two components along the ground and v_y), which begins as the wind
    p, and a load. With dt for the time step, `ground` for the surface and n for its normal, one step is:

    1. a particle below the surface is put on it;
    2. above the surface: v_y -= gravity dt, and by option v -= drag |v| v dt, v_y += lift |v_ground| dt;
       on it: the cell is marked in `track`, and v += dt (v × n) × n, which is n (n · v) - v: friction along the ground;
    3. v += pull dt (p - v); the place moves by dt v, y by dt v_y; beyond an edge it ends, or comes in again opposite;
    4. at or below the new cell's surface: force = |v| (surface - y). From the old cell, where it is bare rock,
       abrasion dt force load become sediment; else suspension dt force are lifted, though never more than there is,
       and the heap around slides (`heap.cascade`);
    5. above it: fall dt load settles, half on the old cell and half on the new; the heaps around both slide;
    6. |v| < 0.01, or `maximum_steps`: it ends, and lays down what it carries. In the last quarter of its life it lifts
       nothing and lays its load down evenly, so that no heap marks its end.

    y and v_y are in height units, places and velocities in cells of the source, as there: the ground throws a particle
    `vertical scale` times as high as its tilt alone would, and that is what makes them jump off crests.
    Stability: dt ≤ 1/2, as friction takes dt of the velocity; nothing is lifted that is not there, no blow takes more
    than its depth, and a pair of cells gives up at most half of its excess. Mass is moved, never made or lost.
    What the source loses (the rest of a thin layer) is lifted here, diagonals count as longer, edges are tested on
    the cell that slides. A shadow takes `shelter` of the force and lets sand fall faster; it, cover and masks are ours.

    ground: (rows, cols, 2) float64, surface and loose part of it; changed in place. track: (rows, cols) uint8, set to 1
    where a particle touches. cover: (rows, cols, 2) float32, force below which nothing is lifted, and what is left of
    the wind on the ground, or None. shade: (rows, cols) float64 from `wind_shadow.cast_shade`, or None. masks:
    (rows, cols, 3) float32, what a cell gives, takes, and its rock gives, 0-1, or None. sources: cumulated weights
    (cells,) of where particles start, up to 1, or None: on the windward edges, anywhere where edges wrap. key: uint64.
    wind_row, wind_col: p. supply: load that each particle brings. constants: `Constants`. totals: `Totals`.
    At an open edge the load is exported, as is at a particle's end what a mask kept in it.
    """
    for particle in range(first, last):
        start = random.stream(key, particle)
        z, x = _start(start, sources, track.shape, wind_row, wind_col, constants)
        totals.supplied[0] += supply
        _fly(ground, track, cover, shade, masks, z, x, supply, wind_row, wind_col, constants, totals)
