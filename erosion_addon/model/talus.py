# SPDX-License-Identifier: GPL-3.0-or-later
"""The talus step: slopes that are too steep give way, each material at its own angle, until all stands."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .parameters import Parameters, parameter
from .ring import changed_elevation, inner, ringed, share_masks, volumes
from .state import EDGES, Array, Pace, State, Volumes

REST = 1e-4
"""Of the difference of height at which loose material stands: movements smaller than this are none."""


@dataclass(frozen=True)
class TalusParameters(Parameters):
    """Slopes that are too steep give way: rock breaks, loose material slides, until everything stands."""

    sediment_angle: float = parameter(
        34.0, "Steepest slope on which loose material stays: less makes wide, flat screes.", low=1, high=89, unit="°"
    )
    rock_angle: float = parameter(
        60.0, "Steepest slope that rock stands at: less wears cliffs down, 90 keeps them.", low=1, high=90, unit="°"
    )
    collapse: float = parameter(
        0.5, "How readily rock that is too steep breaks: more takes cliffs back further before their scree holds them.",
        low=0, high=1,
    )  # fmt: skip
    reach: float = parameter(
        200.0, "How far around what is too steep a slope gives way: less stops the slides half-way.",
        low=0, high=1e6, unit="m",
    )  # fmt: skip


class TalusStep:
    """A talus step under way on `state`: `advance` it until it says 1, look at `layers` at any time."""

    bytes_per_cell = 16 + 12
    """Working memory beyond terrain and result: rock, loose material and masks."""

    evolving = ("_rock", "_loose", "_active", "_exported", "_done")

    def __init__(self, state: State, parameters: TalusParameters, key: int) -> None:
        from ..kernels import talus  # numba takes a second to import, so only where it runs

        self._state, self._kernel = state, talus
        loose = state.loose()
        self._rock, self._loose = ringed(state.elevation - loose), ringed(loose)
        self._masks = share_masks(state)
        rows, cols = state.elevation.shape
        self._active = np.zeros((rows + 2, -(-cols // talus.SEGMENT)), np.uint8)
        self._active[1:-1] = 1
        self._exported = np.zeros(1)
        self._buffers = talus.Buffers(
            heights=np.zeros((3, cols + 2)),
            flows=np.zeros((7, cols + 2)),
            active=self._active,
            moved=np.zeros_like(self._active),
            exported=self._exported,
        )
        self._constants = self._make_constants(parameters)
        # An excess spreads like heat: 8 passes take it as far as a cell, 32 as far as two.
        self._passes = round(8 * (parameters.reach / min(state.spacing)) ** 2)
        self._done, self._pace = 0, Pace(1)

    def _make_constants(self, given: TalusParameters) -> Any:
        row_spacing, col_spacing = self._state.spacing
        diagonal = math.hypot(row_spacing, col_spacing)
        hold = math.tan(math.radians(given.sediment_angle))
        stand = math.tan(math.radians(given.rock_angle)) if given.rock_angle < 90 else math.inf
        return self._kernel.Constants(
            row_hold=hold * row_spacing,
            col_hold=hold * col_spacing,
            diagonal_hold=hold * diagonal,
            row_stand=stand * row_spacing,
            col_stand=stand * col_spacing,
            diagonal_stand=stand * diagonal,
            collapse=given.collapse,
            rest=REST * hold * min(row_spacing, col_spacing),
            edges=EDGES.index(self._state.edges),
        )

    def advance(self) -> float:
        """Let everything move for one chunk of passes; returns the share of all passes, 1 once all is at rest."""
        self._done += self._pace.run(self._relax)
        return 1.0 if self._done >= self._passes or not self._active.any() else self._done / self._passes

    def _relax(self, size: int) -> int:
        wanted = min(size, self._passes - self._done)
        done: int = self._kernel.relax(self._rock, self._loose, self._masks, self._constants, self._buffers, wanted)
        return done

    def layers(self) -> dict[str, Array]:
        """New arrays of what the step has changed so far, in metres, by field name."""
        loose = np.maximum(inner(self._loose), 0.0)
        return {
            "elevation": changed_elevation(self._state, self._rock, self._loose),
            **self._state.split_loose(loose, own="sediment"),
        }

    def volumes(self) -> Volumes:
        """What happened to solid material so far."""
        return volumes(self._state, self._rock, self._loose, self._exported)

    def counts(self, seconds: float) -> dict[str, Any]:
        """The step's entries in the report, after so many seconds of work."""
        return {"passes": self._done, "at_rest": not bool(self._active.any())}
