# SPDX-License-Identifier: GPL-3.0-or-later
"""The parameters of the water step."""

import math

from ...base.parameters import Parameters, parameter
from ..shared.parameters import UNDER_GRASS, require_on_terrain

COURANT = 0.7
"""Courant number: share of the longest stable time step that is used."""

MOST_SUB_STEPS = 10_000
"""Greatest number of sub-steps per time step; more indicate a mistake in the parameters."""


SCALED = ("capacity", "pick_up", "settling", "evaporation")
"""Parameters with masks in the kernel, in its order: see `kernels.banks.CARRIED`."""

FRICTION = 0.05
"""Friction of the bed: Darcy's f / 8."""

SLIDING = 1.0
"""Share of the excess slope of wet soil that slides away in a minute."""


class WaterParameters(Parameters):
    """Rivers, lakes, seas and floods: water that stands and runs, with soil in it and grass beside
    it.
    """

    duration: float = parameter(
        3.0,
        "Duration of rain and flow, in hours of flood: higher values dig deeper.",
        low=0,
        high=10_000,
        unit="h",
        soft_high=24,
    )
    rain: float = parameter(
        60.0,
        "Mean rain: higher values make larger rivers.",
        low=0,
        high=10_000,
        unit="mm/h",
        soft_high=200,
    )
    cloud_cover: float = parameter(
        0.0,
        (
            "Share of the sky under clouds; it rains only below them. Higher values spread "
            "the rain; 0 rains evenly."
        ),
        low=0,
        high=1,
        group="Clouds",
    )
    cloud_size: float = parameter(
        1500.0,
        "Distance from cloud to cloud: higher values leave whole valleys dry beside wet ones.",
        low=1,
        high=1e6,
        unit="m",
        soft_high=10_000,
        group="Clouds",
        needs=("cloud_cover",),
    )
    wind_speed: float = parameter(
        10.0,
        "Speed of the clouds: higher values distribute the rain more evenly.",
        low=0,
        high=100,
        unit="m/s",
        soft_high=30,
        group="Clouds",
        needs=("cloud_cover",),
    )
    wind_direction: float = parameter(
        0.0,
        "Direction in which clouds drift: 0 along the columns (x), 90 along the rows (y).",
        low=-360,
        high=360,
        unit="°",
        soft_low=-180,
        soft_high=180,
        group="Clouds",
        needs=("cloud_cover",),
    )
    evaporation: float = parameter(
        8.0,
        "Evaporation of still water: higher values dry up lakes.",
        low=0,
        high=10_000,
        unit="mm/h",
        soft_high=10_000,
        step=1,
    )
    springs: tuple[tuple[float, ...], ...] = parameter(
        (),
        "Springs: position from the left and bottom edges (0-1), and m³ of water a second.",
        low=0,
        high=1e6,
        row_names=("x", "y", "rate"),
    )
    standing_water: str = parameter(
        "none",
        (
            "Extent of standing water: none, beyond open edges (a sea or river), or "
            "everywhere (a flood)."
        ),
        choices={
            "none": "Only rain and springs bring water",
            "edges": ("A sea beyond the open edges floods lower land; its salty shore is bare"),
            "everywhere": (
                "A flood: land below the level is under water from the start, like the surroundings"
            ),
        },
        group="Standing Water",
    )
    flooded: float = parameter(
        0.0,
        "Share of the land below the water level, whatever its height: higher values drown more. "
        "Off: by Water Level alone.",
        low=0,
        high=1,
        zero="Off",
        usual=0.25,
        group="Standing Water",
        needs=("standing_water", "edges", "everywhere"),
    )
    water_level: float = parameter(
        0.0,
        (
            "Height of the water level at the start, above 0 m or above the flooded share: higher "
            "values flood more land."
        ),
        low=-1e9,
        high=1e9,
        unit="m",
        soft_low=-1000,
        soft_high=1000,
        step=1,
        group="Standing Water",
        needs=("standing_water", "edges", "everywhere"),
    )
    pipe_depth: float = parameter(
        2.0,
        (
            "Depth up to which waves get faster with depth: higher values let deep water run "
            "faster, and take longer."
        ),
        low=0.01,
        high=1000,
        unit="m",
        soft_high=20,
        group="Flow",
    )
    capacity: float = parameter(
        20.0,
        "Soil that 1 m of water at 1 m/s straight down can carry: higher values move more.",
        low=0,
        high=1000,
        unit="s/m",
        soft_high=100,
        seed_name="Kc",
        group="Sediment",
    )
    minimum_tilt: float = parameter(
        0.02,
        "Minimum slope for the load of water: higher values keep plains and lake floors moving.",
        low=0,
        high=1,
        unit="m/m",
        soft_high=0.5,
        step=0.001,
        group="Sediment",
    )
    pick_up: float = parameter(
        1.0,
        (
            "Share of its spare capacity that water takes up in a minute: higher values load "
            "streams sooner."
        ),
        low=0,
        high=1000,
        unit="1/min",
        soft_high=10,
        seed_name="Ks",
        group="Sediment",
    )
    settling: float = parameter(
        1.0,
        (
            "Share of its excess load that water deposits in a minute: higher values fill near "
            "slopes, and plains less."
        ),
        low=0,
        high=1000,
        unit="1/min",
        soft_high=10,
        seed_name="Kd",
        group="Sediment",
    )
    rock_erosion: float = parameter(
        150.0,
        (
            "Rock that 1 m of water at 1 m/s turns into soil in an hour: higher values cut deeper "
            "valleys."
        ),
        low=0,
        high=10_000,
        unit="m/h",
        soft_high=1000,
    )
    bank_erosion: float = parameter(
        80.0,
        (
            "Distance to which streams undercut their banks: higher values make wider "
            "valleys; below 4 cells rivers follow the grid."
        ),
        low=0,
        high=1e5,
        unit="m",
        soft_high=400,
        needs=("rock_erosion",),
    )
    slide_angle: float = parameter(
        25.0,
        "Steepest slope of wet soil: lower values make wide, soft valleys.",
        low=0,
        high=89,
        unit="°",
        group="Slides",
    )
    drying: float = parameter(
        0.3,
        (
            "Share of its moisture that ground loses in an hour once water is gone: higher values "
            "leave only banks wet."
        ),
        low=0,
        high=1000,
        unit="1/h",
        soft_high=2,
        group="Moisture and Grass",
    )
    grass_growth: float = parameter(
        1.0,
        (
            "Speed at which grass grows on wet, gentle, quiet soil, and dies elsewhere: "
            "higher values follow the water sooner."
        ),
        low=0,
        high=1000,
        unit="1/h",
        soft_high=50,
        group="Moisture and Grass",
    )
    gravity: float = parameter(
        9.81,
        "Gravity on the water: higher values make it faster.",
        low=0.01,
        high=1000,
        unit="m/s²",
        soft_high=20,
        seed_name="g",
        group="Flow",
    )
    time_step: float = parameter(
        4.0,
        "Time between two updates of the ground, while the water takes shorter steps: higher "
        "values are faster and coarser.",
        low=0.01,
        high=60,
        unit="s",
        soft_low=0.5,
        soft_high=20,
        group="Flow",
    )

    retired = {
        "water_rise": (0.0, "Use several water steps, each with its own water_level."),
        "friction": (FRICTION, "Change pipe_depth for faster or slower water."),
        "sliding": (SLIDING, "Set slide_angle to 89 for no slides."),
        **UNDER_GRASS,
    }

    def __post_init__(self) -> None:
        require_on_terrain(self.springs)

    def sub_steps(self, spacing: tuple[float, float]) -> int:
        """Number of sub-steps per time step, on cells of (row, column) spacing in meters."""
        row_spacing, col_spacing = spacing
        longest = longest_step(row_spacing, col_spacing, self.gravity, self.pipe_depth)
        return math.ceil(self.time_step / longest)


def longest_step(
    row_spacing: float, col_spacing: float, gravity: float, pipe_depth: float
) -> float:
    """Sub-step in seconds: `COURANT` of the stability limit in `flow.run_water`."""
    along = 1.0 / (row_spacing * row_spacing)
    across = 1.0 / (col_spacing * col_spacing)
    return COURANT / math.sqrt(gravity * pipe_depth * (along + across))
