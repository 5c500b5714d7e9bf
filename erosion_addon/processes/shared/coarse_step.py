# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps that run on coarser cells than the terrain's, and return only their change. Single drops
carve channels as narrow as a cell. So that a landscape looks the same at any resolution, they run
on cells of a size in meters. Only the change is applied to the terrain, which keeps its own finer
detail.

Coarse to Fine: most drops run on cells twice as wide, where paths have half as many steps, and the
others on the terrain's.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ...base.arrays import Array, ordered_sum
from ...grid.transfer import GridTransfer
from ...terrain.fields import RISE
from ...terrain.terrain import SMALLEST_SIDE
from .parameters import COARSE_DROPS, FINE_DROPS, halved, size_of
from .shares import under_grass, with_folded
from .state import State, Step, Volumes

OWN_KEY = 2**31
"""Added to the key for the coarse cells; keys of a recipe's steps differ by less."""

COARSE_DROP_WORK = 0.3
"""Share of the work that is done on coarse cells."""


@dataclass(frozen=True)
class FeatureSizedSteps:
    """Factory of steps whose cells are as large as their finest channels, see `size_of`, if those
    of the terrain are finer.

    step: class of the steps. by_the_cell: drops erode per cell, so fewer are enough on cells larger
    than the channels of `detail`.
    """

    step: type[Step]
    by_the_cell: bool = False

    @property
    def bytes_per_cell(self) -> int:
        """Working memory beyond terrain and result: the step's own, and three fields during a
        transfer.

        (It is larger only for coarse cells hardly larger than the terrain's.)
        """
        return self.step.bytes_per_cell + 24

    @property
    def lone(self) -> float:
        """Share of the work that one thread does alone."""
        return self.step.lone

    def __call__(self, state: State, parameters: Any, key: int) -> Step:
        """A step on `state`."""
        state = with_folded(under_grass(state))
        rows, cols = state.elevation.shape
        size = size_of(parameters, (rows, cols), state.spacing)
        # The mean change of height by alpine on 64² and 128² cells differed by 9 % with the fourth
        # root, by 19 % with the square root; on 96² and 288², all drops made it 17 % more, the
        # square root 23 % less.
        if self.by_the_cell and parameters.feature_size == 0 and 0 < size < state.cell_size:
            drops = parameters.drops_per_cell * math.sqrt(math.sqrt(size / state.cell_size))
            parameters = replace(parameters, drops_per_cell=drops)
        shape = _shape_at(state, size)
        coarse_first = parameters.coarse_to_fine and halved(shape)
        begin = partial(DropsCoarseFirst, self.step) if coarse_first else self.step
        if shape != state.elevation.shape:
            return CoarseStep(self.step, state, shape, parameters, key, begin)
        return begin(state, parameters, key)


def _shape_at(state: State, size: float) -> tuple[int, int]:
    """Rows and columns of cells with a side of about this many meters, never finer than the
    terrain's.
    """
    sides = list(zip(state.elevation.shape, state.spacing, strict=True))
    size = min(size, *(cells * spacing / SMALLEST_SIDE for cells, spacing in sides))
    rows, cols = (
        cells if size <= spacing else round(cells * spacing / size) for cells, spacing in sides
    )
    return rows, cols


