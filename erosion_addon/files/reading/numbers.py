# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of a file in windows, as they are stored: arrays and raw files, and windows turned, cut
and thinned.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ...base.errors import InputError
from ..headers.image_format import ImageHeader
from ..rasters.raster import Cells, Raster, part_of
from .raw_files import Form
from .record import Array

_BAND = 1 << 22
"""Cells read at once where only some of them are kept."""

Windows = Callable[[int, int, int, int], Cells]
"""Reader of windows: top, bottom, left, right."""


def array_numbers(path: Path, length: int) -> Raster:
    """Numbers of a .npy file of `length` bytes; InputError for one that is damaged, or of another
    kind.
    """
    with path.open("rb") as stream:
        try:
            shape, fortran, dtype = _npy_header(stream)
        # The header is a Python literal: a damaged one raises whatever the tokenizer and the parser
        # come up with.
        except Exception as error:
            raise InputError(
                "{path} is not a .npy file of version 1 or 2, or damaged; save it again."
            ).format(path=path) from error
        offset = stream.tell()
    if dtype.kind != "f" or dtype.itemsize not in (4, 8):
        raise InputError("{path} holds {dtype}; save it as float32 or float64.").format(
            path=path, dtype=dtype
        )
    if len(shape) != 2:
        raise InputError(
            "{path} has {count} dimensions; a terrain has 2, rows and columns."
        ).format(path=path, count=len(shape))
    rows, cols = shape
    if offset + rows * cols * dtype.itemsize > length:
        raise InputError(
            "{path} is cut off: it claims {rows} × {cols} cells; save it again."
        ).format(path=path, rows=rows, cols=cols)
    header = ImageHeader(rows, cols, 1, f"float{8 * dtype.itemsize}")
    if fortran:
        across = _block(path, dtype, offset, (cols, rows))
        return Raster(
            header, lambda top, bottom, left, right: (across(left, right, top, bottom).T, None)
        )
    block = _block(path, dtype, offset, (rows, cols))
    return Raster(header, lambda *window: (block(*window), None))


def raw_numbers(path: Path, form: Form) -> Raster:
    """Numbers of a raw file of known form."""
    rows, cols = form.shape
    kind = {"u8": "uint8", "u16": "uint16", "i16": "int16", "f32": "float32"}[form.depth]
    header = ImageHeader(rows, cols, 1, kind, byte_order=form.order)
    block = _block(path, form.dtype, 0, form.shape)
    return Raster(header, upturned(lambda *window: (block(*window), None), rows))


def upturned(read: Windows, rows: int) -> Windows:
    """Windows with the order of rows reversed."""

    def turned(top: int, bottom: int, left: int, right: int) -> Cells:
        return part_of(read(rows - bottom, rows - top, left, right), np.s_[::-1])

    return turned


def thinned(read: Windows, start: tuple[int, int], every: int) -> Windows:
    """Windows of each n-th cell from a (row, col) on."""
    row, col = start

    def cells(top: int, bottom: int, left: int, right: int) -> Cells:
        if every == 1:
            return read(row + top, row + bottom, col + left, col + right)
        first = col + left * every
        last = col + (right - 1) * every + 1
        band = max(_BAND // ((last - first) * every), 1)
        parts = []
        for begin in range(top, bottom, band):
            end = min(begin + band, bottom)
            numbers, valid = read(row + begin * every, row + (end - 1) * every + 1, first, last)
            thin = np.s_[::every, ::every]
            parts.append((numbers[thin].copy(), None if valid is None else valid[thin].copy()))
        if parts[0][1] is None:
            valid = None
        else:
            valid = np.concatenate([data for _, data in parts if data is not None])
        return np.concatenate([numbers for numbers, _ in parts]), valid

    return cells


def _block(
    path: Path, dtype: np.dtype[Any], offset: int, shape: tuple[int, int]
) -> Callable[..., Array]:
    """Reader of windows of rows of numbers that begin at an offset."""
    cols = shape[1]

    def read(top: int, bottom: int, left: int, right: int) -> Array:
        if (left, right) != (0, cols):
            return np.array(np.memmap(path, dtype, "r", offset, shape)[top:bottom, left:right])
        with path.open("rb") as stream:
            stream.seek(offset + top * cols * dtype.itemsize)
            values = np.fromfile(stream, dtype, (bottom - top) * cols)
        if values.size < (bottom - top) * cols:
            raise InputError("{path} is cut off; save it again.").format(path=path)
        return values.reshape(bottom - top, cols)

    return read


def _npy_header(stream: BinaryIO) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    npy: Any = np.lib.format
    if npy.read_magic(stream) == (1, 0):
        read = npy.read_array_header_1_0
    else:
        read = npy.read_array_header_2_0
    header: tuple[tuple[int, ...], bool, np.dtype[Any]] = read(stream)
    return header
