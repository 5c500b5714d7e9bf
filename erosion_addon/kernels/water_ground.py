# SPDX-License-Identifier: GPL-3.0-or-later
"""What water does to the ground it runs over: rain, evaporation, erosion, deposition, wet slides, grass.

Rows and symmetry as in `kernels.water_pipes`.
"""

import math
from typing import NamedTuple

import numpy as np

from .compile import kernel
from .edges import WRAP
from .slopes import lowest, slopes
from .water_pipes import FILM, NOTHING
from .water_slides import CALM, DUG, FILLED, HARD, loosen, move, slide_between, slide_within
from .water_speed import SHALLOW, velocity

WET = np.float32(0.02)
"""Metres of water under which the ground is half wet."""

FLOODED = np.float32(0.05)
"""Metres of water that drown grass."""

COVER = np.float32(0.5)
"""Metres of soil that keep the water from the rock."""

MIXED = np.float32(2.0)
"""Metres of water above the bed that carry load; in deep seas a share of all of it would be more than there is."""

ROOTS = np.float32(0.1)
"""Metres of soil that grass needs to thrive."""

STILL = np.float32(0.3)
"""m/s at which water evaporates half as fast as still water does."""


class Ground(NamedTuple):
    """Numbers that hold for all cells, float32; shares are of one step."""

    seconds: np.float32
    row_spacing: np.float32
    col_spacing: np.float32
    evaporation: np.float32
    """m of still water a step."""
    capacity: np.float32
    minimum_tilt: np.float32
    pick_up: np.float32
    settle: np.float32
    rock: np.float32
    """m a step under 1 m of water that runs 1 m/s faster than `CALM`."""
    repose: np.float32
    """Steepest slope of wet soil, m/m."""
    slide: np.float32
    bank: np.float32
    """Share of its height over a stream that a bank loses a step, times m²; where `rock` is worn."""
    dry: np.float32
    """Share of the moisture that stays."""
    grow: np.float32
    die: np.float32
    fresh: np.float32
    """m of soil moved in a step that undo all growth."""
    grass_slope: np.float32
    protection: np.float32
    gravity: np.float32
    edges: int


class Rows(NamedTuple):
    """Working memory, some rows long; see `make_rows`. evaporated and moved sum up over rows and steps, in m."""

    bed: np.ndarray
    slide: np.ndarray
    loose: np.ndarray
    weak: np.ndarray
    along: np.ndarray
    down: np.ndarray
    speed: np.ndarray
    power: np.ndarray
    filled: np.ndarray
    floor: np.ndarray
    taken: np.ndarray
    evaporated: np.ndarray
    moved: np.ndarray
    single: np.ndarray


def make_rows(cols: int) -> Rows:
    """Working memory for a terrain of so many columns."""
    slots = [np.zeros((4, cols), np.float32) for _ in range(7)]
    loose, weak, along, down, speed, power, filled = slots
    return Rows(
        np.zeros((4, cols)), np.zeros((4, cols + 1), np.float32), loose, weak, along, down, speed, power, filled,
        np.zeros(cols), np.zeros(cols), np.zeros(cols), np.zeros(cols), np.zeros((4, cols), np.float32),
    )  # fmt: skip


@kernel
def _wear_rock(power, soil, grass, masks, row, worn, ground):
    """Rock that becomes soil, m: by the speed and amount of the water, less under soil and grass."""
    one = np.float32(1.0)
    for col in range(soil.size):
        bare = max(one - np.float32(soil[col]) / COVER, np.float32(0.0))
        worn[col] = ground.rock * power[col] * bare * (one - ground.protection * grass[col])
    if masks.size > 0:
        for col in range(soil.size):
            worn[col] *= masks[DUG, row, col] * (one - masks[HARD, row, col])
    for col in range(soil.size):
        soil[col] += np.float64(worn[col])


@kernel
def _capacity(depth, speed, along, down, slope_x, slope_y, capacity, ground):
    """What the water can carry, m: by its amount, its speed and how far the bed's normal leans the way it flows."""
    for col in range(depth.size):
        lean = -(along[col] * slope_x[col] + down[col] * slope_y[col])
        steep = slope_x[col] * slope_x[col] + slope_y[col] * slope_y[col]
        stirring = ground.minimum_tilt * max(speed[col] - CALM, np.float32(0.0))
        power = max(lean / math.sqrt(np.float32(1.0) + steep), stirring)
        capacity[col] = ground.capacity * power * min(np.float32(depth[col]), MIXED)


