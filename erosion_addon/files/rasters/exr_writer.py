# SPDX-License-Identifier: GPL-3.0-or-later
"""Writer of float32 OpenEXR files.

The worker has neither Blender nor OpenImageIO. The file is the same from Blender, from its worker
and from the command line. Source: OpenEXR file layout and technical introduction (Academy Software
Foundation): scan lines, ZIP.
"""

import struct
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

_ZIP = 3
_FLOAT = 2
_LINES = 16
"""Scan lines of a block with ZIP compression."""

_LEVEL = 1
"""Effort of the compression. More makes heights no smaller: their last bits are noise."""


def write_exr(path: Path, pixels: np.ndarray[Any, Any]) -> None:
    """Write (rows, cols) gray pixels or (rows, cols, 3) linear colors, row 0 at the bottom. OSError
    if that fails.
    """
    rows, cols = pixels.shape[:2]
    names = "Y" if pixels.ndim == 2 else "BGR"  # channels lie in alphabetical order
    lines = np.ascontiguousarray(
        pixels[::-1].reshape(rows, cols, -1)[..., ::-1].swapaxes(1, 2), "<f4"
    )
    blocks = [lines[start : start + _LINES] for start in range(0, rows, _LINES)]
    with ThreadPoolExecutor() as threads:
        packed = list(threads.map(_packed, blocks))
    head = _header(rows, cols, names)
    offset = len(head) + 8 * len(blocks)
    table = []
    for block in packed:
        table.append(offset)
        offset += 8 + len(block)
    with path.open("wb") as stream:
        stream.write(head + struct.pack(f"<{len(table)}Q", *table))
        for number, block in enumerate(packed):
            stream.write(struct.pack("<ii", number * _LINES, len(block)) + block)


def _header(rows: int, cols: int, names: str) -> bytes:
    window = struct.pack("<4i", 0, 0, cols - 1, rows - 1)
    channels = (
        b"".join(struct.pack("<2siB3xii", name.encode(), _FLOAT, 0, 1, 1) for name in names) + b"\0"
    )
    attributes: Iterator[tuple[str, str, bytes]] = iter(
        (
            ("channels", "chlist", channels),
            ("compression", "compression", bytes([_ZIP])),
            ("dataWindow", "box2i", window),
            ("displayWindow", "box2i", window),
            ("lineOrder", "lineOrder", b"\0"),
            ("pixelAspectRatio", "float", struct.pack("<f", 1.0)),
            ("screenWindowCenter", "v2f", struct.pack("<2f", 0.0, 0.0)),
            ("screenWindowWidth", "float", struct.pack("<f", 1.0)),
        )
    )
    entries = (
        f"{name}\0{kind}\0".encode() + struct.pack("<i", len(value)) + value
        for name, kind, value in attributes
    )
    return struct.pack("<ii", 20000630, 2) + b"".join(entries) + b"\0"


def _packed(block: np.ndarray[Any, Any]) -> bytes:
    """Bytes of a block: every second byte apart, differences of neighbors, deflated; as they are if
    that is no less.
    """
    raw = np.frombuffer(block.tobytes(), np.uint8)
    apart = np.concatenate([raw[::2], raw[1::2]])
    # differences of bytes wrap around, as the format wants
    apart[1:] = np.diff(apart) + np.uint8(128)
    small = zlib.compress(apart.tobytes(), _LEVEL)
    return small if len(small) < len(raw) else raw.tobytes()
