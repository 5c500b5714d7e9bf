# SPDX-License-Identifier: GPL-3.0-or-later
"""Lattice: mapping of a mesh's vertices to grid cells, found from their positions, in any vertex
order.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...base.errors import InputError
from ...terrain.terrain import HIGHEST, SMALLEST_SIDE

Array = np.ndarray[Any, Any]

TOLERANCE = 0.05
"""Tolerance of a vertex's position on the grid, in spacings."""


@dataclass(frozen=True, eq=False)
class Lattice:
    """The grid that a mesh's vertices form in its local x and y; row 0 at the smallest y, column 0
    at the smallest x.

    spacing: (row, column) distance in world meters. scale_z: meters per unit of local z, negative
    where the object's z axis points down. vertex: (rows * cols,) index of each cell's vertex; None
    where they are in order already.
    """

    rows: int
    cols: int
    spacing: tuple[float, float]
    scale_z: float
    vertex: Array | None = None

    def to_grid(self, values: Array) -> Array:
        """Values by vertex (vertices, ...) → (rows, cols, ...)."""
        if self.vertex is not None:
            values = values[self.vertex]
        return values.reshape(self.rows, self.cols, *values.shape[1:])

    def to_vertices(self, grid: Array) -> Array:
        """(rows, cols, ...) → values by vertex (vertices, ...)."""
        flat = grid.reshape(self.rows * self.cols, *grid.shape[2:])
        if self.vertex is None:
            return flat
        values = np.empty_like(flat)
        values[self.vertex] = flat
        return values

    def frame(self, positions: Array) -> tuple[Array, Array]:
        """Local position (x, y) of the first grid point, and local units per meter along columns
        and rows.

        positions: (vertices, 3) of the grid.
        """
        low, high = (
            np.array([float(end(positions[:, axis])) for axis in (0, 1)])
            for end in (np.min, np.max)
        )  # along an axis at a time: ten times as fast
        extent = np.array([(self.cols - 1) * self.spacing[1], (self.rows - 1) * self.spacing[0]])
        return low, (high - low) / extent


def local_heights(lattice: Lattice, original: Array, before: Array, after: Array) -> Array:
    """Local z by vertex (vertices,) float32 for the elevation `after`, (rows, cols) in meters.

    original: (vertices,) float32, the local z that the elevation `before` was read from. Cells
    whose elevation did not change keep exactly their bits.
    """
    changed = lattice.to_vertices(before != after)
    heights = original.copy()
    # values beyond float32 become infinite and are refused when written
    with np.errstate(over="ignore"):
        np.copyto(
            heights,
            lattice.to_vertices((after / lattice.scale_z).astype(np.float32)),
            where=changed,
        )
    return heights


def axis_scales(name: str, matrix: Array) -> Array:
    """Meters per unit along local x, y and z of a world matrix (4, 4); z is negative where it
    points down.

    Raises InputError where an axis is not finite, has no length, or is not square to the others.
    """
    axes = np.asarray(matrix, dtype=np.float64)[:3, :3]
    if not np.isfinite(axes).all():
        raise InputError(
            "The scale or rotation of {name} is not a finite number; clear it with Alt S and Alt R."
        ).format(name=name)
    lengths = np.sqrt((axes**2).sum(axis=0))
    for axis, length in zip("XYZ", lengths, strict=True):
        if not 1e-9 < length < 1e9:
            raise InputError(
                "The scale of {name} along {axis} is {length:g}; set it to 1, for example."
            ).format(name=name, axis=axis, length=length)
    unit = axes / lengths
    if np.abs(unit.T @ unit - np.eye(3)).max() > 1e-3:
        raise InputError(
            "{name} is sheared by its parents' scale; apply its transformation with Ctrl A first."
        ).format(name=name)
    if unit[2, 2] < -1e-6:
        lengths[2] = -lengths[2]
    return np.array([_as_meant(length) for length in lengths])


def _as_meant(value: float) -> float:
    """Shortest decimal that rounds to `value` in float32: 0.1 for 0.100000001.

    A rotated object thus gives the same bytes as an unrotated one, and a mesh the same as a file.
    """
    rounded = (float(f"{value:.{digits}g}") for digits in range(1, 7))
    return next(
        (short for short in rounded if abs(short - value) <= 4e-6 * abs(value)), float(value)
    )


def find(name: str, positions: Array, scales: Array, edges: Callable[[], Array]) -> Lattice:
    """The lattice of `positions` (vertices, 3) float32, with `scales` from `axis_scales`.

    name: of the mesh, for errors. edges: returns some of the edges (count, 2), to explain an error.
    Raises InputError where the vertices do not form a full regular grid along local x and y.
    """
    match = _in_order(positions)
    if match is None:
        match = _in_any_order(name, positions, edges)
    (rows, cols), spacing, vertex = match
    if not math.isfinite(float(positions[:, 2].min()) + float(positions[:, 2].max())):
        raise _not_finite(name, positions)
    meters = (_as_meant(spacing[0] * scales[1]), _as_meant(spacing[1] * scales[0]))
    return Lattice(rows, cols, meters, float(scales[2]), vertex)


