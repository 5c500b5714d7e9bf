# SPDX-License-Identifier: GPL-3.0-or-later
"""Terracing in heights stored with few levels, such as 8-bit images and whole meters, and its
removal.

Rounding moved each height by at most half a level, so no height moves back by more: cliffs, peaks
and valleys stay. Within that limit the curvature is minimized, from a coarse grid to the finest.
Rough ground, which climbs a level or more from point to point, keeps its detail.
"""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

MOST_LEVELS = 1 << 13
"""Number of levels up to which terraces are looked for: whole meters from the sea to the highest
mountains.
"""
FEWEST_LEVELS = 16
"""Fewer levels count as intended, such as the treads of a pyramid, unless the caller says
otherwise.
"""
_REPEATS = 4
"""Least mean number of cells on a level; fewer may lie on even levels by chance."""
_LOOK = 4096
_ROUNDS = 24
_COARSEST = 8
_STEEP = (0.6, 1.2)
"""Levels climbed from point to point: gentle below the first, steep above the second."""
_CUT_OFF = (0.1, 0.16)
"""Mean squared correction in levels: 1/12 for rounding errors, 1/4 for corrections clipped at half
a level.
"""


def step_of(elevation: Array, fewest: int = FEWEST_LEVELS) -> float | None:
    """Height of a level in meters if all heights lie on few even levels, `fewest` or more; else
    None.

    elevation: (rows, cols) meters. Returns early if there are more.
    """
    heights = elevation.ravel()
    some = np.unique(heights[:: max(1, heights.size // _LOOK)])
    if len(some) < 2 or some[-1] - some[0] > MOST_LEVELS * np.diff(some).min():
        return None
    levels = np.unique(heights)
    if not max(fewest, 2) <= len(levels) <= heights.size / _REPEATS:
        return None
    return _even_step(levels)


def _even_step(levels: Array) -> float | None:
    """Distance of which all distances of the levels are multiples, at most `MOST_LEVELS` from end
    to end.
    """
    gaps = np.diff(levels)
    step = float(gaps.min())
    # of heights that went through float32
    rounding = 4 * float(np.spacing(np.float32(np.abs(levels).max())))
    if step <= _REPEATS * rounding or levels[-1] - levels[0] > MOST_LEVELS * step:
        return None
    even = np.abs(gaps - np.rint(gaps / step) * step) <= 0.01 * step + rounding
    return float((levels[-1] - levels[0]) / np.rint(gaps / step).sum()) if even.all() else None


def smooth_steps(elevation: Array, step: float | Array) -> Array:
    """`elevation` (rows, cols) without terracing of height `step` (m); no height changes by more
    than half a step.

    step: of all cells, or of each, as floats of 16 bits have it.
    """
    heights = np.asarray(elevation, np.float64)
    smooth = _smoothest(heights, step)
    smooth -= heights
    smooth *= _smooth_ground(heights, smooth, step)
    smooth += heights
    return np.clip(smooth, heights - step / 2, heights + step / 2)


def _smoothest(heights: Array, step: float | Array) -> Array:
    if min(heights.shape) <= _COARSEST:
        smooth = heights.copy()
    else:
        coarse = step[::2, ::2] if isinstance(step, np.ndarray) else step
        smooth = _finer(_smoothest(_coarser(heights), coarse), heights.shape)
    low = heights - step / 2
    high = heights + step / 2
    for _ in range(_ROUNDS):
        smooth = np.clip(_flowed(smooth), low, high)
    return smooth


def _smooth_ground(heights: Array, change: Array, step: float | Array) -> Array:
    """Weight from 0 on rough ground to 1 on smooth ground.

    Smooth ground climbs little from point to point, or its corrections lie within the half levels
    and are not clipped everywhere.
    """
    climb = [np.diff(heights, axis=axis, append=heights.take([-1], axis)) for axis in (0, 1)]
    gentle = _share(_spread(np.sqrt(climb[0] * climb[0] + climb[1] * climb[1]) / step), *_STEEP)
    return np.maximum(gentle, _share(_spread(np.square(change / step)), *_CUT_OFF))


def _share(values: Array, all_below: float, none_above: float) -> Array:
    share: Array = np.clip((none_above - values) / (none_above - all_below), 0.0, 1.0)
    return share


def _spread(values: Array) -> Array:
    for _ in range(3):
        values = _blurred(values)
    return values


def _flowed(heights: Array) -> Array:
    """One step of curvature flow: a blur minus its second application, which preserves
    quadratics.
    """
    once = _blurred(heights)
    return 2 * once - _blurred(once)


def _blurred(heights: Array) -> Array:
    """Binomial mean over 5 × 5 points; the border is extrapolated linearly."""
    blurred = heights
    for axis in (0, 1):
        wide = np.pad(
            blurred,
            [(2, 2) if axis == side else (0, 0) for side in (0, 1)],
            mode="reflect",
            reflect_type="odd",
        )
        parts = [
            np.moveaxis(wide, axis, 0)[start : start + heights.shape[axis]] for start in range(5)
        ]
        mean = (parts[0] + parts[4] + 4 * (parts[1] + parts[3]) + 6 * parts[2]) / 16
        blurred = np.moveaxis(mean, 0, axis)
    return blurred


def _coarser(heights: Array) -> Array:
    """Every second point, smoothed over its neighbors."""
    return np.ascontiguousarray(_blurred(heights)[::2, ::2])


def _finer(heights: Array, shape: tuple[int, ...]) -> Array:
    """Interpolation to twice as many points; an odd last point is extrapolated."""
    for axis, count in enumerate(shape):
        lines = np.moveaxis(heights, axis, 0)
        lines = np.concatenate([lines, 2 * lines[-1:] - lines[-2:-1]])
        double = np.empty((2 * len(lines) - 1, *lines.shape[1:]))
        double[::2] = lines
        double[1::2] = (lines[:-1] + lines[1:]) / 2
        heights = np.moveaxis(double[:count], 0, axis)
    return heights
