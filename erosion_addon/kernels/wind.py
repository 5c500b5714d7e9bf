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

OPEN, CLOSED, WRAP = 0, 1, 2

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
    """The same for one in the lee."""
    abrasion: float
    gravity: float
    pull: float
    air_lift: float
    air_drag: float
    share: float
    """Share of the excess of a heap that slides in one visit; no more than 1/8, or heaps would swing."""
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
    shade_depth: float
    maximum_steps: int
    edges: int


class Totals(NamedTuple):
    """What a run has done so far; arrays of one element, added to in place. Volumes in height units times cells."""

    lifted: np.ndarray
    slid: np.ndarray
    abraded: np.ndarray
    settled: np.ndarray
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


@kernel
def _slope(ground, z, x, constants):
    """Slope of the surface along columns and rows: central differences of the four cells around, blended."""
    rows, cols = ground.shape[0], ground.shape[1]
    wrap = constants.edges == WRAP
    place_z, place_x = z - 0.5, x - 0.5
    row, col = math.floor(place_z), math.floor(place_x)
    down, right = place_z - row, place_x - col
    row, col = int(row), int(col)
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
    return along_column * constants.row_slope, along_row * constants.col_slope


@kernel
def _slide(ground, row, col, to_row, to_col, hold, share, masks):
    """Let what exceeds the stable difference slide between a cell and its neighbour; returns what moved."""
    row, col, to_row, to_col = np.uintp(row), np.uintp(col), np.uintp(to_row), np.uintp(to_col)
    difference = ground[row, col, 0] - ground[to_row, to_col, 0]
    excess = abs(difference) - hold
    if excess <= 0.0:
        return 0.0
    if difference < 0.0:
        row, col, to_row, to_col = to_row, to_col, row, col
    amount = min(ground[row, col, 1], 0.5 * excess) * share
    if masks is not None:
        amount *= masks[row, col, 0] * masks[to_row, to_col, 1]
    ground[row, col, 0] -= amount
    ground[row, col, 1] -= amount
    ground[to_row, to_col, 0] += amount
    ground[to_row, to_col, 1] += amount
    return amount


@kernel
def cascade(ground, row, col, share, masks, constants):
    """Let loose material slide between a cell and its eight neighbours; returns what moved."""
    rows, cols = ground.shape[0], ground.shape[1]
    up, down, left, right = row - 1, row + 1, col - 1, col + 1
    if up < 0 or left < 0 or down >= rows or right >= cols:
        if constants.edges == WRAP:
            up, down, left, right = up % rows, down % rows, left % cols, right % cols
        else:  # a cell is no neighbour of itself: nothing slides there
            up, down, left, right = max(up, 0), min(down, rows - 1), max(left, 0), min(right, cols - 1)
            if up == row or down == row or left == col or right == col:
                return _cascade_edge(ground, row, col, up, down, left, right, share, masks, constants)
    row_hold, col_hold, diagonal = constants.row_hold, constants.col_hold, constants.diagonal_hold
    slid = _slide(ground, row, col, up, left, diagonal, share, masks)
    slid += _slide(ground, row, col, up, col, row_hold, share, masks)
    slid += _slide(ground, row, col, up, right, diagonal, share, masks)
    slid += _slide(ground, row, col, row, left, col_hold, share, masks)
    slid += _slide(ground, row, col, row, right, col_hold, share, masks)
    slid += _slide(ground, row, col, down, left, diagonal, share, masks)
    slid += _slide(ground, row, col, down, col, row_hold, share, masks)
    slid += _slide(ground, row, col, down, right, diagonal, share, masks)
    return slid


