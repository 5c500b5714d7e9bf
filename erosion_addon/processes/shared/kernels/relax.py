# SPDX-License-Identifier: GPL-3.0-or-later
"""Talus relaxation: loose material on steep slopes slides, and steep rock breaks into loose
material.

Bands of rows and their seams: see `water.kernels.flow`.

Sources: Musgrave, Kolb, Mace, "The Synthesis and Rendering of Eroded Fractal Terrains" (1989),
thermal weathering; the rule for a pair of cells is that of McDonald, "Particle-Based Wind Erosion"
(2020).
"""

from typing import NamedTuple

import numpy as np

from ....base.kernels.ghost_cells import OPEN, WRAP, fill_border
from ....base.kernels.jit import kernel
from .talus_rows import apply_fluxes, differs, flows_along, flows_down, load, slid_out

SEGMENT = 512
"""Columns that are processed, or skipped if nothing moves there, as one segment."""


class Constants(NamedTuple):
    """Constants of all cells; heights in meters."""

    hold: float
    """Stable slope of loose material."""
    depth: float
    """Thickness set in motion by an excess slope of 1, in meters."""
    row_share: float
    """Share of the moving material that crosses a face to the next row; with col_share at most
    1/4.
    """
    col_share: float
    row_spacing: float
    col_spacing: float
    row_stand: float
    """Stable height difference of rock to a neighbor in the next row; infinite for rock that never
    breaks.
    """
    col_stand: float
    diagonal_stand: float
    collapse: float
    rest: float
    """Smallest movement; smaller ones are dropped."""
    edges: int


class Rows(NamedTuple):
    """Working memory of a band, a few rows; see `make_rows`."""

    heights: np.ndarray
    """Surfaces of three rows before the pass."""
    flows: np.ndarray
    """Fluxes between columns, then to the next row and from the previous row, alternating."""


class Seams(NamedTuple):
    """Data exchanged between the bands on both sides of a seam, by seam number; see
    `make_seams`.
    """

    heights: np.ndarray
    """Surfaces of the rows above and below before the pass."""
    flows: np.ndarray
    """Fluxes across the seam."""


class Marks(NamedTuple):
    """Activity of segments; see `make_marks`."""

    active: np.ndarray
    """(rows + 2, segments) uint8: 1 where the next pass must work."""
    moved: np.ndarray
    """(rows + 2, segments) uint8: movement flags: 1 anywhere, 2 in the first column, 4 in the
    last.
    """
    exported: np.ndarray
    """(rows + 2,): exported material by row, in meters on one cell."""


def make_rows(cols: int) -> Rows:
    """Working memory of a band, for a number of columns."""
    return Rows(*(np.zeros((3, cols + 2)) for _ in range(2)))


def make_seams(bands: int, cols: int) -> Seams:
    """Seams above, between and below a number of bands."""
    return Seams(np.zeros((bands + 1, 2, cols + 2)), np.zeros((bands + 1, cols + 2)))


