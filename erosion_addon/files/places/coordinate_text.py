# SPDX-License-Identifier: GPL-3.0-or-later
"""Coordinate reference systems in words: well-known text, and the older .prj of ARC/INFO.

Sources: OGC 01-009 and OGC 18-010 for both versions of the text; Esri's .prj files.
"""

import re

from .placement import GEOGRAPHIC, MERCATOR, PROJECTED, System
from .units import ANGLES, length_of

_UNIT = re.compile(r'(?:LENGTH|ANGLE)?UNIT\s*\[\s*"([^"]*)"\s*,\s*([0-9.eE+-]+)')
_CODE = re.compile(r'(?:AUTHORITY|ID)\s*\[\s*"EPSG"\s*,\s*"?(\d+)"?\s*\]\s*\]\s*$')
_ZONE = re.compile(r"UTM[_ ]*zone[_ ]*(\d{1,2})[_ ]*([NS])?", re.IGNORECASE)
_ZONES = {
    "wgs1984": 32600,
    "wgs84": 32600,
    "etrs1989": 25800,
    "etrs89": 25800,
    "nad1983": 26900,
    "nad83": 26900,
}
_GLOBES = {
    "northamerican1983": 4269,
    "wgs1984": 4326,
    "wgs84": 4326,
    "etrs1989": 4258,
    "etrs89": 4258,
    "nad1983": 4269,
    "nad83": 4269,
}
USER_DEFINED = 32767
"""The first code that a GeoTIFF cannot hold."""
_SOUTH = 100
"""From the codes of zones on WGS 84 in the north to those in the south."""


def system_in(text: str) -> tuple[System, float | None]:
    """System of horizontal coordinates in a .prj file or the like, and meters per unit of height,
    None if unnamed.
    """
    text = text.strip()
    if not re.match(r"[A-Z_]+\s*\[", text, re.IGNORECASE):
        return _old(text)
    horizontal, *vertical = re.split(
        r"VERT_?(?:CS|CRS)\s*\[", text, maxsplit=1, flags=re.IGNORECASE
    )
    unit = _last_unit(vertical[0]) if vertical else None
    name = horizontal.split('"')[1] if '"' in horizontal else ""
    if re.match(r"(?:COMPD_CS|COMPOUNDCRS)", text, re.IGNORECASE):
        horizontal = horizontal.split(",", 1)[-1].strip().rstrip(",").strip()
    if re.match(r"(?:GEOGCS|GEOGCRS|GEODCRS|GEOGRAPHICCRS)", horizontal, re.IGNORECASE):
        radians = _last_unit(horizontal)
        degrees = radians * ANGLES[9101] if radians else 1.0
        return System(GEOGRAPHIC, degrees, _code(horizontal) or _code_of(name, _GLOBES)), unit
    code = _code(horizontal) or _zone(horizontal)
    length = _last_unit(horizontal)
    by_mercator = re.search(
        r'(?:PROJECTION|METHOD)\s*\[\s*"[^"]*(?<!Transverse_)(?<!Transverse )Mercator', horizontal
    )
    if by_mercator and "Oblique" not in by_mercator[0]:
        return System(
            MERCATOR, length, code or (3857 if "Auxiliary_Sphere" in horizontal else 0)
        ), unit
    return System(PROJECTED, length, code), unit


def _old(text: str) -> tuple[System, float | None]:
    """System in lines of a key and a word, such as "Projection UTM"."""
    words = {
        key.lower(): rest.strip()
        for key, _, rest in (line.strip().partition(" ") for line in text.splitlines())
    }
    unit = length_of(words.get("zunits", ""))
    if words.get("projection", "").lower() == "geographic":
        seconds = words.get("units", "").lower() in ("ds", "seconds")
        datum = _code_of(words.get("datum", ""), _GLOBES)
        return System(GEOGRAPHIC, 1 / 3600 if seconds else 1.0, datum), unit
    if "projection" not in words:
        return System(), unit
    zone = words.get("zone", "")
    is_utm = words["projection"].lower() == "utm" and zone.isdecimal() and 1 <= int(zone) <= 60
    first = _code_of(words.get("datum", ""), _ZONES)
    return System(
        PROJECTED, length_of(words.get("units", "")), first + int(zone) if is_utm and first else 0
    ), unit


def _last_unit(text: str) -> float | None:
    """Factor of the last unit in a text, that is, of the outermost system."""
    units = _UNIT.findall(text)
    if not units:
        return None
    try:
        factor = float(units[-1][1])
    except ValueError:
        return None
    return factor if 1e-9 < factor < 1e9 else None


def _code(text: str) -> int:
    """EPSG's code at the end of a text; 0 without one that a GeoTIFF can hold."""
    match = _CODE.search(text.rstrip(" \r\n,"))
    return int(match[1]) if match and len(match[1]) < 6 and int(match[1]) < USER_DEFINED else 0


def _zone(text: str) -> int:
    """EPSG's code of a UTM zone by the system's name; 0 for other names."""
    name = text.split('"')[1] if text.count('"') > 1 else ""
    zone = _ZONE.search(name)
    first = _code_of(name, _ZONES)
    if not (zone and first and 1 <= int(zone[1]) <= 60):
        return 0
    south = (zone[2] or "N").upper() == "S"
    return first + int(zone[1]) + (_SOUTH if south else 0) if not south or first == 32600 else 0


def _code_of(name: str, codes: dict[str, int]) -> int:
    letters = "".join(letter for letter in name.lower() if letter.isalnum())
    return next((code for word, code in codes.items() if word in letters), 0)
