# SPDX-License-Identifier: GPL-3.0-or-later
"""Weathering step: rock turns into loose material, and the cover creeps downhill over thousands of
years.
"""

from typing import Any

import numpy as np

from ...base.arrays import EDGES, Array
from ..shared.halo import (
    ANY_HEIGHT,
    changed_elevation,
    ground_now,
    inner,
    loosened,
    ringed,
    share_masks,
    volumes,
)
from ..shared.shares import Ground, Plot, under_grass
from ..shared.state import Pace, State, Step, Volumes, run_passes
from ..shared.tile_scheduler import Bands
from .parameters import MOISTURE_EFFECT, WeatherParameters

LOOK = 4
"""Time steps between updates of the hardness of the rock below its cover."""


class WeatherStep(Step):
    """Weather step."""

    bytes_per_cell = 16 + 8 + 12 + 4
    """Working memory beyond terrain and result: rock, loose material, creep, masks and moisture."""

    evolving: tuple[str, ...] = ("_rock", "_loose", "_exported", "_done")

    def __init__(self, state: State, parameters: WeatherParameters, key: int) -> None:
        from .kernels import weathering

        self._kernel = weathering
        self._years = parameters.duration
        state = self._state = under_grass(state)
        loose = state.loose()
        self._rock = ringed(state.elevation - loose)
        self._loose = ringed(loose)
        self._masks = self._make_masks()
        self._moisture = state.layers.get("moisture")
        self._plot = Plot(state, inner(self._loose), inner(self._rock))
        rows, cols = state.elevation.shape
        self._bands = Bands((rows, cols), state.threads)
        self._maps = weathering.make_maps(self._bands.count, rows, cols)
        self._rows = [weathering.make_rows(cols) for _ in range(self._bands.count)]
        self._exported = self._maps.exported
        row_spacing, col_spacing = state.spacing
        self._steps = parameters.time_steps(state.spacing)
        years = parameters.duration / max(self._steps, 1)
        self._constants = weathering.Constants(
            # from mm a year to m a time step
            production=parameters.production / 1000 * years,
            depth=parameters.cover_depth,
            wetness=MOISTURE_EFFECT,
            row_share=parameters.diffusivity * years / (row_spacing * row_spacing),
            col_share=parameters.diffusivity * years / (col_spacing * col_spacing),
            row_spacing=row_spacing,
            col_spacing=col_spacing,
            edges=EDGES.index(state.edges),
        )
        self._done = 0
        self._pace = Pace(1)
        self.limits = {"_rock": ANY_HEIGHT, "_done": (0, self._steps), "_masks": (0, 1)}
        if state.masks_change:
            self.evolving = (*self.evolving, "_masks")

    def advance(self) -> float:
        """Run one chunk of time steps; returns the share done."""
        self._done += self._pace.run(self._pass)
        return self._done / self._steps if self._steps else 1.0

    def _pass(self, size: int) -> int:
        """Run some time steps, clearing the building plot after each; returns their number."""
        count = min(size, self._steps - self._done)
        clear = self._clear if self._plot else None
        return run_passes(
            self._weather,
            count,
            self._done,
            self._state.passes_between_looks(LOOK),
            self._look,
            clear,
        )

    def _clear(self) -> None:
        self._exported[0] += self._plot.clear(inner(self._loose), inner(self._rock))

    def _look(self) -> None:
        """Update the factors of weathering and creep for the current ground."""
        if self._masks is not None:
            self._masks[...] = self._make_masks(ground_now(self._rock, self._loose))

    def _make_masks(self, ground: Ground | None = None) -> Array | None:
        """`share_masks` with the diffusivity mask of the receiving cell."""
        masks = share_masks(self._state, ground)
        creeping = self._state.masks.get("diffusivity")
        if creeping is None:
            return masks
        rows, cols = self._state.elevation.shape
        if masks is None:
            masks = np.ones((rows + 2, cols + 2, 3), np.float32)
        wrap = self._state.edges == "wrap"
        masks[..., 1] *= np.pad(creeping, 1, "wrap" if wrap else "edge")
        return masks

    def _weather(self, passes: int) -> int:
        kernel = self._kernel
        bands = self._bands
        starts = bands.starts
        constants = self._constants
        maps = self._maps
        if bands.count == 1:
            kernel.weather(
                self._rock,
                self._loose,
                self._masks,
                self._moisture,
                constants,
                starts,
                maps,
                self._rows[0],
                passes,
            )
            return passes
        for _ in range(passes):
            kernel.fill_border(self._rock, self._loose, self._masks, constants.edges)
            bands.run(
                lambda seam, thread: kernel.fill_seam(
                    self._rock, self._loose, constants, starts, seam, maps, self._rows[thread]
                ),
                lambda band, thread: kernel.sweep(
                    self._rock,
                    self._loose,
                    self._masks,
                    self._moisture,
                    constants,
                    starts[band],
                    starts[band + 1],
                    band,
                    maps,
                    self._rows[thread],
                ),
            )
            kernel.add_up(maps)
        return passes

    def layers(self) -> dict[str, Array]:
        loose = np.maximum(inner(self._loose), 0.0)
        return {
            "elevation": changed_elevation(self._state, self._rock, self._loose),
            **self._state.split_loose(loose, name="sediment"),
        }

    def volumes(self) -> Volumes:
        return volumes(self._state, self._rock, self._loose, self._exported)

    def counts(self, seconds: float) -> dict[str, Any]:
        steps = max(self._steps, 1)
        return {
            "years": self._years * self._done / steps,
            "time_steps": self._done,
            "years_per_step": self._years / steps,
            "weathered": loosened(self._state, self._rock) / self._state.elevation.size,
        }
