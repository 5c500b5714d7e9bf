# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of files that hold one block of them, and of ASCII grids."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from ..headers.ascii_grid import AsciiGrid
from ..headers.block_header import Block
from ..headers.image_format import CorruptError

Array = np.ndarray[Any, Any]
_CHUNK = 1 << 24
"""Bytes of text turned into numbers at once."""


def block_numbers(path: Path, block: Block, top: int, bottom: int, left: int, right: int) -> Array:
    """Numbers (rows, cols) of a window in the order of the file."""
    shape = (block.header.rows, block.header.cols)
    strides = (block.row_step, block.step)
    content = np.memmap(path, np.uint8, "r")
    numbers: Array = np.ndarray(shape, block.dtype, content, block.offset, strides)
    return numbers[top:bottom, left:right].astype(block.dtype.newbyteorder("="))


def text_numbers(path: Path, grid: AsciiGrid) -> Array:
    """Numbers (rows, cols) float64 of an ASCII grid, maybe with decimal commas; CorruptError if
    damaged.
    """
    rows = grid.header.rows
    cols = grid.header.cols
    numbers = np.empty(rows * cols)
    count = 0
    rest = b""
    with path.open("rb") as stream:
        stream.seek(grid.offset)
        while rest or count < numbers.size:
            chunk = stream.read(_CHUNK)
            text = (rest + chunk).replace(b",", b".")
            if chunk:
                end = max(text.rfind(b" "), text.rfind(b"\n"), text.rfind(b"\t")) + 1
            else:
                end = len(text)
            if end == 0 and len(text) > _CHUNK:
                raise CorruptError("its numbers have no spaces between them")
            rest = text[end:]
            part = _numbers(text[:end])
            if count + part.size > numbers.size:
                raise CorruptError(f"it holds more than {rows} × {cols} numbers")
            numbers[count : count + part.size] = part
            count += part.size
            if not chunk:
                break
    if count < numbers.size:
        raise CorruptError(f"it holds {count} of {rows} × {cols} numbers")
    return numbers.reshape(rows, cols)


def _numbers(text: bytes) -> Array:
    if not text.strip():
        return np.empty(0)  # for which numpy returns -1
    try:
        with warnings.catch_warnings():
            # numpy warns of anything but numbers
            warnings.simplefilter("error", DeprecationWarning)
            return np.fromstring(text.decode("ascii"), sep=" ")
    except (DeprecationWarning, ValueError):
        raise CorruptError("it holds something else than numbers") from None
