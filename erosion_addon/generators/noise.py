# SPDX-License-Identifier: GPL-3.0-or-later
"""Noise on a canvas: Fourier synthesis, and distances to scattered points.

Random numbers are hashes of a wave's or point's own index, so a seed gives the same landscape at
any resolution. All fields have the canvas's period.
"""

import math

import numpy as np

from ..base.arrays import Array, ordered_sum
from ..base.kernels.elementary import exp, power
from ..base.kernels.splitmix import GOLDEN, mix
from ..grid import fourier
from .canvas import Canvas

_OFFSET = np.uint64(0xD1B54A32D192ED03)
"""Nonzero offset: the hash of zero is zero."""

_BAND = 0.4 * math.pi * math.sqrt(math.pi)
"""Variance of a band of noise, divided by waves² · area / side²; see `octaves`."""

_BLOCK = 32
"""Rows compared with all points at a time; they fit in the processor's cache."""


def random_numbers(seed: int, stream: int, first: Array, second: Array | int) -> Array:
    """Random numbers from -1 to 1 for pairs of integers, the same on every machine."""
    with np.errstate(over="ignore"):
        state = _mixed(np.array((seed << 8) + stream, np.uint64))
        state = _mixed(state + np.asarray(first).astype(np.int64).view(np.uint64))
        state = _mixed(state + np.asarray(second).astype(np.int64).view(np.uint64))
    return (state >> np.uint64(11)).astype(np.float64) * 2.0**-52 - 1.0


def _mixed(state: Array) -> Array:
    return np.asarray(mix(state * GOLDEN + _OFFSET))


def white(canvas: Canvas, stream: int, highest: float = math.inf) -> Array:
    """Spectrum of white noise for `field`, (2, n, m): real and imaginary parts. highest: most waves
    along the longer side.
    """
    along, across = _waves(canvas, highest)
    spectrum: Array = np.stack(
        [random_numbers(canvas.seed, 2 * stream + part, along, across) for part in (0, 1)]
    )
    # Of waves along the rows, those to the left are the mirror images of those to the right.
    below = spectrum.shape[1] // 2
    for part, sign in zip(spectrum, (1, -1), strict=True):
        part[len(part) - below :, 0] = sign * part[1 : below + 1, 0][::-1]
        part[0, 0] = 0.0
    return spectrum


def frequency(canvas: Canvas, highest: float = math.inf) -> Array:
    """Frequency of each entry of a spectrum, in waves along the longer side of the terrain."""
    along, across = _waves(canvas, highest)
    rows, cols = canvas.period
    along = along / (rows * canvas.spacing[0])
    across = across / (cols * canvas.spacing[1])
    return canvas.longer_side * np.sqrt(along * along + across * across)


