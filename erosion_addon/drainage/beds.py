# SPDX-License-Identifier: GPL-3.0-or-later
"""River beds: masks of their extent, and carving into the ground."""

import math
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..base.arrays import Array, mean_cell_size
from ..base.errors import InputError
from ..base.kernels.elementary import power, tan
from ..grid.sampling import sample
from .flow_graph import FlowGraph
from .parameters import BedParameters, CutParameters, RiverParameters
from .rivers import DEPTH, WIDTH, Sizes, Water, sizes
from .sea import shore

MASKS = {
    "river": "where rivers run, 0-1",
    "bank": "beside rivers and lakes, 1 at the water to 0 a river's width (or a cell) from it",
    "lake": "where lakes stand, 0 or 1",
    "sea": "what lies below the sea, 0 or 1",
    "shore": "beside the sea, 1 at the water to 0 four cells from it",
}
"""Masks of rivers: kind → meaning."""


def masks(
    water: Water, sizes: Sizes, spacing: tuple[float, float], edges: str, sea: Array | None = None
) -> dict[str, Array]:
    """`MASKS`, each (rows, cols) float32. Rivers are at least one cell wide here; most would vanish
    otherwise.

    sea: (rows, cols) bool, or None for none.
    """
    from .kernels import beds

    cell = mean_cell_size(spacing)
    wraps = edges == "wrap"
    lake = (water.lakes > 0).astype(np.float32)
    maps = {"lake": lake}
    wide = np.maximum(sizes.width, cell)
    off = np.full(lake.shape, math.inf)
    near = np.zeros(lake.shape)
    beds.distances(water.place, 0.5 * wide, wide, water.starts, spacing, wraps, off, near)
    maps["river"] = np.clip(0.5 - off / cell, 0.0, 1.0).astype(np.float32)
    near = np.maximum(near, _highest_around(lake, wraps))
    drowned = np.zeros(lake.shape, bool) if sea is None else sea
    maps["bank"] = np.where((lake > 0) | drowned | (maps["river"] >= 1.0), 0.0, near).astype(
        np.float32
    )
    return maps | {"sea": drowned.astype(np.float32), "shore": shore(drowned, spacing, edges)}


def _highest_around(values: Array, wraps: bool) -> Array:
    """Highest of each of the values (rows, cols) and its eight neighbors."""
    highest: Array = sliding_window_view(
        np.pad(values, 1, mode="wrap" if wraps else "edge"), (3, 3)
    ).max(axis=(2, 3))
    return highest


RISE = 1e-6
"""Tolerated rise of a river from source to mouth, as a share of the relief: rounding."""

NARROWEST = 0.75
"""Smallest half width in diagonals of a cell. The level bottom, 0.7 of the width, then covers a
cell at every step.
"""

RAMP = 4.0
"""Way, in half widths, on which a river cuts down from its source."""

LONGEST = 1_000_000
"""Longest river to be carved, in half cells: it is a point each half cell, also far outside the
terrain.
"""


