# SPDX-License-Identifier: GPL-3.0-or-later
"""Horizons of a terrain: sampling, and the visible share of the sky and of a sun."""

import math
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..base.arrays import Array
from ..base.kernels.elementary import atan2, sincos, tan
from ..base.threads import Tally, in_bands

GROWTH = 1.07
"""Growth of the steps toward the horizon of the sky."""

RAYS = 4
"""Rays per azimuth; with only one, lone peaks cast visible rays."""

SKY_GAP = 4.0
"""Distance in cells between neighboring rays at which the ground is blurred once, twice at double
the distance.

The blur is about a fifth of the gap, and ground between two rays counts for both.
"""

SUN_GAP = 1.0
"""The same for strips of a sun's disc, whose edges are more visible."""

FRACTIONS = 4096
"""Resolution of positions between two cells: 1 - part stays exact in float32."""

SMALLEST_SUN = 1e-6
"""Radians; a point light would cast stepped shadow edges."""

MOST_STRIPS = 9
"""Most strips of a sun's disc, for shadows from so far that they are a cell apart."""


class Steps(NamedTuple):
    """Sample points along directions, for `kernels.horizon.raise_horizon`.

    starts: (directions + 1,), first point of each direction in offsets (all, 4), parts (all,),
    per_meter (all,); cells: (all,) distance in cells along the main axis.
    """

    starts: Array
    offsets: Array
    parts: Array
    per_meter: Array
    cells: Array


def steps_towards(
    directions: Array, spacing: tuple[float, float], cells: Array, radius: float
) -> Steps:
    """Sample points at these distances in cells, within a radius in meters.

    directions: (count, 2) meters along columns and rows. spacing: (row, col) m.
    """
    steps = [_steps(direction, spacing, cells, radius) for direction in directions]
    starts = np.cumsum([0] + [len(points[-1]) for points in steps])
    return Steps(starts, *(np.concatenate(part) for part in zip(*steps, strict=True)))


def _steps(
    direction: Array, spacing: tuple[float, float], cells: Array, radius: float
) -> tuple[Array, ...]:
    """Points on lines between two adjacent cells, with interpolated heights."""
    col_cells = direction[0] / spacing[1]
    row_cells = direction[1] / spacing[0]
    along_cols = abs(col_cells) >= abs(row_cells)
    longer, shorter = (col_cells, row_cells) if along_cols else (row_cells, col_cells)
    ahead = cells if longer > 0 else -cells
    aside = np.rint(cells * (shorter / abs(longer) * FRACTIONS)) / FRACTIONS
    near = np.floor(aside)
    parts = aside - near
    beside = parts > 0
    none = np.zeros_like(ahead)
    offsets = (near, ahead, beside, none) if along_cols else (ahead, near, none, beside)
    rows_away, cols_away = (aside, ahead) if along_cols else (ahead, aside)
    distance = np.sqrt(np.square(rows_away * spacing[0]) + np.square(cols_away * spacing[1]))
    count = int(np.searchsorted(distance, radius * (1 + 1e-9), side="right"))
    columns = (
        np.stack(offsets, axis=1).astype(np.int64),
        parts.astype(np.float32),
        (1 / distance).astype(np.float32),
    )
    return *(column[:count] for column in columns), cells[:count]


def gradient(elevation: Array, spacing: tuple[float, float], wrap: bool) -> Array:
    """Slopes along columns and rows, (2, rows, cols) float32, by central differences, one-sided at
    edges.
    """
    slopes = np.empty((2, *elevation.shape), np.float32)
    for number, axis in enumerate((1, 0)):
        if wrap:
            slope = (np.roll(elevation, -1, axis) - np.roll(elevation, 1, axis)) / (
                2 * spacing[axis]
            )
        else:
            slope = np.gradient(elevation, spacing[axis], axis=axis)
        slopes[number] = slope
    return slopes


def _ground(elevation: Array) -> Array:
    """(rows, cols + 1) float32 for `kernels.horizon.raise_horizon`, above the lowest point."""
    rows, cols = elevation.shape
    field = np.empty((rows, cols + 1), np.float32)
    field[:, :cols] = elevation - elevation.min()  # whose digits float32 would lose far from 0
    field[:, cols] = field[:, 0]
    return field


def _levels(steps: Steps, angle: float, gap: float) -> Array:
    """Blur level of the ground for each step. angle: rad, between two rays. gap: cells, see
    `SKY_GAP`.
    """
    # Twos in a number below the next power of two: one more than its logarithm, rounded down.
    levels: Array = np.frexp(steps.cells * (angle / gap))[1].astype(np.int64)
    return np.maximum(levels, 0)


def _blurred(elevation: Array, levels: int, wrap: bool, threads: int) -> Array:
    """Ground at increasing blur levels, (levels, rows, cols + 1) float32."""
    from .kernels import horizon

    ground = _ground(elevation)
    fields = np.empty((levels, *ground.shape), np.float32)
    fields[0] = ground
    for level in range(1, levels):
        work = partial(_widen, horizon.widen, fields, level, wrap)
        in_bands(work, len(ground), threads)
    return fields


def _widen(widen: Any, fields: Array, level: int, wrap: bool, first: int, last: int) -> None:
    widen(fields[level - 1], fields[level], 1 << (level - 1), first, last, wrap)


