# SPDX-License-Identifier: GPL-3.0-or-later
"""Dune fields: slabs of sand that hop with the winds of the year and slide down the lee of their
own dunes.
"""

from collections.abc import Mapping
from typing import Any

from ...base.doors import door
from ..shared.process import MASKS, Process, Spacing, volume
from .parameters import DuneParameters


def _seconds(
    parameters: DuneParameters, shape: tuple[int, int], spacing: Spacing, edges: str
) -> float:
    return parameters.sweeps(spacing) * 1.6e-7 * shape[0] * shape[1]


def _summary(counts: Mapping[str, Any]) -> list[str]:
    years = f"dunes moved for {counts['years']:,.0f} years"
    worn = [f"{volume(counts['abraded'])} of rock worn"] if counts["abraded"] else []
    return [
        years,
        f"{counts['hops']:,} hops of sand, {counts['hops_per_second']:,.0f} a second",
        *worn,
    ]


PROCESS = Process(
    "dunes",
    "Dune Field",
    DuneParameters,
    door(__name__, "step.DuneStep"),
    icon="RNDCURVE",
    seconds=_seconds,
    seconds_to_compile=12.0,
    work=("hops", "hops"),
    summarized=("years", "hops", "hops_per_second", "abraded"),
    summary=_summary,
    masks=MASKS,
    scalable={"abrasion": "hardness"},
    reads=("moisture", "grass", "water_depth"),
    works_on_flat_land=lambda parameters: True,
)
