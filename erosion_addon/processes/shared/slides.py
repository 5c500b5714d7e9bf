# SPDX-License-Identifier: GPL-3.0-or-later
"""Slides: steep loose material moves pass by pass until it rests."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...base.arrays import EDGES, Array, cell_diagonal
from ...base.kernels.elementary import tan
from ...base.threads import in_bands, in_parts
from .cell_units import datum_of
from .halo import ground_now, inner, share_masks
from .parameters import PORTIONS, ROUND, SPREAD, creep_passes
from .shares import Ground, Plot
from .state import State, run_passes
from .tile_scheduler import Bands

REST = 1e-4
"""Smallest movement, as a share of the stable height difference."""

LOOK = 16
"""Passes between updates of the hardness of bare rock."""


BANDS = 4
"""Bands per thread; often only a part of them moves."""

LAST_ROUNDS = 32
"""Maximum rounds after the last drop, until its deposits come to rest."""

LEVEL = 1e-9
"""Slope in degrees beyond which ground creeps: nonzero only to avoid a division by zero."""


class Slides:
    """Slides on a state's grid, under its masks; its building plot is cleared after each pass.

    rock, loose: with a ring (see `halo.ringed`), changed in place. hold: steepest slope of loose
    material, stand: of rock, in degrees; rock of 90° never breaks. collapse: share of broken rock
    that falls in a pass. spread: as `SPREAD`.
    """

    def __init__(
        self,
        state: State,
        rock: Array,
        loose: Array,
        hold: float,
        stand: float = 90.0,
        collapse: float = 0.0,
        spread: float = SPREAD,
    ) -> None:
        from .kernels import relax

        self._kernel = relax
        self._state = state
        self._rock = rock
        self._loose = loose
        self.masks = self._make_masks()
        self._plot = Plot(state, inner(loose), inner(rock))
        rows, cols = state.elevation.shape
        self._marks = relax.make_marks(rows, cols)
        self.active = self._marks.active
        self.exported = self._marks.exported
        self._bands = Bands((rows, cols), state.threads, BANDS)
        self._seams = relax.make_seams(self._bands.count, cols)
        self._rows = [relax.make_rows(cols) for _ in range(self._bands.count)]
        self._constants = self._make_constants(state, hold, stand, collapse, spread)

    def _make_masks(self) -> Array | None:
        """`share_masks` of the current ground."""
        return share_masks(self._state, ground_now(self._rock, self._loose))

    def _make_constants(
        self, state: State, hold: float, stand: float, collapse: float, spread: float
    ) -> Any:
        row_spacing, col_spacing = state.spacing
        diagonal = cell_diagonal(state.spacing)
        shorter = min(row_spacing, col_spacing)
        tangent = tan(math.radians(hold))
        stood = tan(math.radians(stand)) if stand < 90 else math.inf
        return self._kernel.Constants(
            hold=tangent,
            depth=4
            * spread
            * row_spacing
            * row_spacing
            * col_spacing
            * col_spacing
            / (diagonal * diagonal)
            / shorter,
            row_share=0.25 * shorter / row_spacing,
            col_share=0.25 * shorter / col_spacing,
            row_spacing=row_spacing,
            col_spacing=col_spacing,
            row_stand=stood * row_spacing,
            col_stand=stood * col_spacing,
            diagonal_stand=stood * diagonal,
            collapse=collapse,
            rest=REST * tangent * shorter,
            edges=EDGES.index(state.edges),
        )

    def wake(self) -> None:
        """Mark all cells as active, after changes from outside."""
        self.active[1:-1] = 1

    @property
    def at_rest(self) -> bool:
        """Whether no cell moves."""
        return not bool(self.active.any())

    def run(self, passes: int, earlier: int = 0) -> int:
        """Run some passes; returns their number, fewer once everything rests. earlier: passes so
        far.
        """
        clear = self._clear if self._plot else None
        return run_passes(
            self._pass, passes, earlier, self._state.passes_between_looks(LOOK), self._look, clear
        )

    def _clear(self) -> None:
        self.exported[0] += self._plot.clear(inner(self._loose), inner(self._rock))

    def _look(self) -> None:
        """Update the masks for the current ground."""
        if self.masks is not None:
            self.masks[...] = self._make_masks()

    def _pass(self, passes: int) -> int:
        kernel = self._kernel
        edges = self._constants.edges
        if self._bands.count == 1:
            return self._alone(passes)
        for number in range(passes):
            moving = np.count_nonzero(self.active)
            if moving == 0:
                return number
            # too little to hand any of it to another thread
            if moving < self.active.size // self._bands.count:
                self._alone(1)
                continue
            kernel.fill_border(self._rock, self._loose, self.masks, edges)
            self._sweep()
            kernel.wake(self._marks, edges == EDGES.index("wrap"))
        return passes

    def _alone(self, passes: int) -> int:
        """Work as one band; returns the number of passes."""
        count: int = self._kernel.relax(
            self._rock,
            self._loose,
            self.masks,
            self._constants,
            np.array([0, self._rock.shape[0] - 2]),
            self._seams,
            self._rows[0],
            self._marks,
            passes,
        )
        return count

    def _sweep(self) -> None:
        """Sweep the bands in which a cell moves."""
        starts = self._bands.starts
        self._kernel.fill_seams(
            self._rock, self._loose, self.masks, self._constants, starts, self._seams, self._rows[0]
        )
        moving = np.count_nonzero(self.active[1:-1], axis=1)
        busy = np.flatnonzero(np.add.reduceat(moving, starts[:-1]))
        in_parts(lambda part: self._sweep_band(busy[part]), busy.size, self._state.threads)

    def _sweep_band(self, band: int) -> None:
        first, last = self._bands.starts[band : band + 2]
        self._kernel.sweep(
            self._rock,
            self._loose,
            self.masks,
            self._constants,
            first,
            last,
            band,
            self._seams,
            self._rows[band],
            self._marks,
        )


class _Creep(Slides):
    """Creep of loose material and rock alike, with flux D ∇h: slides whose angle of repose is 0.

    rock: a floor far below; loose: all ground above it. spread: D of a pass, as `SPREAD`.
    """

    def __init__(self, state: State, floor: Array, ground: Array, spread: float) -> None:
        super().__init__(state, floor, ground, LEVEL, spread=spread)

    def _make_masks(self) -> Array | None:
        surface = inner(self._rock) + inner(self._loose)
        masks = share_masks(self._state, Ground(surface, np.zeros_like(surface)))
        if masks is not None:
            masks[..., 0] = masks[..., 2]  # hard rock creeps no faster than it breaks
        return masks


class Hillslopes:
    """Hillslopes beside the channels that drops dig: creep and slides of steep ground, in portions
    while the drops run, see `PORTIONS`; share: of a whole step's portions.

    ground: of `cell_units.in_unit`, in cells; changed in place. limit: steepest slope in degrees,
    90 for none. length: total distance of creep in meters, the standard deviation with which an
    infinitely narrow ridge ends. drops: total number.
    """

    evolving = ("done", "rounds", "moved", "_slid_out", "_crept_out")

    def __init__(
        self,
        state: State,
        ground: Array,
        limit: float,
        length: float,
        drops: int,
        share: float = 1.0,
    ) -> None:
        from .kernels import hillslopes

        self._kernel = hillslopes
        self._portions = max(1, round(share * PORTIONS))
        self._ground = ground
        self._threads = state.threads
        datum = datum_of(state)
        unit = state.cell_size
        self._drops = drops
        shape = state.elevation.shape[0] + 2, state.elevation.shape[1] + 2
        self._rock = np.zeros(shape)
        self._loose = np.zeros(shape)
        self._layers = hillslopes.Layers(ground, self._rock, self._loose, unit, datum)
        surface = ground[..., 0] * unit
        self._floor = datum + float(surface.min() - max(np.ptp(surface), state.cell_size))
        self._passes, spread = creep_passes(
            length, state.elevation.shape, state.spacing, self._portions
        )
        self._creep: _Creep | None = None
        self._slides: Slides | None = None
        if self._passes:
            self._fill_with_ground()
            self._creep = _Creep(state, self._rock, self._loose, spread)
        if limit < 90:
            self._fill_with_layers()
            self._slides = Slides(state, self._rock, self._loose, limit, limit, collapse=1.0)
        self.done = 0
        self.rounds = 0
        self.moved = np.zeros(1)
        self._slid_out, self._crept_out = (
            None if part is None else part.exported for part in (self._slides, self._creep)
        )
        self.limits = {"done": (0, self._portions), "rounds": (0, LAST_ROUNDS)}

    @property
    def slid_out(self) -> float:
        """Exported material, in meters on a cell."""
        return sum(float(out.sum()) for out in (self._slid_out, self._crept_out) if out is not None)

    def follow(self, started: int) -> None:
        """Relax the hillslopes, one portion at a time, up to the share of drops that have
        started.
        """
        portions = min(started * self._portions // self._drops, self._portions) - self.done
        if portions > 0:
            self.done += portions
            self._let_creep(portions)
            self._let_slide()

    def come_to_rest(self, started: int) -> bool:
        """Relax the deposits of the last drops for one round; returns whether it was the last."""
        self.follow(started)
        if self.rounds < LAST_ROUNDS:
            self.rounds = LAST_ROUNDS if self._let_slide() else self.rounds + 1
        return self.rounds == LAST_ROUNDS

    def _let_creep(self, portions: int) -> None:
        if self._creep:
            self._fill_with_ground()
            self._creep.wake()
            self._creep.run(self._passes * portions)
            self._take(partial(self._kernel.take_creep, self._layers, self._floor))

    def _let_slide(self) -> bool:
        """One round of slides; returns whether all cells rest."""
        if self._slides is None:
            return True
        self._fill_with_layers()
        self._slides.wake()
        self._slides.run(ROUND)
        self._take(partial(self._kernel.take_slides, self._layers))
        return self._slides.at_rest

    def _fill_with_layers(self) -> None:
        self._in_bands(partial(self._kernel.split, self._layers))

    def _fill_with_ground(self) -> None:
        self._in_bands(partial(self._kernel.stand_on_floor, self._layers, self._floor))

    def _take(self, take: Callable[[int, int, Array], object]) -> None:
        """Apply changes of surface and loose material to the ground."""
        moved = np.empty(len(self._ground))
        self._in_bands(lambda first, last: take(first, last, moved))
        self.moved += math.fsum(moved)

    def _in_bands(self, work: Callable[[int, int], object]) -> None:
        in_bands(work, len(self._ground), self._threads)
