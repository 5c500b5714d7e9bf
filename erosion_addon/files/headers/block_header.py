# SPDX-License-Identifier: GPL-3.0-or-later
"""Headers of files whose numbers lie in one block: .bil, .bip, .bsq and .flt by their .hdr, .hgt by
its name, .pfm.

Sources: Esri, "BIL, BIP, and BSQ raster files", and GDAL's drivers EHdr and ENVI for words and
defaults; SRTM User's Guide (JPL); Paul Debevec's Portable FloatMap.
"""

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...base.errors import InputError, Sentence
from ..places.coordinate_text import system_in
from ..places.placement import GEOGRAPHIC, PROJECTED, Placement, System
from .image_format import CorruptError, ImageHeader
from .world_file import placed, system_beside, text_beside, with_surroundings

BLOCK_SUFFIXES = (".hgt", ".bil", ".bip", ".bsq", ".flt", ".pfm")
_ENVI_KINDS = {1: "u1", 2: "i2", 3: "i4", 4: "f4", 5: "f8", 12: "u2", 13: "u4"}
_KINDS = {"u1": "uint8", "u2": "uint16", "u4": "uint32", "i1": "int8", "i2": "int16", "i4": "int32"}
_KINDS |= {"f4": "float32", "f8": "float64"}
_VOID = -32768.0
"""Number of SRTM where nothing was measured."""
_CELL = re.compile(r"([NS])(\d{1,2})([EW])(\d{1,3})(?!\d)", re.IGNORECASE)
_SIDES = (7201, 3601, 1801, 1201)
"""Rows and columns of a degree that .hgt files are known to have."""
_GLOBE = System(GEOGRAPHIC, 1.0, 4326)
_LONGEST = 128
"""Bytes of the header of a .pfm file."""


class Block(NamedTuple):
    """Header of a file, and where its numbers lie. dtype: with byte order. offset: bytes before the
    first number. row_step, step: bytes from row to row, and from column to column.
    """

    header: ImageHeader
    dtype: np.dtype[np.generic]
    offset: int
    row_step: int
    step: int


def block_of(path: Path, size: int) -> Block:
    """Block of a file of `size` bytes; CorruptError if damaged, InputError if it cannot hold
    heights.
    """
    suffix = path.suffix.lower()
    if suffix == ".hgt":
        block = _srtm(path, size)
    elif suffix == ".pfm":
        block = _portable_floats(path)
    else:
        block = _described(path)
    rows = block.header.rows
    cols = block.header.cols
    if min(rows, cols) <= 0 or min(block.offset, block.row_step, block.step) < 0:
        raise CorruptError(f"it claims {rows} × {cols} cells")
    last = (
        block.offset + (rows - 1) * block.row_step + (cols - 1) * block.step + block.dtype.itemsize
    )
    if last > size:
        raise CorruptError(f"it claims {rows} × {cols} cells, {last} bytes, and has {size}")
    return block


def _srtm(path: Path, size: int) -> Block:
    """Block of a .hgt file, a tile of one degree named by its southwest corner."""
    count = size // 2
    side = math.isqrt(count)
    shapes = [(side, side), *((rows, cols) for rows in _SIDES for cols in _SIDES)]
    shape = next(
        (shape for shape in shapes if shape[0] * shape[1] * 2 == size and min(shape) > 1), None
    )
    if shape is None:
        raise InputError(
            "{path} has {size} bytes, which is not the size of an .hgt file; 3601 × 3601 "
            "heights take 25934402 bytes."
        ).format(path=path, size=size)
    rows, cols = shape
    header = ImageHeader(rows, cols, 1, "int16", no_data=_VOID, unit=1.0, byte_order="big")
    step = 1 / (rows - 1)
    corner = _CELL.match(path.stem)
    if corner:
        south = int(corner[2]) * (1 if corner[1] in "Nn" else -1)
        west = int(corner[4]) * (1 if corner[3] in "Ee" else -1)
        right = 1 / (cols - 1)
        # heights are points, also on the borders of the tile: pixels reach half a step beyond
        place = Placement(
            (west - right / 2, south + 1 + step / 2), (right, 0.0), (0.0, 0.0 - step), _GLOBE
        )
        header = placed(header, place)
    else:
        along = Placement((0.0, 0.0), (step, 0.0), (0.0, 0.0 - step), _GLOBE).spacing((0, 0))
        doubt = Sentence(
            "its name gives no location, such as N46E010.hgt; its cells count as cells at the "
            "equator."
        )
        header = header._replace(spacing=along, doubts=(doubt,))
    return Block(header, np.dtype(">i2"), 0, cols * 2, 2)