def _rays(
    elevation: Array, steps: Steps, angle: float, gap: float, wrap: bool, threads: int
) -> Any:
    """`kernels.horizon.Rays` for sample points. angle, gap: see `_levels`."""
    from .kernels import horizon

    levels = _levels(steps, angle, gap)
    return horizon.Rays(
        fields=_blurred(elevation, int(levels.max(initial=0)) + 1, wrap, threads),
        starts=steps.starts,
        steps=steps.offsets,
        levels=levels,
        parts=steps.parts,
        per_meter=steps.per_meter,
        wrap=wrap,
    )


def azimuths(count: int) -> Array:
    """Unit vectors along columns and rows, (count, 2), evenly spread; count: a multiple of 4.

    Mirrored or transposed they are the same vectors bit for bit.
    """
    # None lies along an axis: beside a wall, half of those would be on its wrong side.
    quarter = count // 4
    _, cosine = sincos((np.arange(quarter) + 0.5) * (math.pi / (2 * quarter)))
    sine = cosine[::-1]
    return np.concatenate([np.stack([x * cosine, y * sine], 1) for x in (1, -1) for y in (1, -1)])


def _distances(farthest: int) -> Array:
    """Integers from 1 to `farthest` with growing gaps."""
    cells = [1]
    while cells[-1] < farthest:
        cells.append(max(cells[-1] + 1, int(cells[-1] * GROWTH)))
    return np.array(cells)


def sky_share(
    elevation: Array,
    spacing: tuple[float, float],
    count: int,
    radius: float,
    wrap: bool,
    threads: int = 1,
    tally: Tally | None = None,
) -> Array:
    """Share of the sky that each place sees, (rows, cols) float32; see `kernels.sky.see_sky`.

    elevation: (rows, cols) m. count: azimuths, a multiple of 4 up to 64. radius: m, how far away
    the ground is looked at. wrap: whether the terrain is a seamless tile; else all beyond its edges
    is open sky. tally: gets 1 in all.
    """
    from .kernels import sky

    tally = tally or Tally()
    directions = azimuths(count * RAYS)
    steps = steps_towards(directions, spacing, _distances(max(elevation.shape)), radius)
    rays = _rays(elevation, steps, 2 * math.pi / len(directions), SKY_GAP, wrap, threads)
    slopes = gradient(elevation, spacing, wrap)
    toward = directions.astype(np.float32)
    share = np.empty(elevation.shape, np.float32)

    def see(first: int, last: int) -> None:
        sky.see_sky(rays, slopes, toward, first, last, share)
        tally.add((last - first) / len(share))

    in_bands(see, len(share), threads)
    return share


def sun_share(
    elevation: Array,
    spacing: tuple[float, float],
    direction: tuple[float, float, float],
    radius: float,
    wrap: bool,
    threads: int = 1,
    tally: Tally | None = None,
) -> Array:
    """Share of a sun's disc that each place sees, (rows, cols) float32; see
    `kernels.horizon.see_sun`.

    direction: unit vector to the sun's middle. radius: of the disc, rad. A sun below the level line
    is set, even for summits; wrapping, the shadow of the terrain ends after one length of it.
    tally: gets 1 in all.
    """
    from .kernels.horizon import see_sun

    tally = tally or Tally()
    level = math.sqrt(direction[0] * direction[0] + direction[1] * direction[1])
    height = math.copysign(atan2(abs(direction[2]), level), direction[2])
    radius = max(radius, SMALLEST_SUN)
    if height + radius <= 0:
        tally.add(1.0)
        return np.zeros(elevation.shape, np.float32)
    lowest = max(height - radius, 1e-9)
    rows = elevation.shape[0] * spacing[0]
    cols = elevation.shape[1] * spacing[1]
    extent = math.sqrt(rows * rows + cols * cols)
    # beyond, rays pass above everything
    farthest = min(float(np.ptp(elevation)) / float(tan(lowest)), extent)
    turns, halves, weights = _strips(
        float(atan2(radius, level)) / radius, radius, farthest / min(spacing)
    )
    middle = np.array(direction[:2]) if level else np.array([1.0, 0.0])
    across, along = (part[:, None] for part in sincos(turns))
    directions = middle * along + middle[::-1] * (-1, 1) * across
    cells = np.arange(1, min(max(elevation.shape), int(farthest / min(spacing)) + 1) + 1)
    steps = steps_towards(directions, spacing, cells, max(farthest, 0.0))
    angle = 2 * abs(float(turns[0])) / len(turns) + 1e-9
    rays = _rays(elevation, steps, angle, SUN_GAP, wrap, threads)
    share = np.empty(elevation.shape, np.float32)

    def see(first: int, last: int) -> None:
        see_sun(rays, height, halves, weights, first, last, share)
        tally.add((last - first) / len(share))

    in_bands(see, len(share), threads)
    return share


def _strips(wider: float, radius: float, farthest: float) -> tuple[Array, Array, Array]:
    """Directions, half lengths and weights of the upright strips of a disc, see
    `kernels.horizon.see_sun`.

    wider: how much further apart things are on the compass than at this height. farthest: cells to
    look at.
    """
    count = min(max(int(2 * radius * wider * farthest), 1), MOST_STRIPS) | 1
    angle = np.arange(1, count + 1) * (math.pi / (count + 1))
    sine, cosine = sincos(angle)
    return radius * wider * cosine, radius * sine, 2 / (count + 1) * sine * sine
