# SPDX-License-Identifier: GPL-3.0-or-later
"""Resampling of heights, masks and changes of height.

Interpolation is linear, or cubic after Catmull & Rom (1974), "A class of local interpolating
splines".
"""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

_STEEPEST = 3.0
_BLOCK = 256
"""Columns processed at a time; they fit in the processor's cache."""


def interpolated(place: Array, points: Array, values: Array) -> Array:
    """Piecewise linear interpolation of values (n,) at increasing points (n,); constant beyond
    them.
    """
    last = np.clip(np.searchsorted(points, place, side="right"), 1, len(points) - 1)
    share = (place - points[last - 1]) / (points[last] - points[last - 1])
    below = values[last - 1]
    above = values[last]
    line: Array = below + np.clip(share, 0.0, 1.0) * (above - below)
    return line


def catmull_rom(part: Array) -> tuple[Array, Array, Array, Array]:
    """Catmull-Rom weights of the four points around positions that lie `part` (0-1) past the
    second.
    """
    square: Array = part * part
    cube: Array = square * part
    before: Array = square - (cube + part) / 2
    weight: Array = 1 + (3 * cube - 5 * square) / 2
    after: Array = 2 * square + (part - 3 * cube) / 2
    beyond: Array = (cube - square) / 2
    return before, weight, after, beyond


def spread(means: Array, shape: tuple[int, int]) -> Array:
    """Cell means (rows, cols), float32, interpolated smoothly to the centers of the finer cells of
    `shape`, border to border.

    A matrix product, fast enough for a preview.
    """
    rows, cols = (_shares(coarse, fine) for coarse, fine in zip(means.shape, shape, strict=True))
    result: Array = rows @ means.astype(np.float32) @ cols.T
    return result


def _shares(coarse: int, fine: int) -> Array:
    """(fine, coarse) float32 weights along one axis; linear beyond the ends."""
    place = (np.arange(fine) + 0.5) * coarse / fine - 0.5
    low = np.floor(place).astype(int)
    padded = np.zeros((fine, coarse + 4), np.float32)
    for offset, share in enumerate(catmull_rom(place - low), 1):
        padded[np.arange(fine), low + offset] = share
    shares = padded[:, 2:-2]
    for end, beyond in ((shares, padded[:, 1::-1]), (shares[:, ::-1], padded[:, -2:])):
        for steps in (1, 2):  # cells beyond the end continue the slope of the last two
            end[:, 0] += (1 + steps) * beyond[:, steps - 1]
            end[:, 1] -= steps * beyond[:, steps - 1]
    return np.ascontiguousarray(shares)


def resized(values: Array, shape: tuple[int, int]) -> Array:
    """Heights (rows, cols), at least 2 × 2, at `shape` points over the same ground, corner to
    corner; never out of their range.

    Finer grids sample a monotone cubic, whose slopes are at most three times those to either
    neighbor (Fritsch, Carlson 1980), relaxed on round crests: no ripples beside cliffs, no
    flattened ridges. Coarser grids hold means, so nothing below the new cell size aliases; the
    window shrinks to nothing for a grid that is hardly coarser, which stays crisp. Planes stay
    planes, and border points stay on the border.
    """
    if values.shape == shape:
        return values.copy()
    low = values.min()
    high = values.max()
    result = values
    for axis, count in enumerate(shape):
        if result.shape[axis] != count:
            result = np.moveaxis(_along(np.moveaxis(result, axis, 0), count), 0, axis)
    return np.ascontiguousarray(np.clip(result, low, high))


def _along(values: Array, count: int) -> Array:
    """Resampling along the first axis."""
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
    # continued with the same slope
    points = np.pad(points, ((reach, reach), (0, 0)), mode="reflect", reflect_type="odd")
    slopes = _slopes(points)
    place = place + reach
    integral = np.zeros_like(points)
    np.cumsum(
        (points[:-1] + points[1:]) / 2 + (slopes[:-1] - slopes[1:]) / 12, axis=0, out=integral[1:]
    )
    right, left = (
        _integral(points, slopes, integral, end) for end in (place + width / 2, place - width / 2)
    )
    return (right - left) / width


def _slopes(points: Array) -> Array:
    steps = np.diff(points, axis=0)
    limit = _STEEPEST * np.minimum(np.abs(steps[:-1]), np.abs(steps[1:])) + _shared_bend(
        np.diff(steps, axis=0)
    )
    middle = np.clip((steps[:-1] + steps[1:]) / 2, -limit, limit)
    return np.concatenate([steps[:1], middle, steps[-1:]])


def _shared_bend(bends: Array) -> Array:
    """Smallest second difference of each point and its neighbors, 0 where their signs differ.

    The slope limit is relaxed by this much. On a round crest between two points it is large, and
    the crest is not cut flat; beside a cliff it is 0.
    """
    padded = np.pad(bends, ((1, 1), (0, 0)))
    padded = np.stack([padded[:-2], bends, padded[2:]])
    one_way = np.abs(np.sign(padded).sum(axis=0)) == 3
    least: Array = np.where(one_way, np.abs(padded).min(axis=0), 0.0)
    return least


def _split(place: Array, count: int) -> tuple[Array, Array]:
    """Index of the point before each position, and the distance beyond it (places, 1)."""
    before = np.clip(place.astype(np.intp), 0, count - 2)
    return before, (place - before)[:, None]


def _cubic(points: Array, slopes: Array, place: Array) -> Array:
    """Cubic Hermite interpolation along the first axis, from points and slopes."""
    i, t = _split(place, len(points))
    step = points[i + 1] - points[i]
    bend: Array = points[i] + t * (
        t * (3 - 2 * t) * step + (1 - t) * ((1 - t) * slopes[i] - t * slopes[i + 1])
    )
    return bend


def _integral(points: Array, slopes: Array, sums: Array, place: Array) -> Array:
    """Integral of the cubic from the first point to each position; `sums`: to each point."""
    i, t = _split(place, len(points))
    square = t * t
    cube = t * t * t
    fourth = t * t * t * t
    first = t - cube + fourth / 2
    area: Array = sums[i] + first * points[i] + (t - first) * points[i + 1]
    area += (square / 2 - 2 * cube / 3 + fourth / 4) * slopes[i] + (fourth / 4 - cube / 3) * slopes[
        i + 1
    ]
    return area
