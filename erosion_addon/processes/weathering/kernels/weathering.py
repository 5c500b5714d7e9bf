# SPDX-License-Identifier: GPL-3.0-or-later
"""Weathering and creep: rock turns to loose material under its cover, and the cover creeps
downhill.

Bands of rows and the seams between them as in `kernels.water`.

Sources: Heimsath, Dietrich, Nishiizumi, Finkel, "The soil production function and landscape
equilibrium" (1997); Culling, "Analytical theory of erosion" (1960), for linear creep.
"""

import math
from typing import NamedTuple

import numpy as np

from ....base.kernels.elementary import exp, log1p
from ....base.kernels.ghost_cells import OPEN, WRAP, fill_border
from ....base.kernels.jit import kernel
from ...shared.kernels.mask_layers import BREAKS, GIVES, TAKES
from ...shared.kernels.talus_rows import load

ALL_BUT = 1.0 - 2.0**-50
"""Share of a cell's loose material available for creep, just below 1 so that rounding never takes
more.
"""


class Constants(NamedTuple):
    """Constants of all cells for one time step."""

    production: float
    """Production rate of bare, level rock, in meters per step."""
    depth: float
    """Cover in meters at which the rate falls to 1/e."""
    wetness: float
    """Influence of moisture, 0-1."""
    row_share: float
    """Diffusivity · time step / row spacing²; with col_share at most 1/4."""
    col_share: float
    row_spacing: float
    """Meters."""
    col_spacing: float
    edges: int


class Rows(NamedTuple):
    """Working memory of a band, a few rows; see `make_rows`."""

    heights: np.ndarray
    """(3, cols + 2): surfaces of three rows as they were before the step."""
    flows: np.ndarray
    """(3, cols + 2): creep from the column before, and from the row before, of two rows in turn."""


class Maps(NamedTuple):
    """Data exchanged between bands, and exported material; see `make_maps`."""

    yields: np.ndarray
    """(rows + 2, cols + 2): share of the creep out of a cell that its cover can supply; 0 in the
    ring of edges.
    """
    seams: np.ndarray
    """(bands + 1, 2, cols + 2): surfaces of the rows above and below each seam as they were before
    the step.
    """
    left: np.ndarray
    """(rows + 1,): creep out of the terrain in a step from the edge above and from each row, in
    meters.
    """
    exported: np.ndarray
    """(1,): volume that has crept out, as meters on one cell."""


def make_rows(cols: int) -> Rows:
    """Working memory of a band, for a number of columns."""
    return Rows(np.zeros((3, cols + 2)), np.zeros((3, cols + 2)))


def make_maps(bands: int, rows: int, cols: int) -> Maps:
    """Maps of a terrain with a number of bands, before any creep."""
    yields = np.zeros((rows + 2, cols + 2))
    seams = np.zeros((bands + 1, 2, cols + 2))
    return Maps(yields, seams, np.zeros(rows + 1), np.zeros(1))


@kernel
def _flow(heights, yields, masks, at, row, col, to, to_row, to_col, share):
    """Creep flux from a cell to a neighbor in a step, negative for the reverse."""
    difference = heights[at, col] - heights[to, to_col]
    forth = yields[row, col]
    back = yields[to_row, to_col]
    if masks is not None:
        forth *= masks[row, col, GIVES] * masks[to_row, to_col, TAKES]
        back *= masks[to_row, to_col, GIVES] * masks[row, col, TAKES]
    return share * difference * (forth if difference > 0.0 else back)


