# SPDX-License-Identifier: GPL-3.0-or-later
"""Header of a TIFF file: size and type of pixels, the meaning of their numbers, and their location.

Sources: TIFF 6.0 (Adobe), GDAL's driver GTiff for its tags, OGC GeoTIFF 1.1, libtiff for numbers of
packings.
"""

import re
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from ...base.errors import InputError, Sentence
from ..places.geo_keys import are_depths, placement_of, vertical_unit
from ..places.placement import Placement
from ..places.units import length_of
from .georeference import Georeference
from .image_format import CorruptError, ImageHeader, UnknownPackingError, factor_in, number_in
from .tiff_tags import BITS, COLORS, NUMBERS, PACKING, Directory, directories

PACKINGS = {
    1: "",
    5: "LZW",
    7: "JPEG",
    8: "Deflate",
    32773: "PackBits",
    32946: "Deflate",
    34925: "LZMA",
    50000: "ZSTD",
}
"""Names of the packings that are read, by the number of tag 259."""
_OTHER_PACKINGS = {
    2: "CCITT",
    3: "CCITT",
    4: "CCITT",
    6: "JPEG",
    32809: "ThunderScan",
    34661: "JBIG",
    34676: "SGI Log",
    34677: "SGI Log",
    34712: "JPEG 2000",
    34887: "LERC",
    50001: "WebP",
    50002: "JPEG XL",
    52546: "JPEG XL",
}
KINDS = {
    (1, 8): "uint8",
    (1, 16): "uint16",
    (1, 32): "uint32",
    (2, 16): "int16",
    (2, 32): "int32",
    (3, 16): "float16",
    (3, 32): "float32",
    (3, 64): "float64",
}
"""Kinds of numbers by the tag of their format, and their bits."""
_NO_DATA = 42113
_METADATA = 42112
_ORIENTATION = 274
_EXTRA_SAMPLES = 338
_ALPHA = {1, 2}
_ITEM = re.compile(r"<Item\s([^<>]{0,400})>([^<]{0,400})</Item>")
"""Item of GDAL's metadata. A parser of XML would expand entities without end."""


class TiffImage(NamedTuple):
    """Header of a TIFF, and the directories that its pixels are read by."""

    header: ImageHeader
    directories: tuple[Directory, ...]


def tiff_image(stream: BinaryIO, size: int, name: str) -> TiffImage:
    """The TIFF in a stream of `size` bytes; CorruptError if damaged, InputError if it cannot hold
    heights.
    """
    images = tuple(directories(stream, size))
    return TiffImage(_header(images, size, name), images)


def _header(images: tuple[Directory, ...], size: int, name: str) -> ImageHeader:
    first, *rest = images
    shape = first.shape
    packing = _packing(first, name)
    kind = kind_of(first)
    if kind is None:
        raise InputError(
            "{name} stores its TIFF pixels in a way that is not supported; save it with 16 or 32 "
            "bits."
        ).format(name=name)
    if first.one(COLORS, 1) > 2:
        raise InputError(
            "{name} is a TIFF with a palette or a print color space; save it as grayscale."
        ).format(name=name)
    if min(shape) <= 0 or first.channels <= 0:
        raise CorruptError(f"it claims {shape[0]} × {shape[1]} pixels in {first.channels} channels")
    _check_blocks(first, size, np.dtype(kind).itemsize)
    placement = placement_of(first.tags)
    metadata = _metadata(first)
    south_up, mirrored = _orientation(first, placement, name)
    georeference = Georeference.of(first.tags, shape)
    return ImageHeader(
        rows=shape[0],
        cols=shape[1],
        channels=first.channels,
        kind=kind,
        no_data=number_in(first.text(_NO_DATA)),
        spacing=placement.spacing(shape) if placement else None,
        georeference=georeference.upright(south_up, mirrored) if georeference else None,
        scale=factor_in(metadata.get("scale", ""), 1.0),
        offset=factor_in(metadata.get("offset", ""), 0.0),
        unit=length_of(metadata.get("unittype", "")) or vertical_unit(first.tags),
        length_unit=placement.length_unit if placement else None,
        packing=packing,
        south_up=south_up,
        mirrored=mirrored,
        mask_band=bool(_ALPHA & set(_extra(first)))
        or any(mask_of(directory, first) for directory in rest),
        doubts=tuple(placement.doubts(shape)) if placement else (),
        remarks=tuple(_remarks(first, placement)),
    )


