# SPDX-License-Identifier: GPL-3.0-or-later
"""Command convert: heightmaps to other formats, sizes and tiles, without erosion."""

import argparse
from pathlib import Path

from ..base.errors import InputError
from ..files.export import Layout, export
from ..files.headers.georeference import Georeference
from ..files.heightmap import Array, Range
from ..files.image_files import ImageFiles
from ..files.side_file import known_meters, read_measured, step_in
from ..grid.dequantize import smooth_steps
from ..terrain.terrain import Terrain
from .terminal.output import note, print_written
from .terminal.progress import Stages


def convert(given: argparse.Namespace, image_files: ImageFiles) -> None:
    """Run the command; InputError for invalid arguments."""
    stages = Stages(given.quiet, "heightmap read", "files written")
    terrain = Terrain(*read_input(given, given.input_size, image_files))
    stages.end()
    layout = Layout(given.engine or "", given.size, given.tiles, given.height_range, given.flip)
    place = place_of(given.input, terrain.shape)
    done = export(given.output, terrain, image_files, layout, inputs=[given.input], georeference=place)
    stages.end()
    print_written(done.paths)
    if given.quiet:
        return
    for sentence in done.notes:
        note(sentence)
    if not given.height_range:
        low, high = done.height_range
        note(f"{given.output} goes from {low:.10g} m to {high:.10g} m.")
    if done.clipped_cells:
        note(f"{done.clipped_cells} points lay outside the height range and were cut off in {given.output}.")


def read_input(
    given: argparse.Namespace, size: tuple[int, int] | None, image_files: ImageFiles
) -> tuple[Array, float | tuple[float, float]]:
    """Elevation of the command's input (rows, cols), and cell size in meters, from the arguments or else the file's
    metadata.

    size: (rows, cols) of a raw file, if given.
    """
    known, hint = known_meters(given.input), None if given.quiet else note
    elevation = read_measured(given.input, image_files, known, given.height_range, hint, size)
    if given.smooth_steps:
        elevation = _smoothed(given.input, elevation, given.height_range or known.height_range, given.quiet)
    return elevation, given.cell_size if given.cell_size is not None else known.spacing or 1.0


def place_of(path: Path, shape: tuple[int, ...]) -> Georeference | None:
    """Georeference of a terrain of (rows, cols) read from a file; None if the file has none."""
    place = known_meters(path).georeference
    return place if place is not None and place.shape == shape else None


def _smoothed(path: Path, elevation: Array, height_range: Range | None, quiet: bool) -> Array:
    """Elevation of a file without the terracing of 8 bits; InputError if it has none."""
    step = step_in(path, elevation, height_range)
    if step is None:
        raise InputError(
            f"{path} has no steps to smooth away: its heights are finer than 8 bits; leave out the option."
        )
    if not quiet:
        note(f"The steps of {step:.4g} m in {path} were smoothed away.")
    return smooth_steps(elevation, step)
