# SPDX-License-Identifier: GPL-3.0-or-later
"""Command analyze: drainage of a heightmap, in figures and maps."""

import json

from ..base.atomic_files import Outputs
from ..drainage import analysis
from ..drainage.land_statistics import curves, lines
from ..files import maps
from ..files.image_files import ImageFiles
from ..files.rasters.tiff_writer import Tags
from ..terrain.fields import ANALYZED
from . import plot
from .arguments.land_orders import AnalyzeOrder
from .beside import plan_report
from .keeping import publish
from .source import kept_holes, read_land, read_mask_file
from .terminal.output import note, print_lines, print_written, table
from .terminal.progress import Stages


def analyze(order: AnalyzeOrder, image_files: ImageFiles) -> None:
    """Run the command; InputError for invalid arguments."""
    land = order.land
    with Outputs(order.inputs) as outputs:
        report = plan_report(outputs, order.report) if order.report else None
        drawing = outputs.plan(order.plot, (".svg",)) if order.plot else None
        planned = {}
        if order.maps:
            planned = maps.plan(outputs, order.maps, ANALYZED, tif=order.tif_maps)
        stages = Stages(order.quiet, "heightmap read", "land analyzed", "files written")
        terrain, record = read_land(land, image_files)
        stages.end()
        outlets = None
        if order.outlets:
            outlets = read_mask_file(order.outlets, image_files, record, order.quiet)
        result = analysis.analyze(
            terrain, order.parameters, order.edges, order.threads, outlets=outlets
        )
        stages.end()
        tags = Tags(terrain.spacing, record.georeference, kept_holes(land, record))

        def write() -> None:
            maps.write(outputs, planned, result.fields, image_files, tags)
            if report:
                with outputs.write(report) as path:
                    path.write_text(json.dumps(result.figures, indent=2) + "\n", encoding="utf-8")
            if drawing and result.land:
                with outputs.write(drawing) as path:
                    path.write_text(plot.svg(curves(result.land), land.path.name), encoding="utf-8")

        _, published = publish(outputs, write)
        stages.end()
    print_lines(table(lines(result.figures)))
    if not order.quiet:
        for sentence in result.notes:
            note(sentence)
    print_written(published)