class CoarseStep(Step):
    """A running step on `shape` cells over the ground of `state`; `make` is its class. begin: makes
    it, in its place.

    A coarse cell loses loose material, loses rock, and gains loose material. Each change is
    distributed over the fine cells that can take part: by their loose material, over all whose rock
    may erode, over all that accept deposits. So masks hold on each of them, no layer becomes
    negative, and volumes are conserved.
    """

    evolving = ("_step",)

    def __init__(
        self,
        make: type[Step],
        state: State,
        shape: tuple[int, int],
        parameters: Any,
        key: int,
        begin: Callable[[State, Any, int], Step] | None = None,
    ) -> None:
        self.bytes_per_cell = FeatureSizedSteps(make).bytes_per_cell
        rows, cols = state.elevation.shape
        self._state = state
        self._grids = GridTransfer((rows, cols), shape, state.edges == "wrap")
        before = {name: state.layers[name] for name in make.continues if name in state.layers}
        layers = {
            name: self._grids.average(layer).astype(layer.dtype) for name, layer in before.items()
        }
        layers["sediment"] = self._grids.average(state.loose() * _may_gain(state.masks))
        lengths = zip(state.spacing, state.elevation.shape, shape, strict=True)
        spacing: Any = tuple(length * fine / coarse for length, fine, coarse in lengths)
        elevation = self._grids.average(state.elevation)
        self._coarse = replace(
            state,
            elevation=elevation,
            layers=layers,
            masks=self._masks(),
            spacing=spacing,
            fixed=None,
        )
        self._step = (begin or make)(self._coarse, parameters, key)

    def _masks(self) -> dict[str, Array]:
        """Means of the masks."""
        # A coarse cell is disabled if less than half of it is active; otherwise a few fine cells
        # would absorb its whole change. With depth limits all of it must be active, as its active
        # cells change by more than its mean.
        fine = self._state.masks
        grids = self._grids
        least = 1.0 - 1e-9 if self._state.limits.depth else 0.5
        masks = {kind: grids.average(mask).astype(np.float32) for kind, mask in fine.items()}
        if "strength" in fine:
            masks["strength"][grids.average(_may_gain(fine)) < least] = 0.0
        may_be_dug = _rock_may_be_dug(fine)
        if np.ndim(may_be_dug):
            hardness = masks.setdefault("hardness", np.zeros(grids.coarse, np.float32))
            hardness[grids.average(may_be_dug) < least] = 1.0
        return masks

    def advance(self) -> float:
        return self._step.advance()

    def drain(self) -> None:
        self._step.drain()

    def rest(self) -> None:
        self._step.rest()

    def elevation(self) -> Array:
        """Current surface for display (m): the terrain plus the step's change."""
        return self._state.elevation + self._grids.spread(
            self._step.elevation() - self._coarse.elevation
        )

    def layers(self) -> dict[str, Array]:
        """All layers changed by the step, by field name; new arrays."""
        grids = self._grids
        state = self._state
        masks = self._state.masks
        coarse_layers = self._step.layers()
        surface = coarse_layers.pop("elevation")
        more_loose = coarse_layers.pop("sediment")
        more_loose -= self._coarse.layers["sediment"]
        risen = (
            coarse_layers.pop(RISE) - self._coarse.layers.get(RISE, 0.0)
            if RISE in coarse_layers
            else None
        )
        if risen is not None:  # wear and deposition exclude the rise
            surface = surface - risen
        changed = self._spread(np.maximum(-more_loose, 0.0), state.loose() * _may_gain(masks))
        loose = state.loose() - changed
        np.subtract(state.elevation, changed, out=changed)
        gained = np.maximum(more_loose, 0.0)
        rock_lost = self._coarse.elevation - surface
        rock_lost += more_loose
        changed -= self._level(
            rock_lost, changed - grids.spread(surface - gained), _rock_may_be_dug(masks)
        )
        gained = _towards(surface - grids.average(changed), gained)
        filled = self._level(gained, grids.spread(surface) - changed, _may_gain(masks))
        loose += filled
        np.maximum(loose, 0.0, out=loose)  # rounding can leave it an ulp below
        changed += filled
        layers = {"elevation": changed, **state.split_loose(loose, name="sediment")}
        if risen is not None:
            lift = self._spread(risen, _may_gain(masks))
            changed += lift
            layers[RISE] = state.layers.get(RISE, 0.0) + lift
        return layers | {name: self._fine(name, values) for name, values in coarse_layers.items()}

    def _level(self, amount: Array, room: Array, where: Array | float) -> Array:
        """Distribute an amount (m): first where there is `room` (m) to the new surface, the rest
        evenly.

        So high spots are eroded first and hollows are filled first; detail below the coarse cell
        size lasts where little changes.
        """
        # evenly, as fine detail dug off and filled up would be beyond the limits
        if self._state.limits.depth:
            return self._spread(amount, where)
        np.maximum(room, 0.0, out=room)
        room *= where
        first = np.minimum(amount, self._grids.average(room))
        np.copyto(room, self._spread(first, room))
        room += self._spread(amount - first, where)
        return room

    def _spread(self, amount: Array, where: Array | float) -> Array:
        """Distribute an amount (m) over the fine cells in proportion to `where`, conserving its
        sum.

        Each cell gives or takes a share of its `where`. The coarse shares are smoothed with the
        weights `where`: they stay between 0 and 1, and their sum is conserved.
        """
        grids = self._grids
        block, bell = (
            (grids.average(where), grids.gather(where))
            if isinstance(where, np.ndarray)
            else (where, where)
        )
        shares = grids.blocks(_ratio(amount, block))
        shares *= where
        shares = grids.spread(_ratio(grids.gather(shares), bell))
        shares *= where
        return shares

    def _fine(self, name: str, values: Array) -> Array:
        """A further layer on the fine grid: the initial layer plus the change, or the step's result
        for a new layer.
        """
        if name not in self._coarse.layers:
            return self._grids.spread(values).astype(values.dtype)
        before = self._state.layers[name]
        change = self._grids.spread(values - self._coarse.layers[name])
        if name == "surface_color" and "strength" in self._state.masks:
            # deposits bring their color
            change *= _may_gain(self._state.masks)[..., None]
        change += before
        return np.clip(change, min(before.min(), 0.0), max(before.max(), 1.0)).astype(values.dtype)

    def volumes(self) -> Volumes:
        return self._step.volumes()

    def counts(self, seconds: float) -> dict[str, Any]:
        """Entries for the report, including the number of coarse cells. seconds: of work so far."""
        rows, cols = self._grids.coarse
        grid = {"rows": rows, "cols": cols, "cell_size": self._coarse.cell_size}
        return {**self._step.counts(seconds), "grid": grid}


