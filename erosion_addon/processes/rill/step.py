# SPDX-License-Identifier: GPL-3.0-or-later
"""Light droplet step: parameters, and conversion between meters and the kernel's cells."""

from typing import Any

import numpy as np

from ...base.arrays import EDGES, Array
from ...base.parameters import Parameters, parameter
from ...kernels.elementary import expm1
from ..shared.coarse_step import coarse_to_fine, detail, feature_size
from ..shared.particle_step import PATIENCE, DropStep, drop_sources
from ..shared.shares import grass_protection
from ..shared.slides import creep, slope_limit
from ..shared.state import State, Volumes


class RillParameters(Parameters):
    """Light drops cut fine rills, fill wide floors and leave the ground moist (jehoz 2023). What a drop does on its way
    counts by the meter, not by the cell.
    """

    drops_per_cell: float = parameter(
        0.75,
        "How much it rains: more drops cut deeper rills and fill wider floors.",
        low=0,
        high=1000,
        unit="1/cell",
        soft_high=5,
        step=0.01,  # from 8 on needles are left in plains
    )
    feature_size: float = feature_size()
    detail: int = detail()
    form: str = parameter(
        "simple",
        "Whether drops simply level the ground, as published, or carry what they dig and lose none of it.",
        choices={
            "simple": "Drops level what they run over, and make material or destroy it; the report says how much",
            "capacity": "Drops dig, carry and lay down, and none of it is lost",
            "uncapped": "As capacity, by the article's first rule: the height between two places does not bound a step",
        },
    )
    gravity: float = parameter(
        0.01,
        "How fast drops speed up downhill: higher values leave slopes drier, and let the capacity form carry more.",
        low=0,
        high=1000,
        unit="1/m",
        soft_high=0.1,
        group="Drops",
    )
    friction: float = parameter(
        0.005,
        "Share of its speed that a drop loses on a meter: higher values make it follow every bend.",
        low=0,
        high=1000,
        unit="1/m",
        soft_high=0.1,
        group="Drops",
    )
    transfer_rate: float = parameter(
        0.5, "Share of the height between two places that a drop levels: higher values cut deeper rills.", low=0, high=1
    )
    sediment_ratio: float = parameter(
        3.0,
        "How much more a drop fills than it digs: higher values fill valleys to wider, flatter floors.",
        low=0,
        high=100,
        soft_low=0.5,
        soft_high=10,  # below it floors are pitted, or drained to the edges' height
    )
    capacity: float = parameter(
        100.0,
        "How much a drop can carry, in the capacity form: higher values take it further.",
        low=0,
        high=1e6,
        unit="m",
        soft_high=1000,
        needs=("form", "capacity", "uncapped"),
    )
    minimum_volume: float = parameter(
        0.01,
        "Share of its water at which a drop ends: higher values make shorter paths.",
        low=0,
        high=1,
        soft_high=0.5,
        step=0.001,
        group="Drops",
    )
    evaporation: float = parameter(
        0.001,
        "Share of its water that a drop loses on a meter: higher values make shorter paths.",
        low=0,
        high=1000,
        unit="1/m",
        soft_high=0.02,
        group="Drops",
    )
    maximum_path: float = parameter(
        4.0,
        "Longest path of a drop, as a multiple of the terrain's longer side: lower values end rivers on their way.",
        low=0.01,
        high=100,
        unit="sides",
        soft_high=10,
        step=0.01,
        group="Drops",
    )
    soil_absorption: float = parameter(
        0.05,
        "How fast the ground below a slow drop gets moist: higher values make wider wet ground.",
        low=0,
        high=1000,
        unit="1/m",
        soft_high=1,
        group="Moisture",
    )
    soil_evaporation: float = parameter(
        10.0,
        "How fast the ground dries while a drop falls on each cell: higher values leave only the grooves wet.",
        low=0,
        high=1000,
        unit="cells/drop",
        soft_high=100,
        group="Moisture",
    )
    slope_limit: float = slope_limit()
    creep: float = creep()
    grass_protection: float = grass_protection()
    coarse_to_fine: bool = coarse_to_fine()


