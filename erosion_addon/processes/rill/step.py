# SPDX-License-Identifier: GPL-3.0-or-later
"""Light droplet step: conversion between meters and the kernel's cells."""

from typing import Any

import numpy as np

from ...base.arrays import EDGES, Array
from ...base.kernels.elementary import expm1, power
from ..shared.coarse_step import FeatureSizedSteps
from ..shared.particle_step import PATIENCE, TINY, DropStep, Entering, drop_sources
from ..shared.state import State, Volumes
from .parameters import RillParameters


class RillStep(DropStep):
    """Light droplet step.

    key: uint64 of its random numbers. portions: see `DropStep`. Raises InputError if the terrain
    cannot be eroded.
    """

    bytes_per_cell = 16 + 8 + 16 + 8
    """Working memory beyond terrain and result: ground, water, masks and sources."""

    continues = ("moisture",)

    lone = 0.15

    evolving = ("_ground", "_water", "_scale", "_totals", "_run", "_hillslopes", "_brought")

    limits = {"_scale": (2.0**-80, 1.0)}

    def __init__(
        self, state: State, parameters: RillParameters, key: int, portions: float = 1.0
    ) -> None:
        from .kernels import rill

        super().__init__(state, key, parameters, drop_sources(state), rill, portions)
        self._water = np.zeros((*state.elevation.shape, 2), np.float32)
        self._water[..., 1] = state.layers.get("moisture", 0.0)
        self._scale = np.ones(1)
        self._constants = self._make_constants(parameters)
        self._totals = rill.make_totals(self._run.tiles)

    def go_on_from(self, layers: dict[str, Array]) -> None:
        """Take over changed layers of its state, before its first drop."""
        super().go_on_from(layers)
        self._water[..., 1] = layers["moisture"]

    def _make_constants(self, parameters: RillParameters) -> Any:
        """Constants per meter, converted to one step, and constants per drop on each cell,
        converted to one drop.
        """
        state = self._state
        unit = self._state.cell_size
        rows, cols = state.elevation.shape
        return self._kernel.Constants(
            gravity=parameters.gravity * unit,
            friction=-expm1(-parameters.friction * unit),
            transfer_rate=parameters.transfer_rate,
            sediment_ratio=parameters.sediment_ratio,
            carries=parameters.form != "simple",
            capacity=parameters.capacity / unit,
            minimum_volume=parameters.minimum_volume,
            evaporation=-expm1(-parameters.evaporation * unit),
            soil_absorption=-expm1(-parameters.soil_absorption * unit),
            soil_evaporation=-expm1(-parameters.soil_evaporation / self._catchment),
            maximum_steps=max(1, round(parameters.maximum_path * max(rows, cols))),
            edges=EDGES.index(state.edges),
            row_step=unit / state.spacing[0],
            col_step=unit / state.spacing[1],
            patience=PATIENCE,
            first_rule=parameters.form == "uncapped",
        )

    def _start(self, pool: Any, tiles: Any, first: int, last: int) -> None:
        self._kernel.start_drops(
            pool,
            tiles,
            self._sources,
            self._key,
            first,
            last,
            self._water,
            self._scale,
            self._constants.soil_evaporation,
        )

    def _values_of(self, entering: Entering) -> Array:
        """Terminal speed (friction balances slope) and full load, capped by the fall."""
        kernel = self._kernel
        constants = self._constants
        unit = self._state.cell_size
        drops = np.zeros((len(entering.way), kernel.NUMBERS))
        drops[:, :2] = entering.places
        volume = power(1.0 - constants.evaporation, entering.way / unit)
        slope = np.sqrt((entering.slope * entering.slope).sum(axis=-1))
        speed = constants.gravity * slope / max(constants.friction, constants.gravity)
        drops[:, [kernel.ROW_SPEED, kernel.COL_SPEED]] = (
            -entering.slope * (speed / np.maximum(slope, TINY))[:, None]
        )
        if constants.carries:
            carried = np.minimum(speed * volume * slope * constants.capacity, entering.fall / unit)
            drops[:, kernel.LOAD] = np.maximum(carried, 0.0)
        drops[:, kernel.VOLUME] = volume
        return drops

    def _set_changing(self, arriving: Array) -> None:
        """The scale of moisture."""
        arriving[:, self._kernel.SCALE] = self._scale[0]

    def _work(self, worked: Array, tiles: Any, pool: Any) -> None:
        self._kernel.run_tiles(
            worked,
            tiles,
            pool,
            self._ground,
            self._water,
            self._masks,
            self._constants,
            self._totals,
        )

    def _settled(self) -> tuple[Array, float]:
        """Ground with the load of all drops deposited where they are, and the volume that masks
        prevent.
        """
        self.rest()
        if not self._run.under_way:
            return self._ground, 0.0
        ground = self._ground.copy()
        return ground, self._kernel.lay_down(self._run.tiles, self._run.pool, ground, self._masks)

    def layers(self) -> dict[str, Array]:
        layers = self._solid_layers(self._settled()[0])
        layers["flow"] = self._water[..., 0].copy()
        # Four cells share what their middle lacks, so a single one can be given a little more than
        # it can hold.
        layers["moisture"] = np.minimum(
            self._water[..., 1] * np.float32(self._scale[0]), np.float32(1)
        )
        return layers

    def volumes(self) -> Volumes:
        """Volumes of solid material moved so far.

        The simple form carries nothing: eroded material vanishes, and deposits are created.
        """
        eroded, filled, exported = (
            float(total.sum()) * self._unit_volume for total in self._totals[:3]
        )
        exported += self._settled()[1] * self._unit_volume
        surplus = 0.0 if self._constants.carries else filled - eroded
        return Volumes(eroded, exported, surplus).plus(self._besides())


RillSteps = FeatureSizedSteps(RillStep)
"""Maker of steps on cells as large as their finest channels."""
