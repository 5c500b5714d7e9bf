# SPDX-License-Identifier: GPL-3.0-or-later
"""Droplet step: conversion between meters and the kernel's cells."""

from typing import Any

import numpy as np

from ...base.arrays import EDGES, Array
from ...base.kernels.elementary import expm1, power
from ..shared.coarse_step import FeatureSizedSteps
from ..shared.parameters import spring_cells
from ..shared.particle_step import PATIENCE, TINY, DropStep, Entering, drop_sources
from ..shared.state import State, Volumes
from .parameters import DropletParameters

FALL_IN_MIND = 9.0
"""Fall in cells after which a drop reaches a pit and starts anew.

Measured with the default parameters: rivers with mean falls of 2.7, 13, 11 and 30 cells upstream (a
fractal, a rough valley, eroded mountains, a smooth valley) carry loads of 2.4, 6.4, 4.8 and 6.7
cells, and an energy of 0.3 to 1.8.
"""


class DropletStep(DropStep):
    """Droplet step.

    key: uint64 of its random numbers. portions: see `DropStep`. Raises InputError if the terrain
    cannot be eroded.
    """

    bytes_per_cell = 16 + 4 + 8 + 16
    """Working memory beyond terrain and result: ground, flow, sources and masks."""

    continues = ("surface_color",)

    evolving = ("_ground", "_flow", "_color", "_totals", "_run", "_hillslopes", "_brought")

    def __init__(
        self, state: State, parameters: DropletParameters, key: int, portions: float = 1.0
    ) -> None:
        from .kernels import droplet

        sources = drop_sources(state, parameters.springs, parameters.spring_share)
        rises = (
            parameters.spring_share if any(rate > 0 for _, _, rate in parameters.springs) else 0.0
        )
        super().__init__(state, key, parameters, sources, droplet, portions, 1.0 - rises)
        self._parameters = parameters
        self._spread = _spread(state, parameters)
        self._flow = np.zeros(state.elevation.shape, np.float32)
        color = state.layers.get("surface_color")
        self._color = None if color is None else color.copy()
        self._constants = self._make_constants(max(state.elevation.shape))
        self._totals = droplet.make_totals(self._run.tiles)

    def go_on_from(self, layers: dict[str, Array]) -> None:
        """Take over changed layers of its state, before its first drop."""
        super().go_on_from(layers)
        if self._color is not None:
            self._color[...] = layers["surface_color"]

    def _make_constants(self, longer_side: int) -> Any:
        parameters = self._parameters
        state = self._state
        return self._kernel.Constants(
            capacity=parameters.capacity,
            evaporation=parameters.evaporation,
            erosion_rate=parameters.erosion_rate,
            deposition_rate=parameters.deposition_rate,
            inertia=parameters.inertia,
            minimum_slope=parameters.minimum_slope,
            gravity=parameters.gravity,
            maximum_steps=max(1, round(parameters.maximum_path * longer_side)),
            brush=parameters.erosion_footprint == "brush",
            sine_slope=parameters.slope == "sine",
            color_depth=parameters.color_depth / state.cell_size,
            edges=EDGES.index(state.edges),
            row_step=state.cell_size / state.spacing[0],
            col_step=state.cell_size / state.spacing[1],
            patience=PATIENCE,
            deposit_limit=parameters.deposit_limit or np.inf,
            quarters=parameters.deposit_footprint == "quarters",
        )

    def _start(self, pool: Any, tiles: Any, first: int, last: int) -> None:
        self._kernel.start_drops(pool, tiles, self._sources, self._key, first, last, *self._spread)

    def _values_of(self, entering: Entering) -> Array:
        """Falling drops gain speed and dig until their load equals their capacity: s = k v, with k
        = slope · w · capacity and v² = 2 gravity (fall - s). Pits on the way slow them down again,
        see `FALL_IN_MIND`.
        """
        from .kernels import motion

        constants = self._constants
        unit = self._state.cell_size
        drops = np.zeros((len(entering.way), self._kernel.NUMBERS))
        drops[:, :2] = entering.places
        # a drop that loses all of its water in one step still needs a finite power
        water = power(max(1.0 - constants.evaporation, TINY), entering.way / unit)
        slope = np.sqrt((entering.slope * entering.slope).sum(axis=-1))
        slope = np.maximum(
            slope / np.sqrt(slope * slope + 1.0) if constants.sine_slope else slope,
            constants.minimum_slope,
        )
        fall = -FALL_IN_MIND * expm1(-entering.fall / unit / FALL_IN_MIND)
        carried = slope * water * constants.capacity
        energy = 2.0 * constants.gravity * carried * carried
        if constants.erosion_rate > 0:
            drops[:, motion.LOAD] = (
                2.0 * fall / (1.0 + np.sqrt(1.0 + 4.0 * fall / np.maximum(energy, TINY)))
            )
        drops[:, motion.SPEED] = np.sqrt(
            2.0 * constants.gravity * np.maximum(fall - drops[:, motion.LOAD], 0.0)
        )
        drops[:, motion.WATER] = water
        drops[:, motion.DRAWS] = 3.0
        return drops

    def _set_changing(self, arriving: Array) -> None:
        """The color of the ground."""
        from .kernels import motion

        if self._color is not None:
            rows, cols = arriving[:, :2].astype(np.intp).T
            arriving[:, motion.COLOR :] = self._color[rows, cols]

    def _work(self, worked: Array, tiles: Any, pool: Any) -> None:
        self._kernel.run_tiles(
            worked,
            tiles,
            pool,
            self._ground,
            self._flow,
            self._color,
            self._masks,
            self._constants,
            self._totals,
        )

    def _settled(self) -> tuple[Array, Array | None, float]:
        """Ground and color with the load of all drops deposited where they are, and the volume that
        masks prevent.
        """
        self.rest()
        if not self._run.under_way:
            return self._ground, self._color, 0.0
        ground = self._ground.copy()
        color = None if self._color is None else self._color.copy()
        run = self._run
        return (
            ground,
            color,
            self._kernel.lay_down(run.tiles, run.pool, ground, color, self._masks, self._constants),
        )

    def layers(self) -> dict[str, Array]:
        from .kernels.droplet import wetness

        ground, color, _ = self._settled()
        layers = self._solid_layers(ground)
        state = self._state
        layers["flow"] = self._flow.copy()
        layers["moisture"] = np.empty(self._flow.shape, np.float32)
        catchment = state.cell_size * self._catchment / max(self._run.started, 1)
        wetness(
            layers["elevation"],
            self._flow,
            *state.spacing,
            catchment,
            self._parameters.wetness,
            layers["moisture"],
        )
        if color is not None:
            layers["surface_color"] = color.copy()
        return layers

    def volumes(self) -> Volumes:
        eroded, exported = (float(total.sum()) * self._unit_volume for total in self._totals[:2])
        return Volumes(eroded, exported + self._settled()[2] * self._unit_volume).plus(
            self._besides()
        )

    def counts(self, seconds: float) -> dict[str, Any]:
        return {
            **super().counts(seconds),
            "random_directions": int(self._totals.random_directions.sum()),
        }


def _spread(state: State, parameters: DropletParameters) -> tuple[Array, bool]:
    """Sorted cells in which drops start at random positions, and whether all do."""
    flowing = [spring for spring in parameters.springs if spring[2] * parameters.spring_share > 0]
    rising = spring_cells(state.elevation.shape, flowing) if parameters.start == "springs" else []
    return np.unique(np.array(rising, np.int64)), parameters.start == "anywhere"


DropletSteps = FeatureSizedSteps(DropletStep, by_the_cell=True)
"""Maker of steps on cells as large as their finest channels."""
