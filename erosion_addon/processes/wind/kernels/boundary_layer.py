# SPDX-License-Identifier: GPL-3.0-or-later
"""Wind in a boundary layer: particles that follow the ground and carry as much sand as the air near
it can hold.

Source: Nick McDonald (weigert), SimpleWindErosion, the rewrite of 2023; abrasion is that of his
article of 2020. All lengths are in feature sizes, which are the cells of the source, and speeds in
that of the wind.
"""

import math
from typing import NamedTuple

import numpy as np

from ....base.kernels import rng
from ....base.kernels.elementary import exp
from ....base.kernels.ghost_cells import CLOSED, OPEN, WRAP
from ....base.kernels.jit import allocation_free, inlined
from ...shared.kernels.cascade import avalanche, slide
from ...shared.kernels.particle_queues import NONE, enter, fetch_queue, pull
from ...shared.kernels.tiles import reach_of, within
from .particle import NO_END, Particle, anywhere
from .saltation import add_end, add_up, arriving, beyond, come_in, leaving, number_of
from .surface import (
    CELL,
    CHANNEL,
    LEAST,
    cohesion,
    deposit,
    differences,
    differences_inside,
    lift,
    pass_by,
    shaded,
    steep,
    wear,
)

CALM = 0.1
"""Share of the wind that remains on slopes facing away from it."""


class Constants(NamedTuple):
    """Constants of all particles; see `run_tiles` for the equations they stand in."""

    layer: float
    full: float
    """Load that the wind carries over level ground; `weight` and `drag` refer to it."""
    press: float
    """Weight of pressure on the ground relative to flow along it."""
    exchange: float
    """Share of the deficit or surplus of load exchanged in a step."""
    lee_exchange: float
    """The same in the wind shadow."""
    abrasion: float
    weight: float
    drag: float
    yielding: float
    """Share of the wind's hold on a particle that a step has of that on a feature size, against
    which drag works.
    """
    pull: float
    follow: float
    turbulence: float
    share: float
    """Share of a slope's excess that slides per visit, at most 1/2."""
    time_step: float
    """Feature sizes that speed 1 goes in a step; along a column `row_step` cells, along a row
    `col_step`.
    """
    row_step: float
    col_step: float
    row_slope: float
    """Slope along a column for a height difference of 1 between the two neighbors of a cell."""
    col_slope: float
    row_hold: float
    col_hold: float
    diagonal_hold: float
    shelter: float
    maximum_way: float
    """Greatest path along the ground, in steps of speed 1."""
    maximum_steps: int
    """Step limit for particles that hardly move."""
    edges: int
    patience: int = NO_END
    """Steps of a particle per visit of a tile."""
    downhill: bool = False
    """Whether sand slides down the true gradient; else between pairs of cells, as in the source."""
    watch: float = 1.0
    """Share of the stable difference above which a pair of cells is checked for slides."""


@allocation_free
def _cascade(ground, row, col, share, masks, constants):
    """As `cascade.cascade`, but to the neighbors by their height, the lowest first; returns the
    amount moved.
    """
    wrap = constants.edges == WRAP
    diagonal_hold = constants.diagonal_hold
    row_hold = constants.row_hold
    col_hold = constants.col_hold
    if constants.downhill:
        return avalanche(ground, row, col, share, masks, row_hold, col_hold, wrap)
    rows = ground.shape[0]
    cols = ground.shape[1]
    slid = 0.0
    # a bit for each of 3 × 3 cells; the middle one needs no slide
    finished = 1 << 4
    for _ in range(8):
        lowest = math.inf
        choice = -1
        for number in range(9):
            to_row = row + number // 3 - 1
            to_col = col + number % 3 - 1
            if wrap:
                to_row = to_row % rows
                to_col = to_col % cols
            outside = to_row < 0 or to_row >= rows or to_col < 0 or to_col >= cols
            if not (finished >> number & 1 or outside) and ground[to_row, to_col, 0] < lowest:
                lowest = ground[to_row, to_col, 0]
                choice = number
        if choice < 0:
            break
        finished |= 1 << choice
        down = choice // 3 - 1
        right = choice % 3 - 1
        hold = diagonal_hold
        if down == 0:
            hold = col_hold
        elif right == 0:
            hold = row_hold
        slid += slide(
            ground, row, col, (row + down) % rows, (col + right) % cols, hold, share, masks
        )
    return slid


