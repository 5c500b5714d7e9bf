# SPDX-License-Identifier: GPL-3.0-or-later
"""Bank failure: slides of wet soil, and banks undercut by streams.

Step 1 of `bed.sweep`; ground is its `Ground`. Rows and symmetry as in `kernels.faces`.
"""

from typing import NamedTuple

import numpy as np

from ....base.kernels.ghost_cells import WRAP
from ....base.kernels.jit import allocation_free, inlined
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


class Bank(NamedTuple):
    """One side of a face."""

    bed: float
    loose: np.float32
    """Soil that may slide over the face, m."""
    weak: np.float32
    """Give of the bank, 0-1."""
    power: np.float32
    """Power of the water."""
    filled: np.float32
    """Acceptance of slides, 0-1."""


@allocation_free
def loosen(maps, row, slot, work, ground):
    """Fill one slot of the working memory with the values of `Bank` along a row."""
    soil = maps.soil[row]
    moisture = maps.moisture[row]
    grass = maps.grass[row]
    depth = maps.depth[row]
    masks = maps.masks
    speed = work.speed[slot]
    loose = work.loose[slot]
    weak = work.weak[slot]
    power = work.power[slot]
    filled = work.filled[slot]
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
    for col in range(soil.size):
        filled[col] = unit
    if masks.size > 0:
        for col in range(soil.size):
            filled[col] = masks[ACCEPTED, row, col]
    for col in range(soil.size):
        power[col] = max(speed[col] - CALM, np.float32(0.0)) * min(np.float32(depth[col]), unit)


@inlined
def _bank(bed, col, slot, work):
    """Side of a face in a column of a row `bed`, whose values are in a slot of `work`."""
    return Bank(
        bed[col],
        work.loose[slot, col],
        work.weak[slot, col],
        work.power[slot, col],
        work.filled[slot, col],
    )


@allocation_free
def _slide(bank, beyond, length, ground):
    """Slide over a face, m, positive toward beyond: steep wet soil, undercut banks."""
    fall = np.float32(bank.bed - beyond.bed)
    high = abs(fall)
    zero = np.float32(0.0)
    down = fall > zero
    loose = bank.loose if down else beyond.loose
    weak = bank.weak if down else beyond.weak
    filled = beyond.filled if down else bank.filled
    soil = min(max(high - ground.repose * length, zero) * ground.slide, loose)
    share = ground.bank * max(bank.power, beyond.power) * weak / (length * length)
    amount = max(soil, min(share, BANK) * high) * filled
    return amount if down else -amount


@allocation_free
def slide_within(bed, slot, slide, work, ground):
    """Slides over the faces of one row; across an edge only if it wraps."""
    cols = bed.size
    length = ground.col_spacing
    for col in range(1, cols):
        slide[col] = _slide(
            _bank(bed, col - 1, slot, work), _bank(bed, col, slot, work), length, ground
        )
    ends = np.float32(0.0)
    if ground.edges == WRAP:
        ends = _slide(_bank(bed, cols - 1, slot, work), _bank(bed, 0, slot, work), length, ground)
    slide[0] = ends
    slide[cols] = ends


@allocation_free
def slide_between(bed, beyond, slot, slot_beyond, slide, work, ground):
    """Slides over the faces between two rows."""
    for col in range(bed.size):
        slide[col] = _slide(
            _bank(bed, col, slot, work),
            _bank(beyond, col, slot_beyond, work),
            ground.row_spacing,
            ground,
        )


@allocation_free
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
