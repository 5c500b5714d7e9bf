# SPDX-License-Identifier: GPL-3.0-or-later
"""The rill step, light droplets with moisture: its parameters, and its way from metres into cells and back."""

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from .droplet import CHUNK_SECONDS, HIGHEST_RELIEF
from .errors import InputError
from .parameters import Parameters, parameter
from .state import Array, State


@dataclass(frozen=True)
class RillParameters(Parameters):
    """Light droplets with moisture (Ehoz 2023). What a drop does on its way counts by the metre, not by the cell."""

    drops_per_cell: float = parameter(
        0.75, "How much it rains: more drops cut deeper rills and fill wider floors.", low=0, high=1000, unit="1/cell"
    )
    form: str = parameter(
        "simple", "Whether drops simply level the ground, as published, or carry what they dig and lose none of it.",
        choices=("simple", "capacity"),
    )  # fmt: skip
    gravity: float = parameter(
        0.01, "How fast drops speed up downhill: more makes straighter rills and drier slopes.",
        low=0, high=1000, unit="1/m",
    )  # fmt: skip
    friction: float = parameter(
        0.005, "Share of its speed that a drop loses on a metre: more makes it follow every bend.",
        low=0, high=1000, unit="1/m",
    )  # fmt: skip
    transfer_rate: float = parameter(
        0.5, "Share of the height between two places that a drop levels: more cuts deeper rills.", low=0, high=1
    )
    sediment_ratio: float = parameter(
        3.0, "How much more a drop fills than it digs: more fills valleys to wider, flatter floors.", low=0, high=100
    )
    capacity: float = parameter(
        100.0, "How much a drop can carry, in the capacity form: more takes it further.", low=0, high=1e6, unit="m"
    )
    minimum_volume: float = parameter(
        0.01, "Share of its water at which a drop ends: less makes longer paths.", low=0, high=1
    )
    evaporation: float = parameter(
        0.001, "Share of its water that a drop loses on a metre: more makes shorter paths.",
        low=0, high=1000, unit="1/m",
    )  # fmt: skip
    maximum_path: float = parameter(
        4.0, "Longest path of a drop, as a multiple of the terrain's longer side.", low=0.01, high=100, unit="sides"
    )
    soil_absorption: float = parameter(
        0.05, "How fast the ground below a slow drop gets moist: more makes wider wet ground.",
        low=0, high=1000, unit="1/m",
    )  # fmt: skip
    soil_evaporation: float = parameter(
        10.0, "How fast the ground dries while a drop falls on each cell: more leaves only the grooves wet.",
        low=0, high=1000, unit="cells/drop",
    )  # fmt: skip