def make_marks(rows: int, cols: int) -> Marks:
    """Marks of a terrain on which anything may move."""
    active = np.zeros((rows + 2, -(-cols // SEGMENT)), np.uint8)
    active[1:-1] = 1
    return Marks(active, np.zeros_like(active), np.zeros(rows + 2))


@kernel
def fill_seam(rock, loose, masks, constants, face, seam, seams, work):
    """Fill a seam, above row `face` of the terrain, with the fluxes across it; changes nothing
    else.
    """
    heights, flowing = work
    for side in range(2):  # with the ring, the row above is number `face`
        load(rock, loose, face + side, heights)
        seams.heights[seam, side] = heights[(face + side) % 3]
    flows_down(heights, loose, masks, face, 1, rock.shape[1] - 1, constants, flowing, 1)
    seams.flows[seam] = flowing[1]


@kernel
def fill_seams(rock, loose, masks, constants, bands, seams, work):
    """Fill all seams, see `fill_seam`. bands: first row of each band, and the number of rows."""
    for seam in range(bands.size):
        fill_seam(rock, loose, masks, constants, bands[seam], seam, seams, work)


@kernel
def sweep(rock, loose, masks, constants, first_row, last_row, seam, seams, work, marks):
    """One pass over the rows from first_row to last_row - 1 of the terrain; see `relax`.

    Fluxes have the index of the column they lead to. Loops are long, as the processor stalls at the
    start of each: neighbors are read soon after they were written.
    """
    rows = rock.shape[0] - 2
    cols = rock.shape[1] - 2
    heights, flowing = work
    active = marks.active
    segments = active.shape[1]
    loaded = np.full(3, -1)
    loaded[first_row % 3] = first_row
    heights[first_row % 3] = seams.heights[seam, 0]
    flowing[1] = seams.flows[seam]
    above = 1
    below = 2
    for row in range(first_row + 1, last_row + 1):  # with the ring
        segment = 0
        while segment < segments:
            start = segment
            while segment < segments and (active[row, segment] or active[row + 1, segment]):
                segment += 1
            if segment == start:
                segment += 1
                continue
            for near in range(row - 1, row + 2):
                if loaded[near % 3] != near:
                    loaded[near % 3] = near
                    if near <= last_row:
                        load(rock, loose, near, heights)
                    else:
                        heights[near % 3] = seams.heights[seam + 1, 1]
            first = 1 + start * SEGMENT
            last = min(1 + segment * SEGMENT, cols + 1)
            flows_along(heights, loose, masks, row, first, last, constants, flowing)
            flows_down(heights, loose, masks, row, first, last, constants, flowing, below)
        if row == last_row:  # rows beyond the seam may be swept already
            flowing[below] = seams.flows[seam + 1]
        for segment in range(segments):
            if active[row, segment]:
                first = 1 + segment * SEGMENT
                last = min(1 + (segment + 1) * SEGMENT, cols + 1)
                before_first = loose[row, first]
                before_last = loose[row, last - 1]
                changed = apply_fluxes(
                    rock, loose, masks, row, first, last, constants, heights, flowing, below
                )
                mark = 1 if changed else 0
                mark |= 2 * differs(rock, loose, heights, row, first, before_first)
                mark |= 4 * differs(rock, loose, heights, row, last - 1, before_last)
                if constants.edges == OPEN:
                    out = slid_out(flowing, above, below, row, rows, first, last, cols)
                    marks.exported[row] += out
                    mark |= out != 0.0
                marks.moved[row, segment] = mark
        above, below = below, above


@kernel
def wake(marks, wrap):
    """Mark the segments that moved in the last pass, and their neighbors, for the next one."""
    active = marks.active
    changes = marks.moved
    rows = changes.shape[0] - 2
    segments = changes.shape[1]
    active[:] = 0
    for row in range(1, rows + 1):
        for segment in range(segments):
            mark = changes[row, segment]
            if not mark:
                continue
            changes[row, segment] = 0
            for down in range(-1, 2):
                to_row = row + down
                if wrap:
                    to_row = (to_row - 1) % rows + 1
                if to_row < 1 or to_row > rows:
                    continue
                active[to_row, segment] = 1
                if mark & 2 and (wrap or segment > 0):
                    active[to_row, (segment - 1) % segments] = 1
                if mark & 4 and (wrap or segment < segments - 1):
                    active[to_row, (segment + 1) % segments] = 1


@kernel
def relax(rock, loose, masks, constants, bands, seams, work, marks, passes):
    """Let slopes give way for up to `passes` passes; returns their number, smaller if everything
    came to rest.

    One pass, from the heights before it, with h = rock + loose and d the true distance to a
    neighbor:

    1. loose material: ∂h/∂t = ∇ · (D (1 - tan φ / |∇h|) ∇h) where |∇h| > tan φ: what is steeper
       than it can stand slides down the gradient, as fast as it is too steep, or as fast as there
       is loose material;
    2. rock b that stands too high over one of eight neighbors, e = max(b - h' - tan φ' d), turns to
       loose material where it stands: so much that there is collapse · e of it. Below its own
       rubble it waits until that has slid.

    Scheme: explicit, conservative flows through faces, so that a pile is a cone, on oblong cells
    too. At a face ∇h is the difference across, and along it the lesser of those on both sides: else
    sand at the foot of a wall would be as steep as the wall, and run along it until it is level.
    Stability: through a face passes at most 3/8 · d'² / (d² + d'²) of the difference, with d' the
    other spacing, and a quarter of the loose material: a new height lies between its old neighbors'
    (the discrete maximum principle), no cell has less than nothing, and a checkerboard is halved by
    each pass, for any heights. A movement below 2 · rest is none: slopes end at most 4 · 10⁻⁴ above
    the angle, and everything ends. Cells whose neighborhood did not change in the last pass are
    left out, which changes no bit.

    rock, loose: (rows + 2, cols + 2) float64 m with a ring about the terrain, changed in place.
    masks: None, or (rows + 2, cols + 2, 3) float32: what cells give and take (0-1), and how much of
    broken rock breaks (0-1). bands: the first row of each band, and the number of rows. seams:
    `Seams`, work: `Rows`, marks: `Marks`.
    """
    for number in range(passes):
        if not np.any(marks.active):
            return number
        fill_border(rock, loose, masks, constants.edges)
        fill_seams(rock, loose, masks, constants, bands, seams, work)
        for band in range(bands.size - 1):
            sweep(
                rock,
                loose,
                masks,
                constants,
                bands[band],
                bands[band + 1],
                band,
                seams,
                work,
                marks,
            )
        wake(marks, constants.edges == WRAP)
    return passes
