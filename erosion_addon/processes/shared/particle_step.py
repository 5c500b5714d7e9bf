# SPDX-License-Identifier: GPL-3.0-or-later
"""Base of steps that move drops: ground in cells, masks, and start positions."""

import math
import time
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...base.arrays import EDGES, Array, ordered_sum
from .cell_units import bounds_in_unit, datum_of, ground_now, in_unit, solid_layers
from .parameters import spring_cells
from .shares import Ground, shares
from .slides import Hillslopes
from .state import ENTERING, State, Step, Volumes, chunk_end
from .tile_scheduler import TileRun

OWN_KEY = np.uint64(2**30)
"""Added to the key for drops from around; keys of a recipe's steps differ by less."""

TINY = 1e-30
"""Number in place of 0 below a fraction."""

PATIENCE = 2**16
"""Steps per visit of a tile; a tile with many drops would take seconds otherwise."""


class DropStep(Step):
    """Base of steps that run single drops on `state`.

    Kernels of drops work on unit cells, with heights from the lowest point: `_ground` is (rows,
    cols, 2) float64, surface and its loose part, in cells. key: uint64 of its random numbers.
    portions: share of the portions of a whole step, see `slides.PORTIONS`. raining: share of the
    drops that rain, which alone come from around a region. Raises InputError if the relief is out
    of proportion to the cells.
    """

    _totals: Any
    """Totals of the kernel, one element per tile, with `steps` and `paths_cut`."""

    _kernel: Any
    """Module of the kernel."""

    later = ("_brought",)

    def __init__(
        self,
        state: State,
        key: int,
        parameters: Any,
        sources: Array | None,
        kernel: Any,
        portions: float,
        raining: float = 1.0,
    ) -> None:
        state = _by_drops(state)
        self._state = state
        self._kernel = kernel
        self._ground = in_unit(state, state.cell_size)
        self._masks = drop_masks(state)
        self._sources = sources
        self._key = np.uint64(key)
        anywhere = sources is None or bool(sources[-1] > 0)
        self._entering = Entering.of(state)
        self._brought = np.zeros(1)
        inside: float = state.elevation.size
        outside = 0.0
        if self._entering is not None:
            inside, outside = self._entering.cells
        self._catchment = inside + outside
        self._fall_here = round(parameters.drops_per_cell * inside) if anywhere else 0
        count = self._fall_here + round(parameters.drops_per_cell * raining * outside)
        self._count = count
        rows, cols = state.elevation.shape
        edges = EDGES.index(state.edges)
        self._run = TileRun(
            (rows, cols), edges, count, kernel.NUMBERS, state.threads, spans=kernel.SPANS
        )
        self._hillslopes: Hillslopes | None = None
        if count and (parameters.slope_limit < 90 or parameters.creep > 0):
            self._hillslopes = Hillslopes(
                state, self._ground, parameters.slope_limit, parameters.creep, count, portions
            )

    def go_on_from(self, layers: dict[str, Array]) -> None:
        """Take over changed layers of its state, before its first drop."""
        state = self._state
        unit = self._state.cell_size
        loose = replace(state, layers={**state.layers, **layers}).loose()
        self._ground[...] = np.stack(
            [(layers["elevation"] - datum_of(state)) / unit, loose / unit], axis=-1
        )

    def _start(self, pool: Any, tiles: Any, first: int, last: int) -> None:
        """Place the drops first … last - 1 on the tiles where they start."""
        raise NotImplementedError

    @cached_property
    def _arriving(self) -> Array:
        """Values of the drops that enter each of the cells `_entering`, (cells, n) float64, see
        `Pool.numbers`. Those that change during the run are set before drops enter.
        """
        assert self._entering is not None
        return self._values_of(self._entering)

    def _values_of(self, entering: "Entering") -> Array:
        """Values of `_arriving` that stay the same; new."""
        raise NotImplementedError

    def _set_changing(self, arriving: Array) -> None:
        """Set the values of `_arriving` that change."""
        raise NotImplementedError

    def _work(self, worked: Array, tiles: Any, pool: Any) -> None:
        """Run the drops on the tiles `worked`."""
        raise NotImplementedError

    def _begin(self, pool: Any, tiles: Any, first: int, last: int) -> None:
        """Begin a turn: relax hillslopes, update the hardness of bare rock, and start new drops."""
        if self._hillslopes:
            self._hillslopes.follow(first)
        if self._masks is not None and self._state.hardness_changes:
            self._masks[...] = drop_masks(
                self._state, ground_now(self._state, self._ground, self._state.cell_size)
            )
        # each turn has the same proportion of rain inside and drops from around
        first_fall = first * self._fall_here // max(self._count, 1)
        last_fall = last * self._fall_here // max(self._count, 1)
        self._start(pool, tiles, first_fall, last_fall)
        if self._entering is not None and last - first > last_fall - first_fall:
            self._let_in(pool, tiles, first - first_fall, last - last_fall, self._entering)

    def _let_in(self, pool: Any, tiles: Any, first: int, last: int, entering: "Entering") -> None:
        """Place the drops first … last - 1 from the land around on the tiles where they enter."""
        from .kernels.particle_queues import enter_drops

        self._set_changing(self._arriving)
        self._brought += enter_drops(
            pool,
            tiles,
            self._key + OWN_KEY,
            first,
            last,
            entering.chances,
            self._arriving,
            self._kernel.LOAD,
        )

    def advance(self) -> float:
        """Run some turns, or a part of one; returns the share done."""
        until = chunk_end()
        while True:
            self._run.turn(self._begin, self._work, until)
            share = self._run.share_done
            if (
                share >= 1
                and self._hillslopes
                and not self._hillslopes.come_to_rest(self._run.started)
            ):
                # all drops have ended, but slides have not come to rest
                share = 0.999
            if share >= 1 or time.perf_counter() >= until:
                return share

    def rest(self) -> None:
        """Finish the current turn."""
        self._run.end_turn(self._begin, self._work)

    def drain(self) -> None:
        """Run all drops in flight to their ends without starting more, so that their load is
        deposited where it belongs, then relax hillslopes.
        """
        self._run.run_out(self._begin, self._work)
        while self._hillslopes and not self._hillslopes.come_to_rest(self._run.started):
            pass

    def elevation(self) -> Array:
        """Current surface for display (m), without the load of drops, which would show as
        spikes.
        """
        return self._solid_layers(self._ground)["elevation"]

    def _solid_layers(self, ground: Array) -> dict[str, Array]:
        """Elevation and loose layers in meters; new arrays."""
        return solid_layers(self._state, ground, self._state.cell_size)

    @property
    def _unit_volume(self) -> float:
        """Volume unit of the kernel in m³."""
        return self._state.cell_size * self._state.spacing[0] * self._state.spacing[1]

    def _besides(self) -> Volumes:
        """Material moved and exported by slides and creep so far, and brought by drops from
        around.
        """
        brought = float(self._brought[0]) * self._unit_volume
        if not self._hillslopes:
            return Volumes(0.0, 0.0, brought)
        area = self._state.spacing[0] * self._state.spacing[1]
        return Volumes(
            float(self._hillslopes.moved[0]) * area, self._hillslopes.slid_out * area, brought
        )

    def counts(self, seconds: float) -> dict[str, Any]:
        count = self._run.started
        return {
            "drops": count,
            "drops_per_second": count / seconds if seconds > 0 else 0.0,
            "mean_path": float(self._totals.steps.sum()) / count if count else 0.0,
            "paths_cut": int(self._totals.paths_cut.sum()),
        }


