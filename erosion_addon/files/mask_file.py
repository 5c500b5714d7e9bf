# SPDX-License-Identifier: GPL-3.0-or-later
"""Masks in files: black 0 and white 1 in images, the numbers themselves in files of floats.

Whole numbers up to 1 are 0 and 1, as GIS programs write them. Where there is no data a mask is 0.
An image of a single color is a mask by its alpha channel.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..base.errors import InputError, Sentence, unreadable
from .formats import RAW_SUFFIXES
from .headers.georeference import Georeference
from .headers.image_header import file_header
from .heightmap import opened, survey_in_bands
from .image_files import ImageFiles
from .rasters.raster import Cells, Raster
from .reading import meaning
from .reading.parts import cut
from .reading.record import Array, Doubt, Reading, Record

_FAINT = 0.01
"""Greatest value of a mask that is likely in another unit."""

Masks = Callable[[int, int, int, int], Array]
"""Reader of windows: top, bottom, left, right → values, 0 without data."""


def read_mask(path: str | Path, image_files: ImageFiles, land: Record) -> tuple[Array, list[Doubt]]:
    """Values of a mask for a land, (rows, cols) float64, and doubts about it; InputError for one of
    another place.
    """
    (rows, cols), read, doubts = mask_windows(Path(path), image_files, land)
    return read(0, rows, 0, cols), doubts


def mask_windows(
    path: Path, image_files: ImageFiles, land: Record
) -> tuple[tuple[int, int], Masks, list[Doubt]]:
    """(rows, cols) of a mask for a land, a reader of its windows, and doubts about it.

    A mask of the size of the land's file is cut as the land is. InputError for a mask of another
    place.
    """
    options = Reading(
        numbers="shades", size=land.file_shape if path.suffix.lower() in RAW_SUFFIXES else None
    )
    try:
        numbers, record = opened(path, image_files, options)
        is_alike = record.file_shape == land.file_shape
        options = Reading(window=land.window, every=land.every) if is_alike else Reading()
        numbers, record = cut(numbers, record, options)
        require_place(path, record.georeference, land)
        survey = survey_in_bands(numbers, record, options)
        if survey.lowest == survey.highest and numbers.header.channels in (2, 4):
            alpha = image_files.pixels(path, file_header(path))[..., -1]
            numbers, _ = cut(_alpha(numbers, alpha), record, options)
            survey = survey_in_bands(numbers, record, options)
    except OSError as error:
        raise unreadable(path, error) from error
    kind = numbers.header.kind
    sentinels = {} if kind.startswith("uint") else survey.sentinels()
    highest = survey.extremes(sentinels)[1]
    white = float(meaning.WHITE.get(kind, 1)) if highest > 1.0 else 1.0
    no_data = [*sentinels, *([] if survey.no_data is None else [survey.no_data])]
    record = replace(record, no_data=tuple(no_data))
    doubts = []
    if 0.0 < highest / white < _FAINT:
        sentence = Sentence(
            "{path} is at most {highest:.2g}; 1 is the full effect of a mask."
        ).format(path=path, highest=highest / white)
        doubts.append(Doubt(sentence, ""))

    def read(top: int, bottom: int, left: int, right: int) -> Array:
        return _values(numbers.read(top, bottom, left, right), record, white, survey.is_bare)

    return record.shape, read, doubts


def require_place(path: object, place: Georeference | None, land: Record) -> None:
    """Raise InputError if a file and a land both have a place on Earth, and not the same."""
    mask_place = place.placement if place else None
    land_place = land.georeference.placement if land.georeference else None
    if place is None or mask_place is None or land_place is None:
        return
    if mask_place.system.code != land_place.system.code:
        raise InputError(
            "{path} has another coordinate reference system than {name}; warp it to that one."
        ).format(path=path, name=land.name)
    cell = max(
        abs(step)
        for steps in (mask_place.right, mask_place.down, land_place.right, land_place.down)
        for step in steps
    )
    rows, cols = land.shape
    for corner, land_corner in (
        (mask_place.at(0, 0), land_place.at(0, 0)),
        (mask_place.at(*place.shape), land_place.at(rows, cols)),
    ):
        if max(abs(corner[0] - land_corner[0]), abs(corner[1] - land_corner[1])) > cell:
            raise InputError(
                "{path} covers another area on Earth than {name}; crop it to the same."
            ).format(path=path, name=land.name)


def _alpha(numbers: Raster, alpha: Array) -> Raster:
    """Alpha channel in place of the numbers."""
    header = numbers.header._replace(kind="float32", channels=1, no_data=None)
    return Raster(header, lambda top, bottom, left, right: (alpha[top:bottom, left:right], None))


def _values(cells: Cells, record: Record, white: float, is_bare: bool) -> Array:
    stored, valid = cells
    values = meaning.heights_of(stored, None if is_bare else valid, record) / white
    values[np.isnan(values)] = 0.0
    return values
