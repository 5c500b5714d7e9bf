# SPDX-License-Identifier: GPL-3.0-or-later
"""Counter-based random numbers."""

import numpy as np
import pytest

from erosion_addon.base.kernels import rng as random
from erosion_addon.base.kernels import splitmix
from tests.processes.droplet.kernels import reference


def draws(key, drop, count):
    # a call from outside gives back a plain integer
    start = np.uint64(random.stream(np.uint64(key), drop))
    return np.array([random.uniform(start, number) for number in range(count)])


def test_the_mixer_gives_the_published_numbers_of_splitmix64():
    # First outputs of SplitMix64 seeded with 1234567: the test vector of the Rosetta Code task
    # "Pseudo-random numbers/Splitmix64", where state is incremented by the golden gamma and then
    # mixed.
    state = 1234567
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    for number in expected:
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        assert splitmix.mix(np.array([state], np.uint64))[0] == number


@pytest.mark.parametrize("key", [0, 1, 2**31 - 1, (2**31 - 1) << 32, 2**64 - 1])
@pytest.mark.parametrize("drop", [0, 1, 10**9])
def test_draws_equal_those_of_plain_integers(key, drop):
    assert list(draws(key, drop, 5)) == [
        reference.uniform(key, drop, number) for number in range(5)
    ]


def test_draws_are_even_and_lie_from_0_to_below_1():
    numbers = np.array([draws(7, drop, 1)[0] for drop in range(20_000)])
    assert numbers.min() >= 0 and numbers.max() < 1
    counts = np.histogram(numbers, 20, (0, 1))[0]
    chi_square = ((counts - 1000) ** 2 / 1000).sum()
    assert chi_square < 43.8  # 19 degrees of freedom, 0.1 %


def test_neighboring_drops_seeds_and_numbers_are_unrelated():
    first = np.array([draws(1, drop, 2) for drop in range(2000)])
    other_seed = np.array([draws(2, drop, 1)[0] for drop in range(2000)])
    pairs = [(first[:-1, 0], first[1:, 0]), (first[:, 0], first[:, 1]), (first[:, 0], other_seed)]
    for one, other in pairs:
        # 3.5 standard deviations of 1 / sqrt(2000)
        assert abs(np.corrcoef(one, other)[0, 1]) < 0.08
