# SPDX-License-Identifier: GPL-3.0-or-later
"""Weathering and creep: rock turns to loose material under its cover, and the cover creeps downhill.

Sources: Heimsath, Dietrich, Nishiizumi, Finkel, "The soil production function and landscape equilibrium" (1997);
Culling, "Analytical theory of erosion" (1960), for linear creep.
"""

import math
from typing import NamedTuple

import numpy as np

from .border import WALL, fill_border
from .compile import kernel
from .edges import OPEN, WRAP

ALL_BUT = 1.0 - 2.0**-50
"""What a cell can give of its loose material: a hair less than all, so that rounding never takes more."""


class Constants(NamedTuple):
    """Numbers that hold for all cells and one time step."""

    production: float
    """Rock that turns loose where it is bare and level, in metres a step."""
    depth: float
    """Cover under which it is 1/e of that, in metres."""
    wetness: float
    """How much moisture counts, 0-1."""
    row_share: float
    """Diffusivity · time step / row spacing²; with col_share at most 1/4."""
    col_share: float
    row_spacing: float
    """Metres."""
    col_spacing: float
    edges: int


class Buffers(NamedTuple):
    """Room to work in, and what has left."""

    heights: np.ndarray
    """(3, cols + 2): surfaces of three rows as they were before the step."""
    yields: np.ndarray
    """(rows + 2, cols + 2): share of what wants to creep out of a cell that it has; 0 in the ring of edges."""
    flows: np.ndarray
    """(3, cols + 2): creep from the column before, and from the row before, of two rows in turn."""
    exported: np.ndarray
    """(1,): volume that has crept out, as metres on one cell."""


@kernel
def _flow(heights, yields, masks, at, row, col, to, to_row, to_col, share):
    """What creeps from one cell to a neighbour in a step, less than nothing where it creeps back."""
    difference = heights[at, col] - heights[to, to_col]
    forth, back = yields[row, col], yields[to_row, to_col]
    if masks is not None:
        forth *= masks[row, col, 0] * masks[to_row, to_col, 1]
        back *= masks[to_row, to_col, 0] * masks[row, col, 1]
    return share * difference * (forth if difference > 0.0 else back)


@kernel
def _load(rock, loose, row, heights):
    """Keep the surface of a row as it is now."""
    at, row = np.uintp(row % 3), np.uintp(row)
    for place in range(heights.shape[1]):
        col = np.uintp(place)
        heights[at, col] = rock[row, col] + loose[row, col]


@kernel
def _find_yields(rock, loose, heights, yields, constants):
    """Find what share of its creep each cell can give; see `Buffers`."""
    rows, cols = rock.shape[0] - 2, rock.shape[1] - 2
    row_share, col_share = constants.row_share, constants.col_share
    _load(rock, loose, 0, heights)
    _load(rock, loose, 1, heights)
    for row in range(1, rows + 1):
        _load(rock, loose, row + 1, heights)
        up, at, down = np.uintp((row - 1) % 3), np.uintp(row % 3), np.uintp((row + 1) % 3)
        for place in range(1, cols + 1):
            left, col, right = np.uintp(place - 1), np.uintp(place), np.uintp(place + 1)
            here, cover = heights[at, col], loose[np.uintp(row), col]
            along_row = max(here - heights[at, left], 0.0) + max(here - heights[at, right], 0.0)
            along_col = max(here - heights[up, col], 0.0) + max(here - heights[down, col], 0.0)
            wanted = along_row * col_share + along_col * row_share
            yields[np.uintp(row), col] = cover * ALL_BUT / wanted if wanted > cover * ALL_BUT else 1.0
    if constants.edges == WRAP:
        fill_border(yields, yields, None, WRAP)


