# SPDX-License-Identifier: GPL-3.0-or-later
"""Rivers as lines and lakes as surfaces, derived from the flow graph of a terrain."""

import itertools
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..base.arrays import Array
from ..base.errors import InputError
from ..base.kernels.elementary import power
from ..base.threads import granted
from ..grid.sampling import sample
from .flow_graph import FlowGraph
from .parameters import RiverParameters
from .sea import prepared_outlets, require_land, river_ends, sunk
from .spill import filled_by

WIDTH, DEPTH = 5.0, 0.3
"""Width and depth (m) at 1 m³/s; the speed is 1 / (5 · 0.3) = 0.67 m/s, as discharge is the product
of all three.
"""

MILLIMETERS_A_DAY = 1e-3 / 86400.0

SMOOTHING = 8
"""Smoothing passes of a line, with an effective radius of about a cell."""


@dataclass(frozen=True, eq=False)
class Water:
    """Rivers and lakes of a terrain.

    place: (points, 3) m: along columns and rows from the center of cell [0, 0], and height of the
    water. Points are listed by river, from mouth to source; a tributary comes after the river it
    joins, and begins on a point of it. starts: (rivers + 1,), first point of each river. following:
    (points,), next point downstream, a lower index; on the other river for the first point of a
    tributary, -1 at the end. crossing: (rivers,), point on which a river goes on beyond a wrapped
    edge, -1 for none. thalweg: (points, 2) m, the way over the grid's cells, which `place` follows
    smoothly. area: (points,) m², drainage area. order: (points,), Strahler order. inside:
    (points,), lake number from 1 on, else 0.

    lakes: (rows, cols) int32, lake numbers. level: (lakes,) m.
    """

    place: Array
    starts: Array
    following: Array
    crossing: Array
    thalweg: Array
    area: Array
    order: Array
    inside: Array
    lakes: Array
    level: Array


def water_of(
    elevation: Array,
    spacing: tuple[float, float],
    edges: str,
    parameters: RiverParameters,
    headwaters: Array | None = None,
    threads: int = 0,
    outlets: Array | None = None,
) -> Water:
    """Rivers and lakes of a terrain, (rows, cols) m with cells of `spacing` m; the same bytes on
    any number of threads.

    headwaters: (rows, cols); if given, rivers begin where it exceeds 0.5 and not by drainage area.
    outlets: mask of outlets, (rows, cols), where rivers end from 0.5 on. Raises InputError for a
    level terrain, or one wholly below the sea, and for an invalid mask.
    """
    from .kernels import channels

    sea = sea_of(elevation, parameters)
    require_land(sea, parameters.sea_level)
    if elevation.min() == elevation.max():
        raise InputError("The terrain is level, so no water runs on it; give it some relief first.")
    rows, cols = elevation.shape
    threads = granted(threads)
    ground = elevation if sea is None else np.where(sea, parameters.sea_level, elevation)
    graph = FlowGraph(
        (rows, cols),
        spacing,
        edges,
        river_ends(sea, prepared_outlets(outlets, (rows, cols))),
        threads,
    )
    heights = graph.padded(ground)
    if parameters.limited_water:
        rain = parameters.rain_depth(elevation.size * spacing[0] * spacing[1])
        filling = filled_by(graph, heights, rain)
        graph = FlowGraph((rows, cols), spacing, edges, graph.ends | filling.closed, threads)
        heights = graph.padded(np.where(filling.closed, filling.levels, ground))
    graph.route(heights)
    areas = graph.drainage_area()
    amounts = areas
    least = _source_area(parameters, spacing, elevation.size)
    if headwaters is not None:
        amounts = graph.accumulate(graph.padded(headwaters > 0.5))
        least = 1.0
    levels = graph.filled(heights)
    inside = np.pad(np.ones(elevation.shape, bool), 1).reshape(-1)
    depth = np.subtract(levels, graph.padded(ground), out=np.zeros(levels.shape), where=inside)
    wet = depth > 0.0
    lakes, level = _lakes(graph, wet, levels, depth, parameters)
    # A tributary's first cell, which lies on the river that it joins, comes twice.
    cells = np.empty(2 * int(np.count_nonzero(amounts >= least)), np.int64)
    ends = np.empty(cells.size, np.int64)
    main = np.full(areas.size, -1, np.int32)
    rivers = channels.trace(graph.network, graph.order, amounts, least, main, cells, ends)
    ends = ends[:rivers]
    cells = cells[: ends[-1] if rivers else 0]
    lines = _lines(cells, ends, main, graph)
    orders = graph.stream_order(amounts, least)
    return _placed(lines, cells, graph, _Flow(levels, wet, areas, orders), lakes, level)


def sea_of(elevation: Array, parameters: RiverParameters) -> Array | None:
    """Cells below the sea, (rows, cols) bool; None without a sea."""
    return sunk(elevation, parameters.sea_level) if parameters.sea else None


