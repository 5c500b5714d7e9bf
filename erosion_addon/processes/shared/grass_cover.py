# SPDX-License-Identifier: GPL-3.0-or-later
"""Grass that earlier steps have grown: it holds the ground below it."""

from dataclasses import replace
from typing import Any

import numpy as np

from ...base.parameters import parameter
from .state import State


def grass_protection() -> Any:
    """A parameter: how much grass holds."""
    return parameter(
        0.8, "Share of all erosion that full grass keeps off: more holds green ground where it is.", low=0, high=1,
        group="Grass",
    )  # fmt: skip


def under_grass(state: State, protection: float) -> State:
    """The state with the share that its grass holds as a mask `held`; the same without grass."""
    grass = state.layers.get("grass")
    if grass is None or protection == 0.0 or not grass.any():
        return state
    held = np.float32(protection) * np.clip(grass, 0.0, 1.0)
    return replace(state, masks={**state.masks, "held": held.astype(np.float32)})
