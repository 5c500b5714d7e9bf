# SPDX-License-Identifier: GPL-3.0-or-later
"""Fourier transforms along the first axis, of any length, with the same bits on every machine.

numpy's depend on the C library's sines and on fused products of some processors. These use sums and
products of whole arrays: Stockham's algorithm (1966) for lengths of small factors, Bluestein's
convolution (1970) for others. Complex numbers are arrays (2, …): real parts, imaginary parts.
"""

import math
from collections.abc import Iterator

import numpy as np

from ..base.arrays import Array
from ..base.kernels.elementary import sincos

_LARGEST_FACTOR = 13
"""Largest factor for Stockham's algorithm; a factor p costs p² for p numbers. Other lengths use
Bluestein's.
"""

_BLOCK = 1 << 16
"""Numbers transformed at a time; they fit in the processor's cache."""


def waves(values: Array) -> Array:
    """Forward transform of complex values (2, n, …): Σ_j v_j exp(-2πi jk / n) for each k."""
    return _swapped(summed(_swapped(values)))


def summed(spectrum: Array) -> Array:
    """Inverse transform of a complex spectrum (2, n, …), times n."""
    lanes = spectrum.reshape(2, spectrum.shape[1], -1)
    total = np.empty_like(lanes)
    transform = _transform(lanes.shape[1])
    for block in _blocks(*lanes.shape[1:]):
        total[:, :, block] = transform(lanes[:, :, block])
    return total.reshape(spectrum.shape)


def real_summed(spectrum: Array, length: int) -> Array:
    """Real inverse transform (length, lanes) of the nonnegative half of a spectrum, (2, length // 2
    + 1, lanes).
    """
    half, lanes = spectrum.shape[1:]
    pairs = (lanes + 1) // 2
    total = np.empty((length, lanes))
    transform = _transform(length)
    mirror = slice(length - half, 0, -1)  # of wave `half` and those after it
    for block in _blocks(length, pairs):
        # Two lanes are one complex transform: its real and its imaginary part.
        first = spectrum[:, :, block]
        last = spectrum[:, :, pairs:][:, :, block]
        second = np.zeros_like(first)
        second[:, :, : last.shape[2]] = last
        both = np.empty((2, length, first.shape[2]))
        np.subtract(first[0], second[1], out=both[0, :half])
        np.add(first[1], second[0], out=both[1, :half])
        np.add(first[0, mirror], second[1, mirror], out=both[0, half:])
        np.subtract(second[0, mirror], first[1, mirror], out=both[1, half:])
        # their own mirror images, and so real
        for alone in {0, length // 2} if length % 2 == 0 else {0}:
            both[0, alone] = first[0, alone]
            both[1, alone] = second[0, alone]
        values = transform(both)
        total[:, :pairs][:, block] = values[0]
        total[:, pairs:][:, block] = values[1, :, : last.shape[2]]
    return total


def _blocks(length: int, lanes: int) -> Iterator[slice]:
    width = max(1, _BLOCK // length)
    return (slice(start, min(start + width, lanes)) for start in range(0, lanes, width))


def _transform(length: int) -> "_Stockham | _Bluestein":
    return _Stockham(length) if max(_factors(length)) <= _LARGEST_FACTOR else _Bluestein(length)


def _swapped(values: Array) -> Array:
    """Real and imaginary parts swapped, which turns a transform into its inverse."""
    return values[::-1]


class _Stockham:
    """Mixed-radix transform of one length."""

    def __init__(self, length: int) -> None:
        self._length = length
        self._factors = _factors(length)
        self._turns = turns(np.arange(length), length)

    def __call__(self, values: Array) -> Array:
        """Transform of values (2, n, lanes)."""
        size = 1
        shape = values.shape
        for factor in self._factors:
            left = self._length // (size * factor)
            parts = values.reshape(2, factor, left, size, -1)
            values = np.empty((2, left, factor, *parts.shape[3:]))
            sums = _four(parts) if factor == 4 else self._few(parts)
            for number, part in enumerate(sums):
                ahead = np.arange(left) * (number * size) % self._length
                _multiply(
                    part,
                    self._turns[:, ahead, None, None] if ahead.any() else None,
                    values[:, :, number],
                )
            size *= factor
        return values.reshape(shape)

    def _few(self, parts: Array) -> Iterator[Array]:
        """Transform of a few parts (2, n, …): sums of the parts times roots of unity."""
        count = parts.shape[1]
        for number in range(count):
            total = parts[:, 0].copy()
            for part in range(1, count):
                cosine, sine = self._turns[:, number * part % count * (self._length // count)]
                total[0] += parts[0, part] * cosine - parts[1, part] * sine
                total[1] += parts[0, part] * sine + parts[1, part] * cosine
            yield total


def _multiply(values: Array, by: Array | None, out: Array) -> None:
    """Complex products; by: None for 1."""
    if by is None:
        out[:] = values
        return
    real, imaginary = values
    np.subtract(real * by[0], imaginary * by[1], out=out[0])
    np.add(real * by[1], imaginary * by[0], out=out[1])


def _four(parts: Array) -> list[Array]:
    """Transform of four parts, whose roots of unity are 1, i, -1, -i."""
    even = parts[:, 0] + parts[:, 2]
    odd = parts[:, 1] + parts[:, 3]
    left = parts[:, 0] - parts[:, 2]
    across = parts[:, 1] - parts[:, 3]
    turned = np.stack([-across[1], across[0]])
    return [even + odd, left + turned, even - odd, left - turned]


class _Bluestein:
    """Transform of any length as a convolution, by jk = (j² + k² - (k - j)²) / 2."""

    def __init__(self, length: int) -> None:
        place = np.arange(length)
        self._chirp = turns(place * place, 2 * length)[:, :, None]
        self._transform = _Stockham(1 << (2 * length - 1).bit_length())
        back = np.zeros((2, 1 << (2 * length - 1).bit_length(), 1))
        back[0, :length] = self._chirp[0]
        back[1, :length] = -self._chirp[1]
        back[:, back.shape[1] - length + 1 :] = back[:, length - 1 : 0 : -1]
        self._back = self._transform(back) / back.shape[1]

    def __call__(self, values: Array) -> Array:
        """Transform of values (2, n, lanes)."""
        length = values.shape[1]
        padded = np.zeros((2, self._back.shape[1], values.shape[2]))
        result = np.empty_like(values)
        _multiply(values, self._chirp, padded[:, :length])
        _multiply(self._transform(padded), self._back, padded)
        _multiply(_swapped(self._transform(_swapped(padded)))[:, :length], self._chirp, result)
        return result


def turns(number: Array, length: int) -> Array:
    """exp(2πi number / length) for integers: (2, n)."""
    sine, cosine = sincos((number % length) * (2 * math.pi / length))
    return np.stack([cosine, sine])


def _factors(length: int) -> list[int]:
    """Factors of a length: fours first, then primes."""
    factors = []
    factor = 2
    while length > 1:
        if length % 4 == 0:
            factors.append(4)
            length //= 4
        elif length % factor == 0:
            factors.append(factor)
            length //= factor
        else:
            factor = factor + 1 if factor * factor <= length else length
    return factors or [1]
