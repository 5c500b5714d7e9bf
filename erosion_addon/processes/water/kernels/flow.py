# SPDX-License-Identifier: GPL-3.0-or-later
"""Water that runs over the ground through virtual pipes, with its load.

Rows are visited in bands, and a visit takes several time steps at once: the memory gives and takes
a row far more slowly than a step is computed, so each row makes them all while it is in the cache,
every step `LAG` rows behind the one before. A visit has two phases: all seams between bands look at
the rows at both sides, then all bands are swept, each on its own and in place. Whatever the bands,
the visits and whoever does them, the bits are the same.
"""

import numpy as np

from ....base.kernels.ghost_cells import WRAP
from ....base.kernels.jit import allocation_free, kernel
from .faces import Beyond, Maps, Pipes, Totals, copy_row
from .rows import (
    LAG,
    VISIT,
    Rows,
    Seams,
    advance,
    foresee,
    make_beyond,
    make_rows,
    make_seams,
    make_totals,
)

__all__ = [
    "VISIT",
    "Beyond",
    "Maps",
    "Pipes",
    "Rows",
    "Seams",
    "Totals",
    "by_row",
    "fill_seam",
    "make_beyond",
    "make_rows",
    "make_seams",
    "make_totals",
    "pour",
    "run_water",
    "sweep",
]


def by_row(cells: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """First spring of each row of a terrain of `shape`, and their number, int64. cells: flat
    indices in order.
    """
    return np.searchsorted(cells, np.arange(shape[0] + 1) * shape[1]).astype(np.int64)


@allocation_free
def pour(depth, row, place, springs):
    """Let the springs in row `place` of the terrain flow for a step into depth[row].

    springs: by flat index of their cells: the first spring of each row of the terrain, and their
    number; the cells; and the depth in m that each gains in a step.
    """
    firsts, cells, depths = springs
    cols = depth.shape[1]
    for spring in range(firsts[place], firsts[place + 1]):
        depth[row, cells[spring] % cols] += depths[spring]


@allocation_free
def sweep(maps, springs, first, last, steps, seam, seams, work, pipes, totals):
    """A visit of `steps` time steps to the rows from `first` to `last` - 1, between a seam and the
    next one.
    """
    for front in range(first, last + 1 + LAG * (steps - 1)):
        for step in range(steps):
            row = front - LAG * step
            if first <= row <= last:
                for poured in range(row if row == first else row + 1, min(row + 2, last)):
                    pour(maps.depth, poured, poured, springs)
                advance(maps, row, first, last, step, seam, seams, work, pipes, totals)


@allocation_free
def fill_seam(maps, springs, face, steps, seam, seams, work, pipes):
    """Fill a seam, above row `face`, for a visit of `steps` time steps; changes nothing else.

    Takes these steps with a copy of the rows around the seam. What is wrong where the copy ends
    comes `LAG` rows nearer with each step, so rows are copied `LAG` for each step, and the wrong
    ones are left out.
    """
    rows = maps.bed.shape[0]
    wrap = pipes.edges == WRAP
    first = face - LAG * steps
    last = face + LAG * steps
    if not wrap:
        first = max(first, 0)
        last = min(last, rows)
    count = last - first
    middle = face - first
    sample = work.sample
    ground, slopes, water, load, along, down, edges, totals, left, right, dry = sample
    ground = ground[:count]
    water = water[:count]
    load = load[:count]
    along = along[:count]
    down = down[: count + 1]
    for row in range(count):
        at = (first + row) % rows
        copy_row(maps.bed, at, ground, row)
        copy_row(maps.steep, at, slopes, row)
        copy_row(maps.depth, at, water, row)
        copy_row(maps.suspended, at, load, row)
        copy_row(maps.flux_x, at, along, row)
        copy_row(maps.flux_y, at, down, row)
        left[row] = maps.beyond.first_col[at]
        right[row] = maps.beyond.last_col[at]
    margins = Beyond(maps.beyond.first_row, maps.beyond.last_row, left, right)
    copies = Maps(ground, slopes, water, load, along, down, margins)
    copy_row(maps.flux_y, last % rows if wrap else last, down, count)
    # Numbers with a type, as a kernel is compiled anew for each literal that it is given.
    none = np.int64(0)
    once = np.int64(1)
    no_springs = (dry, springs[1][:0], springs[2][:0])
    above = none
    below = count
    for step in range(steps):
        for row in range(above, below):
            pour(water, row, (first + row) % rows, springs)
        foresee(copies, middle, step, seam, seams, work, pipes)
        if step + 1 < steps:
            for side in range(2):
                if first + side * count == side * rows:  # an edge of the terrain
                    foresee(copies, side * count, none, side, edges, work, pipes)
            sweep(copies, no_springs, above, below, once, none, edges, work, pipes, totals)
            if first > 0 or wrap:
                above += LAG
            if last < rows or wrap:
                below -= LAG


@kernel
def run_water(maps, springs, steps, bands, seams, work, pipes, totals):
    """Let the water run for `steps` time steps of `pipes.seconds`, carrying what is suspended in
    it.

    Equations, with level η = z + h + s (the load takes its room), discharge per meter of width q,
    friction f, slope of the form drag S and the pipe's depth H = min(h, H₀):

        ∂q/∂t = -(H / h) (g h ∇η + (f + S) max(|q|, Q) q / h²),    ∂h/∂t = -∇·q,    ∂s/∂t = -∇·(q s
        / h).

    That is shallow water without the advection of momentum (Mei, Decaudin, Hu 2007, whose pipes of
    a fixed section are the linear case h > H₀, f = 0; Bates, Horritt, Fewtrell 2010 for the
    friction taken at the new time). H₀ slows waves in deep water to √(g H₀) and changes no steady
    flow. The form drag S, see `water_slopes`, keeps flow down steep beds at or below critical in
    every direction (Grant 1997). Q = √(g h³ S / (f + S)) is uniform flow. Limit: right while the
    Froude number is well below 1. There is no advection, so there are no eddies, and a bore has the
    speed √(g (h₁ + h₀) / 2) of these equations: 16 % below Stoker's where a dam of 2 m breaks over
    1 m of water, 39 % over 0.2 m, and 72 % over a dry bed; the level behind it is 6 % and 61 % too
    high.

    Scheme, one step: 1. fluxes through the faces from the levels; h at a face is the higher level
    less the higher bed.
    2. The outflow of a cell is cut to the water it has. 3. The load goes with the flux, at the
       concentration of the
    cell it leaves (upwind). 4. What leaves one cell enters the next, the same number: volumes are
    kept to rounding. Levels that are equal stay so for ever, on any bed. Stability: seconds · √(g
    H₀) · √(1/Δx² + 1/Δy²) ≤ 1; friction is implicit, depths and loads cannot become negative.

    maps: `Maps`. bed, depth, suspended: (rows, cols) float64 m; the last two are changed in place.
    steep: (rows, cols) float32, slopes S of the cells; a face takes the mean of both, and at an
    open edge at least its own fall. flux_x: (rows, cols + 1) and flux_y: (rows + 1, cols) float32
    m²/s through the faces, positive towards higher indices, changed in place. springs: as in
    `pour`. bands: the first row of each band, and the number of rows. seams: `Seams`, work: `Rows`,
    totals: `Totals`, which are added to.
    """
    for count in range(0, steps, VISIT):
        visit = min(VISIT, steps - count)
        for seam in range(bands.size):
            fill_seam(maps, springs, bands[seam], visit, seam, seams, work, pipes)
        for band in range(bands.size - 1):
            sweep(
                maps, springs, bands[band], bands[band + 1], visit, band, seams, work, pipes, totals
            )
