# SPDX-License-Identifier: GPL-3.0-or-later
"""Snow step: snowfall by height and shelter, slides, and melting; the ground does not change."""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from ...base.arrays import Array
from ...grid.stencils import continued, squared_slope
from ...terrain.limits import NO_LIMITS
from ..shared.halo import inner, ringed
from ..shared.shares import shares
from ..shared.slides import Slides
from ..shared.state import Pace, State, Step, Volumes
from .parameters import SnowParameters


def shelter(elevation: Array, spacing: tuple[float, float], size: float, wraps: bool) -> Array:
    """(rows, cols): mean tangent of the angles up to the ground half of `size` (m) away, in eight
    directions.

    More than 0 in hollows, less on crests, 0 on any plane. wraps: whether the opposite edge
    follows; otherwise the ground is continued beyond the edge by point reflection.
    """
    down, right = (
        max(1, min(round(size / 2 / pitch), count - 1))
        for pitch, count in zip(spacing, elevation.shape, strict=True)
    )
    ground = continued(elevation, ((down, down), (right, right)), wraps)
    rise = down * spacing[0]
    run = right * spacing[1]

    def both(row: int, col: int) -> Array:
        """Sum of the heights at this distance in opposite directions, minus twice the cell's
        own.
        """
        first, second = (
            _displaced(ground, elevation.shape, down, right, way * row, way * col)
            for way in (1, -1)
        )
        twice: Array = (first - elevation) + (second - elevation)
        return twice

    # Opposite directions are added first: so no turn or mirror image of the terrain changes a bit.
    result: Array = both(0, right) / run + both(down, 0) / rise
    result += (both(down, right) + both(down, -right)) / math.sqrt(rise * rise + run * run)
    result /= 8.0
    return result


def levelness(elevation: Array, spacing: tuple[float, float], wraps: bool) -> Array:
    """(rows, cols): cosine of the slope, by differences across a cell."""
    level: Array = 1.0 / np.sqrt(1.0 + squared_slope(elevation, spacing, wraps))
    return level


def _displaced(
    ground: Array, shape: tuple[int, ...], down: int, right: int, row: int, col: int
) -> Array:
    """Neighbor values at an offset of rows and columns, from the padded ground."""
    part: Array = ground[down + row : down + row + shape[0], right + col : right + col + shape[1]]
    return part


WATER = 0.3
"""Water content of old snow, m/m."""

READ = ("strength", "plot", "amount", "cling", "melt")
"""Masks that act on snow: it lies on hard and protected ground as on any other. The last three
scale parameters.
"""


class SnowStep(Step):
    """Snow step.

    Snow that slides is loose material on the ground. The ground counts as rock and never breaks.
    """

    bytes_per_cell = 24 + 12 + 24
    """Working memory beyond terrain and result: ground, snow that clings and slides, masks, and the
    factors of the snowfall.
    """

    lone = 0.15

    evolving = ("_snow", "_active", "_exported", "_done")

    def __init__(self, state: State, parameters: SnowParameters, key: int) -> None:
        masks = {kind: mask for kind, mask in state.masks.items() if kind in READ}
        state = self._state = replace(state, masks=masks, strata=None, limits=NO_LIMITS)
        self._parameters = parameters
        self._gain = shares(state).laid
        before = state.layers.get("snow", np.zeros(state.elevation.shape))
        fall = self._fall()
        self._started = float(np.sum(before, dtype=np.float64))
        self._fallen = float(np.sum(fall))
        fall += before
        level = levelness(state.elevation, state.spacing, state.edges == "wrap")
        self._clinging = np.minimum(fall, self._at_places("cling") * level)
        self._ground = ringed(state.elevation + self._clinging)
        self._snow = ringed(fall - self._clinging)
        self._slides = Slides(state, self._ground, self._snow, parameters.steepest)
        self._active = self._slides.active
        self._exported = self._slides.exported
        self._passes = parameters.passes(state.elevation.shape, state.spacing)
        self._done = 0
        self._pace = Pace(1)
        self.limits = {"_active": (0, 1), "_done": (0, self._passes)}

    def _fall(self) -> Array:
        """Snowfall, (rows, cols) m: 0 at the snow line, full at `softness` above it."""
        state = self._state
        parameters = self._parameters
        above = state.elevation - snow_line(state.elevation, parameters)
        share: Array = (
            np.clip(above / parameters.softness, 0.0, 1.0)
            if parameters.softness
            else (above > 0.0).astype(np.float64)
        )
        share *= share * (3.0 - 2.0 * share)
        if parameters.drift:
            bend = shelter(
                state.elevation, state.spacing, parameters.drift_size, state.edges == "wrap"
            )
            share *= np.clip(1.0 + parameters.drift * bend, 0.0, 2.0)
        if self._gain is not None:
            share *= self._gain
        share *= self._at_places("amount")
        return share

    def _at_places(self, name: str) -> Any:
        """A parameter, (rows, cols) if a mask scales it."""
        value = getattr(self._parameters, name)
        mask = self._state.masks.get(name)
        return value if mask is None else value * mask.astype(np.float64)

    def advance(self) -> float:
        """Run one chunk of slide passes; returns the share of all passes, 1 once everything
        rests.
        """
        self._done += self._pace.run(
            lambda size: self._slides.run(min(size, self._passes - self._done))
        )
        return (
            1.0 if self._done >= self._passes or self._slides.at_rest else self._done / self._passes
        )

    def _lying(self) -> tuple[Array, Array]:
        """Remaining snow and meltwater, (rows, cols) m each."""
        snow = np.maximum(inner(self._snow), 0.0) + self._clinging
        most = (
            self._at_places("melt") if self._gain is None else self._at_places("melt") * self._gain
        )
        melted = np.minimum(snow, most)
        return snow - melted, melted

    def elevation(self) -> Array:
        """The ground, in meters."""
        return self._state.elevation

    def layers(self) -> dict[str, Array]:
        """Unchanged ground, and new arrays of snow and meltwater, in meters."""
        snow, melted = self._lying()
        water = WATER * melted
        if (before := self._state.layers.get("meltwater")) is not None:
            water += before
        return {"elevation": self._state.elevation, "snow": snow, "meltwater": water}

    def volumes(self) -> Volumes:
        """Nothing solid moves."""
        return Volumes(0.0, 0.0)

    def counts(self, seconds: float) -> dict[str, Any]:
        """The step's entries in the report. Snow in m³: started + fallen = lying + melted +
        slid_out.
        """
        row_spacing, col_spacing = self._state.spacing
        area = row_spacing * col_spacing
        lying, melted = (float(np.sum(part)) for part in self._lying())
        return {
            "passes": self._done,
            "at_rest": self._slides.at_rest,
            "started": self._started * area,
            "fallen": self._fallen * area,
            "lying": lying * area,
            "melted": melted * area,
            "slid_out": float(np.sum(self._exported)) * area,
        }


def snow_line(elevation: Array, parameters: SnowParameters) -> float:
    """Height in meters below which no snow falls."""
    if parameters.covered == 0.0:
        return parameters.snow_line
    place = min(int((1.0 - parameters.covered) * elevation.size), elevation.size - 1)
    return float(np.partition(elevation, place, axis=None)[place]) + parameters.snow_line
