# SPDX-License-Identifier: GPL-3.0-or-later
"""What water does to the ground it runs over: rain, evaporation, erosion, deposition, wet slides, grass.

Rows and symmetry as in `kernels.water`.
"""

import math
from typing import NamedTuple

import numpy as np

from .compile import kernel
from .water import FILM, NOTHING, WRAP

SHALLOW = np.float32(0.01)
"""Metres; a thinner film counts as this thick where its speed is asked for."""

WET = np.float32(0.02)
"""Metres of water under which the ground is half wet."""

FLOODED = np.float32(0.05)
"""Metres of water that drown grass."""

COVER = np.float32(0.5)
"""Metres of soil that keep the water from the rock."""

ROOTS = np.float32(0.1)
"""Metres of soil that grass needs to thrive."""

STILL = np.float32(0.3)
"""m/s at which water evaporates half as fast as still water does."""

BANK = np.float32(0.1)
"""Most of its height over its neighbour that a bank loses over one face in a step."""

SLIDING = np.float32(0.2499)
"""Share of a cell's soil that may slide over one of its four faces in a step."""


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
    """m a step under 1 m of water that runs at 1 m/s."""
    repose: np.float32
    """Steepest slope of wet soil, m/m."""
    slide: np.float32
    bank: np.float32
    """Share of its height over a stream that a bank loses a step, times m²; per 1 m of water at 1 m/s."""
    dry: np.float32
    """Share of the moisture that stays."""
    grow: np.float32
    die: np.float32
    fresh: np.float32
    """m of soil moved in a step that undo all growth."""
    grass_slope: np.float32
    protection: np.float32
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
    floor: np.ndarray
    taken: np.ndarray
    evaporated: np.ndarray
    moved: np.ndarray
    single: np.ndarray


def make_rows(cols: int) -> Rows:
    """Working memory for a terrain of so many columns."""
    single = [np.zeros((4, cols), np.float32) for _ in range(6)]
    sums = [np.zeros(cols) for _ in range(4)]
    return Rows(
        np.zeros((4, cols)), np.zeros((4, cols + 1), np.float32), *single, *sums, np.zeros((4, cols), np.float32)
    )


@kernel
def _velocity(depth, flux_x, flux_above, flux_below, along, down, speed):
    """Velocity (m/s) along a row and along the columns in the middle of the cells, and its size."""
    half = np.float32(0.5)
    for col in range(depth.size):
        along[col] = half * (flux_x[col] + flux_x[col + 1]) / max(np.float32(depth[col]), SHALLOW)
    for col in range(depth.size):
        down[col] = half * (flux_above[col] + flux_below[col]) / max(np.float32(depth[col]), SHALLOW)
    for col in range(depth.size):
        speed[col] = math.sqrt(along[col] * along[col] + down[col] * down[col])


@kernel
def _slopes(above, bed, below, row_span, wrap, slope_x, slope_y, ground):
    """Slope of the bed (m/m) by central differences, one-sided at edges; row_span: metres between above and below."""
    last, span = bed.size - 1, ground.col_spacing * np.float32(2.0)
    for col in range(1, last):
        slope_x[col] = np.float32(bed[col + 1] - bed[col - 1]) / span
    if wrap:
        slope_x[0] = np.float32(bed[1] - bed[last]) / span
        slope_x[last] = np.float32(bed[0] - bed[last - 1]) / span
    else:
        slope_x[0] = np.float32(bed[1] - bed[0]) / ground.col_spacing
        slope_x[last] = np.float32(bed[last] - bed[last - 1]) / ground.col_spacing
    for col in range(bed.size):
        slope_y[col] = np.float32(below[col] - above[col]) / row_span


@kernel
def _lowest(above, bed, below, wrap, floor):
    """Lowest of the cells around each cell of a row; the cell itself counts where there is none."""
    last = bed.size - 1
    for col in range(1, last):
        floor[col] = min(min(bed[col - 1], bed[col + 1]), min(above[col], below[col]))
    left, right = (bed[last], bed[0]) if wrap else (bed[0], bed[last])
    floor[0] = min(min(left, bed[1]), min(above[0], below[0]))
    floor[last] = min(min(bed[last - 1], right), min(above[last], below[last]))


@kernel
def _loosen(soil, moisture, grass, depth, speed, strength, hardness, loose, weak, power, ground):
    """Of a row: soil that may slide over one face, m; how far banks give way, 0-1; the power of the water."""
    one = np.float32(1.0)
    for col in range(soil.size):
        weak[col] = one - ground.protection * grass[col]
    if strength is not None:
        for col in range(soil.size):
            weak[col] *= strength[col]
    for col in range(soil.size):
        loose[col] = SLIDING * np.float32(soil[col]) * moisture[col] * weak[col]
    if hardness is not None:
        for col in range(soil.size):
            weak[col] *= one - hardness[col]
    for col in range(soil.size):
        power[col] = speed[col] * min(np.float32(depth[col]), one)


