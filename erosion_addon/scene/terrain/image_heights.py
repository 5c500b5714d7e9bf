# SPDX-License-Identifier: GPL-3.0-or-later
"""Heights from files and from images in this .blend file, by the same reader as the
command line.
"""

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import bpy
import numpy as np

from ...base.errors import InputError, Sentence, unreadable
from ...base.memory import available_memory, require
from ...base.regular_files import is_blend_path_in_network, is_in_network
from ...files import heightmap
from ...files.headers.image_format import ImageHeader, single
from ...files.headers.image_header import read_header
from ...files.image_files import gray
from ...files.mask_file import read_mask
from ...files.rasters.raster import Cells, Raster, part_of
from ...files.reading.meaning import WHITE
from ...files.reading.record import Array, Doubt, Reading, Record
from ...files.side_file import Meters
from ..session import session
from .image import BlenderFiles, image_pixels, packed_suffix, require_still
from .mesh import GRID_BYTES

Source: TypeAlias = Path | bpy.types.Image
"""A file, or an image of this .blend file."""

Key = tuple[Any, ...]
"""Source, and the marks of its content."""

REMEMBERED = 16
"""Most records in the cache."""

SAMPLED = 1 << 22
"""Maximum pixels of an image to unpack for a preview: half a second."""


def read(source: Source, options: Reading) -> tuple[Array, Record]:
    """Elevation (rows, cols) m and its record, for a new mesh; InputError as of
    `files.heightmap.read_heights`.
    """
    try:
        with opened(source, options) as (numbers, record):
            require(
                needed(record),
                Sentence("A terrain of {name}").format(name=record.name),
                _part_that_fits(record),
            )
            return heightmap.heights_in(numbers, record, options)
    except OSError as error:
        raise unreadable(name_of(source), error) from error
    except MemoryError:
        raise InputError("There is not enough memory to read {source}; read a part of it.").format(
            source=name_of(source)
        ) from None


def look(source: Source, options: Reading) -> Record:
    """Record of a source by its header and a sample, without its heights; InputError if it holds
    none.

    Cached until the file or the options change, as dialogs ask at each redraw.
    """
    key = _key(source), options
    records = _records()
    if key not in records:
        if len(records) >= REMEMBERED:
            records.clear()
        records[key] = _looked(*key)
    return _valid(records[key])


def peek(source: Source, options: Reading) -> Record | None:
    """Record that `look` has cached; None without one. Blender cannot load images while it
    draws.
    """
    record = _records().get((_key(source), options))
    return None if record is None else _valid(record)


def _valid(record: Record | InputError) -> Record:
    if isinstance(record, InputError):
        raise record
    return record


@session.cached()
def _records() -> dict[tuple[Key, Reading], Record | InputError]:
    """Records by source and options, or the reasons why there is none."""
    return {}


def forget() -> None:
    """Clear the cache, as images may have been painted on."""
    _records().clear()
    _sample.cache_clear()  # type: ignore[attr-defined]


def needed(record: Record) -> int:
    """Peak memory of a new terrain in bytes, while the file is read or the mesh is made."""
    rows, cols = record.shape
    return max(record.memory, rows * cols * (np.dtype(np.float64).itemsize + GRID_BYTES))


def fitting(record: Record, free: int) -> tuple[int, int]:
    """Smallest n for every n-th cell, and side of the largest square window, that fit into `free`
    bytes.
    """
    rows, cols = record.shape
    share = needed(record) / max(free, 1)
    return record.every * int(np.ceil(np.sqrt(share))), int(np.sqrt(rows * cols / share))


def name_of(source: Source) -> str:
    """Name of a source in sentences."""
    return f"The image {source.name}" if isinstance(source, bpy.types.Image) else str(source)


def mask(image: bpy.types.Image, land: Record) -> tuple[Array, tuple[Doubt, ...]]:
    """Values of an image as a mask for a land, (rows, cols), 0-1, and doubts about it; see
    `files.mask_file`.
    """
    with _file_of(image) as path:
        if path is None:
            pixels = image_pixels(image)
            values = gray(pixels, name_of(image))
            is_one_color = pixels.shape[2] == 4 and float(values.min()) == float(values.max())
            return (pixels[..., 3] if is_one_color and np.ptp(pixels[..., 3]) else values), ()
        with _renamed(path, image) as renamed:
            values, doubts = read_mask(path, BlenderFiles(), land)
            return values, renamed(doubts)


def is_far(source: Source) -> bool:
    """Whether a source lies in a network, which may be accessed only at the press of a button."""
    if isinstance(source, bpy.types.Image):
        return is_blend_path_in_network(source.filepath)
    return is_in_network(str(source))


@contextmanager
def opened(source: Source, options: Reading) -> Iterator[tuple[Raster, Record]]:
    """Numbers and record of a source, as of `files.heightmap.opened`."""
    if not isinstance(source, bpy.types.Image):
        yield heightmap.opened(source, BlenderFiles(), options)
        return
    with _file_of(source) as path:
        if path is None:
            yield heightmap.described(_in_memory(source), name_of(source), Meters(), options)
            return
        with _renamed(path, source) as renamed:
            numbers, record = heightmap.opened(path, BlenderFiles(), options)
            name = name_of(source) if source.packed_file else record.name
            yield numbers, replace(record, name=name, doubts=renamed(record.doubts))