class RillStep:
    """A rill step under way on `state`: `advance` it until it says 1, look at `layers` at any time.

    key: uint64 that numbers of this step are drawn from. Raises InputError where the terrain cannot be eroded.
    """

    bytes_per_cell = 16 + 8 + 16 + 8
    """Working memory beyond terrain and result: ground, water, masks and sources."""

    def __init__(self, state: State, parameters: RillParameters, key: int) -> None:
        from ..kernels import rill  # numba takes a second to import, so only where it runs

        self._state, self._kernel = state, rill
        rows, cols = state.elevation.shape
        unit = state.cell_size
        self._datum = float(state.elevation.min())
        if float(state.elevation.max()) - self._datum > HIGHEST_RELIEF * unit:
            raise InputError(
                f"The relief is more than {HIGHEST_RELIEF:g} times the cell size of {unit:g} m; "
                "correct the cell size or the heights."
            )
        self._ground = np.empty((rows, cols, 2))
        np.subtract(state.elevation, self._datum, out=self._ground[..., 0])
        self._ground[..., 1] = state.loose()
        self._ground /= unit
        self._water = np.zeros((rows, cols, 2), np.float32)
        self._water[..., 1] = state.layers.get("moisture", 0.0)
        self._scale = np.ones(1)
        self._masks, self._sources = _masks(state), _sources(state)
        self._key = np.uint64(key)
        anywhere = self._sources is None or bool(self._sources[-1] > 0)
        self._drops = round(parameters.drops_per_cell * rows * cols) if anywhere else 0
        self._done, self._chunk = 0, 256
        self._constants = self._make_constants(parameters)
        self._totals = rill.Totals(*(np.zeros(1) for _ in range(3)), *(np.zeros(1, np.int64) for _ in range(2)))

    def _make_constants(self, given: RillParameters) -> Any:
        """What holds for a metre, as shares of one step; and for a drop on each cell, as a share of one drop."""
        state, kernel = self._state, self._kernel
        unit = state.cell_size
        rows, cols = state.elevation.shape
        return kernel.Constants(
            gravity=given.gravity * unit,
            friction=-math.expm1(-given.friction * unit),
            transfer_rate=given.transfer_rate,
            sediment_ratio=given.sediment_ratio,
            carries=given.form == "capacity",
            capacity=given.capacity / unit,
            minimum_volume=given.minimum_volume,
            evaporation=-math.expm1(-given.evaporation * unit),
            soil_absorption=-math.expm1(-given.soil_absorption * unit),
            soil_evaporation=-math.expm1(-given.soil_evaporation / (rows * cols)),
            maximum_steps=max(1, round(given.maximum_path * max(rows, cols))),
            edges={"open": kernel.OPEN, "closed": kernel.CLOSED, "wrap": kernel.WRAP}[state.edges],
            row_step=unit / state.spacing[0],
            col_step=unit / state.spacing[1],
        )

    def advance(self) -> float:
        """Run one chunk of drops; returns the share of all drops that have run."""
        last = min(self._done + self._chunk, self._drops)
        began = time.perf_counter()
        self._kernel.run_drops(
            self._ground, self._water, self._scale, self._masks, self._sources,
            self._key, self._done, last, self._constants, self._totals,
        )  # fmt: skip
        seconds = max(time.perf_counter() - began, 1e-6)
        # Drops run one after another, so where a chunk ends changes nothing but the time between two looks.
        self._chunk = max(16, round(self._chunk * min(max(CHUNK_SECONDS / seconds, 0.25), 4.0)))
        self._done = last
        return self._done / self._drops if self._drops else 1.0

    def layers(self) -> dict[str, Array]:
        """New arrays of what the step has changed so far, in metres, by field name."""
        state, unit = self._state, self._state.cell_size
        # Only the change comes back from cells, so that untouched heights keep every bit.
        elevation = (self._ground[..., 0] - (state.elevation - self._datum) / unit) * unit + state.elevation
        before = state.loose()
        loose = (self._ground[..., 1] - before / unit) * unit + before
        np.maximum(loose, 0.0, out=loose)  # rounding can leave it an ulp below
        flow = self._water[..., 0] + state.layers.get("flow", np.float32(0))
        # Four cells share what their middle lacks, so a single one can be given a little more than it can hold.
        moisture = np.minimum(self._water[..., 1] * np.float32(self._scale[0]), np.float32(1))
        return {"elevation": elevation, "flow": flow, "moisture": moisture, **state.split_loose(loose, own="sediment")}

    def moved(self) -> tuple[float, float, float]:
        """Volumes so far in m³: taken from the ground, carried out of the terrain, and added from nowhere.

        The simple form carries nothing: all that it takes leaves the terrain, and all that it lays down is new.
        """
        volume = self._state.cell_size * self._state.spacing[0] * self._state.spacing[1]
        totals = self._totals
        return float(totals.eroded[0]) * volume, float(totals.exported[0]) * volume, float(totals.added[0]) * volume

    def counts(self, seconds: float) -> dict[str, Any]:
        """The step's entries in the report, after so many seconds of work."""
        return {
            "drops": self._done,
            "drops_per_second": self._done / seconds if seconds > 0 else 0.0,
            "mean_path": float(self._totals.steps[0]) / self._done if self._done else 0.0,
            "paths_cut": int(self._totals.paths_cut[0]),
        }


def _masks(state: State) -> Array | None:
    """(rows, cols, 4) float32, see `kernels.rill.run_drops`; None where no mask says anything."""
    strength, hardness, protect = (state.masks.get(kind) for kind in ("strength", "hardness", "protect"))
    if strength is None and hardness is None and protect is None:
        return None
    masks = np.ones((*state.elevation.shape, 4), np.float32)
    if strength is not None:
        masks[..., 0] = masks[..., 2] = strength
    if hardness is not None:
        masks[..., 1] -= hardness
    masks[..., 3] = 0.0
    if protect is not None:
        masks[..., 0] *= 1.0 - protect
        masks[..., 3] = protect >= 1.0
    return masks


def _sources(state: State) -> Array | None:
    """Cumulated share of the drops that start in each cell (cells,), up to 1, all 0 where none can; None: even rain."""
    rain, protect = state.masks.get("rain"), state.masks.get("protect")
    if rain is None and protect is None:
        return None
    weights = np.ones(state.elevation.size) if rain is None else rain.astype(np.float64).ravel()
    if protect is not None:
        weights *= protect.ravel() < 1.0
    np.cumsum(weights, out=weights)
    if weights[-1] > 0:
        weights /= weights[-1]
    return weights
