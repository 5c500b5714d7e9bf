# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters of the uplift step."""

from ...base.arrays import longer_side
from ...base.kernels.elementary import power
from ...base.parameters import Parameters, parameter
from ...drainage.parameters import sea_level
from ..shared.parameters import UNDER_GRASS, coarse_to_fine

SQUARE_KILOMETER = 1e6

HILLSLOPES = 400
"""Automatic hillslope length: the longer side divided by this number."""


STEPS = 40
"""Time steps of a run, each with a new flow graph.

Twice as many change the mean height of a dissected fractal by less than 1 %.
"""

COARSE_STEPS = 30
"""Time steps on coarser cells."""

COARSE_SHARE = 0.25
"""Their share of the work."""

COARSE_BYTES = 60
"""Their working memory per cell of the terrain, including the transfer of their change."""


class UpliftParameters(Parameters):
    """Land rises, and rivers cut it into one net of valleys that leads out of every basin."""

    years: float = parameter(
        300_000.0,
        "Age of the land: from untouched, through gorges, to broad valleys.",
        low=0,
        high=1e9,
        unit="years",
        soft_high=2_000_000,
        step=10_000,
    )
    uplift: float = parameter(
        0.0,
        "Rate at which the land rises: higher values make higher, steeper mountains.",
        low=0,
        high=1000,
        unit="mm/year",
        seed_name="U",
        soft_high=2,
        width_power=1,
    )
    pattern: str = parameter(
        "even",
        "Where the land rises.",
        choices={"even": "everywhere alike", "terrain": "faster, the higher it lies at the start"},
        needs=("uplift",),
    )
    erodibility: float = parameter(
        10.0,
        (
            "Incision rate of a river that drains 1 km² on a slope of 45°: higher values make "
            "deeper valleys sooner."
        ),
        low=0,
        high=1e6,
        unit="mm/year",
        seed_name="K",
        soft_high=100,
    )
    concavity: float = parameter(
        0.5,
        (
            "Advantage of large rivers over brooks: higher values make trunk valleys flatter "
            "and more winding."
        ),
        low=0.1,
        high=1,
        seed_name="m/n",
        soft_low=0.2,
        soft_high=0.7,
    )
    slope_exponent: float = parameter(
        1.0,
        "Advantage of steep rivers over gentle ones: above 1 gorges cut back into intact "
        "uplands, below 1 brooks cut gentle uplands too. Values other than 1 take longer.",
        low=0.5,
        high=3,
        seed_name="n",
        soft_low=0.7,
        soft_high=2,
    )
    deposition: float = parameter(
        0.2,
        "Tendency of rivers to deposit their load: higher values make plains and fans.",
        low=0,
        high=10,
        seed_name="G",
        soft_high=2,
        group="Sediment",
    )
    breach: float = parameter(
        0.9,
        "Treatment of pits: 1 cuts through their rims, 0 fills them with incoming sediment.",
        low=0,
        high=1,
        group="Sediment",
    )
    slope_limit: float = parameter(
        36.0,
        "Steepest slope: lower values make gentler mountainsides, 90 keeps walls.",
        low=1,
        high=90,
        unit="°",
        group="Hillslopes",
        soft_low=20,
    )
    keep_steepness: float = parameter(
        0.0,
        "Share of existing steepness kept above the slope limit: 0 lowers all slopes to the "
        "limit, 1 keeps walls and crags.",
        low=0,
        high=1,
        group="Hillslopes",
    )
    hillslope_length: float = parameter(
        0.0,
        "Length of slopes between crest and channel, rounded by creep: "
        "higher values make fewer, smoother ribs. Auto: a "
        "400th of the longer side.",
        low=0,
        high=1e6,
        unit="m",
        soft_high=200,
        zero="Auto",
        usual=20.0,
        group="Hillslopes",
        width_power=1,
    )
    sea: bool = parameter(
        False, "Rivers end in a sea, and nothing is cut below its level.", group="Sea"
    )
    sea_level: float = sea_level("Sea")
    coarse_to_fine: bool = coarse_to_fine()

    retired = UNDER_GRASS

    def reach(self, area: float) -> float:
        """K A^m in meters per year, for an area in m²."""
        exponent = self.concavity * self.slope_exponent
        return (
            float(self.erodibility / 1000 * power(area / SQUARE_KILOMETER, exponent))
            if area > 0
            else 0.0
        )

    def hillslope(self, shape: tuple[int, ...], spacing: tuple[float, float]) -> float:
        """Hillslope length in meters."""
        return self.hillslope_length or longer_side(shape, spacing) / HILLSLOPES

    def diffusivity(self, shape: tuple[int, ...], spacing: tuple[float, float]) -> float:
        """D in m²/year: creep balances incision in channels that drain the square of the hillslope
        length.
        """
        length = self.hillslope(shape, spacing)
        return self.reach(length * length) * length
