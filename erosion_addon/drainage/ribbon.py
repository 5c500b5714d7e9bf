# SPDX-License-Identifier: GPL-3.0-or-later
"""Water surfaces: ribbons along rivers, and sheets over lakes and sea."""

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from ..base.arrays import Array, mean_cell_size
from ..grid.sampling import smooth_step
from .rivers import Sizes, Water, distances, lake_sizes, reaches

ACROSS = np.array([-1.0, -0.5, 0.0, 0.5, 1.0])
"""Offsets of a ribbon's vertices from its middle, in half widths to the left."""

WHITE = (0.08, 0.35)
"""River slopes (m/m) for no foam and full foam."""

RAPID = 6
"""Points of a river, half a cell apart, up and down from a place over which its slope makes foam
there.
"""

SAME = 1e-6
"""Part of the way between two points of a river within which points count as one."""


@dataclass(frozen=True, eq=False)
class Sheet:
    """A mesh.

    place: (vertices, 3) m, axes as in `Water`. faces: (faces, 4) vertices, counterclockwise from
    above. layers: (vertices,) or (vertices, 3) float32 by name.
    """

    place: Array
    faces: Array
    layers: dict[str, Array]


def ribbons(
    water: Water,
    sizes: Sizes,
    elevation: Array,
    spacing: tuple[float, float],
    lakes: bool = True,
    split: int = 1,
) -> Sheet:
    """Ribbons of water along rivers.

    A ribbon is level across at the water level, limited to the lower bank, where its edge bends
    down to the ground; one narrower than a cell lies on the ground, as its bed is finer than the
    terrain. Its middle is nowhere under the displayed ground. elevation: (rows, cols) m. lakes:
    whether lakes have surfaces of their own, at which ribbons end. split: diagonal by which faces
    are displayed as triangles: 1 from their lowest row and column, -1 the other. Layers: those of
    `Centerlines` but for the banks, and water_depth, flow_direction as a unit vector, and across, m
    from the middle to the left.
    """
    rows = _rows(water, sizes, elevation, spacing, split)
    return Sheet(
        rows.place.reshape(-1, 3), _faces(rows.starts, rows.layers["lake"], lakes), _layers(rows)
    )


@dataclass(frozen=True, eq=False)
class Centerlines:
    """Middles of ribbons as lines, downstream, one for each reach.

    place: (points, 3) m, axes as in `Water`. counts: (lines,) int32, points of each. radius:
    (points,) m, half the width, 0 at sources. layers: (points,) float32 by name: those of `Sizes`,
    and stream_order, lake (its number, 0 outside), foam, distance (m to the mouth), and bank_left
    and bank_right, m from the middle up to the ribbon's edges.
    """

    place: Array
    counts: Array
    radius: Array
    layers: dict[str, Array]


def centerlines(
    water: Water,
    sizes: Sizes,
    elevation: Array,
    spacing: tuple[float, float],
    lakes: bool = True,
    split: int = 1,
) -> Centerlines:
    """Centerlines of `ribbons`, with the same arguments."""
    rows = _rows(water, sizes, elevation, spacing, split)
    at = np.searchsorted(rows.first, np.arange(len(water.place)))
    lines = []
    for reach in reaches(water):
        points = np.arange(at[reach[0]], at[reach[-1]] - 1, -1)
        drowned = (rows.layers["lake"][points] > 0) & lakes
        parts = np.split(points, np.flatnonzero(drowned[:-1] & drowned[1:]) + 1)
        lines += [part for part in parts if len(part) > 1]
    order = np.concatenate(lines) if lines else np.empty(0, np.int64)
    edges = rows.place[order, ::4, 2] - rows.place[order, 2:3, 2]
    by_point = {name: values[order] for name, values in rows.layers.items()}
    return Centerlines(
        rows.place[order, 2],
        np.array([len(line) for line in lines], np.int32),
        rows.half[order],
        {
            name: values.astype(np.float32)
            for name, values in (
                by_point | {"bank_right": edges[:, 0], "bank_left": edges[:, 1]}
            ).items()
        },
    )


class _Rows(NamedTuple):
    """Rows of a ribbon's vertices, from right to left, along rivers.

    place: (points, across, 3) m. starts: as in `Water`. first: as in `_Points`. half: (points,) m,
    half the width. along: (points, 2), unit vectors downstream. layers: (points,) by name.
    """

    place: Array
    starts: Array
    first: Array
    half: Array
    along: Array
    layers: dict[str, Array]


