# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters of rivers, their beds, the sea and the analysis of drainage."""

from typing import Any

from ..base.parameters import Parameters, parameter


def sea_level(group: str = "", needs: tuple[str, ...] = ("sea",)) -> Any:
    """Parameter: sea level, beside the switch that it needs."""
    return parameter(
        0.0,
        "Height of the sea.",
        low=-1e9,
        high=1e9,
        unit="m",
        soft_low=-1000,
        soft_high=1000,
        step=1,
        group=group,
        needs=needs,
    )


class SeaParameters(Parameters):
    """Sea level."""

    sea_level: float = sea_level(needs=())


class RiverParameters(Parameters):
    """Sources and sizes of rivers."""

    source_area: float = parameter(
        0.0,
        (
            "Drainage area at which a river begins: lower values show more brooks. Auto: a 300th "
            "of the terrain."
        ),
        low=0,
        high=1e9,
        unit="km²",
        soft_high=10,
        step=0.1,
        zero="Auto",
        usual=0.1,
    )
    runoff: float = parameter(
        40.0,
        "Water that the land sheds, here in a wet season: higher values make wider rivers.",
        low=0.001,
        high=1e5,
        unit="mm/day",
        soft_low=1,
        soft_high=500,
        step=1,
    )
    width: float = parameter(
        1.0,
        "Factor of the width and depth of rivers that follow from their discharge.",
        low=0.01,
        high=100,
        soft_high=5,
        step=0.1,
    )
    lake_area: float = parameter(
        0.0,
        "Minimum area of a lake; smaller ones are left out. Auto: 20 cells.",
        low=0,
        high=1e12,
        unit="m²",
        soft_high=100_000,
        step=100,
        zero="Auto",
        usual=1000.0,
    )
    lake_depth: float = parameter(
        0.0,
        (
            "Minimum depth of a lake at its deepest point; shallower ones are left out. Auto: a "
            "tenth of a cell."
        ),
        low=0,
        high=1e6,
        unit="m",
        soft_high=20,
        zero="Auto",
        usual=1.0,
    )
    sea: bool = parameter(False, "Rivers end in a sea.")
    sea_level: float = sea_level()
    limited_water: bool = parameter(
        False,
        (
            "Fill lakes with the water of one rainfall only; it may spill over, and lakes may "
            "merge. Off: all lakes are full."
        ),
    )
    rain: float = parameter(
        100.0,
        "Rainfall that runs down to the lakes: higher values fill more of them.",
        low=0,
        high=1e7,
        unit="mm",
        soft_high=2000,
        step=1,
        needs=("limited_water",),
    )
    rain_volume: float = parameter(
        0.0,
        (
            "Total water of the rainfall, in place of its depth. From Rain: rain times the "
            "terrain's area."
        ),
        low=0,
        high=1e15,
        unit="m³",
        soft_high=10_000_000,
        step=1000,
        zero="From Rain",
        usual=100_000.0,
        needs=("limited_water",),
    )

    def rain_depth(self, area: float) -> float:
        """Depth of the rainfall in m, on a terrain of `area` m²."""
        return self.rain_volume / area if self.rain_volume else self.rain * 1e-3

    @property
    def rain_text(self) -> str:
        """The rainfall as it is given, in words."""
        return f"{self.rain_volume:g} m³" if self.rain_volume else f"{self.rain:g} mm"


class CutParameters(Parameters):
    """Depth and banks of the cut of a river into the ground."""

    incision: float = parameter(
        1.0, "Depth of the water level below the ground.", low=0, high=1e5, unit="m", soft_high=50
    )
    bank: float = parameter(
        35.0,
        "Slope of the banks: higher values make gorges where the river crosses hills.",
        low=1,
        high=85,
        unit="°",
    )


class BedParameters(CutParameters):
    """Cross-section of a carved river."""

    width: float = parameter(
        0.0,
        "Width of the water; at least two cells. Auto: two cells.",
        low=0,
        high=1e5,
        unit="m",
        soft_high=100,
        zero="Auto",
        usual=10.0,
    )
    depth: float = parameter(
        0.0,
        "Depth of the bed below the water. Auto: as in rivers of that width, 0.5 m for 10 m.",
        low=0,
        high=1e5,
        unit="m",
        soft_high=20,
        zero="Auto",
        usual=1.0,
    )


class AnalysisParameters(Parameters):
    """Threshold of channels, and the end of rivers."""

    channel_area: float = parameter(
        0.0,
        "Drainage area from which a channel begins: lower values show smaller brooks. Auto: a "
        "thousandth of the terrain.",
        low=0,
        high=1e9,
        unit="km²",
        soft_high=10,
        step=0.01,
        zero="Auto",
        usual=0.1,
    )
    sea: bool = parameter(False, "Rivers end in the sea. Cells below sea level are not land.")
    sea_level: float = sea_level()
