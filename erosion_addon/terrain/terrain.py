# SPDX-License-Identifier: GPL-3.0-or-later
"""Terrain: named fields on one grid of cells, in meters."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..base.arrays import mean_cell_size
from ..base.errors import InputError
from .fields import FIELDS, VAST

SMALLEST_SIDE = 3
"""Smallest number of rows and columns with a slope to erode."""

LONGEST_CELL = 8
"""Greatest ratio of a cell's sides: a step of unit length then stays below `SMALLEST_SIDE`
cells.
"""

HIGHEST = 1e9
"""Height limit in meters; float64 still resolves a tenth of a micrometer here."""


_LARGEST = 1e30
"""Limit of the fields `VAST`, finite in float32 with room for sums."""


class Terrain:
    """Fields on a grid of rows × cols cells; row 0 lies at the smallest y, column 0 at the smallest
    x.

    elevation: (rows, cols), meters.
    cell_size: meters, one number, or (row spacing, column spacing) where cells are not square.
    fields: further arrays by the names of `FIELDS`, same rows × cols.

    Arrays are copied. Raises InputError for a wrong shape, values that are not finite, an unknown
    field or an invalid cell size.
    """

    def __init__(
        self,
        elevation: Any,
        cell_size: float | tuple[float, float] = 1.0,
        fields: Mapping[str, Any] | None = None,
    ) -> None:
        self.spacing = checked_spacing(cell_size)
        self.elevation = checked_field("elevation", elevation, None)
        self.fields = {
            name: checked_field(name, values, self.shape) for name, values in (fields or {}).items()
        }
        self.report: dict[str, Any] | None = None

    @classmethod
    def sharing(
        cls, elevation: Any, cell_size: float | tuple[float, float], fields: Mapping[str, Any]
    ) -> "Terrain":
        """Terrain with the given arrays themselves, where they are in order; else as the
        constructor.
        """
        terrain = cls.__new__(cls)
        terrain.spacing = checked_spacing(cell_size)
        terrain.report = None
        terrain.elevation = checked_field("elevation", elevation, None, copies=False)
        shape = terrain.shape
        terrain.fields = {
            name: checked_field(name, values, shape, copies=False)
            for name, values in fields.items()
        }
        return terrain

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, cols)."""
        rows, cols = self.elevation.shape
        return rows, cols

    @property
    def rows(self) -> int:
        """Cells along y."""
        return self.shape[0]

    @property
    def cols(self) -> int:
        """Cells along x."""
        return self.shape[1]

    @property
    def cell_size(self) -> float:
        """Mean side of a cell in meters: the square root of its area."""
        return mean_cell_size(self.spacing)

    @property
    def cell_area(self) -> float:
        """Area of a cell in m²."""
        return self.spacing[0] * self.spacing[1]

    @property
    def relief(self) -> float:
        """Highest minus lowest point in meters."""
        return float(self.elevation.max() - self.elevation.min())

    def __getitem__(self, name: str) -> np.ndarray[Any, Any]:
        return self.elevation if name == "elevation" else self.fields[name]

    def __contains__(self, name: object) -> bool:
        return name == "elevation" or name in self.fields


def checked_spacing(cell_size: Any) -> tuple[float, float]:
    """(row, column) spacing in meters from one number or two; InputError for a size that no terrain
    has.
    """
    try:
        pair = tuple(float(number) for number in np.broadcast_to(cell_size, 2))
    except (TypeError, ValueError):
        pair = (math.nan, math.nan)
    if not all(1e-6 <= number <= 1e6 for number in pair):
        raise InputError(
            "The cell size must be from 0.000001 to 1000000 meters, not {cell_size:.60}."
        ).format(cell_size=repr(cell_size))
    if not 1 / LONGEST_CELL <= pair[0] / pair[1] <= LONGEST_CELL:
        raise InputError(
            "The cells are {width:g} m wide and {length:g} m long; resample the grid so that "
            "neither side is over {most} times the other."
        ).format(width=pair[1], length=pair[0], most=LONGEST_CELL)
    return pair[0], pair[1]


def checked_field(
    name: str, values: Any, shape: tuple[int, int] | None, copies: bool = True
) -> np.ndarray[Any, Any]:
    """Finite C-ordered copy of `values` in the field's dtype and the grid's shape; InputError if
    impossible.

    copies: False for `values` themselves, where they are in order.
    """
    if name not in FIELDS:
        raise InputError("There is no field {name}; choose one of {fields}.").format(
            name=name, fields=", ".join(FIELDS)
        )
    field = FIELDS[name]
    try:
        with np.errstate(over="ignore"):
            make = np.array if copies else np.asarray
            array: np.ndarray[Any, Any] = make(values, dtype=field.dtype, order="C")
    except (TypeError, ValueError):
        raise InputError("The {name} is not a rectangle of numbers.").format(name=name) from None
    if shape is None and (array.ndim != 2 or min(array.shape) < SMALLEST_SIDE):
        size = " × ".join(map(str, array.shape)) or "a single number"
        raise InputError(
            "The {name} is {size}; it needs at least {smallest} rows and {smallest} columns."
        ).format(name=name, size=size, smallest=SMALLEST_SIDE)
    expected = shape and (shape if field.components == 1 else (*shape, field.components))
    if expected and array.shape != expected:
        raise InputError("The {name} is {shape} and the grid {expected}.").format(
            name=name,
            shape=" × ".join(map(str, array.shape)),
            expected=" × ".join(map(str, expected)),
        )
    most = _LARGEST if name in VAST else HIGHEST
    if not (array.min() >= -most and array.max() <= most):  # NaN fails both
        bad = ~(np.abs(array) <= most)
        row, col = np.argwhere(bad)[0][:2]
        raise InputError(
            "The {name} has {count} values that are not finite or beyond ±{most:g}, the first "
            "at row {row}, column {col}; fill them first."
        ).format(name=name, count=np.count_nonzero(bad), most=most, row=row, col=col)
    if name in ("sediment", "snow", "meltwater") and array.min() < 0:
        row, col = np.unravel_index(array.argmin(), array.shape)
        raise InputError(
            "The {name} is negative at row {row}, column {col}; a thickness is 0 or more."
        ).format(name=name, row=row, col=col)
    return array
