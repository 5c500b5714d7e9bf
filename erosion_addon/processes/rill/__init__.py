# SPDX-License-Identifier: GPL-3.0-or-later
"""Rills: water that follows the slope between cells."""

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
from ..shared.process import MASKS, Process, Proportion, Tiling
from .parameters import RillParameters

PROCESS = Process(
    "rill",
    "Light Droplets",
    RillParameters,
    door(__name__, "step.RillSteps"),
    icon="MATFLUID",
    seconds=seconds_of_drops(9e-6),
    seconds_to_compile=9.0,
    work=("drops", "drops"),
    summarized=DROPS_SUMMARIZED,
    summary=drops_in_words,
    masks=(*MASKS, "rain"),
    bytes_of_options=bytes_of_drops,
    scalable={"transfer_rate": "strength"},
    reads=("moisture", "grass"),
    writes=("flow", "moisture"),
    tiling=Tiling(
        scope="both",
        finest=size_of,
        # Soil takes up water by what it lacks and dries by what it has: in balance its odds are in
        # proportion to the drops.
        proportions={
            "flow": Proportion(),
            "moisture": Proportion(lambda moisture, share: share * wet_odds(moisture), moisture_at),
        },
        on_part=channels_on_part,
    ),
)
