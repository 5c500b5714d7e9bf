# SPDX-License-Identifier: GPL-3.0-or-later
"""Georeference: the GeoTIFF tags that place pixels on Earth, kept for files of the same land.

Source: OGC GeoTIFF 1.1. Nothing is looked up or reprojected; the coordinate reference system stays
as tagged.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..places.geo_keys import (
    DOUBLES,
    KEYS,
    MATRIX,
    SCALE,
    TEXTS,
    TIE_POINTS,
    at_points,
    placement_of,
    placement_tags,
)
from ..places.placement import Placement
from ..places.projections import to_degrees
from ..places.units import name_of

_DTYPES = {
    SCALE: "<f8",
    TIE_POINTS: "<f8",
    MATRIX: "<f8",
    KEYS: "<u2",
    DOUBLES: "<f8",
    TEXTS: "|u1",
}
_GEOGRAPHIC, _PROJECTED = 2048, 3072
"""Keys of a coordinate reference system; a GeoTIFF without one holds distances, but no place."""
_MOST = 4096
"""Most values of a tag; a coordinate reference system has some hundred characters."""

Array = np.ndarray[Any, Any]
Tags = dict[int, Array]


@dataclass(frozen=True, eq=False)
class Georeference:
    """Georeferencing tags of a GeoTIFF, its number of (rows, cols), and the meters per unit of its
    heights.
    """

    tags: Tags
    shape: tuple[int, int]
    unit: float = 1.0

    @classmethod
    def of(
        cls, tags: Mapping[int, np.ndarray[Any, Any]], shape: tuple[int, int]
    ) -> "Georeference | None":
        """Georeference in the tags of a TIFF; None if missing or invalid."""
        arrays = {tag: tags[tag].astype(dtype) for tag, dtype in _DTYPES.items() if tag in tags}
        return cls(arrays, shape) if _makes_sense(arrays) else None

    @classmethod
    def at(cls, placement: Placement, shape: tuple[int, int]) -> "Georeference | None":
        """Georeference of pixels of (rows, cols) with a placement; None if EPSG has no code for its
        system.
        """
        tags = placement_tags(placement)
        return cls(tags, shape) if placement.system.code and _makes_sense(tags) else None

    @classmethod
    def from_text(cls, text: object) -> "Georeference | None":
        """Georeference from the text of `to_text`; None for anything else, because .blend files are
        untrusted.
        """
        try:
            content = json.loads(str(text))
            rows, cols = (int(side) for side in content["shape"])
            tags = {
                int(tag): _numbers(values, _DTYPES[int(tag)])
                for tag, values in content["tags"].items()
            }
            unit = float(content.get("unit", 1.0))
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
            return None
        return cls(tags, (rows, cols), unit) if _makes_sense(tags) and name_of(unit) else None

    @property
    def placement(self) -> Placement | None:
        """Affine map of its pixels."""
        return placement_of(self.tags)

    def degrees(self, spacing: tuple[float, float]) -> Callable[[Array], Array] | None:
        """Map from (points, 2) m along columns and rows, counted from the middle of the lower left
        pixel, to longitude and latitude; None if no formula is known. spacing: (row, col) m.
        """
        placement = self.placement
        formula = to_degrees(placement.system) if placement else None
        if placement is None or formula is None:
            return None
        (left, top), right, down = (
            placement.corner,
            np.array(placement.right),
            np.array(placement.down),
        )

        def degrees(points: Array) -> Array:
            cols = points[:, 0] / spacing[1] + 0.5
            rows = self.shape[0] - 0.5 - points[:, 1] / spacing[0]
            x = left + right[0] * cols + down[0] * rows
            y = top + right[1] * cols + down[1] * rows
            return np.stack(formula(x, y), axis=-1)

        return degrees

    def entries(self) -> list[tuple[int, np.ndarray[Any, Any]]]:
        """Tags and their values in the order of a file."""
        return sorted(self.tags.items())

    def to_text(self) -> str:
        """Tags, shape and unit as JSON."""
        tags = {str(tag): values.tolist() for tag, values in self.tags.items()}
        return json.dumps(
            {"shape": self.shape, "tags": tags, **({"unit": self.unit} if self.unit != 1.0 else {})}
        )

    def part(
        self, first: tuple[float, float], step: tuple[float, float], shape: tuple[int, int]
    ) -> "Georeference":
        """Georeference of other pixels on the same land. first: (row, col) of the top left one;
        step: between them; in pixels here.

        Both refer to the middles of pixels, or to the points, which stay on the borders of finer
        grids.
        """
        half = 0.0 if at_points(self.tags) else 0.5
        tags = dict(self.tags)
        (row, col), (down, right) = first, step
        # A place p of the new raster is start + step · p of this one.
        start_col = col + half - half * right
        start_row = row + half - half * down
        if MATRIX in tags:
            matrix = tags[MATRIX].reshape(4, 4).copy()
            matrix[:, 3] += matrix[:, 0] * start_col + matrix[:, 1] * start_row
            matrix[:, 0] *= right
            matrix[:, 1] *= down
            tags[MATRIX] = matrix.ravel()
        if SCALE in tags:
            tags[SCALE] = tags[SCALE] * np.array([right, down, 1.0][: len(tags[SCALE])])
        if TIE_POINTS in tags:
            points = tags[TIE_POINTS].reshape(-1, 6).copy()
            points[:, 0] = (points[:, 0] - start_col) / right
            points[:, 1] = (points[:, 1] - start_row) / down
            tags[TIE_POINTS] = points.ravel()
        return Georeference(tags, shape, self.unit)

    def upright(self, south_up: bool, mirrored: bool) -> "Georeference":
        """Georeference of the same pixels with rows and columns in the other order."""
        first = (self.shape[0] - 1 if south_up else 0, self.shape[1] - 1 if mirrored else 0)
        step = (-1 if south_up else 1, -1 if mirrored else 1)
        return self.part(first, step, self.shape) if south_up or mirrored else self

    def resized(self, shape: tuple[int, int]) -> "Georeference":
        """Georeference of a grid of another (rows, cols) between the same borders."""
        down, right = ((old - 1) / (new - 1) for old, new in zip(self.shape, shape, strict=True))
        return self if shape == self.shape else self.part((0.0, 0.0), (down, right), shape)


def _numbers(values: Any, dtype: str) -> np.ndarray[Any, Any]:
    """The values as numbers of a kind; ValueError if one is not a number or does not fit."""
    numbers = np.array(values, np.float64).ravel()
    if not np.isfinite(numbers).all() or (
        dtype != "<f8" and not ((numbers >= 0) & (numbers <= np.iinfo(dtype).max)).all()
    ):
        raise ValueError
    return numbers.astype(dtype)


def _makes_sense(tags: Tags) -> bool:
    """Whether the tags define a location in a coordinate reference system.

    Numbers have to be finite, lists of the required length, offsets of keys valid.
    """
    keys = tags.get(KEYS, np.empty(0, "<u2"))
    if (
        not 4 <= len(keys) <= _MOST
        or len(keys) % 4
        or any(len(values) > _MOST for values in tags.values())
    ):
        return False
    numbers = [values for tag, values in tags.items() if _DTYPES[tag] == "<f8"]
    if not all(np.isfinite(values).all() for values in numbers):
        return False
    matrix, scale, ties = (tags.get(tag, np.empty(0)) for tag in (MATRIX, SCALE, TIE_POINTS))
    by_scale = len(scale) in (2, 3) and scale[:2].all() and len(ties) >= 6 and len(ties) % 6 == 0
    by_matrix = len(matrix) == 16 and len(scale) == 0 and len(ties) % 6 == 0
    listed = keys.reshape(-1, 4)[1:].tolist()
    leads = all(
        place == 0 or (place in tags and at + count <= len(tags[place]))
        for _, place, count, at in listed
    )
    has_code = any(key in (_GEOGRAPHIC, _PROJECTED) for key, *_ in listed)
    return bool(leads and has_code and (by_scale or by_matrix) and keys[3] == len(listed))
