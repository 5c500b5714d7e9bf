# SPDX-License-Identifier: GPL-3.0-or-later
"""Talus: steep ground slides until it stands at its angle of repose."""

from collections.abc import Mapping
from typing import Any

from ..shared.process import Process
from ..shared.slides import seconds_of_slides
from .step import TalusParameters, TalusStep


def _summary(counts: Mapping[str, Any]) -> list[str]:
    rest = "at rest" if counts["at_rest"] else "not at rest yet"
    return [f"talus {rest} after {counts['passes']:,} slides"]


PROCESS = Process(
    "talus",
    "Talus",
    TalusParameters,
    TalusStep,
    icon="RIGID_BODY",
    seconds=seconds_of_slides,
    seconds_to_compile=9.0,
    work=("passes", "passes"),
    told=("passes", "at_rest"),
    summary=_summary,
    scalable={"collapse": "hardness"},
    reads=("grass",),
)
