# SPDX-License-Identifier: GPL-3.0-or-later
"""Uplift step: time steps with incision along the flow graph, and creep."""

import math
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from ...base.arrays import Array
from ...base.kernels.elementary import tan
from ...base.threads import in_bands, in_parts
from ...drainage.flow_graph import FlowGraph
from ...drainage.sea import river_ends, sunk
from ...grid.stencils import squared_slope
from ...terrain.fields import RISE
from ..shared.coarse_step import CoarseStep
from ..shared.halo import share_masks
from ..shared.parameters import halved
from ..shared.shares import Ground, Plot, under_grass, with_folded
from ..shared.state import INFLOW, LARGEST, LEAVING, State, Step, Volumes, chunk_end
from .parameters import COARSE_SHARE, COARSE_STEPS, STEPS, UpliftParameters

PHASES = 3
"""Phases of a time step: uplift and creep, routing, incision."""

SHARE, MOST_TIMES = 16.0, 16
"""Limits of D dt / spacing² for one implicit solution of creep, and of solutions per time step."""

CREEP_LINES = 128
"""Lines of creep per work item; with fewer, columns would use only parts of the cache lines that
they load.
"""

RAINED_ON = 2**15
"""Cells per work item where each gets the area that it drains alone."""

LIMITED_ROWS = 64
"""Rows of the slope limit that are worth a thread."""

STEEPNESS = 1.0
"""Radius in hillslope lengths within which steepness that is kept is averaged."""

FALL_YEARS = 1000.0
"""Half-life in years of slopes above the slope limit."""

MANY = np.float32(1e6)
"""Value of the outlet mask on coarser cells for any outlet in them, as a share of it would not
count.
"""

CHANNEL = 25.0
"""Drainage area, in squares of the hillslope length, at which a river deposits half as much as a
large one.
"""


