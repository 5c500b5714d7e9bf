# SPDX-License-Identifier: GPL-3.0-or-later
"""Effects of water on its bed: erosion, deposition, wet slides, rain, grass.

Rows and symmetry as in `kernels.faces`, bands of rows and their seams as in `kernels.flow`.
"""

import math
from typing import NamedTuple

import numpy as np

from ....base.kernels.ghost_cells import WRAP
from ....base.kernels.jit import allocation_free
from ...shared.kernels.mask_layers import DUG, LAID
from .banks import CALM, CARRIED, HARD, PICKED, SETTLED, loosen, move, slide_between, slide_within
from .faces import FILM, NOTHING, copy_row
from .speed import velocity
from .vegetation import grow, rain_and_evaporate


@allocation_free
def slopes(above, bed, below, row_span, wrap, slope_x, slope_y, col_spacing):
    """Slope of the bed (m/m) by central differences, one-sided at edges; row_span: meters between
    above and below.
    """
    last = bed.size - 1
    span = col_spacing * np.float32(2.0)
    for col in range(1, last):
        slope_x[col] = np.float32(bed[col + 1] - bed[col - 1]) / span
    if wrap:
        slope_x[0] = np.float32(bed[1] - bed[last]) / span
        slope_x[last] = np.float32(bed[0] - bed[last - 1]) / span
    else:
        slope_x[0] = np.float32(bed[1] - bed[0]) / col_spacing
        slope_x[last] = np.float32(bed[last] - bed[last - 1]) / col_spacing
    for col in range(bed.size):
        slope_y[col] = np.float32(below[col] - above[col]) / row_span


@allocation_free
def lowest(above, bed, below, wrap, floor):
    """Lowest neighbor of each cell in a row; the cell itself if none is lower."""
    last = bed.size - 1
    for col in range(1, last):
        floor[col] = min(min(bed[col - 1], bed[col + 1]), min(above[col], below[col]))
    left, right = (bed[last], bed[0]) if wrap else (bed[0], bed[last])
    floor[0] = min(min(left, bed[1]), min(above[0], below[0]))
    floor[last] = min(min(bed[last - 1], right), min(above[last], below[last]))


COVER = np.float32(0.5)
"""Meters of soil that shield the rock from water."""

MIXED = np.float32(2.0)
"""Meters of water above the bed that carry load; a share of the full depth would be too much in
deep seas.
"""


class Ground(NamedTuple):
    """Constants of all cells, float32; shares are of one step."""

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
    """m per step under 1 m of water that flows 1 m/s faster than `CALM`."""
    repose: np.float32
    """Stable slope of wet soil, m/m."""
    slide: np.float32
    bank: np.float32
    """Loss of a bank per step, as a share of its height above the stream, times m²; only with
    `rock` erosion.
    """
    dry: np.float32
    """Share of the moisture that remains."""
    grow: np.float32
    die: np.float32
    fresh: np.float32
    """m of soil moved in a step that clears all growth."""
    grass_slope: np.float32
    protection: np.float32
    gravity: np.float32
    edges: int


class Maps(NamedTuple):
    """Maps of the ground and of the water on it, see `sweep`."""

    bed: np.ndarray
    soil: np.ndarray
    depth: np.ndarray
    suspended: np.ndarray
    flux_x: np.ndarray
    flux_y: np.ndarray
    moisture: np.ndarray
    grass: np.ndarray
    flow: np.ndarray
    rain: np.ndarray
    masks: np.ndarray


class Seams(NamedTuple):
    """Data exchanged between the bands on both sides of a seam, by seam number; see
    `make_seams`.
    """

    above: np.ndarray
    """Heights of the row above before the sweep, m; at an edge, of the row below."""
    below: np.ndarray
    slide: np.ndarray
    """Slides over the faces of the seam, m, positive downward."""


class Rows(NamedTuple):
    """Working memory of a band, a few rows; see `make_rows`."""

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
    """Soil gained or lost in this step, m."""
    evaporated: np.ndarray
    totals: np.ndarray
    """Soil moved in this step, m."""
    slope_x: np.ndarray
    slope_y: np.ndarray
    worn: np.ndarray
    capacity: np.ndarray


class Sums(NamedTuple):
    """Evaporated and moved amounts so far, m, by row, so that the sum does not depend on the
    bands.
    """

    evaporated: np.ndarray
    moved: np.ndarray


def make_seams(bands: int, cols: int) -> Seams:
    """Seams above, between and below a number of bands."""
    shape = (bands + 1, cols)
    return Seams(np.zeros(shape), np.zeros(shape), np.zeros(shape, np.float32))


