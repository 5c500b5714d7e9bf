# SPDX-License-Identifier: GPL-3.0-or-later
"""Automatic composition: a camera with foreground, middle ground, distance and a leading line.

Positions and directions are tried in a fixed order on a reduced terrain, with visibility along rays
over the heights. The same terrain gets the same view at any place and size.
"""

import math
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ..companions import visible_water
from ..terrain import attributes, grid
from ..terrain.lattice import Array

SIDE = 96
"""Maximum cells along a side of the reduced terrain."""

SAND_SIDE = 384
"""`SIDE` for a sea of sand, where the eye is close to the ground."""

COLUMNS = 21
"""Rays per view."""

STEPS = 48
"""Samples per ray."""

HEADINGS = 16

SENSOR = 36.0
"""Sensor width in mm."""

ASPECT = 9 / 16
"""Aspect ratio of the picture, height by width."""

SUN_SIDE = math.radians(78)
"""Angle of the assumed sun to the left of the view."""

SUN_RISE = math.tan(math.radians(16))
"""Slope of its rays."""

EARTH = -0.01
"""Angle of the horizon in radians."""

HORIZON = (0.76, 0.66)
"""Height of the middle of the skyline, as a share of the picture's height, over gentle land and
over mountains.
"""

LOWEST = 0.045
"""Height of the eye over gentle land, in sides of the land."""

# A sea of sand: minimum shares of sandy and of dry land, and maximum relief in sides of the land.
SANDY = 0.6
DRY = 0.98
GENTLE = 0.08

# View of a sea of sand.
EYE = 15.0
"""Height above a crest, m."""

LOW_LENS = 70.0
"""Focal length, mm."""

LOW_REACH = 0.3
"""Factor of the distances that count as near, half-way and far."""

WATER = (0.15, 0.30)
"""Minimum and maximum share of water in the picture, if there is any."""

SNOW = 0.3
"""Maximum share of snow in the foreground: pure white shows no forms."""

LIES = 0.1
"""Snow in meters that covers the ground."""


@dataclass(frozen=True)
class View:
    """A camera view.

    eye: (x, y, z) in meters from the terrain's middle, z as the terrain's own. heading: radians to
    the left of the terrain's y. pitch: radians upward. lens: focal length in mm, for a sensor 36 mm
    wide.
    """

    eye: tuple[float, float, float]
    heading: float
    pitch: float
    lens: float


def compose(terrain: bpy.types.Object, turn: float | None = None) -> View:
    """Best view of a terrain. turn: preferred heading, radians to the left of the terrain's y;
    None: any.
    """
    read, lattice = grid.read_terrain(terrain)
    lines = next(
        (name for name in ("flow", "moisture") if attributes.holds(terrain.data, name)), None
    )
    fields = attributes.read_fields(
        terrain.data, lattice, ["snow", "sediment", *([lines] if lines else [])]
    )
    water = visible_water.where(terrain, lattice, read.elevation)
    snow = fields.get("snow")
    snow, sand = (
        None if cover is None else cover > LIES for cover in (snow, fields.get("sediment"))
    )
    return composed(read.elevation, read.spacing, fields.get(lines or ""), turn, water, snow, sand)


def composed(
    elevation: Array,
    spacing: tuple[float, float],
    flow: Array | None = None,
    turn: float | None = None,
    water: Array | None = None,
    snow: Array | None = None,
    sand: Array | None = None,
) -> View:
    """`compose` of heights (rows, cols) in meters with cells of `spacing`; flow: amount of water in
    any unit; water, snow, sand: (rows, cols) bool, where visible.
    """
    land = _Land(elevation, spacing, flow, water, snow, sand)
    headings = 2 * math.pi * np.arange(HEADINGS) / HEADINGS
    if turn is not None:
        headings = headings[
            [
                abs(math.remainder(heading - turn, 2 * math.pi)) <= math.radians(40)
                for heading in headings
            ]
        ]
    best: tuple[float, View] | None = None
    # A center line that leaves the terrain after a quarter of it shows no distance.
    for at in land.places():
        for score, view in zip(*land.judge(at, headings), strict=True):
            if best is None or score > best[0] + 1e-9:
                best = score, view
    assert best is not None
    return best[1]


