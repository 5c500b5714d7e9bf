# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules for the meaning of numbers in a file: heights or shades, unit, cells without data.

Unsigned integers are shades of gray; with a scale, a unit or a place on Earth they are heights, as
long as no mountain is higher. Signed integers and floats are heights in meters, or in the unit that
the file names. Floats from 0 to 1 are shades where the heights of black and white are given.
"""

import math
from dataclasses import replace

import numpy as np

from ...base.errors import InputError, Sentence
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
                "{name} holds floats from {low:g} to {high:g}; shades go from 0 to 1."
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
            sentence = Sentence(
                "{name} holds {number:g} in {cells}, far from all other heights; it was read as a "
                "height."
            ).format(name=record.name, number=number, cells=_cells(record, survey, count))
            doubts.append(Doubt(sentence, "no_data"))
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
            sentence = Sentence(
                "{name} holds whole numbers and a location on Earth; they were read as meters."
            )
            doubts.append(Doubt(sentence.format(name=record.name), "numbers"))
            return "heights"
        return "shades"
    if header.kind.startswith("int") and span:
        sentence = Sentence("{name} holds signed whole numbers; they were read as meters.")
        doubts.append(Doubt(sentence.format(name=record.name), "numbers"))
    if not (header.kind.startswith("float") and within) or measured:
        return "heights"
    if span:
        low, high = span
        sentence = Sentence(
            "{name} holds numbers from 0 to 1; they were read as shades from {low:g} m to {high:g} "
            "m."
        ).format(name=record.name, low=low, high=high)
        doubts.append(Doubt(sentence, "numbers"))
        return "shades"
    long = max(record.shape) * max(record.spacing or (0.0, 0.0))
    if record.spacing is None or long >= 1000.0:
        if record.spacing:
            sentence = Sentence(
                "{name} holds numbers from 0 to 1 for land {length:.3g} km long; they were read as "
                "meters."
            ).format(name=record.name, length=long / 1000)
        else:
            sentence = Sentence("{name} holds numbers from 0 to 1; they were read as meters.")
            sentence = sentence.format(name=record.name)
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
    sentence = Sentence(
        "{name} has coordinates in {unit} and heights without a unit; they were read as {unit} too."
    )
    return across, [Doubt(sentence.format(name=name, unit=names[0]), "unit")]


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
        sentence = Sentence("No cell of {name} holds {number:g}, the number for no data.")
        return [Doubt(sentence.format(name=record.name, number=options.no_data), "no_data")]
    if not record.holes:
        return []
    if options.holes == "fill" and record.holes > _LARGEST_HOLES * survey.cells:
        names = ", ".join(f"{number:g}" for number in record.no_data)
        if names:
            gaps = Sentence("no data ({numbers}) in {cells}")
        else:
            gaps = Sentence("{cells} that are not numbers")
        gaps = gaps.format(numbers=names, cells=_cells(record, survey, record.holes))
        raise InputError(
            "{name} has {gaps}, too many to fill from the others; crop the file to the part with "
            "data, or make the rest a sea at a level."
        ).format(name=record.name, gaps=gaps)
    if options.holes == "sea":
        result = Sentence("are sea at {level:g} m").format(level=options.sea_level)
    else:
        result = Sentence("were filled from the heights around them")
    doubts = []
    if survey.empty:
        if survey.no_data is None:
            sentence = Sentence("{name} has no data in {cells}; they {result}.")
        else:
            sentence = Sentence("{name} has no data ({number:g}) in {cells}; they {result}.")
        cells = _cells(record, survey, survey.empty)
        sentence = sentence.format(
            name=record.name, number=survey.no_data, cells=cells, result=result
        )
        doubts.append(Doubt(sentence, "holes"))
    if survey.nans:
        sentence = Sentence("{name} has {cells} that are not numbers; they {result}.").format(
            name=record.name, cells=_cells(record, survey, survey.nans), result=result
        )
        doubts.append(Doubt(sentence, "holes"))
    for sentinel, count in sentinels.items():
        sentence = Sentence(
            "{name} holds {number:g} in {cells}, far from all other heights; it was read as no "
            "data, and they {result}."
        ).format(
            name=record.name, number=sentinel, cells=_cells(record, survey, count), result=result
        )
        doubts.append(Doubt(sentence, "no_data"))
    return doubts


def _cells(record: Record, survey: Survey, count: int) -> Sentence:
    """Number of cells in words; their share if a survey saw some cells only."""
    if survey.cells < record.shape[0] * record.shape[1]:
        return Sentence("about {share:.2%} of its cells").format(share=count / survey.cells)
    return Sentence("{count} of {total} cells").format(count=count, total=survey.cells)


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