def _portable_floats(path: Path) -> Block:
    with path.open("rb") as stream:
        words = re.match(
            rb"(P[fF])\s+(\d{1,9})\s+(\d{1,9})\s+(-?[0-9.eE+-]+)\s", stream.read(_LONGEST)
        )
    if words is None:
        raise CorruptError("its header is invalid")
    if words[1] == b"PF":
        raise InputError("{path} is a color image; save the heights as grayscale.").format(
            path=path
        )
    cols = int(words[2])
    rows = int(words[3])
    scale = float(words[4])
    # a negative scale stands for little endian
    order = "little" if scale < 0 else "big"
    # rows of this format run from the bottom to the top
    header = ImageHeader(rows, cols, 1, "float32", byte_order=order, south_up=True)
    dtype = np.dtype("<f4" if scale < 0 else ">f4")
    return Block(with_surroundings(header, path), dtype, words.end(), cols * 4, 4)


def _described(path: Path) -> Block:
    """Block of a file with a .hdr beside it."""
    text = text_beside(path, ".hdr")
    if not text.strip():
        raise InputError(
            "{path} needs its header {stem}.hdr beside it; that file is missing or empty."
        ).format(path=path, stem=path.stem)
    return _envi(path, text) if text.lstrip().startswith("ENVI") else _esri(path, text)


def _esri(path: Path, text: str) -> Block:
    lines = (line.replace("=", " ").split() for line in text.splitlines())
    words = _Words(path, {line[0].lower(): line[1] for line in lines if len(line) > 1})
    rows = words.integer("nrows")
    cols = words.integer("ncols")
    bands = words.integer("nbands", 1)
    is_float = path.suffix.lower() == ".flt"
    bits = words.integer("nbits", 32 if is_float else 8)
    pixel = words.text("pixeltype").lower()
    remarks = []
    if is_float or pixel.startswith("f"):
        number = "f"
    elif pixel.startswith("u") or bits == 8:
        number = "u"
    else:
        number = "i"
    if not (pixel or is_float or bits == 8):
        remarks.append(
            Sentence(
                "its header does not say whether its numbers are signed; they count as signed."
            )
        )
    # I stands for Intel, M for Motorola
    order = "big" if words.text("byteorder").lower().startswith("m") else "little"
    dtype = _dtype(path, f"{number}{bits // 8}" if bits % 8 == 0 else "", order)
    no_data = words.number("nodata_value", words.number("nodata", None))
    header = ImageHeader(
        rows,
        cols,
        1,
        _KINDS[dtype.str[1:]],
        no_data=no_data,
        byte_order=order,
        remarks=tuple(remarks),
    )
    header = _placed_by_words(header, words, path)
    block = _block(path, header, dtype, words.integer("skipbytes", 0), bands)
    return block._replace(row_step=words.integer("totalrowbytes", block.row_step))


def _placed_by_words(header: ImageHeader, words: "_Words", path: Path) -> ImageHeader:
    corner = grid_corner(words.numbers, (header.rows, header.cols))
    system, unit = system_beside(path)
    header = header._replace(unit=unit)
    if corner is None:
        return with_surroundings(header, path)
    x, y, right, down = corner
    return placed(header, Placement((x, y), (right, 0.0), (0.0, 0.0 - down), system))


def grid_corner(
    words: Mapping[str, float], shape: tuple[int, int]
) -> tuple[float, float, float, float] | None:
    """Coordinates (x, y) of the upper left corner and steps (right, down) by the words of a grid;
    None without them.
    """
    right = words.get("xdim", words.get("dx", words.get("cellsize")))
    down = words.get("ydim", words.get("dy", words.get("cellsize")))
    if right is None or down is None or not (right > 0 and down > 0):
        return None
    # the middle of the first pixel; xllcorner and yllcorner are a corner of the last row
    if "ulxmap" in words and "ulymap" in words:
        return words["ulxmap"] - right / 2, words["ulymap"] + down / 2, right, down
    x = words.get("xllcorner", words.get("xllcenter", 0.0) - right / 2)
    y = words.get("yllcorner", words.get("yllcenter", 0.0) - down / 2)
    return x, y + shape[0] * down, right, down