@kernel
def _slide(bed, beyond, loose, loose_beyond, weak, weak_beyond, power, power_beyond, length, ground):
    """What comes down over a face, m, positive towards beyond: wet soil that is too steep, banks that are undercut."""
    fall = np.float32(bed - beyond)
    high, zero = abs(fall), np.float32(0.0)
    down = fall > zero
    soil = min(max(high - ground.repose * length, zero) * ground.slide, loose if down else loose_beyond)
    share = ground.bank * max(power, power_beyond) * (weak if down else weak_beyond) / (length * length)
    amount = max(soil, min(share, BANK) * high)
    return amount if down else -amount


@kernel
def _slide_within(bed, loose, weak, power, slide, ground):
    """What comes down over the faces of one row; across an edge only where it wraps."""
    cols, length = bed.size, ground.col_spacing
    for col in range(1, cols):
        slide[col] = _slide(
            bed[col - 1], bed[col], loose[col - 1], loose[col], weak[col - 1], weak[col], power[col - 1], power[col],
            length, ground,
        )  # fmt: skip
    ends, last = np.float32(0.0), cols - 1
    if ground.edges == WRAP:
        ends = _slide(
            bed[last], bed[0], loose[last], loose[0], weak[last], weak[0], power[last], power[0], length, ground
        )
    slide[0] = ends
    slide[cols] = ends


@kernel
def _slide_between(bed, beyond, loose, weak, power, now, after, slide, ground):
    """What comes down over the faces between two rows, whose loose, weak and power are rows now and after."""
    for col in range(bed.size):
        slide[col] = _slide(
            bed[col], beyond[col], loose[now, col], loose[after, col], weak[now, col], weak[after, col],
            power[now, col], power[after, col], ground.row_spacing, ground,
        )  # fmt: skip


@kernel
def _move(along, above, below, bed, soil, taken, moved):
    """Let a row's soil slide; taken: what came, m."""
    for col in range(bed.size):
        taken[col] = (np.float64(above[col]) - np.float64(below[col])) + (
            np.float64(along[col]) - np.float64(along[col + 1])
        )
    for col in range(bed.size):
        bed[col] += taken[col]
        # The four shares are cut so that they cannot take it all; rounding can leave an ulp below zero.
        soil[col] = max(soil[col] + taken[col], 0.0)
    for col in range(bed.size):
        moved[col] += max(-taken[col], 0.0)


@kernel
def _wear_rock(power, soil, grass, strength, hardness, worn, ground):
    """Rock that becomes soil, m: by the speed and amount of the water, less under soil and grass."""
    one = np.float32(1.0)
    for col in range(soil.size):
        bare = max(one - np.float32(soil[col]) / COVER, np.float32(0.0))
        worn[col] = ground.rock * power[col] * bare * (one - ground.protection * grass[col])
    if strength is not None:
        for col in range(soil.size):
            worn[col] *= strength[col]
    if hardness is not None:
        for col in range(soil.size):
            worn[col] *= one - hardness[col]
    for col in range(soil.size):
        soil[col] += np.float64(worn[col])


@kernel
def _capacity(depth, speed, along, down, slope_x, slope_y, capacity, ground):
    """What the water can carry, m: by its amount, its speed and how far the bed's normal leans the way it flows."""
    for col in range(depth.size):
        size = speed[col]
        lean = -(along[col] * slope_x[col] + down[col] * slope_y[col])
        steep = slope_x[col] * slope_x[col] + slope_y[col] * slope_y[col]
        power = max(lean / math.sqrt(np.float32(1.0) + steep), ground.minimum_tilt * size)
        capacity[col] = ground.capacity * power * np.float32(depth[col])


@kernel
def _exchange(depth, capacity, suspended, soil, bed, floor, grass, strength, taken, moved, ground):
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
    if strength is not None:
        for col in range(bed.size):
            taken[col] *= np.float64(strength[col]) if taken[col] > 0.0 else 1.0
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
        wanted = suits * moisture[col]
        grown = wanted * (one - grass[col]) * ground.grow
        grass[col] = max(grass[col] + grown - (one - suits) * grass[col] * ground.die - NOTHING, zero)
    for col in range(depth.size):
        flow[col] += speed[col] * max(np.float32(depth[col]), SHALLOW) * width


@kernel
def _look(row, slot, soil, depth, flux_x, flux_y, moisture, grass, strength, hardness, work, ground):
    """Fill one slot of the working memory with what the row and its neighbours need to know of it."""
    _velocity(
        depth[row], flux_x[row], flux_y[row], flux_y[row + 1], work.along[slot], work.down[slot], work.speed[slot]
    )
    _loosen(
        soil[row], moisture[row], grass[row], depth[row], work.speed[slot],
        None if strength is None else strength[row], None if hardness is None else hardness[row],
        work.loose[slot], work.weak[slot], work.power[slot], ground,
    )  # fmt: skip


