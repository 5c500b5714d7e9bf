# SPDX-License-Identifier: GPL-3.0-or-later
"""Fourier transforms of any length, against numpy's."""

import numpy as np
import pytest

from erosion_addon.grid import fourier

LENGTHS = (1, 2, 3, 4, 5, 8, 12, 13, 17, 30, 47, 64, 94, 100, 376, 1250)


def pair(values):
    return np.stack([values.real, values.imag])


@pytest.fixture(scope="module")
def values():
    random = np.random.default_rng(1)
    return {n: random.normal(size=(n, 5)) + 1j * random.normal(size=(n, 5)) for n in LENGTHS}


@pytest.mark.parametrize("length", LENGTHS)
def test_transforms_of_any_length_are_right_to_fourteen_digits(length, values):
    given = values[length]
    for got, expected in (
        (fourier.waves(pair(given)), np.fft.fft(given, axis=0)),
        (fourier.summed(pair(given)), np.fft.ifft(given, axis=0, norm="forward")),
    ):
        assert np.abs(got - pair(expected)).max() < 1e-14 * np.abs(expected).max()


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("lanes", [1, 4, 5])
def test_half_a_spectrum_makes_real_values(length, lanes, values):
    half = values[length][: length // 2 + 1, :lanes]
    expected = np.fft.irfft(half, length, axis=0, norm="forward")
    assert fourier.real_summed(pair(half), length) == pytest.approx(expected, abs=1e-14 * length)


def test_blocks_of_lanes_are_transformed_as_all_at_once(monkeypatch):
    given = np.random.default_rng(2).normal(size=(2, 24, 37))
    whole = fourier.summed(given), fourier.real_summed(given[:, :13], 24)
    monkeypatch.setattr(fourier, "_BLOCK", 100)
    parts = fourier.summed(given), fourier.real_summed(given[:, :13], 24)
    assert all(np.array_equal(a, b) for a, b in zip(whole, parts, strict=True))
