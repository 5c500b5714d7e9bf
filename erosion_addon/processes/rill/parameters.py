# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters of light droplets."""

from ...base.parameters import Parameters, parameter
from ..shared.parameters import (
    UNDER_GRASS,
    coarse_to_fine,
    creep,
    detail,
    feature_size,
    maximum_path,
    slope_limit,
)


class RillParameters(Parameters):
    """Light drops cut fine rills, fill wide floors and leave the ground moist (jehoz 2023). Rates
    are per meter, not per cell.
    """

    drops_per_cell: float = parameter(
        0.75,
        "Amount of rain: more drops cut deeper rills and fill wider floors.",
        low=0,
        high=1000,
        unit="1/cell",
        soft_high=5,
        step=0.01,  # from 8 on needles are left in plains
    )
    feature_size: float = feature_size()
    detail: int = detail()
    form: str = parameter(
        "simple",
        (
            "Model of the drops: simple leveling of the ground, as published, or transport "
            "with conserved mass."
        ),
        choices={
            "simple": (
                "Drops smooth the ground along their path. Mass is not conserved; see the report"
            ),
            "capacity": "Drops erode, carry and deposit. Mass is conserved",
            "uncapped": (
                "Like Capacity, but a step may move more than the height difference between "
                "two points"
            ),
        },
    )
    gravity: float = parameter(
        0.01,
        (
            "Acceleration of drops downhill: higher values leave slopes drier, and let the "
            "capacity form carry more."
        ),
        low=0,
        high=1000,
        unit="1/m",
        soft_high=0.1,
        group="Drops",
    )
    friction: float = parameter(
        0.005,
        "Share of its speed that a drop loses per meter: higher values make it follow every bend.",
        low=0,
        high=1000,
        unit="1/m",
        soft_high=0.1,
        group="Drops",
    )
    transfer_rate: float = parameter(
        0.5,
        (
            "Share of the height between two places that a drop levels: higher values cut deeper "
            "rills."
        ),
        low=0,
        high=1,
    )
    sediment_ratio: float = parameter(
        3.0,
        ("Ratio of filling to digging: higher values fill valleys to wider, flatter floors."),
        low=0,
        high=100,
        soft_low=0.5,
        soft_high=10,  # below it floors are pitted, or drained to the edges' height
    )
    capacity: float = parameter(
        100.0,
        "Load that a drop can carry, in the capacity form: higher values take material further.",
        low=0,
        high=1e6,
        unit="m",
        soft_high=1000,
        needs=("form", "capacity", "uncapped"),
    )
    evaporation: float = parameter(
        0.001,
        "Share of its water that a drop loses per meter: higher values make shorter paths.",
        low=0,
        high=1000,
        unit="1/m",
        soft_high=0.02,
        group="Drops",
    )
    maximum_path: float = maximum_path()
    soil_absorption: float = parameter(
        0.05,
        "Wetting of the ground below a slow drop: higher values make wider wet ground.",
        low=0,
        high=1000,
        unit="1/m",
        soft_high=1,
        group="Moisture",
    )
    soil_evaporation: float = parameter(
        10.0,
        (
            "Drying of the ground while a drop falls on each cell: higher values leave only "
            "the grooves wet."
        ),
        low=0,
        high=1000,
        unit="cells/drop",
        soft_high=100,
        group="Moisture",
    )
    slope_limit: float = slope_limit()
    creep: float = creep()
    coarse_to_fine: bool = coarse_to_fine()
    minimum_volume: float = parameter(
        0.01,
        "Share of its water at which a drop ends: higher values make shorter paths.",
        low=0,
        high=1,
        soft_high=0.5,
        step=0.001,
        group="As Published",
    )

    retired = UNDER_GRASS
