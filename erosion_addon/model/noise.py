# SPDX-License-Identifier: GPL-3.0-or-later
"""Noise on a site: waves by numpy's Fourier transform, and distances to scattered points.

A wave's or a point's random numbers are a hash of its own number, so the same seed gives the same landscape whatever
the number of cells. All fields are (period) of the site and repeat beyond it.
"""

import math

import numpy as np

from .site import Site
from .state import Array

_BLOCK = 32
"""Rows that are compared with all points at a time, so that they stay in the processor's cache."""


def random(seed: int, stream: int, first: Array, second: Array) -> Array:
    """Numbers from -1 to 1 for pairs of whole numbers, the same on every machine: splitmix64 (Steele et al. 2014)."""
    with np.errstate(over="ignore"):
        state = _mixed(np.array((seed << 8) + stream, np.uint64))
        state = _mixed(state + np.asarray(first).astype(np.int64).view(np.uint64))
        state = _mixed(state + np.asarray(second).astype(np.int64).view(np.uint64))
    return (state >> np.uint64(11)).astype(np.float64) * 2.0**-52 - 1.0


def _mixed(state: Array) -> Array:
    state = state * np.uint64(0x9E3779B97F4A7C15) + np.uint64(0xD1B54A32D192ED03)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(state ^ (state >> np.uint64(31)))


def white(site: Site, stream: int, highest: float = math.inf) -> Array:
    """Waves of all lengths, equally strong, up to so many along the longer side: a spectrum for `field`."""
    along, across = _waves(site, highest)
    real, imaginary = (random(site.seed, 2 * stream + part, along, across) for part in (0, 1))
    spectrum: Array = real + 1j * imaginary
    # Of waves along the rows, those to the left are the mirror images of those to the right.
    below = len(spectrum) // 2
    spectrum[len(spectrum) - below :, 0] = np.conj(spectrum[1 : below + 1, 0][::-1])
    spectrum[0, 0] = 0.0
    return spectrum


def frequency(site: Site, highest: float = math.inf) -> Array:
    """How many waves of each entry of such a spectrum lie along the longer side of the terrain."""
    along, across = _waves(site, highest)
    rows, cols = site.period
    return site.longer_side * np.hypot(along / (rows * site.spacing[0]), across / (cols * site.spacing[1]))


