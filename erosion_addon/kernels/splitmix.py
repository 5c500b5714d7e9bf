# SPDX-License-Identifier: GPL-3.0-or-later
"""The hash that all random numbers come from, for numbers and arrays, in plain Python and within a kernel."""

from typing import Any

import numpy as np

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


def mix(bits: Any) -> Any:
    """64 bits from 64 bits: the finaliser of SplitMix64 (Steele, Lea, Flood 2014, variant 13 of Stafford)."""
    bits = (bits ^ (bits >> np.uint64(30))) * _FIRST
    bits = (bits ^ (bits >> np.uint64(27))) * _SECOND
    return bits ^ (bits >> np.uint64(31))
