# SPDX-License-Identifier: GPL-3.0-or-later
"""Talus: steep ground slides until it stands at its angle of repose."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ...base.arrays import Array
from ...base.doors import door
from ...base.errors import Sentence
from ...grid.stencils import steepest
from ..shared.parameters import SECONDS, seconds_of_slides
from ..shared.process import Part, Process, Spacing, Tiling
from .parameters import COARSE_BYTES, FINE_PASSES, TalusParameters


def _seconds(
    parameters: TalusParameters, shape: tuple[int, int], spacing: Spacing, edges: str
) -> float:
    seconds = seconds_of_slides(parameters, shape, spacing, edges)
    # each coarser grid has a quarter of the cells
    return (
        min(seconds, 4 / 3 * FINE_PASSES * SECONDS * shape[0] * shape[1])
        if parameters.coarse_to_fine
        else seconds
    )


def _on_part(parameters: TalusParameters, part: Part) -> TalusParameters:
    """On coarser cells the border of a window would take part."""
    return replace(parameters, coarse_to_fine=False)


def _why_still(parameters: TalusParameters, elevation: Array, spacing: Spacing) -> Sentence | None:
    slope = steepest(elevation, spacing)
    if slope > parameters.rock_angle:
        return None
    return Sentence(
        "No slope is steeper than {slope}°; rock stands up to {rock:.0f}°, and loose material up "
        "to {sediment:.0f}°."
    ).format(slope=math.ceil(slope), rock=parameters.rock_angle, sediment=parameters.sediment_angle)


def _summary(counts: Mapping[str, Any]) -> list[str]:
    rest = "at rest" if counts["at_rest"] else "not at rest yet"
    return [f"talus {rest} after {counts['passes']:,} slides"]


PROCESS = Process(
    "talus",
    "Talus",
    TalusParameters,
    door(__name__, "step.TalusSteps"),
    icon="RIGID_BODY",
    seconds=_seconds,
    seconds_to_compile=9.0,
    work=("passes", "passes"),
    summarized=("passes", "at_rest"),
    summary=_summary,
    why_still=_why_still,
    scalable={"collapse": "hardness"},
    reads=("grass",),
    bytes_of_options=lambda parameters: COARSE_BYTES if parameters.coarse_to_fine else 0,
    tiling=Tiling(on_part=_on_part),
)
