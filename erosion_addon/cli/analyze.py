# SPDX-License-Identifier: GPL-3.0-or-later
"""Command analyze: drainage of a heightmap, in figures and maps."""

import argparse
import json

from ..base.atomic_files import Outputs
from ..drainage import analysis
from ..drainage.land_statistics import curves, lines
from ..drainage.parameters import AnalysisParameters
from ..files import maps
from ..files.image_files import ImageFiles
from ..terrain.fields import ANALYZED
from . import plot
from .arguments.orders import LandOrder
from .beside import plan_report
from .source import kept_holes, read_land, read_mask_file
from .terminal.output import note, print_lines, print_written, table
from .terminal.progress import Stages


def analyze(arguments: argparse.Namespace, image_files: ImageFiles) -> None:
    """Run the command; InputError for invalid arguments."""
    sea = {} if arguments.sea_level is None else {"sea": True, "sea_level": arguments.sea_level}
    parameters = AnalysisParameters.from_dict({"channel_area": arguments.channel_area, **sea})
    land = LandOrder.of(arguments)
    inputs = [*land.files, *([arguments.outlets] if arguments.outlets else [])]
    with Outputs(inputs) as outputs:
        report = plan_report(outputs, arguments.report) if arguments.report else None
        drawing = outputs.plan(arguments.plot, (".svg",)) if arguments.plot else None
        planned = (
            maps.plan(outputs, arguments.maps, ANALYZED, tif=arguments.tif_maps)
            if arguments.maps
            else {}
        )
        stages = Stages(arguments.quiet, "heightmap read", "land analyzed", "files written")
        terrain, record = read_land(land, image_files)
        stages.end()
        outlets = None
        if arguments.outlets:
            outlets = read_mask_file(arguments.outlets, image_files, record, arguments.quiet)
        result = analysis.analyze(
            terrain, parameters, arguments.edges, arguments.threads or 0, outlets=outlets
        )
        stages.end()
        maps.write(
            outputs,
            planned,
            result.fields,
            image_files,
            terrain.spacing,
            record.georeference,
            kept_holes(land, record),
        )
        if report:
            with outputs.write(report) as path:
                path.write_text(json.dumps(result.figures, indent=2) + "\n", encoding="utf-8")
        if drawing and result.land:
            with outputs.write(drawing) as path:
                path.write_text(
                    plot.svg(curves(result.land), arguments.input.name), encoding="utf-8"
                )
        published = outputs.publish()
        stages.end()
    print_lines(table(lines(result.figures)))
    for sentence in () if arguments.quiet else result.notes:
        note(sentence)
    print_written(published)