@contextmanager
def _file_of(image: bpy.types.Image) -> Iterator[Path | None]:
    """File of an image, a temporary one if packed; None if the image was generated or painted on
    and its pixels in memory count.
    """
    require_still(image)
    if image.source == "GENERATED" or image.is_dirty:
        yield None
    elif image.packed_file:
        with _unpacked(image) as path:
            yield path
    elif not image.filepath:
        raise InputError("{image} has no pixels and no file; choose a file for it.").format(
            image=name_of(image)
        )
    else:
        yield _linked(image)


def _linked(image: bpy.types.Image) -> Path:
    return Path(bpy.path.abspath(image.filepath, library=image.library))


@contextmanager
def _unpacked(image: bpy.types.Image) -> Iterator[Path]:
    """A temporary file with the bytes of a packed image."""
    data = image.packed_file.data
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "packed").with_suffix(packed_suffix(data, name_of(image)))
        path.write_bytes(data)
        yield path


@contextmanager
def _renamed(
    path: Path, image: bpy.types.Image
) -> Iterator[Callable[[Iterable[Doubt]], tuple[Doubt, ...]]]:
    """Context in which errors name a packed image instead of its temporary file; yields the
    function that renames in doubts.
    """
    name = name_of(image) if image.packed_file else str(path)
    try:
        yield lambda doubts: tuple(
            replace(doubt, sentence=doubt.sentence.renamed(str(path), name)) for doubt in doubts
        )
    except InputError as error:
        raise InputError(error.sentence.renamed(str(path), name)) from error


def _in_memory(image: bpy.types.Image) -> Raster:
    """Pixels in memory as numbers of the kind in the image's file."""
    kind = "float32" if image.is_float else "uint8"
    # painted on: Blender stores 16 bits as floats from 0 to 1
    if image.source == "FILE" and image.is_float:
        kind = _kind_of_file(image)
    pixels = image_pixels(image)
    rows, cols, channels = pixels.shape
    header = ImageHeader(rows, cols, channels, kind)
    numbers = single(pixels, name_of(image))
    if kind in WHITE:
        numbers = numbers * np.float32(WHITE[kind])
    valid = pixels[..., 3] > 0 if channels == 4 else None

    def read(top: int, bottom: int, left: int, right: int) -> Cells:
        return part_of((numbers, valid), np.s_[top:bottom, left:right])

    return Raster(header, read)


def _kind_of_file(image: bpy.types.Image) -> str:
    try:
        with _unpacked(image) if image.packed_file else nullcontext(_linked(image)) as path:
            return read_header(path).kind
    except (InputError, OSError):  # the file is missing, but the pixels are in memory
        return "float32"


def _key(source: Source) -> Key:
    """Key of a source; it changes with its content."""
    if not isinstance(source, bpy.types.Image):
        return (source, _stamp(source), _stamp(source.with_suffix(".json")))
    path = _linked(source)
    size = source.packed_file.size if source.packed_file else -1
    return (
        source.name,
        source.session_uid,
        source.is_dirty,
        tuple(source.size),
        size,
        _stamp(path),
    )


def _stamp(path: Path) -> tuple[int, int]:
    try:
        status = os.stat(path)  # noqa: PTH116 - Path.stat would follow the same link, more slowly
        return status.st_mtime_ns, status.st_size
    except (OSError, ValueError):
        return 0, -1


def _source_of(key: Key) -> Source:
    return key[0] if isinstance(key[0], Path) else bpy.data.images[key[0]]


def _looked(key: Key, options: Reading) -> Record | InputError:
    """Record, or the reason why there is none."""
    try:
        with opened(_source_of(key), options) as (numbers, record):
            form = Reading(
                byte_order=options.byte_order,
                depth=options.depth,
                flip=options.flip,
                size=options.size,
                every=options.every,
                window=options.window,
            )
            return heightmap.looked_at(numbers, record, options, _sample(key, form))
    except InputError as error:
        return error
    except OSError as error:
        return unreadable(key[0], error)
    except MemoryError:
        return InputError("There is not enough memory to look at {key}.").format(key=key[0])


@session.cached(4)
def _sample(key: Key, form: Reading) -> tuple[Cells, ...]:
    """Some cells of a source; none of a large image, which would be unpacked whole."""
    with opened(_source_of(key), form) as (numbers, record):
        rows, cols = record.file_shape
        if numbers.cell_bytes and rows * cols > SAMPLED:
            return ()
        return (heightmap.sample(numbers, record),)


def _part_that_fits(record: Record) -> Sentence:
    every, side = fitting(record, available_memory() or needed(record))
    return Sentence(
        "read one cell in {every}, or a window of {side} × {side} cells, or make a landscape in "
        "tiles of it"
    ).format(every=every, side=side)
