# SPDX-License-Identifier: GPL-3.0-or-later
"""Baked light on a terrain: visible sky and suns, shadowed by terrain and objects."""

import math
from collections.abc import Sequence

import numpy as np

from ..base.arrays import Array, longer_side
from ..base.errors import InputError
from ..base.kernels.elementary import sincos
from ..base.threads import Tally, granted, in_bands
from ..grid.sampling import bilinear
from ..terrain.terrain import Terrain
from .horizon import gradient, sky_share, sun_share
from .parameters import SUNS, LightParameters, Sun


def bake(
    terrain: Terrain,
    parameters: LightParameters,
    suns: Sequence[Sun],
    casters: Array,
    edges: str,
    threads: int = 0,
    tally: Tally | None = None,
) -> dict[str, Array]:
    """The fields `sky_light` and one of `SUNS` for each sun, (rows, cols) float32, 1 where all
    light arrives.

    casters: (count, 4) x, y, z and radius of spheres in meters, from the middle of cell [0, 0] and
    along columns, rows and up. edges: "wrap" where the terrain is a seamless tile, for its own
    shadows; the spheres stand where they are. threads: the most to use, 0 for all processors.
    tally: of the work. Raises InputError for too many suns, or a sun or sphere that is not finite.
    """
    tally = tally or Tally()
    threads = granted(threads)
    tally.total = 1.0 + (len(suns) if parameters.terrain_shadow else 0)
    if len(suns) > len(SUNS):
        raise InputError("There are {count} suns; the maximum is {most}.").format(
            count=len(suns), most=len(SUNS)
        )
    wrap = edges == "wrap"
    lights = caster_light(terrain.elevation, terrain.spacing, casters, suns, threads)
    fields = {"sky_light": lights[0] * _sky(terrain, parameters, wrap, threads, tally)}
    for name, sun, light in zip(SUNS, suns, lights[1:], strict=False):
        if parameters.terrain_shadow:
            light *= sun_share(
                terrain.elevation, terrain.spacing, _unit(sun), sun.radius, wrap, threads, tally
            )
        fields[name] = light
    return {name: light.astype(np.float32) for name, light in fields.items()}


def _sky(
    terrain: Terrain, parameters: LightParameters, wrap: bool, threads: int, tally: Tally
) -> Array:
    row_spacing, col_spacing = terrain.spacing
    rows, cols = terrain.shape
    count = -(-parameters.azimuths // 4) * 4
    radius = parameters.radius or 0.5 * longer_side(terrain.shape, terrain.spacing)
    if not parameters.half_resolution or min(rows, cols) < 6:
        return sky_share(terrain.elevation, terrain.spacing, count, radius, wrap, threads, tally)
    fewer = ((rows + 1) // 2, (cols + 1) // 2)
    spacing = (row_spacing * (rows - 1) / (fewer[0] - 1), col_spacing * (cols - 1) / (fewer[1] - 1))
    share = sky_share(
        bilinear(terrain.elevation, fewer), spacing, count, radius, wrap, threads, tally
    )
    return bilinear(share, terrain.shape)


def caster_light(
    elevation: Array,
    spacing: tuple[float, float],
    casters: Array,
    suns: Sequence[Sun],
    threads: int = 1,
) -> Array:
    """Light of the sky and suns left by spheres, (1 + suns, rows, cols) float64.

    Arguments: see `bake`; formulas: see `kernels.sphere_shadows`.
    """
    lights = np.ones((1 + len(suns), *elevation.shape))
    casters = np.ascontiguousarray(casters, np.float64).reshape(-1, 4)
    if not np.isfinite(casters).all() or not (casters[:, 3] > 0).all():
        raise InputError("A sphere that casts a shadow has no finite position or no radius.")
    table = np.array([_sun_row(sun) for sun in suns]).reshape(-1, 6)
    if not len(casters):
        return lights
    from .kernels import sphere_shadows

    slopes = gradient(elevation, spacing, wrap=False)

    row_spacing, col_spacing = spacing

    def shade(first: int, last: int) -> None:
        sphere_shadows.shade(
            elevation, slopes, row_spacing, col_spacing, casters, table, first, last, lights
        )

    in_bands(shade, -(-len(elevation) // sphere_shadows.TILE), threads, band=1)
    return lights


def _sun_row(sun: Sun) -> tuple[float, ...]:
    """Sun in the form of `sphere_shadows.shade`; 1 - cos b is 2 sin² b/2, which loses no digits."""
    sine, cosine = sincos(sun.radius)
    half, _ = sincos(sun.radius / 2)
    return *_unit(sun), cosine, sine, 2 * half * half


def _unit(sun: Sun) -> tuple[float, float, float]:
    length = math.sqrt(math.fsum(part * part for part in sun.direction))
    if not (math.isfinite(length) and length > 0 and 0 <= sun.radius <= math.pi / 2):
        raise InputError("A sun has no direction, or its disc is larger than half of the sky.")
    x, y, z = (part / length for part in sun.direction)
    return x, y, z


SUN = (-0.58, 0.58, 0.57)
"""Direction to the sun, east, north and up: in the northwest, 35° high."""

ROCK, SAND, SNOW, WATER = (
    (0.72, 0.68, 0.63),
    (0.90, 0.76, 0.52),
    (0.97, 0.98, 1.00),
    (0.20, 0.38, 0.52),
)
"""Display colors, 0-1."""

COVERS = (("sediment", SAND, 0.5), ("snow", SNOW, 0.3), ("water_depth", WATER, 0.2))
"""Fields that cover the rock: name, color, and opaque thickness in meters."""


def shaded_relief(terrain: Terrain) -> Array:
    """(rows, cols, 3) float32, 0-1, row 0 at the smallest y."""
    rise, run = np.gradient(terrain.elevation, *terrain.spacing)
    light = (SUN[2] - run * SUN[0] - rise * SUN[1]) / np.sqrt(1.0 + run * run + rise * rise)
    color: Array = np.broadcast_to(np.array(ROCK), (*terrain.shape, 3))
    for name, tint, thickness in COVERS:
        if name in terrain.fields:
            cover = np.clip(terrain.fields[name] / thickness, 0.0, 1.0)[..., None]
            color = color + cover * (np.array(tint) - color)
    relief: Array = np.clip(
        (0.15 + 0.95 * np.maximum(light, 0.0))[..., None] * color, 0.0, 1.0
    ).astype(np.float32)
    return relief
