# SPDX-License-Identifier: GPL-3.0-or-later
"""Export of rivers, lakes and sea: GeoJSON for maps, JSON for engines, CSV for tables, OBJ for
meshes.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..base.arrays import Array
from . import ribbon, rivers
from .outlines import outlines
from .parameters import RiverParameters

COLUMNS = (
    "river",
    "reach",
    "x",
    "y",
    "z",
    "width",
    "depth",
    "discharge",
    "speed",
    "slope",
    "drainage_area",
    "stream_order",
    "lake",
)
"""Columns of the table of points."""


@dataclass(frozen=True, eq=False)
class Waterways:
    """Rivers and lakes of a terrain, prepared for export.

    degrees: from (points, 2) m along columns and rows to longitude and latitude; None for land that
    lies nowhere known.
    """

    water: rivers.Water
    parameters: RiverParameters
    elevation: Array
    spacing: tuple[float, float]
    degrees: Callable[[Array], Array] | None = None

    @cached_property
    def sizes(self) -> rivers.Sizes:
        """River sizes."""
        return rivers.sizes(self.water, self.parameters)

    @cached_property
    def reaches(self) -> list[Array]:
        """See `rivers.reaches`."""
        return rivers.reaches(self.water)

    @cached_property
    def sea(self) -> Array | None:
        """See `rivers.sea_of`."""
        return rivers.sea_of(self.elevation, self.parameters)

    @property
    def sea_as_lake(self) -> tuple[Array, Array]:
        """The sea as a lake: numbers (rows, cols) int32 and levels; no level without a sea."""
        if self.sea is None or not self.sea.any():
            return np.zeros(self.elevation.shape, np.int32), np.zeros(0)
        return self.sea.astype(np.int32), np.array([self.parameters.sea_level])

    @cached_property
    def lakes(self) -> list[tuple[dict[str, float], list[Array]]]:
        """Sizes and shores of each lake."""
        sizes = rivers.lake_sizes(self.water.lakes, self.water.level, self.elevation, self.spacing)
        shores = outlines(self.water.lakes, self.water.level, self.elevation, self.spacing)
        figures = zip(self.water.level, sizes.depth, sizes.area, sizes.volume, shores, strict=True)
        return [
            ({"level": float(z), "depth": float(d), "area": float(a), "volume": float(v)}, lines)
            for z, d, a, v, lines in figures
        ]

    def river_of(self, points: Array) -> int:
        """Number of a reach's river, from 1 on."""
        return int(np.searchsorted(self.water.starts, points[0], side="right"))


def write(path: Path, ways: Waterways) -> None:
    """Write a file in the format of its suffix, see `WRITERS`."""
    path.write_text(WRITERS[path.suffix.lower()](ways), encoding="utf-8")


def _rounded(values: Array) -> list[Any]:
    """Rounded to millimeters; arguments in meters."""
    values_list: list[Any] = np.round(np.asarray(values, np.float64), 3).tolist()
    return values_list


def _coordinates(ways: Waterways, points: Array) -> list[Any]:
    """Longitude, latitude to a tenth of a millimeter, and height if there is one; else meters (RFC
    7946).
    """
    if ways.degrees is None:
        return _rounded(points)
    places = np.round(ways.degrees(points[:, :2]), 9).tolist()
    return [place + height for place, height in zip(places, _rounded(points[:, 2:]), strict=True)]


def _geojson(ways: Waterways) -> str:
    features = []
    for number, points in enumerate(ways.reaches, 1):
        end = points[-2]  # as the last point of a tributary lies on the other river
        place = ways.water.place[points]
        figures = {
            "kind": "river",
            "river": ways.river_of(points),
            "reach": number,
            "stream_order": int(ways.water.order[end]),
            "length": _length(place),
            "drainage_area": float(ways.water.area[end]),
            **{
                name: float(getattr(ways.sizes, name)[end])
                for name in ("width", "depth", "discharge", "speed")
            },
        }
        features.append(_feature("LineString", _coordinates(ways, place), figures))
    for number, (lake, shores) in enumerate(ways.lakes, 1):
        figures = {"kind": "lake", "lake": number, **lake}
        features.append(_feature("Polygon", [_coordinates(ways, line) for line in shores], figures))
    for coast in outlines(*ways.sea_as_lake, ways.elevation, ways.spacing):
        figures = {"kind": "coast", "level": ways.parameters.sea_level}
        features.append(
            _feature("MultiLineString", [_coordinates(ways, line) for line in coast], figures)
        )
    return json.dumps({"type": "FeatureCollection", "features": features}, indent=1) + "\n"


