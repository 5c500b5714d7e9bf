# SPDX-License-Identifier: GPL-3.0-or-later
"""The pipes between the cells of a row, and between two rows: the steps of
`kernels.water.run_water`.

Every function is a short loop over a row that writes one or two arrays: these the compiler turns
into vector instructions. It counts a vector's lanes by the widest number in a loop, so roots and
quotients stay out of loops with float64: half as many lanes take the divider as long. Functions
take whole arrays and the numbers of rows in them. Sums are arranged so that a mirrored, transposed
or turned terrain gives the same bits.
"""

import math
from typing import NamedTuple

import numpy as np

from ....base.kernels.ghost_cells import OPEN, WRAP
from ....base.kernels.jit import allocation_free

FILM = np.float32(1e-4)
"""Meters; thinner films of water do not flow."""

NOTHING = np.float32(1e-12)
"""Values below this, in m or m²/s, are set to 0: denormal numbers are slow."""

BELOW_ONE = np.float32(1.0 - 1e-5)
"""Greatest share of a cell's water that one step may take; float32 fluxes cannot take exactly all
of it.
"""


class Pipes(NamedTuple):
    """Constants of all pipes: float32 for fluxes, float64 for volumes."""

    seconds: np.float32
    push_row: np.float32
    """gravity · seconds / row spacing, m/s."""
    push_col: np.float32
    row_steepness: np.float32
    """1 / row spacing, 1/m."""
    col_steepness: np.float32
    gravity: np.float32
    friction: np.float32
    depth: np.float32
    row_share: float
    """seconds / row spacing, s/m: depth that one unit of flux moves in a step."""
    col_share: float
    edges: int


class Totals(NamedTuple):
    """Outflow and inflow so far, in m of depth, by row of the grid, with one more row on each side
    for the edges there.

    The sum does not depend on the order of rows.
    """

    outflow: np.ndarray
    inflow: np.ndarray
    exported: np.ndarray


class Beyond(NamedTuple):
    """Level of the water beyond each face of the open edges, m: -inf for none, inf for a wall.

    float64, by column along the first and last row, by row along the first and last column.
    """

    first_row: np.ndarray
    last_row: np.ndarray
    first_col: np.ndarray
    last_col: np.ndarray


class Maps(NamedTuple):
    """Maps of the water, see `flow.run_water`."""

    bed: np.ndarray
    steep: np.ndarray
    depth: np.ndarray
    suspended: np.ndarray
    flux_x: np.ndarray
    flux_y: np.ndarray
    beyond: Beyond


class Levels(NamedTuple):
    """Water of a few rows, by slot, and working memory for the fall between two of them."""

    head: np.ndarray
    """Level, float64 m."""
    water: np.ndarray
    """Depth, float32 m."""
    fall: np.ndarray


@allocation_free
def head_beyond(bed, head, level):
    """Level beyond an open edge, m: ground as high as at the edge, and water on it; beyond a wall
    as at the edge.
    """
    return max(bed, level) if level < math.inf else head


@allocation_free
def face_depth(fall, water, water_beyond):
    """Depth at a face, m: the higher level less the higher bed, which is the smaller of the higher
    cell's depth and the lower one's plus the fall.
    """
    zero = np.float32(0.0)
    return min(water + max(-fall, zero), water_beyond + max(fall, zero))


@allocation_free
def _pushed(flux, across, fall, steep, water, water_beyond, push, pipes):
    """The flux through one face a step later, positive towards beyond.

    across: mean flux along the face; fall: of the level, towards beyond; steep: slope of the form
    drag, m/m; water: depth in the cells at both sides.
    """
    depth = face_depth(fall, water, water_beyond)
    pipe = min(depth, pipes.depth)
    resistance = pipes.friction + steep
    cube = depth * depth * depth
    # In uniform flow q² = g S h³ / (f + S). Water that is slower than that meets its drag, or a
    # shallow cell would run dry in its first step.
    flow = max(resistance * (flux * flux + across * across), pipes.gravity * steep * cube)
    drag = pipes.seconds * pipe * math.sqrt(resistance * flow)
    pushed = (flux + push * pipe * fall) * (cube / (cube + drag))
    return pushed if depth > FILM and abs(pushed) > NOTHING else np.float32(0.0)


@allocation_free
def copy_row(source, row, target, slot):
    """Copy a row; a slice assignment would allocate memory."""
    for col in range(target.shape[1]):
        target[slot, col] = source[row, col]


