# SPDX-License-Identifier: GPL-3.0-or-later
"""Command convert: heightmaps to other formats, sizes and tiles, without erosion."""

import argparse

from ..files.export import Layout, export
from ..files.image_files import ImageFiles
from .source import kept_holes, note_holes, read_land
from .terminal.output import note, print_written
from .terminal.progress import Stages


def convert(given: argparse.Namespace, image_files: ImageFiles) -> None:
    """Run the command; InputError for invalid arguments."""
    stages = Stages(given.quiet, "heightmap read", "files written")
    terrain, record = read_land(given, image_files)
    stages.end()
    layout = Layout(given.engine or "", given.size, given.tiles, given.height_range, given.flip)
    place = record.georeference
    holes = kept_holes(given, record)
    done = export(given.output, terrain, image_files, layout, (), None, [given.input], place, holes)
    stages.end()
    print_written(done.paths)
    if given.quiet:
        return
    for sentence in done.notes:
        note(sentence)
    note_holes(given.output, holes)
    if not given.height_range:
        low, high = done.height_range
        note(f"{given.output} goes from {low:.10g} m to {high:.10g} m.")
    if done.clipped_cells:
        note(
            f"{done.clipped_cells} points lay outside the height range and were cut off in "
            f"{given.output}."
        )
