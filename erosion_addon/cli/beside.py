# SPDX-License-Identifier: GPL-3.0-or-later
"""Files written beside the heightmap: side file, report and maps."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..base.arrays import Array
from ..base.atomic_files import Outputs
from ..base.errors import InputError
from ..drainage.analysis import analyze
from ..files import formats, maps
from ..files.heightmap import Written, own_range
from ..files.reading.record import Range
from ..files.side_file import is_side_file
from ..files.side_writing import Sheet, SideFile
from ..terrain.terrain import Terrain
from .arguments.orders import MapsOrder
from .terminal.output import note


def plan_report(outputs: Outputs, path: Path) -> Path:
    """Plan the report; InputError if it cannot be written, or would replace a side file."""
    target = outputs.plan(path, (".json",))
    if is_side_file(target):
        raise InputError(
            f"{path} holds the scale of a heightmap; choose another name for the report."
        )
    return target


def plan_side(outputs: Outputs, output: Path, report: Path | None = None) -> SideFile | None:
    """Plan the side file of a heightmap, which holds its scale in meters.

    None if a different file has its name, if the report gets that name, or for .npy arrays, which
    are for programs.
    """
    side = output.with_suffix(".json")
    if (
        output.suffix.lower() == ".npy"
        or side.resolve() == report
        or (side.exists() and not is_side_file(side))
    ):
        return None
    return SideFile(outputs, output)


def require_space(
    output: Path,
    shape: tuple[int, ...],
    map_paths: Sequence[Path] = (),
    checkpoint: Path | None = None,
) -> None:
    """Raise InputError if the disk lacks space for the files of a terrain of (rows, cols), before
    any work.
    """
    rows, cols = shape
    files = [(output, formats.heightmap_bytes(output, (rows, cols)))]
    if map_paths:
        files.append((map_paths[0], formats.maps_bytes((rows, cols))))
    formats.require_space(files)
    if checkpoint:  # written instead of the results
        formats.require_space([(checkpoint, formats.heightmap_bytes(checkpoint, (rows, cols)))])


def write_side(side: SideFile | None, output: Path, terrain: Terrain, written: Written) -> None:
    """Write the side file of a heightmap, if planned."""
    if side is not None:
        span = written.height_range or own_range(terrain.elevation)
        side.write(
            [Sheet("", "m", [output.name], span, written.clipped_cells)],
            terrain.shape,
            terrain.spacing,
        )


def plan_maps(outputs: Outputs, order: MapsOrder) -> dict[str, Path]:
    """Plan the maps of all fields; returns their paths by name."""
    if order.folder is None:
        return {}
    return maps.plan(outputs, order.folder, png=order.png, tif=order.tif)


def map_fields(
    terrain: Terrain, order: MapsOrder, edges: str, threads: int = 0, outlets: Array | None = None
) -> dict[str, Any]:
    """Fields to write as maps if a folder is given.

    edges: where water and normals wrap. outlets: mask of outlets, or None.
    """
    if order.folder is None:
        return {}
    derived = maps.derive(
        maps.DERIVED, terrain.elevation, terrain.spacing, edges == "wrap", order.green
    )
    fields = {"elevation": terrain.elevation, **terrain.fields}
    if order.analyze:
        fields |= analyze(terrain, edges=edges, threads=threads, outlets=outlets).fields
    return fields | derived


def note_gray(path: Path, written: Written, height_range: Range | None) -> None:
    """Print the scale of a 16-bit file if the user gave none, and the number of clipped cells."""
    if written.height_range and not height_range:
        low, high = written.height_range
        note(f"In {path} black is {low:.10g} m and white {high:.10g} m.")
    if written.clipped_cells:
        note(
            f"{written.clipped_cells} cells lay outside the height range and were cut off in "
            f"{path}."
        )
