# SPDX-License-Identifier: GPL-3.0-or-later
"""Header of an Esri ASCII grid: lines of a word and a number, then the numbers of the cells from
the north.

Source: Esri, "Esri ASCII raster format"; GDAL's driver AAIGrid for dx and dy.
"""

import re
from pathlib import Path
from typing import NamedTuple

from ..places.placement import Placement
from .block_header import grid_corner
from .image_format import CorruptError, ImageHeader
from .world_file import placed, system_beside

_LONGEST = 1 << 12
"""Bytes of the header."""
_WORD = re.compile(rb"\s*([A-Za-z_]{2,20})[ \t=:]+([-+0-9.,eE]+|[A-Za-z]{3})(?=\s)")


class AsciiGrid(NamedTuple):
    """Header, and the place where the numbers begin."""

    header: ImageHeader
    offset: int


def ascii_grid(path: Path, size: int) -> AsciiGrid:
    """Header of an ASCII grid of `size` bytes; CorruptError if damaged."""
    with path.open("rb") as stream:
        content = stream.read(_LONGEST)
    words = {}
    offset = 0
    while (entry := _WORD.match(content, offset)) and entry[1].lower() != b"nan":
        words[entry[1].decode("ascii").lower()] = _number(entry[2])
        offset = entry.end()
    rows, cols = (words.get(key, 0.0) for key in ("nrows", "ncols"))
    if not (1 <= rows < 1e9 and 1 <= cols < 1e9 and rows == int(rows) and cols == int(cols)):
        raise CorruptError("its header lacks ncols or nrows")
    if size - offset < 2 * rows * cols - 1:
        raise CorruptError(f"it claims {rows:.0f} × {cols:.0f} cells and has {size} bytes")
    shape = int(rows), int(cols)
    system, unit = system_beside(path)
    header = ImageHeader(
        *shape, 1, "float64", no_data=words.get("nodata_value", words.get("nodata")), unit=unit
    )
    corner = grid_corner(words, shape)
    if corner:
        x, y, right, down = corner
        header = placed(header, Placement((x, y), (right, 0.0), (0.0, 0.0 - down), system))
    return AsciiGrid(header, offset)


def _number(word: bytes) -> float:
    try:
        return float(word.replace(b",", b"."))
    except ValueError:
        raise CorruptError(f"its header says {word.decode('ascii', 'replace')!r:.20}") from None
