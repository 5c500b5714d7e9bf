# SPDX-License-Identifier: GPL-3.0-or-later
"""Writer of float32 TIFF files.

Blender writes TIFF with 8 or 16 bits only; this baseline file is the same inside and outside
Blender. Sources: TIFF 6.0 (Adobe), sections 2 and 3, and the SampleFormat extension; BigTIFF
(AWare) for files beyond 32-bit offsets; OGC GeoTIFF 1.1 for the georeference.
"""

import struct
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..headers.georeference import Georeference
from ..places.units import name_of

_SHORT = 3
_LONG = 4
_DOUBLE = 12
_LONG_8 = 16
_TYPES = {"u1": 2, "u2": _SHORT, "f8": _DOUBLE}
_METADATA, _NO_DATA = 42112, 42113
"""GDAL's tags."""
_UNIT = '<GDALMetadata><Item name="UNITTYPE" sample="0" role="unittype">{}</Item></GDALMetadata>'
_NO_DATA_NUMBER = -9999.0
CLASSIC = 2**32 - 2**20
"""Bytes of values that 32-bit offsets can address; larger files are BigTIFF."""


class Tags(NamedTuple):
    """Meaning of the values of a TIFF.

    georeference: of the values. spacing: (row, col) meters between points, written in its absence.
    missing: where there is no data. is_elevation: whether the values are heights in meters, written
    in the unit of the georeference.
    """

    spacing: tuple[float, float] | None = None
    georeference: Georeference | None = None
    missing: np.ndarray[Any, Any] | None = None
    is_elevation: bool = False


def write_tiff(path: Path, pixels: np.ndarray[Any, Any], meaning: Tags) -> None:
    """Write (rows, cols) values, row 0 at the bottom, as uncompressed little-endian float32 in one
    strip.
    """
    spacing, georeference, missing, is_elevation = meaning
    texts = {}
    if is_elevation:
        unit = georeference.unit if georeference else 1.0
        pixels = pixels / unit if unit != 1.0 else pixels
        texts[_METADATA] = _UNIT.format(name_of(unit))
    if missing is not None and missing.any():
        if float(pixels.min()) > _NO_DATA_NUMBER:
            number = _NO_DATA_NUMBER
        else:
            number = float(np.finfo(np.float32).min)
        pixels = np.where(missing, number, pixels)
        texts[_NO_DATA] = f"{number:.17g}"
    rows, cols = pixels.shape
    length = rows * cols * 4
    big = length > CLASSIC
    offset = _LONG_8 if big else _LONG
    tags: list[tuple[int, int, Any]] = [
        (256, _LONG, cols),  # ImageWidth
        (257, _LONG, rows),  # ImageLength
        (258, _SHORT, 32),  # BitsPerSample
        (259, _SHORT, 1),  # Compression: none
        (262, _SHORT, 1),  # PhotometricInterpretation: black is zero
        (273, offset, 0),  # StripOffsets, filled in below
        (277, _SHORT, 1),  # SamplesPerPixel
        (278, _LONG, rows),  # RowsPerStrip
        (279, offset, length),  # StripByteCounts
        (339, _SHORT, 3),  # SampleFormat: IEEE float
    ]
    if georeference:
        lists = georeference.entries()
    else:
        lists = _plane(spacing, rows) if spacing else []
    lists += [
        (tag, np.frombuffer(text.encode("ascii") + b"\0", "u1"))
        for tag, text in sorted(texts.items())
    ]
    with path.open("wb") as stream:
        stream.write(_directory(tags, lists, big))
        stream.write(np.ascontiguousarray(pixels[::-1], "<f4").data)


def _directory(
    tags: list[tuple[int, int, Any]], lists: list[tuple[int, np.ndarray[Any, Any]]], big: bool
) -> bytes:
    """Bytes before the values: header, tags with one number, and tags with several and their
    data.
    """
    pointer, width = ("Q", 8) if big else ("I", 4)
    if big:
        head = struct.pack("<2sHHHQ", b"II", 43, 8, 0, 16)
    else:
        head = struct.pack("<2sHI", b"II", 42, 8)
    head += struct.pack("<Q" if big else "<H", len(tags) + len(lists))
    data = b"".join(
        values.tobytes().ljust(-(-values.nbytes // 8) * 8, b"\0") for _, values in lists
    )
    end = len(head) + (4 + 2 * width) * (len(tags) + len(lists)) + width
    for tag, kind, value in tags:
        # A short fills the low bytes of its place, as a little-endian number of the place's width
        # does.
        head += struct.pack(
            f"<HH{pointer}{pointer}", tag, kind, 1, end + len(data) if tag == 273 else value
        )
    for tag, values in lists:
        if values.nbytes <= width:
            offset = values.tobytes().ljust(width, b"\0")
        else:
            offset = struct.pack(f"<{pointer}", end)
        head += (
            struct.pack(f"<HH{pointer}", tag, _TYPES[values.dtype.str[1:]], len(values)) + offset
        )
        end += -(-values.nbytes // 8) * 8
    return head + bytes(width) + data


def _plane(spacing: tuple[float, float], rows: int) -> list[tuple[int, np.ndarray[Any, Any]]]:
    """GeoTIFF tags that hold the meters between points (row, column) only, the bottom left point at
    0, 0.
    """
    # Version 1.1.0 and three keys: projected, values are at points, and in meters.
    keys = (1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 2, 3076, 0, 1, 9001)
    return [
        (33550, np.array((spacing[1], spacing[0], 0.0), "<f8")),
        (33922, np.array((0.0, rows - 1.0, 0.0, 0.0, 0.0, 0.0), "<f8")),
        (34735, np.array(keys, "<u2")),
    ]