@allocation_free
def level_out(maps, row, levels, slot):
    """Level and depth of the water in a row."""
    bed = maps.bed
    depth = maps.depth
    suspended = maps.suspended
    head = levels.head
    water = levels.water
    for col in range(bed.shape[1]):
        # The load takes up space, so that erosion does not lower the level.
        head[slot, col] = bed[row, col] + (depth[row, col] + suspended[row, col])
        water[slot, col] = np.float32(depth[row, col])


@allocation_free
def outside(bed, row, beyond, levels, edge, slot):
    """Values beyond an open edge, from those in the slot `edge` of its row."""
    head = levels.head
    water = levels.water
    for col in range(bed.shape[1]):
        head[slot, col] = head_beyond(bed[row, col], head[edge, col], beyond[col])
    for col in range(bed.shape[1]):
        water[slot, col] = np.float32(head[slot, col] - bed[row, col])


@allocation_free
def push_between(maps, row, row_beyond, face, levels, slot, slot_beyond, pushed, to, pipes):
    """Step 1 for the faces between two rows: pushed[to] from flux_y[face]."""
    steep = maps.steep
    flux_x = maps.flux_x
    flux_y = maps.flux_y
    head = levels.head
    water = levels.water
    fall = levels.fall
    brink = row == row_beyond  # an open edge, see `push_ends`
    for col in range(fall.size):
        fall[col] = np.float32(head[slot, col] - head[slot_beyond, col])
    for col in range(fall.size):
        across = (flux_x[row, col] + flux_x[row, col + 1]) + (
            flux_x[row_beyond, col] + flux_x[row_beyond, col + 1]
        )
        slope = (steep[row, col] + steep[row_beyond, col]) * np.float32(0.5)
        slope = max(slope, abs(fall[col]) * pipes.row_steepness) if brink else slope
        pushed[to, col] = _pushed(
            flux_y[face, col],
            across * np.float32(0.25),
            fall[col],
            slope,
            water[slot, col],
            water[slot_beyond, col],
            pipes.push_row,
            pipes,
        )


@allocation_free
def push_within(maps, at, levels, slot, below, down, flux, row, pipes):
    """Step 1 for the faces between the cells of a row, except the two ends: updates flux[row].

    at: number of the row in `maps`; below[down]: fluxes to the next row before the step.
    """
    steep = maps.steep
    above = maps.flux_y
    head = levels.head
    water = levels.water
    fall = levels.fall
    for col in range(1, fall.size):
        fall[col] = np.float32(head[slot, col - 1] - head[slot, col])
    for col in range(1, fall.size):
        across = (above[at, col - 1] + below[down, col - 1]) + (above[at, col] + below[down, col])
        slope = (steep[at, col - 1] + steep[at, col]) * np.float32(0.5)
        flux[row, col] = _pushed(
            flux[row, col],
            across * np.float32(0.25),
            fall[col],
            slope,
            water[slot, col - 1],
            water[slot, col],
            pipes.push_col,
            pipes,
        )


@allocation_free
def push_ends(maps, at, levels, slot, below, down, flux, row, pipes):
    """Step 1 for the faces at the two ends of a row; arguments as of `push_within`."""
    bed = maps.bed
    steep = maps.steep
    above = maps.flux_y
    head = levels.head
    water = levels.water
    last = head.shape[1] - 1
    push = pipes.push_col
    steepness = pipes.col_steepness
    quarter = np.float32(0.25)
    left_head = head[slot, 0]
    left = water[slot, 0]
    right_head = head[slot, last]
    right = water[slot, last]
    across_left = above[at, 0] + below[down, 0]
    across_right = above[at, last] + below[down, last]
    steep_left = steep[at, 0]
    steep_right = steep[at, last]
    if pipes.edges == WRAP:
        across = (across_right + across_left) * quarter
        fall = np.float32(right_head - left_head)
        slope = (steep_right + steep_left) * np.float32(0.5)
        flux[row, 0] = _pushed(flux[row, 0], across, fall, slope, right, left, push, pipes)
        flux[row, last + 1] = flux[row, 0]
    elif pipes.edges == OPEN:
        # Water that leaves over an open edge falls over a brink, at critical speed at most: there
        # the whole fall of the level counts as slope.
        outer = head_beyond(bed[at, 0], left_head, maps.beyond.first_col[at])
        across = (across_left + across_left) * quarter
        fall = np.float32(outer - left_head)
        depth = np.float32(outer - bed[at, 0])
        slope = max(abs(fall) * steepness, steep_left)
        flux[row, 0] = _pushed(flux[row, 0], across, fall, slope, depth, left, push, pipes)
        outer = head_beyond(bed[at, last], right_head, maps.beyond.last_col[at])
        across = (across_right + across_right) * quarter
        face = last + 1
        fall = np.float32(right_head - outer)
        depth = np.float32(outer - bed[at, last])
        slope = max(abs(fall) * steepness, steep_right)
        flux[row, face] = _pushed(flux[row, face], across, fall, slope, right, depth, push, pipes)


