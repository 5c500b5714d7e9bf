# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters of brush strokes: kind, strength, radius, and places of the dabs."""

import math
from dataclasses import replace
from typing import Any, Self

import numpy as np

from ...base.arrays import Array
from ...base.errors import InputError
from ...base.parameters import Parameters, parameter
from ...grid.sampling import smooth_step
from ..shared.parameters import UNDER_GRASS

MOST_STROKES = 4096
MOST_DABS = 16384
"""Dabs in one stroke."""

KINDS = {
    "rain": "Raindrops fall on the disc, erode where they are fast, deposit where they slow down",
    "rills": "Light drops cut fine rills and fill floors",
    "talus": "Slopes steeper than the angle give way and slide",
    "raise": "The ground rises; inverted, it sinks",
    "wind": "Wind along the stroke moves loose sand from windward slopes to the lee",
    "smooth": "The ground creeps downhill and evens out",
    "sand": "Loose sand is added; inverted, removed",
}
FALLOFFS = {
    "smooth": "Full in the middle, with a smooth fall to nothing at the rim",
    "sphere": "Wide and full, with a steep rim",
    "linear": "An even fall from the middle to the rim",
    "sharp": "Pointed in the middle",
    "constant": "The same all over the disc",
}
REVERSED = ("raise", "sand")
"""Kinds with an inverse."""


HOP = 0.25
"""Distance that sand is blown in a dab, by the meter of radius: that between two dabs."""

RUN_OUT = {"rain": 2.1, "rills": 2.1, "wind": 1.0 + HOP}
"""Radii from its middle within which a dab changes the ground, where that is beyond the disc."""


class Stroke(Parameters):
    """One stroke: a disc that is dabbed along a path. Places are in meters from the first vertex of
    the terrain's grid, so a stroke falls on the same land at another resolution.
    """

    kind: str = parameter("rain", "Effect of the stroke.", choices=KINDS)
    radius: float = parameter(100.0, "Radius of the disc.", low=1e-3, high=1e6, unit="m")
    strength: float = parameter(0.5, "Strength of each dab.", low=0, high=1)
    falloff: str = parameter(
        "smooth", "Falloff of the strength from the middle to the rim.", choices=FALLOFFS
    )
    angle: float = parameter(
        34.0, "Steepest slope that talus leaves.", low=1, high=89, unit="°", needs=("kind", "talus")
    )
    invert: bool = parameter(
        False,
        "Lower the ground instead of raising it, or take sand away.",
        needs=("kind", *REVERSED),
    )
    seed: int = parameter(0, "Seed of the stroke's random numbers.", low=0, high=2**31 - 1)
    dabs: tuple[tuple[float, ...], ...] = parameter(
        (),
        "Places of the dabs (m along x and y) and the pressure of the pen (0-1).",
        low=-1e7,
        high=1e7,
        row_names=("x", "y", "pressure"),
        most=MOST_DABS,
    )

    def __post_init__(self) -> None:
        for number, (_, _, pressure) in enumerate(self.dabs, 1):
            if not 0 <= pressure <= 1:
                raise InputError(
                    "dabs: the pressure of dab {number} is {pressure:g}; it goes from 0 to 1."
                ).format(number=number, pressure=pressure)

    def way(self, number: int) -> tuple[float, float]:
        """Direction in which the stroke goes at a dab, (along x, along y) of length 1; 0 before it
        has moved.
        """
        x, y, _ = self.dabs[number]
        for before in reversed(self.dabs[:number]):
            if (
                length := math.sqrt(
                    (x - before[0]) * (x - before[0]) + (y - before[1]) * (y - before[1])
                )
            ) > 0:
                return (x - before[0]) / length, (y - before[1]) / length
        return 0.0, 0.0

    def share(self, distance: Array) -> Array:
        """Strength of a dab at a distance from its middle, in radii: 0-1, and 0 beyond 1."""
        inside = np.clip(1.0 - distance, 0.0, 1.0)
        if self.falloff == "smooth":
            return smooth_step(inside)
        if self.falloff == "sphere":
            return np.asarray(np.sqrt(inside * (2.0 - inside)))
        if self.falloff == "sharp":
            return np.asarray(inside * inside)
        return inside if self.falloff == "linear" else np.asarray(inside > 0, np.float64)


class BrushParameters(Parameters):
    """Strokes of the erosion brush, one after another, each dab on the ground that those before it
    have left.
    """

    strength: float = parameter(
        1.0, "Share of the painted change that is applied: lower values fade it.", low=0, high=1
    )
    strokes: tuple[Any, ...] = parameter(
        (), "Strokes of the brush, one after another.", records=Stroke, most=MOST_STROKES
    )

    retired = UNDER_GRASS

    @property
    def dabs(self) -> int:
        """Number of all dabs."""
        return sum(len(stroke.dabs) for stroke in self.strokes)

    def rehearsed(self, shape: tuple[int, int], spacing: tuple[float, float]) -> Self:
        """One dab of each kind there is, in the middle of a small terrain of (rows, cols) and (row,
        col) spacing.
        """
        size = shape[1] * spacing[1], shape[0] * spacing[0]
        dab = (size[0] / 2, size[1] / 2, 1.0)
        kinds = {stroke.kind: stroke for stroke in self.strokes}
        dabs = (
            replace(stroke, radius=min(size) / 4, strength=1.0, dabs=(dab,))
            for stroke in kinds.values()
        )
        return replace(self, strokes=tuple(dabs))
