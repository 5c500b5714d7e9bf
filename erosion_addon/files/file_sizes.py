# SPDX-License-Identifier: GPL-3.0-or-later
"""Estimated file sizes, and a check of disk space and format limits before hours of work."""

import shutil
from collections.abc import Iterable
from pathlib import Path

from ..base.errors import InputError
from ..base.sizes import size_in_words

_BYTES = {
    ".npy": 8.0,
    ".r32": 4.0,
    ".tif": 4.0,
    ".tiff": 4.0,
    ".r16": 2.0,
    ".raw": 2.0,
    ".png": 1.0,
    ".exr": 2.0,
    ".npz": 24.0,
}
"""Bytes per cell by suffix, halved for compressed formats. (A checkpoint holds start, state and step.)"""

_MAPS = 6
"""Typical number of fields of a run: elevation, sediment, wear, deposition, and two of its own."""

Shape = tuple[int, int]


def heightmap_bytes(path: Path, shape: Shape) -> float:
    """Bytes of a heightmap of (rows, cols), or of a checkpoint."""
    return shape[0] * shape[1] * _BYTES[path.suffix.lower()]


def maps_bytes(shape: Shape) -> float:
    """Bytes of the maps of a run."""
    return _MAPS * shape[0] * shape[1] * _BYTES[".exr"]


def require_space(files: Iterable[tuple[Path, float]]) -> None:
    """Raise InputError with numbers if the disks of these (path, bytes) lack space.

    Existing files count too, as they stay until their replacements are complete.
    """
    wanted: dict[int, tuple[Path, float]] = {}
    for path, size in files:
        folder = next(parent for parent in path.parents if parent.is_dir())
        first, before = wanted.get(folder.stat().st_dev, (folder, 0.0))
        wanted[folder.stat().st_dev] = first, before + size
    for folder, size in wanted.values():
        try:
            free = shutil.disk_usage(folder).free
        except OSError:
            continue
        if size > free:
            raise InputError(
                f"The files need about {size_in_words(size)} in {folder}, and {size_in_words(free)} is free there; "
                f"make room, or choose another folder."
            )
