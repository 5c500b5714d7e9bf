# SPDX-License-Identifier: GPL-3.0-or-later
"""Creep of hillslopes: ∂z/∂t = D ∇²z, first along the rows and then along the columns, each
implicit.

Backward Euler with tridiagonal systems (Thomas algorithm): stable for every time step, without new
extremes, and mass is conserved. The flux between two cells is scaled by the smaller of their masks.
Outlets keep their height; material that reaches them is exported. Arrays are flat with a ring, see
`drainage.kernels.receivers`.
"""

import math
from typing import NamedTuple

import numpy as np

from ....base.kernels.jit import allocation_free, kernel
from ....drainage.kernels.receivers import OUTLET

LARGEST_SHARE = 1e9
"""Bound on `share`, with which a line of 16,384 cells becomes level within a percent."""


class Lines(NamedTuple):
    """Rows or columns of the terrain: line i begins at cell start + i · step."""

    start: int
    step: int
    cell_step: int
    """Distance between the cells of a line."""
    cells: int
    """Cells of a line."""


@kernel
def creep_lines(network, ease, share, heights, ratios, crept, lines, first, last):
    """Fill `crept` with the heights after a time step of creep along lines first … last - 1.

    share: D dt / spacing²; its rounding grows with it, see `creep_fluxes`. ratios: working memory.
    ease: (cells,) float32, or None.
    """
    start, line_step, cell_step, cells = lines
    count = last - first
    wide = (count - 1) * line_step + 1
    full = np.ones(2 * count, np.float32)[::2]
    for place in range(cells):
        cell = start + first * line_step + place * cell_step
        before = cell - cell_step if place else cell
        after = cell + cell_step
        # Slices, and no branches, so that several lines are worked on at once.
        toward = network.toward[cell : cell + wide : line_step]
        current = heights[cell : cell + wide : line_step]
        then = crept[cell : cell + wide : line_step]
        ratio = ratios[cell : cell + wide : line_step]
        ratio_before = ratios[before : before + wide : line_step]
        crept_before = crept[before : before + wide : line_step]
        resistance = full
        beside = full
        beyond = full
        if ease is not None:
            resistance = ease[cell : cell + wide : line_step]
            beside = ease[before : before + wide : line_step]
            beyond = ease[after : after + wide : line_step]
        back_share = share if place else 0.0
        ahead_share = share if place + 1 < cells else 0.0
        for line in range(count):
            back = back_share * min(resistance[line], beside[line])
            ahead = ahead_share * min(resistance[line], beyond[line])
            back, ahead = (0.0, 0.0) if toward[line] == OUTLET else (back, ahead)
            through = 1.0 + back + ahead - back * ratio_before[line]
            then[line] = (current[line] + back * crept_before[line]) / through
            ratio[line] = ahead / through
    for place in range(cells - 2, -1, -1):
        cell = start + first * line_step + place * cell_step
        after = cell + cell_step
        then = crept[cell : cell + wide : line_step]
        ratio = ratios[cell : cell + wide : line_step]
        crept_after = crept[after : after + wide : line_step]
        for line in range(count):
            then[line] += ratio[line] * crept_after[line]


@allocation_free
def _resistance(network, ease, share, cell, next_cell):
    """1 / `share` of the flux between two cells; infinite where nothing moves."""
    if network.toward[cell] == OUTLET and network.toward[next_cell] == OUTLET:
        return math.inf
    flow = share if ease is None else share * min(ease[cell], ease[next_cell])
    return 1.0 / flow if flow > 0.0 else math.inf


@kernel
def creep_fluxes(network, ease, share, heights, crept, ring, lines, first, last):
    """`creep_lines` for any `share`, and for rings: solved for the fluxes q between neighbors i and
    j,

    q / share = h_j - h_i + (what j gains) - (what i gains).

    These systems stay well-conditioned however large the share is, where lines become level. A flux
    leaves one cell and enters another, so mass is conserved to rounding error. ring: whether the
    ends of a line are neighbors. The flux q_s between them comes last: the others are linear in it,
    `ahead` + q_s `ring_effect`.
    """
    start, line_step, cell_step, cells = lines
    share = min(share, LARGEST_SHARE)
    ratios = np.empty(cells)
    ahead = np.empty(cells)
    ring_effect = np.empty(cells)
    for line in range(first, last):
        origin = start + line * line_step
        end = origin + (cells - 1) * cell_step
        moves_first = 0.0 if network.toward[origin] == OUTLET else 1.0
        moves_last = 0.0 if network.toward[end] == OUTLET else 1.0
        ratio = 0.0
        flux = 0.0
        turn = 1.0
        moves = moves_first
        for place in range(cells - 1):
            cell = origin + place * cell_step
            next_cell = cell + cell_step
            other_moves = 0.0 if network.toward[next_cell] == OUTLET else 1.0
            through = (
                _resistance(network, ease, share, cell, next_cell)
                + other_moves
                + moves * (1.0 - ratio)
            )
            flux = (heights[next_cell] - heights[cell] + moves * flux) / through
            turn = moves * turn / through
            if place == cells - 2:
                turn += other_moves / through
            ratio = other_moves / through
            ratios[place] = ratio
            ahead[place] = flux
            ring_effect[place] = turn
            moves = other_moves
        for place in range(cells - 3, -1, -1):
            ahead[place] += ratios[place] * ahead[place + 1]
            ring_effect[place] += ratios[place] * ring_effect[place + 1]
        seam = 0.0
        if ring:
            before = cells - 2
            after = 0
            resistance = _resistance(network, ease, share, end, origin)
            through = moves_first * (1.0 - ring_effect[after]) + moves_last * (
                1.0 - ring_effect[before]
            )
            seam = (
                heights[origin]
                - heights[end]
                + moves_first * ahead[after]
                + moves_last * ahead[before]
            )
            seam /= resistance + max(through, 0.0)
        flux = seam
        for place in range(cells):
            cell = origin + place * cell_step
            following = seam if place + 1 == cells else ahead[place] + seam * ring_effect[place]
            crept[cell] = (
                heights[cell]
                if network.toward[cell] == OUTLET
                else heights[cell] + (following - flux)
            )
            flux = following


@kernel
def apply_creep(heights, loose, crept, cols, first, last, totals):
    """Apply the creep to rows first … last - 1: losses come from loose material first, gains are
    loose.

    totals: (rows, 2): sums of losses per row, and of losses minus gains; m on a cell.
    """
    for row in range(first, last):
        went = less = 0.0
        for cell in range((row + 1) * (cols + 2) + 1, (row + 1) * (cols + 2) + 1 + cols):
            change = crept[cell] - heights[cell]
            less -= change
            went += max(-change, 0.0)
            loose[cell] = max(loose[cell] + change, 0.0)
            heights[cell] = crept[cell]
        totals[row, 0] = went
        totals[row, 1] = less
