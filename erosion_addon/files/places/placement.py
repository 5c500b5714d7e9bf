# SPDX-License-Identifier: GPL-3.0-or-later
"""Placement of pixels: the affine map to coordinates, and their scale in meters.

Source: OGC GeoTIFF 1.1; EPSG Guidance Note 7-2 for Mercator's projection, whose scale is cosh(y /
radius).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...base.errors import Sentence
from ...base.kernels.elementary import exp, sincos

PROJECTED = "projected"
GEOGRAPHIC = "geographic"
MERCATOR = "mercator"
UNKNOWN = "unknown"

EQUATOR = 6_378_137.0
"""Radius of Web Mercator's sphere in meters."""
_DEGREE = math.tau * 6_371_008.8 / 360
"""Meters per degree along a meridian of the mean Earth."""
_FARTHEST = 89.0
"""Degrees of latitude beyond which columns run together."""
_SMALLEST, _LARGEST = 1e-6, 1e6
"""Meters between pixels."""
_TURNED, _SHEARED = 1e-4, 1e-3
"""Sines from which rows count as turned, and cells as sheared."""

Pair = tuple[float, float]


@dataclass(frozen=True)
class System:
    """Coordinate reference system. kind: of `PROJECTED` … `UNKNOWN`. unit: meters or degrees per
    unit of coordinates, None if unknown. code: EPSG's, 0 if unknown.
    """

    kind: str = UNKNOWN
    unit: float | None = 1.0
    code: int = 0


@dataclass(frozen=True)
class Placement:
    """Affine map from pixels to coordinates. corner: (x, y) of the first pixel's corner, right and
    down: steps (x, y) from column to column and from row to row.
    """

    corner: Pair
    right: Pair
    down: Pair
    system: System

    @property
    def south_up(self) -> bool:
        """Whether rows run from south to north."""
        if abs(self.right[0]) >= abs(self.right[1]):
            return self.down[1] > 0
        # turned beyond 45°: mirror images alone
        return self.right[0] * self.down[1] > self.right[1] * self.down[0]

    @property
    def mirrored(self) -> bool:
        """Whether columns run from east to west."""
        return abs(self.right[0]) >= abs(self.right[1]) and self.right[0] < 0

    @property
    def length_unit(self) -> float | None:
        """Meters per unit of the coordinates; None for angles and unknown units."""
        return self.system.unit if self.system.kind in (PROJECTED, MERCATOR) else None

    def at(self, row: float, col: float) -> Pair:
        """Coordinates (x, y) at a place counted in pixels from the corner."""
        return (
            self.corner[0] + self.right[0] * col + self.down[0] * row,
            self.corner[1] + self.right[1] * col + self.down[1] * row,
        )

    def spacing(self, shape: tuple[int, int]) -> Pair | None:
        """(row, col) meters between pixels at the middle of (rows, cols); None if unknown."""
        scale = self._meters(self.at(shape[0] / 2, shape[1] / 2)[1])
        if scale is None:
            return None
        across, along = (_length((scale[0] * x, scale[1] * y)) for x, y in (self.right, self.down))
        if _SMALLEST <= across <= _LARGEST and _SMALLEST <= along <= _LARGEST:
            return (along, across)
        return None

    @property
    def remarks(self) -> Iterator[Sentence]:
        """Properties that no option changes; `described` puts the name of the file before them."""
        right = self.right
        down = self.down
        lengths = _length(right) * _length(down)
        if abs(right[0] * down[0] + right[1] * down[1]) > _SHEARED * lengths:
            yield Sentence(
                "its cells are sheared, but are read as rectangles; warp it to north up."
            )
        elif min(abs(right[0]), abs(right[1])) > _TURNED * _length(right) or abs(right[1]) > abs(
            right[0]
        ):
            turn = math.degrees(math.atan2(right[1], right[0]))
            yield Sentence(
                "its rows are turned by {turn:.4g}° from east; north is not up in the terrain."
            ).format(turn=turn)

    def doubts(self, shape: tuple[int, int]) -> Iterator[Sentence]:
        """Doubts about the size of cells."""
        system = self.system
        if system.unit is None:
            yield Sentence("the unit of its coordinates is unknown; give the cell size.")
        elif self.spacing(shape) is None:
            yield Sentence("its coordinates give cells of an unlikely size; give the cell size.")
        elif system.kind == UNKNOWN:
            if self._looks_like_degrees:
                yield Sentence(
                    "it names no coordinate reference system; its coordinates count as degrees."
                )
            else:
                yield Sentence(
                    "it names no coordinate reference system; its coordinates count as meters."
                )

    def _meters(self, y: float) -> Pair | None:
        """Meters (x, y) per unit of the coordinates at a y; None if unknown."""
        system = self.system
        if system.unit is None:
            return None
        if system.kind == GEOGRAPHIC or (system.kind == UNKNOWN and self._looks_like_degrees):
            return _degrees(y * system.unit, system.unit)
        if system.kind == MERCATOR:
            turn = np.float64(min(abs(y) * system.unit / EQUATOR, 20.0))
            shrink = system.unit * 2.0 / float(exp(turn) + exp(0.0 - turn))
            return shrink, shrink
        return system.unit, system.unit

    @property
    def _looks_like_degrees(self) -> bool:
        """Whether coordinates of an unknown system lie on the globe, in steps that are too small
        for meters.
        """
        longest = max(_length(self.right), _length(self.down))
        return longest < 0.1 and abs(self.corner[0]) <= 360.0 and abs(self.corner[1]) <= 90.0


def _length(step: Pair) -> float:
    """Length of a step, the same on all machines: unlike hypot, sqrt is rounded correctly."""
    x, y = step
    return math.sqrt(x * x + y * y)


def _degrees(latitude: float, unit: float) -> Pair | None:
    """Meters (x, y) per unit of an angle at a latitude; None near the poles. unit: degrees."""
    if not abs(latitude) < _FARTHEST:
        return None
    return _DEGREE * unit * float(sincos(math.radians(latitude))[1]), _DEGREE * unit
