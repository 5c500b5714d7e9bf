# SPDX-License-Identifier: GPL-3.0-or-later
"""Dabs that no other process does: the ground rises or sinks, sand comes or goes, and creep evens
the ground out.

share: (rows, cols) 0-1, strength of the dab.
"""

import math
from typing import NamedTuple

import numpy as np

from ...base.arrays import Array
from ..shared.shares import shares
from ..shared.state import State, Volumes

HEIGHT = 0.02
"""Meters that the ground rises in a dab of full strength, by the meter of radius."""

HOPS = (0.25, 0.5, 0.75, 1.0)
"""Shares of that distance at which equal parts of sand land; one alone would raise ripples of its
length.
"""

FACING = 2.0
"""Extra sand that a slope facing the wind loses, compared with level ground, by the slope."""

SPREADING = 0.01
"""Diffusivity times time (m²) of a dab of full strength, by the square meter of radius."""

STABLE = 0.2
"""Share of the difference of height that passes a face in one pass: a quarter on each would be the
limit.
"""

MOST_PASSES = 400


class Ground(NamedTuple):
    """Elevation and its loose part, (rows, cols) m, and the changes of solid material, m³."""

    elevation: Array
    loose: Array
    volumes: Volumes


def raised(state: State, share: Array, height: float) -> Ground:
    """Ground after a rise by `height` (m), or a fall if negative: loose material sinks first, then
    rock by its softness.
    """
    factors = shares(state)
    loose = state.loose()
    if height >= 0:
        rise = height * share * factors.filled("laid", share.shape)
        return Ground(state.elevation + rise, loose, _change_volumes(state, rise))
    depth = -height * share * factors.filled("dug", share.shape)
    taken_loose = np.minimum(depth, loose)
    fall = taken_loose + (depth - taken_loose) * factors.filled("soft", share.shape)
    return Ground(state.elevation - fall, loose - taken_loose, _change_volumes(state, -fall))


def strewn(state: State, share: Array, height: float) -> Ground:
    """Ground after a layer of sand of `height` (m) was added, or removed if negative, as far as
    there is sand.
    """
    factors = shares(state)
    loose = state.loose()
    if height >= 0:
        change = height * share * factors.filled("laid", share.shape)
    else:
        change = -np.minimum(-height * share * factors.filled("dug", share.shape), loose)
    return Ground(state.elevation + change, loose + change, _change_volumes(state, change))


def _change_volumes(state: State, change: Array) -> Volumes:
    area = state.spacing[0] * state.spacing[1]
    return Volumes(float(np.abs(change).sum()) * area, 0.0, float(change.sum()) * area)


def blown(state: State, share: Array, height: float, hop: tuple[float, float]) -> Ground:
    """The ground after a gust. height: most loose sand (m) that it takes. hop: greatest distance (m
    along x and y).

    Slopes that face the wind give more, those behind crests less, so sand gathers in lees. Sand
    that finds no place stays; over open edges it leaves.
    """
    factors = shares(state)
    loose = state.loose()
    along_x, along_y = hop
    row, col = state.spacing
    length = math.sqrt(along_x * along_x + along_y * along_y)
    if length == 0.0:
        return Ground(state.elevation, loose, Volumes(0.0, 0.0))
    slope_y, slope_x = np.gradient(state.elevation, row, col)
    facing = np.clip(1.0 + FACING * (slope_x * along_x + slope_y * along_y) / length, 0.0, 2.0)
    lifted = np.minimum(height * share * facing * factors.filled("dug", share.shape), loose)
    gain = factors.filled("laid", share.shape)
    cells = (along_y / row, along_x / col)
    wraps = state.edges == "wrap"
    # shifted back, the map of acceptance gives each origin the places ahead of it
    back = (-cells[0], -cells[1])
    lands = _blown(gain, back, wraps)
    leaves = (
        1.0 - _blown(np.ones_like(lands), back, wraps) if state.edges == "open" else 0.0 * lands
    )
    taken = lifted * (lands + leaves)
    arriving = _blown(lifted, cells, wraps) * gain
    area = row * col
    volumes = Volumes(float(taken.sum()) * area, float((lifted * leaves).sum()) * area)
    return Ground(
        state.elevation + (arriving - taken), np.maximum(loose - taken, 0.0) + arriving, volumes
    )


