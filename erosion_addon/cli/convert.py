# SPDX-License-Identifier: GPL-3.0-or-later
"""Command convert: heightmaps to other formats, sizes and tiles, without erosion."""

import argparse

from ..files.export import Layout, export
from ..files.image_files import ImageFiles
from .arguments.orders import LandOrder
from .source import kept_holes, note_holes, read_land
from .terminal.output import note, print_written
from .terminal.progress import Stages


def convert(arguments: argparse.Namespace, image_files: ImageFiles) -> None:
    """Run the command; InputError for invalid arguments."""
    stages = Stages(arguments.quiet, "heightmap read", "files written")
    land = LandOrder.of(arguments)
    terrain, record = read_land(land, image_files)
    stages.end()
    layout = Layout(
        arguments.engine or "",
        arguments.size,
        arguments.tiles,
        arguments.height_range,
        arguments.flip,
    )
    holes = kept_holes(land, record)
    result = export(
        arguments.output,
        terrain,
        image_files,
        layout,
        inputs=[arguments.input],
        georeference=record.georeference,
        missing=holes,
    )
    stages.end()
    print_written(result.paths)
    if arguments.quiet:
        return
    for sentence in result.notes:
        note(sentence)
    note_holes(arguments.output, holes)
    if not arguments.height_range:
        low, high = result.height_range
        note(f"{arguments.output} goes from {low:.10g} m to {high:.10g} m.")
    if result.clipped_cells:
        note(
            f"{result.clipped_cells} points lay outside the height range and were cut off in "
            f"{arguments.output}."
        )
