# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of a GeoTIFF: coordinate reference system, units of length, and placement of its pixels.

Source: OGC GeoTIFF 1.1; EPSG Geodetic Parameter Dataset 11 for vertical systems that are not in
meters, or depths.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .placement import GEOGRAPHIC, MERCATOR, PROJECTED, Placement, System
from .units import ANGLES, FOOT, LENGTHS, SURVEY_FOOT

Tags = Mapping[int, np.ndarray[Any, Any]]

SCALE = 33550
TIE_POINTS = 33922
MATRIX = 34264
KEYS = 34735
DOUBLES = 34736
TEXTS = 34737
_MODEL = 1024
_RASTER = 1025
_GEOGRAPHIC = 2048
_ANGLE = 2054
_ANGLE_SIZE = 2055
_PROJECTED = 3072
_TRANSFORMATION = 3075
_LENGTH = 3076
_LENGTH_SIZE = 3077
_VERTICAL = 4096
_VERTICAL_UNIT = 4099
_AT_POINTS = 2
_BY_MERCATOR = 7
_USER_DEFINED = 32767
_MERCATOR_CODES = (3395, 3785, 3832, 3857)
_VERTICAL_UNITS = {
    **dict.fromkeys((5614, 6130, 6131, 6132, 8050, 8051, 8228), FOOT),
    **dict.fromkeys((5702, 6358, 6359, 6360, 8052, 8053, 10919), SURVEY_FOOT),
    5754: 0.3048007491,
}
"""Meters per unit of vertical systems in feet; all others of EPSG are in meters."""
_DEPTHS = (
    *(
        5336,
        5612,
        5614,
        5706,
        5715,
        5734,
        5739,
        5789,
        5831,
        *range(5861, 5868),
        5873,
        6357,
        6358,
        6359,
        7976,
    ),
    *(
        8051,
        8053,
        8358,
        9287,
        9288,
        9672,
        10150,
        10151,
        10349,
        10364,
        *range(10370, 10380),
        *range(10547, 10553),
    ),
    *(10649, 10650, 10678),
)
"""Vertical systems whose numbers grow downward."""


def geo_keys(tags: Tags) -> dict[int, float]:
    """Numbers by key; texts are left out, as are keys that lead nowhere."""
    listed = np.asarray(tags.get(KEYS, np.empty(0, int)))
    doubles = tags.get(DOUBLES, np.empty(0))
    keys: dict[int, float] = {}
    for key, place, _, value in listed[4 : len(listed) // 4 * 4].reshape(-1, 4).tolist():
        if place == 0:
            keys[key] = value
        elif place == DOUBLES and value < len(doubles):
            keys[key] = float(doubles[value])
    return keys


def at_points(tags: Tags) -> bool:
    """Whether values are at points; by default each stands for the area of its pixel."""
    return geo_keys(tags).get(_RASTER) == _AT_POINTS


def system_of(tags: Tags) -> System:
    """Coordinate reference system of a GeoTIFF."""
    keys = geo_keys(tags)
    if keys.get(_MODEL) == 2 or (
        _MODEL not in keys and _PROJECTED not in keys and _GEOGRAPHIC in keys
    ):
        unit = _unit(keys, ANGLES, _ANGLE, _ANGLE_SIZE, 9102)
        return System(GEOGRAPHIC, unit, _code(keys, _GEOGRAPHIC))
    code = _code(keys, _PROJECTED)
    unit = _unit(keys, LENGTHS, _LENGTH, _LENGTH_SIZE, 9001)
    if code in _MERCATOR_CODES or keys.get(_TRANSFORMATION) == _BY_MERCATOR:
        return System(MERCATOR, unit, code)
    return System(PROJECTED, unit, code) if {_MODEL, _PROJECTED} & keys.keys() else System()


def vertical_unit(tags: Tags) -> float | None:
    """Meters per unit of height; None if the keys name none."""
    keys = geo_keys(tags)
    if _VERTICAL_UNIT in keys:
        return LENGTHS.get(int(keys[_VERTICAL_UNIT]))
    code = _code(keys, _VERTICAL)
    return _VERTICAL_UNITS.get(code, 1.0) if code else None


def are_depths(tags: Tags) -> bool:
    """Whether the vertical system counts downward."""
    return _code(geo_keys(tags), _VERTICAL) in _DEPTHS


def placement_of(tags: Tags) -> Placement | None:
    """Placement of a GeoTIFF's pixels; None without one."""
    scale, matrix, ties = (tags.get(tag, np.empty(0)) for tag in (SCALE, MATRIX, TIE_POINTS))
    if len(scale) >= 2 and scale.dtype.kind == "f" and scale[:2].any():
        # A negative step along a row runs from east to west; rows run down, whatever the sign of
        # theirs, as in GDAL.
        right = (float(scale[0]), 0.0)
        down = (0.0, 0.0 - abs(float(scale[1])))
        col, row, _, x, y = (float(number) for number in ties[:5]) if len(ties) >= 6 else (0.0,) * 5
    elif len(matrix) == 16 and matrix.dtype.kind == "f":
        right = (float(matrix[0]), float(matrix[4]))
        down = (float(matrix[1]), float(matrix[5]))
        col = 0.0
        row = 0.0
        x = float(matrix[3])
        y = float(matrix[7])
    else:
        return None
    if not np.isfinite([*right, *down, x, y, col, row]).all():
        return None
    half = 0.5 if at_points(tags) else 0.0
    first = Placement((x, y), right, down, system_of(tags)).at(0.0 - row - half, 0.0 - col - half)
    return Placement(first, right, down, system_of(tags))


def placement_tags(placement: Placement) -> dict[int, np.ndarray[Any, Any]]:
    """Tags of a placement whose system has a code of EPSG; each pixel stands for its area."""
    (x, y), right, down, system = (
        placement.corner,
        placement.right,
        placement.down,
        placement.system,
    )
    model, key = (2, _GEOGRAPHIC) if system.kind == GEOGRAPHIC else (1, _PROJECTED)
    keys = [(_MODEL, model), (_RASTER, 1), (key, system.code)]
    tags = {
        KEYS: np.array(
            [1, 1, 0, len(keys), *(n for name, value in keys for n in (name, 0, 1, value))], "<u2"
        )
    }
    if right[0] > 0 and down[1] < 0 and right[1] == 0 and down[0] == 0:
        scale = (right[0], 0.0 - down[1], 0.0)
        tie = (0.0, 0.0, 0.0, x, y, 0.0)
        return {**tags, SCALE: np.array(scale, "<f8"), TIE_POINTS: np.array(tie, "<f8")}
    rows = (
        (right[0], down[0], 0.0, x),
        (right[1], down[1], 0.0, y),
        (0.0,) * 4,
        (0.0, 0.0, 0.0, 1.0),
    )
    return {**tags, MATRIX: np.array(rows, "<f8").ravel()}


def _code(keys: Mapping[int, float], key: int) -> int:
    """EPSG's code; 0 for a system of the user's own, or none."""
    code = int(keys.get(key, 0))
    return 0 if code == _USER_DEFINED else code


def _unit(
    keys: Mapping[int, float], units: Mapping[int, float], key: int, size: int, default: int
) -> float | None:
    """Meters or degrees per unit; None for an unknown one."""
    if keys.get(key) == _USER_DEFINED and keys.get(size, 0.0) > 0.0:
        return keys[size] if units is LENGTHS else keys[size] * ANGLES[9101]
    return units.get(int(keys.get(key, default)))