def _blown(amounts: Array, cells: tuple[float, float], wraps: bool) -> Array:
    """Amounts spread over a way of a number of cells along rows and columns."""
    parts = [_displaced(amounts, part * cells[0], part * cells[1], wraps) for part in HOPS]
    return np.asarray(sum(parts[1:], parts[0]) / len(HOPS))


def _displaced(amounts: Array, rows: float, cols: float, wraps: bool) -> Array:
    """Amounts that have moved by a number of cells, shared by the four cells that they meet."""
    first_row = math.floor(rows)
    first_col = math.floor(cols)
    down = rows - first_row
    right = cols - first_col
    result = np.zeros_like(amounts)
    for row, col, part in (
        (0, 0, (1 - down) * (1 - right)),
        (0, 1, (1 - down) * right),
        (1, 0, down * (1 - right)),
        (1, 1, down * right),
    ):
        if part > 0:
            result += part * _shifted(amounts, first_row + row, first_col + col, wraps)
    return result


def _shifted(amounts: Array, rows: int, cols: int, wraps: bool) -> Array:
    """Amounts moved by whole cells; over the edges only where they wrap."""
    if wraps:
        return np.roll(amounts, (rows, cols), (0, 1))
    result = np.zeros_like(amounts)
    into: tuple[slice, ...] = ()
    out: tuple[slice, ...] = ()
    for by, side in zip((rows, cols), amounts.shape, strict=True):
        into += (slice(max(by, 0), max(side + min(by, 0), 0)),)
        out += (slice(max(-by, 0), max(side - max(by, 0), 0)),)
    result[into] = amounts[out]
    return result


def crept(state: State, share: Array, spread: float) -> Ground:
    """The ground after creep: dh/dt = div(D grad h) over the dab, with D · t = `spread` (m²).

    Explicit in finite volumes: flux through a face leaves one cell and enters the other, so volume
    is conserved. Loose material goes first; rock follows by its softness, and is loose where it
    arrives.
    """
    factors = shares(state)
    loose = state.loose()
    elevation = state.elevation
    dug, gain, soft = (factors.filled(name, share.shape) for name in ("dug", "laid", "soft"))
    rates = [spread / (side * side) for side in state.spacing]
    passes = min(max(1, math.ceil(sum(rates) / (2 * STABLE))), MOST_PASSES)
    # with MOST_PASSES too few for the spread, creep falls short, but stays stable
    faces = [min(rates[axis] / passes, STABLE) * np.minimum(*_pair(share, axis)) for axis in (0, 1)]
    total = 0.0
    for _ in range(passes):
        flows = [face * -np.diff(elevation, axis=axis) for axis, face in enumerate(faces)]
        leaving = _leaving(flows, elevation.shape)
        ready = np.minimum(loose, leaving)
        may = dug * np.divide(
            ready + (leaving - ready) * soft, leaving, out=np.ones_like(leaving), where=leaving > 0
        )
        flows = [_passed(flow, may, gain, axis) for axis, flow in enumerate(flows)]
        leaving = _leaving(flows, elevation.shape)
        arriving = _leaving([-flow for flow in flows], elevation.shape)
        total += float(leaving.sum())
        loose = np.maximum(loose - leaving, 0.0) + arriving
        elevation = elevation + (arriving - leaving)
    return Ground(elevation, loose, Volumes(total * state.spacing[0] * state.spacing[1], 0.0))


def _pair(array: Array, axis: int) -> tuple[Array, Array]:
    """The cells before and behind each face across an axis."""
    return (array[:-1], array[1:]) if axis == 0 else (array[:, :-1], array[:, 1:])


def _passed(flow: Array, may: Array, gain: Array, axis: int) -> Array:
    """Flow through the faces, limited by the loss of the cell it leaves and the gain of the
    other.
    """
    give, give_back = _pair(may, axis)
    take_back, take = _pair(gain, axis)
    return np.asarray(np.where(flow > 0, flow * give * take, flow * give_back * take_back))


def _leaving(flows: list[Array], shape: tuple[int, ...]) -> Array:
    """Flow out of each cell over its faces; with flows negated, flow into it."""
    total = np.zeros(shape)
    for axis, flow in enumerate(flows):
        before, behind = _pair(total, axis)
        onward = np.maximum(flow, 0.0)
        backward = np.maximum(-flow, 0.0)
        before += onward
        behind += backward
    return total
