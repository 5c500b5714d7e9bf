# SPDX-License-Identifier: GPL-3.0-or-later
"""Talus: steep ground slides until it stands at its angle of repose."""

from collections.abc import Mapping
from typing import Any

from ...base.doors import door
from ..shared.parameters import seconds_of_slides
from ..shared.process import Process
from .parameters import TalusParameters


def _summary(counts: Mapping[str, Any]) -> list[str]:
    rest = "at rest" if counts["at_rest"] else "not at rest yet"
    return [f"talus {rest} after {counts['passes']:,} slides"]


PROCESS = Process(
    "talus",
    "Talus",
    TalusParameters,
    door(__name__, "step.TalusStep"),
    icon="RIGID_BODY",
    seconds=seconds_of_slides,
    seconds_to_compile=9.0,
    work=("passes", "passes"),
    summarized=("passes", "at_rest"),
    summary=_summary,
    scalable={"collapse": "hardness"},
    reads=("grass",),
)
