# SPDX-License-Identifier: GPL-3.0-or-later
"""The processes there are: what a recipe calls them, their parameters, and what runs them."""

from dataclasses import dataclass
from typing import Any

from ..base.parameters import Parameters
from .droplet.step import DropletParameters, DropletStep
from .rill.step import RillParameters, RillStep
from .shared.coarse_step import AtFeatureSize
from .talus.step import TalusParameters, TalusStep
from .water.parameters import WaterParameters
from .water.step import WaterStep
from .weathering.step import WeatherParameters, WeatherStep
from .wind.parameters import WindParameters
from .wind.step import WindStep


@dataclass(frozen=True)
class Process:
    """One kind of step. `step(state, parameters, key)` makes a `RunningStep`."""

    kind: str
    label: str
    parameters: type[Parameters]
    step: Any
    masks: tuple[str, ...] = ("strength", "hardness", "sediment", "protect", "plot")
    """The kinds of masks that it reads."""

    @property
    def about(self) -> str:
        """What it does, in a sentence or two."""
        return " ".join((self.parameters.__doc__ or "").split())


_RAINED_ON = (*Process.masks, "rain")

PROCESSES: dict[str, Process] = {
    process.kind: process
    for process in (
        Process("droplet", "Droplets", DropletParameters, AtFeatureSize(DropletStep, by_the_cell=True), _RAINED_ON),
        Process("rill", "Light Droplets", RillParameters, AtFeatureSize(RillStep), _RAINED_ON),
        Process("water", "Water", WaterParameters, WaterStep, _RAINED_ON),
        Process("wind", "Wind", WindParameters, WindStep, (*Process.masks, "source")),
        Process("talus", "Talus", TalusParameters, TalusStep),
        Process("weather", "Weathering", WeatherParameters, WeatherStep),
    )
}