@inlined
def _calmer(cover, at, near):
    """Share of the wind that plants leave at a height. near: see `run_tiles`."""
    return 1.0 if cover is None else 1.0 - near * (1.0 - cover[at // CELL, 1])


@allocation_free
def _drift(particle, start, reach, wind, fields, constants, totals, tile):
    """Let one particle drift until it leaves a reach, has had its turn there or comes to its end:
    see `run_tiles`. Returns the particle, and whether it is to be handed on.
    """
    z, x, y, vz, vx, vy, load, earlier, way = particle
    wind_row, wind_col = wind
    ground = fields.ground
    cells = fields.cells
    masks = fields.masks
    shares = fields.shares
    rows = ground.shape[0]
    cols = ground.shape[1]
    wrap = constants.edges == WRAP
    line = CELL * np.uintp(cols)
    share = constants.share
    full = constants.full
    layer = constants.layer
    watch = constants.watch
    row_hold = watch * constants.row_hold
    col_hold = watch * constants.col_hold
    diagonal_hold = watch * constants.diagonal_hold
    pull = constants.pull
    follow = constants.follow
    maximum_way = constants.maximum_way
    ending = max(0.25 * constants.maximum_way, 1.0)
    lifted = slid = abraded = 0.0
    step = earlier
    left = False
    gone = False
    walled = False
    last_step = min(constants.maximum_steps, step + constants.patience)
    row = int(z)
    col = int(x)
    while step < last_step and way < maximum_way and not left:
        step += 1
        at = number_of(row, col, line)
        surface = cells[at]
        y = y if y > surface else surface
        top = np.floor(z - 0.5)
        beside = np.floor(x - 0.5)
        up_row = int(top)
        left_col = int(beside)
        if 0 < up_row < rows - 2 and 0 < left_col < cols - 2:
            slope_z, slope_x = differences_inside(
                cells, number_of(up_row, left_col, line), line, z - 0.5 - top, x - 0.5 - beside
            )
        else:
            slope_z, slope_x = differences(
                ground, up_row, left_col, z - 0.5 - top, x - 0.5 - beside, wrap
            )
        slope_z = slope_z * constants.row_slope
        slope_x = slope_x * constants.col_slope
        ny = 1.0 / math.sqrt(1.0 + slope_z * slope_z + slope_x * slope_x)
        nz = -slope_z * ny
        nx = -slope_x * ny
        near = exp((surface - y) / layer)
        calmer = _calmer(fields.cover, at, near)
        gust_z = wind_row * calmer
        gust_x = wind_col * calmer
        open_air = 1.0 - max(nz * wind_row + nx * wind_col, 0.0)

        some = pull * (CALM + (1.0 - CALM) * open_air)
        vz = vz + some * gust_z - pull * vz
        vx = vx + some * gust_x - pull * vx
        vy = vy - pull * vy
        burden = load / full
        if y > surface:
            vy -= constants.weight * burden
        speed = math.sqrt(vz * vz + vx * vx + vy * vy)
        pressing = nz * vz + nx * vx + ny * vy
        collision = max(-pressing / speed, 0.0) if speed > 0.0 else 0.0
        along = 1.0 - collision
        hug = open_air * near
        turn_z = along * (vz - pressing * nz)
        turn_x = along * (vx - pressing * nx)
        turn_y = along * (vy - pressing * ny)
        vz += follow * (open_air * (gust_z + hug * (turn_z - gust_z)) - vz)
        vx += follow * (open_air * (gust_x + hug * (turn_x - gust_x)) - vx)
        vy += follow * (open_air * hug * turn_y - vy)
        swirl = constants.turbulence * near * collision
        if swirl > 0.0:
            vz += swirl * (2.0 * rng.uniform(start, 3 * step) - 1.0)
            vx += swirl * (2.0 * rng.uniform(start, 3 * step + 1) - 1.0)
            vy += swirl * (2.0 * rng.uniform(start, 3 * step + 2) - 1.0)
        slower = 1.0 - min(constants.drag * burden, 1.0)
        slower /= constants.yielding + slower * (1.0 - constants.yielding)
        vz = vz * slower
        vx = vx * slower
        vy = vy * slower

        fields.track[at // CELL] = 1
        force = max(-(nz * vz + nx * vx + ny * vy), 0.0)
        holds = (
            full * near * (along * math.sqrt(vz * vz + vx * vx + vy * vy) + constants.press * force)
        )
        exchange = constants.exchange
        if shaded(fields.shade, at, surface):
            holds *= 1.0 - constants.shelter
            exchange = constants.lee_exchange
        way += math.sqrt(vz * vz + vx * vx) / max(calmer, CALM)
        holds *= max(min(min(maximum_way - way, constants.maximum_steps - step) / ending, 1.0), 0.0)
        demand = exchange * (holds - load)
        if demand <= 0.0:
            load -= deposit(cells, shares, at, -demand if load > LEAST else load)
        elif cells[at + CHANNEL] <= 0.0:
            abraded += wear(cells, shares, at, constants.abrasion * force * load)
        else:
            amount = lift(cells, shares, at, max(demand - cohesion(fields.cover, at), 0.0))
            load += amount
            lifted += amount
        if not (0 < row < rows - 1 and 0 < col < cols - 1) or steep(
            cells, at, line, row_hold, col_hold, diagonal_hold
        ):
            slid += _cascade(ground, row, col, share, masks, constants)

        pass_by(fields.flows, at, load, constants.row_step * vz, constants.col_step * vx, vz, vx)
        z += constants.row_step * vz
        x += constants.col_step * vx
        y += constants.time_step * vy
        if beyond(z, x, rows, cols):
            gone = constants.edges == OPEN
            walled = constants.edges == CLOSED
            if gone or walled:
                break
            z = come_in(z, rows)
            x = come_in(x, cols)
        row = int(z)
        col = int(x)
        left = not within(reach, row, col)
    old = step == constants.maximum_steps or way >= maximum_way
    left = left or not (old or gone or walled)
    if not (gone or left):
        load -= deposit(cells, shares, number_of(row, col, line), load)
        slid += _cascade(ground, row, col, share, masks, constants)
    add_up(totals, tile, lifted, slid, abraded, step - earlier)
    if not left:
        add_end(totals, tile, load, old)
    return Particle(z, x, y, vz, vx, vy, load, step, way), left


@allocation_free
def start_particles(pool, tiles, sources, key, first, last, wind, supply, constants):
    """Put the particles first … last - 1 on the tiles where they start: on the ground, at rest, and
    anywhere, whatever the edges, where `sources` does not say it. Arguments as of
    `saltation.start_particles`, so that a step calls either.
    """
    for number in range(first, last):
        start = rng.stream(key, number)
        z, x = anywhere(start, sources, tiles.row_of.size, tiles.col_of.size)
        values = pool.numbers[enter(pool, tiles, start, z, x)]
        values[2] = -math.inf
        values[6] = supply


@allocation_free
def run_tiles(worked, tiles, pool, fields, wind, constants, totals):
    """Let the particles on the tiles `worked` drift, one after another, each until it leaves their
    reach or to its end, or for `patience` steps.

    With p for the wind, |p| = 1, n for the normal of the ground, y for a particle's height over it
    and near = exp(-y / layer), one step, of a feature size or a part of it, is:

    1. open = 1 - max(p · n, 0): a slope that turns away from the wind lies in its shadow; v += pull
       ((0.1 + 0.9 open) p - v); above the ground v_y -= weight carried, with carried = load / full;
    2. collision = max(-v · n / |v|, 0), t = (1 - collision) (v - (v · n) n): what of v goes along
       the ground; v += follow (open (p + open near (t - p)) - v): near the ground along it, high
       above it with the wind;
    3. v += turbulence near collision (three random numbers from -1 to 1); v *= s / (yielding + s (1
       - yielding)), with s = 1 - drag carried: where yielding and drag are in balance v is the same
       for steps of any length;
    4. the air holds full near ((1 - collision) |v| + press max(-v · n, 0)), none of it where the
       ground is in `shade` and shelter is 1, and less and less in the last quarter of a life, which
       is a way: loaded air is slow, and if steps counted it would end on the windward side of high
       dunes. In grass the free wind's way counts. `exchange` of what is missing is lifted, of what
       is too much laid down. From bare rock nothing is lifted: abrasion max(-v · n, 0) load become
       sediment;
    5. where the heap is too steep, it slides, to the lowest neighbors first; the particle moves by
       v.

    Stability: exchange, pull, follow ≤ 1; nothing is lifted that is not there. Mass is moved, never
    made or lost. As the air holds no more than its load, a dune passes on the same sand wherever it
    is long enough: so low ones move faster than high ones, and flanks faster than the middle, which
    is what gives barchans their horns. The source's heights are those of a map that is 80 cells
    high, and a particle there flies in them: here all lengths are the same. Its sand has no rock
    below, and its shadow is only that of the slope; shade, cover and masks are ours.

    Arguments are those of `saltation.run_tiles`, with heights in feature sizes; wind: p. A particle
    changes its cell and the eight around it, and reads one more on each side: two beyond the reach
    of its tile. Wherever a step takes it from there, it does nothing more before the tile there is
    worked.
    """
    for tile in worked:
        reach = reach_of(tiles, tile)
        fetch_queue(pool, tile)
        slot = pull(pool, tile)
        while slot != NONE:
            particle = arriving(pool, slot, totals, tile)
            start = pool.start[slot]
            particle, left = _drift(particle, start, reach, wind, fields, constants, totals, tile)
            slot = leaving(pool, tiles, tile, slot, particle, left)
