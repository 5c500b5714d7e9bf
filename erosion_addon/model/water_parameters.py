# SPDX-License-Identifier: GPL-3.0-or-later
"""The parameters of the water step."""

from dataclasses import dataclass

from .errors import InputError
from .parameters import Parameters, parameter


@dataclass(frozen=True)
class WaterParameters(Parameters):
    """Water that stands and runs on the grid, with soil in it and grass beside it."""

    duration: float = parameter(
        3.0, "How long it rains and runs, counted in hours of flood: more digs deeper.", low=0, high=10_000, unit="h"
    )
    rain: float = parameter(60.0, "Mean rain: more makes larger rivers.", low=0, high=10_000, unit="mm/h")
    cloud_cover: float = parameter(
        0.0, "Share of the sky under clouds; it rains below them only. 0 rains evenly.", low=0, high=1
    )
    cloud_size: float = parameter(1500.0, "Distance from cloud to cloud.", low=1, high=1e6, unit="m")
    wind_speed: float = parameter(10.0, "How fast clouds drift.", low=0, high=100, unit="m/s")
    wind_direction: float = parameter(
        0.0, "Where clouds drift to: 0 along the columns (x), 90 along the rows (y).", low=-360, high=360, unit="°"
    )
    evaporation: float = parameter(
        8.0, "Evaporation of still water: more dries up lakes.", low=0, high=10_000, unit="mm/h"
    )
    springs: tuple[tuple[float, ...], ...] = parameter(
        (), "Springs: place from the left and bottom edge (0-1), and m³ of water a second.",
        low=0, high=1e6, row_names=("x", "y", "rate"),
    )  # fmt: skip
    standing_water: str = parameter(
        "none", "Whether there is a water level: none, beyond open edges (a sea or river), or everywhere (a flood).",
        choices=("none", "edges", "everywhere"),
    )  # fmt: skip
    water_level: float = parameter(0.0, "Height of that level at the start.", low=-1e9, high=1e9, unit="m")
    water_rise: float = parameter(0.0, "How fast that level rises or falls.", low=-1e6, high=1e6, unit="m/h")
    friction: float = parameter(
        0.05, "Friction of the bed (Darcy's f / 8): more makes slower, deeper water.", low=0.001, high=10
    )
    pipe_depth: float = parameter(
        2.0, "Depth that waves are computed for; deeper water has slower waves, and longer steps.",
        low=0.01, high=1000, unit="m",
    )  # fmt: skip
    capacity: float = parameter(
        20.0, "Soil that 1 m of water at 1 m/s straight down can carry: more moves more.", low=0, high=1000, unit="s/m",
        seed_name="Kc",
    )  # fmt: skip
    minimum_tilt: float = parameter(
        0.02, "Slope that flat ground counts as: more keeps plains and lake floors moving.", low=0, high=1, unit="m/m"
    )
    pick_up: float = parameter(
        1.0, "Share of its spare capacity that water takes up in a minute.", low=0, high=1000, unit="1/min",
        seed_name="Ks",
    )  # fmt: skip
    settling: float = parameter(
        1.0, "Share of its excess load that water lays down in a minute: more fills near slopes, less far plains.",
        low=0, high=1000, unit="1/min", seed_name="Kd",
    )  # fmt: skip
    rock_erosion: float = parameter(
        150.0, "Rock that 1 m of water at 1 m/s turns into soil in an hour.", low=0, high=10_000, unit="m/h"
    )
    bank_erosion: float = parameter(
        80.0, "How far streams undercut their banks: more makes wider valleys; below 4 cells rivers follow the grid.",
        low=0, high=1e5, unit="m",
    )  # fmt: skip
    slide_angle: float = parameter(
        25.0, "Steepest slope of wet soil: less makes wide, soft valleys.", low=0, high=89, unit="°"
    )
    sliding: float = parameter(1.0, "How fast wet soil slides.", low=0, high=1000, unit="1/min")
    drying: float = parameter(
        0.3, "Share of its moisture that ground loses in an hour once water is gone.", low=0, high=1000, unit="1/h"
    )
    grass_growth: float = parameter(
        1.0, "How fast grass grows on wet, gentle, quiet soil, and dies elsewhere.", low=0, high=1000, unit="1/h"
    )
    grass_protection: float = parameter(0.8, "Share of all erosion that full grass keeps off.", low=0, high=1)
    gravity: float = parameter(
        9.81, "How strongly water is pulled downhill: more makes it faster.",
        low=0.01, high=1000, unit="m/s²", seed_name="g",
    )  # fmt: skip
    time_step: float = parameter(
        4.0, "Time between two looks at the ground; the water runs in shorter steps between them.",
        low=0.01, high=60, unit="s",
    )  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        for x, y, _ in self.springs:
            if x > 1 or y > 1:
                raise InputError(f"springs: one lies at ({x:g}, {y:g}), outside the terrain; x and y go from 0 to 1.")