def _waves(site: Site, highest: float) -> tuple[Array, Array]:
    """How often waves repeat in a period along rows (n, 1), 0 first and the negative ones last, and columns (1, m)."""
    rows, cols = (
        min(side, 1 + 2 * int(min(highest * side * space / site.longer_side, side))) for side, space in _sides(site)
    )
    return np.rint(np.fft.fftfreq(rows) * rows)[:, None], np.arange(cols // 2 + 1.0)[None, :]


def field(site: Site, spectrum: Array) -> Array:
    """The sum of the waves of a spectrum, whose heights do not depend on how many cells there are."""
    rows, cols = site.period
    below = spectrum.shape[0] // 2  # so many are negative
    lines = np.zeros((rows, spectrum.shape[1]), complex)
    lines[: len(spectrum) - below] = spectrum[: len(spectrum) - below]
    lines[rows - below :] = spectrum[len(spectrum) - below :]
    return np.asarray(np.fft.irfft(np.fft.ifft(lines, axis=0, norm="forward"), cols, axis=1, norm="forward"))


def band(site: Site, waves: float, stream: int) -> Array:
    """Noise of about one wavelength, of which so many fit into the longer side; its standard deviation is 1, or 0 where
    the cells are too few to show it."""
    return octaves(site, waves, 1, 1.0, stream)


def octaves(site: Site, waves: float, count: int, gain: float, stream: int) -> Array:
    """The sum over k < count of gain^k times noise of `waves` · 2^k waves along the longer side (fBm).

    Amplitude is exp(-u²/0.18) with u = frequency / waves - 1, and waves lie as densely as the period is large, so that
    the variance is 2/3 (that of a random wave) · area / side² · 2π ∫ f exp(-2u²/0.18) df = 0.4 π^1.5 · waves² · area /
    side². Where waves are few, they are measured instead.
    """
    highest = waves * 2.0 ** (count - 1) * 2.5
    strength, heard = frequency(site, highest), white(site, stream, highest)
    area = math.prod(side * space for side, space in _sides(site)) / site.longer_side**2
    power = np.zeros(strength.shape)
    for octave in range(count):
        middle = waves * 2.0**octave
        shape = np.exp(-((strength / middle - 1.0) ** 2) / 0.09)
        variance = 0.4 * math.pi**1.5 * middle**2 * area
        if middle < 4:
            waves_power = shape * np.abs(heard) ** 2
            variance = 2.0 * float(waves_power.sum()) - float(waves_power[:, 0].sum())
        power += gain ** (2 * octave) / max(variance, 1e-12) * shape
    return field(site, heard * np.sqrt(power))


def bend(site: Site, stream: int) -> Array:
    """Noise from -1 to 1 that winds at a few places and trembles at some more; for warping and coasts."""
    waves = np.maximum(frequency(site, 100.0), 1e-9)
    fading = np.exp(-((waves / 40) ** 2)) * np.minimum(waves / 2, 1) / waves**2.1
    made = field(site, white(site, 100 + stream, 100.0) * fading)
    return np.asarray(made / max(float(np.abs(made).max()), 1e-30))


def distances(site: Site, cells: int, stream: int) -> tuple[Array, Array]:
    """Distances to the nearest and the second nearest of scattered points, in units of their mean distance
    (Worley 1996). One point lies in each square of a grid of about `cells` squares along the longer side.
    """
    # What lies between two whole numbers is rounded alike whatever the number of cells, which changes it by a trifle.
    counts = [max(1, int(cells * side * space / site.longer_side + 0.55)) for side, space in _sides(site)]
    y, x = (np.arange(side) * (count / side) for count, side in zip(counts, site.period, strict=True))
    at = np.arange(counts[0])[:, None], np.arange(counts[1])[None, :]
    down, right = (0.5 + 0.5 * random(site.seed, stream + axis, *at) for axis in (0, 1))
    # Points beyond the edges are those of the other side.
    points = [
        (row + down[row % counts[0], col % counts[1]], col + right[row % counts[0], col % counts[1]])
        for row in range(-2, counts[0] + 2) for col in range(-2, counts[1] + 2)
    ]  # fmt: skip
    nearest, second = np.full(site.period, np.inf), np.full(site.period, np.inf)
    for start in range(0, len(y), _BLOCK):
        block = slice(start, start + _BLOCK)
        for point in points:
            _compare(point, y[block], x, nearest[block], second[block])
    return np.sqrt(nearest, out=nearest), np.sqrt(second, out=second)


def _compare(point: tuple[float, float], y: Array, x: Array, nearest: Array, second: Array) -> None:
    """Take squared distances to one more point into account, for cells at `y` and `x`."""
    rows, cols = _window(point[0], y), _window(point[1], x)
    if rows.start < rows.stop:
        away = ((y[rows] - point[0]) ** 2)[:, None] + ((x[cols] - point[1]) ** 2)[None, :]
        close, other = nearest[rows, cols], second[rows, cols]
        np.minimum(other, np.maximum(close, away), out=other)
        np.minimum(close, away, out=close)


def _sides(site: Site) -> list[tuple[int, float]]:
    return list(zip(site.period, site.spacing, strict=True))


def _window(point: float, places: Array) -> slice:
    """The cells at sorted `places`, in squares, that may have the point for their second nearest: it never lies further
    than the far corner of the next square, √(1.5² + 1²) away."""
    low, high = np.searchsorted(places, (point - 1.81, point + 1.81))
    return slice(int(low), int(high))
