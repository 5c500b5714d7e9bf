# SPDX-License-Identifier: GPL-3.0-or-later
"""Counter-based random numbers: the draw of (key, drop, number) is a hash, so drops share no
stream.

The numbers of a drop can be drawn in any order and on any thread, and are the same on every
machine.
"""

import numpy as np

from .jit import allocation_free
from .splitmix import GOLDEN, mix


@allocation_free
def stream(key, drop):
    """Stream of one drop. key: uint64 of the seed and step; drop: counted from 0."""
    return mix(key ^ mix(np.uint64(drop) * GOLDEN + GOLDEN))


@allocation_free
def uniform(start, number):
    """Draw `number` (0, 1, 2 …) of a stream: uniform in [0, 1), 53 bits."""
    bits = mix(start + np.uint64(number + 1) * GOLDEN)
    return np.float64(bits >> np.uint64(11)) * (1.0 / 9007199254740992.0)
