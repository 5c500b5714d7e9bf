# SPDX-License-Identifier: GPL-3.0-or-later
"""Elementary functions against 50-digit values; the same bits for numbers, arrays and kernels."""

from decimal import Decimal, localcontext

import numba
import numpy as np
import pytest

from erosion_addon.base.kernels import elementary, jit  # noqa: F401 - `jit` teaches numba

EPSILON = 2.0**-52
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494")


def series(term, ratio):
    """Sum of terms, each the previous one times ratio(number), until they no longer count."""
    total = term
    number = 1
    while abs(term) > Decimal("1e-45"):
        term *= ratio(number)
        total = total + term
        number = number + 1
    return total


def sine(x):
    x = x.remainder_near(2 * PI)
    return series(x, lambda n: -x * x / (2 * n * (2 * n + 1)))


def cosine(x):
    return sine(x + PI / 2)


def arctangent(y, x):
    """Newton's method on tan a = y / x, starting from its 16-digit value."""
    angle = Decimal(float(np.arctan2(float(y), float(x))))
    for _ in range(2):
        angle -= (x * sine(angle) - y * cosine(angle)) / (x * cosine(angle) + y * sine(angle))
    return angle


def places(*ranges):
    """Numbers evenly spread over ranges, including their ends."""
    return np.concatenate([np.linspace(low, high, 60) for low, high in ranges])


SMALL = 10.0 ** -np.arange(1.0, 18.0)
# function: its reference, where it is tried, the error that it states in ε, and whether that is of
# the result
ONE = {
    "exp": (Decimal.exp, [*places((-708, 709), (-1, 1)), *SMALL], 1, True),
    "expm1": (lambda x: x.exp() - 1, [*places((-708, 709), (-1, 1)), *SMALL, *-SMALL], 1, True),
    "log": (Decimal.ln, [*places((0.3, 3), (1, 1e308)), *SMALL, 1 + 1e-12, 2.3e-308], 1, True),
    "log1p": (lambda x: (1 + x).ln(), [*places((0, 3), (1, 1e308)), *SMALL], 1, True),
    "sine": (sine, [*places((-7, 7), (-1e6, 1e6)), *SMALL], 1, False),
    "cosine": (cosine, [*places((-7, 7), (-1e6, 1e6)), *SMALL], 1, False),
    "tan": (lambda x: sine(x) / cosine(x), [*places((-0.78, 0.78)), *SMALL], 3, False),
    "atan2": (lambda x: arctangent(x, Decimal(1)), [*places((0, 3), (0, 1e9)), *SMALL], 2, False),
}
PLAIN = {
    **{name: getattr(elementary, name) for name in ("exp", "expm1", "log", "log1p", "tan")},
    "sine": lambda x: elementary.sincos(x)[0],
    "cosine": lambda x: elementary.sincos(x)[1],
    "atan2": lambda x: elementary.atan2(x, 1.0),
}


@pytest.mark.parametrize("name", ONE)
def test_errors_stay_below_what_is_stated(name):
    exact, numbers, bound, of_the_result = ONE[name]
    with localcontext(prec=50):
        for x, got in zip(numbers, PLAIN[name](np.array(numbers)), strict=True):
            true = exact(Decimal(float(x)))
            size = abs(true) if of_the_result else 1
            assert abs(Decimal(float(got)) - true) <= Decimal(bound * EPSILON) * size, x


def test_powers_are_right_to_what_is_stated():
    with localcontext(prec=50):
        for x in (0.01, 0.5, 0.99, 1.0, 3.0, 1e5):
            for exponent in (-2.1, -0.3, 0.0, 0.5, 2.4):
                true = (Decimal(exponent) * Decimal(x).ln()).exp()
                bound = (1 + abs(exponent * float(np.log(x)))) * EPSILON
                assert abs(Decimal(float(elementary.power(x, exponent))) - true) <= true * Decimal(
                    bound
                )


def test_what_is_exact_stays_exact():
    assert (
        elementary.exp(0.0) == 1.0
        and elementary.expm1(0.0) == elementary.log(1.0) == elementary.log1p(0.0) == 0.0
    )
    assert elementary.sincos(0.0) == (0.0, 1.0) and elementary.atan2(0.0, 1.0) == 0.0
    assert elementary.atan2(1.0, 0.0) == np.pi / 2 and elementary.power(7.0, 0.0) == 1.0
    # as good as nothing, and no overflow
    assert elementary.exp(-np.inf) == elementary.exp(-1e300) < 1e-307


@pytest.mark.slow
@pytest.mark.parametrize("name", ONE)
def test_numbers_arrays_and_kernels_get_the_same_bits(name):
    """numpy fuses no product and sum, so neither does the compiler."""
    numbers = np.array(ONE[name][1])
    plain = {"sine": elementary.sincos, "cosine": elementary.sincos}.get(
        name, getattr(elementary, name, None)
    )

    @numba.njit(error_model="numpy")
    def compiled(x):
        if name == "atan2":
            return plain(x, 1.0)
        if name == "sine":
            return plain(x)[0]
        if name == "cosine":
            return plain(x)[1]
        return plain(x)

    expected = PLAIN[name](numbers)
    assert [float(PLAIN[name](float(x))) for x in numbers] == expected.tolist()
    assert [compiled(x) for x in numbers] == expected.tolist()
