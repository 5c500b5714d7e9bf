# SPDX-License-Identifier: GPL-3.0-or-later
"""Levels of detail: triangulations of a surface within an error in meters, without cracks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.arrays import Array
from ..base.errors import InputError
from ..base.threads import Tally

SMALLEST_ERROR = 1e-4
"""Meters; smaller errors are below the resolution of a mesh's heights."""

ROOM = 65536
"""Initial capacity in triangles."""


@dataclass(frozen=True)
class Level:
    """One level. cells: (vertices,) int64, flat index of each vertex's grid point, in rising order.
    triangles: (triangles, 3) int32, indices into `cells`, counterclockwise seen from above. error:
    meters.
    """

    cells: Array
    triangles: Array
    error: float


def levels(
    height: Array, errors: Sequence[float], spacing: tuple[float, float], tally: Tally | None = None
) -> list[Level]:
    """Triangles over a grid whose vertices are some of its points, one level for each error.

    height: (rows, cols) meters. errors: meters; over every point of the grid the triangles of a
    level lie within its error of the height. spacing: (row, col) meters. A level's vertices are
    also vertices of all finer ones. On the border all levels have the same vertices, chosen from
    the border's heights and the smallest error alone: so each level fits each other one along a
    border that two tiles share. tally: of the work. Raises InputError for errors that are too small
    or none, and heights that are not finite.
    """
    return _levels(
        np.asarray(height, np.float64)[np.newaxis], None, errors, spacing, tally or Tally()
    )


def water_levels(
    height: Array,
    depth: Array,
    wet: Array,
    errors: Sequence[float],
    spacing: tuple[float, float],
    tally: Tally | None = None,
) -> list[Level]:
    """Triangles over a surface of water, as `levels`, where they cover something wet.

    height: (rows, cols) meters, see `water_height`. depth: (rows, cols) meters; the triangles
    follow it within the error too, because colors depend on it. wet: (rows, cols) bool; where it is
    dry, triangles may lie anywhere below both and the error.
    """
    return _levels(
        np.stack([height, depth]).astype(np.float64), wet, errors, spacing, tally or Tally()
    )


def _levels(
    high: Array,
    wet: Array | None,
    errors: Sequence[float],
    spacing: tuple[float, float],
    tally: Tally,
) -> list[Level]:
    """`levels` over layers (layers, rows, cols)."""
    check_errors(errors)
    if not np.isfinite(high).all():
        raise InputError("Levels of detail need heights that are finite.")
    errors = [float(error) for error in errors]  # whole numbers would be compiled for anew
    from .kernels import refine
    from .kernels.delaunay import Triangulation

    high = np.ascontiguousarray(high)
    low = high if wet is None else np.where(wet, high, -np.inf)
    surface = refine.Surface(high, low, float(spacing[0]), float(spacing[1]), float(min(errors)))
    net = _with_room(Triangulation(*(np.empty(0, dtype) for dtype in _DTYPES)), ROOM)
    refine.start(net, surface)
    by_step: dict[float, Level] = {}
    rounds = list(_rounds(float(np.ptp(high, axis=(1, 2)).max()), errors))
    tally.total = len(rounds)
    for allowed in rounds:
        while not refine.refine(net, surface, allowed):
            net = _with_room(net, 2 * net.error.size)
        if allowed in errors:
            by_step[allowed] = _level(net, allowed)
        tally.add(1)
    return [by_step[error] for error in errors]


def check_errors(errors: Sequence[float]) -> None:
    """Raise InputError for missing errors or errors that are too small."""
    if not errors or not all(SMALLEST_ERROR <= error <= 1e9 for error in errors):
        raise InputError(
            "Levels of detail need at least one error, and each must be {smallest:g} m or more."
        ).format(smallest=SMALLEST_ERROR)


def water_height(level: Array, limit: Array, wet: Array) -> Array:
    """Water surface extended below the land, (rows, cols) m: a lake then needs few triangles.

    level: (rows, cols) m, the surface where it is wet. limit: (rows, cols) m, where dry ground
    hides it. On dry ground it is the mean of nearby wet points, if below the limit: of the smallest
    square of 2, 4, 8 … points with any.
    """
    return np.where(
        wet, level, np.minimum(_means(np.where(wet, level, 0.0), wet.astype(np.float64)), limit)
    )


def _means(total: Array, count: Array) -> Array:
    """Mean of each point, or of the smallest surrounding square with data; 0 without data."""
    if total.size > 1 and not count.all():
        pad = [(0, side % 2) for side in total.shape]
        coarse = [
            np.pad(part, pad)
            .reshape((total.shape[0] + 1) // 2, 2, (total.shape[1] + 1) // 2, 2)
            .sum((1, 3))
            for part in (total, count)
        ]
        wide = _means(*coarse).repeat(2, 0).repeat(2, 1)[: total.shape[0], : total.shape[1]]
        return np.where(count > 0, total / np.maximum(count, 1), wide)
    return np.asarray(total / np.maximum(count, 1))


_DTYPES = (np.int64, np.int32, np.int32, np.int64, np.float64, np.bool_, np.int32, np.int64)
"""Dtypes of a net's arrays, in order."""


def _with_room(net: Any, triangles: int) -> Any:
    """Triangulation with capacity for a number of triangles; there are fewer vertices."""
    sizes = (triangles, 3 * triangles, 3 * triangles, triangles, triangles, triangles, triangles, 2)
    grown = type(net)(
        *(np.zeros(size, array.dtype) for size, array in zip(sizes, net, strict=True))
    )
    for new, old in zip(grown, net, strict=True):
        new[: old.size] = old
    return grown


def _rounds(largest: float, errors: Sequence[float]) -> Iterator[float]:
    """Tolerance of each round: first for the border only, then halving to each error."""
    allowed = float(np.finfo(np.float64).max)
    yield allowed
    allowed = largest
    for error in sorted(set(errors), reverse=True):
        while allowed / 2 > error:
            allowed /= 2
            yield allowed
        yield error
        allowed = error


def _level(net: Any, error: float) -> Level:
    triangles = int(net.count[1])
    corners = net.corners[: 3 * triangles].reshape(-1, 3)[net.covers[:triangles]]
    used, place = np.unique(net.vertices[corners], return_inverse=True)
    return Level(used, place.reshape(-1, 3).astype(np.int32), error)
