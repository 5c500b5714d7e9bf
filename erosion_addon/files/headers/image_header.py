# SPDX-License-Identifier: GPL-3.0-or-later
"""Header of an image file, checked before anything is allocated.

Libraries silently fill the missing part of some truncated files with zeros (Blender does for TIFF),
so the header is compared with the size of the file: pixel data that the file cannot contain is
refused here.

Sources: PNG specification (W3C), OpenEXR file layout (Academy Software Foundation).
"""

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from ...base.errors import InputError, unreadable
from ...base.regular_files import kind_of
from .ascii_grid import AsciiGrid, ascii_grid
from .block_header import BLOCK_SUFFIXES, Block, block_of
from .gdal_header import GDAL_SUFFIXES, gdal_header, has_gdal
from .image_format import CorruptError, ImageHeader, UnknownPackingError, blocks
from .tiff_header import TiffImage, mask_beside, tiff_image
from .world_file import with_surroundings

__all__ = (
    "FileHeader",
    "ImageHeader",
    "PlainImage",
    "damage_in",
    "file_header",
    "file_size",
    "parse_header",
    "read_header",
)

_EXR_HEADER_LIMIT = 1 << 20
_DEFLATE_RATIO = 1032  # deflate cannot pack better than this

_EXR_KINDS = {1: "float16", 2: "float32"}
_EXR_CHANNELS = ({"A", "Y"}, {"B", "G", "R"}, {"A", "B", "G", "R"})
_EXR_ROWS_PER_CHUNK = (1, 1, 1, 16, 32, 16, 32, 32, 32, 256, 256, 32)


class PlainImage(NamedTuple):
    """Header of an image whose pixels a library reads."""

    header: ImageHeader


FileHeader = TiffImage | Block | AsciiGrid | PlainImage
"""Header of a file, with all data needed to read its numbers."""


def read_header(path: str | Path) -> ImageHeader:
    """Header of an image or a raster, see `file_header`."""
    return file_header(path).header


def file_header(path: str | Path) -> FileHeader:
    """Header of an image or a raster; InputError if it has none, or its pixels cannot be
    heights.
    """
    path = Path(path)
    size = file_size(path)
    suffix = path.suffix.lower()
    try:
        with damage_in(str(path)):
            if suffix in BLOCK_SUFFIXES:
                return block_of(path, size)
            if suffix == ".asc":
                return ascii_grid(path, size)
        if suffix in GDAL_SUFFIXES:
            return PlainImage(gdal_header(path))
        with path.open("rb") as stream:
            image = parse_header(stream, size, str(path))
        header = with_surroundings(image.header, path)
        has_mask = header.mask_band or (
            suffix in (".tif", ".tiff") and mask_beside(path) is not None
        )
        return image._replace(header=header._replace(mask_band=has_mask))
    except UnknownPackingError:
        if has_gdal():
            return PlainImage(gdal_header(path))
        raise
    except OSError as error:
        raise unreadable(path, error) from error


@contextmanager
def damage_in(name: str) -> Iterator[None]:
    """Raise InputError for bytes of a file that contradict its format."""
    try:
        yield
    except InputError:
        raise
    except (CorruptError, struct.error, ValueError, IndexError) as error:
        why = str(error) if isinstance(error, CorruptError) else "its header is invalid"
        raise InputError("{name} is damaged or cut off: {reason}; save it again.").format(
            name=name, reason=why
        ) from error


def file_size(path: Path) -> int:
    """Bytes in a regular file; InputError for anything else, so that no pipe or device is ever
    opened.
    """
    try:
        str(path).encode()
        status = path.stat()
    except FileNotFoundError:
        raise InputError("{path} does not exist.").format(path=path) from None
    except OSError as error:
        raise unreadable(path, error) from error
    except ValueError:
        raise InputError("{path} is not a usable file name; rename the file.").format(
            path=repr(str(path))
        ) from None
    if kind := kind_of(path):
        raise InputError("{path} is {kind}, not a file.").format(path=path, kind=kind)
    if status.st_size == 0:
        raise InputError("{path} is empty.").format(path=path)
    return status.st_size


