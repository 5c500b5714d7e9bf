# SPDX-License-Identifier: GPL-3.0-or-later
"""Talus step: steep slopes fail, each material at its own angle, until everything rests."""

from typing import Any

import numpy as np

from ...base.arrays import Array
from ..shared.halo import ANY_HEIGHT, changed_elevation, inner, ringed, volumes
from ..shared.shares import under_grass
from ..shared.slides import Slides
from ..shared.state import Pace, State, Step, Volumes
from .parameters import TalusParameters


class TalusStep(Step):
    """Running talus step on `state`: call `advance` until it returns 1; `layers` may be read at any time."""

    bytes_per_cell = 16 + 12
    """Working memory beyond terrain and result: rock, loose material and masks."""

    evolving: tuple[str, ...] = ("_rock", "_loose", "_active", "_exported", "_done")

    def __init__(self, state: State, parameters: TalusParameters, key: int) -> None:
        state = self._state = under_grass(state, parameters.grass_protection)
        loose = state.loose()
        self._rock, self._loose = ringed(state.elevation - loose), ringed(loose)
        angles = parameters.sediment_angle, parameters.rock_angle
        self._slides = Slides(state, self._rock, self._loose, *angles, parameters.collapse)
        self._active, self._exported, self._masks = self._slides.active, self._slides.exported, self._slides.masks
        self._passes = parameters.passes(state.elevation.shape, state.spacing)
        self._done, self._pace = 0, Pace(1)
        self.limits = {"_rock": ANY_HEIGHT, "_active": (0, 1), "_done": (0, self._passes), "_masks": (0, 1)}
        if state.masks_change:
            self.evolving = (*self.evolving, "_masks")

    def advance(self) -> float:
        """Run one chunk of passes; returns the share of all passes, 1 once everything rests."""
        self._done += self._pace.run(lambda size: self._slides.run(min(size, self._passes - self._done), self._done))
        return 1.0 if self._done >= self._passes or self._slides.at_rest else self._done / self._passes

    def layers(self) -> dict[str, Array]:
        """Current layers changed by the step, in meters, by field name; new arrays."""
        loose = np.maximum(inner(self._loose), 0.0)
        return {
            "elevation": changed_elevation(self._state, self._rock, self._loose),
            **self._state.split_loose(loose, own="sediment"),
        }

    def volumes(self) -> Volumes:
        """Volumes of solid material moved so far."""
        return volumes(self._state, self._rock, self._loose, np.sum(self._exported, keepdims=True))

    def counts(self, seconds: float) -> dict[str, Any]:
        """Entries for the report. seconds: of work so far."""
        return {"passes": self._done, "at_rest": self._slides.at_rest}