def _envi(path: Path, text: str) -> Block:
    entries = re.findall(r"^([^=\n{}]+?)\s*=\s*(\{[^}]*\}|[^\n]*)", text, re.MULTILINE)
    words = _Words(path, {key.strip().lower(): value.strip() for key, value in entries})
    rows = words.integer("lines")
    cols = words.integer("samples")
    bands = words.integer("bands", 1)
    order = "big" if words.integer("byte order", 0) == 1 else "little"
    dtype = _dtype(path, _ENVI_KINDS.get(words.integer("data type"), ""), order)
    no_data = words.number("data ignore value", None)
    header = ImageHeader(rows, cols, 1, _KINDS[dtype.str[1:]], no_data=no_data, byte_order=order)
    return _block(
        path, _placed_by_map(header, words, path), dtype, words.integer("header offset", 0), bands
    )


def _placed_by_map(header: ImageHeader, words: "_Words", path: Path) -> ImageHeader:
    """Header placed by ENVI's map info: projection, column and row of a tie from 1, x, y, steps,
    and more.
    """
    fields = [field.strip() for field in words.text("map info").strip("{}").split(",")]
    try:
        col, row, x, y, right, down = (float(field) for field in fields[1:7])
    except ValueError:
        return with_surroundings(header, path)
    wkt = words.text("coordinate system string").strip("{} ")
    system, unit = system_in(wkt) if wkt else system_beside(path)
    if not wkt and fields[0].lower().startswith("geographic"):
        system = System(GEOGRAPHIC, 1.0, 4326 if "wgs-84" in words.text("map info").lower() else 0)
    elif not wkt and fields[0].lower() == "utm" and len(fields) > 8 and fields[7].isdecimal():
        south = "south" in fields[8].lower()
        wgs = "wgs-84" in words.text("map info").lower()
        # EPSG has a code for each zone of UTM on WGS 84
        system = System(PROJECTED, 1.0, (32700 if south else 32600) + int(fields[7]) if wgs else 0)
    if not all(map(math.isfinite, (col, row, x, y, right, down))) or right <= 0 or down <= 0:
        return header
    corner = x - (col - 1) * right, y + (row - 1) * down
    return placed(
        header._replace(unit=unit), Placement(corner, (right, 0.0), (0.0, 0.0 - down), system)
    )


def _block(
    path: Path, header: ImageHeader, dtype: np.dtype[np.generic], offset: int, bands: int
) -> Block:
    """Block of the only band; InputError for several."""
    if bands != 1:
        raise InputError("{path} has {bands} bands; save the heights alone in one.").format(
            path=path, bands=bands
        )
    return Block(header, dtype, offset, header.cols * dtype.itemsize, dtype.itemsize)


def _dtype(path: Path, kind: str, order: str) -> np.dtype[np.generic]:
    if kind not in _KINDS:
        raise InputError(
            "{path} holds an unsupported kind of number; save it with 16 or 32 bits."
        ).format(path=path)
    return np.dtype(("<" if order == "little" else ">") + kind)


class _Words:
    """Words of a .hdr file by key, in small letters."""

    def __init__(self, path: Path, words: Mapping[str, str]) -> None:
        self._path = path
        self._words = words

    @property
    def numbers(self) -> dict[str, float]:
        """Finite numbers by key."""
        numbers = {key: self.number(key, None) for key in self._words}
        return {
            key: value
            for key, value in numbers.items()
            if value is not None and math.isfinite(value)
        }

    def text(self, key: str) -> str:
        """Word of a key; empty without one."""
        return self._words.get(key, "")

    def number(self, key: str, default: float | None) -> float | None:
        """Number of a key, maybe with a comma; the default for anything else."""
        try:
            return float(self.text(key).replace(",", "."))
        except ValueError:
            return default

    def integer(self, key: str, default: int | None = None) -> int:
        """Whole number of a key; CorruptError for anything else, or if it is missing and has no
        default.
        """
        word = self.text(key)
        if word.strip().isdecimal() and len(word) < 12:
            return int(word)
        if word or default is None:
            raise CorruptError(
                f"its header says {key} {word!r:.20}" if word else f"its header lacks {key}"
            )
        return default
