# SPDX-License-Identifier: GPL-3.0-or-later
"""Weathering: rock turns into soil, and soil creeps."""

from collections.abc import Mapping
from typing import Any

from ...base.doors import door
from ..shared.process import Process, Spacing
from .parameters import WeatherParameters


def _seconds(
    parameters: WeatherParameters, shape: tuple[int, int], spacing: Spacing, edges: str
) -> float:
    return parameters.time_steps(spacing) * 18e-9 * shape[0] * shape[1]


def _summary(counts: Mapping[str, Any]) -> list[str]:
    return [
        f"{counts['years']:,.0f} years of weather, {counts['weathered']:.3g} m of rock weathered"
    ]


PROCESS = Process(
    "weather",
    "Weathering",
    WeatherParameters,
    door(__name__, "step.WeatherStep"),
    icon="FREEZE",
    seconds=_seconds,
    seconds_to_compile=8.0,
    work=("years", "years"),
    summarized=("years", "weathered"),
    summary=_summary,
    scalable={"diffusivity": "diffusivity", "production": "hardness"},
    reads=("moisture", "grass"),
    works_on_flat_land=lambda parameters: True,
)
