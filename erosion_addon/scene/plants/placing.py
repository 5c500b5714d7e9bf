# SPDX-License-Identifier: GPL-3.0-or-later
"""Positions of plants and boulders: their density by the state of the ground, and a spot for each.

Spots are points of a lattice, moved by hashes of their own indices. A change of the ground moves
nothing elsewhere, and the same terrain has the same plants on every machine.
"""

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ...base.arrays import Array
from ...generators.noise import random_numbers
from ...grid.sampling import smooth_step
from . import forms

STREAM = 70
"""First stream of random numbers of the spots."""

SHARP = 260.0
"""Distance of full density, in plant heights; beyond it nearer plants hide the gaps."""

FARTHEST = 6.0
"""Fade-out distance as a multiple of the full-density distance."""

MOST_SPOTS = 2_000_000
"""Maximum spots examined per kind; on larger terrains they are farther apart."""


@dataclass(frozen=True)
class Kind:
    """Kind of plant, or boulders.

    height: (low, high) m. distance: between spots, m. form: its mesh by (seed, detail). fine,
    coarse: its detail close by and from afar. share: of all instances.
    """

    name: str
    height: tuple[float, float]
    distance: float
    form: Callable[[int, int], forms.Form]
    fine: int
    coarse: int
    share: float


KINDS = (
    Kind("conifers", (3.0, 26.0), 6.0, forms.conifer, 80, 26, 0.4),
    Kind("broadleaf", (6.0, 13.0), 7.5, forms.broadleaf, 260, 56, 0.25),
    Kind("palms", (5.0, 14.0), 6.0, forms.palm, 17, 9, 0.2),
    Kind("hedges", (2.4, 4.6), 3.2, forms.shrub, 110, 28, 0.25),
    Kind("shrubs", (0.5, 2.2), 3.0, forms.shrub, 110, 28, 0.25),
    Kind("tufts", (0.4, 1.2), 0.9, forms.tuft, 22, 9, 0.35),
    Kind("boulders", (0.5, 4.5), 5.0, forms.boulder, 10, 5, 0.2),
)

VARIANTS = 4
"""Forms per kind."""

STAND = 45.0
"""Width of a stand of plants of one age, in meters."""

FORMS = tuple(
    (kind, seed, detail)
    for kind in KINDS
    for seed in range(VARIANTS)
    for detail in (kind.fine, kind.coarse)
)
"""All forms, in the order of `Spots.form`."""


@dataclass(frozen=True)
class Ground:
    """State of the ground.

    elevation: (rows, cols) m on cells of `spacing`. fields: (rows, cols) by name, as far as the
    terrain has them. water: (rows, cols) bool.
    """

    elevation: Array
    spacing: tuple[float, float]
    fields: Mapping[str, Array]
    water: Array


@dataclass(frozen=True)
class Spots:
    """Spots of plants, (count,) each.

    x, y: m from the terrain's first point along columns and rows. height: of the plant in m. turn:
    radians. form: index of `FORMS`. kind: index of `KINDS`. tint: 0-1, by chance.
    """

    x: Array
    y: Array
    height: Array
    turn: Array
    form: Array
    kind: Array
    tint: Array


def densities(
    ground: Ground, mixture: Mapping[str, float], tree_line: float, foredune: float = 0.0
) -> dict[str, Array]:
    """Density of each kind in a mixture, (rows, cols) 0-1. tree_line: share of the relief up to
    which trees grow. foredune: density of tufts on sand laid behind a beach, such as marram, 0-1.
    """
    place = _Place(ground)
    trees = 1 - smooth_step(place.high + 0.22 * place.wide, tree_line - 0.05, tree_line + 0.06)
    moist = place.moist
    slope = place.slope
    clumps = place.clumps
    grown = {
        "conifers": lambda: (
            trees
            * (1 - smooth_step(slope + 8 * clumps, 33, 43))
            * smooth_step(moist + 0.5 * place.wide + 0.3 * place.shade + 0.2 * clumps, 0.02, 0.28)
            * (1 - 0.8 * place.rubble)
        ),
        "broadleaf": lambda: (
            trees
            * (1 - smooth_step(slope, 18, 30))
            * smooth_step(clumps + 0.7 * place.wide + 0.5 * moist, 0.2, 0.36)
        ),
        "palms": lambda: (
            (1 - smooth_step(slope, 8, 18)) * smooth_step(place.watered * (1 + clumps), 0.02, 0.12)
        ),
        "hedges": lambda: trees * (1 - smooth_step(slope, 16, 24)) * place.hedges,
        "shrubs": lambda: (
            (1 - smooth_step(slope, 28, 38))
            * (1 - smooth_step(place.high, tree_line + 0.1, tree_line + 0.25))
            * (0.12 + 0.88 * smooth_step(moist + 0.5 * clumps, 0.15, 0.6))
        ),
        "tufts": lambda: np.maximum(
            (1 - smooth_step(slope, 20, 34))
            * (1 - 0.5 * place.rubble)
            * (0.04 + 0.96 * smooth_step(moist + 1.1 * clumps + 0.5 * place.hollow, 0.2, 0.6)),
            foredune * place.foredune if foredune else 0.0,
        ),
        "boulders": lambda: np.maximum(place.rockfall, place.outcrops),
    }
    dry = 1 - smooth_step(place.shore, 0.3, 0.6)
    bare = dry * (1 - smooth_step(place.snow, 0.05, 0.4))
    return {
        kind: np.where(
            ground.water, 0, mixture[kind] * density() * (dry if kind == "boulders" else bare)
        )
        for kind, density in grown.items()
        if mixture.get(kind, 0) > 0
    }