class _Land:
    """Reduced heights, leading lines, and the camera's height and lens for the relief."""

    def __init__(
        self,
        elevation: Array,
        spacing: tuple[float, float],
        flow: Array | None,
        water: Array | None,
        snow: Array | None,
        sand: Array | None,
    ) -> None:
        self.is_dunes = _is_dunes(elevation, spacing, water, sand)
        stride = max(1, -(-max(elevation.shape) // (SAND_SIDE if self.is_dunes else SIDE)))
        self.rows, self.cols = elevation.shape
        self.spacing = spacing
        self.depth = (self.rows - 1) * spacing[0]
        self.width = (self.cols - 1) * spacing[1]
        self.side = max(min(self.width, self.depth), max(spacing))
        self.stride = stride
        # Maximum of each block, so that no summit between the samples hides the view.
        self.heights = _blocks(np.asarray(elevation, np.float64), stride, np.maximum)
        low, high = np.percentile(self.heights, (2, 98))
        relief = float(high - low) / self.side
        # Gentle land is seen from a hill's height through a longer lens: crests, crescents and
        # meanders become lines.
        self.above = float(np.clip(0.30 * relief, LOWEST, 0.075)) * self.side
        self.lens = float(np.interp(relief, (0.02, 0.16), (46.0, 34.0)))
        self.reach = self.side
        if self.is_dunes:
            self.above = min(EYE, 0.3 * LOWEST * self.side)
            self.lens = LOW_LENS
            self.reach = LOW_REACH * self.side
        self.horizon = float(np.interp(relief, (0.03, 0.10), HORIZON))
        self.relief = max(float(high - low), 1e-9)
        # Gentle land may fill much of the picture with empty ground; mountains may not.
        self.empty = float(np.interp(relief, (0.04, 0.10), (1.2, 0.2)))
        self.leads = self._lines(flow)
        self.water = self._cover(water)
        self.snow = self._cover(snow)
        steep = np.hypot(
            *(
                np.gradient(self.heights, axis=axis) if n > 1 else 0 * self.heights
                for axis, n in enumerate(self.heights.shape)
            )
        )
        self.slopes = tuple(
            self._mean_slopes(np.asarray(elevation, np.float64), axis) for axis in (0, 1)
        )
        self.forms = np.clip(steep / max(float(np.quantile(steep, 0.9)), 1e-9), 0, 1)

    def _mean_slopes(self, elevation: Array, axis: int) -> Array:
        """Slope along an axis, m/m, averaged over blocks; between block maxima, lees of dunes would
        be level.
        """
        if elevation.shape[axis] == 1:
            return np.zeros_like(self.heights)
        return self._means(np.gradient(elevation, self.spacing[axis], axis=axis))

    def _means(self, values: Array) -> Array:
        """Means over the blocks."""
        means: Array = _blocks(values, self.stride, np.add) / _blocks(
            np.ones_like(values), self.stride, np.add
        )
        return means

    def _cover(self, cover: Array | None) -> Array | None:
        """Means of water or snow over the blocks; None if there is none."""
        if cover is None or not cover.any():
            return None
        return self._means(np.asarray(cover, np.float64))

    def _lines(self, flow: Array | None) -> Array:
        """Strength of leading lines, 0-1: channels by their flow; on gentle or dry land crests as
        well.
        """
        channels = np.zeros_like(self.heights)
        if flow is not None and float(np.ptp(flow)) > 0:
            wet = _blocks(
                np.log1p(np.maximum(np.asarray(flow, np.float64), 0)), self.stride, np.maximum
            )
            full = float(np.quantile(wet, 0.995))
            channels = (
                np.clip((wet - np.median(wet)) / max(full - float(np.median(wet)), 1e-9), 0, 1) ** 3
            )
            if self.relief > 0.06 * self.side:
                return channels
        mean = sum(np.roll(self.heights, step, axis) for axis in (0, 1) for step in (-1, 1)) / 4
        crest = np.maximum(self.heights - mean, 0)
        return np.maximum(
            channels, np.clip(crest / max(float(np.quantile(crest, 0.98)), 1e-9), 0, 1)
        )

    def places(self) -> list[tuple[float, float]]:
        """Candidate camera positions, (x, y) in meters from the middle: a grid of 6 × 6 away from
        the edges.
        """
        steps = np.linspace(-0.42, 0.42, 6)
        grid = [(float(x * self.width), float(y * self.depth)) for y in steps for x in steps]
        return [self._crest(x, y) for x, y in grid] if self.is_dunes else grid

    def _crest(self, x: float, y: float) -> tuple[float, float]:
        """Highest place near a position, in meters from the middle."""
        offsets = np.linspace(-0.07, 0.07, 15)
        ys = y + (offsets * self.depth)[:, None]
        xs = x + (offsets * self.width)[None, :]
        row, col = divmod(int(self.heights.take(self._cell(xs, ys)).argmax()), len(offsets))
        return float(xs[0, col]), float(ys[row, 0])

    def _cell(self, x: Array, y: Array) -> Array:
        """Nearest reduced cell, as an index of the flat arrays."""
        middle = 0.5 * (self.stride - 1)  # of a block
        row = np.rint(((y + self.depth / 2) / self.spacing[0] - middle) / self.stride).astype(int)
        col = np.rint(((x + self.width / 2) / self.spacing[1] - middle) / self.stride).astype(int)
        rows, cols = self.heights.shape
        return np.clip(row, 0, rows - 1) * cols + np.clip(col, 0, cols - 1)

    def judge(self, at: tuple[float, float], headings: Array) -> tuple[list[float], list[View]]:
        """Scores of the views from a position in several directions, and the views."""
        step = max(0.02 * self.reach, self.stride * max(self.spacing)) * np.array([-1.0, 0.0, 1.0])
        eye = (
            float(self.heights.take(self._cell(at[0] + step[:, None], at[1] + step[None, :])).max())
            + self.above
        )
        across = math.atan(0.5 * SENSOR / self.lens)
        turn = headings[:, None, None] + np.linspace(across, -across, COLUMNS)[:, None]
        away = np.geomspace(0.02 * self.reach, 1.6 * self.side, STEPS)
        x = at[0] - np.sin(turn) * away
        y = at[1] + np.cos(turn) * away
        inside = (np.abs(x) <= self.width / 2) & (np.abs(y) <= self.depth / 2)
        cell = self._cell(x, y)
        up = np.where(inside, np.arctan2(self.heights.take(cell) - eye, away), -1.5)
        before = np.maximum.accumulate(up, axis=2)
        visible = inside & (up >= before)
        # beyond the terrain, land continues to the horizon
        skyline = np.maximum(before[..., -1], EARTH)
        high = math.atan(ASPECT * 0.5 * SENSOR / self.lens)  # half the picture's height
        pitch = skyline.mean(1) - (2 * self.horizon - 1) * high
        upper = (pitch + high)[:, None, None]
        lower = (pitch - high)[:, None, None]
        rise = np.diff(before, axis=2, prepend=-1.5)
        area = np.clip(np.minimum(before, upper) - np.maximum(before - rise, lower), 0, None)
        # Share of the picture's foreground, middle ground and distance.
        parts = [
            _share(area * part, high)
            for part in (
                away < 0.22 * self.reach,
                (away >= 0.22 * self.reach) & (away < 0.5 * self.reach),
                away >= 0.5 * self.reach,
            )
        ]
        near, half, far = (
            np.minimum(share / want, 1.0)
            for share, want in zip(parts, (0.16, 0.16, 0.10), strict=True)
        )
        depth = np.cbrt(near * half * far) - 2.0 * np.maximum(0.0, parts[0] - 0.40)
        # Variety of the skyline, depth of view, and leading lines, weighted toward the middle of
        # the picture.
        varied = np.minimum(skyline.std(1) / (0.28 * high), 1.0)
        distance = np.where(visible, away, 0).max(2)
        open_ = np.clip(distance / self.side, 0, 1).mean(1)
        central = np.cos(np.linspace(-1.2, 1.2, COLUMNS))[:, None]
        leading = _share(self.leads.take(cell) * area * central, high)
        # A wall close by, or a terrain that ends far below the horizon, spoils the picture.
        close = np.clip(2 - distance / (0.25 * self.reach), 0, 1)
        walled = (close * (before[..., -1] > EARTH)).mean(1)
        corner = np.clip(-before[..., -1] / high, 0, 1).mean(1)
        score = (
            1.2 * depth
            + 0.5 * varied
            + 0.5 * open_
            + 1.6 * np.minimum(leading, 0.35)
            + self._ground(cell, area * (away < 0.7 * self.side), headings)
            - 1.5 * walled
            - corner
        )
        # a lake or sea belongs in the middle of the picture, without filling it
        if self.water is not None:
            water = self.water.take(cell)
            distance_weight = np.clip(away / (0.10 * self.side), 0, 1) * np.clip(
                2 - away / (0.35 * self.side), 0, 1
            )
            watery = _share(water * area * distance_weight * central, high)
            full = _share(water * area, high)
            banks = np.diff(water > 0.5, axis=2) & visible[..., 1:] & (away[1:] < 0.45 * self.side)
            score += 6.0 * np.minimum(watery, WATER[0]) - 4.0 * np.maximum(0.0, full - WATER[1])
            score += 0.6 * banks.any(2).mean(1)
        if self.snow is not None:
            white = _mean(self.snow.take(cell), area * (away < 0.35 * self.side))
            score -= 1.2 * np.maximum(0.0, white - SNOW)
        views = zip(headings.tolist(), pitch.tolist(), strict=True)
        return score.tolist(), [
            View((at[0], at[1], eye), heading, pitch, self.lens) for heading, pitch in views
        ]

    def _ground(self, cell: Array, ground: Array, headings: Array) -> Array:
        """Score of forms and light of the ground in each direction. ground: its share of the
        picture.
        """
        # Featureless land makes an empty picture.
        formed = _mean(self.forms.take(cell), ground)
        # At least two thirds of the foreground should be lit by the morning sun from the left.
        # Level ground is; slopes that face away from the sun at its elevation are not.
        sun = (headings + SUN_SIDE)[:, None, None]
        rise_north, rise_east = (slope.take(cell) for slope in self.slopes)
        facing = np.clip(1 + (rise_east * np.sin(sun) - rise_north * np.cos(sun)) / SUN_RISE, 0, 1)
        return np.asarray(self.empty * formed - 1.2 * np.maximum(0.0, 0.65 - _mean(facing, ground)))


def _share(values: Array, high: float) -> Array:
    """Share of each picture, from values (pictures, COLUMNS, STEPS) in radians. high: half its
    height.
    """
    return np.asarray(values.reshape(len(values), -1).sum(1) / COLUMNS / (2 * high))


def _mean(values: Array, weights: Array) -> Array:
    """Weighted mean in each picture, 0 without weights."""
    total, weight = ((part.reshape(len(part), -1)).sum(1) for part in (values * weights, weights))
    return np.asarray(total / np.maximum(weight, 1e-9))


def _is_dunes(
    elevation: Array, spacing: tuple[float, float], water: Array | None, sand: Array | None
) -> bool:
    """Whether land is a sea of sand: gentle, nearly all sand, almost no water."""
    if (
        sand is None
        or float(sand.mean()) < SANDY
        or (water is not None and float(water.mean()) > 1 - DRY)
    ):
        return False
    low, high = np.percentile(elevation, (2, 98))
    side = (min(elevation.shape) - 1) * min(spacing)
    return float(high - low) < GENTLE * side


def _blocks(values: Array, stride: int, combine: Any) -> Array:
    """Values combined over blocks of cells; the last blocks may be smaller."""
    rows, cols = (np.arange(0, length, stride) for length in values.shape)
    return combine.reduceat(combine.reduceat(values, rows, axis=0), cols, axis=1)
