# SPDX-License-Identifier: GPL-3.0-or-later
"""The pipes between the cells of a row, and between two rows: the steps of `kernels.water.run_water`.

Every row is a handful of short loops, each of which writes one array: these the compiler turns into vector
instructions. Sums are arranged so that a mirrored, transposed or turned terrain gives the same bits.
"""

import math
from typing import NamedTuple

import numpy as np

from .compile import kernel
from .edges import OPEN, WRAP

FILM = np.float32(1e-4)
"""Metres; water shallower than this clings to the ground."""

NOTHING = np.float32(1e-12)
"""Less than this, in m or m²/s, is none: numbers that fade for ever end as denormal ones, which are slow."""

KEPT = np.float32(1.0 - 1e-5)
"""Most of a cell's water that one step may take: float32 fluxes are too coarse to take exactly all of it."""


class Pipes(NamedTuple):
    """Numbers that hold for all pipes: float32 what the fluxes are made with, float64 what the volumes are."""

    seconds: np.float32
    push_row: np.float32
    """gravity · seconds / row spacing, m/s."""
    push_col: np.float32
    row_steepness: np.float32
    """1 / row spacing, 1/m."""
    col_steepness: np.float32
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


@kernel
def _pushed(flux, across, head, head_beyond, bed, bed_beyond, push, steepness, pipes):
    """The flux through one face a step later, positive towards beyond; across: mean flux along the face."""
    fall = np.float32(head - head_beyond)
    depth = np.float32(max(head, head_beyond) - max(bed, bed_beyond))
    pipe = min(depth, pipes.depth)
    size = math.sqrt(flux * flux + across * across)
    cube = depth * depth * depth
    drag = pipes.seconds * (pipes.friction + abs(fall) * steepness) * pipe * size
    pushed = (flux + push * pipe * fall) * (cube / (cube + drag))
    return pushed if depth > FILM and abs(pushed) > NOTHING else np.float32(0.0)


@kernel
def push_within(head, bed, tangent, flux, pipes):
    """Step 1 for the faces between the cells of one row, those at the two ends excepted."""
    for col in range(1, bed.size):
        across = (tangent[col - 1] + tangent[col]) * np.float32(0.25)
        flux[col] = _pushed(
            flux[col], across, head[col - 1], head[col], bed[col - 1], bed[col],
            pipes.push_col, pipes.col_steepness, pipes,
        )  # fmt: skip


@kernel
def push_ends(head, bed, tangent, flux, level, pipes):
    """Step 1 for the faces at the two ends of a row."""
    last = bed.size - 1
    push, steepness = pipes.push_col, pipes.col_steepness
    if pipes.edges == WRAP:
        across = (tangent[last] + tangent[0]) * np.float32(0.25)
        flux[0] = _pushed(flux[0], across, head[last], head[0], bed[last], bed[0], push, steepness, pipes)
        flux[last + 1] = flux[0]
    elif pipes.edges == OPEN:
        across = (tangent[0] + tangent[0]) * np.float32(0.25)
        flux[0] = _pushed(flux[0], across, max(bed[0], level), head[0], bed[0], bed[0], push, steepness, pipes)
        across = (tangent[last] + tangent[last]) * np.float32(0.25)
        beyond = max(bed[last], level)
        flux[last + 1] = _pushed(
            flux[last + 1], across, head[last], beyond, bed[last], bed[last], push, steepness, pipes
        )


@kernel
def push_between(head, head_beyond, bed, bed_beyond, tangent, tangent_beyond, flux, pipes):
    """Step 1 for the faces between two rows."""
    for col in range(bed.size):
        across = (tangent[col] + tangent_beyond[col]) * np.float32(0.25)
        flux[col] = _pushed(
            flux[col], across, head[col], head_beyond[col], bed[col], bed_beyond[col],
            pipes.push_row, pipes.row_steepness, pipes,
        )  # fmt: skip


@kernel
def prepare(bed, depth, flux_x, flux_above, flux_below, head, tangent_x, tangent_y):
    """Level of the water, and twice the mean flux through each cell of a row before the step."""
    for col in range(bed.size):
        head[col] = bed[col] + depth[col]
    for col in range(bed.size):
        tangent_x[col] = flux_x[col] + flux_x[col + 1]
    for col in range(bed.size):
        tangent_y[col] = flux_above[col] + flux_below[col]


@kernel
def limit(depth, suspended, flux_x, flux_above, flux_below, share, load, pipes):
    """Step 2 for a row: the share of the outflow that the cells can give, and metres of load in a metre of water."""
    zero, row_share, col_share = np.float32(0.0), np.float32(pipes.row_share), np.float32(pipes.col_share)
    for col in range(depth.size):
        wanted = (max(flux_x[col + 1], zero) + max(-flux_x[col], zero)) * col_share + (
            max(flux_below[col], zero) + max(-flux_above[col], zero)
        ) * row_share
        room = np.float32(depth[col]) * KEPT
        share[col] = room / max(max(wanted, room), np.float32(1e-30))
    for col in range(depth.size):
        load[col] = np.float32(suspended[col]) / max(np.float32(depth[col]), FILM)


@kernel
def _upwind(flux, here, beyond):
    """What a face takes over from the cell that its flux leaves."""
    return here if flux > np.float32(0.0) else beyond


@kernel
def carry_within(share, load, flux, carried, pipes, totals):
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
            count(size, solid, pipes.col_share, totals)


@kernel
def carry_between(share, share_beyond, load, load_beyond, flux, carried):
    """Steps 2 and 3 for the faces between two rows."""
    for col in range(flux.size):
        flux[col] *= _upwind(flux[col], share[col], share_beyond[col])
    for col in range(flux.size):
        carried[col] = flux[col] * _upwind(flux[col], load[col], load_beyond[col])


@kernel
def count(flux, carried, part, totals):
    """Count what passes an open edge; flux and carried positive outwards."""
    totals.outflow[0] += max(np.float64(flux), 0.0) * part
    totals.inflow[0] += max(-np.float64(flux), 0.0) * part
    totals.exported[0] += np.float64(carried) * part


@kernel
def apply(content, along, above, below, pipes):
    """Step 4 for a row: add what comes in and take what goes out, in float64 so that no volume is lost."""
    for col in range(content.size):
        row_gain = (np.float64(above[col]) - np.float64(below[col])) * pipes.row_share
        col_gain = (np.float64(along[col]) - np.float64(along[col + 1])) * pipes.col_share
        content[col] += row_gain + col_gain
