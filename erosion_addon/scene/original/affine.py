# SPDX-License-Identifier: GPL-3.0-or-later
"""Affine map between two states of the same vertices, e.g. after Apply Scale, Set Origin or
mirroring.

Sculpted vertices do not affect it, as long as enough of the others fit one map.
"""

from dataclasses import dataclass

import numpy as np

from ..terrain.lattice import Array

SAMPLE = 4096
"""Vertices sampled for the fit."""

ENOUGH = 0.25
"""Share of vertices that must fit the map."""

ROUNDING = 32 * float(np.finfo(np.float32).eps)
"""Tolerance in sizes of the mesh: rounding of a few float32 transformations."""

_BLOCK = 1 << 18
"""Vertices processed at once in float64."""


@dataclass(frozen=True, eq=False)
class Map:
    """p → p @ linear + shift. stays: whether it is the identity, to the bit."""

    linear: Array
    shift: Array
    stays: bool = False

    def of(self, places: Array) -> Array:
        """Mapped positions (vertices, 3), float32 as the input."""
        if self.stays:
            return places.copy()
        result = np.empty_like(places)
        for start in range(0, len(places), _BLOCK):
            block = slice(start, start + _BLOCK)
            result[block] = places[block].astype(np.float64) @ self.linear + self.shift
        return result

    def inverse(self) -> "Map":
        """Inverse map; a flattened direction is lost."""
        back = np.linalg.pinv(self.linear)
        return Map(back, -self.shift @ back, self.stays)

    def astray(self, before: Array, after: Array) -> int:
        """Number of vertices that do not fit the map."""
        return int((~_is_near(self.of(before), after, _reach(self.linear, before, after))).sum())


STAYS = Map(np.eye(3), np.zeros(3), stays=True)


def between(before: Array, after: Array, carried: Array) -> Map | None:
    """Map from `before` to `after`, both (vertices, 3) float32; None if undetermined.

    carried: (vertices, 3), further positions for the map, which differ from `before` in height
    alone.
    """
    sample = _sample(before, after)
    if not len(sample):
        return None
    old = before[sample].astype(np.float64)
    new = after[sample].astype(np.float64)
    known_up = bool((carried[sample] == before[sample]).all())
    staying = float((before[sample] == after[sample]).all(axis=1).mean())
    fit = _fit(old, new, known_up)
    if fit is not None:
        reach = _reach(fit.linear, old, new)
        share = float(_is_near(old @ fit.linear + fit.shift, new, reach).mean())
        if share >= max(ENOUGH, staying):
            return STAYS if _is_near(old @ fit.linear + fit.shift, old, reach).all() else fit
    if staying >= ENOUGH or is_reshaped_in_place(before, after):
        return STAYS
    return None


def is_reshaped_in_place(before: Array, after: Array) -> bool:
    """Whether vertices were edited individually: no map fits much better than the identity."""
    sample = _sample(before, after)
    old = before[sample].astype(np.float64)
    new = after[sample].astype(np.float64)
    solution, _ = _solve(_design(old)[0], new, np.ones(len(old)))
    left = _design(old)[0] @ solution - new
    squashed = (
        np.ptp(new, axis=0) <= ROUNDING * np.abs(new).max() if len(new) else np.zeros(3, bool)
    )
    return bool(squashed.any() or np.sqrt(((old - new) ** 2).sum()) <= 2 * np.sqrt((left**2).sum()))


def _sample(before: Array, after: Array) -> Array:
    """Indices of up to `SAMPLE` vertices with finite positions in both states."""
    sample = np.unique(np.linspace(0, len(before) - 1, min(len(before), SAMPLE)).astype(np.intp))
    return sample[np.isfinite(before[sample]).all(axis=1) & np.isfinite(after[sample]).all(axis=1)]


def _reach(linear: Array, before: Array, after: Array) -> float:
    """Rounding tolerance of mapped float32 positions."""
    with np.errstate(invalid="ignore"):
        old, new = (
            float(np.nan_to_num(np.abs(places).max(), posinf=0.0)) for places in (before, after)
        )
    return ROUNDING * max(new, old * float(np.linalg.norm(linear, 2)))


def _is_near(places: Array, targets: Array, reach: float) -> Array:
    with np.errstate(invalid="ignore"):
        return (np.abs(places - targets) <= reach).all(axis=1)


def _design(old: Array) -> tuple[Array, Array, Array]:
    """Normalized positions with a column of ones; their mean and scale."""
    middle = old.mean(axis=0)
    unit = old.std(axis=0)
    unit[unit <= 1e-9 * unit.max()] = 1.0
    return np.concatenate([(old - middle) / unit, np.ones((len(old), 1))], axis=1), middle, unit


def _solve(design: Array, new: Array, weight: Array) -> tuple[Array, int]:
    root = np.sqrt(weight)[:, None]
    solution, _, rank, _ = np.linalg.lstsq(design * root, new * root, rcond=1e-10)
    return solution, int(rank)


def _fit(old: Array, new: Array, known_up: bool) -> Map | None:
    """Map with the least sum of distances, robust against outliers: iteratively reweighted least
    squares.

    known_up: whether the image of heights above a flat terrain is irrelevant.
    """
    design, middle, unit = _design(old)
    weight = np.ones(len(old))
    least = 1e-2 * ROUNDING * max(float(np.abs(new).max()), 1e-30)
    for _ in range(40):
        solution, rank = _solve(design, new, weight)
        distance = np.linalg.norm(design @ solution - new, axis=1)
        if distance.max() <= 10 * least:  # nothing was sculpted
            break
        weight = 1 / np.maximum(distance, least)
    linear = solution[:3] / unit[:, None]
    if rank < 4:
        return Map(linear, solution[3] - middle @ linear) if known_up else None
    size = np.linalg.svd(linear, compute_uv=False)
    if size[-1] <= 1e-6 * size[0]:
        return None  # flattened; nobody applies a scale of 0
    return Map(linear, solution[3] - middle @ linear)
