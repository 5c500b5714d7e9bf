# SPDX-License-Identifier: GPL-3.0-or-later
"""Droplets: rain that erodes where it runs fast and deposits where it slows down."""

import math
from dataclasses import replace

import numpy as np

from ...base.arrays import Array
from ...base.doors import door
from ..shared.parameters import (
    DROPS_SUMMARIZED,
    bytes_of_drops,
    channels_on_part,
    drops_in_words,
    moisture_at,
    seconds_of_drops,
    size_of,
    wet_odds,
)
from ..shared.process import MASKS, Part, Process, Proportion, Tiling
from .parameters import MOST_DROPS, DropletParameters


def _fewer_drops(
    parameters: DropletParameters, longer: float, cell_size: float, larger: float
) -> DropletParameters:
    """Parameters for a preview on larger cells."""
    # Drops dig by the cell: on larger cells as many for each cell would dig deeper and wider. With
    # the square root the relief is the same: on 192² cells of alpine, arcane and canyon instead of
    # 512², the change of height had 0.97, 1.02 and 0.98 times the deviation of the full run (all
    # drops: 1.29, 1.16, 1.31), and correlated best with it. Steps with a `detail` do half of that
    # themselves, see `FeatureSizedSteps`.
    by_detail = parameters.feature_size == 0 and parameters.detail > 0
    finest = longer / parameters.detail if by_detail else parameters.feature_size
    fewer = math.sqrt(max(cell_size, finest) / max(larger, finest))
    return replace(
        parameters,
        drops_per_cell=parameters.drops_per_cell * (math.sqrt(fewer) if by_detail else fewer),
    )


def _on_part(parameters: DropletParameters, part: Part) -> DropletParameters:
    """Springs outside the window keep their drops: rain does not get them."""
    springs = part.springs(parameters.springs)
    total = math.fsum(rate for _, _, rate in parameters.springs)
    share = parameters.spring_share if total > 0.0 else 0.0
    rising = share and share * math.fsum(rate for _, _, rate in springs) / total * part.cells
    ratio = 1.0 - share + rising
    drops = min(parameters.drops_per_cell * ratio, MOST_DROPS)
    return replace(  # type: ignore[no-any-return]
        channels_on_part(parameters, part),
        springs=springs,
        drops_per_cell=drops,
        spring_share=rising / ratio if share and ratio else parameters.spring_share,
    )


def _wetness(moisture: Array, share: float) -> Array:
    """Topographic wetness, see `kernels.droplet.wetness`, which takes a share of the drops for
    all.
    """
    odds = wet_odds(moisture)
    return np.asarray(share * odds * odds)


PROCESS = Process(
    "droplet",
    "Droplets",
    DropletParameters,
    door(__name__, "step.DropletSteps"),
    icon="MOD_FLUIDSIM",
    seconds=seconds_of_drops(2.5e-6),
    seconds_to_compile=12.0,
    work=("drops", "drops"),
    summarized=DROPS_SUMMARIZED,
    summary=drops_in_words,
    masks=(*MASKS, "rain"),
    bytes_of_options=bytes_of_drops,
    scalable={"erosion_rate": "held"},
    reads=("grass", "surface_color"),
    writes=("flow", "moisture", "surface_color"),
    carries_color=True,
    works_in_cells=True,
    scaled_for_preview=_fewer_drops,
    tiling=Tiling(
        scope="both",
        finest=size_of,
        proportions={
            "flow": Proportion(),
            "moisture": Proportion(_wetness, lambda wetness: moisture_at(np.sqrt(wetness))),
        },
        on_part=_on_part,
    ),
)
