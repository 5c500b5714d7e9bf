# SPDX-License-Identifier: GPL-3.0-or-later
"""Creep of hillslopes: ∂z/∂t = D ∇²z, first along the rows and then along the columns, each implicit.

Backward Euler with tridiagonal systems (Thomas algorithm): stable for every time step, without new extremes, and mass
is conserved. The flux between two cells is scaled by the smaller of their masks. Outlets keep their height; what
reaches them is exported. Arrays are flat with a ring, see `drainage.kernels.receivers`.
"""

import numpy as np

from ....drainage.kernels.receivers import OUTLET, RING
from ....kernels.jit import allocation_free, kernel


@allocation_free
def _between(network, ease, cell, other):
    """Creep factor between two cells of a line, 0-1."""
    if network.toward[other] == RING:
        return 0.0
    return 1.0 if ease is None else min(ease[cell], ease[other])


@kernel
def creep_lines(network, ease, share, heights, ratios, crept, start, line_step, cell_step, cells, first, last):
    """Fill `crept` with the heights after a time step of creep along lines first … last - 1.

    Lines are rows or columns: line i begins at start + i · line_step and has `cells` cells, `cell_step` apart.
    share: D dt / spacing². ratios: working memory. ease: (cells,) float32, or None.
    """
    lines = last - first
    wide = (lines - 1) * line_step + 1
    whole = np.ones(2 * lines, np.float32)[::2]
    for place in range(cells):
        cell = start + first * line_step + place * cell_step
        before, after = (cell - cell_step if place else cell), cell + cell_step
        # Slices, and no branches, so that several lines are worked on at once.
        toward = network.toward[cell : cell + wide : line_step]
        now, then = heights[cell : cell + wide : line_step], crept[cell : cell + wide : line_step]
        ratio, ratio_before = ratios[cell : cell + wide : line_step], ratios[before : before + wide : line_step]
        crept_before = crept[before : before + wide : line_step]
        own, beside, beyond = whole, whole, whole
        if ease is not None:
            own, beside = ease[cell : cell + wide : line_step], ease[before : before + wide : line_step]
            beyond = ease[after : after + wide : line_step]
        back_share, ahead_share = share if place else 0.0, share if place + 1 < cells else 0.0
        for line in range(lines):
            back, ahead = back_share * min(own[line], beside[line]), ahead_share * min(own[line], beyond[line])
            back, ahead = (0.0, 0.0) if toward[line] == OUTLET else (back, ahead)
            through = 1.0 + back + ahead - back * ratio_before[line]
            then[line] = (now[line] + back * crept_before[line]) / through
            ratio[line] = ahead / through
    for place in range(cells - 2, -1, -1):
        cell = start + first * line_step + place * cell_step
        after = cell + cell_step
        then, ratio = crept[cell : cell + wide : line_step], ratios[cell : cell + wide : line_step]
        crept_after = crept[after : after + wide : line_step]
        for line in range(lines):
            then[line] += ratio[line] * crept_after[line]


@kernel
def creep_rings(network, ease, share, heights, crept, start, line_step, cell_step, cells, first, last):
    """`creep_lines` for wrapped edges: each line is a ring (Sherman-Morrison formula)."""
    ratios, spread = np.empty(cells), np.empty(cells)
    for line in range(first, last):
        origin = start + line * line_step
        end = origin + (cells - 1) * cell_step
        seam = share * (1.0 if ease is None else min(ease[origin], ease[end]))
        if network.toward[origin] == OUTLET or network.toward[end] == OUTLET:
            # Of a standing cell and its neighbor only the neighbor's equation has the seam in it.
            seam_first = 0.0 if network.toward[origin] == OUTLET else seam
            seam_last = 0.0 if network.toward[end] == OUTLET else seam
        else:
            seam_first = seam_last = seam
        corner = -1.0
        for place in range(cells):
            cell = origin + place * cell_step
            back = share * _between(network, ease, cell, cell - cell_step) if place else 0.0
            ahead = share * _between(network, ease, cell, cell + cell_step) if place + 1 < cells else 0.0
            through = 1.0
            if network.toward[cell] == OUTLET:
                back = ahead = 0.0
            through += back + ahead
            extra = 0.0
            if place == 0:
                through += seam_first - corner
                extra = corner
            if place + 1 == cells:
                through += seam_last - seam_first * seam_last / corner
                extra = -seam_last
            if place:
                through -= back * ratios[place - 1]
                crept[cell] = (heights[cell] + back * crept[cell - cell_step]) / through
                spread[place] = (extra + back * spread[place - 1]) / through
            else:
                crept[cell], spread[place] = heights[cell] / through, extra / through
            ratios[place] = ahead / through
        for place in range(cells - 2, -1, -1):
            cell = origin + place * cell_step
            crept[cell] += ratios[place] * crept[cell + cell_step]
            spread[place] += ratios[place] * spread[place + 1]
        weight = -seam_first / corner
        factor = (crept[origin] + weight * crept[end]) / (1.0 + spread[0] + weight * spread[cells - 1])
        for place in range(cells):
            crept[origin + place * cell_step] -= factor * spread[place]


@kernel
def apply_creep(heights, loose, crept, cols, first, last, moved):
    """Apply the creep to rows first … last - 1: losses come from loose material first, gains are loose.

    moved: (rows, 2): sums of losses per row, and of losses minus gains; m on a cell.
    """
    for row in range(first, last):
        went = less = 0.0
        for cell in range((row + 1) * (cols + 2) + 1, (row + 1) * (cols + 2) + 1 + cols):
            change = crept[cell] - heights[cell]
            less -= change
            went += max(-change, 0.0)
            loose[cell] = max(loose[cell] + change, 0.0)
            heights[cell] = crept[cell]
        moved[row, 0], moved[row, 1] = went, less
