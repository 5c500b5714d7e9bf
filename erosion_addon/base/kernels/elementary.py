# SPDX-License-Identifier: GPL-3.0-or-later
"""Elementary functions with the same bits on every machine: sums, products and quotients only,
which IEEE 754 defines.

The last digit of the C library's, numpy's and LLVM's functions differs between systems and
processors. Each function here takes numbers or arrays, in Python and within kernels (`jit`
registers all of FUNCTIONS), with equal results.

Reductions and the form of the logarithm: Sun's fdlibm (1993). Polynomials: Chebyshev fits with 40
digits. ε is 2^-52, the distance from 1 to the next number. Errors hold in the stated range, which
is not checked.
"""

from typing import Any

import numpy as np

_ROUND = 1.5 * 2.0**52
"""Adding this rounds a number to an integer, held in the last bits of the sum."""

_UNIT_BITS = 1023 << 52
"""The bits of 1.0."""

_SQRT_HALF = 0x3FE6A09E667F3BCD
"""The bits of √½."""

_LN2_HIGH = 0.6931471806019545
_LN2_LOW = -4.2009150726810846e-11
_HALF_PI_HIGH = 1.5707963267341256
_HALF_PI_LOW = 6.07710050359346e-11
_HALF_PI_LOWEST = 2.912732056093356e-20
_TAN_PI_8 = 0.41421356237309503
_PI_8 = 0.39269908169872414


def _power(x: Any) -> tuple[Any, Any]:
    """A power of two p and a remainder r with e^x = p (1 + r)."""
    x = np.minimum(np.maximum(x, -708.0), 709.0)
    shifted = np.float64(x * 1.4426950408889634 + _ROUND)
    count = shifted - _ROUND
    rest = (x - count * _LN2_HIGH) - count * _LN2_LOW
    series = 2.7620088445409746e-07 + rest * 2.510038549551032e-08
    series = 2.4801521295954376e-05 + rest * (2.7557268459997064e-06 + rest * series)
    series = 0.0013888888917213717 + rest * (0.00019841269863053618 + rest * series)
    series = 0.04166666666662413 + rest * (0.008333333333330062 + rest * series)
    series = 0.5 + rest * (0.16666666666666669 + rest * series)
    return np.int64((shifted.view(np.int64) << 52) + _UNIT_BITS).view(
        np.float64
    ), rest + rest * rest * series


def exp(x: Any) -> Any:
    """e^x for x from -708 to 709, clamped beyond; relative error ε."""
    power, more = _power(x)
    return power * (1.0 + more)


def expm1(x: Any) -> Any:
    """e^x - 1 for x up to 709, clamped beyond; relative error ε."""
    power, more = _power(x)
    return power * more + (power - 1.0)


def _logarithm(x: Any, more: Any) -> Any:
    """Natural logarithm of x plus a small correction."""
    bits = np.float64(x).view(np.int64)
    count = (bits - _SQRT_HALF) >> 52
    part = np.int64(bits - (count << 52)).view(np.float64) - 1.0
    power = np.float64(count)
    share = part / (2.0 + part)
    square = share * share
    half = 0.5 * part * part
    series = 0.15331611722055008 + square * 0.14617807153417325
    series = 0.22222211089379496 + square * (0.1818289243253687 + square * series)
    series = 0.3999999999989889 + square * (0.28571428626253836 + square * series)
    series = square * (0.666666666666667 + square * series)
    return power * _LN2_HIGH - (
        (half - (share * (half + series) + (power * _LN2_LOW + more))) - part
    )


def log(x: Any) -> Any:
    """Natural logarithm of x from 2.3e-308 to 1e308; relative error ε."""
    return _logarithm(x, 0.0)


def log1p(x: Any) -> Any:
    """Natural logarithm of 1 + x for x from 0 to 1e308; relative error ε."""
    total = 1.0 + x
    return _logarithm(total, (x - (total - 1.0)) / total)


def power(x: Any, exponent: Any) -> Any:
    """x^exponent for x from 2.3e-308 to 1e308; relative error (1 + |exponent · log x|) ε."""
    return exp(exponent * log(x))


def sincos(x: Any) -> tuple[Any, Any]:
    """Sine and cosine of x radians, from -1e6 to 1e6; error ε."""
    shifted = np.float64(x * 0.6366197723675814 + _ROUND)
    count = shifted - _ROUND
    quarter = shifted.view(np.int64)
    rest = ((x - count * _HALF_PI_HIGH) - count * _HALF_PI_LOW) - count * _HALF_PI_LOWEST
    square = rest * rest
    sine = -2.5051129896450185e-08 + square * 1.5917988979397435e-10
    sine = -0.00019841269836740532 + square * (2.7557316093198404e-06 + square * sine)
    sine = -0.16666666666666666 + square * (0.008333333333330936 + square * sine)
    sine = rest + rest * square * sine
    cosine = 2.087614504941318e-09 - square * 1.138254464534925e-11
    cosine = 2.48015872987544e-05 + square * (-2.755731726587808e-07 + square * cosine)
    cosine = 0.041666666666666664 + square * (-0.0013888888888887389 + square * cosine)
    cosine = 1.0 - (0.5 * square - square * square * cosine)
    # A quarter of a turn swaps them; half a turn changes the signs.
    odd = np.float64(quarter & 1)
    sign = 1.0 - np.float64(quarter & 2)
    cosine_sign = 1.0 - np.float64((quarter + 1) & 2)
    return sign * (sine * (1.0 - odd) + cosine * odd), cosine_sign * (
        cosine * (1.0 - odd) + sine * odd
    )


def tan(x: Any) -> Any:
    """Tangent of x radians, from -1e6 to 1e6 and not close to a pole; error 3 ε of the larger of
    the result and 1.
    """
    sine, cosine = sincos(x)
    return sine / cosine


def atan2(y: Any, x: Any) -> Any:
    """Angle of the vector (x, y), both >= 0 and not both 0: radians from 0 to π / 2; error 2 ε."""
    low = np.minimum(y, x)
    high = np.maximum(y, x)
    # Of the smaller of the two angles, the part beyond π / 8.
    beyond = (low - high * _TAN_PI_8) / (high + low * _TAN_PI_8)
    square = beyond * beyond
    series = 0.03923044778479309 - square * 0.019175404711104935
    series = 0.05858140904866328 + square * (-0.050854078345894844 + square * series)
    series = 0.07692183125376892 + square * (-0.06664510525508936 + square * series)
    series = 0.11111111015187018 + square * (-0.0909090457530649 + square * series)
    series = 0.19999999999995516 + square * (-0.14285714284665682 + square * series)
    series = -0.3333333333333333 + square * series
    near = _PI_8 + (beyond + beyond * square * series)
    return near + np.float64(y > x) * (4.0 * _PI_8 - 2.0 * near)


FUNCTIONS = (_power, exp, expm1, _logarithm, log, log1p, power, sincos, tan, atan2)