def kind_of(directory: Directory) -> str | None:
    """Kind of the numbers of an image; None if unknown, or different between channels."""
    bits, formats = (set(directory.tags.get(tag, np.ones(1)).tolist()) for tag in (BITS, NUMBERS))
    if len(bits) == len(formats) == 1:
        return KINDS.get((int(min(formats)), int(min(bits))))
    return None


def mask_of(directory: Directory, image: Directory) -> bool:
    """Whether a directory of the same file holds the mask of an image."""
    return directory.is_mask and is_mask_for(directory, image)


def is_mask_for(directory: Directory, image: Directory) -> bool:
    """Whether a directory fits an image as a mask: bits or bytes, nonzero for cells with data."""
    is_yes_or_no = directory.channels == 1 and (
        directory.one(BITS, 1) == 1 or kind_of(directory) == "uint8"
    )
    return is_yes_or_no and directory.shape == image.shape


def mask_beside(path: Path) -> Path | None:
    """File that GDAL writes masks to; None if it is not there."""
    beside = path.with_name(f"{path.name}.msk")
    return beside if beside.is_file() and beside.stat().st_size else None


def alpha_channel(directory: Directory) -> int | None:
    """Number of the channel that is 0 for cells without data; None without one."""
    extra = _extra(directory)
    kinds = [kind for kind in extra if kind in _ALPHA]
    return directory.channels - len(extra) + extra.index(kinds[0]) if kinds else None


def _extra(directory: Directory) -> list[int]:
    samples: list[int] = directory.tags.get(_EXTRA_SAMPLES, np.empty(0, int)).tolist()
    return samples[: directory.channels - 1]


def _packing(directory: Directory, name: str) -> str:
    """Name of the packing; InputError for one that is not read."""
    number = directory.one(PACKING, 1)
    if number not in PACKINGS or (number == 7 and directory.one(BITS, 1) != 8):
        packing = _OTHER_PACKINGS.get(number) or PACKINGS.get(number) or f"method {number}"
        raise UnknownPackingError(
            "{name} is compressed with {packing}, which is not supported; save it with "
            "Deflate, in GDAL by gdal_translate -co COMPRESS=DEFLATE."
        ).format(name=name, packing=packing)
    return PACKINGS[number]


def _check_blocks(directory: Directory, size: int, itemsize: int) -> None:
    """Raise CorruptError where the file is shorter than its blocks."""
    (rows, cols), (offsets, counts) = directory.shape, directory.blocks
    # As floats: 64-bit offsets of a hostile file must not wrap around.
    if float((offsets.astype(float) + counts.astype(float)).max()) > size:
        raise CorruptError("its end is missing")
    stored = float(counts.astype(float).sum())
    least = float(rows) * cols * directory.channels * itemsize
    if directory.one(PACKING, 1) == 1 and counts.all() and stored < least:
        raise CorruptError(f"it claims {rows} × {cols} pixels but holds {stored:.0f} bytes of them")


def _metadata(directory: Directory) -> dict[str, str]:
    """Texts of the first band by their role in GDAL's metadata."""
    metadata: dict[str, str] = {}
    for words, text in _ITEM.findall(directory.text(_METADATA)):
        role = re.search(r'role="(\w+)"', words)
        if role and re.search(r'sample="0*"', words):
            metadata.setdefault(role[1], text.strip())
    return metadata


def _orientation(directory: Directory, placement: Placement | None, name: str) -> tuple[bool, bool]:
    """Whether rows run from south to north, and columns from east to west.

    InputError where rows are columns. A placement is more reliable than the tag, which GIS programs
    do not update.
    """
    if placement:
        return placement.south_up, placement.mirrored
    corner = directory.one(_ORIENTATION, 1)
    if corner > 4:
        raise InputError(
            "{name} is a TIFF with rows and columns exchanged (orientation {corner}); save it "
            "upright."
        ).format(name=name, corner=corner)
    return corner in (3, 4), corner in (2, 3)


def _remarks(directory: Directory, placement: Placement | None) -> list[Sentence]:
    remarks = list(placement.remarks) if placement else []
    if are_depths(directory.tags):
        remarks.append(
            Sentence("its vertical system counts depths downward; its numbers count as heights.")
        )
    return remarks
