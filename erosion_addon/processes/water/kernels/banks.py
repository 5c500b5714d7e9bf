# SPDX-License-Identifier: GPL-3.0-or-later
"""Bank failure: slides of wet soil, and banks undercut by streams.

Step 1 of `bed.sweep`; ground is its `Ground`. Rows and symmetry as in `kernels.faces`.
"""

import numpy as np

from ....base.kernels.ghost_cells import WRAP
from ....base.kernels.jit import kernel
from ...shared.kernels.mask_layers import ACCEPTED, DUG, SOFT

BANK = np.float32(0.1)
"""Greatest loss of a bank over one face in a step, as a share of its height above the neighbor."""

SLIDING = np.float32(0.2499)
"""Greatest share of a cell's soil that slides over one of its four faces in a step."""

HARD = SOFT
"""Index of the hardness, which stands in the place of the softness: paused runs hold it, and 1 - (1
- hardness) differs from the hardness in the last bit.
"""

CARRIED, PICKED, SETTLED, DRIED = 4, 5, 6, 7
"""Indices of parameter masks: capacity, pick-up, settling and evaporation."""

CALM = np.float32(0.2)
"""m/s; slower water erodes neither rock nor banks, and deposits its load on level ground."""


@kernel
def loosen(soil, moisture, grass, depth, speed, masks, row, loose, weak, power, filled, ground):
    """Values of a row: soil that may slide over one face, m; give of the banks, 0-1; power of the
    water; acceptance of slides, 0-1.
    """
    unit = np.float32(1.0)
    for col in range(soil.size):
        weak[col] = unit - ground.protection * grass[col]
    if masks.size > 0:
        for col in range(soil.size):
            weak[col] *= masks[DUG, row, col]
    for col in range(soil.size):
        loose[col] = SLIDING * np.float32(soil[col]) * moisture[col] * weak[col]
    if masks.size > 0:
        for col in range(soil.size):
            weak[col] *= unit - masks[HARD, row, col]
    filled[:] = unit
    if masks.size > 0:
        filled[:] = masks[ACCEPTED, row]
    for col in range(soil.size):
        power[col] = max(speed[col] - CALM, np.float32(0.0)) * min(np.float32(depth[col]), unit)


@kernel
def _slide(
    bed,
    beyond,
    loose,
    loose_beyond,
    weak,
    weak_beyond,
    power,
    power_beyond,
    filled,
    filled_beyond,
    length,
    ground,
):
    """Slide over a face, m, positive toward beyond: steep wet soil, undercut banks."""
    fall = np.float32(bed - beyond)
    high = abs(fall)
    zero = np.float32(0.0)
    down = fall > zero
    soil = min(
        max(high - ground.repose * length, zero) * ground.slide, loose if down else loose_beyond
    )
    share = (
        ground.bank * max(power, power_beyond) * (weak if down else weak_beyond) / (length * length)
    )
    amount = max(soil, min(share, BANK) * high) * (filled_beyond if down else filled)
    return amount if down else -amount


@kernel
def slide_within(bed, loose, weak, power, filled, slide, ground):
    """Slides over the faces of one row; across an edge only if it wraps."""
    cols = bed.size
    length = ground.col_spacing
    for col in range(1, cols):
        slide[col] = _slide(
            bed[col - 1],
            bed[col],
            loose[col - 1],
            loose[col],
            weak[col - 1],
            weak[col],
            power[col - 1],
            power[col],
            filled[col - 1],
            filled[col],
            length,
            ground,
        )
    ends = np.float32(0.0)
    last = cols - 1
    if ground.edges == WRAP:
        ends = _slide(
            bed[last],
            bed[0],
            loose[last],
            loose[0],
            weak[last],
            weak[0],
            power[last],
            power[0],
            filled[last],
            filled[0],
            length,
            ground,
        )
    slide[0] = ends
    slide[cols] = ends


@kernel
def slide_between(bed, beyond, loose, weak, power, filled, current, after, slide, ground):
    """Slides over the faces between two rows; rows `current` and `after` of loose, weak, power and
    filled are theirs.
    """
    for col in range(bed.size):
        slide[col] = _slide(
            bed[col],
            beyond[col],
            loose[current, col],
            loose[after, col],
            weak[current, col],
            weak[after, col],
            power[current, col],
            power[after, col],
            filled[current, col],
            filled[after, col],
            ground.row_spacing,
            ground,
        )


@kernel
def move(along, above, below, bed, soil, taken, totals):
    """Apply the slides of a row; taken: gains, totals: losses, m."""
    for col in range(bed.size):
        taken[col] = (np.float64(above[col]) - np.float64(below[col])) + (
            np.float64(along[col]) - np.float64(along[col + 1])
        )
    for col in range(bed.size):
        bed[col] += taken[col]
        # The four shares are cut so that they cannot take it all; rounding can leave an ulp below
        # zero.
        soil[col] = max(soil[col] + taken[col], 0.0)
    for col in range(bed.size):
        totals[col] = max(-taken[col], 0.0)
