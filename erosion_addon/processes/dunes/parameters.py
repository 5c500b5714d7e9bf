# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters of the dunes step."""

import math

from ...base.arrays import mean_cell_size
from ...base.parameters import Parameters, parameter
from ..shared.winds import check_rose, gustiness, wind_direction, wind_rose

LEAST_HOP = 2.0
"""Shortest hop in cells; with less, sand would not leave its dune."""


SLAB = 0.05
"""Thickness of a slab in cell sizes. Thinner slabs leave smoother sand and take proportionally
longer.
"""

FLIGHT = 1.7
"""Mean number of hops of a slab on level sand."""

SPEED_UP = 4.0
"""How much longer hops become for each meter above the surrounding land, in m/m."""

SHELTER_ANGLE = 15.0
"""Angle in degrees at which sheltered air thins out behind a height."""

CLIMB_ANGLE = 45.0
"""Steepest slope in degrees that hopping sand climbs."""


class DuneParameters(Parameters):
    """Sand hops with the wind, settles in the lee and slides: fields of crescents, long crests or
    stars, by the winds and by how much sand there is (Werner 1995).
    """

    years: float = parameter(
        600.0,
        "Duration of the winds: higher values make fewer, larger dunes.",
        low=0,
        high=1e6,
        unit="years",
        soft_high=3000,
        step=50,
    )
    transport: float = parameter(
        40.0,
        (
            "Sand that passes a meter of width in a year on level sand: higher values do the same "
            "as more years."
        ),
        low=0,
        high=10_000,
        unit="m²/year",
        soft_high=200,
    )
    direction: float = wind_direction(0.0)
    wind_rose: tuple[tuple[float, ...], ...] = wind_rose()
    season: float = parameter(
        50.0,
        "Time that each wind of the rose blows without a break: higher values build slip "
        "faces for each, lower ones mix them.",
        low=0,
        high=1e6,
        unit="years",
        soft_high=200,
    )
    gustiness: float = gustiness()
    supply: float = parameter(
        0.0,
        "Sand that the wind brings over the border, as its thickness all over the terrain; "
        "never more than it can carry.",
        low=0,
        high=1e6,
        unit="m",
        soft_high=20,
    )
    hop_length: float = parameter(
        25.0,
        (
            "Distance that sand moves over level ground before it can settle, at least two cells: "
            "all dunes grow with it."
        ),
        low=0.01,
        high=1e5,
        unit="m",
        soft_low=5,
        soft_high=200,
        group="Sand",
    )
    creep: float = parameter(
        0.2,
        "Share of the passing sand that rolls down slopes: higher values make smoother dunes.",
        low=0,
        high=2,
        soft_high=0.5,
        group="Sand",
    )
    repose_angle: float = parameter(
        33.0,
        "Steepest slope that sand holds: the angle of lee slopes.",
        low=1,
        high=80,
        unit="°",
        soft_low=20,
        soft_high=45,
        group="Sand",
    )
    abrasion: float = parameter(
        0.0,
        (
            "Rock worn off where sand bounces on it, for each meter of sand: higher values carve "
            "streaks and ridges."
        ),
        low=0,
        high=1,
        unit="m/m",
        soft_high=0.1,
        group="Rock",
    )
    abrasion_height: float = parameter(
        0.0,
        "Height above the surrounding ground beyond which sand wears no rock: lower values dig "
        "lanes along the wind, with ridges between them; at 0 rock wears at any height.",
        low=0,
        high=10_000,
        unit="m",
        soft_high=50,
        group="Rock",
        needs=("abrasion",),
    )
    dust: float = parameter(
        0.0,
        "Share of the worn rock that flies away as dust: lower values turn more of it into sand.",
        low=0,
        high=1,
        group="Rock",
        needs=("abrasion",),
    )
    beach_supply: float = parameter(
        0.0,
        "Sand that the sea brings in a year along each meter of shore, as far as the wind has "
        "taken it from the beach: higher values build higher foredunes. The wind then digs no "
        "lower than the sea stands.",
        low=0,
        high=10_000,
        unit="m²/year",
        soft_high=50,
        group="Shore",
    )
    beach_grass: float = parameter(
        0.8,
        "Share of the sand that the grass behind the beach catches and holds: higher values "
        "build a foredune there, lower ones let the sand pass inland.",
        low=0,
        high=1,
        group="Shore",
        needs=("beach_supply",),
    )

    retired = {
        "speed_up": (SPEED_UP, "Change hop_length for larger or smaller dunes."),
        "shelter_angle": (SHELTER_ANGLE, "Change hop_length for larger or smaller dunes."),
        "climb_angle": (CLIMB_ANGLE, "Paint the mask Strength where sand must stay."),
        "moisture_hold": (1.0, "Paint the mask Strength where sand must stay."),
        "grass_hold": (1.0, "Paint the mask Strength where sand must stay."),
    }

    def __post_init__(self) -> None:
        check_rose(self.wind_rose)

    def hop(self, cell_size: float) -> float:
        """Hop length on level ground in meters."""
        return max(self.hop_length, LEAST_HOP * cell_size)

    def sweeps(self, spacing: tuple[float, float]) -> int:
        """Mean number of draws per cell: a slab on level sand carries its volume over FLIGHT
        hops.
        """
        cell = mean_cell_size(spacing)
        if self.years * self.transport == 0:
            return 0
        return max(
            1, math.ceil(self.years * self.transport / (SLAB * cell * FLIGHT * self.hop(cell)))
        )
