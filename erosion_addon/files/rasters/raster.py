# SPDX-License-Identifier: GPL-3.0-or-later
"""Rasters: header and numbers of every kind of file that has a header."""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...base.errors import InputError
from ...base.memory import require_to_unpack
from ..headers.ascii_grid import AsciiGrid
from ..headers.block_header import Block
from ..headers.gdal_header import open_with_gdal
from ..headers.image_format import ImageHeader, single
from ..headers.image_header import FileHeader, damage_in, file_size
from ..headers.tiff_header import TiffImage
from .blocks import block_numbers, text_numbers
from .tiff_pixels import TiffPixels

Array = np.ndarray[Any, Any]
Cells = tuple[Array, Array | None]
"""Numbers (rows, cols) of the file's own kind, and which of them are data, None for all."""

_BYTES_PER_CELL = 16
"""Memory of a cell while a file is read as heights."""


class Raster(NamedTuple):
    """A file's header, and a reader of windows: top, bottom, left, right; row 0 at the smallest y,
    column 0 at the smallest x. cell_bytes: memory of a cell while the whole is read, beside the
    numbers.
    """

    header: ImageHeader
    read: Callable[[int, int, int, int], Cells]
    cell_bytes: int = 0


def open_raster(path: Path, image: FileHeader) -> Raster | None:
    """Raster of a file by its header; None for images that `ImageFiles` reads. Its reader raises
    InputError for damaged numbers.
    """
    # Each window opens the file anew: a file kept open could not be replaced on Windows, and
    # several threads would share its position.
    header = image.header
    suffix = path.suffix.lower()
    more = (header.channels - 1) * np.dtype(header.kind).itemsize + int(header.mask_band)
    if header.by_gdal:

        def stored(*window: int) -> Cells:
            return gdal_numbers(path, header, *window)

    elif isinstance(image, TiffImage) and suffix in (".tif", ".tiff") and header.packing != "JPEG":
        pixels = TiffPixels(path, image.directories)

        def stored(*window: int) -> Cells:
            numbers, valid = pixels.read(*window)
            return single(numbers, path), valid

    elif isinstance(image, Block):

        def stored(*window: int) -> Cells:
            return block_numbers(path, image, *window), None

    elif isinstance(image, AsciiGrid):
        numbers_of_text = lru_cache(maxsize=1)(lambda: text_numbers(path, image))
        more += 8

        def stored(*window: int) -> Cells:
            top, bottom, left, right = window
            return numbers_of_text()[top:bottom, left:right], None

    else:
        return None
    return Raster(header, upright(stored, header, path), more)


def upright(
    stored: Callable[..., Cells], header: ImageHeader, path: Path
) -> Callable[[int, int, int, int], Cells]:
    """Reader of windows from one whose first row is the first one stored."""

    def read(top: int, bottom: int, left: int, right: int) -> Cells:
        rows = (top, bottom) if header.south_up else (header.rows - bottom, header.rows - top)
        cols = (header.cols - right, header.cols - left) if header.mirrored else (left, right)
        cells = (bottom - top) * (right - left)
        if path.suffix.lower() != ".vrt":  # whose numbers lie in other files
            what = f"Reading {path} ({bottom - top} × {right - left})"
            require_to_unpack(cells * _BYTES_PER_CELL, cells, file_size(path), what)
        order = np.s_[:: 1 if header.south_up else -1, :: -1 if header.mirrored else 1]
        with damage_in(str(path)):
            numbers, valid = stored(*rows, *cols)
        return part_of((numbers, valid), order)

    return read


def part_of(cells: Cells, window: Any) -> Cells:
    """Cells at an index of rows and columns."""
    numbers, valid = cells
    return numbers[window], None if valid is None else valid[window]


def gdal_numbers(
    path: Path, header: ImageHeader, top: int, bottom: int, left: int, right: int
) -> tuple[Array, Array | None]:
    """Numbers (rows, cols) of a window in the order of the file, and which of them are data, None
    for all.
    """
    import rasterio

    window = rasterio.windows.Window(left, top, right - left, bottom - top)
    with open_with_gdal(path) as dataset:
        try:
            numbers = dataset.read(1, window=window)
            valid = dataset.read_masks(1, window=window) > 0 if header.mask_band else None
        except rasterio.errors.RasterioError as error:
            raise InputError("{path} cannot be read by GDAL: {error:.200}.").format(
                path=path, error=str(error).splitlines()[0]
            ) from None
    return numbers, valid
