# SPDX-License-Identifier: GPL-3.0-or-later
"""Wind erosion: grains of wind fly over rock and the sand on it, lift it, drop it and let its heaps
slide.

Source: Nick McDonald (weigert), "Particle-Based Wind Erosion" (2020). Lengths along the ground are
in its cells here, times in its time, and heights in its height unit, in which its maps go from 0 to
about 1.
"""

import math
from typing import NamedTuple

import numpy as np

from ....base.kernels import rng
from ....base.kernels.ghost_cells import CLOSED, OPEN, WRAP
from ....base.kernels.jit import allocation_free, inlined
from ...shared.kernels.cascade import avalanche, cascade
from ...shared.kernels.particle_queues import NONE, enter, fetch_queue, let_go, pull
from ...shared.kernels.tiles import Tiles, number_of_tiles
from .particle import NO_END, Particle, bounds_of, keep, near_tile, particle_in, start_place
from .surface import (
    CELL,
    CHANNEL,
    LEAST,
    SUSPENDED,
    breeze,
    deposit,
    differences,
    differences_inside,
    lift,
    pass_by,
    shaded,
    steep,
    wear,
)

STILL = 0.01
"""Speed below which a particle has stopped."""

NUMBERS = 9
"""Values of a particle on its tile: the fields of `Particle`."""


class Constants(NamedTuple):
    """Constants of all particles; see `run_tiles` for the equations they stand in."""

    time_step: float
    lift: float
    """Share of the force on sand lifted in a step."""
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
    """Share of a slope's excess that slides per visit, at most 1/2."""
    row_step: float
    """Cells that speed 1 goes along a column in one step; with `col_step` the time step and the
    cells' sides.
    """
    col_step: float
    row_slope: float
    """Slope along a column for a height difference of 1 between the two neighbors of a cell."""
    col_slope: float
    row_hold: float
    """Height difference to the next cell along a column that a heap holds."""
    col_hold: float
    diagonal_hold: float
    shelter: float
    """Share of the force missing in the wind shadow."""
    maximum_steps: int
    edges: int
    patience: int = NO_END
    """Steps of a particle per visit of a tile."""
    downhill: bool = False
    """Whether sand slides down the true gradient; else between pairs of cells, as in the source."""
    watch: float = 1.0
    """Share of the stable difference above which a pair of cells is checked for slides."""


class Totals(NamedTuple):
    """Totals of a run, one element per tile. Volumes in height units times cells."""

    lifted: np.ndarray
    slid: np.ndarray
    abraded: np.ndarray
    supplied: np.ndarray
    exported: np.ndarray
    steps: np.ndarray
    aged: np.ndarray


def make_totals(tiles: Tiles) -> Totals:
    """Zero totals for a number of tiles."""
    count = number_of_tiles(tiles)
    return Totals(*(np.zeros(count) for _ in Totals._fields))


@allocation_free
def _cascade(ground, row, col, share, masks, constants):
    """Slide the heap around a cell; returns the amount."""
    if constants.downhill:
        wrap = constants.edges == WRAP
        return avalanche(
            ground, row, col, share, masks, constants.row_hold, constants.col_hold, wrap
        )
    return cascade(
        ground,
        row,
        col,
        share,
        masks,
        constants.row_hold,
        constants.col_hold,
        constants.diagonal_hold,
        constants.edges == WRAP,
    )


@inlined
def number_of(row, col, line):
    """Twice the index of a cell, as used in `surface`."""
    return np.uintp(row) * line + CELL * np.uintp(col)


@inlined
def arriving(pool, slot, totals, tile):
    """Particle that begins its turn on a tile; a new one's load counts as supplied."""
    particle = particle_in(pool, slot)
    if particle.step == 0:
        totals.supplied[tile] += particle.load
    return particle