def _source_area(parameters: RiverParameters, spacing: tuple[float, float], cells: int) -> float:
    """Smallest drainage area of a river in m²; more than a cell, or every cell would be a river."""
    cell = spacing[0] * spacing[1]
    return max(parameters.source_area * 1e6 or cells * cell / 300.0, 2.0 * cell)


def _lakes(
    graph: FlowGraph, wet: Array, levels: Array, depth: Array, parameters: RiverParameters
) -> tuple[Array, Array]:
    """`Water.lakes` and `Water.level` of the lakes that are large enough."""
    from .kernels import channels

    labels = np.zeros(wet.size, np.int32)
    stack = np.empty(int(wet.sum()) + 1, np.int32)
    count = channels.label_lakes(graph.network, wet, labels, stack)
    cell = graph.spacing[0] * graph.spacing[1]
    deepest = np.zeros(count + 1)
    level = np.zeros(count + 1)
    np.maximum.at(deepest, labels, np.where(wet, depth, 0.0))
    level[labels[wet]] = levels[wet]
    least_depth = parameters.lake_depth or 0.1 * float(np.sqrt(cell))
    visible = (
        np.bincount(labels, minlength=count + 1) * cell >= (parameters.lake_area or 20.0 * cell)
    ) & (deepest >= least_depth)
    visible[0] = False
    number = np.where(visible, np.cumsum(visible), 0).astype(np.int32)
    return np.ascontiguousarray(graph.inside(number[labels])), level[visible]


class _Lines(NamedTuple):
    """Points along rivers before smoothing: one on each of `cells`, and one between each two.

    first, second: (points,), indices into `cells` on both sides of a point; equal for a point on a
    cell.
    """

    starts: Array
    following: Array
    crossing: Array
    first: Array
    second: Array


def _lines(cells: Array, ends: Array, main: Array, graph: FlowGraph) -> _Lines:
    begins = np.concatenate([[0], ends[:-1]]).astype(np.int64)[: ends.size]
    river = np.repeat(np.arange(ends.size), ends - begins)
    # A cell's own point has the number 2 · place - river; one between two cells follows each but a
    # river's last.
    on_cell = 2 * np.arange(cells.size) - river
    starts = (
        np.append(on_cell[begins], 2 * cells.size - ends.size)
        if cells.size
        else np.zeros(1, np.int64)
    )
    count = int(starts[-1])
    first = np.zeros(count, np.int64)
    first[on_cell] = np.arange(cells.size)
    second = first.copy()
    between = np.setdiff1d(on_cell + 1, np.append(starts, count))
    first[between] = first[between - 1]
    second[between] = first[between] + 1
    following = np.arange(-1, count - 1, dtype=np.int64)
    following[starts[:-1]] = -1
    # A tributary begins with a cell of another river, which is listed upstream of that river's own
    # first cell.
    line_of_cell = np.full(main.size, -1, np.int64)
    is_copy = np.zeros(cells.size, bool)
    is_copy[begins[_joins(cells, begins, main)]] = True
    line_of_cell[cells[~is_copy]] = on_cell[~is_copy]
    following[on_cell[is_copy]] = line_of_cell[cells[is_copy]]
    network = graph.network
    crossing = np.full(ends.size, -1, np.int64)
    mouths = cells[begins]
    if network.home.size:
        beyond = np.flatnonzero(
            (network.toward[mouths] < len(network.offsets)) & (following[starts[:-1]] < 0)
        )
        mouths = mouths[beyond]
        crossing[beyond] = line_of_cell[
            network.home[mouths + network.offsets[network.toward[mouths]]]
        ]
    return _Lines(starts, following, crossing, first, second)


def _joins(cells: Array, begins: Array, main: Array) -> Array:
    """Tributaries (rivers,) bool: rivers whose first cell lies on another river."""
    joins: Array = main[cells[begins]] != cells[begins + 1]
    return joins


class _Flow(NamedTuple):
    """Water by cell, flat with a ring: its level in m, whether it stands, drainage area in m², and
    Strahler order.
    """

    levels: Array
    wet: Array
    areas: Array
    orders: Array