def carve(
    elevation: Array,
    spacing: tuple[float, float],
    line: Array,
    parameters: BedParameters,
    name: str = "The river",
) -> Array:
    """Terrain, (rows, cols) m, with a river cut into it; cells beyond its banks keep their bytes.

    line: (points, 2) m along columns and rows from the center of cell [0, 0], downstream. The water
    level never rises: the bed cuts through higher ground downstream. A river that ends inside the
    land continues to lower ground, see `_onward`. Raises InputError, with the line's `name`, for a
    line without points, with one that is not finite, outside the terrain, longer than `LONGEST`, or
    ending higher than it begins.
    """
    if not np.isfinite(line).all():
        raise InputError(
            "{name} has a point whose position is not a number; delete that point."
        ).format(name=name)
    if len(line) < 2 or (line == line[0]).all():
        raise InputError("{name} has no length; draw at least two points.").format(name=name)
    rows, cols = elevation.shape
    line = np.asarray(line, np.float64)
    half_cell = 0.5 * min(spacing)
    across, along = np.abs(np.diff(line, axis=0)).sum(axis=0)
    if across + along > LONGEST * half_cell:
        raise InputError(
            "{name} is too long for cells of this size: {across:.4g} km; move its points closer to "
            "the terrain."
        ).format(name=name, across=(across + along) / 1000)
    points = _resampled(line, half_cell)
    row = points[:, 1] / spacing[0]
    col = points[:, 0] / spacing[1]
    inside = (row >= -0.5) & (row <= rows - 0.5) & (col >= -0.5) & (col <= cols - 0.5)
    if inside.sum() < 2:
        raise InputError("{name} lies outside the terrain; move it onto the terrain.").format(
            name=name
        )
    points = points[inside]
    row = row[inside]
    col = col[inside]
    ground = sample(elevation, row, col)
    if ground[-1] > ground[0] + RISE * float(np.ptp(elevation)):
        raise InputError(
            "{name} runs uphill: it begins at {start:.4g} m and ends at {end:.4g} m; switch its "
            "direction."
        ).format(name=name, start=ground[0], end=ground[-1])
    half = max(0.5 * parameters.width, NARROWEST * _diagonal(spacing))
    flow = 2.0 * half / WIDTH  # the root of its discharge
    depth = parameters.depth or DEPTH * float(power(flow, 0.8))
    steps = np.diff(points, axis=0, append=points[-1:])
    count = len(points)
    # Upstream, as `descend` takes its points.
    level, deep = (
        values[::-1]
        for values in _Course(
            ground=ground[::-1],
            pools=np.full(count, math.nan),
            lowest=np.full(count, -math.inf),
            depth=np.full(count, depth),
            half=np.full(count, half),
            steps=np.sqrt((steps * steps).sum(-1))[::-1],
            following=np.arange(-1, count - 1),
        ).descended(parameters.incision)
    )
    # where the line leaves the terrain and comes back
    gap = np.flatnonzero(np.diff(np.flatnonzero(inside)) > 1) + 1
    starts = np.array([0, *gap.tolist(), count], np.int64)
    if inside[-1]:
        onward, floor = _onward(
            elevation, spacing, (round(row[-1]), round(col[-1])), float(level[-1] - deep[-1])
        )
        points = np.concatenate([points, onward])
        starts[-1] = count + len(onward)
        level, deep = (np.pad(values, (0, len(onward)), mode="edge") for values in (level, deep))
        level = np.maximum(level, floor)
        deep = np.minimum(deep, level - floor)
    bed = _Bed(
        place=np.column_stack([points, level]),
        half=np.full(len(points), half),
        depth=deep,
        reach=np.full(len(points), math.inf),
        starts=starts,
    )
    return _cut(elevation, spacing, False, bed, _bank(parameters))


def carve_rivers(
    elevation: Array,
    spacing: tuple[float, float],
    edges: str,
    water: Water,
    rivers: RiverParameters,
    parameters: CutParameters,
) -> Array:
    """Terrain, (rows, cols) m, with the beds of its rivers cut into it; cells beyond their banks
    keep their bytes.

    water, rivers: the rivers and their settings. Width and depth are from `sizes`, levels from
    `descend`. A river narrower than two cells, whose valley may be as narrow, runs along the lowest
    cells. Lakes keep their level, and an end inside the land its height. InputError for water
    without rivers.
    """
    if not len(water.place):
        raise InputError(
            "There is no river with that much drainage area to be carved; choose a smaller source "
            "area."
        )
    water_sizes = sizes(water, rivers)
    bank = _bank(parameters)
    wraps = edges == "wrap"
    half = 0.5 * water_sizes.width
    smooth = np.clip(2.0 * half / (NARROWEST * _diagonal(spacing)) - 1.0, 0.0, 1.0)[:, None]
    points = water.thalweg + smooth * (water.place[:, :2] - water.thalweg)
    row = points[:, 1] / spacing[0]
    col = points[:, 0] / spacing[1]
    ground = sample(elevation, row, col)
    pools = np.append(math.nan, water.level)[water.inside]
    if rivers.sea:
        pools[ground < rivers.sea_level] = rivers.sea_level
    following = water.following.copy()
    mouths = water.starts[:-1]
    ways = points - points[np.maximum(following, 0)]
    steps = np.where(following < 0, 0.0, np.sqrt((ways * ways).sum(-1)))
    following[mouths] = np.maximum(following[mouths], water.crossing)
    last = np.array(elevation.shape) - 1.0
    at_border = (row <= 0.0) | (col <= 0.0) | (row >= last[0]) | (col >= last[1])
    within = (following < 0) & np.isnan(pools) & ~(at_border & (edges == "open"))
    level, deep = _Course(
        ground=ground,
        pools=pools,
        lowest=np.where(within, ground, -math.inf),
        depth=water_sizes.depth,
        half=half,
        steps=steps,
        following=following,
    ).descended(parameters.incision)
    still = ~np.isnan(pools)
    starts = np.union1d(water.starts, np.flatnonzero(still[:-1] & still[1:]) + 1)
    # as slopes rise between cells
    cut = sliding_window_view(np.pad(ground, 1, mode="edge"), 3).min(axis=-1) - level
    bed = _Bed(
        place=np.column_stack([points, level]),
        half=half,
        depth=deep,
        reach=np.maximum(water_sizes.width, 2.0 * np.maximum(cut, 0.0) / bank),
        starts=starts,
    )
    heights = _cut(elevation, spacing, wraps, bed, bank)
    rims = _highest_around(np.append(-math.inf, water.level)[water.lakes], wraps)
    limited: Array = np.maximum(heights, np.minimum(elevation, rims))
    return limited


