# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of a heightmap beside its numbers: its side file, and the tags of a GeoTIFF.

A side file is NAME.json beside NAME.png and tells the meters that shades of gray stand for.
"""

import json
import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..base.errors import InputError
from ..base.regular_files import open_regular
from ..grid.dequantize import step_of
from .headers.georeference import Georeference
from .headers.image_header import read_header
from .heightmap import IMAGE_SUFFIXES, RAW_SUFFIXES, Array, Note, Range, read_heightmap
from .image_files import ImageFiles

OTHERS = "others"
"""Key of a side file: what it tells of further heightmaps of the same name, which are not those at its top."""

_LARGEST = 1 << 20
"""Bytes of a side file; tiles by the hundred fit, of several heightmaps."""


@dataclass(frozen=True)
class Meters:
    """What is known of a heightmap; None for what is not.

    spacing: (row, col) m. height_range: m of black and white. size: (rows, cols). bottom_first: whether its first row
    is the one at the smallest y. georeference: where on Earth its pixels lie.
    """

    spacing: tuple[float, float] | None = None
    height_range: Range | None = None
    size: tuple[int, int] | None = None
    bottom_first: bool = False
    georeference: Georeference | None = None


def known_metres(path: Path) -> Meters:
    """What the side file tells of a heightmap, else its own tags; nothing where neither can be read."""
    known = _side_file(path)
    if path.suffix.lower() in (".tif", ".tiff"):
        with suppress(InputError):  # reading the file itself will say what is wrong with it
            header = read_header(path)
            known = replace(known, georeference=None if known.bottom_first else header.georeference)
            return replace(known, spacing=header.spacing) if replace(known, georeference=None) == Meters() else known
    return known


def read_measured(
    path: Path,
    image_files: ImageFiles,
    known: Meters,
    height_range: Range | None = None,
    note: Note | None = None,
    size: tuple[int, int] | None = None,
) -> Array:
    """`read_heightmap` with what is known of the file where that is not given, and the smallest y first in any case."""
    if path.suffix.lower() in RAW_SUFFIXES:
        size = size or known.size
    elevation = read_heightmap(path, image_files, height_range or known.height_range, size, note)
    return elevation[::-1].copy() if known.bottom_first else elevation


def step_in(path: Path, elevation: Array, height_range: Range | None) -> float | None:
    """Meters from one height to the next where a file of 8 bits, or as few heights as these hold, gave `elevation`.

    height_range: meters of its black and white. None where there are more heights.
    """
    if height_range and path.suffix.lower() in IMAGE_SUFFIXES and read_header(path).kind == "uint8":
        return (height_range[1] - height_range[0]) / 255
    return step_of(elevation)


def is_side_file(path: Path) -> bool:
    """Whether a .json tells the size of a heightmap, as ours and Unreal's do."""
    content = _read(path)
    return content is not None and {"width", "height", "bpp"} <= content.keys()


def entries(path: Path) -> list[Mapping[str, Any]]:
    """What a side file tells, a table for each heightmap; of each, `files` are names."""
    content = dict(_read(path) or {})
    tables = [table for table in _list(content.pop(OTHERS, [])) if isinstance(table, dict)]
    named = [(table, _list(table.get("files"))) for table in (content, *tables)]
    return [table for table, files in named if files and all(isinstance(name, str) and name for name in files)]


def _side_file(path: Path) -> Meters:
    content = next((table for table in entries(path.with_suffix(".json")) if path.name in table["files"]), None)
    if content is None:
        return Meters()
    spacing, span = _pair(content.get("cell_size")), _pair(content.get("height_range"))
    size = _pair([content.get("height"), content.get("width")])
    return Meters(
        (spacing[1], spacing[0]) if spacing and min(spacing) > 0 else None,
        span if span and span[0] < span[1] else None,
        (int(size[0]), int(size[1])) if size else None,
        content.get("row_order") == "bottom first",
    )


def _read(path: Path) -> Mapping[str, Any] | None:
    try:
        with open_regular(path) as stream:
            text = stream.read(_LARGEST + 1)
        if len(text) > _LARGEST:
            return None
        content = json.loads(text)
    except (OSError, ValueError, RecursionError):  # InputError among them
        return None
    return content if isinstance(content, dict) else None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _pair(value: Any) -> tuple[float, float] | None:
    numbers = [item for item in _list(value) if isinstance(item, int | float) and not isinstance(item, bool)]
    if len(numbers) != 2 or not all(math.isfinite(number) and abs(number) <= 1e9 for number in numbers):
        return None
    return float(numbers[0]), float(numbers[1])
