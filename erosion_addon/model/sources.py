# SPDX-License-Identifier: GPL-3.0-or-later
"""Start terrains made from numbers: noise, faults and plain forms."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .errors import InputError
from .memory import require
from .parameters import Parameters, parameter
from .recipe import SEED
from .state import Array
from .terrain import SMALLEST_SIDE, Terrain

LARGEST_SIDE = 65536
"""Cells; beyond it a mistyped size is likelier than a wish."""

BYTES_PER_CELL = 72
"""Peak while a terrain is made: the spectra and their transforms; measured."""


@dataclass(frozen=True)
class Grid:
    """Where a terrain is made: cells, (row, col) spacing in metres, and the random numbers to make it from."""

    rows: int
    cols: int
    spacing: tuple[float, float]
    random: np.random.Generator

    def metres(self) -> tuple[Array, Array]:
        """Distance of each row (rows, 1) and each column (1, cols) from the middle."""
        y = (np.arange(self.rows)[:, None] - (self.rows - 1) / 2) * self.spacing[0]
        x = (np.arange(self.cols)[None, :] - (self.cols - 1) / 2) * self.spacing[1]
        return y, x

    def half_width(self) -> float:
        """Half of the shorter side in metres."""
        return min((self.rows - 1) * self.spacing[0], (self.cols - 1) * self.spacing[1]) / 2


@dataclass(frozen=True)
class FractalParameters(Parameters):
    """Fractal noise: hills on hills, the same at every scale (fBm); the terrain tiles."""

    relief: float = parameter(200.0, "Height from the lowest to the highest point.", low=0, high=1e6, unit="m")
    roughness: float = parameter(0.2, "How much the small forms stand out: 0 smooth hills, 1 rubble.", low=0, high=1)


@dataclass(frozen=True)
class RidgedParameters(Parameters):
    """Ridged noise: sharp crests that branch, as in young mountains; the terrain tiles."""

    relief: float = parameter(200.0, "Height from the lowest to the highest point.", low=0, high=1e6, unit="m")
    ridges: float = parameter(3.0, "How many of the largest forms lie along the longer side.", low=1, high=1000)
    octaves: int = parameter(6, "How many times forms of half the size are added.", low=1, high=16)
    gain: float = parameter(0.5, "Height of the next smaller forms, as a share.", low=0, high=1)


@dataclass(frozen=True)
class BumpsParameters(Parameters):
    """Rounded bumps of about one size, as in a field of sand; the terrain tiles."""

    relief: float = parameter(20.0, "Height from the lowest to the highest point.", low=0, high=1e6, unit="m")
    bumps: float = parameter(8.0, "How many bumps lie along the longer side.", low=1, high=1000)


@dataclass(frozen=True)
class PlaneParameters(Parameters):
    """A plane with a slope."""

    slope: float = parameter(0.1, "How steeply the plane falls.", low=0, high=100, unit="m/m")
    direction: float = parameter(270.0, "Where it falls to: 0 along x, 90 along y.", low=-360, high=360, unit="deg")


@dataclass(frozen=True)
class ConeParameters(Parameters):
    """A round cone on flat ground."""

    height: float = parameter(200.0, "Height of the tip above the ground.", low=0, high=1e6, unit="m")
    width: float = parameter(0.8, "Width of the foot, as a share of the shorter side.", low=0.01, high=2)


@dataclass(frozen=True)
class PyramidParameters(Parameters):
    """A square pyramid of steps on flat ground."""

    height: float = parameter(200.0, "Height of the top above the ground.", low=0, high=1e6, unit="m")
    width: float = parameter(0.8, "Width of the foot, as a share of the shorter side.", low=0.01, high=2)
    steps: int = parameter(8, "How many steps lead to the top.", low=1, high=1000)


@dataclass(frozen=True)
class FaultsParameters(Parameters):
    """Faults: straight cuts, each of which lifts one side of the terrain."""

    relief: float = parameter(200.0, "Height from the lowest to the highest point.", low=0, high=1e6, unit="m")
    cuts: int = parameter(400, "How many cuts there are.", low=1, high=10000)


def _fractal(grid: Grid, given: FractalParameters) -> Array:
    """Spectral synthesis (Saupe 1988): amplitude falls with frequency^-(H + 1), where H = 1 - roughness."""
    frequency = _frequency(grid)
    frequency[0, 0] = np.inf  # no constant part
    noise = np.fft.rfft2(grid.random.standard_normal((grid.rows, grid.cols)))
    noise *= frequency ** (given.roughness - 2.0)
    return _stretched(np.fft.irfft2(noise, s=(grid.rows, grid.cols)), given.relief)


def _ridged(grid: Grid, given: RidgedParameters) -> Array:
    """Sum over octaves of gain^k (1 - |n|)^2 (Musgrave 1994), each n noise of one octave's wavelengths."""
    total = np.zeros((grid.rows, grid.cols))
    for octave in range(given.octaves):
        # Half a form is a ridge: |n| has twice the frequency of n.
        band = _band(grid, given.ridges * 2.0**octave / 2)
        deviation = float(band.std())
        if deviation > 0:  # beyond the finest grid there is nothing left
            total += given.gain**octave * (1.0 - np.minimum(np.abs(band) / (2.5 * deviation), 1.0)) ** 2
    return _stretched(total, given.relief)


