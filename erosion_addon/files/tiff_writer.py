# SPDX-License-Identifier: GPL-3.0-or-later
"""Write a float32 TIFF.

Blender writes TIFF with 8 or 16 bits only, so the few bytes of a baseline file are put together here: the same file
inside Blender and without it. Sources: TIFF 6.0 (Adobe), sections 2 and 3, and the SampleFormat extension; OGC GeoTIFF
1.1 for the meters between points.
"""

import struct
from pathlib import Path
from typing import Any

import numpy as np

from ..base.errors import InputError

_SHORT, _LONG, _DOUBLE = 3, 4, 12
LARGEST = 2**32 - 1024
"""Bytes of the values: offsets are 32-bit."""


def write_tiff(path: Path, pixels: np.ndarray[Any, Any], spacing: tuple[float, float] | None = None) -> None:
    """Write (rows, cols) values, row 0 at the bottom, as uncompressed little-endian float32 in one strip.

    spacing: (row, col) meters between points, told by the tags of a GeoTIFF: a plane without a place on Earth.
    """
    rows, cols = pixels.shape
    length = rows * cols * 4
    if length > LARGEST:
        raise InputError(f"{rows} × {cols} cells are too many for a TIFF; write .exr or .npy instead.")
    tags = [
        (256, _LONG, cols),  # ImageWidth
        (257, _LONG, rows),  # ImageLength
        (258, _SHORT, 32),  # BitsPerSample
        (259, _SHORT, 1),  # Compression: none
        (262, _SHORT, 1),  # PhotometricInterpretation: black is zero
        (273, _LONG, 0),  # StripOffsets, filled in below
        (277, _SHORT, 1),  # SamplesPerPixel
        (278, _LONG, rows),  # RowsPerStrip
        (279, _LONG, length),  # StripByteCounts
        (339, _SHORT, 3),  # SampleFormat: IEEE float
    ]
    lists = _geotiff(spacing, rows) if spacing else []
    end = 8 + 2 + 12 * (len(tags) + len(lists)) + 4
    start = end + sum(len(data) for *_, data in lists)
    with path.open("wb") as stream:
        stream.write(struct.pack("<2sHIH", b"II", 42, 8, len(tags) + len(lists)))
        for tag, kind, value in tags:
            # A short fills the low half of the four bytes, as a little-endian long does.
            stream.write(struct.pack("<HHII", tag, kind, 1, start if tag == 273 else value))
        for tag, kind, count, data in lists:
            stream.write(struct.pack("<HHII", tag, kind, count, end))
            end += len(data)
        stream.write(struct.pack("<I", 0))
        for *_, data in lists:
            stream.write(data)
        stream.write(np.ascontiguousarray(pixels[::-1], "<f4").data)


def _geotiff(spacing: tuple[float, float], rows: int) -> list[tuple[int, int, int, bytes]]:
    """Tag, type, count and data of the GeoTIFF entries: spacing in meters (row, column), bottom left point at 0, 0."""
    scale, tie = (spacing[1], spacing[0], 0.0), (0.0, rows - 1.0, 0.0, 0.0, 0.0, 0.0)
    # Version 1.1.0 and three keys: projected, values are at points, and in meters.
    keys = (1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 2, 3076, 0, 1, 9001)
    return [
        (33550, _DOUBLE, len(scale), struct.pack("<3d", *scale)),
        (33922, _DOUBLE, len(tie), struct.pack("<6d", *tie)),
        (34735, _SHORT, len(keys), struct.pack("<16H", *keys)),
    ]