@kernel
def _exchange(depth, capacity, suspended, soil, bed, floor, grass, masks, row, taken, moved, ground):
    """Pick soil up, or lay it down; never dig below the lowest neighbour. Water that has gone drops all it had."""
    pick_up, settle = np.float64(ground.pick_up), np.float64(ground.settle)
    for col in range(bed.size):
        spare = np.float64(capacity[col]) - suspended[col]
        room = min(soil[col], max(bed[col] - floor[col], 0.0) * 0.5)
        taken[col] = min(spare * pick_up, room) if spare > 0.0 else spare * settle
    for col in range(bed.size):
        wet = depth[col] > FILM and suspended[col] + max(taken[col], 0.0) > NOTHING
        held = 1.0 - np.float64(ground.protection * grass[col])
        picked = taken[col] * held if taken[col] > 0.0 else taken[col]
        taken[col] = picked if wet else -suspended[col]
    if masks.size > 0:
        for col in range(bed.size):
            dug, filled = masks[DUG, row, col], masks[FILLED, row, col]
            taken[col] *= np.float64(dug if taken[col] > 0.0 else filled)
    for col in range(bed.size):
        suspended[col] += taken[col]
        bed[col] -= taken[col]
        soil[col] -= taken[col]
    for col in range(bed.size):
        moved[col] += max(taken[col], 0.0)


@kernel
def _weather(depth, speed, rain, evaporated, ground):
    """Rain and evaporation; water in motion evaporates less."""
    seconds = np.float64(ground.seconds)
    for col in range(depth.size):
        quick = speed[col] / STILL
        wanted = np.float64(ground.evaporation / (np.float32(1.0) + quick * quick))
        water = depth[col] + np.float64(rain[col]) * seconds
        left = max(water - wanted, 0.0)
        evaporated[col] += water - left
        depth[col] = left


@kernel
def _live(depth, speed, soil, slope_x, slope_y, taken, moisture, grass, flow, width, ground):
    """Moisture, grass and the water that passed. taken: soil that came or went in this step."""
    one, zero = np.float32(1.0), np.float32(0.0)
    for col in range(depth.size):
        water = np.float32(depth[col])
        moisture[col] = max(water / (water + WET), moisture[col] * ground.dry - NOTHING)
    for col in range(depth.size):
        steep = math.sqrt(slope_x[col] * slope_x[col] + slope_y[col] * slope_y[col])
        suits = min(np.float32(soil[col]) / ROOTS, one) * max(one - steep / ground.grass_slope, zero)
        suits *= max(one - np.float32(depth[col]) / FLOODED, zero)
        suits *= max(one - np.float32(abs(taken[col])) / ground.fresh, zero)
        lacking = suits * moisture[col] - grass[col]
        grass[col] = max(grass[col] + lacking * (ground.grow if lacking > zero else ground.die) - NOTHING, zero)
    for col in range(depth.size):
        flow[col] += speed[col] * max(np.float32(depth[col]), SHALLOW) * width


@kernel
def _look(row, slot, soil, depth, flux_x, flux_y, moisture, grass, masks, work, ground):
    """Fill one slot of the working memory with what the row and its neighbours need to know of it."""
    along, down, speed = work.along[slot], work.down[slot], work.speed[slot]
    velocity(depth[row], flux_x[row], flux_y[row], flux_y[row + 1], along, down, speed, ground.gravity)
    loosen(
        soil[row], moisture[row], grass[row], depth[row], speed, masks, row,
        work.loose[slot], work.weak[slot], work.power[slot], work.filled[slot], ground,
    )  # fmt: skip


