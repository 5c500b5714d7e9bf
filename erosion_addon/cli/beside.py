# SPDX-License-Identifier: GPL-3.0-or-later
"""Files beside the heightmap of the command line: side file, report and maps."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..base.atomic_files import Outputs
from ..base.errors import InputError
from ..drainage.analysis import analyze
from ..files import file_sizes
from ..files.heightmap import Written, own_range
from ..files.normals import NORMAL, normals
from ..files.side_file import is_side_file
from ..files.side_writing import Sheet, SideFile
from ..terrain.terrain import Terrain


def plan_report(outputs: Outputs, path: Path) -> Path:
    """Where a report goes; InputError where it cannot, also where it would take the place of a side file."""
    target = outputs.plan(path, (".json",))
    if is_side_file(target):
        raise InputError(f"{path} tells the meters of a heightmap; choose another name for the report.")
    return target


def plan_side(outputs: Outputs, output: Path, report: Path | None = None) -> SideFile | None:
    """The side file of a heightmap to be written, which tells its meters; None where there is a file of its name that
    is none, where the report is to have that name, and for arrays, which are for programs."""
    side = output.with_suffix(".json")
    if output.suffix.lower() == ".npy" or side.resolve() == report or (side.exists() and not is_side_file(side)):
        return None
    return SideFile(outputs, output)


def require_space(
    output: Path, shape: tuple[int, ...], maps: Sequence[Path] = (), checkpoint: Path | None = None
) -> None:
    """Raise InputError where there is no room for the files of a terrain of (rows, cols), before anything is done."""
    rows, cols = shape
    files = [(output, file_sizes.heightmap_bytes(output, (rows, cols)))]
    if maps:
        files.append((maps[0], file_sizes.maps_bytes((rows, cols))))
    file_sizes.require_space(files)
    if checkpoint:  # which is written in their stead
        file_sizes.require_space([(checkpoint, file_sizes.heightmap_bytes(checkpoint, (rows, cols)))])


def write_side(side: SideFile | None, output: Path, terrain: Terrain, written: Written) -> None:
    """Write the side file of a heightmap that was written, where one was planned."""
    if side is not None:
        span = written.height_range or own_range(terrain.elevation)
        side.write([Sheet("", "m", [output.name], span, written.clipped_cells)], terrain.shape, terrain.spacing)


def map_fields(terrain: Terrain, given: argparse.Namespace, edges: str) -> dict[str, Any]:
    """What maps are written of, where a folder for them is given; edges: across which water and normals go."""
    if not given.maps:
        return {}
    normal = normals(terrain.elevation, terrain.spacing, edges == "wrap", given.normals)
    found = analyze(terrain, edges=edges, threads=getattr(given, "threads", None) or 0).fields if given.analyze else {}
    return {"elevation": terrain.elevation, **terrain.fields, **found, NORMAL.name: normal}
