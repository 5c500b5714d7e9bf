# SPDX-License-Identifier: GPL-3.0-or-later
"""One time step of the water row by row, and the seams between bands of rows.

Work on each row is in `kernels.faces`; level, pipes and arrays: see `flow.run_water`.
"""

from typing import NamedTuple

import numpy as np

from ....base.kernels.ghost_cells import OPEN, WRAP
from ....base.kernels.jit import allocation_free, inlined
from .faces import (
    Beyond,
    Levels,
    Totals,
    apply,
    carry_between,
    carry_within,
    copy_row,
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

VISIT = 4
"""Most time steps per visit of the rows; with more, the rows would not fit in a processor's own
cache.
"""

LAG = 2
"""Rows between consecutive time steps: the range of dependence of a cell."""


class Seams(NamedTuple):
    """Data exchanged between the bands on both sides of a seam, by step of the visit and number of
    the seam.

    See `make_seams`.
    """

    before: np.ndarray
    """Flux through the faces of the seam before the step, m²/s."""
    pushed: np.ndarray
    """The same after step 1."""
    share: np.ndarray
    """Shares of the outflow that the cells above and below can give."""
    load: np.ndarray
    """Meters of load in a meter of water, above and below."""


class Sample(NamedTuple):
    """Copies of the rows around a seam, and working memory for their steps."""

    bed: np.ndarray
    steep: np.ndarray
    depth: np.ndarray
    suspended: np.ndarray
    flux_x: np.ndarray
    flux_y: np.ndarray
    seams: Seams
    totals: Totals
    first_col: np.ndarray
    last_col: np.ndarray
    dry: np.ndarray
    """First springs of rows without any, see `flow.pour`."""


class Rows(NamedTuple):
    """Working memory of a band, some rows long for each step of a visit; see `make_rows`."""

    flux_x: np.ndarray
    flux_y: np.ndarray
    head: np.ndarray
    fall: np.ndarray
    slope_x: np.ndarray
    slope_y: np.ndarray
    water: np.ndarray
    share: np.ndarray
    load: np.ndarray
    carried_x: np.ndarray
    carried_y: np.ndarray
    sample: Sample


def make_rows(cols: int) -> Rows:
    """Working memory of a band, for a number of columns."""
    counts = {"flux_y": 3, "water": 4, "share": 3, "load": 3, "carried_y": 2}
    single = {name: np.zeros((VISIT, count, cols), np.float32) for name, count in counts.items()}
    carried_x = np.zeros((VISIT, 2, cols + 1), np.float32)
    reach = 2 * LAG * VISIT
    maps = {name: np.zeros((reach, cols)) for name in ("bed", "depth", "suspended")}
    ends = {
        "first_col": np.zeros(reach),
        "last_col": np.zeros(reach),
        "dry": np.zeros(reach + 1, np.int64),
    }
    flux_x = np.zeros((reach, cols + 1), np.float32)
    flux_y = np.zeros((reach + 1, cols), np.float32)
    maps["steep"] = np.zeros((reach, cols), np.float32)
    sample = Sample(
        flux_x=flux_x,
        flux_y=flux_y,
        seams=make_seams(1, cols),
        totals=make_totals(reach),
        **maps,
        **ends,
    )
    ahead = np.zeros((2, cols + 1), np.float32)
    fall = np.zeros(cols, np.float32)
    head = np.zeros((VISIT, 4, cols))
    slopes = {"slope_x": np.zeros(cols + 1, np.float32), "slope_y": np.zeros((2, cols), np.float32)}
    return Rows(
        flux_x=ahead, head=head, fall=fall, **slopes, carried_x=carried_x, sample=sample, **single
    )


def make_seams(bands: int, cols: int) -> Seams:
    """Seams above, between and below a number of bands."""
    shapes = [(VISIT, bands + 1, cols)] * 2 + [(VISIT, bands + 1, 2, cols)] * 2
    return Seams(*(np.zeros(shape, np.float32) for shape in shapes))


def make_beyond(shape: tuple[int, int], level: float) -> Beyond:
    """One level (m) beyond all open edges of a terrain of (rows, cols)."""
    rows, cols = shape
    return Beyond(*(np.full(size, level) for size in (cols, cols, rows, rows)))


def make_totals(rows: int) -> Totals:
    """Zero totals for a number of rows."""
    return Totals(*(np.zeros(rows + 2) for _ in range(3)))


@allocation_free
def foresee(maps, face, step, seam, seams, work, pipes):
    """Fill a seam, above row `face`, with the results of steps 1 and 2 on both sides; changes
    nothing else.
    """
    bed = maps.bed
    flux_x = maps.flux_x
    flux_y = maps.flux_y
    beyond = maps.beyond
    rows = bed.shape[0]
    wrap = pipes.edges == WRAP
    levels = Levels(work.head[0], work.water[0], work.fall)
    ahead_x = work.flux_x
    ahead_y = work.flux_y[0]
    for slot in range(4):
        row = (face - 2 + slot) % rows if wrap else face - 2 + slot
        if 0 <= row < rows:
            level_out(maps, row, levels, slot)
    if pipes.edges == OPEN:
        if face < 2:
            outside(bed, 0, beyond.first_row, levels, 2 - face, 1 - face)
        if face > rows - 2:
            outside(bed, rows - 1, beyond.last_row, levels, rows - face + 1, rows - face + 2)
    for slot in range(3):
        at = (face - 1 + slot) % rows if wrap else face - 1 + slot
        if wrap or 0 < at < rows or (pipes.edges == OPEN and 0 <= at <= rows):
            # The flux along an open edge is the same beyond it.
            row = (at - 1) % rows if wrap else max(at - 1, 0)
            further = min(at, rows - 1)
            push_between(maps, row, further, at, levels, slot, slot + 1, ahead_y, slot, pipes)
        elif 0 <= at <= rows:
            copy_row(flux_y, at, ahead_y, slot)
    copy_row(flux_y, face, seams.before[step], seam)
    copy_row(ahead_y, 1, seams.pushed[step], seam)
    share = seams.share[step, seam]
    load = seams.load[step, seam]
    for side in range(2):
        row = (face - 1 + side) % rows if wrap else face - 1 + side
        if 0 <= row < rows:
            copy_row(flux_x, row, ahead_x, side)
            push_within(maps, row, levels, side + 1, flux_y, row + 1, ahead_x, side, pipes)
            push_ends(maps, row, levels, side + 1, flux_y, row + 1, ahead_x, side, pipes)
            water = levels.water
            share_out(water, side + 1, ahead_x, side, ahead_y, side, side + 1, share, side, pipes)
            thicken(maps.suspended, row, water, side + 1, load, side)
        else:
            share[side, :] = np.float32(1.0)
            load[side, :] = np.float32(0.0)


@inlined
def advance(maps, row, first, last, step, seam, seams, work, pipes, totals):
    """Go on by a row with a step of the rows from `first` to `last` - 1, between a seam and the
    next one.

    Rows are taken in turn, up to and with `last`. After it the row before has had its step; fluxes
    through the faces below `row` are as they were.
    """
    depth = maps.depth
    suspended = maps.suspended
    flux_x = maps.flux_x
    flux_y = maps.flux_y
    rows, cols = depth.shape
    water = work.water[step]
    levels = Levels(work.head[step], water, work.fall)
    share = work.share[step]
    load = work.load[step]
    ahead = work.flux_y[step]
    carried_x = work.carried_x[step]
    carried_y = work.carried_y[step]
    # Slots of this row and of those beside it.
    current = (row - first) % 2
    after = (row - first + 1) % 2
    slot = (row - first) % 3
    above = (row - first + 2) % 3
    if row == first:
        level_out(maps, row, levels, current)
        copy_row(seams.pushed[step], seam, ahead, current)
        copy_row(seams.share[step, seam], 0, share, above)
        copy_row(seams.load[step, seam], 0, load, above)
    if row < last:
        below, down = (flux_y, row + 1) if row + 1 < last else (seams.before[step], seam + 1)
        if row + 1 < last:
            level_out(maps, row + 1, levels, after)
            push_between(maps, row, row + 1, row + 1, levels, current, after, ahead, after, pipes)
        else:
            copy_row(seams.pushed[step], seam + 1, ahead, after)
        push_within(maps, row, levels, current, below, down, flux_x, row, pipes)
        push_ends(maps, row, levels, current, below, down, flux_x, row, pipes)
        share_out(water, current, flux_x, row, ahead, current, after, share, slot, pipes)
        thicken(suspended, row, water, current, load, slot)
        limit_within(flux_x, row, share, slot, pipes.edges)
        carry_within(flux_x, row, load, slot, carried_x, current, pipes.edges)
    else:
        copy_row(seams.share[step, seam + 1], 1, share, slot)
        copy_row(seams.load[step, seam + 1], 1, load, slot)
    # The upper faces of the row, which below the last one are another band's.
    faces, at = (flux_y, row) if row < last or row == rows else (ahead, 2)
    limit_between(ahead, current, share, above, slot, faces, at)
    carry_between(faces, at, load, above, slot, carried_y, current)
    if row > first:
        apply(depth, row - 1, flux_x, row - 1, flux_y, row - 1, faces, at, pipes)
        apply(suspended, row - 1, carried_x, after, carried_y, after, carried_y, current, pipes)
    if pipes.edges == OPEN:
        if row < last:
            count(-flux_x[row, 0], -carried_x[current, 0], pipes.col_share, row + 1, totals)
            count(flux_x[row, cols], carried_x[current, cols], pipes.col_share, row + 1, totals)
        if row == 0 or row == rows:
            place, outwards = (0, np.float32(-1.0)) if row == 0 else (rows + 1, np.float32(1.0))
            for col in range(cols):
                count(
                    outwards * faces[at, col],
                    outwards * carried_y[current, col],
                    pipes.row_share,
                    place,
                    totals,
                )