@kernel
def run_ground(
    bed, soil, depth, suspended, flux_x, flux_y, moisture, grass, flow, rain, masks, work, ground
):  # fmt: skip
    """Change the ground by the water that runs over it, one step of `ground.seconds`, all cells in a single sweep.

    With depth h, suspended s, velocity v = q / h, its size v, bed z with the normal n, soil b, grass g, in each cell:

    1. soil slides over the four faces where the bed falls steeper than `repose`, a share of the excess, as far as it
       is wet and not held by grass (Jákó & Tóth 2011, who let it slide under water); banks of soil or rock fall into
       the stream beside them, bank · p of their height over it (without that, rivers are one cell wide and follow
       the grid), where p = max(v - `CALM`, 0) · min(h, 1 m) is the power of the water;
    2. rock becomes soil: rock · p · (1 - hardness), less under `COVER` of soil;
    3. the water could carry C = capacity · min(h, `MIXED`) · max(n · v, minimum_tilt · max(v - `CALM`, 0)), n · v > 0
       where it runs downhill (Mei, Decaudin, Hu 2007, with the normal against the flow in place of the slope);
    4. s < C: (C - s) · pick_up comes from the soil; s > C: (s - C) · settle goes to it; dry cells drop it all;
    5. rain, then evaporation / (1 + (v / `STILL`)²);
    6. moisture = max(h / (h + `WET`), moisture · dry); grass grows up to what suits it, soil that is neither flooded,
       steep, dry nor freshly moved; where there is more it dies back; it holds what it grows on.

    Neighbours count as they were before the sweep. Stability: every share is below 1, no cell gives more soil than it
    has, and none is dug below the lowest of its four neighbours; heights then stay between the lowest point there was
    and the highest plus what was laid down, for any parameters in range.

    bed, soil, depth, suspended: (rows, cols) float64 m. flux_x, flux_y: see `kernels.water`. moisture, grass (0-1) and
    flow (m³): (rows, cols) float32. All but the fluxes are changed in place. rain: (rows, cols) float32 m/s. masks:
    (3, rows, cols) float32 0-1, see `DUG`, `HARD`, `FILLED`; of no size for none. What may not be laid down stays
    suspended, even where the water dries up. work: `Rows`, whose last two sums are added to. ground: `Ground`.
    """
    rows = bed.shape[0]
    last, wrap = rows - 1, ground.edges == WRAP
    width = ground.seconds * np.float32(math.sqrt(ground.row_spacing * ground.col_spacing))
    kept, slide, loose, weak, along, down, speed, power, filled, floor, taken, evaporated, moved, single = work
    slope_x, slope_y, worn, capacity = single[0], single[1], single[2], single[3]
    kept[2] = bed[0]
    _look(0, 0, soil, depth, flux_x, flux_y, moisture, grass, masks, work, ground)
    loose[2], weak[2], power[2], filled[2] = loose[0], weak[0], power[0], filled[0]
    slide[0, :] = 0.0
    if wrap:
        _look(last, 3, soil, depth, flux_x, flux_y, moisture, grass, masks, work, ground)
        slide_between(bed[last], bed[0], loose, weak, power, filled, 3, 0, slide[0], ground)
    slide[2] = slide[0]
    for row in range(rows):
        now, after, here = row % 2, (row + 1) % 2, bed[row]
        if row < last:
            below = bed[row + 1]
            _look(row + 1, after, soil, depth, flux_x, flux_y, moisture, grass, masks, work, ground)
            slide_between(here, below, loose, weak, power, filled, now, after, slide[after], ground)
        else:
            below = kept[2] if wrap else here
            slide[after] = slide[2]
        slide_within(here, loose[now], weak[now], power[now], filled[now], slide[3], ground)
        if row > 0:
            above = kept[after]
        else:
            above = bed[last] if wrap else here
        span = ground.row_spacing * np.float32(2.0 if wrap or 0 < row < last else 1.0)
        slopes(above, here, below, span, wrap, slope_x, slope_y, ground.col_spacing)
        lowest(above, here, below, wrap, floor)
        kept[now] = here
        move(slide[3], slide[now], slide[after], here, soil[row], taken, moved)
        _wear_rock(power[now], soil[row], grass[row], masks, row, worn, ground)
        _capacity(depth[row], speed[now], along[now], down[now], slope_x, slope_y, capacity, ground)
        _exchange(
            depth[row], capacity, suspended[row], soil[row], here, floor, grass[row], masks, row, taken, moved, ground
        )
        _weather(depth[row], speed[now], rain[row], evaporated, ground)
        _live(
            depth[row], speed[now], soil[row], slope_x, slope_y, taken, moisture[row], grass[row], flow[row], width,
            ground,
        )  # fmt: skip