class NoLatticeError(InputError):
    """Positions that do not fill rows and columns; faces or edges may explain it."""


class StandingError(InputError):
    """A grid whose heights lie along a local axis other than Z."""


def standing_axis(matrix: Array) -> int:
    """Local axis, 0 to 2, closest to the vertical of the world. matrix: of the world, (4, 4)."""
    axes = np.asarray(matrix, dtype=np.float64)[:3, :3]
    return int(np.abs(axes[2] / np.sqrt((axes**2).sum(axis=0))).argmax())


def require_level(name: str, positions: Array, standing: int) -> None:
    """Raise StandingError if the vertices lie in even rows and columns as seen along the local axis
    that stands up.
    """
    x, y = (axis for axis in range(3) if axis != standing)
    if _even_spacings(positions[:, [x, y]]) is not None:
        up = "XYZ"[standing]
        raise StandingError(
            "{name} is a grid that stands up along its local {up} axis, as in files whose heights "
            "are along {up}; apply its rotation, so that its heights are along Z."
        ).format(name=name, up=up)


def even_spacing(points: Array) -> float | None:
    """Spacing of the rows and columns on which all points (count, 2 or more) lie, if equal along
    both axes; crossings may be empty.
    """
    spacings = _even_spacings(points)
    if spacings is None or abs(spacings[0] - spacings[1]) > 1e-4 * spacings[0]:
        return None
    return _as_meant(spacings[0])


def _even_spacings(points: Array) -> list[float] | None:
    """Spacings of the columns and rows on which all points (count, 2 or more) lie; None without
    such.
    """
    spacings = []
    for axis in (0, 1):
        values = points[:, axis].astype(np.float64)
        if not np.isfinite(values).all():
            return None
        spacing, count = _steps(values)
        if count < SMALLEST_SIDE or not _is_even((values - values.min()) / spacing):
            return None
        spacings.append(spacing)
    return spacings


_Match = tuple[tuple[int, int], tuple[float, float], Array | None]
"""(rows, cols), local (row, column) spacing, and `Lattice.vertex`."""


