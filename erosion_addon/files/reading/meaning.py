# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules for the meaning of numbers in a file: heights or shades, unit, cells without data.

Unsigned integers are shades of gray; with a scale, a unit or a place on Earth they are heights, as long as no mountain
is higher. Signed integers and floats are heights in meters, or in the unit that the file names. Floats from 0 to 1 are
shades where the heights of black and white are given.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from ...base.errors import InputError
from ...grid.dequantize import MOST_LEVELS
from ..headers.image_format import ImageHeader
from ..places.units import name_of
from ..rasters.raster import Cells
from .record import UNIT_NAMES, UNITS, Array, Doubt, Reading, Record

WHITE = {"uint8": 2**8 - 1, "uint16": 2**16 - 1, "uint32": 2**32 - 1}
WHITE |= {"int8": 2**7 - 1, "int16": 2**15 - 1, "int32": 2**31 - 1}

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
"""Least distance of one that repeats, in the range of all heights; one that does not must be farther than that range.
"""
_MOST_SENTINELS = 8
_ABOVE_EARTH = 9000.0
"""Meters above which unsigned integers are shades: no land on Earth is higher."""
_COARSE = 0.5
"""Meters from which a level shows, however many there are: slopes gentler than that a cell are terraces."""
_LARGEST_HOLES = 0.5
"""Greatest share of cells without data; beyond it, filling would invent most of the terrain."""
_BAND = 1 << 20
"""Cells looked at together."""


