# SPDX-License-Identifier: GPL-3.0-or-later
"""Longitude and latitude of coordinates, against published pairs."""

import sys

import numpy as np
import pytest

from erosion_addon.files.places.placement import GEOGRAPHIC, MERCATOR, PROJECTED, System
from erosion_addon.files.places.projections import to_degrees


def degrees(sign, whole, minutes, seconds):
    return sign * (whole + minutes / 60 + seconds / 3600)


def place(code, x, y, kind=PROJECTED, unit=1.0):
    longitude, latitude = to_degrees(System(kind, unit, code))(np.array([x]), np.array([y]))
    return longitude[0], latitude[0]


MILLIMETER = 1e-8
"""In degrees of latitude; coordinates of the pairs are rounded to a millimeter."""


@pytest.mark.parametrize(
    "code,x,y,longitude,latitude",
    [
        # ICSM, "Geocentric Datum of Australia Technical Manual", version 2.4: Flinders Peak and
        # Buninyong, zone 55.
        (
            28355,
            273741.297,
            5796489.777,
            degrees(1, 144, 25, 29.52440),
            degrees(-1, 37, 57, 3.72030),
        ),
        (
            28355,
            228854.052,
            5828259.038,
            degrees(1, 143, 55, 35.38390),
            degrees(-1, 37, 39, 10.15610),
        ),
        # IOGP Guidance Note 7-2, Popular Visualisation Pseudo Mercator.
        (3857, -11169055.58, 2800000.00, degrees(-1, 100, 20, 0), degrees(1, 24, 22, 54.433)),
        # PROJ 9.4: cs2cs EPSG:n EPSG:4326.
        (32632, 600000.0, 5200000.0, 10.314030876589106, 46.94598832392272),
        (32719, 350000.0, 6300000.0, -70.6134912095391, -33.428898205873836),
        (32660, 166021.0, 9329005.0, 150.41709812494128, 83.30590876155767),
        (25833, 400000.0, 5800000.0, 13.532121800505017, 52.341175348256826),
        (26911, 500000.0, 4000000.0, -117.0, 36.14471809978956),
        (31983, 300000.0, 7400000.0, -46.958567096365314, -23.497880151178848),
        (31973, 700000.0, 200000.0, -67.20205724699622, 1.8085604783279292),
        (7855, 228854.052, 5828259.038, 143.92649553610295, -37.65282114236203),
        (2193, 1570600.0, 5180000.0, 172.63614384344385, -43.532364254044246),
        (3395, 800000.0, 8399738.0, 7.1865222729561715, 60.16622514541438),
    ],
)
def test_coordinates_of_known_points_are_right_to_a_millimeter(code, x, y, longitude, latitude):
    tolerance = 1e-6 if code == 3857 else MILLIMETER  # whose seconds are rounded to 3 cm
    assert place(code, x, y) == pytest.approx((longitude, latitude), abs=tolerance)


def test_degrees_and_grads_are_degrees():
    assert place(4326, 10.5, 47.25, GEOGRAPHIC) == (10.5, 47.25)
    assert place(4807, 10.0, 50.0, GEOGRAPHIC, 0.9) == (9.0, 45.0)


@pytest.mark.parametrize(
    "system",
    [
        System(PROJECTED, 1.0, 31255),
        System(PROJECTED, 1.0, 32661),  # a polar system beside the zones
        System(PROJECTED, 1.0, 25827),
        System(PROJECTED, None, 32632),
        System(MERCATOR, 1.0, 0),
        System(),
    ],
)
def test_no_formula_is_used_for_a_system_that_it_does_not_cover(system, monkeypatch):
    monkeypatch.setitem(sys.modules, "rasterio.warp", None)
    assert to_degrees(system) is None
