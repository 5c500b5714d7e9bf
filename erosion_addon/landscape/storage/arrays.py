# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays of a landscape in .npy files: written whole or not at all, and checked where they are
read.

Landscapes are untrusted. No number of their files reaches a kernel unchecked, and nothing is
written through a link, which may lead to any file of the user.
"""

import os
import shutil
import stat
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from ...base.arrays import Array
from ...base.atomic_files import Outputs
from ...base.errors import InputError, unwritable
from ...base.regular_files import open_regular

FLOATS = ("<f4", "<f8")
"""Kinds of numbers of heights, thicknesses, masks and other layers."""

LARGEST = 1e30
"""Bound of numbers that are not in meters; they stay finite in float32 when they are summed up."""

_JUNCTION = 0xA0000003
"""Tag of a link to a folder on Windows (IO_REPARSE_TAG_MOUNT_POINT), which is no symbolic link
there.
"""

_format: Any = np.lib.format  # without types before numpy 2

_READERS = {(1, 0): _format.read_array_header_1_0, (2, 0): _format.read_array_header_2_0}


def mapped(path: Path, shape: tuple[int, ...] | None, kinds: tuple[str, ...] = FLOATS) -> Array:
    """Array of a .npy file, mapped from the disk; InputError unless it has this shape and one of
    these kinds.

    shape: None for any. The numbers are not looked at, see `part_of`.
    """
    try:
        with open_regular(path) as stream:
            size, by_columns, kind = _READERS[_format.read_magic(stream)](stream)
            start = stream.tell()
            end = os.fstat(stream.fileno()).st_size
            if shape in (size, None) and kind.str in kinds and not (by_columns and len(size) > 1):
                # A plain view: slices of numpy.memmap itself take several times as long.
                array: Array = np.asarray(np.memmap(stream, kind, "r", start, size))
                if start + array.nbytes == end:
                    return array
    except FileNotFoundError:
        raise InputError(f"{path} is missing; make or erode the landscape again.") from None
    except Exception:  # noqa: BLE001 - a header is a Python literal: damaged, it raises anything
        raise InputError(f"{path} is damaged; make or erode the landscape again.") from None
    raise InputError(f"{path} is not a tile of this landscape; make or erode the landscape again.")


def part_of(
    path: Path,
    shape: tuple[int, ...],
    part: tuple[slice, slice] | None = None,
    low: float = -LARGEST,
    high: float = LARGEST,
) -> Array:
    """Part of an array that is `mapped`, all of it by default; InputError for numbers beyond `low`
    and `high`.
    """
    values = mapped(path, shape)[part or ...]
    require_sound(values, path, low, high)
    return values


def require_sound(values: Array, path: Path, low: float = -LARGEST, high: float = LARGEST) -> None:
    """Raise InputError for numbers that are not finite, or beyond `low` and `high`. path: named in
    the sentence.
    """
    if values.size and not (values.min() >= low and values.max() <= high):  # NaN fails both
        what = f"{path} has values that are not numbers or not from {low:g} to {high:g}"
        raise InputError(f"{what}; make or erode the landscape again.")


def write_arrays(
    root: Path, place: str, arrays: Mapping[str, Array], before: Callable[[], object] = lambda: None
) -> dict[str, str]:
    """Write arrays as NAME.npy into the folder `place` of a landscape, all or none; returns the
    SHA-256 of each file.

    before: called when all is written, but nothing is in its place; it may raise.
    """
    folder = root / place
    refuse_links(root, folder)
    try:
        # Not the landscape's own: where that was renamed meanwhile, a second one would begin in its
        # old place.
        for part in (*Path(place).parents[-2::-1], Path(place)):
            (root / part).mkdir(exist_ok=True)
    except OSError as error:
        raise unwritable(folder, error) from None
    with Outputs() as outputs:
        for name, array in arrays.items():
            refuse_link(folder / f"{name}.npy")
            target = outputs.plan(folder / f"{name}.npy", (".npy",))
            with outputs.write(target) as path:
                _save(path, array)
        digests = {Path(path).stem: digest for path, digest in outputs.digests().items()}
        before()
        outputs.publish(goes_on=True)
    return digests


def arrays_in(folder: Path) -> list[Path]:
    """Files of `write_arrays` in a folder. One that a killed process has left half-written is
    none.
    """
    return [path for path in sorted(folder.glob("*.npy")) if not path.name.startswith(".")]


def remove(path: Path) -> None:
    """Remove a file, or a folder with all that is in it, as far as it can be removed; of a link
    only itself.
    """
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()


def refuse_link(path: Path) -> None:
    """Raise InputError for a link: in an untrusted folder it may lead to any file of the user."""
    try:
        status = path.lstat()
    except OSError:
        return
    if stat.S_ISLNK(status.st_mode) or getattr(status, "st_reparse_tag", 0) == _JUNCTION:
        raise InputError(f"{path} is a link to another place; remove it.")


def refuse_links(root: Path, path: Path) -> None:
    """InputError if a path in a landscape, or a folder on the way to it from the landscape's, is a
    link.
    """
    place = path.relative_to(root)
    for part in (*place.parents[-2::-1], place):
        refuse_link(root / part)


def _save(path: Path, array: Array) -> None:
    """Write an array as a .npy file. `numpy.save` says how many bytes were written, not that the
    disk is full.
    """
    values = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
    with path.open("wb") as stream:
        _format.write_array_header_1_0(stream, _format.header_data_from_array_1_0(values))
        stream.write(values.tobytes())
