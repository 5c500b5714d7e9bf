# SPDX-License-Identifier: GPL-3.0-or-later
"""Grass that earlier steps have grown: it holds the ground below it."""

from dataclasses import replace
from typing import Any

import numpy as np

from .parameters import parameter
from .state import State


def grass_protection() -> Any:
    """A parameter: how much grass holds."""
    return parameter(
        0.8, "Share of all erosion that full grass keeps off: more holds green ground where it is.", low=0, high=1,
        group="Grass",
    )  # fmt: skip


def under_grass(state: State, protection: float) -> State:
    """The state with its grass as a mask that protects, beside the one that there may be; the same without grass."""
    grass = state.layers.get("grass")
    if grass is None or protection == 0.0 or not grass.any():
        return state
    bare = 1.0 - np.float32(protection) * np.clip(grass, 0.0, 1.0)
    protect = state.masks.get("protect")
    # Drops end where the mask protects altogether, and there alone: over grass they run on.
    held = np.minimum(1.0 - bare, np.nextafter(np.float32(1.0), np.float32(0.0)))
    if protect is not None:
        held = np.where(protect < 1.0, 1.0 - (1.0 - held) * (1.0 - protect), 1.0)
    return replace(state, masks={**state.masks, "protect": held.astype(np.float32)})
