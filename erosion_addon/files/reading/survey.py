# SPDX-License-Identifier: GPL-3.0-or-later
"""Survey of the numbers in a file: the number of cells with data, and the extremes."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from ..rasters.raster import Cells
from .record import Array

SENTINELS = (
    *(-999.0, 9999.0, -9999.0, -10000.0, -99999.0, 99999.0, -32767.0, -32768.0, 65535.0),
    *(-2147483647.0, -2147483648.0, 4294967295.0),
)
"""Usual numbers of cells without data."""
_ENDLESS = 1e20
"""Numbers from here on stand for no data in floats: ±3.4e38, 1e20, 1e30, 1.7e38, 9.97e36."""
_FAR = 100.0
"""Least distance of a sentinel from all heights, in the numbers of the file."""
_SHARE = 0.1
"""Least distance of one that repeats, in the range of all heights; one that does not must be
farther than that range.
"""
_MOST_SENTINELS = 8
_BAND = 1 << 20
"""Cells looked at together."""


@dataclass
class Survey:
    """Counts and extremes of the numbers of a file. no_data: the file's or the user's number for no
    data.

    empty: cells with it, or masked. nans: cells without a number. far: usual sentinels at either
    end, and their cells. lowest, highest: of all other numbers. ends: the two lowest and the two
    highest of them, and cells of the outer one. masked: cells that a mask hides. is_bare: whether
    the mask was ignored.
    """

    no_data: float | None = None
    cells: int = 0
    empty: int = 0
    nans: int = 0
    far: dict[float, int] = field(default_factory=dict)
    lowest: float = math.inf
    highest: float = -math.inf
    ends: tuple[dict[float, int], dict[float, int]] = field(default_factory=lambda: ({}, {}))
    masked: int = 0
    is_bare: bool = False

    def add(self, numbers: Array, valid: Array | None = None) -> None:
        """Count cells (rows, cols); valid: which of them hold data, None for all."""
        for rows in bands(numbers.shape):
            self._add(numbers[rows].ravel(), None if valid is None else valid[rows].ravel())

    def _add(self, numbers: Array, valid: Array | None) -> None:
        self.cells += numbers.size
        measured = np.ones(numbers.size, np.bool_) if valid is None else valid.copy()
        self.masked += numbers.size - int(np.count_nonzero(measured))
        if self.no_data is not None:
            measured &= ~is_number(numbers, self.no_data)
        self.empty += numbers.size - int(np.count_nonzero(measured))
        finite = np.isfinite(numbers)
        self.nans += int(np.count_nonzero(measured & ~finite))
        rest = numbers[measured & finite]
        for end in (np.min, np.max):
            for _ in range(_MOST_SENTINELS):
                extreme = float(end(rest)) if rest.size else 0.0
                if extreme not in SENTINELS and abs(extreme) < _ENDLESS:
                    break
                inner = rest[rest != extreme]
                self.far[extreme] = self.far.get(extreme, 0) + rest.size - inner.size
                rest = inner
        if rest.size:
            self.lowest = min(self.lowest, float(rest.min()))
            self.highest = max(self.highest, float(rest.max()))
            self._add_ends(rest)

    def _add_ends(self, numbers: Array) -> None:
        for end, counts, outward in ((np.min, self.ends[0], False), (np.max, self.ends[1], True)):
            outer = float(end(numbers))
            if len(counts) == 2 and sorted([*counts, outer], reverse=outward).index(outer) == 2:
                continue
            inner = numbers[numbers != outer]
            counts[outer] = counts.get(outer, 0) + numbers.size - inner.size
            if inner.size:
                counts.setdefault(float(end(inner)), 0)
            for number in sorted(counts, reverse=outward)[2:]:
                del counts[number]

    def loners(self) -> dict[float, int]:
        """Numbers of several cells at either end that are farther from all others than these from
        each other.
        """
        loners = {}
        for counts, outward in ((self.ends[0], False), (self.ends[1], True)):
            if len(counts) == 2:
                outer, inner = sorted(counts, reverse=outward)
                span = abs((self.lowest if outward else self.highest) - inner)
                if counts[outer] > 1 and span > 0 and abs(inner - outer) >= max(_FAR, span):
                    loners[outer] = counts[outer]
        return loners

    def sentinels(self) -> dict[float, int]:
        """Cells of the usual sentinels that are implausible as heights beside all others."""
        span = self.highest - self.lowest
        sentinels = {}
        for number, count in self.far.items():
            # minus infinity where nothing else is there
            away = max(self.lowest - number, number - self.highest)
            near = _SHARE * span if count > 1 else span
            # A file that names its number has no other, or many cells of it.
            trusted = count > 1 or self.no_data is None
            if abs(number) >= _ENDLESS or (trusted and away >= max(_FAR, near)):
                sentinels[number] = count
        return sentinels if span >= 0 else {}

    def extremes(self, sentinels: dict[float, int]) -> tuple[float, float]:
        """Lowest and highest of the numbers that are data."""
        ends = [number for number in self.far if number not in sentinels]
        return min([self.lowest, *ends]), max([self.highest, *ends])


def survey_of(parts: Callable[[], Iterable[Cells]], no_data: float | None) -> Survey:
    """Survey of all parts of a file; a mask that hides every cell says nothing."""
    survey = Survey(no_data)
    for numbers, valid in parts():
        survey.add(numbers, valid)
    if survey.cells and survey.masked == survey.cells:
        survey = Survey(no_data, is_bare=True)
        for numbers, _ in parts():
            survey.add(numbers)
    return survey


def is_number(numbers: Array, number: float) -> Array:
    """Where an array holds a number, which a file of floats may have rounded to 32 bits."""
    if math.isnan(number):
        return np.asarray(np.isnan(numbers))
    with np.errstate(over="ignore"):  # the least double is less than any float
        rounded = float(np.float32(number))
    same: Array = (numbers == number) | (numbers == rounded)
    return same


def bands(shape: tuple[int, ...]) -> list[slice]:
    """Rows looked at together."""
    step = max(_BAND // shape[1], 1)
    return [slice(start, start + step) for start in range(0, shape[0], step)]
