# SPDX-License-Identifier: GPL-3.0-or-later
"""State that the steps of a simulation hand on, and the base class of steps."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from ...base.arrays import Array, loose_of, mean_cell_size
from ...terrain.limits import NO_LIMITS, Limits
from ...terrain.strata import Strata
from .streams import Gauges, Streams

INFLOW = "inflow"
"""Mask of a window: cells beyond it whose water enters at a cell."""

LEAVING = "leaving"
"""Mask of a window: above 0 in cells of its border over which water leaves it; without it, over all
of open edges.
"""

ENTERING = "entering"
"""Mask of a window, (rows, cols, 4): share of the rain on a cell that falls as drops there, 0-1;
cells upstream, weighted with their rain, whose drops enter the region here; and these times the
mean of the drops' way, and of their fall since they last went uphill, in meters.
"""

CHUNK_SECONDS = 0.1
"""Duration of `advance`: short enough to stop at once, long enough to have no overhead."""

LARGEST_CHUNK = 2**40
"""Upper bound on chunk size; idle work takes no measurable time."""

LARGEST = 1e30
"""Bound on the magnitude of all values of a running step: far beyond any terrain, with finite
squares and products.
"""

ANYTHING = (-LARGEST, LARGEST)
"""Range of values without limits."""


@dataclass
class State:
    """A terrain during a simulation.

    elevation: (rows, cols) float64 m. layers: further arrays by field name, always with `sediment`
    (m, the loose top of the elevation), and with `soil` (m, loose too) once a step has made it.
    masks: by kind, float32. spacing: (row, col) m. threads: the most to use. fixed: (rows, cols) m
    of loose material that counts as rock. strata: layers of rock. limits: depth limits of the step
    that starts here. rain_mean: of the rain mask; None for the mean of the cells here. streams:
    water that comes in over time, for steps in which water runs over time. gauges: what such a step
    records.
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
    rain_mean: float | None = None
    streams: Streams | None = None
    gauges: Gauges | None = None

    @property
    def relative_rain(self) -> Array | None:
        """Rain relative to its mean, (rows, cols); None without a rain mask. Unchanged where it
        never rains.
        """
        rain = self.masks.get("rain")
        if rain is None:
            return None
        mean = rain.mean(dtype=np.float64) if self.rain_mean is None else self.rain_mean
        return np.asarray(rain / np.float64(mean or 1.0))

    @property
    def hardness_changes(self) -> bool:
        """Whether erosion exposes layers of different hardness."""
        return self.strata is not None and bool(self.strata.hardness)

    @property
    def masks_change(self) -> bool:
        """Whether erosion and deposition factors change with the ground, for processes that update
        them.
        """
        return self.limits.depth or self.hardness_changes

    def passes_between_looks(self, usual: int) -> int:
        """Passes between updates of the factors by a process: `usual` for layers of rock, 1 for
        depth limits, and 0 for never.
        """
        if not self.masks_change:
            return 0
        return 1 if self.limits.depth else usual

    def limited(self, limits: Limits) -> "State":
        """State for a step with limits; limits of height and slope become a part of the mask
        `strength`.
        """
        if limits == NO_LIMITS:
            return self
        masks = self.masks
        share = limits.strength(self.elevation, self.spacing, self.edges == "wrap")
        if share is not None:
            masks = {**masks, "strength": share * masks.get("strength", np.float32(1.0))}
        return replace(self, masks=masks, limits=limits)

    @property
    def cell_size(self) -> float:
        """Side of a square of a cell's area, in meters."""
        return mean_cell_size(self.spacing)

    def loose(self) -> Array:
        """Thickness of all loose layers in meters: processes treat sediment and soil alike.

        Fixed material is rock to them.
        """
        loose = loose_of(self.layers)
        return loose if self.fixed is None else np.maximum(loose - self.fixed, 0.0)

    def split_loose(self, loose: Array, name: str) -> dict[str, Array]:
        """Layers `sediment` and `soil` for a changed total thickness.

        Gains go to `name`; losses come from `name` first and then from the other. loose: without
        fixed material.
        """
        if self.fixed is not None:
            loose = loose + np.minimum(self.fixed, loose_of(self.layers))
        rest = "soil" if name == "sediment" else "sediment"
        if rest not in self.layers:
            return {name: loose}
        below = np.minimum(self.layers[rest], loose)
        return {name: loose - below, rest: below}


def _nothing() -> Array:
    return np.empty(0, np.float32)


@dataclass(frozen=True, eq=False)
class Surroundings:
    """Land around a window. inflow, entering: (rows, cols, …) float32, see `INFLOW` and `ENTERING`;
    empty where nothing enters. rain_mean: of the whole land's rain mask. leaving: (rows, cols)
    float32, see `LEAVING`. streams, gauges: see `State`.
    """

    inflow: Array = field(default_factory=_nothing)
    entering: Array = field(default_factory=_nothing)
    rain_mean: float = 1.0
    leaving: Array | None = None
    streams: Streams | None = None
    gauges: Gauges | None = None

    def around(self, state: State) -> State:
        """State of the window with this land around it."""
        entering = {INFLOW: self.inflow, ENTERING: self.entering}
        masks = state.masks | {name: array for name, array in entering.items() if array.size}
        if self.leaving is not None:
            masks[LEAVING] = self.leaving
        return replace(
            state, masks=masks, rain_mean=self.rain_mean, streams=self.streams, gauges=self.gauges
        )


