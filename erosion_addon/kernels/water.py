# SPDX-License-Identifier: GPL-3.0-or-later
"""Water that runs over the ground through virtual pipes, with what it carries.

Every row is a handful of short loops, each of which writes one array: these the compiler turns into vector
instructions. Sums are arranged so that a mirrored, transposed or turned terrain gives the same bits.
"""

import math
from typing import NamedTuple

import numpy as np

from .compile import kernel

OPEN, CLOSED, WRAP = 0, 1, 2

FILM = np.float32(1e-4)
"""Metres; water shallower than this clings to the ground."""

NOTHING = np.float32(1e-12)
"""Less than this, in m or m²/s, is none: numbers that fade for ever end as denormal ones, which are slow."""

KEPT = np.float32(1.0 - 1e-5)
"""Most of a cell's water that one step may take: float32 fluxes are too coarse to take exactly all of it."""

COURANT = 0.7
"""Share of the longest stable step that is used."""


class Pipes(NamedTuple):
    """Numbers that hold for all pipes: float32 what the fluxes are made with, float64 what the volumes are."""

    seconds: np.float32
    push_row: np.float32
    """gravity · seconds / row spacing, m/s."""
    push_col: np.float32
    row_spacing: np.float32
    col_spacing: np.float32
    friction: np.float32
    depth: np.float32
    row_share: float
    """seconds / row spacing, s/m: depth that one unit of flux moves in a step."""
    col_share: float
    edges: int


class Totals(NamedTuple):
    """What left and entered so far; arrays of one element, added to in place. Metres of depth, summed over cells."""

    outflow: np.ndarray
    inflow: np.ndarray
    exported: np.ndarray


class Rows(NamedTuple):
    """Working memory, some rows long; see `make_rows`."""

    head: np.ndarray
    tangent_x: np.ndarray
    tangent_y: np.ndarray
    share: np.ndarray
    load: np.ndarray
    carried_x: np.ndarray
    carried_y: np.ndarray


def make_rows(cols: int) -> Rows:
    """Working memory for a terrain of so many columns."""
    single = [np.zeros((count, cols + 1), np.float32) for count in (4, 2, 4, 4, 3, 4)]
    return Rows(np.zeros((4, cols)), *single)


def longest_step(row_spacing: float, col_spacing: float, gravity: float, pipe_depth: float) -> float:
    """Longest time step in seconds that is used: `COURANT` of the limit of stability in `run_water`."""
    return COURANT / math.sqrt(gravity * pipe_depth * (1.0 / row_spacing**2 + 1.0 / col_spacing**2))


@kernel
def _pushed(flux, across, head, head_beyond, bed, bed_beyond, push, spacing, pipes):
    """The flux through one face a step later, positive towards beyond; across: mean flux along the face."""
    fall = np.float32(head - head_beyond)
    depth = np.float32(max(head, head_beyond) - max(bed, bed_beyond))
    pipe = min(depth, pipes.depth)
    size = math.sqrt(flux * flux + across * across)
    cube = depth * depth * depth
    drag = pipes.seconds * (pipes.friction + abs(fall) / spacing) * pipe * size
    pushed = (flux + push * pipe * fall) * (cube / (cube + drag))
    return pushed if depth > FILM and abs(pushed) > NOTHING else np.float32(0.0)


@kernel
def _push_within(head, bed, tangent, flux, pipes):
    """Step 1 for the faces between the cells of one row, those at the two ends excepted."""
    for col in range(1, bed.size):
        across = (tangent[col - 1] + tangent[col]) * np.float32(0.25)
        flux[col] = _pushed(
            flux[col], across, head[col - 1], head[col], bed[col - 1], bed[col], pipes.push_col, pipes.col_spacing, pipes
        )


