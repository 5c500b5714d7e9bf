# SPDX-License-Identifier: GPL-3.0-or-later
"""Winds of a year: one or several weighted directions, and gustiness."""

import math
from typing import Any

from ...base.errors import InputError
from ...base.parameters import parameter

Rose = tuple[tuple[float, ...], ...]
"""(direction in degrees, weight) of each wind."""


def wind_direction(default: float) -> Any:
    """Parameter: direction that a single wind blows toward."""
    return parameter(
        default,
        "Direction in which the wind blows: 0 along x, 90 along y.",
        low=-360,
        high=360,
        unit="°",
        seed_name="pspeed",
        soft_low=-180,
        soft_high=180,
        needs=("wind_rose", ()),
    )


def wind_rose() -> Any:
    """Parameter: several winds."""
    return parameter(
        (),
        "Several winds that take turns, instead of one: where each blows to, and its weight.",
        low=-360,
        high=1e6,
        row_names=("direction", "weight"),
    )


def gustiness() -> Any:
    """Parameter: variation of the wind."""
    return parameter(
        10.0,
        ("Deviation of gusts from the wind (standard deviation): higher values round the dunes."),
        low=0,
        high=90,
        unit="°",
        soft_high=45,  # beyond it, gusts that blow back comb the sand
    )


def check_rose(rose: Rose) -> None:
    """Raise InputError for an invalid rose."""
    for direction, weight in rose:
        if direction > 360 or weight < 0:
            raise InputError(
                "wind_rose: [{direction:g}, {weight:g}] is not a wind; directions go from -360 to "
                "360, weights from 0 up."
            ).format(direction=direction, weight=weight)
    if rose and not any(weight for _, weight in rose):
        raise InputError("wind_rose: all weights are 0, so no wind blows; raise one of them.")


def drawn_wind(direction: float, rose: Rose, chance: float) -> float:
    """Direction drawn from the rose by weight, or the single direction without a rose. chance:
    random number, 0-1.
    """
    left = chance * math.fsum(weight for _, weight in rose)
    for direction, weight in rose:  # noqa: B007 - the last one stays where rounding leaves some
        left -= weight
        if left < 0:
            break
    return direction


def turned(gustiness: float, chances: list[float]) -> float:
    """Deviation of a gust in degrees. gustiness: standard deviation; chances: three uniform random
    numbers, 0-1.
    """
    # Near to a normal distribution, of standard deviation 1/2, and without its far ends.
    return gustiness * 2 * (chances[0] + chances[1] + chances[2] - 1.5)
