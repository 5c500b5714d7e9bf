# SPDX-License-Identifier: GPL-3.0-or-later
"""Wind: saltation and creep of sand, by particles or a boundary layer."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ...base.arrays import mean_cell_size
from ...base.doors import door
from ..shared.process import MASKS, Part, Process, Spacing, Tiling
from .parameters import FLOW_BYTES, WindParameters


def _seconds(
    parameters: WindParameters, shape: tuple[int, int], spacing: Spacing, edges: str
) -> float:
    cells = shape[0] * shape[1]
    longer = max(side * step for side, step in zip(shape, spacing, strict=True))
    step = mean_cell_size(spacing)  # loaded air takes two to five steps to a cell
    seconds = 600e-9
    if parameters.flight == "particles":
        creep = max(parameters.response / (1 + parameters.response), 1e-3)
        step = (
            min(parameters.time_step * step, 0.5 * parameters.feature_size)
            * parameters.wind_speed
            * creep
        )
        seconds = 60e-9
    # Where edges wrap all particles fly until they are too old; else most leave the terrain before.
    share = 1.0 if edges == "wrap" else 0.5
    alone: float = (
        parameters.particles_per_cell
        * cells
        * max(parameters.maximum_path * longer / step, 1.0)
        * share
        * seconds
    )
    return alone


def _summary(counts: Mapping[str, Any]) -> list[str]:
    return [
        f"{counts['particles']:,} wind particles, {counts['particles_per_second']:,.0f} a second"
    ]


def _on_part(parameters: WindParameters, part: Part) -> WindParameters:
    return replace(parameters, maximum_path=min(parameters.maximum_path * part.sides, 100.0))


PROCESS = Process(
    "wind",
    "Wind",
    WindParameters,
    door(__name__, "step.WindStep"),
    icon="FORCE_WIND",
    seconds=_seconds,
    seconds_to_compile=20.0,
    work=("particles", "grains"),
    summarized=("particles", "particles_per_second"),
    summary=_summary,
    masks=(*MASKS, "source"),
    scalable={"suspension": "suspension", "abrasion": "hardness"},
    reads=("moisture", "grass", "wind_path"),
    writes=("wind_path", "sand_flow", "wind_flow"),
    works_on_flat_land=lambda parameters: True,
    bytes_of_options=lambda parameters: FLOW_BYTES if parameters.flow_maps else 0,
    tiling=Tiling(on_part=_on_part),
)
