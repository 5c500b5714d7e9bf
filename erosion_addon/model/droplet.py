# SPDX-License-Identifier: GPL-3.0-or-later
"""The droplet step: its parameters, and its way from metres into the kernel's cells and back."""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from .errors import InputError
from .parameters import Parameters, parameter
from .state import EDGES, Array, State, Volumes

CHUNK_SECONDS = 0.1
"""How long a chunk of drops should take: short enough to stop at once, long enough to cost nothing."""

HIGHEST_RELIEF = 1e7
"""Cells; above it the kernel's 0.001 cells of pit margin would drown in rounding."""


@dataclass(frozen=True)
class DropletParameters(Parameters):
    """Water erosion by single drops (Ranmantaru 2011); the defaults are the source's."""

    drops_per_cell: float = parameter(
        1.0, "How much it rains: more drops dig deeper valleys and fill wider plains.", low=0, high=1000, unit="1/cell"
    )
    capacity: float = parameter(
        10.0, "How much a drop can carry: more digs deeper and builds higher fans.", low=0, high=1000, seed_name="Kq"
    )
    evaporation: float = parameter(
        0.001, "Share of its water that a drop loses each step: more shortens rivers.",
        low=0, high=1, unit="1/step", seed_name="Kw",
    )  # fmt: skip
    erosion_rate: float = parameter(
        0.9, "Share of its spare capacity that a drop digs out each step: more cuts sharper gullies.",
        low=0, high=1, unit="1/step", seed_name="Kr",
    )  # fmt: skip
    deposition_rate: float = parameter(
        0.02, "Share of its excess load that a drop lays down each step: more fills the foot of the slopes.",
        low=0, high=1, unit="1/step", seed_name="Kd",
    )  # fmt: skip
    inertia: float = parameter(
        0.1, "How much a drop keeps its direction: more makes smoother, wider bends.", low=0, high=0.99, seed_name="Ki"
    )
    minimum_slope: float = parameter(
        0.05, "Slope that flat ground counts as: more lets rivers dig on plains.",
        low=0, high=10, unit="m/m", seed_name="minSlope",
    )  # fmt: skip
    gravity: float = parameter(
        20.0, "How fast drops speed up downhill: more erodes steep slopes harder.", low=0, high=1000, seed_name="g"
    )
    maximum_path: float = parameter(
        4.0, "Longest path of a drop, as a multiple of the terrain's longer side.", low=0.01, high=100, unit="sides"
    )
    erosion_footprint: str = parameter(
        "brush", "Where a drop digs: a soft brush of 4 × 4 cells, or the 4 cells around it for narrow gullies.",
        choices=("brush", "bilinear"),
    )  # fmt: skip
    slope: str = parameter(
        "tangent", "How slope counts for the capacity: its tangent, or its sine, which spares cliffs.",
        choices=("tangent", "sine"),
    )  # fmt: skip
    springs: tuple[tuple[float, ...], ...] = parameter(
        (), "Springs: place from the left and bottom edge (0-1), and how much water each gives.",
        low=0, high=1e6, row_names=("x", "y", "rate"),
    )  # fmt: skip
    spring_share: float = parameter(
        0.5, "Share of all drops that rise from the springs, where there are any.", low=0, high=1
    )
    wetness: float = parameter(
        5000.0, "Catchment per slope at which the ground is half wet: more leaves the ground drier.",
        low=1, high=1e9, unit="m",
    )  # fmt: skip
    color_depth: float = parameter(
        0.5, "Thickness of sediment that hides half of the ground's colour.", low=1e-6, high=1e6, unit="m"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for x, y, _ in self.springs:
            if x > 1 or y > 1:
                raise InputError(f"springs: one lies at ({x:g}, {y:g}), outside the terrain; x and y go from 0 to 1.")


class DropletStep:
    """A droplet step under way on `state`: `advance` it until it says 1, look at `layers` at any time.

    key: uint64 that numbers of this step are drawn from. Raises InputError where the terrain cannot be eroded.
    """

    bytes_per_cell = 8 + 16 + 4 + 8 + 8
    """Working memory beyond terrain and result: heights, ground, flow, sources and masks."""

    evolving = ("_ground", "_flow", "_color", "_totals", "_done")

    def __init__(self, state: State, parameters: DropletParameters, key: int) -> None:
        from ..kernels import droplet  # numba takes a second to import, so only where it runs

        self._state, self._parameters, self._kernel = state, parameters, droplet
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
        self._flow = np.zeros((rows, cols), np.float32)
        color = state.layers.get("surface_color")
        self._color = None if color is None else color.copy()
        self._masks = _mask_pair(state)
        self._sources = _sources(state, parameters)
        self._key = np.uint64(key)
        self._drops = round(parameters.drops_per_cell * rows * cols)
        self._done, self._chunk = 0, 256
        self._constants = self._make_constants(max(rows, cols))
        self._totals = droplet.Totals(np.zeros(1), np.zeros(1), *(np.zeros(1, np.int64) for _ in range(3)))

    def _make_constants(self, longer_side: int) -> Any:
        given, state = self._parameters, self._state
        return self._kernel.Constants(
            capacity=given.capacity,
            evaporation=given.evaporation,
            erosion_rate=given.erosion_rate,
            deposition_rate=given.deposition_rate,
            inertia=given.inertia,
            minimum_slope=given.minimum_slope,
            gravity=given.gravity,
            maximum_steps=max(1, round(given.maximum_path * longer_side)),
            brush=given.erosion_footprint == "brush",
            sine_slope=given.slope == "sine",
            color_depth=given.color_depth / state.cell_size,
            edges=EDGES.index(state.edges),
            row_step=state.cell_size / state.spacing[0],
            col_step=state.cell_size / state.spacing[1],
        )

    def advance(self) -> float:
        """Run one chunk of drops; returns the share of all drops that have run."""
        last = min(self._done + self._chunk, self._drops)
        began = time.perf_counter()
        self._kernel.run_drops(
            self._ground, self._flow, self._color, self._masks, self._sources,
            self._key, self._done, last, self._constants, self._totals,
        )  # fmt: skip
        seconds = max(time.perf_counter() - began, 1e-6)
        # Drops run one after another, so where a chunk ends changes nothing but the time between two looks.
        self._chunk = max(16, round(self._chunk * min(max(CHUNK_SECONDS / seconds, 0.25), 4.0)))
        self._done = last
        return self._done / self._drops if self._drops else 1.0

    def layers(self) -> dict[str, Array]:
        """New arrays of what the step has changed so far, in metres, by field name."""
        from ..kernels.wetness import wetness

        state, unit = self._state, self._state.cell_size
        # Only the change comes back from cells, so that untouched heights keep every bit.
        elevation = (self._ground[..., 0] - (state.elevation - self._datum) / unit) * unit + state.elevation
        before = state.loose()
        loose = (self._ground[..., 1] - before / unit) * unit + before
        np.maximum(loose, 0.0, out=loose)  # rounding can leave it an ulp below
        flow = self._flow if "flow" not in state.layers else self._flow + state.layers["flow"]
        moisture = np.empty(flow.shape, np.float32)
        drops_per_cell = max(self._done, 1) / flow.size
        wetness(
            elevation, self._flow, *state.spacing, state.cell_size / drops_per_cell, self._parameters.wetness, moisture
        )
        layers = {"elevation": elevation, "flow": flow.copy(), "moisture": moisture}
        layers |= state.split_loose(loose, own="sediment")
        if self._color is not None:
            layers["surface_color"] = self._color.copy()
        return layers

    def volumes(self) -> Volumes:
        """What happened to solid material so far."""
        volume = self._state.cell_size * self._state.spacing[0] * self._state.spacing[1]
        return Volumes(float(self._totals.eroded[0]) * volume, float(self._totals.exported[0]) * volume)

    def counts(self, seconds: float) -> dict[str, Any]:
        """The step's entries in the report, after so many seconds of work."""
        return {
            "drops": self._done,
            "drops_per_second": self._done / seconds if seconds > 0 else 0.0,
            "mean_path": float(self._totals.steps[0]) / self._done if self._done else 0.0,
            "paths_cut": int(self._totals.paths_cut[0]),
            "random_directions": int(self._totals.random_directions[0]),
        }


def _mask_pair(state: State) -> Array | None:
    """(rows, cols, 2) float32: strength, and what hardness leaves; None where neither is set."""
    strength, hardness = state.masks.get("strength"), state.masks.get("hardness")
    if strength is None and hardness is None:
        return None
    pair = np.ones((*state.elevation.shape, 2), np.float32)
    if strength is not None:
        pair[..., 0] = strength
    if hardness is not None:
        pair[..., 1] -= hardness
    return pair


def _sources(state: State, parameters: DropletParameters) -> Array | None:
    """Cumulated share of the drops that start in each cell (cells,), up to 1; None for even rain."""
    rain, springs = state.masks.get("rain"), parameters.springs
    share = min(1.0, parameters.spring_share) if any(rate for _, _, rate in springs) else 0.0
    if rain is None and share == 0.0:
        return None
    rows, cols = state.elevation.shape
    weights = np.ones(rows * cols) if rain is None else rain.astype(np.float64).ravel()
    weights *= (1.0 - share) / weights.sum()
    total = sum(rate for _, _, rate in springs)
    for x, y, rate in springs:
        if rate:
            weights[round(y * (rows - 1)) * cols + round(x * (cols - 1))] += share * rate / total
    np.cumsum(weights, out=weights)
    weights /= weights[-1]
    return weights
