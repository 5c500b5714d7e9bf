# SPDX-License-Identifier: GPL-3.0-or-later
"""Noise, scattered points and domain warping of start terrains."""

import numpy as np
import pytest

from erosion_addon.generators import noise
from erosion_addon.generators.canvas import MARGIN, Canvas
from erosion_addon.generators.domain_warp import meters, places, warped


def canvas(rows=48, cols=64, spacing=(2.0, 2.0), seed=1, tileable=True, warp=0.0):
    return Canvas(rows, cols, spacing, seed, tileable, warp)


def test_random_numbers_are_those_of_splitmix64():
    def mixed(state):
        bits = 2**64 - 1
        state = (state * 0x9E3779B97F4A7C15 + 0xD1B54A32D192ED03) & bits
        state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & bits
        state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & bits
        return state ^ (state >> 31)

    got = noise.random_numbers(7, 3, np.array([-2.0, 5.0])[:, None], np.array([0.0, 9.0])[None, :])
    for i, first in enumerate((-2, 5)):
        for j, second in enumerate((0, 9)):
            state = mixed((mixed((mixed(7 * 256 + 3) + first) % 2**64) + second) % 2**64)
            assert got[i, j] == (state >> 11) / 2**52 - 1


def test_random_numbers_are_even_and_unrelated_to_their_neighbors():
    got = noise.random_numbers(1, 0, np.arange(200)[:, None], np.arange(300)[None, :])
    others = [
        noise.random_numbers(1, 1, np.arange(200)[:, None], np.arange(300)[None, :]),
        np.roll(got, 1, 0),
    ]
    others += [
        np.roll(got, 1, 1),
        noise.random_numbers(2, 0, np.arange(200)[:, None], np.arange(300)[None, :]),
    ]
    # Of 60000 numbers: the standard error of the mean is 0.577 / 245 = 0.0024, of a correlation 1 /
    # 245 = 0.004.
    assert abs(got.mean()) < 0.01 and got.min() < -0.999 and got.max() > 0.999
    assert all(abs(np.corrcoef(got.ravel(), other.ravel())[0, 1]) < 0.017 for other in others)


def test_a_band_has_the_wavelength_it_is_told():
    made = noise.band(canvas(128, 128, (1.0, 1.0)), 8.0, 0)
    power = np.abs(np.fft.fft2(made)) ** 2
    waves = np.hypot(*np.meshgrid(np.fft.fftfreq(128, 1 / 128), np.fft.fftfreq(128, 1 / 128)))
    # Power falls to 1/e at 8 (1 ± 0.3), so most of it lies from 5.6 to 10.4.
    assert power[(waves > 5.6) & (waves < 10.4)].sum() > 0.8 * power.sum()
    # The sum of about 200 random waves: 1 within 1 / √200 = 7 %, three times over.
    assert made.std() == pytest.approx(1.0, abs=0.2) and abs(made.mean()) < 1e-12


