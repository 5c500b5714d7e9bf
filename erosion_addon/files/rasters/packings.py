# SPDX-License-Identifier: GPL-3.0-or-later
"""Packings and predictors of the blocks of a TIFF.

Sources: TIFF 6.0 (Adobe), sections 9, 13 and 14; Adobe Photoshop TIFF Technical Notes for Deflate;
Adobe TIFF Technical Note 3 for the floating-point predictor; libtiff for LZMA and ZSTD.
"""

import io
import lzma
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from ...base.errors import InputError
from ..headers.image_format import CorruptError

Array = np.ndarray[Any, Any]

REVERSED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))
"""Bytes with their bits in the other order."""
_MEMORY = 1 << 28
"""Most bytes that a decoder may take for its own tables."""
_HORIZONTAL = 2
_FLOATING_POINT = 3


def unpacked(packed: bytes, packing: int, length: int) -> bytes:
    """At most `length` bytes of a block packed by the method of tag 259; CorruptError if
    damaged.
    """
    if packing not in _UNPACK:
        raise CorruptError(f"its mask is packed by method {packing}")  # of pixels the header knows
    try:
        return _UNPACK[packing](packed, length)
    except (zlib.error, lzma.LZMAError, EOFError) as error:
        raise CorruptError(str(error)) from None


def numbers_of(
    content: bytes, shape: tuple[int, int, int], dtype: np.dtype[Any], predictor: int
) -> Array:
    """Numbers (rows, cols, channels) of an unpacked block; CorruptError if it is too short. dtype:
    with byte order.
    """
    rows, cols, channels = shape
    if len(content) < rows * cols * channels * dtype.itemsize:
        raise CorruptError("some of its pixels are missing")
    if predictor == _FLOATING_POINT:
        planes = np.frombuffer(content, np.uint8, rows * cols * channels * dtype.itemsize)
        planes = np.cumsum(planes.reshape(rows, -1, channels), axis=1, dtype=np.uint8)
        # Planes of bytes, the most significant first.
        numbers = np.moveaxis(planes.reshape(rows, dtype.itemsize, cols * channels), 1, 2)
        return np.ascontiguousarray(numbers).view(dtype.newbyteorder(">")).reshape(shape)
    numbers = np.frombuffer(content, dtype, rows * cols * channels).reshape(shape)
    if predictor == _HORIZONTAL:
        unsigned = f"u{dtype.itemsize}"
        sums = np.cumsum(
            numbers.view(dtype.byteorder + unsigned if dtype.itemsize > 1 else unsigned),
            axis=1,
            dtype=unsigned,
        )
        return sums.view(dtype.newbyteorder("="))
    return numbers


def _stored(packed: bytes, length: int) -> bytes:
    return packed[:length]


def _deflate(packed: bytes, length: int) -> bytes:
    return zlib.decompressobj().decompress(packed, length)


def _lzma(packed: bytes, length: int) -> bytes:
    return lzma.LZMADecompressor(memlimit=_MEMORY).decompress(packed, length)


def _zstd(packed: bytes, length: int) -> bytes:
    try:
        import zstandard
    except ImportError:
        raise InputError(
            "TIFFs compressed with ZSTD need the Python package zstandard, which comes with "
            "Blender: run pip install zstandard, or save the file with Deflate, in GDAL by "
            "gdal_translate -co COMPRESS=DEFLATE."
        ) from None
    try:
        with zstandard.ZstdDecompressor(max_window_size=_MEMORY).stream_reader(
            io.BytesIO(packed)
        ) as stream:
            return bytes(stream.read(length))
    except zstandard.ZstdError as error:
        raise CorruptError(str(error)) from None


def _lzw(packed: bytes, length: int) -> bytes:
    from .kernels.lzw import unpack_lzw

    output = np.empty(length, np.uint8)
    written = int(unpack_lzw(np.frombuffer(packed, np.uint8), output))
    if written < 0:
        raise CorruptError("its LZW codes are invalid")
    return output[:written].tobytes()


def _pack_bits(packed: bytes, length: int) -> bytes:
    output = bytearray()
    place = 0
    while place < len(packed) and len(output) < length:
        count = packed[place]
        if count < 128:
            output += packed[place + 1 : place + count + 2]
            place += count + 2
        else:
            output += packed[place + 1 : place + 2] * ((257 - count) % 129)
            place += 2 if count > 128 else 1
    return bytes(output[:length])


_UNPACK: dict[int, Callable[[bytes, int], bytes]] = {
    1: _stored,
    5: _lzw,
    8: _deflate,
    32773: _pack_bits,
    32946: _deflate,
    34925: _lzma,
    50000: _zstd,
}
