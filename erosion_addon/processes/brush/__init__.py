# SPDX-License-Identifier: GPL-3.0-or-later
"""Brush strokes: replay of strokes painted on the terrain."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ...base.doors import opened
from ..shared.process import MASKS, Part, Process, Spacing, Tiling
from .parameters import RUN_OUT, BrushParameters

SECONDS = {"rain": 5e-7, "rills": 5e-7, "talus": 3e-7, "smooth": 3e-7}
"""Duration of a dab per cell of its window, by kind; other kinds take a fraction."""


def _seconds(
    parameters: BrushParameters, shape: tuple[int, int], spacing: Spacing, edges: str
) -> float:
    total = 1e-3
    for stroke in parameters.strokes:
        side = 2 * stroke.radius * RUN_OUT.get(stroke.kind, 1.0)
        cells = min(side / spacing[0] + 5, shape[0]) * min(side / spacing[1] + 5, shape[1])
        total += len(stroke.dabs) * (1e-3 + cells * SECONDS.get(stroke.kind, 1e-7))
    return total


def _summary(counts: Mapping[str, Any]) -> list[str]:
    return [f"{counts['strokes']:,} strokes of the brush, {counts['dabs']:,} dabs"]


def _on_part(parameters: BrushParameters, part: Part) -> BrushParameters:
    """The same strokes, in meters from the window's first vertex."""
    left = part.col * part.spacing[1]
    below = part.row * part.spacing[0]
    strokes = (
        replace(
            stroke, dabs=tuple((x - left, y - below, pressure) for x, y, pressure in stroke.dabs)
        )
        for stroke in parameters.strokes
    )
    return replace(parameters, strokes=tuple(strokes))


def process_of(tools: Mapping[str, Process]) -> Process:
    """The process whose strokes are made of other processes, by kind."""
    return Process(
        "brush",
        "Brush Strokes",
        BrushParameters,
        lambda: opened(__name__, "step.BrushSteps")(tools),
        icon="BRUSH_DATA",
        seconds=_seconds,
        seconds_to_compile=12.0,
        work=("dabs", "dabs"),
        summarized=("strokes", "dabs"),
        summary=_summary,
        masks=(*MASKS, "rain"),
        scalable={"strength": "strength"},
        reads=("grass",),
        works_on_flat_land=lambda parameters: True,
        rehearsed=BrushParameters.rehearsed,
        tiling=Tiling(scope="whole", on_part=_on_part),
    )