def _rows(
    water: Water, sizes: Sizes, elevation: Array, spacing: tuple[float, float], split: int
) -> _Rows:
    along = _directions(water)
    half = 0.5 * sizes.width
    half[water.starts[1:] - 1] = 0.0  # where a river begins
    points = _Points.of(water, water.place[:, :2] + _shortened(water, sizes, along), spacing, split)
    middle, level, half, along = map(
        points.between, (points.middle, water.place[:, 2], half, along)
    )
    along /= np.maximum(np.sqrt((along * along).sum(-1, keepdims=True)), 1e-12)
    sizes = Sizes(*map(points.between, sizes))
    inside = points.least(water.inside)
    side = np.stack([-along[:, 1], along[:, 0]], -1)
    place = np.empty((len(half), ACROSS.size, 3))
    place[..., :2] = middle[:, None] + ACROSS[:, None] * (half[:, None] * side)[:, None]
    ground = _ground(elevation, spacing, split, place[..., 0], place[..., 1])
    cell = mean_cell_size(spacing)
    lift = np.where(inside > 0, 0.0, 0.25 * sizes.depth + 0.01 * cell)
    bank = np.maximum(np.minimum(ground[:, 0], ground[:, -1]), ground[:, 2])
    surface = np.where(inside > 0, level, np.minimum(level + lift, bank + sizes.depth))
    surface = np.maximum(surface, ground[:, 2] + lift)[:, None]
    edge = [0, -1]
    above = ground + lift[:, None]
    above[:, edge] = ground[:, edge] - 0.005 * cell
    place[..., 2] = surface
    place[:, edge, 2] = np.minimum(surface, above[:, edge])
    brook = np.where(inside > 0, 0.0, np.clip(2.0 - sizes.width / cell, 0.0, 1.0))[:, None]
    place[..., 2] += brook * np.maximum(above - place[..., 2], 0.0)
    layers = {
        **sizes._asdict(),
        "stream_order": points.least(water.order),
        "lake": inside,
        "foam": points.between(smooth_step(_fall(water), WHITE[0], WHITE[1])),
        "distance": points.between(distances(water)),
    }
    return _Rows(place, points.starts, points.first, half, along, layers)


class _Points(NamedTuple):
    """Points of ribbons: points of rivers, and crossings of their middles with edges of the
    displayed ground.

    middle: (river points, 2) m. starts: as in `Water`. first: (points,), river point at or before
    each point; share: (points,), part of the way from there to the next one.
    """

    middle: Array
    starts: Array
    first: Array
    share: Array

    @classmethod
    def of(cls, water: Water, middle: Array, spacing: tuple[float, float], split: int) -> Self:
        """Points along the middles (river points, 2) of rivers; between two of them the displayed
        ground is plane.
        """
        row = middle[:, 1] / spacing[0]
        col = middle[:, 0] / spacing[1]
        way = np.setdiff1d(np.arange(len(middle)), water.starts[1:] - 1)
        firsts = [np.arange(len(middle))]
        shares = [np.zeros(len(middle))]
        for lines in (row, col, row - split * col):
            begin = lines[way]
            end = lines[way + 1]
            low = np.floor(np.minimum(begin, end)) + 1.0
            count = np.maximum(np.ceil(np.maximum(begin, end)) - low, 0.0).astype(np.int64)
            which = np.repeat(np.arange(len(way)), count)
            crossed = (
                low[which] + np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
            )
            firsts.append(way[which])
            shares.append((crossed - begin[which]) / (end - begin)[which])
        first = np.concatenate(firsts)
        share = np.concatenate(shares)
        order = np.lexsort((share, first))
        first = first[order]
        share = share[order]
        new = np.append(True, (np.diff(first) > 0) | (np.diff(share) > SAME))[: len(first)] & (
            share < 1.0 - SAME
        )
        first = first[new]
        share = share[new]
        return cls(middle, np.searchsorted(first, water.starts), first, share)

    def between(self, values: Array) -> Array:
        """Values (river points, …) at the points."""
        share = self.share.reshape(-1, *(1,) * (values.ndim - 1))
        mixed: Array = (1.0 - share) * values[self.first] + share * values[self._second]
        return mixed

    def least(self, values: Array) -> Array:
        """The lesser of the whole numbers (river points,) on both sides of each point."""
        return np.minimum(values[self.first], values[self._second])

    @property
    def _second(self) -> Array:
        return self.first + (self.share > 0.0)


def _directions(water: Water) -> Array:
    """Unit vectors downstream (points, 2)."""
    before = np.arange(len(water.place)) - 1
    after = np.arange(len(water.place)) + 1
    mouths = water.starts[:-1]
    sources = water.starts[1:] - 1
    before[mouths] = mouths
    after[sources] = sources
    way = water.place[before, :2] - water.place[after, :2]
    unit: Array = way / np.maximum(np.sqrt((way * way).sum(-1, keepdims=True)), 1e-12)
    return unit


def _fall(water: Water) -> Array:
    """Slope over `RAPID` points up and down the river (points,): from cell to cell rivers fall in
    steps.
    """
    steps = np.diff(water.place, axis=0, prepend=water.place[:1])
    way = np.cumsum(np.sqrt(steps[:, 0] * steps[:, 0] + steps[:, 1] * steps[:, 1]))
    numbers = np.arange(len(way))
    counts = np.diff(water.starts)
    low = np.maximum(numbers - RAPID, np.repeat(water.starts[:-1], counts))
    high = np.minimum(numbers + RAPID, np.repeat(water.starts[1:] - 1, counts))
    slope: Array = (water.place[high, 2] - water.place[low, 2]) / np.maximum(
        way[high] - way[low], 1e-9
    )
    return slope


