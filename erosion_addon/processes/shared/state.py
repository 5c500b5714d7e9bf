# SPDX-License-Identifier: GPL-3.0-or-later
"""What the steps of a simulation hand from one to the next."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ...base.arrays import Array, loose_of, mean_cell_size
from ...terrain.limits import NO_LIMITS, Limits
from ...terrain.strata import Strata

CHUNK_SECONDS = 0.1
"""How long `advance` should take: short enough to stop at once, long enough to cost nothing."""

LARGEST_CHUNK = 2**40
"""Upper bound on chunk size, for work that takes no measurable time (everything at rest)."""

LARGEST = 1e30
"""Bound on the magnitude of every number of a running step: far beyond any terrain, squares and products finite."""

ANYTHING = (-LARGEST, LARGEST)
"""Lowest and highest of what is not limited otherwise."""


@dataclass
class State:
    """A terrain under way. elevation: (rows, cols) float64 m; layers: further arrays by field name, of which `sediment`
    (m, the loose top of the elevation) is always there and `soil` (m, loose too) where a step made it; masks: by kind,
    float32; spacing: (row, col) m; threads: the most to use; fixed: (rows, cols) m of what is loose that counts as
    rock; strata: layers of rock; limits: those of depth, for the step that starts here.
    """

    elevation: Array
    layers: dict[str, Array]
    masks: dict[str, Array]
    spacing: tuple[float, float]
    edges: str
    threads: int = 1
    fixed: Array | None = None
    strata: Strata | None = None
    limits: Limits = NO_LIMITS

    @property
    def hardness_changes(self) -> bool:
        """Whether layers of another hardness come to light as the ground is worn."""
        return self.strata is not None and bool(self.strata.hardness)

    @property
    def masks_change(self) -> bool:
        """Whether what may be dug and laid down changes as the ground does, in processes that look at it."""
        return self.limits.depth or self.hardness_changes

    def limited(self, limits: Limits) -> "State":
        """The state for a step with such limits: those of height and slope as a part of the mask `strength`."""
        if limits == NO_LIMITS:
            return self
        masks, share = self.masks, limits.strength(self.elevation, self.spacing, self.edges == "wrap")
        if share is not None:
            masks = {**masks, "strength": share * masks.get("strength", np.float32(1.0))}
        return replace(self, masks=masks, limits=limits)

    @property
    def cell_size(self) -> float:
        """Side of a square of a cell's area, in meters."""
        return mean_cell_size(self.spacing)

    def loose(self) -> Array:
        """Thickness of everything loose, in meters: all processes take sediment and soil alike. What is fixed is rock
        to them.
        """
        loose = loose_of(self.layers)
        return loose if self.fixed is None else np.maximum(loose - self.fixed, 0.0)

    def split_loose(self, loose: Array, own: str) -> dict[str, Array]:
        """The layers `sediment` and `soil` of a changed thickness: what was added goes to `own`, what was taken comes
        from `own` first and then from the other. loose: without what is fixed.
        """
        if self.fixed is not None:
            loose = loose + np.minimum(self.fixed, loose_of(self.layers))
        other = "soil" if own == "sediment" else "sediment"
        if other not in self.layers:
            return {own: loose}
        below = np.minimum(self.layers[other], loose)
        return {own: loose - below, other: below}


def thickness(change: Array, before: Array | None = None) -> Array:
    """What was taken or laid down, (rows, cols) float32 m, from its change in a run and what there was before it."""
    return np.maximum(change if before is None else change + before, 0.0, dtype=np.float32)


def within(array: Array, span: tuple[float, float]) -> bool:
    """Whether all values are from the lowest to the highest of `span`; no number that is none is."""
    return not array.size or bool(array.min() >= span[0] and array.max() <= span[1])


class Volumes(NamedTuple):
    """Volumes of solid material in m³."""

    moved: float
    """Taken from the ground."""
    exported: float
    """Carried out of the terrain."""
    added: float = 0.0
    """Come from nowhere, less what went nowhere: 0 for all that conserves mass."""

    def plus(self, other: "Volumes") -> "Volumes":
        """Both together."""
        return Volumes(*(one + another for one, another in zip(self, other, strict=True)))


def chunk_end() -> float:
    """When a chunk that begins now is to end, by `time.perf_counter`."""
    return time.perf_counter() + CHUNK_SECONDS


class Pace:
    """How much work makes a chunk of CHUNK_SECONDS, learnt from the chunks before.

    Work of one kind follows on the work before it, so where a chunk ends changes nothing but the time between two
    looks. size: the first chunk's; least: no chunk is smaller.
    """

    def __init__(self, size: int, least: int = 1) -> None:
        self._size, self._least = size, least

    def run(self, work: Callable[[int], int]) -> int:
        """Call `work` with the size of the chunk, and learn from how long it takes; returns what it returns."""
        began = time.perf_counter()
        done = work(self._size)
        seconds = max(time.perf_counter() - began, 1e-6)
        wanted = self._size * min(max(CHUNK_SECONDS / seconds, 0.25), 4.0)
        self._size = max(self._least, round(min(wanted, LARGEST_CHUNK)))
        return done


class Step:
    """A step of a recipe under way, made from a state, parameters and a key; the base of all."""

    bytes_per_cell: int
    """Working memory beyond terrain and result."""

    continues: tuple[str, ...] = ()
    """Layers beyond the loose ones that it goes on from on coarser cells."""

    evolving: tuple[str, ...] = ()
    """Names of the attributes that change while it runs: arrays (in place), whole numbers, tuples of arrays, further
    steps. A step made from the same state and given these goes on to the same bytes.
    """

    limits: Mapping[str, tuple[float, float]] = {}
    """Attribute of `evolving` → lowest and highest value that a checkpoint may hold; the others: ± `LARGEST`."""

    later: tuple[str, ...] = ()
    """Attributes of `evolving` that checkpoints of earlier versions lack. Those versions stopped only where these
    attributes are as in a new step.
    """

    def __init__(self, state: State, parameters: Any, key: int) -> None:
        raise NotImplementedError

    def advance(self) -> float:
        """Work for about a tenth of a second; returns the share done, 1 at the end."""
        raise NotImplementedError

    def layers(self) -> dict[str, Array]:
        """New arrays of the fields that the step has changed so far, by name."""
        raise NotImplementedError

    def volumes(self) -> Volumes:
        """Volumes of solid material moved so far."""
        raise NotImplementedError

    def counts(self, seconds: float) -> dict[str, Any]:
        """The step's own entries in the report, after so many seconds of work."""
        raise NotImplementedError

    def rest(self) -> None:
        """Come to where a checkpoint can be taken: most steps are there between any two chunks."""

    def settle(self) -> None:
        """Begin nothing new, and end what is under way: most steps have nothing under way between two chunks."""

    def elevation(self) -> Array:
        """The surface to look at (m), where `layers` has more than there is to see."""
        return self.layers()["elevation"]

    def water_depth(self) -> Array | None:
        """Depth of the water (m) to look at, of steps that move water."""
        return None

    def release(self) -> dict[str, Array]:
        """As `layers`, at the end of the step, which can do no more then: a step may hand its own arrays over."""
        return self.layers()