def make_rows(cols: int) -> Rows:
    """Working memory of a band, for a number of columns."""
    pairs = ("loose", "weak", "along", "down", "speed", "power", "filled")
    sums = ("floor", "taken", "evaporated", "totals")
    single = ("slope_x", "slope_y", "worn", "capacity")
    return Rows(
        bed=np.zeros((2, cols)),
        slide=np.zeros((3, cols + 1), np.float32),
        **{name: np.zeros((2, cols), np.float32) for name in pairs},
        **{name: np.zeros(cols) for name in sums},
        **{name: np.zeros(cols, np.float32) for name in single},
    )


def make_sums(rows: int) -> Sums:
    """Zero totals for a number of rows."""
    return Sums(np.zeros(rows), np.zeros(rows))


@allocation_free
def _sum(values):
    """Pairwise sum; values are overwritten."""
    count = values.size
    # a fixed order of additions that vector instructions keep
    while count > 1:
        half = count // 2
        count -= half
        for at in range(half):
            values[at] += values[count + at]
    return values[0]


@allocation_free
def _wear_rock(maps, row, slot, work, ground):
    """Rock turned into soil: by speed and depth of the water, less under soil and grass."""
    soil = maps.soil[row]
    grass = maps.grass[row]
    masks = maps.masks
    power = work.power[slot]
    worn = work.worn
    unit = np.float32(1.0)
    for col in range(soil.size):
        bare = max(unit - np.float32(soil[col]) / COVER, np.float32(0.0))
        worn[col] = ground.rock * power[col] * bare * (unit - ground.protection * grass[col])
    if masks.size > 0:
        for col in range(soil.size):
            worn[col] *= masks[DUG, row, col] * (unit - masks[HARD, row, col])
    for col in range(soil.size):
        soil[col] += np.float64(worn[col])


@allocation_free
def _capacity(depth, slot, work, ground):
    """Transport capacity of the water, m: by depth, speed, and slope of the bed along the flow."""
    speed = work.speed[slot]
    along = work.along[slot]
    down = work.down[slot]
    slope_x = work.slope_x
    slope_y = work.slope_y
    capacity = work.capacity
    for col in range(depth.size):
        lean = -(along[col] * slope_x[col] + down[col] * slope_y[col])
        steep = slope_x[col] * slope_x[col] + slope_y[col] * slope_y[col]
        stirring = ground.minimum_tilt * max(speed[col] - CALM, np.float32(0.0))
        power = max(lean / math.sqrt(np.float32(1.0) + steep), stirring)
        capacity[col] = ground.capacity * power * min(np.float32(depth[col]), MIXED)


@allocation_free
def _exchange(maps, row, work, ground):
    """Erode or deposit soil in a row, never below the lowest neighbor. Dried water deposits all of
    its load.
    """
    depth = maps.depth[row]
    suspended = maps.suspended[row]
    soil = maps.soil[row]
    bed = maps.bed[row]
    grass = maps.grass[row]
    masks = maps.masks
    capacity = work.capacity
    floor = work.floor
    taken = work.taken
    totals = work.totals
    pick_up = np.float64(ground.pick_up)
    settle = np.float64(ground.settle)
    for col in range(bed.size):
        spare = np.float64(capacity[col]) - suspended[col]
        room = min(soil[col], max(bed[col] - floor[col], 0.0) * 0.5)
        taken[col] = min(spare * pick_up, room) if spare > 0.0 else spare * settle
    # loops of their own, because the compiler turns short loops into vector instructions
    if masks.shape[0] > CARRIED:
        for col in range(bed.size):
            spare = np.float64(capacity[col] * masks[CARRIED, row, col]) - suspended[col]
            room = min(soil[col], max(bed[col] - floor[col], 0.0) * 0.5)
            picked = min(spare * (pick_up * np.float64(masks[PICKED, row, col])), room)
            taken[col] = (
                picked if spare > 0.0 else spare * (settle * np.float64(masks[SETTLED, row, col]))
            )
    for col in range(bed.size):
        wet = depth[col] > FILM and suspended[col] + max(taken[col], 0.0) > NOTHING
        bare = 1.0 - np.float64(ground.protection * grass[col])
        picked = taken[col] * bare if taken[col] > 0.0 else taken[col]
        taken[col] = picked if wet else -suspended[col]
    if masks.size > 0:
        for col in range(bed.size):
            dug = masks[DUG, row, col]
            filled = masks[LAID, row, col]
            taken[col] *= np.float64(dug if taken[col] > 0.0 else filled)
    for col in range(bed.size):
        suspended[col] += taken[col]
        bed[col] -= taken[col]
        soil[col] -= taken[col]
    for col in range(bed.size):
        totals[col] += max(taken[col], 0.0)


@allocation_free
def _gather(maps, row, slot, work, ground):
    """Fill one slot of the working memory with the data of a row that it and its neighbors need."""
    velocity(
        maps.depth[row],
        maps.flux_x[row],
        maps.flux_y[row],
        maps.flux_y[row + 1],
        work.along[slot],
        work.down[slot],
        work.speed[slot],
        ground.gravity,
    )
    loosen(maps, row, slot, work, ground)


