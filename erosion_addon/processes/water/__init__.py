# SPDX-License-Identifier: GPL-3.0-or-later
"""Water: shallow flow that erodes rock, and transports and deposits soil."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ...base.arrays import Array
from ...base.doors import door
from ...base.parameters import specifications
from ..shared.process import MASKS, Part, Process, Spacing, Tiling, volume
from .parameters import SCALED, WaterParameters


def _seconds(
    parameters: WaterParameters, shape: tuple[int, int], spacing: Spacing, edges: str
) -> float:
    steps = parameters.duration * 3600 / parameters.time_step
    return steps * (9e-9 + 5.5e-9 * parameters.sub_steps(spacing)) * shape[0] * shape[1]


def _summary(counts: Mapping[str, Any]) -> list[str]:
    came = counts["rain"] + counts["inflow"]
    left = counts["outflow"] + counts["evaporation"]
    return [f"{volume(came)} of water came, {volume(left)} left, {volume(counts['stored'])} stands"]


def _measuring(parameters: WaterParameters, factor: int) -> WaterParameters:
    """Narrow rivers that reach each place on wide cells when they do on narrow ones.

    A river of width b has the section A = b^(1/3) (Q / k)^(2/3), k growing with the root of
    gravity. One that fills a cell keeps section and speed where gravity grows with the cells.
    """
    return replace(
        parameters,
        gravity=min(parameters.gravity * factor, specifications(WaterParameters)["gravity"].high),
    )


def _on_land(parameters: WaterParameters, elevation: Array) -> WaterParameters:
    """The water level of the whole land in meters."""
    from .start import water_level

    return replace(parameters, flooded=0.0, water_level=water_level(elevation, parameters))


def _on_part(parameters: WaterParameters, part: Part) -> WaterParameters:
    return replace(parameters, springs=part.springs(parameters.springs))


PROCESS = Process(
    "water",
    "Water",
    WaterParameters,
    door(__name__, "step.WaterStep"),
    icon="MOD_OCEAN",
    seconds=_seconds,
    seconds_to_compile=18.0,
    work=("cells_per_second", "cell steps"),
    summarized=("water_steps", "rain", "inflow", "outflow", "evaporation", "stored"),
    summary=_summary,
    masks=(*MASKS, "rain"),
    scalable={"rain": "rainfall", **{name: name for name in SCALED}, "rock_erosion": "hardness"},
    reads=("water_depth", "suspended", "velocity", "moisture", "grass", "meltwater"),
    writes=(
        "water_depth",
        "suspended",
        "velocity",
        "flow",
        "moisture",
        "grass",
        "meltwater",
        "clouds",
    ),
    makes_soil=True,
    small_steps=WaterParameters.sub_steps,
    tiling=Tiling(measuring=_measuring, on_land=_on_land, on_part=_on_part),
)