def _waves(canvas: Canvas, highest: float) -> tuple[Array, Array]:
    """Waves in a period along rows (n, 1), 0 first and negative ones last, and along columns (1,
    m).
    """
    rows, cols = (
        min(side, 1 + 2 * int(min(highest * side * space / canvas.longer_side, side)))
        for side, space in _sides(canvas)
    )
    along = np.arange(float(rows))
    along[rows - rows // 2 :] -= rows
    return along[:, None], np.arange(cols // 2 + 1.0)[None, :]


def field(canvas: Canvas, spectrum: Array) -> Array:
    """Inverse transform of a spectrum. The heights do not depend on the number of cells."""
    rows, cols = canvas.period
    _, count, heard = spectrum.shape
    below = count // 2  # so many are negative
    lines = np.zeros((2, rows, heard))
    lines[:, : count - below] = spectrum[:, : count - below]
    lines[:, rows - below :] = spectrum[:, count - below :]
    halves = np.zeros((2, cols // 2 + 1, rows))
    halves[:, :heard] = fourier.summed(lines).transpose(0, 2, 1)
    return np.ascontiguousarray(fourier.real_summed(halves, cols).T)


def spectrum(values: Array) -> Array:
    """Spectrum of a field (period): the inverse of `field` up to a factor."""
    cols = values.shape[1]
    lines = fourier.waves(np.stack([values.T, np.zeros_like(values.T)]))[:, : cols // 2 + 1]
    return fourier.waves(lines.transpose(0, 2, 1))


def band(canvas: Canvas, waves: float, stream: int) -> Array:
    """Noise of about one wavelength, with standard deviation 1, or 0 where the cells cannot resolve
    it.

    waves: number along the longer side.
    """
    return octaves(canvas, waves, 1, 1.0, stream)


def octaves(canvas: Canvas, waves: float, count: int, gain: float, stream: int) -> Array:
    """fBm: Σ over k < count of gain^k times noise of `waves` · 2^k waves along the longer side.

    Amplitude is exp(-u²/0.18) with u = frequency / waves - 1. The density of waves is proportional
    to the period's area, so the variance is 2/3 (that of a random wave) · area / side² · 2π ∫ f
    exp(-2u²/0.18) df = 0.4 π^1.5 · waves² · area / side². Low octaves have too few waves for this;
    their variance is measured.
    """
    highest = waves * 2.0 ** (count - 1) * 2.5
    strength = frequency(canvas, highest)
    heard = white(canvas, stream, highest)
    area = math.prod(side * space / canvas.longer_side for side, space in _sides(canvas))
    total = np.zeros(strength.shape)
    share = 1.0
    for octave in range(count):
        middle = waves * 2.0**octave
        shape = exp(-np.square(strength / middle - 1.0) / 0.09)
        variance = _BAND * middle * middle * area
        if middle < 4:
            waves_power = shape * (heard[0] * heard[0] + heard[1] * heard[1])
            variance = 2.0 * ordered_sum(waves_power) - ordered_sum(waves_power[:, 0])
        total += share * share / max(variance, 1e-12) * shape
        share *= gain
    return field(canvas, heard * np.sqrt(total))


def bend(canvas: Canvas, stream: int) -> Array:
    """Noise from -1 to 1 of long waves with a weaker short-wave part; for warping and coasts."""
    waves = np.maximum(frequency(canvas, 100.0), 1e-9)
    fading = exp(-np.square(waves / 40)) * np.minimum(waves / 2, 1) * power(waves, -2.1)
    shift = field(canvas, white(canvas, 100 + stream, 100.0) * fading)
    return np.asarray(shift / max(float(np.abs(shift).max()), 1e-30))


def distances(canvas: Canvas, cells: int, stream: int) -> tuple[Array, Array]:
    """Distances to the nearest and second nearest of scattered points, in units of their mean
    spacing (Worley 1996).

    One point lies in each square of a grid with about `cells` squares along the longer side.
    """
    # What lies between two whole numbers is rounded alike whatever the number of cells, which
    # changes it by a trifle.
    counts = [
        max(1, int(cells * side * space / canvas.longer_side + 0.55))
        for side, space in _sides(canvas)
    ]
    y, x = (
        np.arange(side) * (count / side) for count, side in zip(counts, canvas.period, strict=True)
    )
    row = np.arange(counts[0])[:, None]
    col = np.arange(counts[1])[None, :]
    down, right = (
        0.5 + 0.5 * random_numbers(canvas.seed, stream + axis, row, col) for axis in (0, 1)
    )
    # Points beyond the edges are those of the other side.
    points = [
        (
            row + down[row % counts[0], col % counts[1]],
            col + right[row % counts[0], col % counts[1]],
        )
        for row in range(-2, counts[0] + 2)
        for col in range(-2, counts[1] + 2)
    ]
    nearest = np.full(canvas.period, np.inf)
    second = np.full(canvas.period, np.inf)
    for start in range(0, len(y), _BLOCK):
        block = slice(start, start + _BLOCK)
        for point in points:
            _compare(point, y[block], x, nearest[block], second[block])
    return np.sqrt(nearest, out=nearest), np.sqrt(second, out=second)


def _compare(point: tuple[float, float], y: Array, x: Array, nearest: Array, second: Array) -> None:
    """Update the two least squared distances of cells at `y` and `x` with one more point."""
    rows = _window(point[0], y)
    cols = _window(point[1], x)
    if rows.start < rows.stop:
        away = np.square(y[rows] - point[0])[:, None] + np.square(x[cols] - point[1])[None, :]
        close = nearest[rows, cols]
        neighbor = second[rows, cols]
        np.minimum(neighbor, np.maximum(close, away), out=neighbor)
        np.minimum(close, away, out=close)


def _sides(canvas: Canvas) -> list[tuple[int, float]]:
    return list(zip(canvas.period, canvas.spacing, strict=True))


def _window(point: float, places: Array) -> slice:
    """Range of the sorted `places`, in squares, for which the point may be the nearest or second
    nearest.

    The second nearest is never beyond the far corner of the next square, √(1.5² + 1²) away.
    """
    low, high = np.searchsorted(places, (point - 1.81, point + 1.81))
    return slice(int(low), int(high))