class _Course(NamedTuple):
    """Rivers by point, see `kernels.beds.descend`; half: half the width, m."""

    ground: Array
    pools: Array
    lowest: Array
    depth: Array
    half: Array
    steps: Array
    following: Array

    def descended(self, incision: float) -> tuple[Array, Array]:
        """Water level, m, and depth, m, (points,)."""
        from .kernels import beds

        arrays = (self.ground, self.pools, self.lowest, self.depth, RAMP * self.half, self.steps)
        level, bed = beds.descend(*map(np.ascontiguousarray, arrays), self.following, incision)
        return level, level - bed


class _Bed(NamedTuple):
    """Beds of rivers by point, see `kernels.beds.cut`."""

    place: Array
    half: Array
    depth: Array
    reach: Array
    starts: Array


def _cut(
    elevation: Array, spacing: tuple[float, float], wraps: bool, bed: _Bed, bank: float
) -> Array:
    """Terrain, (rows, cols) m, with beds cut into it; see `kernels.beds.cut`."""
    from .kernels import beds

    ground = np.ascontiguousarray(elevation, np.float64)
    heights = ground.copy()
    beds.cut(
        bed.place, bed.half, bed.depth, bed.reach, bed.starts, spacing, wraps, bank, ground, heights
    )
    return heights


def _bank(parameters: CutParameters) -> float:
    """Slope of the banks, m/m."""
    return float(tan(math.radians(parameters.bank)))


def _diagonal(spacing: tuple[float, float]) -> float:
    """Diagonal of a cell, m."""
    return math.sqrt(spacing[0] * spacing[0] + spacing[1] * spacing[1])


def _onward(
    heights: Array, spacing: tuple[float, float], start: tuple[int, int], bed: float
) -> tuple[Array, float]:
    """Way from a cell to where a river ends: (points, 2) m, and the lowest height of its bed, m.

    The way follows the drainage, level with the `bed`, until the ground lies below it or the border
    is reached. Pits shallower than the bed are cut through. A deeper one is a lake: the river ends
    in it, and digs no deeper than its floor.
    """
    graph = FlowGraph((heights.shape[0], heights.shape[1]), spacing)
    cols = heights.shape[1]
    flat = graph.padded(heights)
    cell = (start[0] + 1) * (cols + 2) + start[1] + 1
    graph.fill_ring(flat)
    graph.find_receivers(flat)
    way = _way(graph, cell)
    floor = -math.inf
    graph.route(flat)
    if graph.filled(flat)[way[-1]] - flat[way[-1]] > flat[cell] - bed:
        floor = float(flat[way[-1]])
    else:
        way = _way(graph, cell)
    below = np.flatnonzero(flat[way] <= max(bed, floor))
    row, col = np.divmod(way[1 : below[0] + 1 if below.size else None], cols + 2)
    return np.column_stack([(col - 1) * spacing[1], (row - 1) * spacing[0]]), floor


def _way(graph: FlowGraph, cell: int) -> Array:
    """Flat indices of the cells downstream of a cell, itself first, to an outlet or a pit."""
    offsets = graph.network.offsets
    toward = graph.network.toward
    way = [cell]
    while toward[way[-1]] < len(offsets):
        way.append(way[-1] + int(offsets[toward[way[-1]]]))
    return np.array(way)


def _resampled(line: Array, most: float) -> Array:
    """Line (points, 2) with points inserted, so that no two neighbors are further apart than
    `most`.
    """
    steps = np.diff(line, axis=0)
    parts = np.maximum(np.ceil(np.sqrt((steps * steps).sum(-1)) / most), 1.0).astype(np.int64)
    piece = np.repeat(np.arange(len(parts)), parts)
    share = (np.arange(parts.sum()) - np.repeat(np.cumsum(parts) - parts, parts)) / parts[piece]
    points: Array = np.concatenate([line[piece] + share[:, None] * steps[piece], line[-1:]])
    return points
