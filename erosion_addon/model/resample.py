# SPDX-License-Identifier: GPL-3.0-or-later
"""Heights and masks stretched over another number of rows and columns, corner to corner.

Finer grids are read off a cubic through the points (Catmull, Rom 1974) whose slopes are at most three times those to
either neighbour (Fritsch, Carlson 1980), but for round crests: no ripples beside cliffs, no flattened ridges. Coarser
ones hold its means over the part of a cell that it does not smooth by itself, so that nothing finer than the new cells
is left to flicker, and a grid that is hardly coarser stays as crisp as it was. Planes stay planes, and border points
lie on the old border.
"""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

_STEEPEST = 3.0
_BLOCK = 256
"""Columns worked on at once, so that the processor's cache holds them."""


def resized(values: Array, shape: tuple[int, int]) -> Array:
    """`values` (rows, cols), at least 2 × 2, at `shape` points over the same ground; nowhere beyond their range."""
    if values.shape == shape:
        return values.copy()
    low, high = values.min(), values.max()
    result = values
    for axis, count in enumerate(shape):
        if result.shape[axis] != count:
            result = np.moveaxis(_along(np.moveaxis(result, axis, 0), count), 0, axis)
    return np.ascontiguousarray(np.clip(result, low, high))


def _along(values: Array, count: int) -> Array:
    """The same along the first axis."""
    result = np.empty((count, values.shape[1]), values.dtype)
    for start in range(0, values.shape[1], _BLOCK):
        part = slice(start, start + _BLOCK)
        result[:, part] = _block(values[:, part].astype(np.float64), count)
    return result


def _block(points: Array, count: int) -> Array:
    last = len(points) - 1
    place = np.linspace(0.0, last, count)
    width = last / (count - 1) - 1.0
    if width < 1e-3:  # so small a mean would be lost in rounding
        return _cubic(points, _slopes(points), place)
    reach = int(np.ceil(width / 2)) + 1
    points = np.pad(points, ((reach, reach), (0, 0)), mode="reflect", reflect_type="odd")  # goes on as steep as it was
    slopes, place = _slopes(points), place + reach
    whole = np.zeros_like(points)
    np.cumsum((points[:-1] + points[1:]) / 2 + (slopes[:-1] - slopes[1:]) / 12, axis=0, out=whole[1:])
    right, left = (_integral(points, slopes, whole, end) for end in (place + width / 2, place - width / 2))
    return (right - left) / width


def _slopes(points: Array) -> Array:
    steps = np.diff(points, axis=0)
    limit = _STEEPEST * np.minimum(np.abs(steps[:-1]), np.abs(steps[1:])) + _shared_bend(np.diff(steps, axis=0))
    middle = np.clip((steps[:-1] + steps[1:]) / 2, -limit, limit)
    return np.concatenate([steps[:1], middle, steps[-1:]])


def _shared_bend(bends: Array) -> Array:
    """The least bend of each point and both its neighbours, 0 where they bend in different ways.

    So much more slope is left to a round crest that lies between two points, where the limit alone would cut it flat;
    beside a cliff it is 0.
    """
    around = np.pad(bends, ((1, 1), (0, 0)))
    around = np.stack([around[:-2], bends, around[2:]])
    one_way = np.abs(np.sign(around).sum(axis=0)) == 3
    least: Array = np.where(one_way, np.abs(around).min(axis=0), 0.0)
    return least


def _split(place: Array, count: int) -> tuple[Array, Array]:
    """Before which points places lie, and how far beyond them (places, 1)."""
    before = np.clip(place.astype(np.intp), 0, count - 2)
    return before, (place - before)[:, None]


def _cubic(points: Array, slopes: Array, place: Array) -> Array:
    """Hermite's cubic through points with slopes, at places along the first axis."""
    i, t = _split(place, len(points))
    step = points[i + 1] - points[i]
    bend: Array = points[i] + t * (t * (3 - 2 * t) * step + (1 - t) * ((1 - t) * slopes[i] - t * slopes[i + 1]))
    return bend


def _integral(points: Array, slopes: Array, whole: Array, place: Array) -> Array:
    """Its area from the first point to places; `whole`: to each point."""
    i, t = _split(place, len(points))
    first = t - t**3 + t**4 / 2
    area: Array = whole[i] + first * points[i] + (t - first) * points[i + 1]
    area += (t**2 / 2 - 2 * t**3 / 3 + t**4 / 4) * slopes[i] + (t**4 / 4 - t**3 / 3) * slopes[i + 1]
    return area