@kernel
def _find_yields(rock, loose, first_row, last_row, yields, heights, constants):
    """Find the share of its creep that each cell of a band can supply; see `Maps`."""
    rows = rock.shape[0] - 2
    cols = rock.shape[1] - 2
    row_share = constants.row_share
    col_share = constants.col_share
    load(rock, loose, first_row, heights)
    load(rock, loose, first_row + 1, heights)
    for row in range(first_row + 1, last_row + 1):
        load(rock, loose, row + 1, heights)
        up = np.uintp((row - 1) % 3)
        at = np.uintp(row % 3)
        down = np.uintp((row + 1) % 3)
        for place in range(1, cols + 1):
            left = np.uintp(place - 1)
            col = np.uintp(place)
            right = np.uintp(place + 1)
            height = heights[at, col]
            cover = loose[np.uintp(row), col]
            along_row = max(height - heights[at, left], 0.0) + max(height - heights[at, right], 0.0)
            along_col = max(height - heights[up, col], 0.0) + max(height - heights[down, col], 0.0)
            demand = along_row * col_share + along_col * row_share
            yields[np.uintp(row), col] = (
                cover * ALL_BUT / demand if demand > cover * ALL_BUT else 1.0
            )
        if constants.edges == WRAP:
            yields[row, 0] = yields[row, cols]
            yields[row, cols + 1] = yields[row, 1]
            if row == 1:
                yields[rows + 1] = yields[row]
            if row == rows:
                yields[0] = yields[row]


@kernel
def fill_seam(rock, loose, constants, bands, seam, maps, work):
    """Keep the surface at both sides of a seam, and find the supply of the band below it; changes
    no terrain.
    """
    for side in range(2):  # with the ring, the row above is number bands[seam]
        row = bands[seam] + side
        load(rock, loose, row, work.heights)
        maps.seams[seam, side] = work.heights[row % 3]
    if seam < bands.size - 1 and constants.row_share > 0.0:
        _find_yields(
            rock, loose, bands[seam], bands[seam + 1], maps.yields, work.heights, constants
        )


@kernel
def _find_flows(masks, row, cols, yields, work, constants):
    """Compute the creep between the cells of a row, and to the next row."""
    heights, flows = work
    at, to, row, to_row = (
        np.uintp(row % 3),
        np.uintp((row + 1) % 3),
        np.uintp(row),
        np.uintp(row + 1),
    )
    below = np.uintp(1 + row % 2)
    row_share = constants.row_share
    col_share = constants.col_share
    for place in range(1, cols + 2):
        left = np.uintp(place - 1)
        col = np.uintp(place)
        flows[0, col] = _flow(heights, yields, masks, at, row, left, at, row, col, col_share)
        flows[below, col] = _flow(heights, yields, masks, at, row, col, to, to_row, col, row_share)


@kernel
def _creep(loose, row, flows):
    """Apply the creep to the cells of a row; opposite neighbors are added first."""
    above = np.uintp(1 + (row - 1) % 2)
    below = np.uintp(1 + row % 2)
    row = np.uintp(row)
    for place in range(1, loose.shape[1] - 1):
        col = np.uintp(place)
        right = np.uintp(place + 1)
        along_row = flows[0, right] - flows[0, col]
        along_col = flows[below, col] - flows[above, col]
        loose[row, col] -= along_row + along_col


@kernel
def _leaving(row, rows, cols, flows):
    """Creep out of the terrain from a row; from row 0, the ring: over the edge above."""
    below = 1 + row % 2
    out = 0.0
    if row == 0 or row == rows:
        for col in range(1, cols + 1):
            out += flows[below, col] if row else -flows[below, col]
    return out + (flows[0, cols + 1] - flows[0, 1]) if row else out


