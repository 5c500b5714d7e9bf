# SPDX-License-Identifier: GPL-3.0-or-later
"""Header of a TIFF file: size and type of pixels, no-data value, and spacing.

Sources: TIFF 6.0 (Adobe), BigTIFF (AWare), GDAL's driver GTiff for the tag GDAL_NODATA, OGC GeoTIFF 1.1.
"""

import math
import struct
from typing import Any, BinaryIO

import numpy as np

from ...base.errors import InputError
from ...kernels.elementary import sincos
from .georeference import Georeference
from .image_format import CorruptError, ImageHeader, blocks

_TAG_LIMIT = 4096
_NO_DATA = 42113
_PIXEL_SCALE, _TIE_POINT, _MATRIX, _KEYS = 33550, 33922, 34264, 34735
_MODEL, _LENGTH_UNIT = 1024, 3076
_GEOGRAPHIC = 2
_UNITS = {9001: 1.0, 9002: 0.3048, 9003: 1200 / 3937}
"""Meters per unit of length: meter, international foot, survey foot."""
_DEGREE = math.tau * 6_371_008.8 / 360
"""Meters per degree along a meridian of the mean Earth."""
_TEXT, _DOUBLE = 2, 12
_FIRST_PRIVATE = 32768
_KINDS = {
    (1, 8): "uint8",
    (1, 16): "uint16",
    (1, 32): "uint32",
    (2, 16): "int16",
    (2, 32): "int32",
    (3, 16): "float16",
    (3, 32): "float32",
    (3, 64): "float64",
}
_TYPES = {1: "u1", _TEXT: "u1", 3: "u2", 4: "u4", _DOUBLE: "f8", 13: "u4", 16: "u8", 18: "u8"}


def tiff_header(stream: BinaryIO, size: int, name: str) -> ImageHeader:
    """Header of the TIFF in a stream of `size` bytes; CorruptError if damaged, InputError if it cannot hold heights."""
    tags = _tags(stream, size)

    def one(tag: int, default: int | None = None) -> int:
        if tag not in tags and default is None:
            raise CorruptError(f"it lacks TIFF tag {tag}")
        return int(tags[tag][0]) if tag in tags else int(default or 0)

    cols, rows, channels = one(256), one(257), one(277, 1)
    bits, formats = set(tags.get(258, np.ones(1)).tolist()), set(tags.get(339, np.ones(1)).tolist())
    kind = _KINDS.get((int(min(formats)), int(min(bits)))) if len(bits) == len(formats) == 1 else None
    if kind is None:
        raise InputError(f"{name} stores its TIFF pixels in a way that is not supported; save it with 16 or 32 bits.")
    if one(262, 1) > 2:
        raise InputError(f"{name} is a TIFF with a palette or a print color space; save it as grayscale.")
    if rows <= 0 or cols <= 0 or channels <= 0:
        raise CorruptError(f"it claims {rows} × {cols} pixels in {channels} channels")
    place = Georeference.of(tags, (rows, cols))
    header = ImageHeader(rows, cols, channels, kind, (), _number(tags.get(_NO_DATA)), _spacing(tags), place)

    tiled = 324 in tags
    offsets, counts = tags.get(324 if tiled else 273), tags.get(325 if tiled else 279)
    if offsets is None or counts is None or len(offsets) != len(counts):
        raise CorruptError("it has no pixels")
    if tiled:
        needed = blocks(cols, one(322)) * blocks(rows, one(323))
    else:
        needed = blocks(rows, min(one(278, rows), rows))
    if len(offsets) < needed * (channels if one(284, 1) == 2 else 1) or not offsets.all() or not counts.all():
        raise CorruptError("some of its pixels are missing")
    # As Python integers or floats: 64-bit offsets of a hostile file must not wrap around.
    if float((offsets.astype(float) + counts.astype(float)).max()) > size:
        raise CorruptError("its end is missing")
    stored = float(counts.astype(float).sum())
    if one(259, 1) == 1 and stored < header.cells * channels * min(bits) / 8:
        raise CorruptError(f"it claims {rows} × {cols} pixels but holds {stored:.0f} bytes of them")
    return header


