# SPDX-License-Identifier: GPL-3.0-or-later
"""Masks: where erosion acts, how hard the rock is, where it rains, where loose sediment lies."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .errors import InputError
from .state import Array

MASK_KINDS: dict[str, tuple[float, str]] = {
    "strength": (1.0, "where erosion may act: 0 nowhere, 1 fully"),
    "hardness": (1.0, "how much the rock resists: 0 not at all, 1 for ever"),
    "rain": (1e9, "how much it rains, relative to elsewhere"),
    "sediment": (1e9, "thickness of loose sediment at the start, in metres"),
    "source": (1e9, "where the wind brings its sand, relative to elsewhere"),
    "protect": (1.0, "what takes no part: 1 is never dug, but sediment may come to lie there"),
}
"""Kind → highest value (the lowest is 0) and meaning."""


def prepare(masks: Mapping[str, Any] | None, shape: tuple[int, int]) -> tuple[dict[str, Array], list[str]]:
    """Checked float32 masks of `shape` (rows, cols), and a note for each one that had to be resampled.

    Raises InputError for an unknown kind, a wrong shape, values that are not finite or out of range.
    """
    prepared: dict[str, Array] = {}
    notes: list[str] = []
    for kind, values in (masks or {}).items():
        if kind not in MASK_KINDS:
            raise InputError(f"There is no mask {kind}; there are {', '.join(MASK_KINDS)}.")
        highest, meaning = MASK_KINDS[kind]
        try:
            with np.errstate(over="ignore"):
                array = np.asarray(values, dtype=np.float32)
        except (TypeError, ValueError):
            raise InputError(f"The {kind} mask is not a rectangle of numbers.") from None
        if array.ndim != 2 or array.size == 0:
            raise InputError(f"The {kind} mask has the shape {array.shape}; it must have rows and columns.")
        bad = ~((array >= 0) & (array <= highest))  # NaN fails too
        if bad.any():
            row, col = np.argwhere(bad)[0]
            raise InputError(
                f"The {kind} mask ({meaning}) must be from 0 to {highest:g}; "
                f"at row {row}, column {col} it is {array[row, col]:g}."
            )
        if array.shape != shape:
            notes.append(
                f"The {kind} mask was resampled from {array.shape[0]} × {array.shape[1]} to {shape[0]} × {shape[1]}."
            )
            array = resample(array, shape)
        if kind == "rain" and not array.any():
            raise InputError("The rain mask is zero everywhere, so no drop can fall; paint rain somewhere.")
        prepared[kind] = array
    return prepared, notes


def resample(array: Array, shape: tuple[int, int]) -> Array:
    """`array` (rows, cols) stretched over `shape` by bilinear interpolation, corner to corner."""
    resampled = array
    for axis, size in enumerate(shape):
        place = np.linspace(0, array.shape[axis] - 1, size)
        low = np.minimum(place.astype(int), max(array.shape[axis] - 2, 0))
        part = (place - low).astype(np.float32).reshape((-1, 1) if axis == 0 else (1, -1))
        high = np.minimum(low + 1, array.shape[axis] - 1)
        resampled = resampled.take(low, axis) * (1 - part) + resampled.take(high, axis) * part
    return resampled
