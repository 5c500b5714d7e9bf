# SPDX-License-Identifier: GPL-3.0-or-later
"""The command analyze: how a heightmap drains, in figures."""

import argparse
import json
from typing import Any

from ..base.atomic_files import Outputs
from ..drainage.statistics import statistics
from ..files.image_files import ImageFiles
from ..terrain.terrain import Terrain
from .beside import plan_report
from .convert import read_input
from .terminal import say, say_written, table

WORDS = (
    ("relief", "Relief", "{:,.1f} m"),
    ("pits", "Land in pits", "{:.1%}"),
    ("free_drainage", "Land that drains freely", "{:.1%}"),
    ("concavity", "Concavity of channels", "{:.2f} (R² {r2:.2f})"),
    ("hack", "Hack's exponent", "{:.2f} (R² {r2:.2f})"),
    ("area_exponent", "Exponent of drainage areas", "{:.2f} (R² {r2:.2f})"),
    ("hypsometric_integral", "Hypsometric integral", "{:.2f}"),
    ("slope_p50", "Slope, median", "{:.1f}°"),
    ("slope_p90", "Slope, 90th percentile", "{:.1f}°"),
    ("slope_p99", "Slope, 99th percentile", "{:.1f}°"),
    ("flat", "Land under 3°", "{:.1%}"),
    ("needles", "Needles per million cells", "{:.0f}"),
)


def analyze(given: argparse.Namespace, image_files: ImageFiles) -> None:
    """Do what the words of the command ask; InputError for what cannot be done."""
    with Outputs([given.input, given.input.with_suffix(".json")]) as outputs:
        report = plan_report(outputs, given.report) if given.report else None
        terrain = Terrain(*read_input(given, given.input_size, image_files))
        found = statistics(terrain.elevation, terrain.spacing, given.edges)
        if report:
            with outputs.write(report) as path:
                path.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
        published = outputs.publish()
    say(table((label, _text(found, name, pattern)) for name, label, pattern in WORDS))
    say_written(published)


def _text(found: dict[str, Any], name: str, pattern: str) -> str:
    if found[name] is None:
        return "too little land to measure"
    return pattern.format(found[name], r2=found.get(f"{name}_r2") or 0.0)