@kernel
def _weather(rock, loose, masks, moisture, row, heights, constants):
    """Turn rock of a row into loose material where it lies.

    At an edge the slope across it is that of the ring: between a step of a cliff and the ring the
    mean would be half a cliff, where inside both sides of a crest cancel.
    """
    up = (row - 1) % 3
    at = row % 3
    down = (row + 1) % 3
    rows = rock.shape[0] - 2
    cols = rock.shape[1] - 2
    limited = constants.edges != WRAP
    above = at if limited and row == rows else up
    below = at if limited and row == 1 else down
    row_way = constants.row_spacing if above == at or below == at else 2.0 * constants.row_spacing
    for col in range(1, cols + 1):
        left = col - 1
        right = col + 1
        col_way = 2.0 * constants.col_spacing
        if limited and (col == 1 or col == cols):
            left, right = (0, 1) if col == 1 else (cols, cols + 1)
            col_way = constants.col_spacing
        along_row = (heights[at, right] - heights[at, left]) / col_way
        along_col = (heights[below, col] - heights[above, col]) / row_way
        amount = constants.production * math.sqrt(
            1.0 + (along_row * along_row + along_col * along_col)
        )
        if moisture is not None:
            amount *= 1.0 + constants.wetness * (2.0 * moisture[row - 1, col - 1] - 1.0)
        if masks is not None:
            amount *= masks[row, col, BREAKS]
        cover = exp(-loose[row, col] / constants.depth)
        before = rock[row, col]
        # The gain equals the loss of the rock, to the last bit.
        rock[row, col] = before - constants.depth * log1p(amount / constants.depth * cover)
        loose[row, col] += before - rock[row, col]


@kernel
def sweep(rock, loose, masks, moisture, constants, first_row, last_row, seam, maps, work):
    """Weathering and creep in the rows first_row … last_row - 1 of the terrain; see `weather`."""
    rows = rock.shape[0] - 2
    cols = rock.shape[1] - 2
    heights = work.heights
    creeps = constants.row_share > 0.0
    weathers = constants.production > 0.0
    # with the ring; rows beyond the seams may be swept already
    for row in range(first_row, last_row + 1):
        if row == first_row:
            heights[row % 3] = maps.seams[seam, 0]
            heights[(row + 1) % 3] = maps.seams[seam, 1]
        elif row < last_row:
            load(rock, loose, row + 1, heights)
        else:
            heights[(row + 1) % 3] = maps.seams[seam + 1, 1]
        if creeps:
            _find_flows(masks, row, cols, maps.yields, work, constants)
            if constants.edges == OPEN and (row > first_row or row == 0):
                maps.left[row] = _leaving(row, rows, cols, work.flows)
        if row > first_row:
            if creeps:
                _creep(loose, row, work.flows)
            if weathers:
                _weather(rock, loose, masks, moisture, row, heights, constants)


@kernel
def add_up(maps):
    """Add the exports of a step to the total, from the first row to the last."""
    for left in maps.left:
        maps.exported[0] += left


@kernel
def weather(rock, loose, masks, moisture, constants, bands, maps, work, steps):
    """Let rock weather and its cover creep for `steps` time steps.

    With h = rock + loose, L = loose, slope S = |∇h|, moisture m:

    1. creep: ∂L/∂t = ∇ · (D ∇h). Through each of four faces passes share · Δh, from the higher
       cell; where all four want more than it has, each gets its part of that. share = D Δt / d²;
    2. weathering: ∂L/∂t = -∂rock/∂t = P √(1 + S²) (1 + wetness (2 m - 1)) exp(-L / depth). P is
       normal to the surface, the root makes it vertical. Integrated exactly: ΔL = depth · log(1 +
       P' Δt / depth · exp(-L / depth)).

    Scheme: explicit, conservative flows through faces, first order in time. Stability: row_share +
    col_share ≤ 1/2 keeps each new height between its old neighbors'; at most 1/4, as the model
    layer takes it, no ripple changes sign. What a cell gives is never more than it has. The second
    part is stable for any step.

    rock, loose: (rows + 2, cols + 2) float64 m with a ring about the terrain, changed in place.
    masks: None, or (rows + 2, cols + 2, 3) float32, 0-1: what cells give, take, and how much of
    their rock weathers. moisture: None (half wet) or (rows, cols) 0-1. bands: the first row of each
    band, and the number of rows. maps: `Maps`, work: `Rows`.
    """
    for _ in range(steps):
        fill_border(rock, loose, masks, constants.edges)
        for seam in range(bands.size):
            fill_seam(rock, loose, constants, bands, seam, maps, work)
        for band in range(bands.size - 1):
            sweep(
                rock,
                loose,
                masks,
                moisture,
                constants,
                bands[band],
                bands[band + 1],
                band,
                maps,
                work,
            )
        add_up(maps)
