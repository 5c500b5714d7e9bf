# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of baked light, and the fields that it makes."""

from collections.abc import Sequence
from typing import NamedTuple

from ..base.arrays import Array
from ..base.parameters import Parameters, parameter

SUNS = ("sun_light", "sun_light_2", "sun_light_3")
"""Fields of sunlight, one per sun; their number is the limit."""


class LightParameters(Parameters):
    """Light of the sky and of suns on the ground."""

    azimuths: int = parameter(
        16,
        "Directions in which the horizon is searched: higher values are smoother, and slower.",
        low=4,
        high=64,
    )
    radius: float = parameter(
        0.0,
        "Greatest distance at which mountains hide the sky. Auto: half of the terrain.",
        low=0,
        high=1e6,
        unit="m",
        soft_high=10_000,
        zero="Auto",
        usual=1000.0,
    )
    half_resolution: bool = parameter(
        False, "Compute the light of the sky on every other vertex: four times as fast."
    )
    suns: bool = parameter(
        True, "Bake the light of suns too, for suns that cast no shadows when rendered."
    )
    terrain_shadow: bool = parameter(True, "Let mountains cast shadows in the light of suns.")
    spheres: int = parameter(
        3,
        "Spheres that approximate each object that casts a shadow: more follow its shape.",
        low=1,
        high=16,
    )


class Sun(NamedTuple):
    """A sun. direction: to its center, along columns, rows and up, of any length. radius: angular,
    rad.
    """

    direction: tuple[float, float, float]
    radius: float


class Lighting(NamedTuple):
    """Light on a terrain: settings, suns, and spheres that throw shadows, see `light.bake`."""

    parameters: LightParameters
    suns: Sequence[Sun]
    casters: Array
