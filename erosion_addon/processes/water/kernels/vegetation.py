# SPDX-License-Identifier: GPL-3.0-or-later
"""Vegetation and moisture: evaporation, moisture, grass, and the ground that a salt sea reaches.

Steps 5 and 6 of `bed.sweep`; ground is its `Ground`. Rows and symmetry as in `kernels.faces`.
"""

import math

import numpy as np

from ....base.kernels.jit import allocation_free, kernel
from .banks import DRIED
from .faces import NOTHING
from .speed import SHALLOW

WET = np.float32(0.02)
"""Meters of water at which the ground is half wet."""

FLOODED = np.float32(0.05)
"""Meters of water that drown grass."""

ROOTS = np.float32(0.1)
"""Meters of soil that grass needs to thrive."""

STILL = np.float32(0.3)
"""m/s at which water evaporates half as fast as still water does."""


@allocation_free
def rain_and_evaporate(maps, row, slot, work, ground):
    """Rain and evaporation; moving water evaporates less."""
    depth = maps.depth[row]
    rain = maps.rain[row]
    masks = maps.masks
    speed = work.speed[slot]
    evaporated = work.evaporated
    seconds = np.float64(ground.seconds)
    for col in range(depth.size):
        quick = speed[col] / STILL
        evaporated[col] = np.float64(ground.evaporation / (np.float32(1.0) + quick * quick))
    if masks.shape[0] > DRIED:
        for col in range(depth.size):
            evaporated[col] *= np.float64(masks[DRIED, row, col])
    for col in range(depth.size):
        water = depth[col] + np.float64(rain[col]) * seconds
        left = max(water - evaporated[col], 0.0)
        evaporated[col] = water - left
        depth[col] = left


@allocation_free
def grow(maps, row, slot, work, ground):
    """Update moisture, grass and accumulated flow."""
    depth = maps.depth[row]
    soil = maps.soil[row]
    moisture = maps.moisture[row]
    grass = maps.grass[row]
    flow = maps.flow[row]
    speed = work.speed[slot]
    slope_x = work.slope_x
    slope_y = work.slope_y
    taken = work.taken
    width = ground.seconds * np.float32(math.sqrt(ground.row_spacing * ground.col_spacing))
    unit = np.float32(1.0)
    zero = np.float32(0.0)
    for col in range(depth.size):
        water = np.float32(depth[col])
        moisture[col] = max(water / (water + WET), moisture[col] * ground.dry - NOTHING)
    for col in range(depth.size):
        steep = math.sqrt(slope_x[col] * slope_x[col] + slope_y[col] * slope_y[col])
        suits = min(np.float32(soil[col]) / ROOTS, unit) * max(
            unit - steep / ground.grass_slope, zero
        )
        suits *= max(unit - np.float32(depth[col]) / FLOODED, zero)
        suits *= max(unit - np.float32(abs(taken[col])) / ground.fresh, zero)
        lacking = suits * moisture[col] - grass[col]
        grass[col] = max(
            grass[col] + lacking * (ground.grow if lacking > zero else ground.die) - NOTHING, zero
        )
    for col in range(depth.size):
        flow[col] += speed[col] * max(np.float32(depth[col]), SHALLOW) * width


@kernel
def spread_from_edges(low, waiting, reached):
    """Set `reached` where `low` ground is connected with the edge of the terrain through low
    ground.

    Depth-first search over the four neighbors; the order of visits does not show. low: (rows, cols)
    bool; reached: the same shape, all False before. waiting: (rows · cols,) int64, working memory.
    """
    rows, cols = low.shape
    count = 0
    for row in range(rows):
        for col in range(cols):
            inside = 0 < row < rows - 1 and 0 < col < cols - 1
            if low[row, col] and not inside:
                reached[row, col] = True
                waiting[count] = row * cols + col
                count += 1
    while count > 0:  # each cell once, as it is marked before it waits
        count -= 1
        row, col = divmod(waiting[count], cols)
        for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            r = row + down
            c = col + right
            if 0 <= r < rows and 0 <= c < cols and low[r, c] and not reached[r, c]:
                reached[r, c] = True
                waiting[count] = r * cols + c
                count += 1