@allocation_free
def fill_seam(maps, face, seam, seams, work, ground):
    """Fill a seam, above row `face`, with the data of the rows on both sides; changes nothing
    else.
    """
    bed = maps.bed
    rows = bed.shape[0]
    wrap = ground.edges == WRAP
    above = (face - 1) % rows if wrap else max(face - 1, 0)
    below = face % rows if wrap else min(face, rows - 1)
    copy_row(bed, above, seams.above, seam)
    copy_row(bed, below, seams.below, seam)
    seams.slide[seam, :] = np.float32(0.0)
    # both are the same row at an edge, where nothing slides
    if above != below:
        _gather(maps, above, 0, work, ground)
        _gather(maps, below, 1, work, ground)
        slide_between(bed[above], bed[below], 0, 1, seams.slide[seam], work, ground)


@allocation_free
def sweep(maps, first, last, seam, seams, work, ground, sums):
    """Change the ground by the water that runs over it: one step of `ground.seconds`, in a single
    sweep over the rows from `first` to `last` - 1, between a seam and the next one.

    With depth h, suspended s, velocity v = q / h, its size v, bed z with the normal n, soil b,
    grass g, in each cell:

    1. soil slides over the four faces where the bed falls steeper than `repose`, a share of the
       excess, as far as it is wet and not held by grass (Jákó & Tóth 2011, who let it slide under
       water); banks of soil or rock fall into the stream beside them, bank · p of their height over
       it (without that, rivers are one cell wide and follow the grid), where p = max(v - `CALM`, 0)
       · min(h, 1 m) is the power of the water;
    2. rock becomes soil: rock · p · (1 - hardness), less under `COVER` of soil;
    3. the water could carry C = capacity · min(h, `MIXED`) · max(n · v, minimum_tilt · max(v -
       `CALM`, 0)), n · v > 0 where it runs downhill (Mei, Decaudin, Hu 2007, with the normal
       against the flow in place of the slope);
    4. s < C: (C - s) · pick_up comes from the soil; s > C: (s - C) · settle goes to it; dry cells
       drop it all;
    5. rain, then evaporation / (1 + (v / `STILL`)²);
    6. moisture = max(h / (h + `WET`), moisture · dry); grass grows up to what suits it, soil that
       is neither flooded, steep, dry nor freshly moved; where there is more it dies back; it holds
       what it grows on. (None on salt ground: see `start.salt_ground`.)

    Neighbors count as they were before the sweep. Stability: every share is below 1, no cell gives
    more soil than it has, and none is dug below the lowest of its four neighbors; heights then stay
    between the lowest point there was and the highest plus what was laid down, for any parameters
    in range.

    maps: `Maps`. bed, soil, depth, suspended: (rows, cols) float64 m. flux_x, flux_y: see
    `flow.run_water`. moisture, grass (0-1) and flow (m³): (rows, cols) float32. All but the fluxes
    are changed in place. rain: (rows, cols) float32 m/s. masks: (4 or 8, rows, cols) float32 0-1,
    see `mask_layers`, `HARD` and `CARRIED`; of no size for none. What may not be laid down stays
    suspended, even where the water dries up. seams: `Seams`, filled before; work: `Rows`, ground:
    `Ground`, sums: `Sums`, which are added to.
    """
    bed = maps.bed
    rows, cols = bed.shape
    wrap = ground.edges == WRAP
    borders = work.bed
    slide = work.slide
    _gather(maps, first, 0, work, ground)
    for col in range(cols):
        slide[0, col] = seams.slide[seam, col]
    copy_row(seams.above, seam, borders, 1)
    for row in range(first, last):
        current = (row - first) % 2
        after = (row - first + 1) % 2
        line = bed[row]
        if row + 1 < last:
            below = bed[row + 1]
            _gather(maps, row + 1, after, work, ground)
            slide_between(line, below, current, after, slide[after], work, ground)
        else:
            below = seams.below[seam + 1]
            for col in range(cols):
                slide[after, col] = seams.slide[seam + 1, col]
        slide_within(line, current, slide[2], work, ground)
        above = borders[after]
        span = ground.row_spacing * np.float32(2.0 if wrap or 0 < row < rows - 1 else 1.0)
        slopes(above, line, below, span, wrap, work.slope_x, work.slope_y, ground.col_spacing)
        lowest(above, line, below, wrap, work.floor)
        copy_row(bed, row, borders, current)
        move(slide[2], slide[current], slide[after], line, maps.soil[row], work.taken, work.totals)
        _wear_rock(maps, row, current, work, ground)
        _capacity(maps.depth[row], current, work, ground)
        _exchange(maps, row, work, ground)
        rain_and_evaporate(maps, row, current, work, ground)
        grow(maps, row, current, work, ground)
        sums.evaporated[row] += _sum(work.evaporated)
        sums.moved[row] += _sum(work.totals)