@dataclass
class Survey:
    """Counts and extremes of the numbers of a file. no_data: the file's or the user's number for no data.

    empty: cells with it, or masked. nans: cells without a number. far: usual sentinels at either end, and their cells.
    lowest, highest: of all other numbers. ends: the two lowest and the two highest of them, and cells of the outer one.
    masked: cells that a mask hides. is_bare: whether the mask was ignored.
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
                others = rest[rest != extreme]
                self.far[extreme] = self.far.get(extreme, 0) + rest.size - others.size
                rest = others
        if rest.size:
            self.lowest = min(self.lowest, float(rest.min()))
            self.highest = max(self.highest, float(rest.max()))
            self._add_ends(rest)

    def _add_ends(self, numbers: Array) -> None:
        for end, known, outward in ((np.min, self.ends[0], False), (np.max, self.ends[1], True)):
            outer = float(end(numbers))
            if len(known) == 2 and sorted([*known, outer], reverse=outward).index(outer) == 2:
                continue
            others = numbers[numbers != outer]
            known[outer] = known.get(outer, 0) + numbers.size - others.size
            if others.size:
                known.setdefault(float(end(others)), 0)
            for number in sorted(known, reverse=outward)[2:]:
                del known[number]

    def loners(self) -> dict[float, int]:
        """Numbers of several cells at either end that are farther from all others than these from each other."""
        found = {}
        for known, outward in ((self.ends[0], False), (self.ends[1], True)):
            if len(known) == 2:
                outer, inner = sorted(known, reverse=outward)
                span = abs((self.lowest if outward else self.highest) - inner)
                if known[outer] > 1 and span > 0 and abs(inner - outer) >= max(_FAR, span):
                    found[outer] = known[outer]
        return found

    def sentinels(self) -> dict[float, int]:
        """Cells of the usual sentinels that are implausible as heights beside all others."""
        span = self.highest - self.lowest
        found = {}
        for number, count in self.far.items():
            away = max(self.lowest - number, number - self.highest)  # minus infinity where nothing else is there
            near = _SHARE * span if count > 1 else span
            # A file that names its number has no other, or many cells of it.
            trusted = count > 1 or self.no_data is None
            if abs(number) >= _ENDLESS or (trusted and away >= max(_FAR, near)):
                found[number] = count
        return found if span >= 0 else {}

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


def record_of(record: Record, header: ImageHeader, survey: Survey, options: Reading) -> Record:
    """Record with the meaning of the numbers that a survey counted.

    record: name, size, place and, from a side file, the height range. InputError for an option that does not apply.
    """
    doubts = list(record.doubts)
    sentinels = {} if options.no_data is not None else survey.sentinels()
    low, high = survey.extremes(sentinels)
    unit, on_unit = _unit(record.name, header, options)
    span = options.height_range or record.height_range
    within = -1e-3 <= low < high <= 1.001
    meaning = options.numbers
    if meaning == "auto":
        top = (high * header.scale + header.offset) * unit
        meaning = _meaning(record, header, top, within, span, doubts)
    if meaning == "shades":
        if options.unit != "auto":
            raise InputError(f"{record.name} holds shades of gray, which have no unit; leave out the unit of heights.")
        if header.kind.startswith("float") and not within and low <= high:
            raise InputError(f"{record.name} holds floats from {low:g} to {high:g}, and shades go from 0 to 1.")
        if header.kind.startswith("uint"):
            sentinels = {}
            low, high = survey.extremes({})
        record = replace(record, meaning=meaning, height_range=span)
    else:
        doubts += on_unit
        place = record.georeference
        if place and name_of(unit):
            place = replace(place, unit=unit)
        record = replace(record, height_range=None, unit=unit, scale=header.scale, offset=header.offset)
        record = replace(record, georeference=place)
    no_data = tuple(dict.fromkeys([*([] if survey.no_data is None else [survey.no_data]), *sentinels]))
    record = replace(record, no_data=no_data, holes=survey.empty + survey.nans + sum(sentinels.values()))
    if low <= high and not (meaning == "shades" and span is None):
        ends = [float(in_meters(np.array([number]), record)[0]) for number in (low, high)]
        record = replace(record, lowest=min(ends), highest=max(ends))
        record = replace(record, step=_step(record, max(abs(low), abs(high))))
    if meaning == "heights" and options.no_data is None:
        for number, count in survey.loners().items():
            what = f"{number:g} in {_cells(record, survey, count)}, far from all other heights"
            doubts.append(Doubt(f"{record.name} holds {what}, which was taken for a height.", "no_data"))
    doubts += _holes(record, survey, sentinels, options)
    return replace(record, doubts=tuple(doubts))


def _meaning(
    record: Record,
    header: ImageHeader,
    top: float,
    within: bool,
    span: tuple[float, float] | None,
    doubts: list[Doubt],
) -> str:
    """Heights or shades. top: m of the largest number as a height. within: whether all numbers are from 0 to 1."""
    measured = header.unit is not None or (header.scale, header.offset) != (1.0, 0.0) or bool(header.coded)
    placed = header.georeference is not None or header.spacing is not None
    if header.kind.startswith("uint"):
        if measured:
            return "heights"
        if placed and top <= _ABOVE_EARTH:
            sentence = f"{record.name} holds whole numbers with a place on Earth, which were taken for meters."
            doubts.append(Doubt(sentence, "numbers"))
            return "heights"
        return "shades"
    if header.kind.startswith("int") and span:
        doubts.append(Doubt(f"{record.name} holds signed whole numbers, which were taken for meters.", "numbers"))
    if not (header.kind.startswith("float") and within) or measured:
        return "heights"
    if span:
        low, high = span
        sentence = f"{record.name} holds numbers from 0 to 1, which were taken for shades from {low:g} m to {high:g} m."
        doubts.append(Doubt(sentence, "numbers"))
        return "shades"
    long = max(record.shape) * max(record.spacing or (0.0, 0.0))
    if record.spacing is None or long >= 1000.0:
        land = f" on land {long / 1000:.3g} km long" if record.spacing else ""
        sentence = f"{record.name} holds numbers from 0 to 1{land}, which were taken for meters."
        doubts.append(Doubt(sentence, "height_range"))
    return "heights"


def _unit(name: str, header: ImageHeader, options: Reading) -> tuple[float, list[Doubt]]:
    """Meters per unit of height, and doubts about it."""
    if options.unit != "auto":
        return UNITS[options.unit], []
    if header.unit is not None:
        return header.unit, []
    across = header.length_unit or 1.0
    known = [UNIT_NAMES[key] for key, meters in UNITS.items() if math.isclose(meters, across, rel_tol=1e-9)]
    if across == 1.0 or not known:
        return 1.0, []
    sentence = f"{name} has coordinates in {known[0]} and heights without a unit, which were taken for {known[0]} too."
    return across, [Doubt(sentence, "unit")]


def _step(record: Record, largest: float) -> float | None:
    """Meters between neighboring numbers of the file's kind, where these are few or far apart."""
    assert record.lowest is not None and record.highest is not None
    if record.kind == "float16":
        step = float(np.spacing(np.float16(largest)))
    elif record.kind in WHITE:
        step = 1.0
    else:
        return None
    if record.height_range:
        step *= (record.height_range[1] - record.height_range[0]) / WHITE.get(record.kind, 1)
    else:
        step *= abs(record.scale * record.unit)
    range_of_heights = record.highest - record.lowest
    few = record.kind == "uint8" or range_of_heights <= MOST_LEVELS * step or step >= _COARSE
    return step if few and step > 0 else None


