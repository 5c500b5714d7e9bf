# SPDX-License-Identifier: GPL-3.0-or-later
"""Hash behind all random numbers, for numbers and arrays, in Python and within kernels."""

from typing import Any

import numpy as np

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


def mix(bits: Any) -> Any:
    """64-bit hash of 64 bits: the finalizer of SplitMix64 (Steele, Lea, Flood 2014, Stafford's
    variant 13).
    """
    bits = (bits ^ (bits >> np.uint64(30))) * _FIRST
    bits = (bits ^ (bits >> np.uint64(27))) * _SECOND
    return bits ^ (bits >> np.uint64(31))