def thickness(change: Array, before: Array | None = None) -> Array:
    """Accumulated wear or deposition, (rows, cols) float32 m, from the change in a run and the
    earlier value.
    """
    return np.maximum(change if before is None else change + before, 0.0, dtype=np.float32)


def within(array: Array, span: tuple[float, float]) -> bool:
    """Whether all values lie in `span`; NaN does not."""
    return not array.size or bool(array.min() >= span[0] and array.max() <= span[1])


class Volumes(NamedTuple):
    """Volumes of solid material in m³."""

    moved: float
    """Taken from the ground."""
    exported: float
    """Carried out of the terrain."""
    added: float = 0.0
    """Created minus destroyed: 0 for all processes that conserve mass."""

    def plus(self, volumes: "Volumes") -> "Volumes":
        """Sum of both."""
        return Volumes(*(first + second for first, second in zip(self, volumes, strict=True)))


def chunk_end() -> float:
    """End time of a chunk that begins now, by `time.perf_counter`."""
    return time.perf_counter() + CHUNK_SECONDS


@contextmanager
def smallest_chunks() -> Iterator[None]:
    """Context in which every step of this process works in its smallest chunks, the same on any
    machine.
    """
    global CHUNK_SECONDS
    before = CHUNK_SECONDS
    CHUNK_SECONDS = 0.0
    try:
        yield
    finally:
        CHUNK_SECONDS = before


class Pace:
    """Chunk size for about CHUNK_SECONDS of work, learned from earlier chunks.

    Chunks do not affect the result. size: the first chunk's; least: lower bound.
    """

    def __init__(self, size: int, least: int = 1) -> None:
        self._size = size
        self._least = least

    def run(self, work: Callable[[int], int]) -> int:
        """Call `work` with the chunk size, and learn from its duration; returns its result."""
        # not from a first chunk down to the smallest: a resumed run would have other chunks
        if not CHUNK_SECONDS:
            self._size = self._least
        start = time.perf_counter()
        count = work(self._size)
        seconds = max(time.perf_counter() - start, 1e-6)
        size = self._size * min(max(CHUNK_SECONDS / seconds, 0.25), 4.0)
        self._size = max(self._least, round(min(size, LARGEST_CHUNK)))
        return count


def run_passes(
    work: Callable[[int], int],
    count: int,
    earlier: int,
    every: int,
    look: Callable[[], None],
    clear: Callable[[], None] | None,
) -> int:
    """Call work(passes) until `count` passes are done, or until it does fewer because all is at
    rest; returns their number.

    earlier: passes so far. every: passes between calls of `look`, counted with the earlier ones; 0:
    it is never called. clear: called after each pass, or None.
    """
    finished = 0
    while finished < count:
        since = (earlier + finished) % every if every else 0
        if every and since == 0:
            look()
        together = count - finished
        if clear:
            together = 1
        elif every:
            together = min(together, every - since)
        passes = work(together)
        finished += passes
        if passes < together:
            break
        if clear:
            clear()
    return finished


class Step:
    """Base class of running steps, made from a state, parameters and a key: call `advance` until it
    returns 1; `layers` may be read at any time.
    """

    bytes_per_cell: int
    """Working memory beyond terrain and result."""

    lone = 0.1
    """Share of the work that one thread does alone, on 512² cells; see bench/run/cores.py."""

    continues: tuple[str, ...] = ()
    """Layers beyond the loose ones that it continues from on coarser cells."""

    evolving: tuple[str, ...] = ()
    """Names of the attributes that change while it runs: arrays (in place), integers, tuples of
    arrays, other steps.

    A step made from the same state and given these continues with the same bytes.
    """

    limits: Mapping[str, tuple[float, float]] = {}
    """Attribute of `evolving` → range that a checkpoint may hold; the others: ± `LARGEST`."""

    later: tuple[str, ...] = ()
    """Attributes of `evolving` missing in checkpoints of earlier versions, which only stopped where
    these have their initial values.
    """

    def __init__(self, state: State, parameters: Any, key: int) -> None:
        raise NotImplementedError

    def advance(self) -> float:
        """Work for about a tenth of a second; returns the share done, 1 at the end."""
        raise NotImplementedError

    def layers(self) -> dict[str, Array]:
        """Fields changed so far, by name; new arrays."""
        raise NotImplementedError

    def volumes(self) -> Volumes:
        """Volumes of solid material moved so far."""
        raise NotImplementedError

    def counts(self, seconds: float) -> dict[str, Any]:
        """Entries for the report. seconds: of work so far."""
        raise NotImplementedError

    def rest(self) -> None:
        """Continue to a state that a checkpoint can hold. Most steps are in one between any two
        chunks.
        """

    def drain(self) -> None:
        """Finish work in flight without starting more. Most steps have none between two chunks."""

    def elevation(self) -> Array:
        """Surface for display (m), for steps whose `layers` hold more than that."""
        return self.layers()["elevation"]

    def water_depth(self) -> Array | None:
        """Depth of the water (m) for display, of steps that move water."""
        return None

    def release(self) -> dict[str, Array]:
        """`layers` at the end of the step, which cannot continue afterwards: its own arrays may be
        returned.
        """
        return self.layers()