@kernel
def run_ground(
    bed, soil, depth, suspended, flux_x, flux_y, moisture, grass, flow, rain, strength, hardness, work, ground
):  # fmt: skip
    """Change the ground by the water that runs over it, one step of `ground.seconds`, all cells in a single sweep.

    With depth h, suspended s, velocity v = q / h, its size v, bed z with the normal n, soil b, grass g, in each cell:

    1. soil slides over the four faces where the bed falls steeper than `repose`, a share of the excess, as far as it
       is wet and not held by grass (Jákó & Tóth 2011, who let it slide under water); banks of soil or rock fall into
       the stream beside them, bank · v · min(h, 1 m) of their height over it (without that, rivers are one cell wide
       and follow the grid);
    2. rock becomes soil: rock · v · min(h, 1 m) · (1 - hardness), less under `COVER` of soil;
    3. the water could carry C = capacity · h · max(n · v, minimum_tilt · v), n · v > 0 where it runs downhill (Mei,
       Decaudin, Hu 2007, with the normal against the flow in place of the slope);
    4. s < C: (C - s) · pick_up comes from the soil; s > C: (s - C) · settle goes to it; dry cells drop it all;
    5. rain, then evaporation / (1 + (v / `STILL`)²);
    6. moisture = max(h / (h + `WET`), moisture · dry); grass grows where there is soil that is neither flooded, steep,
       dry nor freshly moved, dies elsewhere, and holds what it grows on.

    Neighbours count as they were before the sweep. Stability: every share is below 1, no cell gives more soil than it
    has, and none is dug below the lowest of its four neighbours; heights then stay between the lowest point there was
    and the highest plus what was laid down, for any parameters in range.

    bed, soil, depth, suspended: (rows, cols) float64 m. flux_x, flux_y: see `kernels.water`. moisture, grass (0-1) and
    flow (m³): (rows, cols) float32. All but the fluxes are changed in place. rain: (rows, cols) float32 m/s. strength,
    hardness: (rows, cols) float32 or None. work: `Rows`, whose last two sums are added to. ground: `Ground`.
    """
    rows = bed.shape[0]
    last, wrap = rows - 1, ground.edges == WRAP
    width = ground.seconds * np.float32(math.sqrt(ground.row_spacing * ground.col_spacing))
    kept, slide, loose, weak, along, down, speed, power, floor, taken, evaporated, moved, single = work
    slope_x, slope_y, worn, capacity = single[0], single[1], single[2], single[3]
    kept[2] = bed[0]
    _look(0, 0, soil, depth, flux_x, flux_y, moisture, grass, strength, hardness, work, ground)
    loose[2], weak[2], power[2] = loose[0], weak[0], power[0]
    slide[0, :] = 0.0
    if wrap:
        _look(last, 3, soil, depth, flux_x, flux_y, moisture, grass, strength, hardness, work, ground)
        _slide_between(bed[last], bed[0], loose, weak, power, 3, 0, slide[0], ground)
    slide[2] = slide[0]
    for row in range(rows):
        now, after, here = row % 2, (row + 1) % 2, bed[row]
        row_strength = None if strength is None else strength[row]
        row_hardness = None if hardness is None else hardness[row]
        if row < last:
            below = bed[row + 1]
            _look(row + 1, after, soil, depth, flux_x, flux_y, moisture, grass, strength, hardness, work, ground)
            _slide_between(here, below, loose, weak, power, now, after, slide[after], ground)
        else:
            below = kept[2] if wrap else here
            slide[after] = slide[2]
        _slide_within(here, loose[now], weak[now], power[now], slide[3], ground)
        if row > 0:
            above = kept[after]
        else:
            above = bed[last] if wrap else here
        span = ground.row_spacing * np.float32(2.0 if wrap or 0 < row < last else 1.0)
        _slopes(above, here, below, span, wrap, slope_x, slope_y, ground)
        _lowest(above, here, below, wrap, floor)
        kept[now] = here
        _move(slide[3], slide[now], slide[after], here, soil[row], taken, moved)
        _wear_rock(power[now], soil[row], grass[row], row_strength, row_hardness, worn, ground)
        _capacity(depth[row], speed[now], along[now], down[now], slope_x, slope_y, capacity, ground)
        _exchange(
            depth[row], capacity, suspended[row], soil[row], here, floor, grass[row], row_strength, taken, moved, ground
        )
        _weather(depth[row], speed[now], rain[row], evaporated, ground)
        _live(
            depth[row], speed[now], soil[row], slope_x, slope_y, taken, moisture[row], grass[row], flow[row], width,
            ground,
        )  # fmt: skip
