# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of a step: range of heights and slopes, and greatest depth of erosion and deposition."""

import math

import numpy as np

from ..base.arrays import Array
from ..base.errors import InputError
from ..base.kernels.elementary import atan2
from ..base.parameters import Parameters, parameter
from ..grid.sampling import smooth_step

FARTHEST = 100_000.0
"""Meters above and below 0 that mean no limit."""


class Limits(Parameters):
    """Heights and slopes on which a step acts, measured before the step, and the greatest depth of
    its changes.
    """

    lowest: float = parameter(
        -FARTHEST,
        "Lowest height at which the step acts.",
        low=-FARTHEST,
        high=FARTHEST,
        unit="m",
        soft_low=-1000,
        soft_high=9000,
    )
    highest: float = parameter(
        FARTHEST,
        "Greatest height at which the step acts.",
        low=-FARTHEST,
        high=FARTHEST,
        unit="m",
        soft_low=-1000,
        soft_high=9000,
    )
    height_softness: float = parameter(
        0.0,
        "Height over which the step fades in at these limits: higher values hide the limits.",
        low=0,
        high=FARTHEST,
        unit="m",
        soft_high=500,
    )
    flattest: float = parameter(
        0.0, "Gentlest slope on which the step acts.", low=0, high=90, unit="°"
    )
    steepest: float = parameter(
        90.0, "Steepest slope on which the step acts.", low=0, high=90, unit="°"
    )
    slope_softness: float = parameter(
        0.0,
        "Slope over which the step fades in at these limits: higher values hide the limits.",
        low=0,
        high=90,
        unit="°",
        soft_high=30,
    )
    max_erosion: float = parameter(
        0.0,
        "Greatest depth of erosion at any place: lower values leave valleys shallow.",
        low=0,
        high=FARTHEST,
        unit="m",
        zero="None",
        usual=10.0,
        soft_high=500,
    )
    max_deposition: float = parameter(
        0.0,
        ("Greatest height of deposits at any place: lower values keep floors and fans thin."),
        low=0,
        high=FARTHEST,
        unit="m",
        zero="None",
        usual=10.0,
        soft_high=500,
    )

    def __post_init__(self) -> None:
        for low, high in (("lowest", "highest"), ("flattest", "steepest")):
            if getattr(self, low) >= getattr(self, high):
                raise InputError(
                    "{low} is {low_value:g} and {high} {high_value:g}: {high} must be more than "
                    "{low}, else the step acts nowhere."
                ).format(
                    low=low, low_value=getattr(self, low), high=high, high_value=getattr(self, high)
                )

    @property
    def depth(self) -> bool:
        """Whether depths are limited."""
        return self.max_erosion > 0 or self.max_deposition > 0

    def strength(self, elevation: Array, spacing: tuple[float, float], wraps: bool) -> Array | None:
        """Weight of the step by height and slope, (rows, cols) float32 0-1; None if it is 1
        everywhere.

        elevation: (rows, cols) m; spacing: (row, col) m; wraps: whether the terrain tiles.
        """
        share = _between(
            elevation, self.lowest, self.highest, self.height_softness, (-FARTHEST, FARTHEST)
        )
        if self.flattest > 0 or self.steepest < 90:
            slope = _degrees(elevation, spacing, wraps)
            by_slope = _between(
                slope, self.flattest, self.steepest, self.slope_softness, (0.0, 90.0)
            )
            share = by_slope if share is None else share * by_slope
        return share


NO_LIMITS = Limits()


def _between(
    values: Array, low: float, high: float, soft: float, all_of_it: tuple[float, float]
) -> Array | None:
    """1 between two limits and 0 beyond, with a smooth ramp inside each; None without limits."""
    share = None
    if low > all_of_it[0]:
        share = _rise(values - low, soft)
    if high < all_of_it[1]:
        fall = _rise(high - values, soft)
        share = fall if share is None else share * fall
    return share


def _rise(beyond: Array, soft: float) -> Array:
    """Smoothstep from 0 at the limit to 1 at `soft` inside it (3 t² - 2 t³)."""
    return np.asarray(smooth_step(beyond, 0.0, soft) if soft > 0 else beyond >= 0, np.float32)


def _degrees(elevation: Array, spacing: tuple[float, float], wraps: bool) -> Array:
    """Slope of each cell in degrees."""
    padded = np.pad(elevation, 1, mode="wrap") if wraps else elevation
    down, right = np.gradient(padded, *spacing)
    slope = atan2(np.sqrt(down * down + right * right), 1.0) * (180.0 / math.pi)
    return np.asarray(slope[1:-1, 1:-1] if wraps else slope)
