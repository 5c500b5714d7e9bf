# SPDX-License-Identifier: GPL-3.0-or-later
"""Snow: it falls on the heights, slides off steep slopes and melts; the ground below stays as it
is.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ...base.arrays import Array
from ...base.doors import door
from ..shared.parameters import seconds_of_slides
from ..shared.process import Process, Tiling, volume
from .parameters import SnowParameters


def _summary(counts: Mapping[str, Any]) -> list[str]:
    fallen, lying, melted = (volume(counts[name]) for name in ("fallen", "lying", "melted"))
    return [
        f"{fallen} of snow fell, {lying} lies, {melted} melted, {volume(counts['slid_out'])} slid "
        "out"
    ]


def _on_land(parameters: SnowParameters, elevation: Array) -> SnowParameters:
    """The snow line of the whole land in meters."""
    from .step import snow_line

    return replace(parameters, covered=0.0, snow_line=snow_line(elevation, parameters))


PROCESS = Process(
    "snow",
    "Snow",
    SnowParameters,
    door(__name__, "step.SnowStep"),
    icon="PARTICLES",
    seconds=seconds_of_slides,
    seconds_to_compile=9.0,
    work=("passes", "passes"),
    summarized=("fallen", "lying", "melted", "slid_out"),
    summary=_summary,
    masks=("strength", "sediment", "plot"),
    scalable={"amount": "amount", "cling": "cling", "melt": "melt"},
    reads=("snow", "meltwater"),
    writes=("snow", "meltwater"),
    moves_ground=False,
    tiling=Tiling(on_land=_on_land),
)
