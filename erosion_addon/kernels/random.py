# SPDX-License-Identifier: GPL-3.0-or-later
"""Random numbers by counter: the draw of (key, drop, number) is a hash, so no stream is shared between drops.

Any drop's numbers can be had in any order and on any thread, and are the same on every machine.
"""

import numpy as np

from .compile import lean

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


@lean
def mix(bits):
    """64 bits from 64 bits: the finaliser of SplitMix64 (Steele, Lea, Flood 2014, variant 13 of Stafford)."""
    bits = (bits ^ (bits >> np.uint64(30))) * _FIRST
    bits = (bits ^ (bits >> np.uint64(27))) * _SECOND
    return bits ^ (bits >> np.uint64(31))


@lean
def stream(key, drop):
    """Start of the numbers of one drop: key uint64 (seed and step), drop counted from 0."""
    return mix(key ^ mix(np.uint64(drop) * _GOLDEN + _GOLDEN))


@lean
def uniform(start, number):
    """Draw `number` (0, 1, 2 …) of a drop: uniform in [0, 1), 53 bits."""
    bits = mix(start + np.uint64(number + 1) * _GOLDEN)
    return np.float64(bits >> np.uint64(11)) * (1.0 / 9007199254740992.0)
