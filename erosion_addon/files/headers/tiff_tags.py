# SPDX-License-Identifier: GPL-3.0-or-later
"""Directories of a TIFF file: tags and their values.

Sources: TIFF 6.0 (Adobe), BigTIFF (AWare).
"""

import struct
from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np

from .image_format import CorruptError, blocks

Tags = dict[int, np.ndarray[Any, Any]]

WIDTH = 256
LENGTH = 257
BITS = 258
PACKING = 259
COLORS = 262
SAMPLES = 277
NUMBERS = 339
PREDICTOR = 317
PLANES = 284
FILL_ORDER = 266
_SUBFILE = 254
_STRIPS = 273
_STRIP_BYTES = 279
_STRIP_ROWS = 278
_TILES = 324
_TILE_BYTES = 325
_TILE_WIDTH = 322
_TILE_LENGTH = 323
_REDUCED = 1
_MASK = 4
_MOST_TAGS = 4096
_MOST_DIRECTORIES = 64
_TEXT = 2
_DOUBLE = 12
_FIRST_PRIVATE = 32768
_TYPES = {1: "u1", _TEXT: "u1", 3: "u2", 4: "u4", _DOUBLE: "f8", 13: "u4", 16: "u8", 18: "u8"}


class Directory:
    """Directory of an image: tags, and the blocks of its pixels. order: "<" or ">"."""

    def __init__(self, tags: Tags, order: str) -> None:
        self.tags = tags
        self.order = order

    def one(self, tag: int, default: int | None = None) -> int:
        """First number of a tag; CorruptError if it is missing and has no default."""
        if tag not in self.tags and default is None:
            raise CorruptError(f"it lacks TIFF tag {tag}")
        return int(self.tags[tag][0]) if tag in self.tags else int(default or 0)

    def text(self, tag: int) -> str:
        """Characters of a tag up to the first zero; empty if it is missing."""
        return (
            self.tags.get(tag, np.empty(0, "u1"))
            .tobytes()
            .split(b"\0")[0]
            .decode("utf-8", "replace")
        )

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, cols)."""
        return self.one(LENGTH), self.one(WIDTH)

    @property
    def channels(self) -> int:
        """Samples of a pixel."""
        return self.one(SAMPLES, 1)

    @property
    def is_planar(self) -> bool:
        """Whether channels are stored in separate blocks."""
        return self.one(PLANES, 1) == 2 and self.channels > 1

    @property
    def is_mask(self) -> bool:
        """Whether this is the mask of the whole image, not of a smaller one."""
        return self.one(_SUBFILE, 0) & (_REDUCED | _MASK) == _MASK

    @property
    def is_tiled(self) -> bool:
        """Whether the blocks are tiles, else strips."""
        return _TILES in self.tags

    @property
    def block_shape(self) -> tuple[int, int]:
        """(rows, cols) of a tile, or of a strip."""
        if self.is_tiled:
            return self.one(_TILE_LENGTH), self.one(_TILE_WIDTH)
        return min(self.one(_STRIP_ROWS, self.shape[0]), self.shape[0]), self.shape[1]

    @property
    def blocks(self) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """Offsets and bytes of the blocks; both 0 where a block holds no data. CorruptError if some
        are missing.
        """
        names = (_TILES, _TILE_BYTES) if self.is_tiled else (_STRIPS, _STRIP_BYTES)
        offsets, counts = (self.tags.get(tag) for tag in names)
        if offsets is None or counts is None or len(offsets) != len(counts):
            raise CorruptError("it has no pixels")
        down, across = (
            blocks(side, block) for side, block in zip(self.shape, self.block_shape, strict=True)
        )
        if len(offsets) < down * across * (self.channels if self.is_planar else 1):
            raise CorruptError("some of its pixels are missing")
        if ((offsets == 0) != (counts == 0)).any() or not counts.any():
            raise CorruptError("some of its pixels are missing")
        return offsets, counts


def directories(stream: BinaryIO, size: int) -> Iterator[Directory]:
    """Directories of the images in a stream of `size` bytes, at most 64; CorruptError if damaged.

    Tags hold integers, texts and private doubles.
    """
    order = "<" if stream.read(2) == b"II" else ">"
    big = struct.unpack(order + "H", stream.read(2))[0] == 43
    if big:
        stream.read(4)
    pointer, width = (order + "Q", 8) if big else (order + "I", 4)
    (start,) = struct.unpack(pointer, stream.read(width))
    for _ in range(_MOST_DIRECTORIES):
        _seek(stream, start, size)
        (count,) = struct.unpack(order + ("Q" if big else "H"), stream.read(8 if big else 2))
        if not 0 < count <= _MOST_TAGS:
            raise CorruptError(f"it claims {count} TIFF tags")
        entries = stream.read((4 + 2 * width) * count)
        after = stream.read(width)
        yield Directory(_tags(stream, size, entries, order, pointer), order)
        start = struct.unpack(pointer, after)[0] if len(after) == width else 0
        if start == 0:
            return


def _tags(stream: BinaryIO, size: int, entries: bytes, order: str, pointer: str) -> Tags:
    tags = {}
    width = struct.calcsize(pointer)
    for start in range(0, len(entries), 4 + 2 * width):
        tag, kind = struct.unpack_from(order + "HH", entries, start)
        (length,) = struct.unpack_from(pointer, entries, start + 4)
        if kind not in _TYPES or length == 0 or (kind == _DOUBLE and tag < _FIRST_PRIVATE):
            continue
        dtype = np.dtype(order + _TYPES[kind])
        if length * dtype.itemsize > size:
            raise CorruptError(f"its TIFF tag {tag} is longer than the file")
        value = entries[start + 4 + width : start + 4 + 2 * width]
        if length * dtype.itemsize > width:
            _seek(stream, struct.unpack(pointer, value)[0], size)
            value = stream.read(length * dtype.itemsize)
        tags[tag] = np.frombuffer(value, dtype, length)
    return tags


def _seek(stream: BinaryIO, offset: int, size: int) -> None:
    """Go to a place in the file; CorruptError where that lies beyond its end, be it farther than a
    seek can reach.
    """
    if offset >= size:
        raise CorruptError("its end is missing")
    stream.seek(offset)
