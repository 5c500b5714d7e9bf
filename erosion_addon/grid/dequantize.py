# SPDX-License-Identifier: GPL-3.0-or-later
"""Terraces in heights that were stored with few steps, such as 8-bit images, and how to smooth them away.

Rounding moved each height by half a step at most, so none is moved back by more: cliffs, peaks and valleys stay. Within
that the surface is bent as little as it can be, on a coarse grid first and so to the finest. Rough ground, which climbs
a step and more from point to point and had detail of its own, is left alone.
"""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

MOST_LEVELS = 256
"""Heights that 8 bits tell apart."""
FEWEST_LEVELS = 16
"""Fewer are taken for what was meant, such as the treads of a pyramid, unless somebody says otherwise."""
_LOOK = 4096
_ROUNDS = 24
_COARSEST = 8
_STEEP = (0.6, 1.2)
"""Steps from point to point: gentle below the first, steep above the second."""
_CUT_OFF = (0.1, 0.16)
"""Mean squares of what heights were moved by, in steps: 1/12 for what rounding had moved, 1/4 for half steps."""


def step_of(elevation: Array, fewest: int = FEWEST_LEVELS) -> float | None:
    """Meters between two neighboring heights where all of them lie on `fewest` to 256 even steps; else None.

    elevation: (rows, cols) meters. Quick where there are more.
    """
    heights = elevation.ravel()
    if len(np.unique(heights[:: max(1, heights.size // _LOOK)])) > MOST_LEVELS or heights.size <= MOST_LEVELS:
        return None
    levels = np.unique(heights)
    if not max(fewest, 2) <= len(levels) <= MOST_LEVELS:
        return None
    gaps = np.diff(levels)
    step = float(gaps.min())
    rounding = 4 * float(np.spacing(np.float32(np.abs(levels).max())))  # of heights that went through float32
    even = np.abs(gaps - np.rint(gaps / step) * step) <= 0.01 * step + rounding
    return float((levels[-1] - levels[0]) / np.rint(gaps / step).sum()) if even.all() else None


def smooth_steps(elevation: Array, step: float) -> Array:
    """`elevation` (rows, cols) without the terraces of its `step` (m), each height at most half a step from where it
    was."""
    heights = np.asarray(elevation, np.float64)
    moved = _smoothest(heights, step)
    moved -= heights
    moved *= _smooth_ground(heights, moved, step)
    moved += heights
    return np.clip(moved, heights - step / 2, heights + step / 2)


def _smoothest(heights: Array, step: float) -> Array:
    if min(heights.shape) <= _COARSEST:
        smooth = heights.copy()
    else:
        smooth = _finer(_smoothest(_coarser(heights), step), heights.shape)
    low, high = heights - step / 2, heights + step / 2
    for _ in range(_ROUNDS):
        smooth = np.clip(_flowed(smooth), low, high)
    return smooth


def _smooth_ground(heights: Array, moved: Array, step: float) -> Array:
    """From 0 where the ground is rough to 1 where it is not: it climbs little from point to point, or the smooth
    surface lies within the half steps, not at their ends everywhere as where it cuts off what was there."""
    climb = [np.diff(heights, axis=axis, append=heights.take([-1], axis)) for axis in (0, 1)]
    gentle = _share(_spread(np.sqrt(climb[0] * climb[0] + climb[1] * climb[1]) / step), *_STEEP)
    return np.maximum(gentle, _share(_spread(np.square(moved / step)), *_CUT_OFF))


def _share(values: Array, all_below: float, none_above: float) -> Array:
    share: Array = np.clip((none_above - values) / (none_above - all_below), 0.0, 1.0)
    return share


def _spread(values: Array) -> Array:
    for _ in range(3):
        values = _blurred(values)
    return values


def _flowed(heights: Array) -> Array:
    """One round of flow to less bending: a blur, taken twice off, which keeps curves of second degree as they are."""
    once = _blurred(heights)
    return 2 * once - _blurred(once)


def _blurred(heights: Array) -> Array:
    """Binomial mean of 5 × 5; the border goes on as steep as it is."""
    blurred = heights
    for axis in (0, 1):
        wide = np.pad(
            blurred, [(2, 2) if axis == side else (0, 0) for side in (0, 1)], mode="reflect", reflect_type="odd"
        )
        parts = [np.moveaxis(wide, axis, 0)[start : start + heights.shape[axis]] for start in range(5)]
        mean = (parts[0] + parts[4] + 4 * (parts[1] + parts[3]) + 6 * parts[2]) / 16
        blurred = np.moveaxis(mean, 0, axis)
    return blurred


def _coarser(heights: Array) -> Array:
    """Every second point, as the mean of those around it."""
    return np.ascontiguousarray(_blurred(heights)[::2, ::2])


def _finer(heights: Array, shape: tuple[int, ...]) -> Array:
    """Twice as many points, between those there were; an odd one at the end goes on as steep."""
    for axis, count in enumerate(shape):
        lines = np.moveaxis(heights, axis, 0)
        lines = np.concatenate([lines, 2 * lines[-1:] - lines[-2:-1]])
        double = np.empty((2 * len(lines) - 1, *lines.shape[1:]))
        double[::2] = lines
        double[1::2] = (lines[:-1] + lines[1:]) / 2
        heights = np.moveaxis(double[:count], 0, axis)
    return heights
