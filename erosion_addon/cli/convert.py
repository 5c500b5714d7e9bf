# SPDX-License-Identifier: GPL-3.0-or-later
"""Command convert: heightmaps to other formats, sizes and tiles, without erosion."""

from ..base.atomic_files import Outputs
from ..files.export import Origin, layers, planned
from ..files.image_files import ImageFiles
from .arguments.land_orders import ConvertOrder
from .keeping import publish
from .source import kept_holes, note_holes, read_land
from .terminal.output import note, print_written
from .terminal.progress import Stages


def convert(order: ConvertOrder, image_files: ImageFiles) -> None:
    """Run the command; InputError for invalid arguments."""
    stages = Stages(order.quiet, "heightmap read", "files written")
    terrain, record = read_land(order.land, image_files)
    stages.end()
    holes = kept_holes(order.land, record)
    origin = Origin([order.land.path], record.georeference, holes)
    with Outputs(origin.inputs) as outputs:
        write = planned(
            outputs, order.output, terrain, image_files, order.layout, layers(terrain), origin
        )
        result, published = publish(outputs, write)
    stages.end()
    print_written(published)
    if order.quiet:
        return
    for sentence in result.notes:
        note(sentence)
    note_holes(order.output, holes)
    if not order.layout.height_range:
        low, high = result.height_range
        note(f"{order.output} goes from {low:.10g} m to {high:.10g} m.")
    if result.clipped_cells:
        note(
            f"{result.clipped_cells} points lay outside the height range and were cut off in "
            f"{order.output}."
        )
