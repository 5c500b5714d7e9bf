# SPDX-License-Identifier: GPL-3.0-or-later
"""Soft shadows of spheres on a terrain, in the light of suns and of the sky.

Source: e-dog, "Soft object shadows with deferred rendering" (2012), with its pixels as vertices and
its cells of the screen as tiles of the terrain.
"""

import math

import numpy as np

from ...base.kernels.jit import kernel

TILE = 32
"""Vertices along the sides of a tile."""

REACH = 8.0
"""Distance in radii of a sphere at which its shadow has faded out."""


@kernel
def faded(squared):
    """Fade of a shadow by squared distance in radii: 1 up to 6.9, 0 from 8 on."""
    return min(max((64.0 - squared) / 16.0, 0.0), 1.0)


@kernel
def covered_sky(squared, upward):
    """Share of the sky that a sphere hides: (r² / d²) · max(0, û·n). squared: d² / r²; upward:
    û·n.
    """
    return max(upward, 0.0) / squared


@kernel
def covered_sun(squared, toward, sun_cosine, sun_sine, sun_rest):
    """Share of a sun that a sphere hides, possibly above 1:

        smoothstep(cc - ss, cc + ss, û·ŝ) · (1 - cos a) / (1 - cos b),  cc = cos a cos b, ss = sin a
        sin b

    with the angular radii a of the sphere, sin a = min(1, r / d), and b of the sun. As b goes to 0
    the first factor becomes a step at cos a and the second grows without bound: a point is hidden
    or not. squared: d² / r²; toward: û·ŝ. sun_cosine, sun_sine, sun_rest: cos b, sin b, 1 - cos b.
    """
    sine_squared = min(1.0 / squared, 1.0)
    cosine = math.sqrt(1.0 - sine_squared)
    middle = cosine * sun_cosine
    spread = math.sqrt(sine_squared) * sun_sine
    if toward <= middle - spread:
        return 0.0
    if sun_rest <= 0.0:
        return np.inf
    part = min((toward - middle + spread) / (2.0 * spread), 1.0)
    return part * part * (3.0 - 2.0 * part) * (sine_squared / (1.0 + cosine)) / sun_rest


@kernel
def _reach_of_sun(sun_sine, sun_cosine):
    """Radius of the sphere about a point 3 radii behind a caster that holds all of its shadow, in
    radii.

    √(73 - 48 cos(a + b)), the distance to the rim of the shadow's end, 8 radii away, where sin a =
    1/8: 5.04 for a point of a sun, and more for a large one, but never more than all within 8
    radii.
    """
    at_end = math.sqrt(63.0) / 8.0 * sun_cosine - sun_sine / 8.0
    return math.sqrt(73.0 - 48.0 * at_end)


@kernel
def _touches(x, y, z, reach, low, high):
    """Whether a sphere touches the box from `low` to `high`, (3,) each."""
    across = max(low[0] - x, x - high[0], 0.0)
    along = max(low[1] - y, y - high[1], 0.0)
    above = max(low[2] - z, z - high[2], 0.0)
    return across * across + along * along + above * above < reach * reach


@kernel
def _shade_tile(elevation, gradient, row_spacing, col_spacing, caster, sun, rows, cols, light):
    """Multiply the light of a tile by the share that one caster leaves; sun: (6,), or (0,) for the
    sky.

    rows, cols: first and last + 1 of the tile.
    """
    x = caster[0]
    y = caster[1]
    z = caster[2]
    radius = caster[3]
    for row in range(rows[0], rows[1]):
        for col in range(cols[0], cols[1]):
            right = x - col * col_spacing
            up = y - row * row_spacing
            above = z - elevation[row, col]
            distance_squared = right * right + up * up + above * above
            squared = distance_squared / (radius * radius)
            if squared >= REACH * REACH:
                continue
            if squared == 0.0:  # at the very middle no direction leads out
                light[row, col] = 0.0
                continue
            per_meter = 1.0 / math.sqrt(distance_squared)
            if sun.shape[0] == 0:
                slope_x = gradient[0, row, col]
                slope_y = gradient[1, row, col]
                upright = 1.0 / math.sqrt(1.0 + slope_x * slope_x + slope_y * slope_y)
                upward = (above - right * slope_x - up * slope_y) * upright * per_meter
                covered = covered_sky(squared, upward)
            else:
                toward = (right * sun[0] + up * sun[1] + above * sun[2]) * per_meter
                covered = covered_sun(squared, toward, sun[3], sun[4], sun[5])
            if covered > 0.0:
                light[row, col] *= min(max(1.0 - covered * faded(squared), 0.0), 1.0)


@kernel
def shade(elevation, gradient, row_spacing, col_spacing, casters, suns, first, last, lights):
    """Multiply the light on rows of tiles first … before last by the share that spheres leave, one
    after another:

        light · min(1, max(0, 1 - covered · fade)), fade = min(1, max(0, (64 r² - d²) / 16 r²)).

    A sphere is only looked at in tiles that its shadow's reach touches: all within 8 radii of it
    for the sky (with the source's 4 its shadow would end in a visible rim), a sphere of about 5
    radii, 3 radii behind it, for a sun. The share left out is exactly 1, so a tile's size changes
    no bit.

    elevation: (rows, cols) float64 m. gradient: (2, rows, cols), slopes along columns and rows.
    casters: (count, 4) x, y, z, radius > 0 in meters, from the middle of cell [0, 0]. suns: (count,
    6): unit vector to the sun, cos b, sin b, 1 - cos b of its angular radius b. lights: (1 + suns,
    rows, cols) float64, the sky's first.
    """
    rows, cols = elevation.shape
    low = np.empty(3)
    high = np.empty(3)
    nearby = np.empty(casters.shape[0], np.int64)
    reaches = np.empty(suns.shape[0])
    for number in range(suns.shape[0]):
        reaches[number] = _reach_of_sun(suns[number, 4], suns[number, 3])
    for tile_row in range(first, last):
        tile_rows = tile_row * TILE, min(tile_row * TILE + TILE, rows)
        low[1] = tile_rows[0] * row_spacing
        high[1] = (tile_rows[1] - 1) * row_spacing
        count = 0
        for number in range(casters.shape[0]):
            reach = REACH * casters[number, 3]
            if low[1] - reach < casters[number, 1] < high[1] + reach:
                nearby[count] = number
                count += 1
        for start in range(0, cols, TILE):
            tile_cols = start, min(start + TILE, cols)
            low[0] = start * col_spacing
            high[0] = (tile_cols[1] - 1) * col_spacing
            tile = elevation[tile_rows[0] : tile_rows[1], start : tile_cols[1]]
            low[2] = tile.min()
            high[2] = tile.max()
            for at in range(count):
                caster = casters[nearby[at]]
                x = caster[0]
                y = caster[1]
                z = caster[2]
                radius = caster[3]
                if not _touches(x, y, z, REACH * radius, low, high):
                    continue
                _shade_tile(
                    elevation,
                    gradient,
                    row_spacing,
                    col_spacing,
                    caster,
                    suns[0, :0],
                    tile_rows,
                    tile_cols,
                    lights[0],
                )
                for number in range(suns.shape[0]):
                    sun = suns[number]
                    behind = 3.0 * radius
                    x = caster[0] - behind * sun[0]
                    y = caster[1] - behind * sun[1]
                    z = caster[2] - behind * sun[2]
                    if _touches(x, y, z, reaches[number] * radius, low, high):
                        _shade_tile(
                            elevation,
                            gradient,
                            row_spacing,
                            col_spacing,
                            caster,
                            sun,
                            tile_rows,
                            tile_cols,
                            lights[number + 1],
                        )
