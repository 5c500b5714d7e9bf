# SPDX-License-Identifier: GPL-3.0-or-later
"""Uplift and rivers: land rises, and rivers cut a connected network of valleys."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ...base.doors import door
from ...terrain.fields import RISE
from ..shared.process import MASKS, Part, Process, Spacing, Tiling, volume
from .parameters import COARSE_BYTES, COARSE_SHARE, COARSE_STEPS, STEPS, UpliftParameters

_YEARS_ON_TILES = 0.3
"""Share of the years that rivers run once more on the tiles of a landscape."""


def _seconds(
    parameters: UpliftParameters, shape: tuple[int, int], spacing: Spacing, edges: str
) -> float:
    steps = (STEPS - COARSE_STEPS) / (1.0 - COARSE_SHARE) if parameters.coarse_to_fine else STEPS
    return steps * 1.0e-7 * shape[0] * shape[1] if parameters.years else 0.0


def _summary(counts: Mapping[str, Any]) -> list[str]:
    raised = [f"{volume(counts['raised'])} raised"] if counts["raised"] else []
    return [f"rivers cut {volume(counts['cut'])} in {counts['years']:,.0f} years", *raised]


def _without_rising(parameters: UpliftParameters) -> UpliftParameters:
    """Parameters on tiles: rivers cut through the detail that the coarse cells, on which the land
    rose, do not have.
    """
    # After these years all land of *alpine* on a fractal drains freely, as in one piece; after a
    # sixth of the years, two thirds do. Coarse to fine takes half of the time and leaves the same
    # figures: drainage, concavity, slopes, borders.
    return replace(
        parameters, uplift=0.0, years=_YEARS_ON_TILES * parameters.years, coarse_to_fine=True
    )


def _on_part(parameters: UpliftParameters, part: Part) -> UpliftParameters:
    """Slopes as long as on the whole; on coarser cells the border of a window would take part."""
    return replace(
        parameters,
        hillslope_length=parameters.hillslope(part.terrain, part.spacing),
        coarse_to_fine=False,
    )


PROCESS = Process(
    "uplift",
    "Uplift and Rivers",
    UpliftParameters,
    door(__name__, "step.UpliftStep"),
    icon="IPO_ELASTIC",
    seconds=_seconds,
    seconds_to_compile=14.0,
    work=("years", "years"),
    summarized=("years", "cut", "raised"),
    summary=_summary,
    masks=(*MASKS, "rain", "uplift", "outlet"),
    scalable={"uplift": "uplift"},
    reads=("grass",),
    writes=(RISE,),
    bytes_of_options=lambda parameters: COARSE_BYTES if parameters.coarse_to_fine else 0,
    works_on_flat_land=lambda parameters: parameters.uplift > 0,
    tiling=Tiling(scope="both", on_tile=_without_rising, on_part=_on_part),
)
