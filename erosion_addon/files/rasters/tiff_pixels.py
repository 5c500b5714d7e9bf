# SPDX-License-Identifier: GPL-3.0-or-later
"""Pixels of a TIFF: blocks of strips or tiles, unpacked where a window needs them."""

import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ...base.memory import require_to_unpack
from ..headers.image_format import CorruptError
from ..headers.tiff_header import alpha_channel, is_mask_for, kind_of, mask_beside, mask_of
from ..headers.tiff_tags import BITS, FILL_ORDER, PACKING, PREDICTOR, Directory, directories
from .packings import REVERSED, numbers_of, unpacked

Array = np.ndarray[Any, Any]
_CACHE = 1 << 28
"""Most bytes of blocks kept for the next window."""
_LARGE = 1 << 24
"""Bytes of a block for which free memory is asked, which takes longer than unpacking a small
one.
"""


class TiffPixels:
    """Pixels of a TIFF with a valid header. source: its path or its bytes. images: its
    directories.
    """

    def __init__(self, source: Path | bytes, images: Sequence[Directory]) -> None:
        self._source = source
        first, *rest = images
        self._shape = first.shape
        self._alpha = alpha_channel(first)
        self._image = _Blocks(first)
        masks = [(directory, source) for directory in rest if mask_of(directory, first)]
        if isinstance(source, Path) and (beside := mask_beside(source)):
            masks += [
                (directory, beside)
                for directory in _directories(beside)[:1]
                if is_mask_for(directory, first)
            ]
        self._masks = [(_Blocks(mask), place) for mask, place in masks]

    def read(self, top: int, bottom: int, left: int, right: int) -> tuple[Array, Array | None]:
        """(rows, cols, channels) of a window in stored order, without alpha; and where there is
        data, None for everywhere. CorruptError if damaged.
        """
        with _opened(self._source) as stream:
            numbers, valid = self._image.read(stream, top, bottom, left, right)
        for mask, place in self._masks:
            with _opened(place) as stream:
                mask_valid = mask.read(stream, top, bottom, left, right)[0][..., 0] != 0
            valid = mask_valid if valid is None else valid & mask_valid
        if self._alpha is not None:
            mask_valid = numbers[..., self._alpha] > 0
            valid = mask_valid if valid is None else valid & mask_valid
            last = self._alpha == numbers.shape[2] - 1
            numbers = numbers[..., :-1] if last else np.delete(numbers, self._alpha, axis=2)
        return numbers, valid

    def channels(self) -> Array:
        """All channels, (rows, cols, channels) float32 in stored order: unsigned integers as 0–1,
        signed ones as −1–1, floats as they are.
        """
        with _opened(self._source) as stream:
            numbers, _ = self._image.read(stream, 0, self._shape[0], 0, self._shape[1])
        white = np.iinfo(numbers.dtype).max if numbers.dtype.kind in "ui" else 1
        with np.errstate(over="ignore", invalid="ignore"):
            return (numbers / white if white > 1 else numbers).astype(np.float32)


def _opened(source: Path | bytes) -> BinaryIO:
    return io.BytesIO(source) if isinstance(source, bytes) else source.open("rb")


def _directories(path: Path) -> list[Directory]:
    with path.open("rb") as stream:
        size = stream.seek(0, io.SEEK_END)
        stream.seek(0)
        return list(directories(stream, size))


class _Blocks:
    """Blocks of one image of the file."""

    def __init__(self, directory: Directory) -> None:
        self._directory = directory
        self._bits = directory.one(BITS, 1)
        if self._bits == 1:
            self._dtype = np.dtype("u1")
        else:
            self._dtype = np.dtype(directory.order + np.dtype(kind_of(directory)).str[1:])
        self._offsets, self._counts = directory.blocks
        self._cache: dict[int, Array] = {}
        self._cache_bytes = 0

    def read(
        self, stream: BinaryIO, top: int, bottom: int, left: int, right: int
    ) -> tuple[Array, Array | None]:
        """(rows, cols, channels) of a window, and where there are blocks, None for everywhere."""
        shape = bottom - top, right - left
        numbers = np.zeros((*shape, self._directory.channels), self._dtype.newbyteorder("="))
        valid = None if self._counts.all() else np.ones(shape, np.bool_)
        for number, channel, (row, col), (rows, cols) in self._touched(top, bottom, left, right):
            inside = (
                slice(max(row, top), min(row + rows, bottom)),
                slice(max(col, left), min(col + cols, right)),
            )
            target = tuple(
                slice(part.start - at, part.stop - at)
                for part, at in zip(inside, (top, left), strict=True)
            )
            source = tuple(
                slice(part.start - at, part.stop - at)
                for part, at in zip(inside, (row, col), strict=True)
            )
            if not self._counts[number]:
                if valid is not None:
                    valid[target] = False
                continue
            is_complete = all(
                part.stop - part.start == side
                for part, side in zip(inside, (rows, cols), strict=True)
            )
            block = self._block(stream, number, (rows, cols), keep=not is_complete)
            numbers[(*target, channel)] = block[source]
        return numbers, valid

    def _touched(
        self, top: int, bottom: int, left: int, right: int
    ) -> Iterator[tuple[int, slice, tuple[int, int], tuple[int, int]]]:
        """Number, channels, place (row, col) and size (rows, cols) of the blocks in a window."""
        (rows, cols), (high, wide) = self._directory.shape, self._directory.block_shape
        across = -(-cols // wide)
        down = -(-rows // high)
        planes = self._directory.channels if self._directory.is_planar else 1
        for plane in range(planes):
            channel = slice(plane, plane + 1) if planes > 1 else slice(None)
            for block_row in range(top // high, -(-bottom // high)):
                for block_col in range(left // wide, -(-right // wide)):
                    place = block_row * high, block_col * wide
                    size = min(high, rows - place[0]), min(wide, cols - place[1])
                    yield (plane * down + block_row) * across + block_col, channel, place, size

    def _block(self, stream: BinaryIO, number: int, size: tuple[int, int], keep: bool) -> Array:
        """Block (rows, cols, channels); tiles are stored whole, beyond the border too, strips
        without.
        """
        if number in self._cache:
            return self._cache[number]
        directory, (high, wide) = self._directory, self._directory.block_shape
        rows = high if directory.is_tiled else size[0]
        channels = 1 if directory.is_planar else directory.channels
        length = rows * (-(-wide * channels * self._bits // 8))
        count = int(self._counts[number])
        if length > _LARGE:
            require_to_unpack(
                length * 3, length, count, f"Reading {getattr(stream, 'name', 'the image')}"
            )
        stream.seek(int(self._offsets[number]))
        packed = stream.read(count)
        if directory.one(FILL_ORDER, 1) == 2:
            packed = packed.translate(REVERSED)
        content = unpacked(packed, directory.one(PACKING, 1), length)
        if self._bits == 1:
            content = _bits(content, rows, length, wide * channels)
        block = numbers_of(
            content, (rows, wide, channels), self._dtype, directory.one(PREDICTOR, 1)
        )
        if keep:
            while self._cache and self._cache_bytes + block.nbytes > _CACHE:
                self._cache_bytes -= self._cache.pop(next(iter(self._cache))).nbytes
            self._cache[number] = block
            self._cache_bytes += block.nbytes
        return block


def _bits(content: bytes, rows: int, length: int, wide: int) -> bytes:
    """Bytes of 0 and 1 from rows of bits."""
    if len(content) < length:
        raise CorruptError("some of its pixels are missing")
    return np.unpackbits(
        np.frombuffer(content, np.uint8).reshape(rows, -1), axis=1, count=wide
    ).tobytes()
