# SPDX-License-Identifier: GPL-3.0-or-later
"""Command analyze: drainage of a heightmap, in figures and maps."""

import argparse
import json

from ..base.atomic_files import Outputs
from ..drainage.analysis import analyze as analyzed
from ..drainage.land_statistics import curves, lines
from ..drainage.parameters import AnalysisParameters
from ..files import maps
from ..files.image_files import ImageFiles
from ..terrain.fields import ANALYZED
from . import plot
from .beside import plan_report
from .source import kept_holes, read_land, read_outlets
from .terminal.output import note, print_lines, print_written, table
from .terminal.progress import Stages


def analyze(given: argparse.Namespace, image_files: ImageFiles) -> None:
    """Run the command; InputError for invalid arguments."""
    sea = {} if given.sea_level is None else {"sea": True, "sea_level": given.sea_level}
    parameters = AnalysisParameters.from_dict({"channel_area": given.channel_area, **sea})
    inputs = [
        given.input,
        given.input.with_suffix(".json"),
        *([given.outlets] if given.outlets else []),
    ]
    with Outputs(inputs) as outputs:
        report = plan_report(outputs, given.report) if given.report else None
        drawing = outputs.plan(given.plot, (".svg",)) if given.plot else None
        planned = maps.plan(outputs, given.maps, ANALYZED, tif=given.tif_maps) if given.maps else {}
        stages = Stages(given.quiet, "heightmap read", "land analyzed", "files written")
        terrain, record = read_land(given, image_files)
        stages.end()
        outlets = read_outlets(given, image_files, record)
        found = analyzed(terrain, parameters, given.edges, given.threads or 0, outlets=outlets)
        stages.end()
        maps.write(
            outputs,
            planned,
            found.fields,
            image_files,
            terrain.spacing,
            record.georeference,
            kept_holes(given, record),
        )
        if report:
            with outputs.write(report) as path:
                path.write_text(json.dumps(found.figures, indent=2) + "\n", encoding="utf-8")
        if drawing and found.land:
            with outputs.write(drawing) as path:
                path.write_text(plot.svg(curves(found.land), given.input.name), encoding="utf-8")
        published = outputs.publish()
        stages.end()
    print_lines(table(lines(found.figures)))
    for sentence in () if given.quiet else found.notes:
        note(sentence)
    print_written(published)
