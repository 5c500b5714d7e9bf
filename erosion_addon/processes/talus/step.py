# SPDX-License-Identifier: GPL-3.0-or-later
"""Talus step: steep slopes fail, each material at its own angle, until everything rests."""

from dataclasses import replace
from typing import Any

import numpy as np

from ...base.arrays import Array
from ..shared.coarse_step import CoarseFirst, CoarseStep
from ..shared.halo import ANY_HEIGHT, changed_elevation, inner, ringed, volumes
from ..shared.parameters import halved
from ..shared.shares import under_grass, with_folded
from ..shared.slides import Slides
from ..shared.state import Pace, State, Step, Volumes
from .parameters import COARSE_WORK, FINE_PASSES, LONG_PASSES, TalusParameters


class TalusStep(Step):
    """Talus step.

    most: upper bound on its passes.
    """

    bytes_per_cell = 16 + 12
    """Working memory beyond terrain and result: rock, loose material and masks."""

    lone = 0.15

    evolving: tuple[str, ...] = ("_rock", "_loose", "_active", "_exported", "_done")

    def __init__(
        self, state: State, parameters: TalusParameters, key: int, most: int | None = None
    ) -> None:
        self._state = state
        loose = state.loose()
        self._rock = ringed(state.elevation - loose)
        self._loose = ringed(loose)
        self._slides = Slides(
            state,
            self._rock,
            self._loose,
            parameters.sediment_angle,
            parameters.rock_angle,
            parameters.collapse,
        )
        self._active = self._slides.active
        self._exported = self._slides.exported
        self._masks = self._slides.masks
        passes = parameters.passes(state.elevation.shape, state.spacing)
        self._passes = passes if most is None else min(passes, most)
        self._done = 0
        self._pace = Pace(1)
        self.limits = {
            "_rock": ANY_HEIGHT,
            "_active": (0, 1),
            "_done": (0, self._passes),
            "_masks": (0, 1),
        }
        if state.masks_change:
            self.evolving = (*self.evolving, "_masks")

    def go_on_from(self, layers: dict[str, Array]) -> None:
        """Take over changed layers of its state, before its first pass."""
        loose = replace(self._state, layers={**self._state.layers, **layers}).loose()
        inner(self._rock)[...] = layers["elevation"] - loose
        inner(self._loose)[...] = loose

    def advance(self) -> float:
        """Run one chunk of passes; returns the share of all passes, 1 once everything rests."""
        self._done += self._pace.run(
            lambda size: self._slides.run(min(size, self._passes - self._done), self._done)
        )
        return (
            1.0 if self._done >= self._passes or self._slides.at_rest else self._done / self._passes
        )

    def layers(self) -> dict[str, Array]:
        loose = np.maximum(inner(self._loose), 0.0)
        return {
            "elevation": changed_elevation(self._state, self._rock, self._loose),
            **self._state.split_loose(loose, name="sediment"),
        }

    def volumes(self) -> Volumes:
        return volumes(self._state, self._rock, self._loose, np.sum(self._exported, keepdims=True))

    def counts(self, seconds: float) -> dict[str, Any]:
        return {"passes": self._done, "at_rest": self._slides.at_rest}


class TalusCoarseFirst(CoarseFirst):
    """A running step whose long slides run on cells twice as wide, which begin on cells twice as
    wide again.
    """

    def __init__(self, state: State, parameters: TalusParameters, key: int) -> None:
        rows, cols = state.elevation.shape
        coarse = CoarseStep(
            TalusStep, state, halved((rows, cols)) or (rows, cols), parameters, key, TalusSteps
        )
        super().__init__(coarse, TalusStep(state, parameters, key, FINE_PASSES), COARSE_WORK)

    def volumes(self) -> Volumes:
        coarse = self._coarse.volumes()
        if not self._handed_over:
            return coarse
        fine = self._fine.volumes()  # moved since the state that both began from
        return Volumes(fine.moved, coarse.exported + fine.exported)

    def counts(self, seconds: float) -> dict[str, Any]:
        """Entries for the report; passes on all grids. seconds: of work so far."""
        coarse = self._coarse.counts(seconds)
        fine = self._fine.counts(seconds)
        return {
            "passes": coarse["passes"] + fine["passes"],
            "at_rest": fine["at_rest"] and bool(self._handed_over),
        }


class TalusStepFactory:
    """Factory of steps, on coarser cells first if slides reach further than `LONG_PASSES` take
    them.
    """

    bytes_per_cell = TalusStep.bytes_per_cell
    lone = TalusStep.lone

    def __call__(self, state: State, parameters: TalusParameters, key: int) -> Step:
        """A step on `state`."""
        state = under_grass(state)
        far = parameters.passes(state.elevation.shape, state.spacing) > LONG_PASSES
        if not (parameters.coarse_to_fine and far and halved(state.elevation.shape)):
            return TalusStep(state, parameters, key)
        return TalusCoarseFirst(with_folded(state), parameters, key)


TalusSteps = TalusStepFactory()