@inlined
def leaving(pool, tiles, tile, slot, particle, left):
    """Store a particle at the end of its turn on a tile; returns the slot of the next one there."""
    keep(pool, slot, particle)
    let_go(pool, tiles, tile, slot, left)
    return pull(pool, tile)


@inlined
def add_up(totals, tile, lifted, slid, abraded, steps):
    """Add a particle's turn on a tile to the totals."""
    totals.lifted[tile] += lifted
    totals.slid[tile] += slid
    totals.abraded[tile] += abraded
    totals.steps[tile] += steps


@inlined
def add_end(totals, tile, load, aged):
    """Add the end of a particle to the totals: the load that is left, and whether it died of
    age.
    """
    totals.exported[tile] += load
    totals.aged[tile] += aged


@inlined
def beyond(z, x, rows, cols):
    """Whether a position lies beyond an edge."""
    return not (0.0 <= z < rows and 0.0 <= x < cols)


@inlined
def come_in(place, count):
    """Position along one axis, wrapped."""
    place %= count
    return place if place < count else 0.0  # -1e-17 % count is count


@inlined
def _lifted_by(cover, at, depth, speed, rate):
    """Sand that a particle `depth` below the surface would lift, less what its cover holds."""
    lift = min(rate * speed, 1.0) * depth
    if cover is not None:
        lift = lift * max(1.0 - cover[at // CELL, 0] / (speed * depth), 0.0) if lift > 0.0 else 0.0
        if cover.shape[1] > SUSPENDED:
            lift *= cover[at // CELL, SUSPENDED]
    return lift


@allocation_free
def _fly(particle, bounds, wind, fields, constants, totals, tile):
    """Let one particle fly until it leaves a tile, has had its turn there or comes to its end: see
    `run_tiles`. Returns the particle, and whether it is to be handed on.
    """
    # A particle stays in its cell for ten steps and more. So addresses change in branches of their
    # own, which the processor predicts, and do not wait for the position after the step before.
    z, x, y, vz, vx, vy, load, earlier, way = particle
    wind_row, wind_col = wind
    ground = fields.ground
    cells = fields.cells
    cover = fields.cover
    masks = fields.masks
    shares = fields.shares
    rows = ground.shape[0]
    cols = ground.shape[1]
    wrap = constants.edges == WRAP
    line = CELL * np.uintp(cols)
    dt = constants.time_step
    share = constants.share
    watch = constants.watch
    row_hold = watch * constants.row_hold
    col_hold = watch * constants.col_hold
    diagonal_hold = watch * constants.diagonal_hold
    row = int(z)
    col = int(x)
    at = number_of(row, col, line)
    inside = 0 < row < rows - 1 and 0 < col < cols - 1
    top = -math.inf  # the four cells whose middles are nearest
    beside = -math.inf
    corner = at
    between = False
    last_lift = constants.maximum_steps - constants.maximum_steps // 4
    slip = 1.0 - dt
    keep = 1.0 - constants.pull
    gust_z = constants.pull * wind_row
    gust_x = constants.pull * wind_col
    lifted = slid = abraded = 0.0
    step = earlier
    left = False
    gone = False
    walled = False
    last_step = min(constants.maximum_steps, step + constants.patience)
    speed = math.sqrt(vz * vz + vx * vx + vy * vy) if step > 0 else math.inf  # each takes a step
    while step < last_step and speed >= STILL and not left:
        step += 1
        surface = cells[at]
        y = y if y > surface else surface
        lee = shaded(fields.shade, at, y)
        blow = 1.0
        if y > surface:
            vy -= constants.gravity
            if constants.air_drag > 0.0 or constants.air_lift > 0.0:
                slower = 1.0 - min(constants.air_drag * math.sqrt(vz * vz + vx * vx + vy * vy), 1.0)
                vy += constants.air_lift * math.sqrt(vz * vz + vx * vx)
                vz = vz * slower
                vx = vx * slower
                vy = vy * slower
        else:
            fields.track[at // CELL] = 1
            down = z - 0.5 - top
            right = x - 0.5 - beside
            if not (0.0 <= down < 1.0 and 0.0 <= right < 1.0):
                top = np.floor(z - 0.5)
                beside = np.floor(x - 0.5)
                down = z - 0.5 - top
                right = x - 0.5 - beside
                up_row = int(top)
                left_col = int(beside)
                corner = number_of(up_row, left_col, line)
                between = 0 < up_row < rows - 2 and 0 < left_col < cols - 2
            if between:
                slope_z, slope_x = differences_inside(cells, corner, line, down, right)
            else:
                slope_z, slope_x = differences(ground, int(top), int(beside), down, right, wrap)
            slope_z = slope_z * constants.row_slope
            slope_x = slope_x * constants.col_slope
            # (v × n) × n = n (n · v) - v, with n = (-slope_z, 1, -slope_x) / length
            into = (vy - slope_z * vz - slope_x * vx) / (
                1.0 + slope_z * slope_z + slope_x * slope_x
            )
            push = dt * into
            vz = slip * vz - slope_z * push
            vx = slip * vx - slope_x * push
            vy = slip * vy + push
            blow = breeze(cover, at)
        vz = keep * vz + blow * gust_z
        vx = keep * vx + blow * gust_x
        vy = keep * vy
        pass_by(fields.flows, at, load, constants.row_step * vz, constants.col_step * vx, vz, vx)
        z += constants.row_step * vz
        x += constants.col_step * vx
        y += dt * vy

        to_row = row
        to_col = col
        to = at
        to_inside = inside
        if not (row <= z < row + 1 and col <= x < col + 1):
            left = not (
                bounds.first_row <= z < bounds.end_row and bounds.first_col <= x < bounds.end_col
            )
            near = not left or near_tile(z, x, bounds)
            if beyond(z, x, rows, cols):
                gone = constants.edges == OPEN
                walled = constants.edges == CLOSED
                if gone or walled:
                    left = False
                    break
                z = come_in(z, rows)
                x = come_in(x, cols)
            if near:  # else all that falls on the way stays where it set out
                to_row = int(z)
                to_col = int(x)
                to = number_of(to_row, to_col, line)
                to_inside = 0 < to_row < rows - 1 and 0 < to_col < cols - 1
        speed = math.sqrt(vz * vz + vx * vx + vy * vy)
        if step > last_lift:
            falling = 0.5 * load / (constants.maximum_steps + 1 - step)
            load -= deposit(cells, shares, to, falling)
            load -= deposit(cells, shares, at, falling)
        elif y <= cells[to]:
            force = speed * (1.0 - constants.shelter if lee else 1.0)
            depth = cells[to] - y
            if cells[at + CHANNEL] <= 0.0:
                abraded += wear(
                    cells, shares, at, min(constants.abrasion * force * load, 1.0) * depth
                )
            else:
                amount = lift(
                    cells, shares, at, _lifted_by(cover, at, depth, force, constants.lift)
                )
                load += amount
                lifted += amount
                if amount > 0.0 and (
                    not inside or steep(cells, at, line, row_hold, col_hold, diagonal_hold)
                ):
                    slid += _cascade(ground, row, col, share, masks, constants)
        else:
            falling = 0.5 * load
            if load > LEAST:
                falling *= constants.lee_fall if lee else constants.fall
            load -= deposit(cells, shares, to, falling)
            load -= deposit(cells, shares, at, falling)
            often = share
            if to == at:
                often = 2.0 * share  # as good as twice, at half the price
            elif not to_inside or steep(cells, to, line, row_hold, col_hold, diagonal_hold):
                slid += _cascade(ground, to_row, to_col, share, masks, constants)
            if not inside or steep(cells, at, line, row_hold, col_hold, diagonal_hold):
                slid += _cascade(ground, row, col, often, masks, constants)
        row = to_row
        col = to_col
        at = to
        inside = to_inside
    left = left or (
        last_step <= step < constants.maximum_steps and speed >= STILL and not (gone or walled)
    )
    if not (gone or left):
        load -= deposit(cells, shares, at, load)
        slid += _cascade(ground, row, col, share, masks, constants)
    add_up(totals, tile, lifted, slid, abraded, step - earlier)
    if not left:
        add_end(totals, tile, load, step == constants.maximum_steps)
    return Particle(z, x, y, vz, vx, vy, load, step, way), left


@allocation_free
def start_particles(pool, tiles, sources, key, first, last, wind, supply, constants):
    """Put the particles first … last - 1 on the tiles where they enter, with the wind's velocity.

    sources: cumulated weights (cells,) of where particles start, up to 1, or None: on the windward
    edges, anywhere where edges wrap. key: uint64. wind: its velocity (row, col). supply: load that
    each particle brings.
    """
    shape = tiles.row_of.size, tiles.col_of.size
    for number in range(first, last):
        start = rng.stream(key, number)
        z, x = start_place(start, sources, shape, wind, constants)
        values = pool.numbers[enter(pool, tiles, start, z, x)]
        values[2] = -math.inf
        values[3] = wind[0]
        values[4] = wind[1]
        values[6] = supply


@allocation_free
def run_tiles(worked, tiles, pool, fields, wind, constants, totals):
    """Let the particles on the tiles `worked` fly, one after another, each until it leaves its tile
    or to its end, or for `patience` steps.

    A particle has a place, a height y, a velocity v (two components along the ground and v_y),
    which begins as the wind p, and a load. With dt for the time step, `ground` for the surface and
    n for its normal, one step is:

    1. a particle below the surface is put on it;
    2. above the surface: v_y -= gravity dt, and by option v -= drag |v| v dt, v_y += lift
       |v_ground| dt; on it: the cell is marked in `track`, and v += dt (v × n) × n, which is n (n ·
       v) - v: friction along the ground;
    3. v += pull dt (p - v); the place moves by dt v, y by dt v_y; beyond an edge it ends, or comes
       in again opposite;
    4. at or below the new cell's surface: force = |v| (surface - y). From the old cell, where it is
       bare rock, abrasion dt force load become sediment; else suspension dt force are lifted,
       though never more than there is, and the heap around slides (`cascade.cascade`);
    5. above it: fall dt load settles, half on the old cell and half on the new; the heaps around
       both slide;
    6. |v| < 0.01, or `maximum_steps`: it ends, and lays down what it carries. In the last quarter
       of its life it lifts nothing and lays its load down evenly, so that no heap marks its end.

    y and v_y are in height units, places and velocities in cells of the source, as there: the
    ground throws a particle `vertical scale` times as high as its tilt alone would, and that is
    what makes them jump off crests. Stability: dt ≤ 1/2, as friction takes dt of the velocity;
    nothing is lifted that is not there, no blow takes more than its depth, and a pair of cells
    gives up at most half of its excess. Mass is moved, never made or lost. What the source loses
    (the rest of a thin layer) is lifted here, diagonals count as longer, edges are tested on the
    cell that slides. A shadow takes `shelter` of the force and lets sand fall faster; it, cover and
    masks are ours.

    fields: `Fields`. wind: p. constants: `Constants`. totals: `Totals`. tiles, pool: see
    `particle_queues`. A particle on a tile touches and reads at most `particle.REACH` + 1 cells
    around it: one that a single step takes further lays down nothing where it arrives. At an open
    edge the load is exported, as is at a particle's end what a mask kept in it.
    """
    for tile in worked:
        bounds = bounds_of(tiles, tile)
        fetch_queue(pool, tile)
        slot = pull(pool, tile)
        while slot != NONE:
            particle = arriving(pool, slot, totals, tile)
            particle, left = _fly(particle, bounds, wind, fields, constants, totals, tile)
            slot = leaving(pool, tiles, tile, slot, particle, left)