def _holes(record: Record, survey: Survey, sentinels: dict[float, int], options: Reading) -> list[Doubt]:
    """Sentences on cells without data; InputError where these are too many to fill."""
    if options.no_data is not None and not math.isnan(options.no_data) and survey.empty == survey.masked:
        return [Doubt(f"{record.name} holds {options.no_data:g}, the number for no data, nowhere.", "no_data")]
    if not record.holes:
        return []
    if options.holes == "fill" and record.holes > _LARGEST_HOLES * survey.cells:
        names = ", ".join(f"{number:g}" for number in record.no_data)
        where = _cells(record, survey, record.holes)
        what = f"no data ({names}) in {where}" if names else f"{where} that are not numbers"
        raise InputError(
            f"{record.name} has {what}, too many to fill from the others; crop the file to the part that has data, or "
            "make the rest a sea at a level."
        )
    done = "were filled from the heights around them"
    if options.holes == "sea":
        done = f"are sea at {options.sea_level:g} m"
    found = []
    if survey.empty:
        number = "" if survey.no_data is None else f" ({survey.no_data:g})"
        cells = _cells(record, survey, survey.empty)
        found.append(Doubt(f"{record.name} has no data{number} in {cells}; they {done}.", "holes"))
    if survey.nans:
        cells = _cells(record, survey, survey.nans)
        found.append(Doubt(f"{record.name} has {cells} that are not numbers; they {done}.", "holes"))
    for sentinel, count in sentinels.items():
        what = f"{sentinel:g} in {_cells(record, survey, count)}, far from all other heights"
        found.append(Doubt(f"{record.name} holds {what}, which was taken for no data; they {done}.", "no_data"))
    return found


def _cells(record: Record, survey: Survey, count: int) -> str:
    """Number of cells in words; their share where a survey saw some cells only."""
    if survey.cells < record.shape[0] * record.shape[1]:
        return f"about {count / survey.cells:.2%} of its cells"
    return f"{count} of {survey.cells} cells"


def in_meters(numbers: Array, record: Record) -> Array:
    """Heights in meters, float64, of numbers of the file."""
    with np.errstate(invalid="ignore"):  # a signalling NaN
        values = np.array(numbers, np.float64, order="C")
    if record.meaning == "shades":
        assert record.height_range is not None
        low, high = record.height_range
        values = low + values / WHITE.get(record.kind, 1) * (high - low)
    elif (record.scale, record.offset, record.unit) != (1.0, 0.0, 1.0):
        values = (values * record.scale + record.offset) * record.unit
    return values


def steps_of(elevation: Array, record: Record) -> float | Array | None:
    """Meters between levels: of all cells, or of each for floats of 16 bits."""
    if record.step is None or record.kind != "float16" or record.meaning == "shades":
        return record.step
    numbers = (elevation / record.unit - record.offset) / record.scale
    return np.asarray(np.spacing(np.abs(numbers).astype(np.float16)), np.float64) * abs(record.scale * record.unit)


def heights_of(numbers: Array, valid: Array | None, record: Record) -> Array:
    """Heights in meters, float64; cells without data are no numbers."""
    heights = np.empty(numbers.shape)
    for rows in bands(numbers.shape):
        part = numbers[rows]
        holes = ~np.isfinite(part)
        if valid is not None:
            holes |= ~valid[rows]
        for number in record.no_data:
            holes |= is_number(part, number)
        heights[rows] = in_meters(part, record)
        heights[rows][holes] = np.nan
    return heights
