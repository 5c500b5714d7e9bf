# SPDX-License-Identifier: GPL-3.0-or-later
"""Write a float32 TIFF.

Blender writes TIFF with 8 or 16 bits only, so the few bytes of a baseline file are put together here: the same file
inside Blender and without it. Source: TIFF 6.0 (Adobe), sections 2 and 3, and the SampleFormat extension.
"""

import struct
from pathlib import Path
from typing import Any

import numpy as np

from .errors import InputError

_SHORT, _LONG = 3, 4
_LARGEST = 2**32 - 1024  # offsets are 32-bit


def write_tiff(path: Path, pixels: np.ndarray[Any, Any]) -> None:
    """Write (rows, cols) values, row 0 at the bottom, as uncompressed little-endian float32 in one strip."""
    rows, cols = pixels.shape
    length = rows * cols * 4
    if length > _LARGEST:
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
    start = 8 + 2 + 12 * len(tags) + 4
    with path.open("wb") as stream:
        stream.write(struct.pack("<2sHIH", b"II", 42, 8, len(tags)))
        for tag, kind, value in tags:
            # A short fills the low half of the four bytes, as a little-endian long does.
            stream.write(struct.pack("<HHII", tag, kind, 1, start if tag == 273 else value))
        stream.write(struct.pack("<I", 0))
        stream.write(np.ascontiguousarray(pixels[::-1], "<f4").data)