def _placed(
    lines: _Lines, cells: Array, graph: FlowGraph, flow: _Flow, lakes: Array, level: Array
) -> Water:
    from .kernels import channels

    levels, wet, areas, orders = flow

    first = cells[lines.first]
    second = cells[lines.second]
    row, col = np.divmod(cells, graph.shape[1] + 2)
    place = (
        0.5 * (np.stack([row, col], -1)[lines.first] + np.stack([row, col], -1)[lines.second]) - 1.0
    )
    thalweg = place[:, ::-1] * graph.spacing[::-1]
    channels.smooth(place, lines.starts, lines.following, SMOOTHING)
    ground = sample(graph.inside(levels), place[:, 0], place[:, 1])
    pools = np.where(wet[first] & wet[second], levels[first], np.nan)
    height = np.empty(first.size)
    channels.water_levels(ground, pools, lines.starts, lines.following, height)
    number = np.pad(lakes, 1).reshape(-1)
    area = 0.5 * (areas[first] + areas[second])
    order = np.minimum(orders[first], orders[second])
    mouths = lines.starts[:-1]
    tributary = mouths[lines.following[mouths] >= 0]
    if tributary.size:  # which is as wide at its end as above, and not as the river that it joins
        area[tributary] = area[tributary + 1] = areas[cells[lines.first[tributary] + 1]]
        order[tributary] = order[tributary + 1]
    return Water(
        place=np.stack(
            [place[:, 1] * graph.spacing[1], place[:, 0] * graph.spacing[0], height], -1
        ),
        starts=lines.starts,
        following=lines.following,
        crossing=lines.crossing,
        thalweg=thalweg,
        area=area,
        order=order,
        inside=np.minimum(number[first], number[second]),
        lakes=lakes,
        level=level,
    )


class Sizes(NamedTuple):
    """River sizes by point: discharge m³/s, width and depth m, speed m/s, slope m/m."""

    discharge: Array
    width: Array
    depth: Array
    speed: Array
    slope: Array


def sizes(water: Water, parameters: RiverParameters) -> Sizes:
    """Hydraulic geometry: width ~ Q^0.5, depth ~ Q^0.4 and speed ~ Q^0.1 with the discharge Q =
    runoff · area.

    Source: Leopold & Maddock, "The hydraulic geometry of stream channels" (1953).
    """
    discharge = parameters.runoff * MILLIMETERS_A_DAY * water.area
    fourth = power(discharge, 0.1)
    root = np.sqrt(discharge)
    depth = DEPTH * fourth * fourth * fourth * fourth
    return Sizes(
        discharge,
        parameters.width * WIDTH * root,
        parameters.width * depth,
        fourth / (WIDTH * DEPTH),
        slopes(water),
    )


def slopes(water: Water) -> Array:
    """Slope of the water surface (points,), to the next point downstream; the last point repeats
    it.
    """
    point = np.where(water.following >= 0, water.following, np.arange(len(water.place)))
    way = water.place - water.place[point]
    slope: Array = way[:, 2] / np.maximum(
        np.sqrt(way[:, 0] * way[:, 0] + way[:, 1] * way[:, 1]), 1e-9
    )
    mouths = water.starts[:-1]
    above = np.minimum(mouths + 1, np.maximum(water.starts[1:] - 1, mouths))
    slope[mouths] = slope[above]
    return slope


def distances(water: Water) -> Array:
    """Distance to the mouth along the water (points,), m: a tributary continues that of the river
    it joins.
    """
    steps = np.diff(water.place[:, :2], axis=0, prepend=water.place[:1, :2])
    lengths: Array = np.sqrt((steps * steps).sum(-1))
    mouths = water.starts[:-1]
    lengths[mouths] = 0.0
    for first, last, joined in zip(
        mouths.tolist(), water.starts[1:].tolist(), water.following[mouths].tolist(), strict=True
    ):
        if joined >= 0:
            lengths[first] = lengths[joined]
        np.cumsum(lengths[first:last], out=lengths[first:last])
    return lengths


class LakeSizes(NamedTuple):
    """Lake sizes: greatest depth m, area m², volume m³."""

    depth: Array
    area: Array
    volume: Array


def lake_sizes(
    lakes: Array, levels: Array, elevation: Array, spacing: tuple[float, float]
) -> LakeSizes:
    """Sizes of the lakes on ground (rows, cols) m; each cell holds the water above its height.

    lakes: (rows, cols) int32, numbers from 1 on, else 0. levels: (lakes,) m.
    """
    count = len(levels)
    label = lakes.ravel()
    cell = spacing[0] * spacing[1]
    depth = np.where(label > 0, np.append(0.0, levels)[label] - elevation.ravel(), 0.0)
    deepest = np.zeros(count + 1)
    np.maximum.at(deepest, label, depth)
    area = np.bincount(label, minlength=count + 1) * cell
    volume = np.bincount(label, depth, count + 1) * cell
    return LakeSizes(deepest[1:], area[1:].astype(float), volume[1:])


def reaches(water: Water) -> list[Array]:
    """Points of each reach, downstream: from a source or confluence to the next confluence or the
    end.
    """
    joined = np.zeros(len(water.place) + 1, bool)
    mouths = water.starts[:-1]
    joined[water.following[mouths[water.following[mouths] >= 0]]] = True
    pieces = []
    for first, last in zip(mouths.tolist(), water.starts[1:].tolist(), strict=True):
        inner = first + 1 + np.flatnonzero(joined[first + 1 : last - 1])
        marks = [first, *inner.tolist(), last - 1]
        pieces += [np.arange(end, begin - 1, -1) for begin, end in itertools.pairwise(marks)]
    return pieces
