# SPDX-License-Identifier: GPL-3.0-or-later
"""Metadata of a heightmap: its side file, or the tags of a GeoTIFF.

The side file NAME.json beside NAME.png holds the meters of its gray levels.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..base.errors import InputError
from ..base.regular_files import open_regular
from .headers.georeference import Georeference
from .headers.image_header import read_header
from .reading.record import Range

FURTHER = "others"
"""Key of a side file for further heightmaps of the same name."""

_LARGEST = 1 << 20
"""Size limit in bytes; enough for hundreds of tiles of several heightmaps."""

_MOST_NAMES = 5
"""Most names of side files that are tried."""


@dataclass(frozen=True)
class Meters:
    """Metadata of a heightmap; None for unknown values.

    spacing: (row, col) m. height_range: m of black and white. size: (rows, cols). bottom_first:
    whether its first row lies at the smallest y. georeference: of its pixels.
    """

    spacing: tuple[float, float] | None = None
    height_range: Range | None = None
    size: tuple[int, int] | None = None
    bottom_first: bool = False
    georeference: Georeference | None = None


def known_meters(path: Path) -> Meters:
    """Metadata from the side file, else from the heightmap's own tags; empty if neither is
    readable.
    """
    scale = side_file(path)
    if path.suffix.lower() in (".tif", ".tiff"):
        with suppress(InputError):  # reading the file itself reports the fault
            header = read_header(path)
            scale = replace(scale, georeference=None if scale.bottom_first else header.georeference)
            if replace(scale, georeference=None) == Meters():
                return replace(scale, spacing=header.spacing)
            return scale
    return scale


def is_side_file(path: Path) -> bool:
    """Whether a .json file holds the size of a heightmap, as ours and Unreal's do; InputError if it
    cannot be read.
    """
    try:
        content = _content(path)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise InputError(
            "{path} cannot be read, and may hold the scale of the heightmap beside it: {reason}."
        ).format(path=path, reason=error.strerror or error) from None
    return content is not None and {"width", "height", "bpp"} <= content.keys()


def entries(path: Path, is_kept: bool = False) -> list[Mapping[str, Any]]:
    """Entries of a side file, one table per heightmap, in which `files` are names.

    is_kept: whether the entries are to be written again. Raises InputError then if the file exists
    and cannot be read.
    """
    content_of = _read(path)
    if is_kept and content_of is None and path.exists():
        raise InputError(
            "{path} cannot be read, and the entries of other heightmaps in it would be lost; try "
            "again."
        ).format(path=path)
    content = dict(content_of or {})
    tables = [table for table in _list(content.pop(FURTHER, [])) if isinstance(table, dict)]
    pairs = [(table, _list(table.get("files"))) for table in (content, *tables)]
    return [
        table
        for table, files in pairs
        if files and all(isinstance(name, str) and name for name in files)
    ]


def _near(path: Path) -> Iterator[Mapping[str, Any]]:
    """Entries of the side file of a heightmap, and of side files of tiles that may hold it:
    NAME.json for NAME_x0_y0.png.
    """
    ends = [len(path.stem), *(match.start() for match in re.finditer("[-_. ]", path.stem))]
    for end in sorted({end for end in ends if end}, reverse=True)[:_MOST_NAMES]:
        yield from entries(path.with_name(f"{path.stem[:end]}.json"))


def side_file(path: Path) -> Meters:
    """Metadata from the side file; empty if none is readable."""
    content = next((table for table in _near(path) if path.name in table["files"]), None)
    if content is None:
        return Meters()
    spacing = _pair(content.get("cell_size"))
    span = _pair(content.get("height_range"))
    size = _pair([content.get("height"), content.get("width")])
    return Meters(
        (spacing[1], spacing[0]) if spacing and min(spacing) > 0 else None,
        span if span and span[0] < span[1] else None,
        (int(size[0]), int(size[1])) if size else None,
        content.get("row_order") == "bottom first",
    )


def _read(path: Path) -> Mapping[str, Any] | None:
    try:
        return _content(path)
    except OSError:
        return None


def _content(path: Path) -> Mapping[str, Any] | None:
    """Table of a .json file; None for any other file, OSError if it cannot be read."""
    try:
        with open_regular(path) as stream:
            text = stream.read(_LARGEST + 1)
        content = json.loads(text) if len(text) <= _LARGEST else None
    except (ValueError, RecursionError):  # InputError among them
        return None
    return content if isinstance(content, dict) else None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _pair(value: Any) -> tuple[float, float] | None:
    numbers = [
        item
        for item in _list(value)
        if isinstance(item, int | float) and not isinstance(item, bool)
    ]
    if len(numbers) != 2 or not all(
        math.isfinite(number) and abs(number) <= 1e9 for number in numbers
    ):
        return None
    return float(numbers[0]), float(numbers[1])
