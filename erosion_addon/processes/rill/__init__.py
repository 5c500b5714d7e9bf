# SPDX-License-Identifier: GPL-3.0-or-later
"""Rills: water that follows the slope between cells."""

from ..shared.coarse_step import AtFeatureSize, channels_on_part
from ..shared.particle_step import DROPS_TOLD, bytes_of_drops, drops_in_words, seconds_of_drops
from ..shared.process import MASKS, Process
from .step import RillParameters, RillStep

PROCESS = Process(
    "rill",
    "Light Droplets",
    RillParameters,
    AtFeatureSize(RillStep),
    icon="MATFLUID",
    seconds=seconds_of_drops(9e-6),
    seconds_to_compile=9.0,
    work=("drops", "drops"),
    told=DROPS_TOLD,
    summary=drops_in_words,
    masks=(*MASKS, "rain"),
    bytes_of_options=bytes_of_drops,
    scalable={"transfer_rate": "strength"},
    reads=("moisture", "grass"),
    writes=("flow", "moisture"),
    scope="both",
    on_part=channels_on_part,
)