def _tags(stream: BinaryIO, size: int) -> dict[int, np.ndarray[Any, Any]]:
    """Integers, texts and private numbers of the first directory by tag, as arrays of values or characters."""
    order = "<" if stream.read(2) == b"II" else ">"
    big = struct.unpack(order + "H", stream.read(2))[0] == 43
    if big:
        stream.read(4)
    pointer, width = (order + "Q", 8) if big else (order + "I", 4)
    _seek(stream, struct.unpack(pointer, stream.read(width))[0], size)
    (count,) = struct.unpack(order + ("Q" if big else "H"), stream.read(8 if big else 2))
    if not 0 < count <= _TAG_LIMIT:
        raise CorruptError(f"it claims {count} TIFF tags")
    entry = 4 + 2 * width
    directory = stream.read(entry * count)
    tags = {}
    for start in range(0, entry * count, entry):
        tag, kind = struct.unpack_from(order + "HH", directory, start)
        (length,) = struct.unpack_from(pointer, directory, start + 4)
        if kind not in _TYPES or length == 0 or (kind == _DOUBLE and tag < _FIRST_PRIVATE):
            continue
        dtype = np.dtype(order + _TYPES[kind])
        if length * dtype.itemsize > size:
            raise CorruptError(f"its TIFF tag {tag} is longer than the file")
        value = directory[start + 4 + width : start + entry]
        if length * dtype.itemsize > width:
            _seek(stream, struct.unpack(pointer, value)[0], size)
            value = stream.read(length * dtype.itemsize)
        tags[tag] = np.frombuffer(value, dtype, length)
    return tags


def _seek(stream: BinaryIO, offset: int, size: int) -> None:
    """Go to a place in the file; CorruptError where that lies beyond its end, be it farther than a seek can reach."""
    if offset >= size:
        raise CorruptError("its end is missing")
    stream.seek(offset)


def _number(characters: np.ndarray[Any, Any] | None) -> float | None:
    """Number in a text, such as -9999 or nan; None if there is none."""
    if characters is None:
        return None
    try:
        return float(characters.tobytes().split(b"\0")[0])
    except ValueError:
        return None


def _spacing(tags: dict[int, np.ndarray[Any, Any]]) -> tuple[float, float] | None:
    """(row, col) meters between pixels of a GeoTIFF, by its scale or its matrix; None if unknown. Degrees are converted
    at the tie point, or the first pixel."""
    scale, matrix, keys = (tags.get(tag, np.empty(0)) for tag in (_PIXEL_SCALE, _MATRIX, _KEYS))
    if len(scale) >= 2 and scale.dtype.kind == "f":
        steps = ((float(scale[0]), 0.0), (0.0, float(scale[1])))  # x and y from column to column, from row to row
        tie = tags.get(_TIE_POINT, np.empty(0))
        north = float(tie[4]) if len(tie) >= 5 else math.nan
    elif len(matrix) == 16 and matrix.dtype.kind == "f":
        steps = ((float(matrix[0]), float(matrix[4])), (float(matrix[1]), float(matrix[5])))
        north = float(matrix[7])
    else:
        return None
    # Keys come in fours: name, where the value is (0: here), count, value.
    parts = (keys.tolist()[i::4] for i in range(4))
    known = {key: value for key, place, _, value in zip(*parts, strict=False) if place == 0}
    if known.get(_MODEL) == _GEOGRAPHIC:
        if not abs(north) < 89:
            return None
        x, y = _DEGREE * float(sincos(math.radians(north))[1]), _DEGREE
    else:
        x = y = _UNITS.get(known.get(_LENGTH_UNIT, 9001), math.nan)
    across, along = (math.sqrt(x * right * x * right + y * up * y * up) for right, up in steps)
    return (along, across) if 1e-6 <= across <= 1e6 and 1e-6 <= along <= 1e6 else None