def _in_order(positions: Array) -> _Match | None:
    """Lattice of vertices in row order, as from most programs; None otherwise."""
    x = positions[:, 0]
    turn = np.flatnonzero(x[1:65536] <= x[:-1][:65535])[:1]
    cols = int(turn[0]) + 1 if turn.size else 0
    if cols < SMALLEST_SIDE or len(positions) % cols or len(positions) // cols < SMALLEST_SIDE:
        return None
    grid = positions.reshape(-1, cols, 3)
    rows = len(grid)
    corner = grid[0, 0].astype(np.float64)
    right = grid[0, -1]
    top = grid[-1, 0]
    if not np.isfinite((corner, right, top)).all():
        return None
    x_line = np.linspace(corner[0], right[0], cols)
    y_line = np.linspace(corner[1], top[1], rows)
    spacings = (float(y_line[1] - y_line[0]), float(x_line[1] - x_line[0]))
    x_line = x_line.astype(np.float32)
    y_line = y_line.astype(np.float32)
    block = max(1, 65536 // cols)  # rows that fit the processor's cache: three times as fast
    with np.errstate(all="ignore"):  # NaN and inf fail the comparison
        for start in range(0, rows, block):
            part = grid[start : start + block]
            lines = (y_line[start : start + block, None], x_line)
            for axis, line, spacing in zip((1, 0), lines, spacings, strict=True):
                if not (
                    spacing > 0
                    and float(np.abs(part[..., axis] - line).max()) <= TOLERANCE * spacing
                ):
                    return None
    return (rows, cols), spacings, None


def _in_any_order(name: str, positions: Array, edges: Callable[[], Array]) -> _Match:
    if not np.isfinite(positions).all():
        raise _not_finite(name, positions)
    farthest = float(np.abs(positions[:, :2]).max())
    if farthest > HIGHEST:
        raise InputError(
            "{name} has a vertex {farthest:g} units from its origin; move or delete it."
        ).format(name=name, farthest=farthest)
    cells = []
    spacings = []
    counts = []
    even = []
    for axis in (1, 0):
        values = positions[:, axis].astype(np.float64)
        spacing, count = _steps(values)
        if count == 1:
            raise InputError(
                "The vertices of {name} lie in one line; a terrain spreads over its local X and Y "
                "axes."
            ).format(name=name)
        place = (values - values.min()) / spacing
        cell = np.rint(place)
        even.append(_is_even(place))
        cells.append(cell.astype(np.intp))
        spacings.append(spacing)
        counts.append(count)
    rows, cols = counts
    is_full = all(even) and rows * cols <= len(positions)
    if not is_full and any(
        even[axis] and _are_shifted(cells[axis], positions[:, axis]) for axis in (0, 1)
    ):
        raise InputError(
            "Rows or columns of {name} are shifted against each other, as in a honeycomb or a wall "
            "of bricks; make a grid of it."
        ).format(name=name)
    if not all(even):
        raise _uneven(name, positions, edges(), spacings)
    if rows * cols > len(positions):
        raise NoLatticeError(
            "{name} has {vertices} vertices where {rows} rows and {cols} columns need {cells}; "
            "fill the holes, so that the grid is a full rectangle of evenly spaced vertices."
        ).format(name=name, vertices=len(positions), rows=rows, cols=cols, cells=rows * cols)
    vertex = np.full(rows * cols, -1, np.intp)
    vertex[cells[0] * cols + cells[1]] = np.arange(len(positions))
    if rows * cols < len(positions) or vertex.min() < 0:
        raise _uneven(name, positions, None, spacings)
    if min(rows, cols) < SMALLEST_SIDE:
        raise InputError(
            "{name} has {rows} × {cols} vertices; it needs at least {smallest} rows and {smallest} "
            "columns."
        ).format(name=name, rows=rows, cols=cols, smallest=SMALLEST_SIDE)
    return (rows, cols), (spacings[0], spacings[1]), vertex


def _is_even(places: Array) -> bool:
    """Whether positions in spacings are whole numbers."""
    # twice, as the outermost vertices may be off too
    return bool(np.abs(places - np.rint(places)).max() <= 2 * TOLERANCE)


def _are_shifted(line: Array, along: Array) -> bool:
    """Whether points are evenly spaced along each of their lines, and these begin at different
    parts of a spacing.

    line: number of each point's line. along: place of each point along it.
    """
    order = np.lexsort((along, line))
    line = line[order]
    along = along[order].astype(np.float64)
    same = line[1:] == line[:-1]
    gaps = np.diff(along)[same]
    spacing = float(np.median(gaps)) if len(gaps) else 0.0
    if spacing <= 0 or not _is_even(gaps / spacing):
        return False
    starts = along[np.concatenate(([True], ~same))] / spacing
    return not _is_even(starts - starts[0])


def _steps(values: Array) -> tuple[float, int]:
    """Spacing and number of the even steps in `values`; (0, 1) if all are equal."""
    ordered = np.sort(values)
    extent = float(ordered[-1] - ordered[0])
    if extent == 0:
        return 0.0, 1
    gaps = np.diff(ordered)
    jumps = gaps[gaps > gaps.max() / 4]
    jumps = gaps[gaps > np.median(jumps) / 2]  # a missing column is a jump of two steps
    count = 1 + int(np.rint(jumps / np.median(jumps)).sum())
    return extent / (count - 1), count


def _not_finite(name: str, positions: Array) -> InputError:
    bad = np.flatnonzero(~np.isfinite(positions).all(axis=1))
    vertices = "1 vertex" if len(bad) == 1 else f"{len(bad)} vertices"
    return InputError(
        "{name} has {vertices} whose position is not a number, the first is vertex {first}; "
        "delete them."
    ).format(name=name, vertices=vertices, first=bad[0])


def _uneven(name: str, positions: Array, edges: Array | None, spacings: list[float]) -> InputError:
    """Most likely reason why the vertices form no lattice; without edges: doubled vertices."""
    farthest = float(np.abs(positions[:, :2]).max())
    resolution = float(np.spacing(np.float32(farthest)))
    if resolution > TOLERANCE * min(spacings):
        return InputError(
            "{name} lies {farthest:g} units from its own origin, where Blender resolves only "
            "{resolution:g} units, too coarse for its grid; import it closer to the origin."
        ).format(name=name, farthest=farthest, resolution=resolution)
    if edges is None:
        return NoLatticeError(
            "Some vertices of {name} overlap in top view, in an overhang or a vertical wall; merge "
            "them by distance, or delete one of each."
        ).format(name=name)
    angle = _grid_angle(positions, edges)
    if angle is not None:
        return InputError(
            "The grid of {name} is turned by {angle:.0f}° inside the mesh; turn it back in Edit "
            "Mode and rotate the object instead."
        ).format(name=name, angle=angle)
    return NoLatticeError(
        "The vertices of {name} are not evenly spaced rows and columns along its local X and Y "
        "axes; use a grid, for example Add > Mesh > Grid."
    ).format(name=name)


def _grid_angle(positions: Array, edges: Array) -> float | None:
    """Rotation of edges against x and y in degrees, -45 to 45; None if there is no common one."""
    if not len(edges):
        return None
    across = positions[edges[:, 1], :2].astype(np.float64) - positions[edges[:, 0], :2]
    # Four times the angle maps all four directions of a grid to one; diagonals cancel only in part.
    mean = np.exp(4j * np.arctan2(across[:, 1], across[:, 0])).mean()
    angle = math.degrees(np.angle(mean)) / 4
    return angle if abs(mean) > 0.25 and abs(angle) > 0.3 else None