@pytest.mark.parametrize(("waves", "few"), [(1.0, 1e-6), (3.0, 1e-6), (16.0, 0.1)])
@pytest.mark.parametrize("tileable", [True, False])
def test_the_strength_of_a_band_does_not_depend_on_the_cells(waves, few, tileable):
    for side in (128, 300):
        on = canvas(side, side // 2, (0.5, 1.0), tileable=tileable)
        assert noise.band(on, waves, 3).std() == pytest.approx(1.0, abs=few)


def test_octaves_halve_in_size_and_fall_with_the_gain():
    power = (
        np.abs(np.fft.fft2(noise.octaves(canvas(256, 256, (1.0, 1.0)), 6.0, 3, 0.5, 0))) ** 2
        / 256**4
    )
    waves = np.hypot(*np.meshgrid(np.fft.fftfreq(256, 1 / 256), np.fft.fftfreq(256, 1 / 256)))
    # Octaves of 6, 12 and 24 waves have variances 1, 1/4, 1/16; their skirts reach into one
    # another.
    got = [power[(waves > 6 * 2**k / 1.4) & (waves < 6 * 2**k * 1.4)].sum() for k in range(3)]
    assert got == pytest.approx([1, 1 / 4, 1 / 16], rel=0.35)
    assert power[waves > 48].sum() < 1e-3


def test_waves_finer_than_the_cells_are_nothing():
    assert np.abs(noise.band(canvas(8, 8), 1000.0, 0)).max() < 1e-3


def test_a_bend_stays_within_one():
    for seed in range(5):
        made = noise.bend(canvas(seed=seed), 1)
        assert np.abs(made).max() == pytest.approx(1.0)


@pytest.mark.parametrize("tileable", [True, False])
@pytest.mark.parametrize("cells", [1, 3, 6])
def test_distances_are_those_to_the_two_nearest_points(tileable, cells):
    """Against all points of the period and its copies, one after the other."""
    _compare_distances(canvas(24, 36, (2.0, 1.5), 1, tileable), cells)


@pytest.mark.slow
def test_distances_are_right_where_the_second_nearest_point_is_far():
    """Among so many places one has it farther than a square and a quarter away."""
    farthest = 0.0
    for seed in range(5):
        on = canvas(70, 70, seed=seed)
        farthest = max(farthest, noise.distances(on, 12, 50)[1].max())
        _compare_distances(on, 12)
    assert farthest > 1.25


def _compare_distances(on, cells):
    rows, cols = on.period
    counts = [
        max(1, int(cells * side / on.longer_side + 0.55))
        for side in np.multiply(on.period, on.spacing)
    ]
    at = np.meshgrid(np.arange(counts[0]), np.arange(counts[1]), indexing="ij")
    jitter = [0.5 + 0.5 * noise.random_numbers(on.seed, 50 + axis, *at) for axis in (0, 1)]
    points = np.stack([at[0] + jitter[0], at[1] + jitter[1]], -1).reshape(-1, 2)
    copied = range(-1, 2) if min(counts) > 2 else range(-3, 4)
    copies = np.concatenate([points + np.multiply((i, j), counts) for i in copied for j in copied])
    y = np.arange(rows) * counts[0] / rows
    x = np.arange(cols) * counts[1] / cols
    away = np.hypot(y[:, None, None] - copies[:, 0], x[None, :, None] - copies[:, 1])
    away.sort(axis=-1)
    nearest, second = noise.distances(on, cells, 50)
    assert nearest == pytest.approx(away[..., 0]) and second == pytest.approx(away[..., 1])


def test_places_move_by_less_than_the_margin():
    on = canvas(tileable=False, warp=1.0)
    row, col = places(on)
    far = MARGIN * 64 * 2.0
    moved = row - np.arange(48)[:, None], col - np.arange(64)[None, :]
    assert all(0 < np.abs(move).max() * 2.0 <= far + 1e-9 for move in moved)
    assert row.min() + on.margin[0] >= 0 and row.max() + on.margin[0] <= on.period[0] - 1


def test_without_warp_every_cell_looks_at_itself():
    on = canvas(5, 4, (3.0, 2.0), tileable=False)
    y, x = meters(on)
    assert y.ravel().tolist() == [-6, -3, 0, 3, 6] and x.ravel().tolist() == [-3, -1, 1, 3]
    field = np.random.default_rng(0).random(on.period)
    (top, left), _ = on.margin, on.period
    assert np.array_equal(warped(on, field), field[top : top + 5, left : left + 4])


@pytest.mark.parametrize("tileable", [True, False])
def test_a_warped_field_is_the_field_at_other_places(tileable):
    """A wave is known everywhere; cubic interpolation of 16 cells a wave is right to a
    thousandth.
    """
    on = canvas(64, 96, (1.0, 1.0), tileable=tileable, warp=1.0)
    rows, cols = on.period

    def wave(row, col):
        return np.sin(2 * np.pi * (row * round(rows / 16) / rows + col * round(cols / 32) / cols))

    row, col = places(on)
    field = wave(np.arange(rows)[:, None], np.arange(cols)[None, :])
    expected = wave(row + on.margin[0], col + on.margin[1])
    assert np.abs(expected - field[:64, :96]).max() > 0.5
    assert warped(on, field) == pytest.approx(expected, abs=2e-3)
