# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters of the wind step."""

import math

from ...base.parameters import Parameters, parameter
from ..shared.winds import check_rose, gustiness, wind_direction, wind_rose

FLOW_BYTES = 8 * 5 + 4 * 4
"""Memory per cell for the passing flow and its two maps."""

SHELTER_ANGLE = 12.0
"""Angle in degrees at which sheltered air thins out behind a height."""

MOISTURE_THRESHOLD = 0.1
"""How much harder the wind must blow to lift wet sand (moisture 1)."""

GRASS_DRAG = 0.8
"""Share of the wind at the ground that full grass takes; sand under it does not move."""


class WindParameters(Parameters):
    """Wind piles sand into dunes and wears obstacles (McDonald 2020). Motion, suspension, settling
    and abrasion follow the source.
    """

    particles_per_cell: float = parameter(
        1.0,
        "Duration of the wind: higher values move the dunes further.",
        low=0,
        high=10000,
        unit="1/cell",
        soft_high=20,
        step=0.01,
    )
    direction: float = wind_direction(45.0)
    wind_rose: tuple[tuple[float, ...], ...] = wind_rose()
    gustiness: float = gustiness()
    wind_speed: float = parameter(
        math.sqrt(2),
        "Speed of the wind in feature sizes per second: lower values make smaller, sharper dunes.",
        low=0.05,
        high=100,
        seed_name="pspeed",
        soft_high=5,
    )
    suspension: float = parameter(
        0.0001,
        "Sand lifted by the wind: higher values move more sand.",
        low=0,
        high=1,
        unit="1/s",
        soft_high=0.01,
        group="Sand",
        needs=("flight", "particles"),
    )
    abrasion: float = parameter(
        0.0001,
        "Rate at which airborne sand wears bare rock: higher values round and lower obstacles.",
        low=0,
        high=1,
        unit="1/s",
        soft_high=0.01,
        group="Sand",
    )
    settling: float = parameter(
        0.01,
        "Speed at which disturbed heaps slide: higher values make flatter, smoother dunes.",
        low=0,
        high=1,
        unit="1/s",
        soft_high=0.1,
        group="Sand",
    )
    creep: float = parameter(
        0.001,
        (
            "Rolling of grains where the wind touches the ground: higher values smooth "
            "windward slopes."
        ),
        low=0,
        high=0.1,
        unit="1/s",
        soft_low=0.0002,
        soft_high=0.02,
        group="Sand",  # nothing else smooths single cells
    )
    repose_angle: float = parameter(
        22.0,
        "Steepest slope that sand holds: higher values make higher, rougher dunes.",
        low=0,
        high=80,
        unit="°",
        seed_name="roughness",
    )
    fallout: float = parameter(
        0.03,
        "Speed at which sand falls out of the air: lower values carry it further, in the end "
        "off the terrain; 0.0001 as in the source.",
        low=0,
        high=4,
        unit="1/s",
        soft_high=0.5,
        seed_name="suspension",
        group="Sand",
        needs=("flight", "particles"),
    )
    shelter: float = parameter(
        1.0,
        (
            "Calm of the air behind heights: higher values pile up sand in their lee; 0 as in "
            "the source."
        ),
        low=0,
        high=1,
        group="Shelter",
    )
    air_lift: float = parameter(
        0.0,
        "Lift of flying sand by the wind: higher values keep dust up.",
        low=0,
        high=1,
        unit="1/s",
        soft_high=0.1,
        group="Flying Sand",
        needs=("flight", "particles"),
    )
    air_drag: float = parameter(
        0.0,
        "Drag on flying sand: higher values slow jumps down, and their fall.",
        low=0,
        high=2,
        unit="1/s",
        soft_high=1,
        group="Flying Sand",
        needs=("flight", "particles"),
    )
    supply: float = parameter(
        0.0,
        (
            "Sand that the wind brings, as its thickness all over the terrain: higher values feed "
            "larger dunes."
        ),
        low=0,
        high=1e6,
        unit="m",
        soft_high=20,
    )
    pace: float = parameter(
        100.0,
        (
            "Number of the source's particles that one particle stands for: higher values are "
            "faster and coarser."
        ),
        low=1,
        high=10000,
        soft_high=1000,
        group="Computation",
    )
    feature_size: float = parameter(
        10.0,
        "Length that a cell of the source stands for: all dunes grow with it.",
        low=1e-3,
        high=1e6,
        unit="m",
        soft_low=1,
        soft_high=100,
    )
    maximum_path: float = parameter(
        1.0,
        "Longest path of a particle, as a multiple of the terrain's longer side; for bouncing "
        "particles the distance of creep on level ground.",
        low=0.01,
        high=100,
        unit="sides",
        soft_high=5,
        group="Computation",
    )

    flow_maps: bool = parameter(
        False,
        (
            "Record the wind near the ground and the sand that it moves, as the maps Wind Flow "
            "and Sand Flow."
        ),
        group="Computation",
    )

    boundary_layer: float = parameter(
        2.0,
        "Height to which the air is slowed by the ground and holds sand, in feature sizes.",
        low=0.01,
        high=100,
        soft_high=10,
        seed_name="boundarylayer",
        group="Boundary Layer",
        needs=("flight", "boundary layer"),
    )
    capacity: float = parameter(
        0.3,
        (
            "Sand that the air holds over level ground, as thickness in feature sizes: higher "
            "values move dunes further."
        ),
        low=1e-4,
        high=10,
        soft_high=2,
        group="Boundary Layer",
        needs=("flight", "boundary layer"),
    )
    windward_lift: float = parameter(
        50.0,
        (
            "Extra lift where the wind blows against a slope: higher values make steeper, "
            "narrower dunes."
        ),
        low=0,
        high=1000,
        soft_high=200,
        group="Boundary Layer",
        needs=("flight", "boundary layer"),
    )
    exchange: float = parameter(
        0.05,
        (
            "Share of its spare capacity that the air takes up on a feature size: higher "
            "values make smaller dunes."
        ),
        low=0,
        high=1,
        seed_name="suspension",
        group="Boundary Layer",
        needs=("flight", "boundary layer"),
    )
    load_weight: float = parameter(
        0.1,
        "Speed at which loaded air sinks: higher values let sand fall closer behind crests.",
        low=0,
        high=10,
        soft_high=1,
        seed_name="gravity",
        group="Boundary Layer",
        needs=("flight", "boundary layer"),
    )
    load_drag: float = parameter(
        0.3,
        "Slowing of the air by its load.",
        low=0,
        high=1,
        seed_name="drag",
        group="Boundary Layer",
        needs=("flight", "boundary layer"),
    )
    turbulence: float = parameter(
        0.1,
        "Turbulence where the air meets a slope: higher values make rougher dunes.",
        low=0,
        high=1,
        group="Boundary Layer",
        needs=("flight", "boundary layer"),
    )
    flight: str = parameter(
        "particles",
        "Motion of sand. Particles that bounce and creep suit seas of sand, but dissolve lone "
        "dunes on rock. Suspended sand keeps lone dunes together and gives them horns.",
        choices={
            "particles": "Grains that fly, bounce and creep: seas of sand, and worn obstacles",
            "boundary layer": "Sand suspended near the ground: lone dunes with horns",
        },
        group="As Published",
    )
    slides: str = parameter(
        "pairs",
        (
            "Direction in which heaps slide: between pairs of cells, as in the source, or down "
            "the true slope."
        ),
        choices={
            "pairs": (
                "Between a cell and each of its eight neighbors, as in the source: heaps are "
                "octagons"
            ),
            "slope": "Down the true slope: heaps are round",
        },
        group="As Published",
    )
    time_step: float = parameter(
        0.25,
        "Time step where cells are as wide as the feature size; finer cells get a shorter one.",
        low=0.01,
        high=0.5,
        unit="s",
        soft_low=0.05,
        seed_name="dt",
        group="As Published",
        needs=("flight", "particles"),
    )
    gravity: float = parameter(
        0.01,
        "Speed at which flying sand falls: higher values make shorter jumps.",
        low=0,
        high=10,
        unit="heights/s²",
        soft_high=0.1,
        group="As Published",
        needs=("flight", "particles"),
    )
    response: float = parameter(
        0.1,
        "Rate at which sand takes on the speed of the wind: higher values carry it further up "
        "slopes.",
        low=0,
        high=2,
        unit="1/s",
        soft_low=0.01,
        soft_high=1,
        group="As Published",
        needs=("flight", "particles"),
    )
    vertical_scale: float = parameter(
        80.0,
        "Height of the source's map in feature sizes: the height to which the ground throws sand.",
        low=1,
        high=10000,
        soft_high=500,
        seed_name="scale",
        group="As Published",
        needs=("flight", "particles"),
    )

    retired = {
        "shelter_angle": (SHELTER_ANGLE, "Change shelter for stiller or windier lees."),
        "moisture_threshold": (MOISTURE_THRESHOLD, "Paint the mask Strength where sand must stay."),
        "grass_hold": (1.0, "Paint the mask Strength where sand must stay."),
        "grass_drag": (GRASS_DRAG, "Paint the mask Strength where sand must stay."),
    }

    def __post_init__(self) -> None:
        check_rose(self.wind_rose)
