# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters of weathering."""

import math

from ...base.parameters import Parameters, parameter
from ..shared.parameters import UNDER_GRASS

FEWEST_STEPS = 16
"""Fewest time steps of a run, so that weathering and creep interact."""

COVER_PER_STEP = 0.05
"""Greatest weathering of bare rock in a time step, in cover depths: what creep lays bare then
weathers as if it had been bare all the time, within half as much.
"""

MOISTURE_EFFECT = 0.5
"""How much faster wet ground weathers than dry: 1 would spare dry rock altogether."""


class WeatherParameters(Parameters):
    """Rock turns to loose material, fastest where it is bare, and its cover creeps downhill;
    defaults as measured in the hills of California (Heimsath et al. 1997).
    """

    duration: float = parameter(
        50000.0,
        "Duration of weathering: higher values bury the rock and round the hills.",
        low=0,
        high=1e8,
        unit="years",
        soft_high=500_000,
        step=1000,
    )
    production: float = parameter(
        0.08,
        "Rate at which bare rock turns to loose material: higher values make a thicker cover.",
        low=0,
        high=100,
        unit="mm/year",
        seed_name="P0",
        soft_high=1,
        width_power=1,
    )
    cover_depth: float = parameter(
        0.45,
        "Cover under which rock weathers at 1/e of that speed: higher values let it grow thicker.",
        low=0.001,
        high=1000,
        unit="m",
        soft_low=0.05,
        soft_high=5,
        needs=("production",),  # less takes many time steps
        width_power=1,
    )
    diffusivity: float = parameter(
        0.005,
        "Rate at which the cover creeps downhill: higher values round crests and fill hollows.",
        low=0,
        high=1000,
        unit="m²/year",
        seed_name="D",
        soft_high=0.1,
        width_power=2,
    )

    retired = {
        "moisture_effect": (MOISTURE_EFFECT, "Let the map moisture scale production."),
        **UNDER_GRASS,
    }

    def time_steps(self, spacing: tuple[float, float]) -> int:
        """Number of time steps on cells of (row, column) spacing in meters, for stable creep."""
        curvature = 1 / (spacing[0] * spacing[0]) + 1 / (spacing[1] * spacing[1])
        covers = self.production / 1000 * self.duration / (self.cover_depth * COVER_PER_STEP)
        count = max(FEWEST_STEPS, 4 * self.diffusivity * self.duration * curvature, covers)
        return math.ceil(count) if self.duration else 0
