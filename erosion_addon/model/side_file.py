# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of a heightmap beside its numbers: its side file, and the tags of a GeoTIFF.

A side file is NAME.json beside NAME.png and tells the metres that shades of grey stand for.
"""

import json
import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import InputError
from .heightmap import IMAGE_SUFFIXES, RAW_SUFFIXES, Array, Note, Range, read_heightmap
from .image_files import ImageFiles
from .image_header import read_header
from .terraces import step_of

_LARGEST = 1 << 16
"""Bytes of a side file; tiles by the hundred fit."""


@dataclass(frozen=True)
class Metres:
    """What is known of a heightmap; None for what is not.

    spacing: (row, col) m. height_range: m of black and white. size: (rows, cols). bottom_first: whether its first row
    is the one at the smallest y.
    """

    spacing: tuple[float, float] | None = None
    height_range: Range | None = None
    size: tuple[int, int] | None = None
    bottom_first: bool = False


def known_metres(path: Path) -> Metres:
    """What the side file tells of a heightmap, else its own tags; nothing where neither can be read."""
    known = _side_file(path)
    if known == Metres() and path.suffix.lower() in (".tif", ".tiff"):
        with suppress(InputError):  # reading the file itself will say what is wrong with it
            return Metres(read_header(path).spacing)
    return known


def read_measured(
    path: Path,
    image_files: ImageFiles,
    known: Metres,
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
    """Metres from one height to the next where a file of 8 bits, or as few heights as these hold, gave `elevation`.

    height_range: metres of its black and white. None where there are more heights.
    """
    if height_range and path.suffix.lower() in IMAGE_SUFFIXES and read_header(path).kind == "uint8":
        return (height_range[1] - height_range[0]) / 255
    return step_of(elevation)


def refuse_stale(path: Path) -> None:
    """Raise InputError where shades of grey to be written have a side file, whose metres would no longer be theirs."""
    if path.suffix.lower() in (".png", *RAW_SUFFIXES) and _side_file(path) != Metres():
        raise InputError(
            f"{path.with_suffix('.json')} tells the metres of the {path.name} that is there and would be wrong for a "
            "new one; choose another name, or write it with convert."
        )


def is_side_file(path: Path) -> bool:
    """Whether a .json tells the size of a heightmap, as ours and Unreal's do."""
    content = _read(path)
    return content is not None and {"width", "height", "bpp"} <= content.keys()


def _side_file(path: Path) -> Metres:
    content = _read(path.with_suffix(".json")) or {}
    if path.name not in _list(content.get("files")):
        return Metres()
    spacing, span = _pair(content.get("cell_size")), _pair(content.get("height_range"))
    size = _pair([content.get("height"), content.get("width")])
    return Metres(
        (spacing[1], spacing[0]) if spacing and min(spacing) > 0 else None,
        span if span and span[0] < span[1] else None,
        (int(size[0]), int(size[1])) if size else None,
        content.get("row_order") == "bottom first",
    )


def _read(path: Path) -> Mapping[str, Any] | None:
    try:
        if path.stat().st_size > _LARGEST:
            return None
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _pair(value: Any) -> tuple[float, float] | None:
    numbers = [item for item in _list(value) if isinstance(item, int | float) and not isinstance(item, bool)]
    if len(numbers) != 2 or not all(math.isfinite(number) and abs(number) <= 1e9 for number in numbers):
        return None
    return float(numbers[0]), float(numbers[1])
