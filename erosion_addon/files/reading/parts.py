# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of a file: a window of its cells, and each n-th of them; checks of options before any
number is read.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np

from ...base.errors import InputError
from ...terrain.terrain import SMALLEST_SIDE
from ..rasters.raster import Raster
from .numbers import thinned
from .raw_files import WIDTHS
from .record import Reading, Record

BYTES = 10
"""Peak memory of a cell read as a whole, beside the numbers of the file; measured for 3000² cells
of every kind.
"""


def cut(numbers: Raster, record: Record, options: Reading) -> tuple[Raster, Record]:
    """Numbers and record of the window, and of each n-th cell."""
    rows, cols = record.file_shape
    every = options.every
    left, low, width, height = options.window or (0, 0, cols, rows)
    shape = -(-height // every), -(-width // every)
    size = rows * cols * numbers.cell_bytes
    record = replace(
        record, memory=size + shape[0] * shape[1] * (np.dtype(record.kind).itemsize + BYTES)
    )
    if shape == (rows, cols):
        return numbers, record
    _check_size(shape, f"The part of {record.name}")
    place = record.georeference
    spacing = record.spacing
    if place:
        place = place.part((rows - 1 - low - (shape[0] - 1) * every, left), (every, every), shape)
    if spacing:
        spacing = spacing[0] * every, spacing[1] * every
    record = replace(
        record, shape=shape, spacing=spacing, georeference=place, window=options.window, every=every
    )
    return numbers._replace(read=thinned(numbers.read, (low, left), every)), record


def check_options(record: Record, options: Reading) -> None:
    """Raise InputError for options that do not apply to the file."""
    rows, cols = record.file_shape
    _check_size(record.file_shape, record.name)
    if options.size is not None and record.file_shape != tuple(options.size):
        raise InputError("{name} is {rows} × {cols}, not {size}.").format(
            name=record.name, rows=rows, cols=cols, size=_size(options.size)
        )
    if (options.byte_order, options.depth) != ("auto", "auto") and Path(
        record.name
    ).suffix.lower() not in WIDTHS:
        raise InputError(
            "{name} contains its byte order and depth; leave out these options for raw files."
        ).format(name=record.name)
    if options.flip and record.georeference:
        raise InputError(
            "{name} has a georeference, which sets the order of its rows; do not flip them."
        ).format(name=record.name)
    if options.every < 1:
        raise InputError("The step between cells (every) must be 1 or more, not {every}.").format(
            every=options.every
        )
    if options.window:
        left, low, width, height = options.window
        if (
            min(left, low) < 0
            or min(width, height) < 1
            or left + width > cols
            or low + height > rows
        ):
            raise InputError(
                "The window goes beyond {name}, which has {cols} columns and {rows} rows."
            ).format(name=record.name, cols=cols, rows=rows)


def _check_size(shape: tuple[int, ...], name: str) -> None:
    if min(shape) < SMALLEST_SIDE:
        raise InputError(
            "{name} is {shape}; a terrain needs at least {smallest} × {smallest} cells."
        ).format(name=name, shape=_size(shape), smallest=SMALLEST_SIDE)


def _size(shape: tuple[int, ...]) -> str:
    return " × ".join(str(side) for side in shape)