class CoarseFirst(Step):
    """A running step that begins on coarser cells and continues on the terrain's with a step that
    has `go_on_from`.

    Both are made from the same state, so masks and depth limits count from there. work: share of
    the work on coarse cells.
    """

    evolving = ("_coarse", "_fine", "_handed_over")

    def __init__(self, coarse: CoarseStep, fine: Any, work: float) -> None:
        self._coarse = coarse
        self._fine = fine
        self._work = work
        self.bytes_per_cell = fine.bytes_per_cell
        self._handed_over = 0
        self.limits = {"_handed_over": (0, 1)}

    @property
    def _current(self) -> Step:
        return self._fine if self._handed_over else self._coarse

    def advance(self) -> float:
        share = self._current.advance()
        if self._handed_over:
            return self._work + (1.0 - self._work) * share if share < 1.0 else 1.0
        if share == 1.0:
            self._fine.go_on_from(self._coarse.layers())
            self._handed_over = 1
        return self._work * share

    def drain(self) -> None:
        self._current.drain()

    def rest(self) -> None:
        self._current.rest()

    def elevation(self) -> Array:
        """Current surface for display (m)."""
        return self._current.elevation()

    def layers(self) -> dict[str, Array]:
        """All layers changed by the step, by field name; new arrays."""
        return self._current.layers()


class DropsCoarseFirst(CoarseFirst):
    """A running step whose first drops run on cells twice as wide; `make` is its class, a
    `DropStep`.
    """

    def __init__(self, make: Any, state: State, parameters: Any, key: int) -> None:
        rows, cols = state.elevation.shape
        shape = (rows, cols)
        drops = parameters.drops_per_cell
        creep = parameters.creep
        rest = math.sqrt(FINE_DROPS)  # creep adds up by its squares
        fine = replace(parameters, drops_per_cell=FINE_DROPS * drops, creep=rest * creep)
        coarse = replace(
            parameters,
            drops_per_cell=COARSE_DROPS * drops,
            creep=math.sqrt(1 - rest * rest) * creep,
        )
        first = CoarseStep(make, state, halved(shape) or shape, coarse, key + OWN_KEY)
        super().__init__(first, make(state, fine, key, FINE_DROPS), COARSE_DROP_WORK)

    def volumes(self) -> Volumes:
        return self._coarse.volumes().plus(self._fine.volumes())

    def counts(self, seconds: float) -> dict[str, Any]:
        """Entries for the report, sums of both grids, and the drops on coarse cells. seconds: of
        work so far.
        """
        coarse = self._coarse.counts(seconds)
        fine = self._fine.counts(seconds)
        counts = {name: coarse[name] + fine[name] for name in fine}
        steps = sum(
            grid_counts["drops"] * grid_counts["mean_path"] for grid_counts in (coarse, fine)
        )
        counts["mean_path"] = steps / counts["drops"] if counts["drops"] else 0.0
        return {**counts, "coarse_drops": coarse["drops"]}


def _may_gain(masks: dict[str, Array]) -> Any:
    """Fine cells that accept deposits, and give loose material: bool, or 1.0 for all."""
    return masks["strength"] > 0.0 if "strength" in masks else 1.0


def _rock_may_be_dug(masks: dict[str, Array]) -> Any:
    """Fine cells whose rock may erode, likewise."""
    if "held" in masks and (hard := masks["held"] >= 1.0).any():
        return ~hard * _rock_may_be_dug(
            {kind: mask for kind, mask in masks.items() if kind != "held"}
        )
    return _may_gain(masks) * (masks["hardness"] < 1.0) if "hardness" in masks else _may_gain(masks)


def _towards(target: Array, amount: Array) -> Array:
    """`amount` moved up to halfway to `target`, conserving its sum.

    Smooth shares put a little on neighbors; on a plain that is filled later it would show.
    """
    changed = np.clip(target, 0.5 * amount, 1.5 * amount)
    total = ordered_sum(changed)
    return changed * (ordered_sum(amount) / total) if total > 0.0 else amount


def _ratio(part: Array, total: Array | float) -> Array:
    """part / whole, 0 where the whole is 0."""
    return np.divide(part, total, out=np.zeros_like(part), where=np.asarray(total) > 0.0)
