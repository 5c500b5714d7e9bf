# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters of droplets."""

from ...base.parameters import Parameters, parameter
from ..shared.parameters import (
    UNDER_GRASS,
    coarse_to_fine,
    creep,
    detail,
    feature_size,
    maximum_path,
    require_on_terrain,
    slope_limit,
)

MOST_DROPS = 1000
"""Drops for each cell."""


class DropletParameters(Parameters):
    """Drops of rain run downhill one by one, dig gullies and valleys, and lay down fans below them
    (Ranmantaru 2011); the defaults are the source's. A step is one cell long.
    """

    drops_per_cell: float = parameter(
        1.0,
        "Amount of rain: more drops dig deeper valleys and fill wider plains.",
        low=0,
        high=MOST_DROPS,
        unit="1/cell",
        soft_high=5,  # as the source's drops dig, from 8 on spikes in a plain are left
    )
    feature_size: float = feature_size()
    detail: int = detail()
    capacity: float = parameter(
        10.0,
        "Load that a drop can carry: higher values dig deeper and build higher fans.",
        low=0,
        high=1000,
        seed_name="Kq",
        soft_high=40,
        step=0.01,
    )
    evaporation: float = parameter(
        0.001,
        "Share of its water that a drop loses each step: higher values shorten rivers.",
        low=0,
        high=1,
        unit="1/step",
        seed_name="Kw",
        soft_high=0.5,
        step=0.001,
    )
    erosion_rate: float = parameter(
        0.9,
        (
            "Share of its spare capacity that a drop digs out each step: higher values cut "
            "sharper gullies."
        ),
        low=0,
        high=1,
        unit="1/step",
        seed_name="Kr",
        step=0.001,
    )
    deposition_rate: float = parameter(
        0.02,
        (
            "Share of its excess load that a drop deposits each step: higher values fill the foot "
            "of the slopes."
        ),
        low=0,
        high=1,
        unit="1/step",
        seed_name="Kd",
        soft_high=0.5,
        step=0.001,  # beyond it each cell is a heap
    )
    inertia: float = parameter(
        0.1,
        "Persistence of a drop's direction: higher values make smoother, wider bends.",
        low=0,
        high=0.99,
        seed_name="Ki",
    )
    minimum_slope: float = parameter(
        0.05,
        "Minimum slope for the load of drops: higher values let rivers dig on plains.",
        low=0,
        high=10,
        unit="m/m",
        seed_name="minSlope",
        soft_high=2,
    )
    gravity: float = parameter(
        20.0,
        "Acceleration of drops downhill: higher values erode steep slopes harder.",
        low=0,
        high=1000,
        seed_name="g",
        soft_high=50,
    )
    maximum_path: float = maximum_path()
    springs: tuple[tuple[float, ...], ...] = parameter(
        (),
        "Springs: position from the left and bottom edges (0-1), and amount of water.",
        low=0,
        high=1e6,
        row_names=("x", "y", "rate"),
        group="Springs",
    )
    spring_share: float = parameter(
        0.5,
        (
            "Share of all drops that rise from the springs: higher values dig below them, and "
            "less elsewhere."
        ),
        low=0,
        high=1,
        group="Springs",
        needs=("springs",),
    )
    wetness: float = parameter(
        5000.0,
        (
            "Catchment per slope at which the ground is half wet: higher values leave the ground "
            "drier."
        ),
        low=1,
        high=1e9,
        unit="m",
        soft_high=50_000,
        step=100,
        group="Moisture and Color",
    )
    color_depth: float = parameter(
        0.5,
        (
            "Thickness of sediment that hides half of the ground's color: higher values let it "
            "shine through."
        ),
        low=1e-6,
        high=1e6,
        unit="m",
        soft_high=10,
        step=0.01,
        group="Moisture and Color",
    )
    slope_limit: float = slope_limit()
    creep: float = creep()
    coarse_to_fine: bool = coarse_to_fine()
    erosion_footprint: str = parameter(
        "brush",
        (
            "Where a drop digs: a soft brush of 4 × 4 cells, or the 4 cells around it for narrow "
            "gullies."
        ),
        choices={
            "brush": "4 × 4 cells, most in their middle: soft, wide channels",
            "bilinear": "The 4 cells around the drop: narrow gullies, each as wide as a cell",
        },
        group="As Published",
    )
    deposit_footprint: str = parameter(
        "bilinear",
        (
            "Where a drop deposits its load: mostly on the nearest cell, or equally on the 4 "
            "cells around it."
        ),
        choices={
            "bilinear": "The 4 cells around the drop, weighted by nearness",
            "quarters": "A quarter on each of the 4 cells around the drop: softer, smoother fans",
        },
        group="As Published",
    )
    deposit_limit: float = parameter(
        0.0,
        (
            "Maximum deposit of a drop in a step, in cells of height: lower values spread its "
            "load further along its path."
        ),
        low=0,
        high=1000,
        unit="cells/step",
        zero="None",
        usual=1.0,
        soft_high=5,
        step=0.01,
        group="As Published",
    )
    start: str = parameter(
        "springs",
        "Where in its cell a drop starts: on the corner, as published, or anywhere in the cell.",
        choices={
            "springs": (
                "Rain on corners, as published; spring water anywhere in its cell, so it fans out"
            ),
            "corner": "All drops on corners, as published: springs on summits run off to one side",
            "anywhere": "All drops anywhere in their cells",
        },
        group="As Published",
    )
    slope: str = parameter(
        "tangent",
        "Measure of slope for the capacity: the tangent, or the sine, which spares cliffs.",
        choices={
            "tangent": "Rise over horizontal distance: grows with steepness, so cliffs erode most",
            "sine": "Rise over distance along the slope: at most 1, which spares cliffs",
        },
        group="As Published",
    )

    retired = UNDER_GRASS

    def __post_init__(self) -> None:
        require_on_terrain(self.springs)