def _bumps(grid: Grid, given: BumpsParameters) -> Array:
    return _stretched(_band(grid, given.bumps), given.relief)


def _plane(grid: Grid, given: PlaneParameters) -> Array:
    y, x = grid.metres()
    angle = math.radians(given.direction)
    height = -given.slope * (x * math.cos(angle) + y * math.sin(angle))
    return np.asarray(height - height.min())


def _cone(grid: Grid, given: ConeParameters) -> Array:
    y, x = grid.metres()
    return given.height * np.maximum(1.0 - np.hypot(y, x) / (given.width * grid.half_width()), 0.0)


def _pyramid(grid: Grid, given: PyramidParameters) -> Array:
    y, x = grid.metres()
    inside = 1.0 - np.maximum(np.abs(y), np.abs(x)) / (given.width * grid.half_width())
    steps: Array = np.clip(np.ceil(inside * given.steps), 0, given.steps)
    return given.height / given.steps * steps


def _faults(grid: Grid, given: FaultsParameters) -> Array:
    """Each cut lifts all cells of a row from where it crosses the row; one running sum along the rows adds them up."""
    y, x = grid.metres()
    rows = np.arange(grid.rows)
    lifts = np.zeros((grid.rows, grid.cols + 1), np.int32)
    farthest = math.hypot(y[-1, 0], x[0, -1])
    for _ in range(given.cuts):
        angle, place = grid.random.uniform(0, 2 * math.pi), grid.random.uniform(-farthest, farthest)
        crossing = (place - y[:, 0] * math.sin(angle)) / math.cos(angle) / grid.spacing[1] + (grid.cols - 1) / 2
        column = np.ceil(np.clip(crossing, 0, grid.cols)).astype(np.intp)
        side = 1 if math.cos(angle) > 0 else -1
        lifts[rows, column] += side
    return _stretched(np.cumsum(lifts[:, :-1], axis=1, dtype=np.float64), given.relief)


def _frequency(grid: Grid) -> Array:
    """Cycles per metre of each entry of a real Fourier transform: (rows, cols // 2 + 1)."""
    return np.hypot(
        np.fft.fftfreq(grid.rows, grid.spacing[0])[:, None], np.fft.rfftfreq(grid.cols, grid.spacing[1])[None, :]
    )


def _band(grid: Grid, waves: float) -> Array:
    """Noise around 0 of about one wavelength, of which so many fit into the longer side; it tiles."""
    frequency = _frequency(grid) * max(grid.rows * grid.spacing[0], grid.cols * grid.spacing[1])
    noise = np.fft.rfft2(grid.random.standard_normal((grid.rows, grid.cols)))
    noise *= np.exp(-((frequency / waves - 1.0) ** 2) / 0.18)
    noise[0, 0] = 0.0
    return np.asarray(np.fft.irfft2(noise, s=(grid.rows, grid.cols)))


def _stretched(height: Array, relief: float) -> Array:
    """`height` from 0 to `relief`."""
    height -= height.min()
    highest = float(height.max())
    return height * (relief / highest) if highest > 0 else height


@dataclass(frozen=True)
class Source:
    """One kind of start terrain: its parameters, and what makes (rows, cols) metres from a grid and them."""

    kind: str
    parameters: type[Parameters]
    elevation: Callable[[Grid, Any], Array]


SOURCES: dict[str, Source] = {
    source.kind: source
    for source in (
        Source("fractal", FractalParameters, _fractal),
        Source("ridged", RidgedParameters, _ridged),
        Source("faults", FaultsParameters, _faults),
        Source("bumps", BumpsParameters, _bumps),
        Source("plane", PlaneParameters, _plane),
        Source("cone", ConeParameters, _cone),
        Source("pyramid", PyramidParameters, _pyramid),
    )
}


def make(
    kind: str,
    rows: int,
    cols: int,
    cell_size: float | tuple[float, float] = 1.0,
    seed: int = 0,
    values: Mapping[str, Any] | None = None,
) -> Terrain:
    """A start terrain of the given kind; the same bytes for the same arguments.

    values: parameters by name, see `SOURCES[kind].parameters`. cell_size: metres, or (row, column) spacing.
    Raises InputError for an unknown kind or parameter, and for a size, seed or value out of range.
    """
    if kind not in SOURCES:
        raise InputError(f"There is no start terrain {kind!r:.60}; there are {', '.join(SOURCES)}.")
    if not (SMALLEST_SIDE <= rows <= LARGEST_SIDE and SMALLEST_SIDE <= cols <= LARGEST_SIDE):
        raise InputError(f"A terrain has from {SMALLEST_SIDE} to {LARGEST_SIDE} rows and columns, not {rows} × {cols}.")
    source = SOURCES[kind]
    parameters = source.parameters.from_dict(dict(values or {}))
    random = np.random.default_rng(SEED.checked(seed))
    # A terrain of the smallest size checks the cell size before the work.
    spacing = Terrain(np.zeros((SMALLEST_SIDE, SMALLEST_SIDE)), cell_size).spacing
    require(rows * cols * BYTES_PER_CELL, f"A terrain of {rows} × {cols} cells")
    return Terrain(source.elevation(Grid(rows, cols, spacing, random), parameters), cell_size)
