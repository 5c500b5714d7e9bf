# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters of talus."""

from ...base.arrays import longer_side
from ...base.parameters import Parameters, parameter
from ..shared.parameters import UNDER_GRASS

LONG_PASSES = 2048
"""Passes that take slides so far that they begin on coarser cells: more than eleven cells."""

FINE_PASSES = 512
"""Most passes on a grid whose coarser cells have carried slides further, which take an excess more
than five cells.
"""

COARSE_WORK = 0.25
"""Share of the work on coarser cells, which are a quarter as many."""


COARSE_BYTES = 60
"""Working memory of coarser cells per cell of the terrain, including the transfer of their
change.
"""


class TalusParameters(Parameters):
    """Slopes that are too steep give way: rock breaks, loose material slides, until everything
    stands.
    """

    sediment_angle: float = parameter(
        34.0,
        "Steepest slope on which loose material stays: lower values make wide, flat screes.",
        low=1,
        high=89,
        unit="°",
    )
    rock_angle: float = parameter(
        60.0,
        "Steepest slope of stable rock: lower values wear cliffs down, 90 keeps them.",
        low=1,
        high=90,
        unit="°",
        soft_low=30,  # below the angle of loose material, rock becomes that and stands no flatter
    )
    collapse: float = parameter(
        0.5,
        "Amount of rock that breaks where it is too steep: higher values move cliffs back "
        "further before scree supports them.",
        low=0,
        high=1,
    )
    reach: float = parameter(
        200.0,
        "Reach of slides from slopes that are too steep: lower values stop them half-way.",
        low=0,
        high=1e6,
        unit="m",
        soft_high=1000,
        width_power=1,
    )
    coarse_to_fine: bool = parameter(
        False,
        "Long slides on coarser cells, their last steps on the terrain's: many times as fast on "
        "large terrains; walls and screes shift a little.",
        group="Resolution",
    )

    retired = UNDER_GRASS

    def passes(self, shape: tuple[int, ...], spacing: tuple[float, float]) -> int:
        """Limit of passes on a terrain of (rows, columns) cells with (row, column) spacing in
        meters.
        """
        # An excess spreads like heat: 16 passes take it as far as a square cell, 64 as far as two,
        # and nothing has further to go than the terrain is long.
        reach = min(self.reach, longer_side(shape, spacing))
        return round(
            8
            * (
                reach / spacing[0] * (reach / spacing[0])
                + reach / spacing[1] * (reach / spacing[1])
            )
        )