@kernel
def _push_ends(head, bed, tangent, flux, level, pipes):
    """Step 1 for the faces at the two ends of a row."""
    last = bed.size - 1
    push, spacing = pipes.push_col, pipes.col_spacing
    if pipes.edges == WRAP:
        across = (tangent[last] + tangent[0]) * np.float32(0.25)
        flux[0] = _pushed(flux[0], across, head[last], head[0], bed[last], bed[0], push, spacing, pipes)
        flux[last + 1] = flux[0]
    elif pipes.edges == OPEN:
        across = (tangent[0] + tangent[0]) * np.float32(0.25)
        flux[0] = _pushed(flux[0], across, max(bed[0], level), head[0], bed[0], bed[0], push, spacing, pipes)
        across = (tangent[last] + tangent[last]) * np.float32(0.25)
        beyond = max(bed[last], level)
        flux[last + 1] = _pushed(
            flux[last + 1], across, head[last], beyond, bed[last], bed[last], push, spacing, pipes
        )


@kernel
def _push_between(head, head_beyond, bed, bed_beyond, tangent, tangent_beyond, flux, pipes):
    """Step 1 for the faces between two rows."""
    for col in range(bed.size):
        across = (tangent[col] + tangent_beyond[col]) * np.float32(0.25)
        flux[col] = _pushed(
            flux[col], across, head[col], head_beyond[col], bed[col], bed_beyond[col],
            pipes.push_row, pipes.row_spacing, pipes,
        )  # fmt: skip


@kernel
def _prepare(bed, depth, flux_x, flux_above, flux_below, head, tangent_x, tangent_y):
    """Level of the water, and twice the mean flux through each cell of a row before the step."""
    for col in range(bed.size):
        head[col] = bed[col] + depth[col]
    for col in range(bed.size):
        tangent_x[col] = flux_x[col] + flux_x[col + 1]
    for col in range(bed.size):
        tangent_y[col] = flux_above[col] + flux_below[col]


@kernel
def _limit(depth, suspended, flux_x, flux_above, flux_below, share, load, pipes):
    """Step 2 for a row: the share of the outflow that the cells can give, and metres of load in a metre of water."""
    zero, row_share, col_share = np.float32(0.0), np.float32(pipes.row_share), np.float32(pipes.col_share)
    for col in range(depth.size):
        wanted = (max(flux_x[col + 1], zero) + max(-flux_x[col], zero)) * col_share + (
            max(flux_below[col], zero) + max(-flux_above[col], zero)
        ) * row_share
        room = np.float32(depth[col]) * KEPT
        share[col] = room / max(max(wanted, room), np.float32(1e-30))
    for col in range(depth.size):
        load[col] = np.float32(suspended[col] / max(depth[col], np.float64(FILM)))


@kernel
def _upwind(flux, here, beyond):
    """What a face takes over from the cell that its flux leaves."""
    return here if flux > np.float32(0.0) else beyond


@kernel
def _carry_within(share, load, flux, carried, pipes, totals):
    """Steps 2 and 3 for the faces of a row: fluxes as limited, and the load they carry. Totals count the ends."""
    cols, zero, one = flux.size - 1, np.float32(0.0), np.float32(1.0)
    for col in range(1, cols):
        flux[col] *= _upwind(flux[col], share[col - 1], share[col])
    for col in range(1, cols):
        carried[col] = flux[col] * _upwind(flux[col], load[col - 1], load[col])
    wrap = pipes.edges == WRAP
    outer_share, outer_load = (share[cols - 1], load[cols - 1]) if wrap else (one, zero)
    flux[0] *= _upwind(flux[0], outer_share, share[0])
    carried[0] = flux[0] * _upwind(flux[0], outer_load, load[0])
    outer_share, outer_load = (share[0], load[0]) if wrap else (one, zero)
    flux[cols] *= _upwind(flux[cols], share[cols - 1], outer_share)
    carried[cols] = flux[cols] * _upwind(flux[cols], load[cols - 1], outer_load)
    if not wrap:
        for size, solid in ((-flux[0], -carried[0]), (flux[cols], carried[cols])):
            _count(size, solid, pipes.col_share, totals)


