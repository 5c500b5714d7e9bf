# SPDX-License-Identifier: GPL-3.0-or-later
"""Water that runs over the ground through virtual pipes, with what it carries.

The sweep over bands of rows; what happens in each row is in `kernels.water_pipes`. A step has two phases: all seams
between bands look at the rows at both sides, then all bands are swept, each on its own and in place. Whatever the bands
and whoever does them, the bits are the same.
"""

from typing import NamedTuple

import numpy as np

from .compile import kernel
from .edges import OPEN, WRAP
from .water_pipes import (
    Pipes,
    Totals,
    add_across,
    add_along,
    apply,
    carry_between,
    carry_within,
    count,
    level_out,
    limit_between,
    limit_within,
    outside,
    push_between,
    push_ends,
    push_within,
    share_out,
    thicken,
)

__all__ = [
    "Pipes", "Rows", "Seams", "Totals", "look_over", "make_rows", "make_seams",
    "make_totals", "pour", "run_water", "sweep",
]  # fmt: skip


class Seams(NamedTuple):
    """What the bands at both sides of a seam need to know of each other, by number of the seam; see `make_seams`."""

    before: np.ndarray
    """Flux through the faces of the seam before the step, m²/s."""
    pushed: np.ndarray
    """The same after step 1."""
    share: np.ndarray
    """Shares of the outflow that the cells above and below can give."""
    load: np.ndarray
    """Metres of load in a metre of water, above and below."""


class Rows(NamedTuple):
    """Working memory of a band, some rows long; see `make_rows`."""

    flux_x: np.ndarray
    flux_y: np.ndarray
    head: np.ndarray
    water: np.ndarray
    along: np.ndarray
    across: np.ndarray
    share: np.ndarray
    load: np.ndarray
    carried_x: np.ndarray
    carried_y: np.ndarray


def make_rows(cols: int) -> Rows:
    """Working memory of one band of a terrain of so many columns."""
    counts = {"flux_y": 3, "water": 4, "along": 4, "across": 2, "share": 3, "load": 3, "carried_y": 2}
    single = {name: np.zeros((count, cols), np.float32) for name, count in counts.items()}
    faces = {name: np.zeros((2, cols + 1), np.float32) for name in ("flux_x", "carried_x")}
    return Rows(head=np.zeros((4, cols)), **single, **faces)


def make_seams(bands: int, cols: int) -> Seams:
    """The seams above, between and below so many bands."""
    shapes = [(bands + 1, cols)] * 2 + [(bands + 1, 2, cols)] * 2
    return Seams(*(np.zeros(shape, np.float32) for shape in shapes))


def make_totals(rows: int) -> Totals:
    """Nothing counted yet, for a terrain of so many rows."""
    return Totals(*(np.zeros(rows + 2) for _ in range(3)))


@kernel
def look_over(bed, depth, suspended, flux_x, flux_y, level, face, seam, seams, work, pipes):
    """Fill a seam, above row `face`, with what steps 1 and 2 make of the rows at both sides; changes nothing else."""
    rows, wrap = bed.shape[0], pipes.edges == WRAP
    head, water, along, across, ahead_x, ahead_y = (
        work.head, work.water, work.along, work.across, work.flux_x, work.flux_y
    )  # fmt: skip
    for slot in range(4):
        row = (face - 2 + slot) % rows if wrap else face - 2 + slot
        if 0 <= row < rows:
            level_out(bed, depth, row, head, water, slot)
            add_along(flux_x, row, along, slot)
    if pipes.edges == OPEN:
        if face < 2:
            outside(bed, 0, level, head, water, along, 1 - face, 2 - face)
        if face > rows - 2:
            outside(bed, rows - 1, level, head, water, along, rows - face + 2, rows - face + 1)
    for slot in range(3):
        at = (face - 1 + slot) % rows if wrap else face - 1 + slot
        if 0 <= at <= rows:
            ahead_y[slot] = flux_y[at]
            if wrap or 0 < at < rows or pipes.edges == OPEN:
                push_between(head, water, along, slot, slot + 1, ahead_y, slot, pipes)
    seams.before[seam] = flux_y[face]
    seams.pushed[seam] = ahead_y[1]
    share, load = seams.share[seam], seams.load[seam]
    for side in range(2):
        row = (face - 1 + side) % rows if wrap else face - 1 + side
        if 0 <= row < rows:
            add_across(flux_y, row, flux_y, row + 1, across, side)
            ahead_x[side] = flux_x[row]
            push_within(head, water, side + 1, across, side, ahead_x, side, pipes)
            push_ends(bed, row, level, head, water, side + 1, across, side, ahead_x, side, pipes)
            share_out(water, side + 1, ahead_x, side, ahead_y, side, ahead_y, side + 1, share, side, pipes)
            thicken(suspended, row, water, side + 1, load, side)
        else:
            share[side] = 1.0
            load[side] = 0.0


