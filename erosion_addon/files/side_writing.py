# SPDX-License-Identifier: GPL-3.0-or-later
"""Writing of side files: scale of heightmaps, and the values for the import dialogs of engines.

NAME.json lies beside NAME.png, and describes every heightmap called NAME: one at its top, and the
others in a list. Unreal reads the size of NAME.raw from the top.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import VERSION
from ..base.atomic_files import Outputs
from ..base.errors import InputError
from .formats import GRAY_SUFFIXES
from .game_engines import unity_values, unreal_values
from .reading.record import Range
from .side_file import FURTHER, entries, is_side_file


@dataclass(frozen=True)
class Sheet:
    """A written layer: the heights, whose name is "", or a map.

    files: names of the tiles. range: meters of black and white, or of the lowest and highest point.
    clipped_cells: outside it.
    """

    name: str
    unit: str
    files: list[str]
    range: Range
    clipped_cells: int = 0


class SideFile:
    """Side file of a heightmap at `path`, planned among `outputs`. Raises InputError if another
    file has its name.
    """

    def __init__(self, outputs: Outputs, path: Path) -> None:
        side = path.with_suffix(".json")
        if side.exists() and not is_side_file(side):
            raise InputError(
                "{side} exists and does not belong to a heightmap; choose another name."
            ).format(side=side)
        self._outputs = outputs
        self._suffix = path.suffix.lower()
        # Entries of other heightmaps are kept, so the file may also be an input.
        self._target = outputs.plan(side, (".json",), instead_of=side)

    def write(
        self,
        sheets: Sequence[Sheet],
        size: tuple[int, int],
        spacing: tuple[float, float],
        bottom_first: bool = False,
        tiles: tuple[int, int] = (1, 1),
        tiles_upward: bool = False,
    ) -> None:
        """sheets: the heights first. size: (rows, cols) of each file. spacing: (row, col) meters of
        its points. tiles: (rows, cols) of files.
        """
        new = _entry(self._suffix, sheets, size, spacing, bottom_first, tiles, tiles_upward)
        written = {name for sheet in sheets for name in sheet.files}
        foreign = [
            old
            for old in entries(self._target, is_kept=True)
            if self._is_there(old["files"], but=written)
        ]
        # One of a raw file stays at the top, where Unreal looks for it.
        first, *rest = sorted(
            [new, *foreign], key=lambda entry: not entry["files"][0].lower().endswith(".raw")
        )
        content = {**first, **({FURTHER: rest} if rest else {})}
        with self._outputs.write(self._target) as temporary:
            temporary.write_text(
                json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
            )

    def _is_there(self, files: Iterable[str], but: set[str]) -> bool:
        """Whether any of these files still exists, except `but`, which is rewritten."""
        left = set(files) - but
        return (
            bool(left)
            and not but & set(files)
            and any((self._target.parent / name).is_file() for name in left)
        )


def _entry(
    suffix: str,
    sheets: Sequence[Sheet],
    size: tuple[int, int],
    spacing: tuple[float, float],
    bottom_first: bool,
    tiles: tuple[int, int],
    tiles_upward: bool,
) -> dict[str, Any]:
    """Entry of one heightmap. `width`, `height` and `bpp` are Unreal's names and refer to each
    file.
    """
    (rows, cols), (tile_rows, tile_cols), (heights, *rest) = size, tiles, sheets
    gray = suffix in GRAY_SUFFIXES
    side = {
        "made_by": f"Terrain Erosion {VERSION}",
        "width": cols,
        "height": rows,
        "bpp": 16 if gray else 32,
        "files": heights.files,
        "units": "metres",
        "cell_size": [spacing[1], spacing[0]],
        "size": [spacing[1] * (cols - 1) * tile_cols, spacing[0] * (rows - 1) * tile_rows],
        "height_range": list(heights.range),
        "values": "black and white are the ends of height_range" if gray else "meters",
        "clipped_cells": heights.clipped_cells,
        "row_order": "bottom first" if bottom_first else "top first",
        "byte_order": "little endian",
    }
    if tiles != (1, 1):
        first = "bottom left" if tiles_upward else "top left"
        side["tiles"] = {"rows": tile_rows, "cols": tile_cols, "first": first, "borders": "shared"}
    if gray:
        side["unreal"] = unreal_values(spacing, heights.range)
        side["unity"] = unity_values((rows, cols), spacing, heights.range, bottom_first)
    side["maps"] = {
        sheet.name: {"files": sheet.files, "unit": sheet.unit, "range": list(sheet.range)}
        for sheet in rest
    }
    return side