@kernel
def _carry_between(share, share_beyond, load, load_beyond, flux, carried):
    """Steps 2 and 3 for the faces between two rows."""
    for col in range(flux.size):
        flux[col] *= _upwind(flux[col], share[col], share_beyond[col])
    for col in range(flux.size):
        carried[col] = flux[col] * _upwind(flux[col], load[col], load_beyond[col])


@kernel
def _count(flux, carried, part, totals):
    """Count what passes an open edge; flux and carried positive outwards."""
    totals.outflow[0] += max(np.float64(flux), 0.0) * part
    totals.inflow[0] += max(-np.float64(flux), 0.0) * part
    totals.exported[0] += np.float64(carried) * part


@kernel
def _apply(content, along, above, below, pipes):
    """Step 4 for a row: add what comes in and take what goes out, in float64 so that no volume is lost."""
    for col in range(content.size):
        row_gain = (np.float64(above[col]) - np.float64(below[col])) * pipes.row_share
        col_gain = (np.float64(along[col]) - np.float64(along[col + 1])) * pipes.col_share
        content[col] += row_gain + col_gain


@kernel
def _step(bed, depth, suspended, flux_x, flux_y, level, rows_of, pipes, totals):
    """One time step of all cells in a single sweep; row 0 is finished last, when the row that it may wrap to is."""
    rows = bed.shape[0]
    last, wrap = rows - 1, pipes.edges == WRAP
    head, tangent_x, tangent_y, share, load, carried_x, carried_y = rows_of
    first_head, outer_head, outer_tangent = head[2], head[3], tangent_x[3]
    _prepare(bed[0], depth[0], flux_x[0], flux_y[0], flux_y[1], head[0], tangent_x[0], tangent_y[0])
    first_head[:] = head[0]
    tangent_x[2] = tangent_x[0]
    if wrap:
        for col in range(bed.shape[1]):
            outer_head[col] = bed[last, col] + depth[last, col]
            outer_tangent[col] = flux_x[last, col] + flux_x[last, col + 1]
        _push_between(outer_head, head[0], bed[last], bed[0], outer_tangent, tangent_x[0], flux_y[0], pipes)
    elif pipes.edges == OPEN:
        np.maximum(bed[0], level, outer_head)
        _push_between(outer_head, head[0], bed[0], bed[0], tangent_x[0], tangent_x[0], flux_y[0], pipes)
    for row in range(rows):
        now, after, slot = row % 2, (row + 1) % 2, 2 if row == 0 else row % 2
        if row < last:
            beyond, bed_beyond = after, bed[row + 1]
            _prepare(
                bed[row + 1], depth[row + 1], flux_x[row + 1], flux_y[row + 1], flux_y[row + 2],
                head[after], tangent_x[after], tangent_y[after],
            )  # fmt: skip
            _push_between(
                head[now], head[beyond], bed[row], bed_beyond, tangent_x[now], tangent_x[beyond], flux_y[row + 1], pipes
            )
        elif wrap:
            flux_y[rows] = flux_y[0]
        elif pipes.edges == OPEN:
            np.maximum(bed[last], level, outer_head)
            _push_between(
                head[now], outer_head, bed[last], bed[last], tangent_x[now], tangent_x[now], flux_y[rows], pipes
            )
        _push_within(head[now], bed[row], tangent_y[now], flux_x[row], pipes)
        _push_ends(head[now], bed[row], tangent_y[now], flux_x[row], level, pipes)
        _limit(depth[row], suspended[row], flux_x[row], flux_y[row], flux_y[row + 1], share[slot], load[slot], pipes)
        _carry_within(share[slot], load[slot], flux_x[row], carried_x[slot], pipes, totals)
        if row >= 1:
            before, face = 2 if row == 1 else (row - 1) % 2, 2 if row == 1 else row % 2
            _carry_between(share[before], share[slot], load[before], load[slot], flux_y[row], carried_y[face])
        if row >= 2:
            above = 2 if row == 2 else (row - 1) % 2
            _apply(depth[row - 1], flux_x[row - 1], flux_y[row - 1], flux_y[row], pipes)
            _apply(suspended[row - 1], carried_x[(row - 1) % 2], carried_y[above], carried_y[row % 2], pipes)
    outer_share, outer_load = (share[2], load[2]) if wrap else (share[3], load[3])
    if not wrap:
        outer_share[:] = 1.0
        outer_load[:] = 0.0
    bottom = rows % 2
    _carry_between(share[last % 2], outer_share, load[last % 2], outer_load, flux_y[rows], carried_y[bottom])
    _apply(depth[last], flux_x[last], flux_y[last], flux_y[rows], pipes)
    _apply(suspended[last], carried_x[last % 2], carried_y[2 if last == 1 else last % 2], carried_y[bottom], pipes)
    if wrap:
        flux_y[0] = flux_y[rows]
        carried_y[3] = carried_y[bottom]
    else:
        _carry_between(outer_share, share[2], outer_load, load[2], flux_y[0], carried_y[3])
        for col in range(bed.shape[1]):
            _count(-flux_y[0, col], -carried_y[3, col], pipes.row_share, totals)
            _count(flux_y[rows, col], carried_y[bottom, col], pipes.row_share, totals)
    _apply(depth[0], flux_x[0], flux_y[0], flux_y[1], pipes)
    _apply(suspended[0], carried_x[2], carried_y[3], carried_y[2], pipes)


