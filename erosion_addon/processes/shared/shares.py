# SPDX-License-Identifier: GPL-3.0-or-later
"""Factors of a step's work on each cell, from masks and grass: erosion, softness of rock,
deposition.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...base.arrays import Array
from ...base.errors import InputError
from ...grid.stencils import continued
from ...terrain.fields import RISE
from ...terrain.masks import AREAS
from .state import State

_ONE = np.float32(1.0)


class Shares(NamedTuple):
    """(rows, cols) float32 each, 0-1; None for 1 everywhere."""

    dug: Array | None
    """Erosion of loose material and rock."""
    soft: Array | None
    """1 - hardness: additional factor for rock."""
    laid: Array | None
    accepted: Array | None
    """Deposition by slides: like `laid`, but a building plot accepts them, and `Plot` clears them
    away.
    """

    def filled(self, name: str, shape: tuple[int, ...]) -> Array:
        """One of the factors as an array."""
        found: Array | None = getattr(self, name)
        return np.ones(shape, np.float32) if found is None else found

    @property
    def nothing(self) -> bool:
        """Whether all factors are 1 everywhere."""
        return all(share is None for share in self)

    def layers(self, bounds: Sequence[Array], shape: tuple[int, ...]) -> Array | None:
        """Mask layers for the kernels of particles, (*shape, 4) float32: the factors in this order;
        with `bounds`, see `depth_bounds`, (*shape, 6). None without both.
        """
        if self.nothing and not bounds:
            return None
        factors = [np.float32(1.0) if factor is None else factor for factor in self]
        found = np.empty((*shape, len(factors) + len(bounds)), np.float32)
        for layer, values in enumerate([*factors, *bounds]):
            found[..., layer] = values
        return found


class Ground(NamedTuple):
    """Current ground, (rows, cols) m. risen: uplift so far; None for that of the state."""

    elevation: Array
    loose: Array
    risen: Array | None = None


def shares(state: State, ground: Ground | None = None) -> Shares:
    """Factors from the masks of a state and its rock layers. ground: the current one; else the
    initial one.
    """
    given = _by_masks(state)
    if state.strata is None or not state.strata.hardness:
        return given
    ground = ground or Ground(state.elevation, state.loose())
    risen = state.layers.get(RISE, 0.0) if ground.risen is None else ground.risen
    soft = _ONE - state.strata.resistance(
        ground.elevation - ground.loose - risen, state.spacing, state.threads
    )
    return given._replace(soft=soft if given.soft is None else given.soft * soft)


def shares_in_depth(state: State, ground: Ground | None = None) -> Shares:
    """`shares` with depth limits, for processes that update the ground before each time step.

    Erosion fades out toward the lowest allowed height, and deposition toward the highest. A time
    step lowers a cell by at most half of its height above the lowest neighbor, so slides cannot
    cross the limit. The fade covers the last tenth, for processes that lower it by less.
    """
    given = shares(state, ground)
    limits = state.limits
    wraps = state.edges == "wrap"
    ground = ground or Ground(state.elevation, state.loose())
    if limits.max_erosion > 0:
        left = ground.elevation - (state.elevation - limits.max_erosion)
        share = _share(left, _fall(ground.elevation, wraps), limits.max_erosion)
        given = given._replace(dug=share if given.dug is None else given.dug * share)
    if limits.max_deposition > 0:
        left = state.elevation + limits.max_deposition - ground.elevation
        share = _share(left, _fall(-ground.elevation, wraps), limits.max_deposition)
        laid = share if given.laid is None else given.laid * share
        given = given._replace(
            laid=laid, accepted=share if given.accepted is None else given.accepted * share
        )
    return given


NEAR = 0.1
"""Share of a depth limit over which the work fades out."""


def _share(left: Array, fall: Array, limit: float) -> Array:
    """Factor for a remaining depth (m) and a height above the lowest neighbor."""
    return np.asarray(np.clip(left / np.maximum(0.5 * fall, NEAR * limit), 0, 1), np.float32)


def _fall(surface: Array, wraps: bool) -> Array:
    """Height of each cell above the lowest of its eight neighbors, at least 0; slopes are
    extrapolated beyond the edges.
    """
    around = continued(surface, 1, wraps)
    rows = np.minimum(np.minimum(around[:-2], around[2:]), around[1:-1])
    lowest = np.minimum(np.minimum(rows[:, :-2], rows[:, 2:]), rows[:, 1:-1])
    return np.asarray(surface - lowest)


def depth_bounds(state: State, datum: float, unit: float) -> list[Array]:
    """Lowest and highest height allowed on each cell, (rows, cols) float32 in units of a number of
    meters above a datum; nothing without depth limits.

    For particles, many of which change a cell between updates of the ground: their kernels clamp to
    these.
    """
    limits = state.limits
    far = np.float32(np.inf)
    if not limits.depth:
        return []
    bounds = []
    for depth, sign in ((limits.max_erosion, -1.0), (limits.max_deposition, 1.0)):
        if depth == 0:
            bounds.append(np.full(state.elevation.shape, sign * far, np.float32))
            continue
        bound = ((state.elevation + sign * depth - datum) / unit).astype(np.float32)
        # rounding may not let anything beyond it
        bounds.append(np.nextafter(bound, np.float32(-sign) * far))
    return bounds


def _by_masks(state: State) -> Shares:
    masks = folded(state.masks)
    laid = masks.get("strength")
    hardness = masks.get("hardness")
    held = masks.get("held")
    accepted = laid
    plot = state.masks.get("plot")
    if plot is not None and laid is not None:
        accepted = np.where(plot < 1.0, laid, _ONE)
    bare = None if held is None else _ONE - held
    dug = laid if bare is None else bare if laid is None else laid * bare
    return Shares(dug, None if hardness is None else _ONE - hardness, laid, accepted)


def folded(masks: Mapping[str, Array]) -> dict[str, Array]:
    """Masks with `plot` and `protect` merged into the others: nothing acts on a plot, and protected
    ground is fully hard.

    Soil on it counts as rock: see `State.fixed`.
    """
    left = dict(masks)
    plot = left.pop("plot", None)
    protect = left.pop("protect", None)
    if plot is not None:
        left["strength"] = (_ONE - plot) * left.get("strength", _ONE)
    if protect is not None:
        left["hardness"] = _ONE - (_ONE - protect) * (_ONE - left.get("hardness", np.float32(0.0)))
    return left


def protected_soil(layers: Mapping[str, Array], masks: Mapping[str, Array]) -> Array | None:
    """Protected soil, (rows, cols) m; None if no mask protects any."""
    if "protect" not in masks or "soil" not in layers:
        return None
    return np.asarray(masks["protect"] * np.asarray(layers["soil"], dtype=np.float64))


def with_folded(state: State) -> State:
    """State with its masks `folded`."""
    return replace(state, masks=folded(state.masks))


def under_grass(state: State, protection: float) -> State:
    """State with the protection by its grass as a mask `held`; unchanged without grass."""
    grass = state.layers.get("grass")
    if grass is None or protection == 0.0 or not grass.any():
        return state
    held: Array = (np.float32(protection) * np.clip(grass, 0.0, 1.0)).astype(np.float32)
    if "held" in state.masks:
        held = _ONE - (_ONE - held) * (_ONE - state.masks["held"])
    return replace(state, masks={**state.masks, "held": held})


def factor(state: State, parameter: str, mask: str) -> Array:
    """Scale factor of a parameter, (rows, cols) float32 0-1: one of `masks.FACTORS`; InputError if
    it is missing.
    """
    found = state.masks.get(mask) if mask in AREAS else state.layers.get(mask)
    if found is None:
        raise InputError(missing(parameter, mask))
    return np.clip(found, 0.0, 1.0).astype(np.float32)


def missing(parameter: str, mask: str) -> str:
    """Error message for a missing scale factor."""
    kind, remedy = ("mask", "give that mask") if mask in AREAS else ("map", "make that map first")
    return (
        f"the {kind} {mask} that scales {parameter} is missing; {remedy}, or let nothing scale "
        f"{parameter}."
    )


RESISTS = ("hardness", "held")
"""Masks whose 1 stops a process; all others stop it at 0."""


def scaled(state: State, factors: Iterable[tuple[str, Array]]) -> State:
    """State with masks reduced by factors. factors: kind of mask → factor of each cell, 0-1.

    Where a factor is 1 the mask keeps every bit, and a factor of 1 everywhere adds no mask.
    """
    masks = dict(state.masks)
    for kind, factor in factors:
        if not (less := factor < _ONE).any():
            continue
        before = masks.get(kind, np.full(factor.shape, 0.0 if kind in RESISTS else 1.0, np.float32))
        after = _ONE - (_ONE - before) * factor if kind in RESISTS else before * factor
        masks[kind] = np.where(less, after, before).astype(np.float32)
    return replace(state, masks=masks)


class Plot:
    """Building plot, kept clear: material that slides onto it is removed at once.

    So material beside it stands no steeper than elsewhere. state: start of the step. layers: those
    that the step changes, (rows, cols), at its start; the first one is counted.
    """

    def __init__(self, state: State, *layers: Array) -> None:
        mask = state.masks.get("plot")
        self._cells = np.nonzero(mask >= 1.0) if mask is not None else (np.zeros(0, np.intp),) * 2
        self._kept = [layer[self._cells] for layer in layers]

    def __bool__(self) -> bool:
        return self._cells[0].size > 0

    def clear(self, *layers: Array, lowered: float = 0.0) -> float:
        """Restore the layers on the plot; returns the amount removed from the first.

        lowered: lowering of all other layers since the start, in meters.
        """
        taken = float(np.sum(layers[0][self._cells] - self._kept[0])) if self else 0.0
        for place, (layer, kept) in enumerate(zip(layers, self._kept, strict=True)):
            layer[self._cells] = kept - lowered if place else kept
        return taken
