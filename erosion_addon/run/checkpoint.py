# SPDX-License-Identifier: GPL-3.0-or-later
"""Checkpoints: the complete state of a simulation, in memory or in a file. A resumed run gives the
same bytes.
"""

import json
import math
import os
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NoReturn

import numpy as np

from ..base.arrays import Array
from ..base.atomic_files import Outputs
from ..base.errors import InputError, Sentence, unreadable
from ..base.memory import require_to_unpack
from ..base.regular_files import open_regular

FORMAT = 1
"""Version of the file format; others are refused."""

VALUES = "values"
"""Name of the array that holds the values as JSON text."""

_LONGEST_TEXT = 1 << 20
"""Size limit of that text in characters: a recipe, and a report of each step."""

_NUMBERS_PER_CELL = 1024
"""Size limit of an array, per cell. The largest holds the numbers of drops, several of which may
wait on a cell.
"""

_MOST_ARRAYS = 256

_FLOAT = 4
"""Bytes of the numbers of most arrays."""

_format: Any = np.lib.format  # without types before numpy 2


@dataclass(frozen=True)
class Checkpoint:
    """values: numbers and texts for JSON; arrays: by name, with slashes between the parts of a
    name.
    """

    values: dict[str, Any]
    arrays: dict[str, Array]

    def save(self, path: str | Path) -> None:
        """Write a .npz file atomically. Nothing is pickled, so the file cannot hold code."""
        with Outputs() as outputs:
            target = outputs.plan(path, (Path(path).suffix.lower(),))
            with outputs.write(target) as temporary, temporary.open("wb") as file:
                self.write(file)
            outputs.publish(goes_on=True)

    def write(self, stream: IO[bytes]) -> None:
        """`save` to an open file."""
        text = json.dumps({"format": FORMAT, **self.values})
        arrays: dict[str, Any] = {VALUES: np.array(text), **self.arrays}
        np.savez_compressed(stream, allow_pickle=False, **arrays)

    @classmethod
    def load(cls, path: str | Path) -> "Checkpoint":
        """Read a file written by `save`; InputError for any other file, or if memory does not
        suffice.
        """
        try:
            with open_regular(Path(path)) as stream:
                return cls.read(stream, str(path))
        except (OSError, ValueError) as error:  # a NUL in the name
            if isinstance(error, InputError):
                raise
            raise unreadable(path, error) from None

    @classmethod
    def read(cls, stream: IO[bytes], name: str) -> "Checkpoint":
        """`load` from an open file; name: for errors.

        Memory is checked from the arrays' headers before any is unpacked. Values are validated when
        a simulation resumes.
        """
        try:
            with zipfile.ZipFile(stream) as archive:
                headers = _headers(archive)
                size = sum(map(_bytes, headers.values()))
                require_to_unpack(
                    size,
                    size // _FLOAT,
                    stream.seek(0, os.SEEK_END),
                    Sentence("Reading {name}").format(name=name),
                )
                arrays = {key: _array(archive, member) for key, (member, *_) in headers.items()}
            values = json.loads(arrays.pop(VALUES).item(), parse_constant=_no_number)
            if values.pop("format") != FORMAT:
                raise InputError(
                    "{name} was made by another version of Terrain Erosion; run it again from the "
                    "start."
                ).format(name=name)
        except InputError:
            raise
        except MemoryError:
            raise InputError(
                "There is not enough memory to read {name}; close other programs."
            ).format(name=name) from None
        # A header is a Python literal in a zip: damaged ones raise any kind of error.
        except Exception:  # noqa: BLE001
            raise InputError(
                "{name} is not a checkpoint, or is damaged; run it again from the start."
            ).format(name=name) from None
        return cls(values, arrays)

    def part(self, name: str) -> dict[str, Array]:
        """Arrays whose names begin with `name` and a slash, by the rest of their names."""
        prefix = f"{name}/"
        return {
            key.removeprefix(prefix): array
            for key, array in self.arrays.items()
            if key.startswith(prefix)
        }


_Header = tuple[zipfile.ZipInfo, tuple[int, ...], np.dtype[Any]]


def _headers(archive: zipfile.ZipFile) -> dict[str, _Header]:
    """Archive member, shape and dtype of each array by name; ValueError for any other member."""
    members = archive.infolist()
    headers = {
        member.filename.removesuffix(".npy"): (member, *_header(archive, member))
        for member in members
    }
    if len(headers) != len(members) or len(members) > _MOST_ARRAYS:
        raise ValueError
    _, shape, kind = headers[VALUES]
    if shape != () or kind.kind != "U" or kind.itemsize > 4 * _LONGEST_TEXT:
        raise ValueError
    _, (rows, cols), _ = headers["start/elevation"]
    most = _NUMBERS_PER_CELL * (rows + 2) * (cols + 2)
    numbers = [(shape, kind) for name, (_, shape, kind) in headers.items() if name != VALUES]
    if any(kind.kind not in "biuf" or math.prod(shape) > most for shape, kind in numbers):
        raise ValueError
    return headers


def _header(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo
) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Shape and dtype of an array."""
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError
    with archive.open(member) as stream:
        version = _format.read_magic(stream)
        readers = {(1, 0): _format.read_array_header_1_0, (2, 0): _format.read_array_header_2_0}
        shape, _, kind = readers[version](stream)
    if not all(type(side) is int and side >= 0 for side in shape):
        raise ValueError
    return shape, kind


def _bytes(header: _Header) -> int:
    _, shape, kind = header
    return math.prod(shape) * kind.itemsize


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Array:
    with archive.open(member) as stream:
        array: Array = _format.read_array(stream, allow_pickle=False)
    return array.copy(order="C") if not array.flags.c_contiguous else array


def _no_number(word: str) -> NoReturn:
    raise ValueError(word)
