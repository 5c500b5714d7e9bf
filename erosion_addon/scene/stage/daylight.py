# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds of daylight, independent of latitude and date: sun elevation, and colors of sun, sky and
haze.
"""

from dataclasses import dataclass
from math import radians

from ...files.render_settings import LIGHTS

Color = tuple[float, float, float]


@dataclass(frozen=True)
class Daylight:
    """One kind of daylight: linear colors, angles in radians.

    elevation: of the sun, on gentle and on steep land (there a low sun leaves all valleys dark).
    side: angle from the view's direction to the sun's, to the left; 90° is side light. sun, angle:
    irradiance (W/m²) and apparent diameter of the sun lamp. haze: factor of the palette's air
    color, also for the horizon. far: share of haze at a distance of 1.5 terrain sides. strength: of
    the sky's light.
    """

    elevation: tuple[float, float]
    side: float
    sun: float
    sun_color: Color
    angle: float
    zenith: Color
    haze: Color
    far: float
    glow: float
    glow_color: Color
    clouds: float
    cloud_color: Color
    cloud_shade: Color
    strength: float
    exposure: float


DAYLIGHTS = {
    "morning": Daylight(
        elevation=(radians(14), radians(27)),
        side=radians(78),
        sun=6.5,
        sun_color=(1.0, 0.84, 0.64),
        angle=radians(0.6),
        zenith=(0.05, 0.145, 0.42),
        haze=(1.0, 0.96, 0.92),
        far=0.30,
        glow=0.55,
        glow_color=(1.0, 0.74, 0.45),
        clouds=0.42,
        cloud_color=(1.05, 0.98, 0.90),
        cloud_shade=(0.46, 0.49, 0.56),
        strength=0.85,
        exposure=0.25,
    ),
    "noon": Daylight(
        elevation=(radians(50), radians(56)),
        side=radians(115),
        sun=6.0,
        sun_color=(1.0, 0.95, 0.88),
        angle=radians(0.6),
        zenith=(0.05, 0.145, 0.42),
        haze=(0.94, 1.0, 1.06),
        far=0.35,
        glow=0.25,
        glow_color=(1.0, 0.94, 0.82),
        clouds=0.48,
        cloud_color=(1.15, 1.15, 1.15),
        cloud_shade=(0.55, 0.58, 0.63),
        strength=0.8,
        exposure=0.0,
    ),
    "overcast": Daylight(
        elevation=(radians(50), radians(56)),
        side=radians(100),
        sun=1.3,
        sun_color=(1.0, 0.98, 0.95),
        angle=radians(25),
        zenith=(0.36, 0.40, 0.46),
        haze=(0.88, 0.90, 0.93),
        far=0.6,
        glow=0.12,
        glow_color=(1.0, 0.97, 0.92),
        clouds=1.0,
        cloud_color=(0.72, 0.74, 0.77),
        cloud_shade=(0.34, 0.37, 0.42),
        strength=1.2,
        exposure=0.4,
    ),
    "golden": Daylight(
        elevation=(radians(8), radians(13)),
        side=radians(62),
        sun=5.5,
        sun_color=(1.0, 0.62, 0.32),
        angle=radians(0.8),
        zenith=(0.095, 0.16, 0.34),
        haze=(1.06, 0.78, 0.56),
        far=0.5,
        glow=0.9,
        glow_color=(1.0, 0.55, 0.22),
        clouds=0.5,
        cloud_color=(1.10, 0.66, 0.42),
        cloud_shade=(0.36, 0.31, 0.36),
        strength=0.65,
        exposure=0.5,
    ),
}
"""By the names of LIGHTS."""

assert tuple(DAYLIGHTS) == LIGHTS
