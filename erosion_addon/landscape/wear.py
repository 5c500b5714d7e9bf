# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers of a window that follow from what it was at the start and what it is now."""

from collections.abc import Mapping

import numpy as np

from ..base.arrays import Array
from ..terrain.fields import RISE

SURFACE = ("elevation", "sediment", RISE)
"""Layers that all others follow from, and that a tile goes on from; other fields are blended."""


def since_start(start: Mapping[str, Array], now: Mapping[str, Array]) -> dict[str, Array]:
    """Wear, deposition and bedrock, (rows, cols) m. start, now: elevation, sediment and rise, as
    far as there are.
    """
    loose = now.get("sediment", np.zeros_like(now["elevation"]))
    gained = loose - start.get("sediment", 0.0)
    lost = start["elevation"] - now["elevation"] + gained + now.get(RISE, 0.0)
    return {
        "wear": np.maximum(lost, 0.0),
        "deposition": np.maximum(gained, 0.0),
        "bedrock": now["elevation"] - loose,
    }
