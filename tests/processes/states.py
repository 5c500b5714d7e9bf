# SPDX-License-Identifier: GPL-3.0-or-later
"""Start states of steps, and steps run to their end."""

import numpy as np

from erosion_addon.model import Terrain
from erosion_addon.processes.shared.state import State


def state(elevation, spacing=10.0, edges="closed", masks=None, **layers):
    """State on a terrain without sediment, unless `layers` give some."""
    terrain = Terrain(elevation, spacing)
    layers = {"sediment": np.zeros(terrain.shape), **layers}
    masks = {kind: np.asarray(mask, np.float32) for kind, mask in (masks or {}).items()}
    return State(terrain.elevation, layers, masks, terrain.spacing, edges)


def to_end(step):
    """Run a step to its end; returns it."""
    while step.advance() < 1.0:
        pass
    return step
