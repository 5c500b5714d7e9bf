# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules for the meaning of numbers in a file: heights or shades, unit, cells without data.

Unsigned integers are shades of gray; with a scale, a unit or a place on Earth they are heights, as
long as no mountain is higher. Signed integers and floats are heights in meters, or in the unit that
the file names. Floats from 0 to 1 are shades where the heights of black and white are given.
"""

import math
from dataclasses import replace

import numpy as np

from ...base.errors import InputError
from ...grid.dequantize import MOST_LEVELS
from ..headers.image_format import ImageHeader
from ..places.units import name_of
from .record import UNIT_NAMES, UNITS, Array, Doubt, Reading, Record
from .survey import Survey, bands, is_number

WHITE = {"uint8": 2**8 - 1, "uint16": 2**16 - 1, "uint32": 2**32 - 1}
WHITE |= {"int8": 2**7 - 1, "int16": 2**15 - 1, "int32": 2**31 - 1}

_ABOVE_EARTH = 9000.0
"""Meters above which unsigned integers are shades: no land on Earth is higher."""
_COARSE = 0.5
"""Meters from which a level shows, however many there are: slopes gentler than that a cell are
terraces.
"""
_LARGEST_HOLES = 0.5
"""Greatest share of cells without data; beyond it, filling would invent most of the terrain."""


def record_of(record: Record, header: ImageHeader, survey: Survey, options: Reading) -> Record:
    """Record with the meaning of the numbers that a survey counted.

    record: name, size, place and, from a side file, the height range. InputError for an option that
    does not apply.
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
            raise InputError(
                "{name} holds shades of gray, which have no unit; leave out the unit of heights."
            ).format(name=record.name)
        if header.kind.startswith("float") and not within and low <= high:
            raise InputError(
                "{name} holds floats from {low:g} to {high:g}, and shades go from 0 to 1."
            ).format(name=record.name, low=low, high=high)
        if header.kind.startswith("uint"):
            sentinels = {}
            low, high = survey.extremes({})
        record = replace(record, meaning=meaning, height_range=span)
    else:
        doubts += on_unit
        place = record.georeference
        if place and name_of(unit):
            place = replace(place, unit=unit)
        record = replace(
            record, height_range=None, unit=unit, scale=header.scale, offset=header.offset
        )
        record = replace(record, georeference=place)
    no_data = tuple(
        dict.fromkeys([*([] if survey.no_data is None else [survey.no_data]), *sentinels])
    )
    record = replace(
        record, no_data=no_data, holes=survey.empty + survey.nans + sum(sentinels.values())
    )
    if low <= high and not (meaning == "shades" and span is None):
        ends = [float(in_meters(np.array([number]), record)[0]) for number in (low, high)]
        record = replace(record, lowest=min(ends), highest=max(ends))
        record = replace(record, step=_step(record, max(abs(low), abs(high))))
    if meaning == "heights" and options.no_data is None:
        for number, count in survey.loners().items():
            what = f"{number:g} in {_cells(record, survey, count)}, far from all other heights"
            doubts.append(
                Doubt(f"{record.name} holds {what}, which was taken for a height.", "no_data")
            )
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
    """Heights or shades. top: m of the largest number as a height. within: whether all numbers are
    from 0 to 1.
    """
    measured = (
        header.unit is not None or (header.scale, header.offset) != (1.0, 0.0) or bool(header.coded)
    )
    placed = header.georeference is not None or header.spacing is not None
    if header.kind.startswith("uint"):
        if measured:
            return "heights"
        if placed and top <= _ABOVE_EARTH:
            sentence = (
                f"{record.name} holds whole numbers with a place on Earth, which were taken for "
                "meters."
            )
            doubts.append(Doubt(sentence, "numbers"))
            return "heights"
        return "shades"
    if header.kind.startswith("int") and span:
        doubts.append(
            Doubt(
                f"{record.name} holds signed whole numbers, which were taken for meters.", "numbers"
            )
        )
    if not (header.kind.startswith("float") and within) or measured:
        return "heights"
    if span:
        low, high = span
        sentence = (
            f"{record.name} holds numbers from 0 to 1, which were taken for shades from {low:g} m "
            f"to {high:g} m."
        )
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
    names = [
        UNIT_NAMES[key]
        for key, meters in UNITS.items()
        if math.isclose(meters, across, rel_tol=1e-9)
    ]
    if across == 1.0 or not names:
        return 1.0, []
    sentence = (
        f"{name} has coordinates in {names[0]} and heights without a unit, which were taken for "
        f"{names[0]} too."
    )
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


def _holes(
    record: Record, survey: Survey, sentinels: dict[float, int], options: Reading
) -> list[Doubt]:
    """Sentences on cells without data; InputError where these are too many to fill."""
    if (
        options.no_data is not None
        and not math.isnan(options.no_data)
        and survey.empty == survey.masked
    ):
        return [
            Doubt(
                f"{record.name} holds {options.no_data:g}, the number for no data, nowhere.",
                "no_data",
            )
        ]
    if not record.holes:
        return []
    if options.holes == "fill" and record.holes > _LARGEST_HOLES * survey.cells:
        names = ", ".join(f"{number:g}" for number in record.no_data)
        where = _cells(record, survey, record.holes)
        what = f"no data ({names}) in {where}" if names else f"{where} that are not numbers"
        raise InputError(
            "{name} has {what}, too many to fill from the others; crop the file to the part that "
            "has data, or make the rest a sea at a level."
        ).format(name=record.name, what=what)
    result = "were filled from the heights around them"
    if options.holes == "sea":
        result = f"are sea at {options.sea_level:g} m"
    doubts = []
    if survey.empty:
        number = "" if survey.no_data is None else f" ({survey.no_data:g})"
        cells = _cells(record, survey, survey.empty)
        doubts.append(
            Doubt(f"{record.name} has no data{number} in {cells}; they {result}.", "holes")
        )
    if survey.nans:
        cells = _cells(record, survey, survey.nans)
        doubts.append(
            Doubt(f"{record.name} has {cells} that are not numbers; they {result}.", "holes")
        )
    for sentinel, count in sentinels.items():
        what = f"{sentinel:g} in {_cells(record, survey, count)}, far from all other heights"
        doubts.append(
            Doubt(
                f"{record.name} holds {what}, which was taken for no data; they {result}.",
                "no_data",
            )
        )
    return doubts


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
    return np.asarray(np.spacing(np.abs(numbers).astype(np.float16)), np.float64) * abs(
        record.scale * record.unit
    )


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