def parse_header(stream: BinaryIO, size: int, name: str) -> TiffImage | PlainImage:
    """Header of the image in a stream of `size` bytes; `name` stands for it in messages."""
    magic = stream.read(4)
    stream.seek(0)
    with damage_in(name):
        image: TiffImage | PlainImage
        if magic == b"\x89PNG":
            image = PlainImage(_png(stream, size, name))
        elif magic in (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"):
            image = tiff_image(stream, size, name)
        elif magic == b"v/1\x01":
            image = PlainImage(_exr(stream, size, name))
        else:
            raise InputError(
                "{name} is not a PNG, TIFF or EXR image; convert it to one of these."
            ).format(name=name)
        header = image.header
        if header.rows <= 0 or header.cols <= 0:
            raise CorruptError(f"it claims {header.rows} × {header.cols} pixels")
    if header.channels > 4:
        raise InputError(
            "{name} has {channels} channels; save the heights alone as a gray image."
        ).format(name=name, channels=header.channels)
    return image


def _png(stream: BinaryIO, size: int, name: str) -> ImageHeader:
    signature, length, tag = struct.unpack(">8sI4s", stream.read(16))
    cols, rows, bits, color, _, _, _ = struct.unpack(">IIBBBBB", stream.read(13))
    if (
        signature != b"\x89PNG\r\n\x1a\n"
        or tag != b"IHDR"
        or length != 13
        or bits not in (1, 2, 4, 8, 16)
    ):
        raise CorruptError("its header is invalid")
    if color == 3:
        raise InputError(
            "{name} is a PNG with a palette, whose numbers are not heights; save it as grayscale."
        ).format(name=name)
    channels = {0: 1, 2: 3, 4: 2, 6: 4}.get(color)
    if channels is None:
        raise CorruptError(f"there is no PNG color type {color}")
    stored = 0
    position = 8
    while tag != b"IEND":
        stream.seek(position)
        chunk = stream.read(8)
        if len(chunk) < 8:
            raise CorruptError("its end is missing")
        length, tag = struct.unpack(">I4s", chunk)
        stored += length if tag == b"IDAT" else 0
        position += length + 12
        if position > size:
            raise CorruptError("its end is missing")
    if rows * ((cols * channels * bits + 7) // 8 + 1) > _DEFLATE_RATIO * stored:
        raise CorruptError(f"it claims {rows} × {cols} pixels but holds {stored} bytes of them")
    return ImageHeader(rows, cols, channels, "uint16" if bits == 16 else "uint8")


def _exr(stream: BinaryIO, size: int, name: str) -> ImageHeader:
    data = stream.read(_EXR_HEADER_LIMIT)
    (version,) = struct.unpack_from("<I", data, 4)
    if version & 0x1800:
        raise InputError(
            "{name} is an EXR with several parts or deep pixels; save one flat layer of heights."
        ).format(name=name)
    attributes, table = _exr_attributes(data)
    if not {"channels", "dataWindow", "compression"} <= attributes.keys():
        raise CorruptError("its header lacks channels or size")
    channels = _exr_channels(attributes["channels"])
    names = tuple(channels)
    if any("." in channel for channel in names):
        raise InputError(
            "{name} is an EXR with layers ({names}); save one flat layer of heights."
        ).format(name=name, names=", ".join(names[:4]))
    if len(names) != 1 and set(names) not in _EXR_CHANNELS:
        raise InputError(
            "{name} has the channels {names}; save the heights alone in one channel."
        ).format(name=name, names=", ".join(names[:8]))
    if any((x_sampling, y_sampling) != (1, 1) for _, x_sampling, y_sampling in channels.values()):
        raise InputError(
            "{name} is an EXR with subsampled channels; save the heights at full resolution."
        ).format(name=name)
    kinds = {kind for kind, _, _ in channels.values()}
    if not kinds <= _EXR_KINDS.keys():
        raise InputError(
            "{name} is an EXR of integers, which Blender does not read exactly; save it as float."
        ).format(name=name)

    left, low, right, high = struct.unpack("<iiii", attributes["dataWindow"])
    header = ImageHeader(
        high - low + 1, right - left + 1, len(names), _EXR_KINDS[max(kinds)], names
    )
    if header.rows > 0 and header.cols > 0:
        _check_exr_chunks(stream, size, table, header, attributes, tiled=bool(version & 0x200))
    return header


def _exr_attributes(data: bytes) -> tuple[dict[str, bytes], int]:
    """Attributes by name, and where the header ends."""
    attributes: dict[str, bytes] = {}
    position = 8
    while data[position] != 0:
        end = data.index(0, position)
        key = data[position:end].decode("latin-1")
        position = data.index(0, end + 1) + 1
        (length,) = struct.unpack_from("<I", data, position)
        attributes[key] = data[position + 4 : position + 4 + length]
        position += 4 + length
    return attributes, position + 1


def _exr_channels(data: bytes) -> dict[str, tuple[int, int, int]]:
    """Type and horizontal and vertical sampling by channel name."""
    channels = {}
    position = 0
    while data[position] != 0:
        end = data.index(0, position)
        kind, _, x_sampling, y_sampling = struct.unpack_from("<iIii", data, end + 1)
        channels[data[position:end].decode("latin-1")] = (kind, x_sampling, y_sampling)
        position = end + 17
    return channels


def _check_exr_chunks(
    stream: BinaryIO,
    size: int,
    table: int,
    header: ImageHeader,
    attributes: dict[str, bytes],
    *,
    tiled: bool,
) -> None:
    """Raise CorruptError where the file has fewer chunks of pixels than its size needs, or ends
    within one.
    """
    if tiled:
        tile_cols, tile_rows = (
            struct.unpack_from("<II", attributes["tiles"]) if "tiles" in attributes else (0, 0)
        )
        count = blocks(header.cols, tile_cols) * blocks(header.rows, tile_rows)
    else:
        count = blocks(header.rows, _EXR_ROWS_PER_CHUNK[attributes["compression"][0]])
    if table + 8 * count > size:
        raise CorruptError(f"it claims {header.rows} × {header.cols} pixels but holds {size} bytes")
    stream.seek(table)
    offsets = np.frombuffer(stream.read(8 * count), "<u8")
    head = 20 if tiled else 8  # coordinates, then the chunk's length
    if offsets.all():
        _chunk_end(stream, size, int(offsets.max()), head)
    else:
        # Blender packs images with an empty table; readers then look for the chunks one after the
        # other, as here.
        position = table + 8 * count
        for _ in range(count):
            position = _chunk_end(stream, size, position, head)


def _chunk_end(stream: BinaryIO, size: int, start: int, head: int) -> int:
    if start + head > size:
        raise CorruptError("some of its pixels are missing")
    stream.seek(start + head - 4)
    end = start + head + int(struct.unpack("<I", stream.read(4))[0])
    if end > size:
        raise CorruptError("its end is missing")
    return end
