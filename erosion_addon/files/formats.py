# SPDX-License-Identifier: GPL-3.0-or-later
"""Formats of heightmap files, their estimated sizes, and a check of disk space before hours of
work.
"""

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from ..base.errors import InputError
from ..base.memory import size_in_words
from .headers.block_header import BLOCK_SUFFIXES
from .headers.gdal_header import GDAL_SUFFIXES


class Format(NamedTuple):
    """Format of heightmap files.

    label, about: in dialogs that write it. cell_bytes: bytes of a cell, halved where they are
    compressed. holds: "meters"; "gray", 16 bits from black to white; or "either" when read, and
    meters when written.
    """

    label: str
    about: str
    cell_bytes: float
    holds: str = "meters"


_TIFF = Format("TIFF", "32-bit floats in meters, with the cell size in GeoTIFF tags", 4.0, "either")

FORMATS = {
    ".npy": Format("NumPy", "Array of floats in meters", 8.0),
    ".exr": Format("OpenEXR", "32-bit floats in meters", 2.0),
    ".png": Format(
        "PNG", "16 bits from black to white, as Unreal and most programs take it", 1.0, "gray"
    ),
    ".tif": _TIFF,
    ".tiff": _TIFF,
    ".r16": Format(
        "R16", "16 bits from black to white and nothing else, as Unreal takes it", 2.0, "gray"
    ),
    ".r32": Format("R32", "32-bit floats in meters and nothing else", 4.0),
    ".raw": Format(
        "RAW", "16 bits from black to white and nothing else, as Unity takes it", 2.0, "gray"
    ),
}
"""Formats by suffix."""

SUFFIXES = tuple(FORMATS)
READ_SUFFIXES = (*SUFFIXES, *BLOCK_SUFFIXES, ".asc", *GDAL_SUFFIXES)
IMAGE_SUFFIXES = (".exr", ".png", ".tif", ".tiff")
RAW_SUFFIXES = (".r16", ".r32", ".raw")
GRAY_SUFFIXES = tuple(
    suffix for suffix, file_format in FORMATS.items() if file_format.holds == "gray"
)

_CHECKPOINT = 24.0
"""Bytes of a cell: start, state and step."""

_MAPS = 6
"""Typical number of fields of a run: elevation, sediment, wear, deposition, and two of its own."""

Shape = tuple[int, int]


def heightmap_bytes(path: Path, shape: Shape) -> float:
    """Bytes of a heightmap of (rows, cols), or of a checkpoint."""
    file_format = FORMATS.get(path.suffix.lower())
    return shape[0] * shape[1] * (file_format.cell_bytes if file_format else _CHECKPOINT)


def maps_bytes(shape: Shape) -> float:
    """Bytes of the maps of a run."""
    return _MAPS * shape[0] * shape[1] * FORMATS[".exr"].cell_bytes


def require_space(files: Iterable[tuple[Path, float]]) -> None:
    """Raise InputError with numbers if the disks of these (path, bytes) lack space.

    Existing files count too, as they stay until their replacements are complete.
    """
    needs: dict[int, tuple[Path, float]] = {}
    for path, size in files:
        folder = next(parent for parent in path.parents if parent.is_dir())
        first, before = needs.get(folder.stat().st_dev, (folder, 0.0))
        needs[folder.stat().st_dev] = first, before + size
    for folder, size in needs.values():
        try:
            free = shutil.disk_usage(folder).free
        except OSError:
            continue
        if size > free:
            raise InputError(
                "The files need about {size} in {folder}, and {free} is free there; make room, or "
                "choose another folder."
            ).format(size=size_in_words(size), folder=folder, free=size_in_words(free))
