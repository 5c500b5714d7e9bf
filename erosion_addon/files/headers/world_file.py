# SPDX-License-Identifier: GPL-3.0-or-later
"""World files, .prj files and GDAL's metadata beside an image: the location of its pixels, and the
meaning of their numbers.

Sources: Esri, "World files for raster datasets": steps in x and y, and the middle of the first
pixel, in six lines; GDAL's Persistent Auxiliary Metadata, NAME.aux.xml.
"""

import html
import math
import re
from dataclasses import replace
from pathlib import Path

from ...base.errors import InputError, Sentence
from ...base.regular_files import open_regular
from ..places.coordinate_text import system_in
from ..places.placement import UNKNOWN, Placement, System
from ..places.units import length_of
from .georeference import Georeference
from .image_format import ImageHeader, factor_in, number_in

_LARGEST = 1 << 16
"""Bytes of a text beside a file; more is something else."""


def with_surroundings(header: ImageHeader, path: Path) -> ImageHeader:
    """Header of an image, completed by the files beside it."""
    auxiliary = _text(path.with_name(f"{path.name}.aux.xml"))
    header = _with_band(header, auxiliary)
    if header.spacing is not None or header.georeference is not None:
        return header
    transform = _numbers(_entry(auxiliary, "GeoTransform").replace(",", " "))
    numbers = _world_numbers(path)
    if transform:
        x, right_x, down_x, y, right_y, down_y = transform
        system, unit = system_in(_entry(auxiliary, "SRS"))
        placement = Placement((x, y), (right_x, right_y), (down_x, down_y), system)
    elif numbers:
        system, unit = system_beside(path)
        middle = Placement(
            (numbers[4], numbers[5]), (numbers[0], numbers[1]), (numbers[2], numbers[3]), system
        )
        placement = replace(middle, corner=middle.at(-0.5, -0.5))
    else:
        return header
    return placed(header._replace(unit=unit if header.unit is None else header.unit), placement)


def _with_band(header: ImageHeader, auxiliary: str) -> ImageHeader:
    """Header with no data, scale, offset and unit of the first band in a file of GDAL's
    metadata.
    """
    band = _entry(auxiliary, 'PAMRasterBand band="1"')
    if header.no_data is None:
        header = header._replace(no_data=number_in(_entry(band, "NoDataValue")))
    if (header.scale, header.offset) == (1.0, 0.0):
        scale = factor_in(_entry(band, "Scale"), 1.0)
        offset = factor_in(_entry(band, "Offset"), 0.0)
        header = header._replace(scale=scale, offset=offset)
    if header.unit is None:
        return header._replace(unit=length_of(_entry(band, "UnitType")))
    return header


def placed(header: ImageHeader, placement: Placement) -> ImageHeader:
    """Header completed by a placement."""
    shape = header.rows, header.cols
    georeference = Georeference.at(placement, shape)
    turned = placement.south_up, placement.mirrored
    return header._replace(
        spacing=placement.spacing(shape),
        georeference=georeference.upright(*turned) if georeference else None,
        length_unit=placement.length_unit,
        south_up=turned[0],
        mirrored=turned[1],
        doubts=(*header.doubts, *placement.doubts(shape)),
        remarks=(*header.remarks, *placement.remarks, *_lost_place(placement, georeference)),
    )


def _lost_place(placement: Placement, georeference: Georeference | None) -> list[Sentence]:
    is_lost = placement.system.kind != UNKNOWN and georeference is None
    sentence = Sentence(
        "its coordinate reference system has no EPSG code in the file, so TIFFs made from it have "
        "no location."
    )
    return [sentence] if is_lost else []


def system_beside(path: Path) -> tuple[System, float | None]:
    """System of coordinates by the .prj file beside a file, and meters per unit of height; unknown
    without one.
    """
    text = text_beside(path, ".prj")
    return system_in(text) if text else (System(), None)


def text_beside(path: Path, suffix: str) -> str:
    """Text of the file of another suffix, in small or capital letters; empty without one."""
    return _text(path.with_suffix(suffix)) or _text(path.with_suffix(suffix.upper()))


def _text(path: Path) -> str:
    try:
        with open_regular(path) as stream:
            return stream.read(_LARGEST).decode("utf-8-sig", "replace")
    except (OSError, InputError, ValueError):
        return ""


def _entry(text: str, name: str) -> str:
    """Content of the first element of a name in XML; empty without one. A parser would expand
    entities without end.
    """
    start = re.search(rf"<{name}[^<>]*>", text)
    end = text.find(f"</{name.split()[0]}>", start.end()) if start else -1
    return html.unescape(text[start.end() : end]).strip() if start and end >= 0 else ""


def _numbers(text: str) -> list[float] | None:
    """Six finite numbers; None for anything else."""
    numbers = [number_in(word) for word in text.split()[:6]]
    finite = [number for number in numbers if number is not None and math.isfinite(number)]
    return finite if len(finite) == 6 else None


def _world_numbers(path: Path) -> list[float] | None:
    """Numbers of the world file, x and y of each: step of a column, step of a row, middle of the
    first pixel.
    """
    suffix = path.suffix.lower()
    for name in (f".{suffix[1:2]}{suffix[-1:]}w", f"{suffix}w", ".wld"):
        numbers = _numbers(text_beside(path, name).replace(",", ".")) if name != "w" else None
        if numbers and numbers[0] * numbers[3] != numbers[1] * numbers[2]:
            return numbers
    return None