def _feature(kind: str, coordinates: list[Any], figures: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "Feature",
        "geometry": {"type": kind, "coordinates": coordinates},
        "properties": figures,
    }


def _length(place: Array) -> float:
    steps = np.diff(place[:, :2], axis=0)
    return float(np.sqrt((steps * steps).sum(-1)).sum())


def _splines(ways: Waterways) -> str:
    """Rivers as splines from source to mouth, with the point attributes that engines read."""
    splines = []
    for first, last in zip(ways.water.starts[:-1], ways.water.starts[1:], strict=True):
        points = np.arange(last - 1, first - 1, -1)
        splines.append(
            {
                "points": _rounded(ways.water.place[points]),
                "width": _rounded(ways.sizes.width[points]),
                "depth": _rounded(ways.sizes.depth[points]),
                "speed": _rounded(ways.sizes.speed[points]),
                "discharge": np.round(ways.sizes.discharge[points], 6).tolist(),
                "stream_order": ways.water.order[points].tolist(),
                "flow": _rounded(ways.sizes.speed[points]),  # its name before "speed"
            }
        )
    lakes = [lake | {"shores": [_rounded(line) for line in shores]} for lake, shores in ways.lakes]
    sea = {} if ways.sea is None else {"sea": {"level": ways.parameters.sea_level}}
    return json.dumps({"rivers": splines, "lakes": lakes, **sea}, indent=1) + "\n"


def _table(ways: Waterways) -> str:
    water = ways.water
    sizes = ways.sizes
    lines = [",".join(COLUMNS)]
    for number, points in enumerate(ways.reaches, 1):
        numbers = np.column_stack(
            [
                water.place[points],
                sizes.width[points],
                sizes.depth[points],
                sizes.discharge[points],
                sizes.speed[points],
                sizes.slope[points],
                water.area[points],
            ]
        )
        columns = np.column_stack([water.order[points], water.inside[points]]).tolist()
        river = ways.river_of(points)
        for row, (order, lake) in zip(numbers.tolist(), columns, strict=True):
            lines.append(
                ",".join(
                    [f"{river},{number}", *(f"{value:.9g}" for value in row), f"{order},{lake}"]
                )
            )
    return "\n".join(lines) + "\n"


def _mesh(ways: Waterways) -> str:
    """Ribbons and sheets as one mesh; y is up, as in most programs."""
    lines = ["# Terrain Erosion: meters, y up"]
    first = 1
    sheets = {
        "rivers": ribbon.ribbons(ways.water, ways.sizes, ways.elevation, ways.spacing),
        "lakes": ribbon.sheets(ways.water.lakes, ways.water.level, ways.elevation, ways.spacing),
    }
    if ways.sea is not None:
        sheets["sea"] = ribbon.sheets(*ways.sea_as_lake, ways.elevation, ways.spacing)
    for name, sheet in sheets.items():
        lines.append(f"o {name}")
        lines += [
            f"v {x:.10g} {z:.10g} {0.0 - y:.10g}" for x, y, z in np.round(sheet.place, 4).tolist()
        ]
        lines += ["f " + " ".join(map(str, face)) for face in (sheet.faces + first).tolist()]
        first += len(sheet.place)
    return "\n".join(lines) + "\n"


WRITERS: dict[str, Callable[[Waterways], str]] = {
    ".geojson": _geojson,
    ".obj": _mesh,
    ".csv": _table,
    ".json": _splines,
}
"""Suffix → function that makes the text of the file."""