@kernel
def run_water(bed, depth, suspended, flux_x, flux_y, level, spring_cells, spring_depths, steps, work, pipes, totals):
    """Let the water run for `steps` time steps of `pipes.seconds`, carrying what is suspended in it.

    Equations, with level η = z + h, discharge per metre of width q, friction f and the pipe's depth H = min(h, H₀):

        ∂q/∂t = -(H / h) (g h ∇η + (f + |∇η|) |q| q / h²),    ∂h/∂t = -∇·q,    ∂s/∂t = -∇·(q s / h).

    That is shallow water without the advection of momentum (Mei, Decaudin, Hu 2007, whose pipes of a fixed section
    are the linear case h > H₀, f = 0; Bates, Horritt, Fewtrell 2010 for the friction taken at the new time). H₀ slows
    waves in deep water to √(g H₀) and changes no steady flow. The form drag |∇η| keeps flow down steep beds at or
    below critical (Grant 1997). Limit: right while the Froude number is well below 1. Bores and hydraulic jumps travel
    at the speed of long waves, a dam break over a dry bed is too slow, and there are no eddies.

    Scheme, one step: 1. fluxes through the faces from the levels; h at a face is the higher level less the higher bed.
    2. The outflow of a cell is cut to the water it has. 3. The load goes with the flux, at the concentration of the
    cell it leaves (upwind). 4. What leaves one cell enters the next, the same number: volumes are kept to rounding.
    Levels that are equal stay so for ever, on any bed.
    Stability: seconds · √(g H₀) · √(1/Δx² + 1/Δy²) ≤ 1, see `longest_step`; friction is implicit, depths and loads
    cannot become negative.

    bed, depth, suspended: (rows, cols) float64 m; the last two are changed in place. flux_x: (rows, cols + 1) and
    flux_y: (rows + 1, cols) float32 m²/s through the faces, positive towards higher indices, changed in place. level:
    of the water beyond open edges, m, -inf for none. spring_cells: flat indices, spring_depths: m a step. work: `Rows`.
    """
    flat = depth.reshape(-1)
    for _ in range(steps):
        for spring in range(spring_cells.size):
            flat[spring_cells[spring]] += spring_depths[spring]
        _step(bed, depth, suspended, flux_x, flux_y, level, work, pipes, totals)