class _Place:
    """Qualities of the ground, (rows, cols) each."""

    def __init__(self, ground: Ground) -> None:
        z = np.asarray(ground.elevation, np.float32)
        fields = ground.fields
        self.cell = float(np.sqrt(ground.spacing[0] * ground.spacing[1]))
        nothing = np.zeros(z.shape, np.float32)
        rise = np.gradient(z, *map(float, ground.spacing))
        steep = np.hypot(*rise)
        self.slope = np.degrees(np.arctan(steep))
        low, high = np.percentile(z, (0.5, 99.5))
        self.high = (z - low) / max(float(high - low), 1e-6)
        bowl = self._mean(z, 40.0) - z
        self.hollow = smooth_step(bowl, 0.0, 2.5 * max(float(bowl.std()), 1e-6))
        moisture = fields.get("moisture", nothing)
        self.moist = np.maximum(moisture, 0.45 * self.hollow)
        # ground that faces north, away from the noon sun
        self.shade = np.clip(rise[0] * 0.8, -0.5, 0.5)
        self.snow = fields.get("snow", nothing)
        self.shore = (
            self._mean(ground.water.astype(np.float32), 12.0) if ground.water.any() else nothing
        )
        deposition = fields.get("deposition", nothing)
        self.rubble = smooth_step(deposition, 0.5, 4.0) * smooth_step(self.slope, 14, 24)
        self._deposition = deposition
        self.clumps = self._noise(ground, 1, 34.0)
        self.wide = self._noise(ground, 2, 210.0)
        self._ground = ground

    @property
    def rockfall(self) -> Array:
        """Ground below cliffs, more on deposits."""
        cliffs = smooth_step(self.slope, 36, 44)
        below = smooth_step(self._mean(cliffs, 45.0), 0.06, 0.35) * (
            1 - smooth_step(self.slope, 30, 38)
        )
        return np.asarray(below * (0.25 + 0.75 * smooth_step(self._deposition, 0.1, 2.0)))

    @property
    def outcrops(self) -> Array:
        """Groups of stones on dry slopes that are no walls."""
        groups = smooth_step(self.clumps + 0.6 * self.wide, 0.12, 0.4) * (
            1 - smooth_step(self.slope, 36, 42)
        )
        return np.asarray(
            0.3 * groups * smooth_step(self.slope, 16, 24) * (1 - smooth_step(self.moist, 0.3, 0.6))
        )

    @property
    def foredune(self) -> Array:
        """Sand deposited beside the sea, in clumps."""
        beach = smooth_step(self._mean(self._ground.water.astype(np.float32), 200.0), 0.01, 0.08)
        sand = smooth_step(self._deposition, 0.5, 3.0) * (1 - smooth_step(self.slope, 28, 36))
        return np.asarray(beach * sand * (0.15 + 0.85 * smooth_step(self.clumps, -0.15, 0.15)))

    @property
    def watered(self) -> Array:
        """Share of water within the reach of roots."""
        return self._mean(self._ground.water.astype(np.float32), 40.0)

    def _mean(self, values: Array, meters: float) -> Array:
        """Mean over a square around each point, twice: its border is soft."""
        reach = int(np.clip(round(meters / self.cell), 1, max(1, min(values.shape) // 2 - 1)))
        size = 2 * reach + 1
        # down and across, twice; sums row by row take half the time of np.cumsum
        for _ in range(4):
            total = np.pad(values, ((reach + 1, reach), (0, 0)), "edge").astype(np.float64)
            for above, row in itertools.pairwise(total):
                row += above
            values = np.ascontiguousarray(
                ((total[size:] - total[:-size]) / size).astype(np.float32).T
            )
        return values

    def _noise(self, ground: Ground, stream: int, meters: float) -> Array:
        """Smooth noise from -0.5 to 0.5 of two sizes, `meters` and a third of it."""
        noise = np.zeros(ground.elevation.shape, np.float32)
        for octave, (size, strength) in enumerate(((meters, 0.65), (0.37 * meters, 0.35))):
            axes = (
                np.arange(n) * space / size
                for n, space in zip(noise.shape, ground.spacing, strict=True)
            )
            row, col = (
                axis[:, None] if number == 0 else axis[None, :] for number, axis in enumerate(axes)
            )
            r = np.floor(row).astype(np.int64)
            c = np.floor(col).astype(np.int64)
            down = smooth_step(row - r)
            right = smooth_step(col - c)
            corner_row = np.arange(r.max() + 2)[:, None]
            corner_col = np.arange(c.max() + 2)
            corners = random_numbers(5, STREAM + 2 * stream + octave, corner_row, corner_col)
            r = r[:, 0]
            c = c[0]
            line = corners[:, c] * (1 - right) + corners[:, c + 1] * right
            low = line[r]
            high = line[r + 1]
            noise += (0.5 * strength * (low * (1 - down) + high * down)).astype(np.float32)
        return noise

    @property
    def hedges(self) -> Array:
        """1 along the borders of farm fields, which are the cells around scattered points."""
        ground = self._ground
        meters = 190.0
        rows, cols = ground.elevation.shape
        y = (np.arange(rows) * ground.spacing[0] / meters).astype(np.float32)[:, None]
        x = (np.arange(cols) * ground.spacing[1] / meters).astype(np.float32)[None, :]
        r = np.floor(y).astype(np.int64)
        c = np.floor(x).astype(np.int64)
        nearest, second = (np.full((rows, cols), 9.0, np.float32) for _ in range(2))
        # One point in each square; neighboring squares are looked up by row and column.
        square_row = np.arange(-1, r.max() + 2)[:, None]
        square_col = np.arange(-1, c.max() + 2)
        points = [
            0.4 * random_numbers(5, STREAM + 8 + axis, square_row, square_col) for axis in (0, 1)
        ]
        for down in (-1, 0, 1):
            for right in (-1, 0, 1):
                at_row, at_col = (
                    point[:, c[0] + 1 + right][r[:, 0] + 1 + down] for point in points
                )
                away = np.hypot(
                    y - (r + down + 0.5 + at_row), x - (c + right + 0.5 + at_col)
                ).astype(np.float32)
                second = np.minimum(second, np.maximum(away, nearest))
                nearest = np.minimum(nearest, away)
        width = max(1.5, 0.7 * self.cell) / meters
        strip_row, strip_col = (np.floor(axis * 2.3).astype(np.int64) for axis in (y, x))
        hedge = random_numbers(5, STREAM + 10, strip_row, strip_col) > -0.6
        return (1 - smooth_step(second - nearest, width, 2.5 * width)) * hedge


def scatter(
    ground: Ground,
    dense: Mapping[str, Array],
    limit: int,
    eye: tuple[float, float, float] | None = None,
) -> Spots:
    """Spots of at most `limit` plants by `densities`.

    eye: camera, (x, y, z) m in the axes of the spots; None: plants are thinned out evenly.
    """
    total = sum(kind.share for kind in KINDS if kind.name in dense)
    groups = [
        _spots(ground, number, dense[kind.name], max(1, int(limit * kind.share / total)), eye)
        for number, kind in enumerate(KINDS)
        if kind.name in dense
    ]
    names = ("x", "y", "height", "turn", "form", "kind", "tint")
    if not groups:
        return Spots(*(np.zeros(0) for _ in names))
    return Spots(*(np.concatenate([getattr(spots, name) for spots in groups]) for name in names))


def _spots(
    ground: Ground, number: int, density: Array, limit: int, eye: tuple[float, float, float] | None
) -> Spots:
    kind = KINDS[number]
    spacing = ground.spacing
    depth, width = ((n - 1) * space for n, space in zip(density.shape, spacing, strict=True))
    reach = SHARP * sum(kind.height) / 2
    window = [(0.0, width), (0.0, depth)]
    if eye is not None:
        window = [
            (max(low, at - FARTHEST * reach), min(high, at + FARTHEST * reach))
            for (low, high), at in zip(window, eye, strict=False)
        ]
    area = max(0.0, window[0][1] - window[0][0]) * max(0.0, window[1][1] - window[1][0])
    distance = max(kind.distance, float(np.sqrt(area / MOST_SPOTS)))
    first, last = ([int(np.floor(side[end] / distance)) for side in window] for end in (0, 1))
    col, row = (np.arange(low, max(high, low) + 1) for low, high in zip(first, last, strict=True))
    # Most spots are bare ground, known from the lattice's own points before any random number.
    near = density[
        np.ix_(
            _nearest(row * distance, spacing[0], density.shape[0]),
            _nearest(col * distance, spacing[1], density.shape[1]),
        )
    ]
    at_row, at_col = np.nonzero(near > 0.004)
    row = row[at_row]
    col = col[at_col]

    def lot(stream: int) -> Array:
        return np.asarray(
            0.5 + 0.5 * random_numbers(3, STREAM + 20 + 8 * number + stream, row, col)
        )

    # The densest ground and the distance bound every spot's chance: most drop out before their
    # exact position is known.
    chance = lot(2)
    most = 1.001 * density.max(initial=0.0)
    if eye is not None:
        away = np.hypot((col + 0.5) * distance - eye[0], (row + 0.5) * distance - eye[1]) - distance
        most = most * np.minimum(1.0, (reach / np.maximum(away, 1e-6 * reach)) ** 2)
    left = chance < most
    row = row[left]
    col = col[left]
    chance = chance[left]
    x = (col + lot(0)) * distance
    y = (row + lot(1)) * distance
    likely = sample(density, spacing, x, y) * ((x < width) & (y < depth))
    if eye is not None:
        above = sample(ground.elevation, spacing, x, y) - eye[2]
        away = np.sqrt((x - eye[0]) ** 2 + (y - eye[1]) ** 2 + above**2) / reach
        likely = (
            likely
            * np.minimum(1.0, 1.0 / np.maximum(away, 1e-6) ** 2)
            * (away < FARTHEST)
            * (away > 0.02)
        )
    else:
        away = np.full(len(x), 2.0)
    rank = chance / np.maximum(likely, 1e-9)
    selection = rank < 1
    if selection.sum() > limit:
        selection = rank < np.partition(rank, limit)[limit]
    row = row[selection]
    col = col[selection]
    x = x[selection]
    y = y[selection]
    away = away[selection]
    low, high = kind.height
    size, tint, variant, turn = (lot(stream) for stream in (3, 4, 5, 6))
    # Neighbors are of one age.
    stand_row, stand_col = (np.floor(at / STAND).astype(np.int64) for at in (y, x))
    stand = random_numbers(3, STREAM + 27 + 8 * number, stand_row, stand_col)
    size = 0.6 * size + 0.4 * (0.5 + 0.5 * stand)
    # Many small ones, few tall ones; sparse stands stay lower.
    height = (low + (high - low) * size * size) * (0.7 + 0.3 * np.clip(2 * likely[selection], 0, 1))
    form = (number * VARIANTS + np.minimum((variant * VARIANTS).astype(int), VARIANTS - 1)) * 2
    form += away > 0.25
    return Spots(x, y, height, 2 * np.pi * turn, form, np.full(len(x), number), tint)


def _nearest(meters: Array, spacing: float, count: int) -> Array:
    return np.clip(np.rint(meters / spacing).astype(int), 0, count - 1)


def sample(values: Array, spacing: tuple[float, float], x: Array, y: Array) -> Array:
    """Values between the points of the grid, bilinear, at x and y m from its first point."""
    row, col = (
        np.clip(at / space, 0, n - 1.001)
        for at, space, n in zip((y, x), spacing, values.shape, strict=True)
    )
    r = row.astype(int)
    c = col.astype(int)
    down = row - r
    right = col - c
    upper = values[r, c] * (1 - right) + values[r, c + 1] * right
    lower = values[r + 1, c] * (1 - right) + values[r + 1, c + 1] * right
    return np.asarray(upper * (1 - down) + lower * down)
