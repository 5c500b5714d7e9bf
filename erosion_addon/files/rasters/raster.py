# SPDX-License-Identifier: GPL-3.0-or-later
"""Rasters: header and numbers of every kind of file that has a header."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..headers.image_format import CorruptError, ImageHeader
from ..headers.image_header import read_header
from ..image_files import damaged, single
from .tiff_pixels import TiffPixels

Array = np.ndarray[Any, Any]
Cells = tuple[Array, Array | None]
"""Numbers (rows, cols) of the file's own kind, and which of them are data, None for all."""


class Raster(NamedTuple):
    """A file's header, and a reader of windows: top, bottom, left, right; row 0 at the smallest y, column 0 at the
    smallest x. cell_bytes: memory of a cell while the whole is read, beside the numbers.
    """

    header: ImageHeader
    read: Callable[[int, int, int, int], Cells]
    cell_bytes: int = 0


def open_raster(path: Path) -> Raster | None:
    """Raster of a file by its header; None for images that `ImageFiles` reads. Raises InputError for an invalid one, as
    does its reader.
    """
    header = read_header(path)
    if path.suffix.lower() not in (".tif", ".tiff") or header.packing == "JPEG":
        return None
    pixels = TiffPixels(path)

    def stored(top: int, bottom: int, left: int, right: int) -> Cells:
        try:
            numbers, valid = pixels.read(top, bottom, left, right)
        except CorruptError as error:
            raise damaged(path, str(error)) from error
        return single(numbers, path), valid

    return Raster(header, upright(stored, header))


def upright(stored: Callable[[int, int, int, int], Cells], header: ImageHeader) -> Callable[..., Cells]:
    """Reader of windows from one whose first row is the first one stored."""

    def read(top: int, bottom: int, left: int, right: int) -> Cells:
        rows = (top, bottom) if header.south_up else (header.rows - bottom, header.rows - top)
        cols = (header.cols - right, header.cols - left) if header.mirrored else (left, right)
        order = np.s_[:: 1 if header.south_up else -1, :: -1 if header.mirrored else 1]
        numbers, valid = stored(*rows, *cols)
        return numbers[order], None if valid is None else valid[order]

    return read
