# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters of snow."""

from ...base.arrays import longer_side
from ...base.parameters import Parameters, parameter


class SnowParameters(Parameters):
    """Snow falls on the heights, gathers in hollows, slides off steep slopes and melts. The ground
    does not change.
    """

    amount: float = parameter(
        3.0,
        "Snow that falls high above the snow line: higher values bury rock and fill gullies.",
        low=0,
        high=1000,
        unit="m",
        soft_high=20,
        width_power=1,
    )
    covered: float = parameter(
        0.5,
        "Share of the land above the snow line, whatever its height: "
        "higher values bring snow further down. Off: by Snow "
        "Line alone.",
        low=0,
        high=1,
        zero="Off",
        usual=0.5,
    )
    snow_line: float = parameter(
        0.0,
        "Height below which no snow falls, above 0 m or above the height that Covered sets: "
        "higher values bare the valleys.",
        low=-1e9,
        high=1e9,
        unit="m",
        soft_low=-1000,
        soft_high=3000,
        step=1,
    )
    softness: float = parameter(
        300.0,
        (
            "Height above the snow line from which all of the snow falls: higher values thin "
            "it out towards the valleys."
        ),
        low=0,
        high=1e6,
        unit="m",
        soft_high=2000,
        width_power=1,
    )
    melt: float = parameter(
        0.0,
        (
            "Snow that melts at the end: higher values leave only drifts. The next water step "
            "receives the water."
        ),
        low=0,
        high=1000,
        unit="m",
        soft_high=10,
        width_power=1,
    )
    drift: float = parameter(
        1.0,
        "Distance over which the wind carries snow from crests into hollows: higher values "
        "bare ridges.",
        low=0,
        high=10,
        soft_high=3,
        group="Wind",
    )
    drift_size: float = parameter(
        50.0,
        "Width of the crests and hollows that affect the wind: higher values act on whole ridges.",
        low=0.01,
        high=1e6,
        unit="m",
        soft_low=5,
        soft_high=500,
        group="Wind",
        needs=("drift",),
        width_power=1,
    )
    steepest: float = parameter(
        42.0,
        (
            "Steepest slope on which snow stays: lower values bare more rock and make avalanche "
            "cones wider."
        ),
        low=1,
        high=89,
        unit="°",
        group="Slides",
    )
    cling: float = parameter(
        0.5,
        "Snow that stays on steeper slopes too, thinning out towards upright walls: "
        "higher values whiten the rock faces.",
        low=0,
        high=1000,
        unit="m",
        soft_high=3,
        group="Slides",
        width_power=1,
    )
    reach: float = parameter(
        200.0,
        "Reach of avalanches from slopes that are too steep: lower values stop them half-way.",
        low=0,
        high=1e6,
        unit="m",
        soft_high=1000,
        group="Slides",
        width_power=1,
    )

    def passes(self, shape: tuple[int, ...], spacing: tuple[float, float]) -> int:
        """Limit of passes on a terrain of (rows, columns) cells with (row, column) spacing in
        meters.
        """
        # Thin snow runs down, a quarter of a cell in a pass: unlike scree it comes further by no
        # more than that.
        reach = min(self.reach, longer_side(shape, spacing))
        return round(16 * (reach / spacing[0] + reach / spacing[1]))