@kernel
def _creep(loose, masks, row, buffers, constants):
    """Take what creeps out of the cells of a row and add what creeps in; opposite neighbours are added first."""
    heights, yields, flows = buffers.heights, buffers.yields, buffers.flows
    cols, closing = loose.shape[1] - 2, loose.shape[0] - 1
    at, to, row, to_row = np.uintp(row % 3), np.uintp((row + 1) % 3), np.uintp(row), np.uintp(row + 1)
    above, below = np.uintp(1 + (row - 1) % 2), np.uintp(1 + row % 2)
    row_share, col_share = constants.row_share, constants.col_share
    for place in range(1, cols + 2):
        left, col = np.uintp(place - 1), np.uintp(place)
        flows[0, col] = _flow(heights, yields, masks, at, row, left, at, row, col, col_share)
        flows[below, col] = _flow(heights, yields, masks, at, row, col, to, to_row, col, row_share)
    is_open, out = constants.edges == OPEN, 0.0
    if is_open and (row == 0 or to_row == closing):
        for place in range(1, cols + 1):
            out += flows[below, place] if row else -flows[below, place]
    if row > 0:
        for place in range(1, cols + 1):
            col, right = np.uintp(place), np.uintp(place + 1)
            along_row, along_col = flows[0, right] - flows[0, col], flows[below, col] - flows[above, col]
            loose[row, col] -= along_row + along_col
        out += flows[0, cols + 1] - flows[0, 1] if is_open else 0.0
    buffers.exported[0] += out


@kernel
def _weather(rock, loose, masks, moisture, row, heights, constants):
    """Turn rock of a row into loose material where it lies."""
    up, at, down = (row - 1) % 3, row % 3, (row + 1) % 3
    for col in range(1, rock.shape[1] - 1):
        here, west, east, south, north = (
            heights[at, col], heights[at, col - 1], heights[at, col + 1], heights[up, col], heights[down, col]
        )  # fmt: skip
        along_row = (east if east < WALL else here) - (west if west < WALL else here)
        along_col = (north if north < WALL else here) - (south if south < WALL else here)
        along_row /= 2.0 * constants.col_spacing
        along_col /= 2.0 * constants.row_spacing
        amount = constants.production * math.sqrt(1.0 + (along_row * along_row + along_col * along_col))
        if moisture is not None:
            amount *= 1.0 + constants.wetness * (2.0 * moisture[row - 1, col - 1] - 1.0)
        if masks is not None:
            amount *= masks[row, col, 2]
        cover = math.exp(-loose[row, col] / constants.depth)
        before = rock[row, col]
        # What comes is what the rock loses, to the last bit.
        rock[row, col] = before - constants.depth * math.log1p(amount / constants.depth * cover)
        loose[row, col] += before - rock[row, col]


@kernel
def weather(rock, loose, masks, moisture, constants, buffers, steps):
    """Let rock weather and its cover creep for so many time steps.

    With h = rock + loose, L = loose, slope S = |∇h|, moisture m:

    1. creep: ∂L/∂t = ∇ · (D ∇h). Through each of four faces passes share · Δh, from the higher cell; where all four
       want more than it has, each gets its part of that. share = D Δt / d²;
    2. weathering: ∂L/∂t = -∂rock/∂t = P √(1 + S²) (1 + wetness (2 m - 1)) exp(-L / depth). P is normal to the
       surface, the root makes it vertical. Integrated exactly: ΔL = depth · log(1 + P' Δt / depth · exp(-L / depth)).

    Scheme: explicit, conservative flows through faces, first order in time. Stability: row_share + col_share ≤ 1/2
    keeps each new height between its old neighbours'; at most 1/4, as the model layer takes it, no ripple changes
    sign. What a cell gives is never more than it has. The second part is stable for any step.

    rock, loose: (rows + 2, cols + 2) float64 m with a ring about the terrain, changed in place. masks: None, or
    (rows + 2, cols + 2, 3) float32, 0-1: what cells give, take, and how much of their rock weathers. moisture: None
    (half wet) or (rows, cols) 0-1.
    """
    rows, heights = rock.shape[0] - 2, buffers.heights
    creeps, weathers = constants.row_share > 0.0, constants.production > 0.0
    for _ in range(steps):
        fill_border(rock, loose, masks, constants.edges)
        if creeps:
            _find_yields(rock, loose, heights, buffers.yields, constants)
        _load(rock, loose, 0, heights)
        for row in range(rows + 1):
            _load(rock, loose, row + 1, heights)
            if creeps:
                _creep(loose, masks, row, buffers, constants)
            if weathers and row > 0:
                _weather(rock, loose, masks, moisture, row, heights, constants)