@allocation_free
def share_out(water, row, flux_x, at, flux_y, up, down, share, slot, pipes):
    """Step 2 for a row of water: the share of its outflow that each cell can provide.

    flux_x[at], flux_y[up], flux_y[down]: fluxes through the faces of the row.
    """
    zero = np.float32(0.0)
    row_share = np.float32(pipes.row_share)
    col_share = np.float32(pipes.col_share)
    for col in range(water.shape[1]):
        demand = (max(flux_x[at, col + 1], zero) + max(-flux_x[at, col], zero)) * col_share + (
            max(flux_y[down, col], zero) + max(-flux_y[up, col], zero)
        ) * row_share
        room = water[row, col] * BELOW_ONE
        share[slot, col] = room / max(max(demand, room), np.float32(1e-30))


@allocation_free
def thicken(suspended, row, water, at, load, slot):
    """Step 3 for a row: meters of load in a meter of water.

    A load of `NOTHING` stays where it is: as a denormal float32 it could be rounded to more than
    there is.
    """
    for col in range(water.shape[1]):
        carried = np.float32(suspended[row, col])
        load[slot, col] = (carried if carried > NOTHING else np.float32(0.0)) / max(
            water[at, col], FILM
        )


@allocation_free
def _upwind(flux, value, beyond):
    """Upwind value of a face."""
    return value if flux > np.float32(0.0) else beyond


@allocation_free
def limit_within(flux, row, share, slot, edges):
    """Step 2 for the faces of a row."""
    cols = share.shape[1]
    unit = np.float32(1.0)
    for col in range(1, cols):
        flux[row, col] *= _upwind(flux[row, col], share[slot, col - 1], share[slot, col])
    left, right = (share[slot, cols - 1], share[slot, 0]) if edges == WRAP else (unit, unit)
    flux[row, 0] *= _upwind(flux[row, 0], left, share[slot, 0])
    flux[row, cols] *= _upwind(flux[row, cols], share[slot, cols - 1], right)


@allocation_free
def limit_between(pushed, to, share, slot, slot_beyond, flux, row):
    """Step 2 for the faces between two rows: flux[row] from pushed[to]."""
    for col in range(share.shape[1]):
        source = _upwind(pushed[to, col], share[slot, col], share[slot_beyond, col])
        flux[row, col] = pushed[to, col] * source


@allocation_free
def carry_within(flux, row, load, slot, carried, carried_slot, edges):
    """Step 3 for the faces of a row: the load that goes with the flux, m²/s."""
    cols = load.shape[1]
    zero = np.float32(0.0)
    for col in range(1, cols):
        carried[carried_slot, col] = flux[row, col] * _upwind(
            flux[row, col], load[slot, col - 1], load[slot, col]
        )
    left, right = (load[slot, cols - 1], load[slot, 0]) if edges == WRAP else (zero, zero)
    carried[carried_slot, 0] = flux[row, 0] * _upwind(flux[row, 0], left, load[slot, 0])
    carried[carried_slot, cols] = flux[row, cols] * _upwind(
        flux[row, cols], load[slot, cols - 1], right
    )


@allocation_free
def carry_between(flux, row, load, slot, slot_beyond, carried, carried_slot):
    """Step 3 for the faces between two rows."""
    for col in range(load.shape[1]):
        source = _upwind(flux[row, col], load[slot, col], load[slot_beyond, col])
        carried[carried_slot, col] = flux[row, col] * source


@allocation_free
def count(flux, carried, part, place, totals):
    """Add the flow across an open edge to totals[place]; flux and carried positive outward."""
    totals.outflow[place] += max(np.float64(flux), 0.0) * part
    totals.inflow[place] += max(-np.float64(flux), 0.0) * part
    totals.exported[place] += np.float64(carried) * part


@allocation_free
def apply(content, row, along, at, above, up, below, down, pipes):
    """Step 4 for a row: apply inflows and outflows, in float64 so that no volume is lost."""
    for col in range(content.shape[1]):
        row_gain = (np.float64(above[up, col]) - np.float64(below[down, col])) * pipes.row_share
        col_gain = (np.float64(along[at, col]) - np.float64(along[at, col + 1])) * pipes.col_share
        content[row, col] += row_gain + col_gain