def _shortened(water: Water, sizes: Sizes, along: Array) -> Array:
    """Offsets (points, 2) that move the ends of tributaries to the bank of the river they join."""
    shift = np.zeros((len(water.place), 2))
    mouths = water.starts[:-1]
    mouths = mouths[water.following[mouths] >= 0]
    way = water.place[mouths + 1, :2] - water.place[mouths, :2]
    most = 0.8 * np.sqrt((way * way).sum(-1))
    shift[mouths] = (
        -along[mouths] * np.minimum(0.35 * sizes.width[water.following[mouths]], most)[:, None]
    )
    return shift


def _ground(
    elevation: Array, spacing: tuple[float, float], split: int, x: Array, y: Array
) -> Array:
    """Height (m) of the ground as displayed: each face as two triangles. split: see `ribbons`."""
    rows, cols = elevation.shape
    if split < 0:
        elevation = elevation[:, ::-1]
        x = (cols - 1) * spacing[1] - x
    row = np.clip(y / spacing[0], 0.0, rows - 1.0)
    col = np.clip(x / spacing[1], 0.0, cols - 1.0)
    low = np.minimum(row.astype(np.int64), rows - 2)
    left = np.minimum(col.astype(np.int64), cols - 2)
    up = row - low
    right = col - left
    corner = elevation[low, left]
    opposite = elevation[low + 1, left + 1]
    right_corner = elevation[low, left + 1]
    upper_corner = elevation[low + 1, left]
    lower = corner + right * (right_corner - corner) + up * (opposite - right_corner)
    upper = corner + up * (upper_corner - corner) + right * (opposite - upper_corner)
    height: Array = np.where(right >= up, lower, upper)
    return height


def _faces(starts: Array, inside: Array, lakes: bool) -> Array:
    """Faces between consecutive points, except within lakes with surfaces."""
    first = np.setdiff1d(np.arange(len(inside)), starts[1:] - 1)
    if lakes:
        first = first[(inside[first] == 0) | (inside[first + 1] == 0)]
    count = ACROSS.size
    left = np.arange(count - 1)
    below = first[:, None] * count + left
    above = (first + 1)[:, None] * count + left
    # Lines run upstream, and their vertices from the right bank to the left.
    faces: Array = np.stack([below, below + 1, above + 1, above], -1).reshape(-1, 4)
    return faces


def _layers(rows: _Rows) -> dict[str, Array]:
    way = np.concatenate([rows.along, -rows.layers["slope"][:, None]], -1)
    way /= np.sqrt((way * way).sum(-1, keepdims=True))
    by_point = rows.layers | {"flow_direction": way}
    layers = {
        name: np.repeat(values, ACROSS.size, axis=0).astype(np.float32)
        for name, values in by_point.items()
    }
    depth = rows.layers["depth"][:, None] * (1.0 - ACROSS * ACROSS)
    return layers | {
        "water_depth": depth.ravel().astype(np.float32),
        "across": (rows.half[:, None] * ACROSS).ravel().astype(np.float32),
    }


def sheets(lakes: Array, levels: Array, elevation: Array, spacing: tuple[float, float]) -> Sheet:
    """Level sheets of lakes, or of a sea, over all faces with a corner in the water; the ground
    hides them beyond the shore.

    lakes: (rows, cols) int32, numbers from 1 on, else 0. levels: (lakes,) m. Layers: lake, its
    number; level, m; depth, area and volume of the whole lake, see `LakeSizes`; water_depth, m,
    negative beyond the shore; shore, 1 there and else 0; speed and foam, 0.
    """
    wet = lakes > 0
    faces = np.zeros((wet.shape[0] - 1, wet.shape[1] - 1), np.int32)
    for part in (lakes[:-1, :-1], lakes[:-1, 1:], lakes[1:, :-1], lakes[1:, 1:]):
        np.maximum(faces, part, out=faces)
    row, col = np.nonzero(faces)
    lake = faces[row, col]
    cols = wet.shape[1]
    corner = np.stack(
        [
            row * cols + col,
            row * cols + col + 1,
            (row + 1) * cols + col + 1,
            (row + 1) * cols + col,
        ],
        -1,
    )
    # A cell on the shores of two lakes has a vertex in each.
    keys, vertex = np.unique(
        corner + lake[:, None].astype(np.int64) * wet.size, return_inverse=True
    )
    number, cell = np.divmod(keys, wet.size)
    level = levels[number - 1]
    place = np.stack([cell % cols * spacing[1], cell // cols * spacing[0], level], -1)
    depth = level - elevation.ravel()[cell]
    nothing = np.zeros(len(keys), np.float32)
    sizes = lake_sizes(lakes, levels, elevation, spacing)
    layers = {
        "lake": number.astype(np.float32),
        "level": level.astype(np.float32),
        **{name: values[number - 1].astype(np.float32) for name, values in sizes._asdict().items()},
        "water_depth": depth.astype(np.float32),
        "shore": (~wet.ravel()[cell]).astype(np.float32),
        "speed": nothing,
        "foam": nothing.copy(),
    }
    return Sheet(place, vertex.reshape(-1, 4), layers)