class UpliftStep(Step):
    """Step of uplift and rivers.

    steps: time steps of all years, for a step without coarser cells; 0 for `STEPS`.
    """

    bytes_per_cell = 92
    """Working memory beyond terrain and result: heights, loose, six in the order of the graph,
    graph, masks.
    """

    lone = 0.2

    continues = ("uplift",)
    evolving = ("_heights", "_loose", "_total", "_done")

    def __init__(
        self, state: State, parameters: UpliftParameters, key: int, steps: int = 0
    ) -> None:
        from ...base.kernels import rng
        from .kernels import creep, incision

        self._creep = creep
        self._incision = incision
        self._random = rng
        self._key = key
        state = _standing_at_outlets(under_grass(state))
        self._parameters = parameters
        self._state = state
        self._steps = steps or STEPS
        rows, cols = shape = state.elevation.shape
        sea = sunk(state.elevation, parameters.sea_level) if parameters.sea else None
        self._coarse_step = _on_coarser_cells(state, sea, parameters, key)
        outlets = river_ends(sea, state.masks.get("outlet"))
        leaving = state.masks[LEAVING] > 0 if LEAVING in state.masks else None
        self._graph = graph = FlowGraph(
            (rows, cols), state.spacing, state.edges, outlets, state.threads, leaving
        )
        self._basin = not graph.outlets.any()
        self._open = state.edges == "open" and min(shape) > 2
        self._drowned = np.zeros(shape, bool) if sea is None else sea
        self._heights = graph.padded(state.elevation)
        self._loose = graph.padded(state.loose())
        graph.inside(self._heights)[self._drowned] = parameters.sea_level  # rivers end on the water
        self._rises = bool(parameters.uplift * parameters.years)
        self._done = 0
        self._steeper = self._factors()
        self._plot = Plot(state, graph.inside(self._loose), graph.inside(self._heights))
        self._mask()
        rain = state.masks.get("rain")
        if INFLOW in state.masks:
            rain = state.masks[INFLOW] + (np.float32(1.0) if rain is None else rain)
        self._rained_on = None if rain is None else graph.padded(rain * self._area)
        self._ground = incision.Ground(
            heights=self._heights,
            loose=self._loose,
            floor=self._bound(-state.limits.max_erosion),
            ceiling=self._bound(state.limits.max_deposition),
        )
        self._memory = [np.zeros_like(self._heights) for _ in range(6)]
        """Working memory: in the order of the graph during incision, and of the grid during
        uplift.
        """
        self._trees = incision.Trees(
            graph.order, graph.places, *(array[: rows * cols] for array in self._memory)
        )
        self._constants = self._make_constants()
        self._total = np.zeros(3)
        """Totals of eroded, exported and uplifted material, in m on a cell."""
        self._phases = (self._steps if parameters.years else 0) * PHASES
        self._first = COARSE_STEPS * PHASES if self._coarse_step else 0
        self._drained = False
        self.limits = {"_loose": (0, LARGEST), "_done": (0, self._phases)}

    def _bound(self, depth: float) -> Array:
        """Initial heights plus an offset (flat, m); empty without depth limits."""
        return self._graph.padded(self._state.elevation + depth) if depth else np.empty(0)

    def _rise(self, memory: list[Array] | None = None) -> Array:
        """Uplift of a time step (flat, m). memory: two arrays for it, in place of new ones."""
        parameters = self._parameters
        state = self._state
        graph = self._graph
        lift, pattern = memory or [np.empty_like(self._heights), np.empty_like(self._heights)]
        lift[:] = 0.0
        rise = graph.inside(lift)
        rise[:] = parameters.uplift / 1000 * parameters.years / self._steps
        if parameters.pattern == "terrain":
            heights = np.subtract(state.elevation, state.elevation.min(), out=graph.inside(pattern))
            rise *= np.divide(heights, heights.max() or 1.0, out=heights)
        for kind in ("uplift", "strength"):
            if kind in state.masks:
                rise *= state.masks[kind]
        if "plot" in state.masks:
            rise *= 1.0 - state.masks["plot"]
        rise[graph.outlets] = 0.0
        return lift

    def _make_constants(self) -> Any:
        parameters = self._parameters
        spacing = self._state.spacing
        length = parameters.hillslope(self._state.elevation.shape, spacing)
        years = parameters.years / self._steps
        return self._incision.Constants(
            cut=parameters.reach(1.0) * years,
            area_exponent=parameters.concavity * parameters.slope_exponent,
            slope_exponent=parameters.slope_exponent,
            deposition=parameters.deposition * spacing[0] * spacing[1],
            channel=CHANNEL * length * length,
            breach=parameters.breach,
            falling=years / (years + FALL_YEARS),
        )

    def advance(self) -> float:
        """Work for about a tenth of a second; returns the share of all time steps done."""
        if coarse := self._coarse:
            share = coarse.advance()
            if share == 1.0:
                self._take_over(coarse)
            return COARSE_SHARE * share
        until = chunk_end()
        while self._done < self._phases:
            self._phase()
            if time.perf_counter() >= until:
                break
        return self._share_done()

    @property
    def _coarse(self) -> CoarseStep | None:
        """Step on coarser cells while it runs; a resumed run is beyond it."""
        return None if self._done else self._coarse_step

    def _share_done(self) -> float:
        """Share of the work done, 0-1."""
        if not self._phases:
            return 1.0
        before = COARSE_SHARE if self._first else 0.0
        return before + (1.0 - before) * (self._done - self._first) / (self._phases - self._first)

    def rest(self) -> None:
        """Continue to a state that a checkpoint can hold: beyond the coarser cells."""
        while self._coarse:
            self.advance()

    def _take_over(self, coarse: CoarseStep) -> None:
        """Continue from the result of the coarser cells; uplift is applied at full resolution
        here.
        """
        graph = self._graph
        layers = coarse.layers()
        loose = replace(self._state, layers={**self._state.layers, **layers}).loose()
        heights = layers["elevation"]
        raised = 0.0
        if self._rises:
            lift = graph.inside(self._rise()) * COARSE_STEPS
            heights = heights - layers[RISE] + self._state.layers.get(RISE, 0.0) + lift
            raised = lift.sum()
        # Nothing is cut below the sea: where spreading has, some of what was carried out is left.
        lowest = self._parameters.sea_level if self._parameters.sea else -np.inf
        fill = np.where(self._drowned, 0.0, np.maximum(lowest - heights, 0.0))
        graph.inside(self._heights)[:] = np.where(
            self._drowned, graph.inside(self._heights), heights + fill
        )
        graph.inside(self._loose)[:] = loose + fill
        taken, left, _ = (volume / self._area for volume in coarse.volumes())
        self._total[:] = taken, left - fill.sum(), raised
        self._total[1] += self._clear()
        self._done = self._first
        self._coarse_step = None

    def _phase(self) -> None:
        (self._raise, self._drain, self._cut)[self._done % PHASES]()
        self._done += 1

    def _mask(self) -> None:
        """Update the factors of erosion and deposition."""
        risen = None
        if self._rises and self._state.hardness_changes:
            risen = self._state.layers.get(RISE, 0.0) + self._raised()
        ground = Ground(self._graph.inside(self._heights), self._graph.inside(self._loose), risen)
        masks = share_masks(self._state, ground)
        self._masks = None if masks is None else masks.reshape(-1, 3)
        # Creep moves what is loose and rock alike: it lets go of no more than the harder of both.
        self._ease = None if masks is None else np.minimum(masks[..., 2], masks[..., 1]).reshape(-1)

    def _drain(self) -> None:
        if self._state.masks_change:
            self._mask()
        # another one each time
        chance = self._random.stream(np.uint64(self._key), self._done // PHASES)
        self._graph.route(self._heights, int(chance))
        in_bands(
            lambda first, last: self._incision.rain(
                self._trees, first, last, self._rained_on, self._area
            ),
            self._graph.order.size,
            self._state.threads,
            RAINED_ON,
        )
        self._graph.downstream(lambda _, stretches: self._incision.drain(self._trees, stretches))
        self._drained = True

    def _cut(self) -> None:
        kernels = self._incision
        graph = self._graph
        if not self._drained:  # a run resumed from here
            self._drain()
        self._drained = False
        totals = np.zeros((graph.parts, 2))
        limits = self._parameters.slope_limit < 90
        network = graph.network
        graph.upstream(
            lambda part, stretches: kernels.cut_down(
                network,
                stretches,
                self._ground,
                self._trees,
                self._masks,
                self._constants,
                totals,
                part,
            )
        )
        if limits:
            self._limit()
        graph.downstream(
            lambda part, stretches: kernels.carry_down(
                network,
                stretches,
                self._ground,
                self._trees,
                limits,
                self._masks,
                self._constants,
                totals,
                part,
            )
        )
        graph.clear_ring(self._loose)
        taken, left = totals.sum(axis=0)
        if self._open:
            lowered = kernels.lower_border(
                network, self._ground, self._masks, self._state.elevation.shape[1]
            )
            taken = taken + lowered
            left = left + lowered
        if self._basin and left:
            left = kernels.fill_lowest(self._heights, self._loose, graph.order, left, self._masks)
        self._total[:2] += taken, left
        self._total[1] += self._clear()

    def _factors(self) -> Array | None:
        """Factors of the slope limit by the land's own steepness (flat float32); None for 1
        everywhere.
        """
        parameters = self._parameters
        state = self._state
        if not parameters.keep_steepness or parameters.slope_limit >= 90:
            return None
        radius = STEEPNESS * parameters.hillslope(state.elevation.shape, state.spacing)
        steepness = np.sqrt(_mean_square_slope(state, radius))
        steepness /= tan(math.radians(parameters.slope_limit))
        return self._graph.padded(
            1.0 + parameters.keep_steepness * np.maximum(steepness - 1.0, 0.0)
        ).astype(np.float32)

    def _limit(self) -> None:
        """Compute the surface within the slope limit."""
        state = self._state
        graph = self._graph
        step = self._done // PHASES
        steepest = tan(math.radians(self._parameters.slope_limit))
        rises = (steepest * state.spacing[0], steepest * state.spacing[1])
        graph.fill_ring(self._heights)
        rows, cols = state.elevation.shape
        kernels = self._incision
        upwards = bool(step % 2)
        network = graph.network

        def limit_band(band: int) -> None:
            first, middle, last = ends[2 * band : 2 * band + 3]
            kernels.limit_two(
                network,
                self._heights,
                self._loose,
                cols,
                rises,
                self._steeper,
                upwards,
                first,
                middle,
                last,
            )

        bands = max(1, min(state.threads, rows // LIMITED_ROWS))
        ends = [rows * band // bands for band in range(bands + 1)]
        ends = sorted([*ends, *((first + last) // 2 for first, last in pairwise(ends))])
        in_parts(limit_band, bands, bands)
        limit = partial(
            kernels.limit_slopes, network, self._heights, self._loose, cols, rises, self._steeper
        )
        self._limit_across(limit, ends, upwards)

    def _limit_across(
        self, limit: Callable[[bool, int, int, Array], bool], ends: list[int], upwards: bool
    ) -> None:
        """Limit parts again that began beside ground that was not limited yet, as far as it
        reaches: from one that changes to its end into the next.
        """
        parts = list(pairwise(ends))[:: -1 if upwards else 1]
        behind: dict[int, Array] = {}
        changes = [False] * len(parts)
        numbers = list(range(1, len(parts)))

        def limit_again(place: int) -> None:
            number = numbers[place]
            changes[number] = not limit(upwards, *parts[number], behind[number])

        while numbers:
            for number in numbers:
                first, last = parts[number]
                behind[number] = self._limited_row(last + 1 if upwards else first)
            in_parts(limit_again, len(numbers), self._state.threads)
            numbers = [
                number + 1 for number in numbers if changes[number] and number + 1 < len(parts)
            ]

    def _limited_row(self, row: int) -> Array:
        """Copy of a row within the slope limit, counted with the ring."""
        width = self._state.elevation.shape[1] + 2
        return self._loose[row * width : (row + 1) * width].copy()

    def _raise(self) -> None:
        """Uplift, and creep along rows and columns: rivers come last, so nothing dams them."""
        parameters = self._parameters
        state = self._state
        rows, cols = state.elevation.shape
        if state.masks_change:
            self._mask()
        if self._rises:
            lift = self._rise(self._memory[:2])
            self._heights += lift
            self._total[2] += lift.sum()
        if self._basin:  # where water ends, ground creeps as elsewhere
            self._graph.close_outlet()
        diffusion = (
            parameters.diffusivity((rows, cols), state.spacing) * parameters.years / self._steps
        )
        if diffusion:
            totals = np.zeros((rows, 2))
            row_spacing, col_spacing = state.spacing
            row_share = diffusion / (col_spacing * col_spacing)
            col_share = diffusion / (row_spacing * row_spacing)
            lines = self._creep.Lines
            along_rows = lines(start=cols + 3, step=cols + 2, cell_step=1, cells=cols)
            along_cols = lines(start=cols + 3, step=1, cell_step=cols + 2, cells=rows)
            times = min(math.ceil(max(row_share, col_share) / SHARE), MOST_TIMES)
            directions = ((row_share, along_rows, rows), (col_share, along_cols, cols))
            for share, layout, count in directions * times:
                self._creep_along(share / times, layout, count)
                in_bands(
                    lambda first, last: self._creep.apply_creep(
                        self._heights, self._loose, self._memory[1], cols, first, last, totals
                    ),
                    rows,
                    state.threads,
                )
                went, less = totals.sum(axis=0)
                self._total[0] += went
                self._total[1] += 0.0 if self._basin else less

    def _creep_along(self, share: float, lines: Any, count: int) -> None:
        """Creep along a number of lines. share, lines: see `creep.creep_lines`."""
        network = self._graph.network
        heights = self._heights
        ratios, crept = self._memory[:2]
        ring = self._state.edges == "wrap"

        def creep(first: int, last: int) -> None:
            if ring or share > SHARE:
                self._creep.creep_fluxes(
                    network, self._ease, share, heights, crept, ring, lines, first, last
                )
            else:
                self._creep.creep_lines(
                    network, self._ease, share, heights, ratios, crept, lines, first, last
                )

        in_bands(creep, count, self._state.threads, band=CREEP_LINES)

    def _clear(self) -> float:
        """Remove deposits on a building plot; returns the amount."""
        return self._plot.clear(self._graph.inside(self._loose), self._graph.inside(self._heights))

    def _raised(self) -> Array:
        """Uplift so far, m."""
        times = -(-self._done // PHASES)  # it is the first part of a time step
        return (
            self._graph.inside(self._rise()) * times if self._rises else np.zeros(self._graph.shape)
        )

    def layers(self) -> dict[str, Array]:
        if coarse := self._coarse:
            return coarse.layers()
        loose = np.maximum(self._graph.inside(self._loose), 0.0)
        layers = {"elevation": self.elevation()}
        layers |= self._state.split_loose(loose, name="sediment")
        if self._rises or RISE in self._state.layers:
            layers[RISE] = self._state.layers.get(RISE, 0.0) + self._raised()
        return layers

    def elevation(self) -> Array:
        if coarse := self._coarse:
            return coarse.elevation()
        return np.where(self._drowned, self._state.elevation, self._graph.inside(self._heights))

    def volumes(self) -> Volumes:
        if coarse := self._coarse:
            return coarse.volumes()
        return Volumes(*(float(total) * self._area for total in self._total))

    @property
    def _area(self) -> float:
        return self._state.spacing[0] * self._state.spacing[1]

    def counts(self, seconds: float) -> dict[str, Any]:
        """Entries for the report; volumes in m³. seconds: of work so far."""
        taken, left, raised = self.volumes()
        years = self._parameters.years * (self._done / self._phases if self._phases else 1.0)
        if coarse := self._coarse:
            years = coarse.counts(seconds)["years"]
        return {"years": years, "cut": taken, "carried_out": left, "raised": raised}


def _standing_at_outlets(state: State) -> State:
    """State whose outlets of the mask keep their height, also at an open edge."""
    outlets = river_ends(None, state.masks.get("outlet"))
    if outlets is None:
        return state
    strength = state.masks.get("strength", np.float32(1.0)) * ~outlets
    return replace(state, masks={**state.masks, "strength": strength, "outlet": outlets * MANY})


def _mean_square_slope(state: State, radius: float) -> Array:
    """Mean of |∇z|² (rows, cols) over about a disc: three running means along each axis. radius:
    m.
    """
    wraps = state.edges == "wrap"
    mean = squared_slope(state.elevation, state.spacing, wraps)
    for axis, spacing in enumerate(state.spacing):
        along = np.moveaxis(mean, axis, 0)
        reach = min(round(radius / spacing), len(along) - 1)
        size = 2 * reach + 1
        for _ in range(3):
            sums = np.pad(
                along, ((reach + 1, reach), (0, 0)), mode="wrap" if wraps else "edge"
            ).cumsum(0)
            along = (sums[size:] - sums[:-size]) / size
        mean = np.moveaxis(along, 0, axis)
    return np.maximum(mean, 0.0)


def _on_coarser_cells(
    state: State, sea: Array | None, parameters: UpliftParameters, key: int
) -> CoarseStep | None:
    """Factory of the step on cells twice as wide for the large valleys, if there are enough cells;
    else None.
    """
    shape = halved(state.elevation.shape)
    if not (parameters.coarse_to_fine and parameters.years and shape):
        return None
    masks = state.masks
    if sea is not None and sea.any():  # no deposits in the sea
        masks = {**masks, "strength": masks.get("strength", np.float32(1.0)) * ~sea}
    first = replace(parameters, years=parameters.years * COARSE_STEPS / STEPS)
    return CoarseStep(UpliftStep, with_folded(replace(state, masks=masks)), shape, first, key)