@kernel
def _cascade_edge(ground, row, col, up, down, left, right, share, masks, constants):
    """`cascade` of a cell at an edge that is not wrapped: with those neighbours that there are."""
    slid = 0.0
    for to_row in range(up, down + 1):
        for to_col in range(left, right + 1):
            if to_row == row and to_col == col:
                continue
            hold = constants.col_hold if to_row == row else constants.row_hold
            if to_row != row and to_col != col:
                hold = constants.diagonal_hold
            slid += _slide(ground, row, col, to_row, to_col, hold, share, masks)
    return slid


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
def _touch(ground, row, col, force, load, cover, masks, constants, totals):
    """A blow of `force` on a cell: wears rock, or lifts sand. Returns what was lifted."""
    row, col = np.uintp(row), np.uintp(col)
    taking = 1.0
    if masks is not None:
        taking = masks[row, col, 0]
    if ground[row, col, 1] <= 0.0:
        worn = constants.abrasion * force * load * taking
        if masks is not None:
            worn *= masks[row, col, 2]
        ground[row, col, 1] += worn
        totals.abraded[0] += worn
        return 0.0
    if cover is not None:
        force = max(force - cover[row, col, 0], 0.0)
    lifted = min(constants.lift * force * taking, ground[row, col, 1])
    ground[row, col, 0] -= lifted
    ground[row, col, 1] -= lifted
    totals.lifted[0] += lifted
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
    """Let one particle fly from a place to its end: see `run_particles`. Returns the load that left the terrain."""
    rows, cols = track.shape
    vz, vx, vy, y = wind_row, wind_col, 0.0, -math.inf
    dt, share = constants.time_step, constants.share
    row, col = int(z), int(x)
    last_lift = constants.maximum_steps - constants.maximum_steps // 4
    step = 0
    while step < constants.maximum_steps:
        step += 1
        surface = ground[np.uintp(row), np.uintp(col), 0]
        y = max(y, surface)
        lee = 0.0
        if shade is not None:
            lee = min(max((shade[np.uintp(row), np.uintp(col)] - y) * constants.shade_depth, 0.0), 1.0)
        blow = 1.0
        if y > surface:
            vy -= constants.gravity
            speed = math.sqrt(vz * vz + vx * vx + vy * vy)
            slower = 1.0 - min(constants.air_drag * speed, 1.0)
            vy += constants.air_lift * math.sqrt(vz * vz + vx * vx)
            vz, vx, vy = vz * slower, vx * slower, vy * slower
        else:
            track[np.uintp(row), np.uintp(col)] = 1
            slope_z, slope_x = _slope(ground, z, x, constants)
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
            if constants.edges == OPEN:
                totals.steps[0] += step
                return load
            if constants.edges == CLOSED:
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
            force = speed * (new_surface - y) * (1.0 - constants.shelter * lee)
            lifted = _touch(ground, row, col, force, load, cover, masks, constants, totals)
            if lifted > 0.0:
                load += lifted
                totals.slid[0] += cascade(ground, row, col, share, masks, constants)
        else:
            falling = 0.5 * load * (constants.fall + lee * constants.lee_fall)
            load -= _settle(ground, new_row, new_col, falling, masks)
            load -= _settle(ground, row, col, falling, masks)
            if new_row == row and new_col == col:  # as good as twice, at half the price
                totals.slid[0] += cascade(ground, row, col, 2.0 * share, masks, constants)
            else:
                totals.slid[0] += cascade(ground, new_row, new_col, share, masks, constants)
                totals.slid[0] += cascade(ground, row, col, share, masks, constants)
        row, col = new_row, new_col
        if speed < STILL:
            break
    totals.steps[0] += step
    totals.aged[0] += step == constants.maximum_steps
    load -= _settle(ground, row, col, load, masks)
    totals.slid[0] += cascade(ground, row, col, share, masks, constants)
    return load


@kernel
def cast_shade(ground, shade, wind_row, wind_col, drop, wrap):
    """Fill `shade` (rows, cols) float64 with the height of the wind shadow over each cell; -inf where there is none.

    The shadow of a cell falls by `drop` on the way to the next row or column, whichever the wind crosses faster; what
    comes from between two cells is interpolated. wind_row, wind_col: direction in cells.
    """
    rows, cols = shade.shape
    along_row = abs(wind_col) >= abs(wind_row)
    lines, count = (cols, rows) if along_row else (rows, cols)
    main, side = (wind_col, wind_row) if along_row else (wind_row, wind_col)
    forward, shift = main > 0.0, -side / abs(main)
    whole = int(math.floor(shift))
    part = shift - whole
    shade[:] = -math.inf
    for number in range(1, 2 * lines if wrap else lines):
        line = number % lines if forward else lines - 1 - number % lines
        before = (line - 1 if forward else line + 1) % lines
        for at in range(count):
            low, high = at + whole, at + whole + 1
            if wrap:
                low, high = low % count, high % count
            else:
                low, high = min(max(low, 0), count - 1), min(max(high, 0), count - 1)
            if along_row:
                first = max(ground[low, before, 0], shade[low, before])
                second = max(ground[high, before, 0], shade[high, before])
                shade[at, line] = first + part * (second - first) - drop
            else:
                first = max(ground[before, low, 0], shade[before, low])
                second = max(ground[before, high, 0], shade[before, high])
                shade[line, at] = first + part * (second - first) - drop


@kernel
def creep(ground, track, share, masks, wrap):
    """WIP"""
    rows, cols = track.shape
    slid = 0.0
    for row in range(rows):
        for col in range(cols):
            if track[row, col] == 0:
                continue
            for to_row, to_col in ((row + 1, col), (row, col + 1)):
                if to_row >= rows or to_col >= cols:
                    if not wrap:
                        continue
                    to_row, to_col = to_row % rows, to_col % cols
                slid += _slide(ground, row, col, to_row, to_col, 0.0, share, masks)
    return slid


@kernel
def run_particles(
    ground, track, cover, shade, masks, sources, key, first, last, wind_row, wind_col, supply, constants, totals
):
    """WIP"""
    for particle in range(first, last):
        start = random.stream(key, particle)
        z, x = _start(start, sources, track.shape, wind_row, wind_col, constants)
        totals.supplied[0] += supply
        totals.exported[0] += _fly(
            ground, track, cover, shade, masks, z, x, supply, wind_row, wind_col, constants, totals
        )