class RillStep(DropStep):
    """Running light droplet step on `state`: call `advance` until it returns 1; `layers` may be read at any time.

    key: uint64 of its random numbers. portions: see `DropStep`. Raises InputError if the terrain cannot be eroded.
    """

    bytes_per_cell = 16 + 8 + 16 + 8
    """Working memory beyond terrain and result: ground, water, masks and sources."""

    continues = ("moisture",)

    evolving = ("_ground", "_water", "_scale", "_totals", "_run", "_hillslopes")

    limits = {"_scale": (2.0**-80, 1.0)}

    def __init__(self, state: State, parameters: RillParameters, key: int, portions: float = 1.0) -> None:
        from .kernels import rill  # numba takes a second to import, so only where it runs

        super().__init__(state, key, parameters, drop_sources(state), rill, portions)
        self._kernel = rill
        self._water = np.zeros((*state.elevation.shape, 2), np.float32)
        self._water[..., 1] = state.layers.get("moisture", 0.0)
        self._scale = np.ones(1)
        self._constants = self._make_constants(parameters)
        self._totals = rill.make_totals(self._run.tiles)

    def go_on_from(self, layers: dict[str, Array]) -> None:
        """Take over changed layers of its state, before its first drop."""
        super().go_on_from(layers)
        self._water[..., 1] = layers["moisture"]

    def _make_constants(self, given: RillParameters) -> Any:
        """Constants given per meter, converted to one step; and those given per drop on each cell, to one drop."""
        state, unit = self._state, self._state.cell_size
        rows, cols = state.elevation.shape
        return self._kernel.Constants(
            gravity=given.gravity * unit,
            friction=-expm1(-given.friction * unit),
            transfer_rate=given.transfer_rate,
            sediment_ratio=given.sediment_ratio,
            carries=given.form != "simple",
            capacity=given.capacity / unit,
            minimum_volume=given.minimum_volume,
            evaporation=-expm1(-given.evaporation * unit),
            soil_absorption=-expm1(-given.soil_absorption * unit),
            soil_evaporation=-expm1(-given.soil_evaporation / (rows * cols)),
            maximum_steps=max(1, round(given.maximum_path * max(rows, cols))),
            edges=EDGES.index(state.edges),
            row_step=unit / state.spacing[0],
            col_step=unit / state.spacing[1],
            patience=PATIENCE,
            first_rule=given.form == "uncapped",
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

    def _work(self, worked: Array, tiles: Any, pool: Any) -> None:
        self._kernel.run_tiles(
            worked, tiles, pool, self._ground, self._water, self._masks, self._constants, self._totals
        )

    def _settled(self) -> tuple[Array, float]:
        """Ground with the load of all drops deposited where they are, and the volume that masks prevent."""
        self.rest()
        if not self._run.under_way:
            return self._ground, 0.0
        ground = self._ground.copy()
        return ground, self._kernel.lay_down(self._run.tiles, self._run.pool, ground, self._masks)

    def layers(self) -> dict[str, Array]:
        """Current layers changed by the step, in meters, by field name; new arrays."""
        layers = self._solid_layers(self._settled()[0])
        layers["flow"] = self._water[..., 0].copy()
        # Four cells share what their middle lacks, so a single one can be given a little more than it can hold.
        layers["moisture"] = np.minimum(self._water[..., 1] * np.float32(self._scale[0]), np.float32(1))
        return layers

    def volumes(self) -> Volumes:
        """Volumes of solid material moved so far.

        The simple form carries nothing: eroded material vanishes, and deposits are created.
        """
        eroded, filled, exported = (float(total.sum()) * self._unit_volume for total in self._totals[:3])
        exported += self._settled()[1] * self._unit_volume
        made = 0.0 if self._constants.carries else filled - eroded
        return Volumes(eroded, exported, made).plus(self._given_way())