@dataclass(frozen=True, eq=False)
class Entering:
    """Drops that enter a window from the land around.

    cells: of mean rain, on the window and upstream. places: (n, 2) float64, row and column of the
    cells where they enter; chances: (n,), cumulated up to 1. way, fall: (n,) float64 m, means on
    the way there; fall is that since the drop last went uphill. slope: (n, 2) float64, rise of the
    ground there along rows and columns.
    """

    cells: tuple[float, float]
    places: Array
    chances: Array
    way: Array
    fall: Array
    slope: Array

    @classmethod
    def of(cls, state: State) -> "Entering | None":
        """Drops that enter the window of a state; None for one that is no window."""
        if ENTERING not in state.masks:
            return None
        share, counts, ways, falls = np.moveaxis(state.masks[ENTERING].astype(np.float64), -1, 0)
        rain = state.relative_rain
        places = np.nonzero(counts)
        rates = math.fsum((share if rain is None else share * rain).ravel())
        numbers = counts[places]
        rises = np.gradient(state.elevation, *state.spacing)
        return cls(
            cells=(rates, math.fsum(numbers)),
            places=np.stack(places, axis=-1).astype(np.float64),
            chances=cumulated(numbers.copy()),
            way=ways[places] / numbers,
            fall=falls[places] / numbers,
            slope=np.stack([rise[places] for rise in rises], axis=-1),
        )


def _by_drops(state: State) -> State:
    """State of a window in which fewer drops act toward the border of the region, each at full
    strength.

    Drops of less strength cannot fill pits, and end there.
    """
    if ENTERING not in state.masks or "strength" not in state.masks:
        return state
    share = state.masks[ENTERING][..., 0]
    strength = state.masks["strength"]
    counts = np.minimum(
        np.divide(strength, share, out=np.zeros_like(strength), where=share > 0), np.float32(1.0)
    )
    return replace(state, masks={**state.masks, "strength": counts})


def drop_masks(state: State, ground: Ground | None = None) -> Array | None:
    """Mask layers, see `Shares.layers`, with height limits in cells. ground: see `shares`."""
    return shares(state, ground).layers(
        bounds_in_unit(state, state.cell_size), state.elevation.shape
    )


def drop_sources(
    state: State, springs: tuple[tuple[float, ...], ...] = (), spring_share: float = 0.0
) -> Array | None:
    """Cumulated start probability of drops per cell (cells,), up to 1, all 0 if none can start;
    None for uniform rain.

    springs: rows of x, y (0-1 from the left and bottom edge) and rate; spring_share: their share of
    all drops.
    """
    rain = state.masks.get("rain")
    if ENTERING in state.masks:
        rain = state.masks[ENTERING][..., 0] * (np.float32(1.0) if rain is None else rain)
    total = math.fsum(rate for _, _, rate in springs)
    share = spring_share if total > 0 else 0.0
    if rain is None and share == 0.0:
        return None
    rows, cols = state.elevation.shape
    weights = np.ones(rows * cols) if rain is None else rain.astype(np.float64).ravel()
    if weights.any():
        weights *= (1.0 - share) / ordered_sum(weights)
    for cell, (_, _, rate) in (
        zip(spring_cells(state.elevation.shape, springs), springs, strict=True) if share else ()
    ):
        weights[cell] += share * rate / total
    return cumulated(weights)


def cumulated(weights: Array) -> Array:
    """Cumulated weights (cells,) float64 up to 1, in place; all 0 if all weights are."""
    np.cumsum(weights, out=weights)
    if weights.size and weights[-1] > 0:
        weights /= weights[-1]
    return weights
