# SPDX-License-Identifier: GPL-3.0-or-later
"""Slides: loose material that is too steep gives way, pass by pass, until all of it stands."""

import math
from typing import Any

import numpy as np

from ...base.arrays import EDGES, Array
from ...kernels.elementary import tan
from .halo import ground_now, inner, share_masks
from .row_bands import Bands
from .shares import Plot
from .state import State

REST = 1e-4
"""Of the difference of height at which loose material stands: movements smaller than this are none."""

SPREAD = 0.375
"""How far a pass evens out what is too steep: of the most that keeps heights between their neighbors', 1/2."""


LOOK = 16
"""Passes between two looks at how hard the rock is that lies bare."""


def seconds_of_slides(given: Any, shape: tuple[int, int], spacing: tuple[float, float], edges: str) -> float:
    """Estimate of time for parameters that have `passes`, see `process.Process.seconds`."""
    return float(given.passes(shape, spacing) * 4e-9 * shape[0] * shape[1])


class Slides:
    """Slides on a state's grid, under its masks; its building plot is cleared after each pass.

    rock, loose: with a ring (see `halo.ringed`), changed in place. hold: steepest slope of loose material, stand: of
    rock, in degrees; rock of 90° never breaks. collapse: share of broken rock that falls in a pass.
    """

    def __init__(
        self, state: State, rock: Array, loose: Array, hold: float, stand: float = 90.0, collapse: float = 0.0
    ) -> None:
        from .kernels import relax  # numba takes a second to import, so only where it runs

        self._kernel, self._state, self._rock, self._loose = relax, state, rock, loose
        self.masks = share_masks(state)
        self._plot = Plot(state, inner(loose), inner(rock))
        rows, cols = state.elevation.shape
        self._marks = relax.make_marks(rows, cols)
        self.active, self.exported = self._marks.active, self._marks.exported
        self._bands = Bands((rows, cols), state.threads, effort=0.25)
        self._seams = relax.make_seams(self._bands.count, cols)
        self._rows = [relax.make_rows(cols) for _ in range(self._bands.count)]
        self._constants = self._make_constants(state, hold, stand, collapse)

    def _make_constants(self, state: State, hold: float, stand: float, collapse: float) -> Any:
        row_spacing, col_spacing = state.spacing
        diagonal = math.sqrt(row_spacing * row_spacing + col_spacing * col_spacing)
        shorter = min(row_spacing, col_spacing)
        held = tan(math.radians(hold))
        stood = tan(math.radians(stand)) if stand < 90 else math.inf
        return self._kernel.Constants(
            hold=held,
            depth=4 * SPREAD * row_spacing * row_spacing * col_spacing * col_spacing / (diagonal * diagonal) / shorter,
            row_share=0.25 * shorter / row_spacing,
            col_share=0.25 * shorter / col_spacing,
            row_spacing=row_spacing,
            col_spacing=col_spacing,
            row_stand=stood * row_spacing,
            col_stand=stood * col_spacing,
            diagonal_stand=stood * diagonal,
            collapse=collapse,
            rest=REST * held * shorter,
            edges=EDGES.index(state.edges),
        )

    @property
    def at_rest(self) -> bool:
        """Whether nothing moves any more."""
        return not bool(self.active.any())

    def run(self, wanted: int, earlier: int = 0) -> int:
        """Let everything move for some passes; returns how many it took, fewer where all has come to rest.

        earlier: passes that have been.
        """
        if not self._plot and not self._state.masks_change:
            return self._pass(wanted)
        for done in range(wanted):
            self._look(earlier + done)
            if not self._pass(1):
                return done
            self.exported[0] += self._plot.clear(inner(self._loose), inner(self._rock))
        return wanted

    def _look(self, done: int) -> None:
        """Bring the masks up to date, where layers of rock or limits of depth change them. done: passes so far."""
        if self.masks is not None and self._state.masks_change and (self._state.limits.depth or done % LOOK == 0):
            self.masks[...] = share_masks(self._state, ground_now(self._rock, self._loose))

    def _pass(self, wanted: int) -> int:
        kernel = self._kernel
        maps, edges = (self._rock, self._loose), self._constants.edges
        if self._bands.count == 1:
            return self._alone(wanted)
        for done in range(wanted):
            moving = np.count_nonzero(self.active)
            if moving == 0:
                return done
            if moving < self.active.size // self._bands.count:  # too little to hand any of it to another thread
                self._alone(1)
                continue
            kernel.fill_border(*maps, self.masks, edges)
            self._bands.run(self._look_over, self._sweep)
            kernel.wake(self._marks, edges == EDGES.index("wrap"))
        return wanted

    def _alone(self, passes: int) -> int:
        """Work as one band; returns how many passes it took."""
        rows = np.array([0, self._rock.shape[0] - 2])
        maps, memory = (self._rock, self._loose, self.masks), (self._seams, self._rows[0], self._marks)
        done: int = self._kernel.relax(*maps, self._constants, rows, *memory, passes)
        return done

    def _look_over(self, seam: int, thread: int) -> None:
        maps, memory = (self._rock, self._loose, self.masks), (self._seams, self._rows[thread])
        self._kernel.look_over(*maps, self._constants, self._bands.starts[seam], seam, *memory)

    def _sweep(self, band: int, thread: int) -> None:
        maps, (first, last) = (self._rock, self._loose, self.masks), self._bands.starts[band : band + 2]
        memory = (self._seams, self._rows[thread], self._marks)
        self._kernel.sweep(*maps, self._constants, first, last, band, *memory)
