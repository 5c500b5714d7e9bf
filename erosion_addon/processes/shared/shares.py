# SPDX-License-Identifier: GPL-3.0-or-later
"""Factors of a step's work on each cell, from masks and grass: erosion, softness of rock,
deposition.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...base.arrays import Array
from ...base.errors import InputError, Sentence
from ...grid.stencils import continued
from ...terrain.fields import RISE
from ...terrain.masks import AREAS, GRASS_PROTECTION
from .state import State

_FULL = np.float32(1.0)


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
        layer: Array | None = getattr(self, name)
        return np.ones(shape, np.float32) if layer is None else layer

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
        stack = np.empty((*shape, len(factors) + len(bounds)), np.float32)
        for layer, values in enumerate([*factors, *bounds]):
            stack[..., layer] = values
        return stack


class Ground(NamedTuple):
    """Current ground, (rows, cols) m. risen: uplift so far; None for that of the state."""

    elevation: Array
    loose: Array
    risen: Array | None = None


def shares(state: State, ground: Ground | None = None) -> Shares:
    """Factors from the masks of a state and its rock layers. ground: the current one; else the
    initial one.
    """
    factors = _by_masks(state)
    if state.strata is None or not state.strata.hardness:
        return factors
    ground = ground or Ground(state.elevation, state.loose())
    risen = state.layers.get(RISE, 0.0) if ground.risen is None else ground.risen
    soft = _FULL - state.strata.resistance(
        ground.elevation - ground.loose - risen, state.spacing, state.threads
    )
    return factors._replace(soft=soft if factors.soft is None else factors.soft * soft)


def shares_in_depth(state: State, ground: Ground | None = None) -> Shares:
    """`shares` with depth limits, for processes that update the ground before each time step.

    Erosion fades out toward the lowest allowed height, and deposition toward the highest. A time
    step lowers a cell by at most half of its height above the lowest neighbor, so slides cannot
    cross the limit. The fade covers the last tenth, for processes that lower it by less.
    """
    factors = shares(state, ground)
    limits = state.limits
    wraps = state.edges == "wrap"
    ground = ground or Ground(state.elevation, state.loose())
    if limits.max_erosion > 0:
        left = ground.elevation - (state.elevation - limits.max_erosion)
        share = _share(left, _fall(ground.elevation, wraps), limits.max_erosion)
        factors = factors._replace(dug=share if factors.dug is None else factors.dug * share)
    if limits.max_deposition > 0:
        left = state.elevation + limits.max_deposition - ground.elevation
        share = _share(left, _fall(-ground.elevation, wraps), limits.max_deposition)
        gain = share if factors.laid is None else factors.laid * share
        factors = factors._replace(
            laid=gain, accepted=share if factors.accepted is None else factors.accepted * share
        )
    return factors


NEAR = 0.1
"""Share of a depth limit over which the work fades out."""


def _share(left: Array, fall: Array, limit: float) -> Array:
    """Factor for a remaining depth (m) and a height above the lowest neighbor."""
    return np.asarray(np.clip(left / np.maximum(0.5 * fall, NEAR * limit), 0, 1), np.float32)


def _fall(surface: Array, wraps: bool) -> Array:
    """Height of each cell above the lowest of its eight neighbors, at least 0; slopes are
    extrapolated beyond the edges.
    """
    extended = continued(surface, 1, wraps)
    rows = np.minimum(np.minimum(extended[:-2], extended[2:]), extended[1:-1])
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
    gain = masks.get("strength")
    hardness = masks.get("hardness")
    hard = masks.get("held")
    accepted = gain
    plot = state.masks.get("plot")
    if plot is not None and gain is not None:
        accepted = np.where(plot < 1.0, gain, _FULL)
    bare = None if hard is None else _FULL - hard
    dug = gain
    if bare is not None:
        dug = bare if gain is None else gain * bare
    return Shares(dug, None if hardness is None else _FULL - hardness, gain, accepted)


def folded(masks: Mapping[str, Array]) -> dict[str, Array]:
    """Masks with `plot` and `protect` merged into the others: nothing acts on a plot, and protected
    ground is fully hard.

    Soil on it counts as rock: see `State.fixed`.
    """
    left = dict(masks)
    plot = left.pop("plot", None)
    protect = left.pop("protect", None)
    if plot is not None:
        left["strength"] = (_FULL - plot) * left.get("strength", _FULL)
    if protect is not None:
        left["hardness"] = _FULL - (_FULL - protect) * (
            _FULL - left.get("hardness", np.float32(0.0))
        )
    return left


def protected_soil(layers: Mapping[str, Array], masks: Mapping[str, Array]) -> Array | None:
    """Protected soil, (rows, cols) m; None if no mask protects any."""
    if "protect" not in masks or "soil" not in layers:
        return None
    return np.asarray(masks["protect"] * np.asarray(layers["soil"], dtype=np.float64))


def with_folded(state: State) -> State:
    """State with its masks `folded`."""
    return replace(state, masks=folded(state.masks))


def under_grass(state: State, protection: float = GRASS_PROTECTION) -> State:
    """State with the protection by its grass as a mask `cover`; unchanged without grass."""
    grass = state.layers.get("grass")
    if grass is None or not grass.any():
        return state
    cover: Array = (np.float32(protection) * np.clip(grass, 0.0, 1.0)).astype(np.float32)
    if "held" in state.masks:
        cover = _FULL - (_FULL - cover) * (_FULL - state.masks["held"])
    return replace(state, masks={**state.masks, "held": cover})


def factor(state: State, parameter: str, mask: str) -> Array:
    """Scale factor of a parameter, (rows, cols) float32 0-1: one of `masks.FACTORS`; InputError if
    it is missing.
    """
    values = state.masks.get(mask) if mask in AREAS else state.layers.get(mask)
    if values is None:
        raise InputError(missing(parameter, mask))
    return np.clip(values, 0.0, 1.0).astype(np.float32)


def missing(parameter: str, mask: str) -> str:
    """Error message for a missing scale factor."""
    kind = Sentence("mask") if mask in AREAS else Sentence("map")
    remedy = Sentence("give that mask") if mask in AREAS else Sentence("make that map first")
    return Sentence(
        "the {kind} {mask} that scales {parameter} is missing; {remedy}, or let nothing scale "
        "{parameter}."
    ).format(kind=kind, mask=mask, parameter=parameter, remedy=remedy)


RESISTS = ("hardness", "held")
"""Masks whose 1 stops a process; all others stop it at 0."""


def scaled(state: State, factors: Iterable[tuple[str, Array]]) -> State:
    """State with masks reduced by factors. factors: kind of mask → factor of each cell, 0-1.

    Where a factor is 1 the mask keeps every bit, and a factor of 1 everywhere adds no mask.
    """
    masks = dict(state.masks)
    for kind, factor in factors:
        if not (less := factor < _FULL).any():
            continue
        before = masks.get(kind, np.full(factor.shape, 0.0 if kind in RESISTS else 1.0, np.float32))
        after = _FULL - (_FULL - before) * factor if kind in RESISTS else before * factor
        masks[kind] = np.where(less, after, before).astype(np.float32)
    return replace(state, masks=masks)


class Plot:
    """Building plot, kept clear: material that slides onto it is removed at once.

    So material beside it stands no steeper than elsewhere. state: start of the step. layers: the
    layers changed by the step, (rows, cols), at its start; the first one is counted.
    """

    def __init__(self, state: State, *layers: Array) -> None:
        mask = state.masks.get("plot")
        self._cells = np.nonzero(mask >= 1.0) if mask is not None else (np.zeros(0, np.intp),) * 2
        self._start = [layer[self._cells] for layer in layers]

    def __bool__(self) -> bool:
        return self._cells[0].size > 0

    def clear(self, *layers: Array, lowered: float = 0.0) -> float:
        """Restore the layers on the plot; returns the amount removed from the first.

        lowered: lowering of all other layers since the start, in meters.
        """
        taken = float(np.sum(layers[0][self._cells] - self._start[0])) if self else 0.0
        for place, (layer, start) in enumerate(zip(layers, self._start, strict=True)):
            layer[self._cells] = start - lowered if place else start
        return taken
