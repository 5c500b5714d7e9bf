# SPDX-License-Identifier: GPL-3.0-or-later
"""Water that runs over the ground through virtual pipes, with what it carries.

The sweep over the grid; what happens in each row is in `kernels.water_pipes`.
"""

import math
from typing import NamedTuple

import numpy as np

from .compile import kernel
from .edges import OPEN, WRAP
from .water_pipes import (
    Pipes,
    Totals,
    apply,
    carry_between,
    carry_within,
    count,
    limit,
    prepare,
    push_between,
    push_ends,
    push_within,
)

__all__ = ["COURANT", "Pipes", "Rows", "Totals", "longest_step", "make_rows", "run_water"]

COURANT = 0.7
"""Share of the longest stable step that is used."""


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
def _step(bed, depth, suspended, flux_x, flux_y, level, rows_of, pipes, totals):
    """One time step of all cells in a single sweep; row 0 is finished last, when the row that it may wrap to is."""
    rows = bed.shape[0]
    last, wrap = rows - 1, pipes.edges == WRAP
    head, tangent_x, tangent_y, share, load, carried_x, carried_y = rows_of
    first_head, outer_head, outer_tangent = head[2], head[3], tangent_x[3]
    prepare(bed[0], depth[0], flux_x[0], flux_y[0], flux_y[1], head[0], tangent_x[0], tangent_y[0])
    first_head[:] = head[0]
    tangent_x[2] = tangent_x[0]
    if wrap:
        for col in range(bed.shape[1]):
            outer_head[col] = bed[last, col] + depth[last, col]
            outer_tangent[col] = flux_x[last, col] + flux_x[last, col + 1]
        push_between(outer_head, head[0], bed[last], bed[0], outer_tangent, tangent_x[0], flux_y[0], pipes)
    elif pipes.edges == OPEN:
        np.maximum(bed[0], level, outer_head)
        push_between(outer_head, head[0], bed[0], bed[0], tangent_x[0], tangent_x[0], flux_y[0], pipes)
    for row in range(rows):
        now, after, slot = row % 2, (row + 1) % 2, 2 if row == 0 else row % 2
        if row < last:
            beyond, bed_beyond = after, bed[row + 1]
            prepare(
                bed[row + 1], depth[row + 1], flux_x[row + 1], flux_y[row + 1], flux_y[row + 2],
                head[after], tangent_x[after], tangent_y[after],
            )  # fmt: skip
            push_between(
                head[now], head[beyond], bed[row], bed_beyond, tangent_x[now], tangent_x[beyond], flux_y[row + 1], pipes
            )
        elif wrap:
            flux_y[rows] = flux_y[0]
        elif pipes.edges == OPEN:
            np.maximum(bed[last], level, outer_head)
            push_between(
                head[now], outer_head, bed[last], bed[last], tangent_x[now], tangent_x[now], flux_y[rows], pipes
            )
        push_within(head[now], bed[row], tangent_y[now], flux_x[row], pipes)
        push_ends(head[now], bed[row], tangent_y[now], flux_x[row], level, pipes)
        limit(depth[row], suspended[row], flux_x[row], flux_y[row], flux_y[row + 1], share[slot], load[slot], pipes)
        carry_within(share[slot], load[slot], flux_x[row], carried_x[slot], pipes, totals)
        if row >= 1:
            before, face = 2 if row == 1 else (row - 1) % 2, 2 if row == 1 else row % 2
            carry_between(share[before], share[slot], load[before], load[slot], flux_y[row], carried_y[face])
        if row >= 2:
            above = 2 if row == 2 else (row - 1) % 2
            apply(depth[row - 1], flux_x[row - 1], flux_y[row - 1], flux_y[row], pipes)
            apply(suspended[row - 1], carried_x[(row - 1) % 2], carried_y[above], carried_y[row % 2], pipes)
    outer_share, outer_load = (share[2], load[2]) if wrap else (share[3], load[3])
    if not wrap:
        outer_share[:] = 1.0
        outer_load[:] = 0.0
    bottom = rows % 2
    carry_between(share[last % 2], outer_share, load[last % 2], outer_load, flux_y[rows], carried_y[bottom])
    apply(depth[last], flux_x[last], flux_y[last], flux_y[rows], pipes)
    apply(suspended[last], carried_x[last % 2], carried_y[2 if last == 1 else last % 2], carried_y[bottom], pipes)
    if wrap:
        flux_y[0] = flux_y[rows]
        carried_y[3] = carried_y[bottom]
    else:
        carry_between(outer_share, share[2], outer_load, load[2], flux_y[0], carried_y[3])
        for col in range(bed.shape[1]):
            count(-flux_y[0, col], -carried_y[3, col], pipes.row_share, totals)
            count(flux_y[rows, col], carried_y[bottom, col], pipes.row_share, totals)
    apply(depth[0], flux_x[0], flux_y[0], flux_y[1], pipes)
    apply(suspended[0], carried_x[2], carried_y[3], carried_y[2], pipes)


@kernel
def run_water(bed, depth, suspended, flux_x, flux_y, level, spring_cells, spring_depths, steps, work, pipes, totals):
    """Let the water run for `steps` time steps of `pipes.seconds`, carrying what is suspended in it.

    Equations, with level η = z + h, discharge per metre of width q, friction f and the pipe's depth H = min(h, H₀):

        ∂q/∂t = -(H / h) (g h ∇η + (f + |∇η|) |q| q / h²),    ∂h/∂t = -∇·q,    ∂s/∂t = -∇·(q s / h).

    That is shallow water without the advection of momentum (Mei, Decaudin, Hu 2007, whose pipes of a fixed section
    are the linear case h > H₀, f = 0; Bates, Horritt, Fewtrell 2010 for the friction taken at the new time). H₀ slows
    waves in deep water to √(g H₀) and changes no steady flow. The form drag |∇η| keeps flow down steep beds at or
    below critical (Grant 1997). Limit: right while the Froude number is well below 1. Bores and hydraulic jumps are too
    slow, by up to a quarter where the depth doubles, and the level behind them is up to 5 % off; flow over a dry bed
    is slower still, and there are no eddies.

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
