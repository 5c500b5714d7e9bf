# SPDX-License-Identifier: GPL-3.0-or-later
"""The talus step: slopes that are too steep give way, each material at its own angle, until all stands."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...base.arrays import EDGES, Array
from ...base.parameters import Parameters, parameter
from ...kernels.elementary import tan
from ..shared.grass_cover import grass_protection, under_grass
from ..shared.halo import WALLED, changed_elevation, inner, ringed, share_masks, volumes
from ..shared.row_bands import Bands
from ..shared.shares import Plot
from ..shared.state import Pace, State, Step, Volumes

REST = 1e-4
"""Of the difference of height at which loose material stands: movements smaller than this are none."""


SPREAD = 0.375
"""How far a pass evens out what is too steep: of the most that keeps heights between their neighbours', 1/2."""


@dataclass(frozen=True)
class TalusParameters(Parameters):
    """Slopes that are too steep give way: rock breaks, loose material slides, until everything stands."""

    sediment_angle: float = parameter(
        34.0, "Steepest slope on which loose material stays: less makes wide, flat screes.", low=1, high=89, unit="°"
    )
    rock_angle: float = parameter(
        60.0, "Steepest slope that rock stands at: less wears cliffs down, 90 keeps them.", low=1, high=90, unit="°",
        soft_low=30,  # below the angle of loose material, rock becomes that and stands no flatter
    )  # fmt: skip
    collapse: float = parameter(
        0.5, "How readily rock that is too steep breaks: more takes cliffs back further before their scree holds them.",
        low=0, high=1,
    )  # fmt: skip
    reach: float = parameter(
        200.0, "How far around what is too steep a slope gives way: less stops the slides half-way.",
        low=0, high=1e6, unit="m", soft_high=1000,
    )  # fmt: skip
    grass_protection: float = grass_protection()

    def passes(self, shape: tuple[int, ...], spacing: tuple[float, float]) -> int:
        """The most passes on a terrain of (rows, columns) of cells of (row, column) spacing in metres."""
        # An excess spreads like heat: 16 passes take it as far as a square cell, 64 as far as two, and nothing has
        # further to go than the terrain is long.
        reach = min(self.reach, max(shape[0] * spacing[0], shape[1] * spacing[1]))
        return round(8 * (reach / spacing[0] * (reach / spacing[0]) + reach / spacing[1] * (reach / spacing[1])))


class TalusStep(Step):
    """A talus step under way on `state`: `advance` it until it says 1, look at `layers` at any time."""

    bytes_per_cell = 16 + 12
    """Working memory beyond terrain and result: rock, loose material and masks."""

    evolving = ("_rock", "_loose", "_active", "_exported", "_done")

    def __init__(self, state: State, parameters: TalusParameters, key: int) -> None:
        from .kernels import relax as talus  # numba takes a second to import, so only where it runs

        self._kernel = talus
        state = self._state = under_grass(state, parameters.grass_protection)
        loose = state.loose()
        self._rock, self._loose = ringed(state.elevation - loose), ringed(loose)
        self._masks = share_masks(state)
        self._plot = Plot(state, inner(self._loose), inner(self._rock))
        rows, cols = state.elevation.shape
        self._marks = talus.make_marks(rows, cols)
        self._active, self._exported = self._marks.active, self._marks.exported
        self._bands = Bands((rows, cols), state.threads, effort=0.25)
        self._seams = talus.make_seams(self._bands.count, cols)
        self._rows = [talus.make_rows(cols) for _ in range(self._bands.count)]
        self._constants = self._make_constants(parameters)
        self._passes = parameters.passes(state.elevation.shape, state.spacing)
        self._done, self._pace = 0, Pace(1)
        self.limits = {"_rock": WALLED, "_active": (0, 1), "_done": (0, self._passes)}

    def _make_constants(self, given: TalusParameters) -> Any:
        row_spacing, col_spacing = self._state.spacing
        diagonal = math.sqrt(row_spacing * row_spacing + col_spacing * col_spacing)
        shorter = min(row_spacing, col_spacing)
        hold = tan(math.radians(given.sediment_angle))
        stand = tan(math.radians(given.rock_angle)) if given.rock_angle < 90 else math.inf
        return self._kernel.Constants(
            hold=hold,
            depth=4 * SPREAD * row_spacing * row_spacing * col_spacing * col_spacing / (diagonal * diagonal) / shorter,
            row_share=0.25 * shorter / row_spacing,
            col_share=0.25 * shorter / col_spacing,
            row_spacing=row_spacing,
            col_spacing=col_spacing,
            row_stand=stand * row_spacing,
            col_stand=stand * col_spacing,
            diagonal_stand=stand * diagonal,
            collapse=given.collapse,
            rest=REST * hold * shorter,
            edges=EDGES.index(self._state.edges),
        )

    def advance(self) -> float:
        """Let everything move for one chunk of passes; returns the share of all passes, 1 once all is at rest."""
        self._done += self._pace.run(self._relax)
        return 1.0 if self._done >= self._passes or not self._active.any() else self._done / self._passes

    def _relax(self, size: int) -> int:
        """Let everything move for some passes, and clear a plot after each; returns how many it took."""
        wanted = min(size, self._passes - self._done)
        if not self._plot:
            return self._pass(wanted)
        for done in range(wanted):
            if not self._pass(1):
                return done
            self._exported[0] += self._plot.clear(inner(self._loose), inner(self._rock))
        return wanted

    def _pass(self, wanted: int) -> int:
        kernel = self._kernel
        maps, edges = (self._rock, self._loose), self._constants.edges
        if self._bands.count == 1:
            return self._alone(wanted)
        for done in range(wanted):
            moving = np.count_nonzero(self._active)
            if moving == 0:
                return done
            if moving < self._active.size // self._bands.count:  # too little to hand any of it to another thread
                self._alone(1)
                continue
            kernel.fill_border(*maps, self._masks, edges)
            self._bands.run(self._look_over, self._sweep)
            kernel.wake(self._marks, edges == EDGES.index("wrap"))
        return wanted

    def _alone(self, passes: int) -> int:
        """Work as one band; returns how many passes it took."""
        rows = np.array([0, self._state.elevation.shape[0]])
        maps, memory = (self._rock, self._loose, self._masks), (self._seams, self._rows[0], self._marks)
        done: int = self._kernel.relax(*maps, self._constants, rows, *memory, passes)
        return done

    def _look_over(self, seam: int, thread: int) -> None:
        maps, memory = (self._rock, self._loose, self._masks), (self._seams, self._rows[thread])
        self._kernel.look_over(*maps, self._constants, self._bands.starts[seam], seam, *memory)

    def _sweep(self, band: int, thread: int) -> None:
        maps, (first, last) = (self._rock, self._loose, self._masks), self._bands.starts[band : band + 2]
        memory = (self._seams, self._rows[thread], self._marks)
        self._kernel.sweep(*maps, self._constants, first, last, band, *memory)

    def layers(self) -> dict[str, Array]:
        """New arrays of what the step has changed so far, in metres, by field name."""
        loose = np.maximum(inner(self._loose), 0.0)
        return {
            "elevation": changed_elevation(self._state, self._rock, self._loose),
            **self._state.split_loose(loose, own="sediment"),
        }

    def volumes(self) -> Volumes:
        """What happened to solid material so far."""
        return volumes(self._state, self._rock, self._loose, np.sum(self._exported, keepdims=True))

    def counts(self, seconds: float) -> dict[str, Any]:
        """The step's entries in the report, after so many seconds of work."""
        return {"passes": self._done, "at_rest": not bool(self._active.any())}
