# SPDX-License-Identifier: GPL-3.0-or-later
"""Longitude and latitude of coordinates in the systems that a formula covers.

Source: L. Krüger, "Konforme Abbildung des Erdellipsoids in der Ebene" (1912), in the form of C. F.
F. Karney, "Transverse Mercator with an accuracy of a few nanometers", J. Geodesy 85 (2011), to the
fourth order of the third flattening: less than 0.1 mm within 20° of the central meridian.
Parameters: EPSG Geodetic Parameter Dataset 11.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .placement import EQUATOR, GEOGRAPHIC, System

Array = np.ndarray[Any, Any]
Degrees = Callable[[Array, Array], tuple[Array, Array]]
"""From x and y to longitude and latitude in degrees."""

WGS_84, GRS_80 = 298.257223563, 298.257222101
"""Inverse flattening of ellipsoids, whose equatorial radius is that of WGS 84."""
_WEB = (3857, 3785)
_WORLD = 3395


class _Grid(NamedTuple):
    """Parameters of a transverse Mercator projection. meridian: degrees. easting, northing: false
    ones, m.
    """

    meridian: float
    northing: float
    scale: float = 0.9996
    easting: float = 500_000.0
    flattening: float = 1 / GRS_80


def to_degrees(system: System) -> Degrees | None:
    """Map of coordinates to longitude and latitude on the system's own datum, within 2 m of WGS 84;
    None where no formula is known here and rasterio is not installed.
    """
    unit = system.unit
    if unit is None:
        return None
    if system.kind == GEOGRAPHIC:
        return lambda x, y: (x * unit, y * unit)
    if system.code in _WEB:
        return lambda x, y: (np.degrees(x / EQUATOR), np.degrees(np.arctan(np.sinh(y / EQUATOR))))
    if system.code == _WORLD:
        return _mercator
    grid = _grid(system.code)
    return (lambda x, y: _transverse(x * unit, y * unit, grid)) if grid else _by_gdal(system.code)


def _by_gdal(code: int) -> Degrees | None:
    """Map by PROJ, on WGS 84."""
    try:
        from rasterio.warp import transform
    except ImportError:
        return None
    if not code:
        return None

    def degrees(x: Array, y: Array) -> tuple[Array, Array]:
        longitude, latitude = transform(f"EPSG:{code}", "EPSG:4326", x.tolist(), y.tolist())
        return np.array(longitude), np.array(latitude)

    return degrees


def _grid(code: int) -> _Grid | None:
    """UTM on WGS 84, ETRS89, NAD83 and SIRGAS 2000; map grids of Australia and New Zealand."""
    for first, zones, northing in (
        (32600, range(1, 61), 0.0),
        (32700, range(1, 61), 1e7),
        (25800, range(28, 39), 0.0),
        (26900, range(1, 24), 0.0),
        (31954, range(11, 23), 0.0),
        (31960, range(17, 26), 1e7),
        (28300, range(46, 60), 1e7),
        (7800, range(46, 60), 1e7),
    ):
        if code - first in zones:
            flattening = 1 / (WGS_84 if first >= 32600 else GRS_80)
            return _Grid(6.0 * (code - first) - 183.0, northing, flattening=flattening)
    return _Grid(173.0, 1e7, easting=1_600_000.0) if code == 2193 else None


def _mercator(x: Array, y: Array) -> tuple[Array, Array]:
    """Inverse of the world's Mercator projection on the ellipsoid."""
    return np.degrees(x / EQUATOR), np.degrees(
        _latitude(np.arctan(np.sinh(y / EQUATOR)), _third(1 / WGS_84))
    )


def _transverse(x: Array, y: Array, grid: _Grid) -> tuple[Array, Array]:
    """Inverse of the transverse Mercator projection: from the plane to the sphere of Gauss and
    Schreiber by β, and from conformal latitude to latitude.
    """
    n = _third(grid.flattening)
    meridian = EQUATOR / (1 + n) * (1 + n**2 / 4 + n**4 / 64) * grid.scale
    beta = (
        n / 2 - 2 * n**2 / 3 + 37 * n**3 / 96 - n**4 / 360,
        n**2 / 48 + n**3 / 15 - 437 * n**4 / 1440,
        17 * n**3 / 480 - 37 * n**4 / 840,
        4397 * n**4 / 161280,
    )
    up = (y - grid.northing) / meridian
    across = (x - grid.easting) / meridian
    north = up
    east = across
    for order, factor in enumerate(beta, 1):
        north = north - factor * np.sin(2 * order * up) * np.cosh(2 * order * across)
        east = east - factor * np.cos(2 * order * up) * np.sinh(2 * order * across)
    conformal = np.arcsin(np.sin(north) / np.cosh(east))
    longitude = np.arctan2(np.sinh(east), np.cos(north))
    return grid.meridian + np.degrees(longitude), np.degrees(_latitude(conformal, n))


def _third(flattening: float) -> float:
    """Third flattening."""
    return flattening / (2 - flattening)


def _latitude(conformal: Array, n: float) -> Array:
    """Latitude from conformal latitude, in radians. n: third flattening."""
    delta = (
        2 * n - 2 * n**2 / 3 - 2 * n**3 + 116 * n**4 / 45,
        7 * n**2 / 3 - 8 * n**3 / 5 - 227 * n**4 / 45,
        56 * n**3 / 15 - 136 * n**4 / 35,
        4279 * n**4 / 630,
    )
    latitude = conformal
    for order, factor in enumerate(delta, 1):
        latitude = latitude + factor * np.sin(2 * order * conformal)
    return latitude
