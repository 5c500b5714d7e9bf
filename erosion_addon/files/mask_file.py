# SPDX-License-Identifier: GPL-3.0-or-later
"""Masks in files: black 0 and white 1 in images, the numbers themselves in files of floats.

Whole numbers up to 1 are 0 and 1, as GIS programs write them. Where there is no data a mask is 0. An image whose color
says nothing is a mask by its alpha channel.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..base.errors import InputError
from .formats import RAW_SUFFIXES
from .heightmap import opened, survey_in_bands
from .image_files import ImageFiles
from .rasters.raster import Cells
from .reading import meaning
from .reading.record import Array, Doubt, Reading, Record

_FAINT = 0.01
"""Greatest value of a mask that is likely in another unit."""

Masks = Callable[[int, int, int, int], Array]
"""Reader of windows: top, bottom, left, right → values, 0 where there is no data."""


def read_mask(path: str | Path, image_files: ImageFiles, land: Record) -> tuple[Array, list[Doubt]]:
    """Values of a mask for a land, (rows, cols) float64, and doubts about it."""
    (rows, cols), read, doubts = mask_windows(Path(path), image_files, land)
    return read(0, rows, 0, cols), doubts


def mask_windows(path: Path, image_files: ImageFiles, land: Record) -> tuple[tuple[int, int], Masks, list[Doubt]]:
    """(rows, cols) of a mask for a land, a reader of its windows, and doubts about it.

    A mask of the size of the land's file is cut as the land is.
    """
    raw = path.suffix.lower() in RAW_SUFFIXES
    options = Reading(size=land.file_shape if raw else None)
    try:
        numbers, record = opened(path, image_files, options)
        if record.file_shape == land.file_shape:
            options = replace(options, window=land.window, every=land.every)
            numbers, record = opened(path, image_files, options)
        survey = survey_in_bands(numbers, record, options)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error
    sentinels = {} if record.kind.startswith("uint") else survey.sentinels()
    low, high = survey.extremes(sentinels)
    by_alpha = low == high and 0 < survey.masked < survey.cells
    white = 1.0 if by_alpha or high <= 1.0 else float(meaning.WHITE.get(record.kind, 1))
    record = replace(record, no_data=(*sentinels, *([] if survey.no_data is None else [survey.no_data])))
    doubts = []
    highest = 1.0 if by_alpha else high / white
    if 0.0 < highest < _FAINT:
        doubts.append(Doubt(f"{path} is at most {highest:.2g}, where 1 is the full effect of a mask.", ""))

    def read(top: int, bottom: int, left: int, right: int) -> Array:
        cells = numbers.read(top, bottom, left, right)
        if by_alpha and cells[1] is not None:
            return cells[1].astype(np.float64)
        return _values(cells, record, white, survey.is_bare)

    return record.shape, read, doubts


def _values(cells: Cells, record: Record, white: float, is_bare: bool) -> Array:
    stored, valid = cells
    values = meaning.heights_of(stored, None if is_bare else valid, record)
    values /= white
    values[np.isnan(values)] = 0.0
    return values
