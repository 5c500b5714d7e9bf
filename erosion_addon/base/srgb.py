# SPDX-License-Identifier: GPL-3.0-or-later
"""sRGB colors."""

import numpy as np

from ..kernels.elementary import power
from .arrays import Array


def linear(encoded: Array) -> Array:
    """Linear values from sRGB (IEC 61966-2-1) of the same type; values below 0 count as 0."""
    values = np.maximum(encoded, 0.0)
    return np.where(values <= 0.04045, values / 12.92, power((values + 0.055) / 1.055, 2.4)).astype(
        values.dtype
    )