@kernel
def sweep(bed, depth, suspended, flux_x, flux_y, level, first, last, seam, seams, work, pipes, totals):
    """One time step of the rows from `first` to `last` - 1, between a seam and the next one."""
    rows, cols = bed.shape
    _, bottom, head, water, along, across, share, load, carried_x, carried_y = work
    beyond, beyond_at = (flux_y, first + 1) if first + 1 < last else (seams.before, seam + 1)
    add_across(flux_y, first, beyond, beyond_at, across, 0)
    add_along(flux_x, first, along, 0)
    level_out(bed, depth, first, head, water, 0)
    flux_y[first] = seams.pushed[seam]
    bottom[0] = seams.pushed[seam + 1]
    share[2], load[2] = seams.share[seam, 0], seams.load[seam, 0]
    for row in range(first, last + 1):
        # Slots of this row and of those beside it, and its upper faces, which are another band's below the last row.
        now, after, slot, above = (row - first) % 2, (row - first + 1) % 2, (row - first) % 3, (row - first + 2) % 3
        faces, at = (flux_y, row) if row < last else (bottom, 0)
        if row < last:
            if row + 1 < last:
                beyond, beyond_at = (flux_y, row + 2) if row + 2 < last else (seams.before, seam + 1)
                level_out(bed, depth, row + 1, head, water, after)
                add_along(flux_x, row + 1, along, after)
                add_across(flux_y, row + 1, beyond, beyond_at, across, after)
                push_between(head, water, along, now, after, flux_y, row + 1, pipes)
            push_within(head, water, now, across, now, flux_x, row, pipes)
            push_ends(bed, row, level, head, water, now, across, now, flux_x, row, pipes)
            below, below_at = (flux_y, row + 1) if row + 1 < last else (bottom, 0)
            share_out(water, now, flux_x, row, flux_y, row, below, below_at, share, slot, pipes)
            thicken(suspended, row, water, now, load, slot)
            limit_within(flux_x, row, share, slot, pipes.edges)
            carry_within(flux_x, row, load, slot, carried_x, now, pipes.edges)
        else:
            share[slot], load[slot] = seams.share[seam + 1, 1], seams.load[seam + 1, 1]
        limit_between(faces, at, share, above, slot)
        carry_between(faces, at, load, above, slot, carried_y, now)
        if row > first:
            apply(depth, row - 1, flux_x, row - 1, flux_y, row - 1, faces, at, pipes)
            apply(suspended, row - 1, carried_x, after, carried_y, after, carried_y, now, pipes)
        if pipes.edges == OPEN:
            if row < last:
                count(-flux_x[row, 0], -carried_x[now, 0], pipes.col_share, row + 1, totals)
                count(flux_x[row, cols], carried_x[now, cols], pipes.col_share, row + 1, totals)
            if row == 0 or row == rows:
                place, outwards = (0, np.float32(-1.0)) if row == 0 else (rows + 1, np.float32(1.0))
                for col in range(cols):
                    count(outwards * faces[at, col], outwards * carried_y[now, col], pipes.row_share, place, totals)
    if last == rows:
        flux_y[rows] = bottom[0]


@kernel
def pour(depth, spring_cells, spring_depths):
    """Let springs flow for a step: cells by flat index, each with the depth in m that it gains."""
    flat = depth.reshape(-1)
    for spring in range(spring_cells.size):
        flat[spring_cells[spring]] += spring_depths[spring]


@kernel
def run_water(
    bed, depth, suspended, flux_x, flux_y, level, spring_cells, spring_depths, steps, bands, seams, work, pipes, totals
):  # fmt: skip
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
    Stability: seconds · √(g H₀) · √(1/Δx² + 1/Δy²) ≤ 1; friction is implicit, depths and loads
    cannot become negative.

    bed, depth, suspended: (rows, cols) float64 m; the last two are changed in place. flux_x: (rows, cols + 1) and
    flux_y: (rows + 1, cols) float32 m²/s through the faces, positive towards higher indices, changed in place. level:
    of the water beyond open edges, m, -inf for none. spring_cells: flat indices, spring_depths: m a step. bands: the
    first row of each band, and the number of rows. seams: `Seams`, work: `Rows`, totals: `Totals`, which are added to.
    """
    for _ in range(steps):
        pour(depth, spring_cells, spring_depths)
        for seam in range(bands.size):
            look_over(bed, depth, suspended, flux_x, flux_y, level, bands[seam], seam, seams, work, pipes)
        for band in range(bands.size - 1):
            first, last = bands[band], bands[band + 1]
            sweep(bed, depth, suspended, flux_x, flux_y, level, first, last, band, seams, work, pipes, totals)
