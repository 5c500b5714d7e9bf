# SPDX-License-Identifier: GPL-3.0-or-later
"""World files and .prj files beside an image: where its pixels lie.

Source: Esri, "World files for raster datasets": steps in x and y, and the middle of the first pixel, in six lines.
"""

import math
from dataclasses import replace
from pathlib import Path

from ...base.errors import InputError
from ...base.regular_files import open_regular
from ..places.coordinate_text import system_in
from ..places.placement import UNKNOWN, Placement, System
from .georeference import Georeference
from .image_format import ImageHeader

_LARGEST = 1 << 16
"""Bytes of a text beside a file; more is something else."""


def with_surroundings(header: ImageHeader, path: Path) -> ImageHeader:
    """Header of an image with the placement that files beside it tell, if it has none of its own."""
    if header.spacing is not None or header.georeference is not None:
        return header
    numbers = _world_numbers(path)
    if numbers is None:
        return header
    right, down = (numbers[0], numbers[1]), (numbers[2], numbers[3])
    system, unit = system_beside(path)
    middle = Placement((numbers[4], numbers[5]), right, down, system)
    header = header._replace(unit=unit if header.unit is None else header.unit)
    return placed(header, replace(middle, corner=middle.at(-0.5, -0.5)))


def placed(header: ImageHeader, placement: Placement) -> ImageHeader:
    """Header with what a placement says."""
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


def _lost_place(placement: Placement, georeference: Georeference | None) -> list[str]:
    known = placement.system.kind != UNKNOWN and georeference is None
    sentence = "Its coordinate reference system has no number of EPSG in the file, so TIFFs made of it hold no place."
    return [sentence] if known else []


def system_beside(path: Path) -> tuple[System, float | None]:
    """System of coordinates by the .prj file beside a file, and meters per unit of height; unknown without one."""
    text = text_beside(path, ".prj")
    return system_in(text) if text else (System(), None)


def text_beside(path: Path, suffix: str) -> str:
    """Text of the file of another suffix, in small or capital letters; empty without one."""
    for name in (path.with_suffix(suffix), path.with_suffix(suffix.upper())):
        try:
            with open_regular(name) as stream:
                content = stream.read(_LARGEST)
        except (OSError, InputError, ValueError):
            continue
        return content.decode("utf-8-sig", "replace")
    return ""


def _world_numbers(path: Path) -> list[float] | None:
    """Numbers of the world file, x and y of each: step of a column, step of a row, middle of the first pixel."""
    suffix = path.suffix.lower()
    for name in (f".{suffix[1]}{suffix[-1]}w", f"{suffix}w", ".wld"):
        words = text_beside(path, name).replace(",", ".").split()
        try:
            numbers = [float(word) for word in words[:6]]
        except ValueError:
            continue
        if (
            len(numbers) == 6
            and all(map(math.isfinite, numbers))
            and numbers[0] * numbers[3] != numbers[1] * numbers[2]
        ):
            return numbers
    return None
