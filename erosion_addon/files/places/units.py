# SPDX-License-Identifier: GPL-3.0-or-later
"""Units of length and angle, by EPSG's codes and by the words that files use.

Source: EPSG Geodetic Parameter Dataset 11, units of measure.
"""

import math

FOOT = 0.3048
SURVEY_FOOT = 1200 / 3937

LENGTHS = {
    1025: 0.001,
    1033: 0.01,
    9001: 1.0,
    9002: FOOT,
    9003: SURVEY_FOOT,
    9005: 0.3047972654,
    9014: 1.8288,
    9030: 1852.0,
    9031: 1.0000135965,
    9033: 66 * SURVEY_FOOT,
    9034: 0.66 * SURVEY_FOOT,
    9035: 5280 * SURVEY_FOOT,
    9036: 1000.0,
    9037: 0.9143917962,
    9039: 0.201166195164,
    9040: 0.9143984146160287,
    9041: 0.3047994715386762,
    9042: 20.116765121552632,
    9062: 20.116782494375872,
    9070: 0.30480083333333335,
    9080: 0.30479951024814694,
    9081: 0.30479841,
    9082: 0.3047996,
    9083: 0.3047995,
    9084: 0.9143985307444408,
    9093: 1609.344,
    9094: 0.3047997101815088,
    9095: 0.3048007491,
    9096: 0.9144,
    9097: 20.1168,
    9098: 0.201168,
    9301: 20.116756,
}
"""Meters per unit, by EPSG's code."""

ANGLES = {
    9101: 180 / math.pi,
    9102: 1.0,
    9103: 1 / 60,
    9104: 1 / 3600,
    9105: 0.9,
    9106: 0.9,
    9109: 180e-6 / math.pi,
    9122: 1.0,
}
"""Degrees per unit, by EPSG's code."""

_WORDS = {
    1.0: "m meter meters metre metres",
    FOOT: (
        "ft foot feet internationalfoot internationalfeet "
        "footinternational feetinternational footintl feetintl"
    ),
    SURVEY_FOOT: (
        "usft ftus footus feetus ussurveyfoot ussurveyfeet surveyfoot surveyfeet usfoot usfeet"
    ),
    0.1: "dm decimeter decimeters decimetre decimetres",
    0.01: "cm centimeter centimeters centimetre centimetres",
    0.001: "mm millimeter millimeters millimetre millimetres",
    1000.0: "km kilometer kilometers kilometre kilometres",
    0.9144: "yd yard yards",
    1.8288: "fathom fathoms",
}
_LENGTHS_BY_WORD = {word: length for length, words in _WORDS.items() for word in words.split()}


_NAMES = {1.0: "metre", FOOT: "foot", SURVEY_FOOT: "US survey foot"}
"""Units in which heights are written, as GDAL names them."""


def name_of(length: float) -> str:
    """Name of a unit of heights by its meters; empty for one that is not written."""
    return next(
        (name for unit, name in _NAMES.items() if math.isclose(unit, length, rel_tol=1e-9)), ""
    )


def length_of(words: str) -> float | None:
    """Meters per unit of a name such as metre, US survey foot or us-ft; None for an unknown one."""
    return _LENGTHS_BY_WORD.get("".join(letter for letter in words.lower() if letter.isalpha()))
