# SPDX-License-Identifier: GPL-3.0-or-later
"""The record of a process: all that the rest of the program knows of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from ...base.parameters import Parameters, Specification
from ...terrain.limits import Limits
from ...terrain.masks import FACTORS
from .shares import factor, scaled
from .state import State, Step

MASKS = ("strength", "hardness", "sediment", "protect", "plot")
"""Kinds of masks that every process reads."""

Spacing = tuple[float, float]
Cost = Callable[[Any, tuple[int, int], Spacing, str], float]
PreviewScale = Callable[[Any, float, float, float], Any]


class StepFactory(Protocol):
    """What makes the steps of a process: their class, or something around it."""

    @property
    def bytes_per_cell(self) -> int:
        """Working memory beyond terrain and result."""

    def __call__(self, state: State, parameters: Any, key: int, /) -> Step:
        """A step on `state`; key: uint64 that its random numbers are drawn from."""


def _as_it_is(parameters: Any, longer: float, cell_size: float, larger: float) -> Any:
    return parameters


def _one(parameters: Any, spacing: Spacing) -> int:
    return 1


@dataclass(frozen=True)
class Process:
    """One kind of step."""

    kind: str
    """What recipes call it."""

    label: str
    parameters: type[Parameters]
    step: StepFactory

    icon: str
    """Name of one of Blender's icons."""

    seconds: Cost
    """(parameters, (rows, cols), spacing, edges) → rough seconds on one processor of the year 2023 or so, from runs of
    all shipped recipes on 256² cells of 20 m."""

    seconds_to_compile: float

    work: tuple[str, str]
    """The count that tells how much it has done, and the word for its unit. (Of one second, cells per second are
    cells.)"""

    told: tuple[str, ...]
    """Counts that `summary` needs."""

    summary: Callable[[Mapping[str, Any]], list[str]]
    """Counts → a line or two in words, for the report."""

    masks: tuple[str, ...] = MASKS
    """Kinds of masks that it reads."""

    scalable: Mapping[str, str] = field(default_factory=dict)
    """Parameters that a mask may scale from cell to cell → kind of the mask that does the same: one of
    `masks.MASK_KINDS`, `held` (what of rock and loose material is not dug), or one that the step itself reads."""

    reads: tuple[str, ...] = ()
    """Fields beyond elevation, sediment and soil that it goes on from, where they are there."""

    writes: tuple[str, ...] = ()
    """Fields beyond elevation, sediment and soil that it makes or changes."""

    carries_color: bool = False
    """Whether what it lays down brings the color of its place of origin along."""

    moves_ground: bool = True
    """Whether it moves rock, sediment or soil."""

    works_on_flat_land: Callable[[Any], bool] = lambda parameters: False
    """Whether it does something without a slope."""

    bytes_of_options: Callable[[Any], int] = lambda parameters: 0
    """What parameters add to the memory of a cell."""

    works_in_cells: bool = False
    """Whether its lengths are cells and not meters, so that it suits land of any width."""

    small_steps: Callable[[Any, Spacing], int] = _one
    """(parameters, spacing) → steps between two looks at the ground; such a process has a `time_step`."""

    scaled_for_preview: PreviewScale = _as_it_is
    """(parameters, longer side of the terrain, its cell size, the preview's cell size: m) → parameters that change a
    preview as much as the run."""

    def at_start(self, state: State, limits: Limits, masks: Mapping[str, str]) -> State:
        """The state that a step begins with. masks: parameter → what scales it; InputError where that is missing."""
        limited = state.limited(limits)
        return scaled(limited, [(self.scalable[name], factor(limited, name, mask)) for name, mask in masks.items()])

    @property
    def scales(self) -> dict[str, Specification]:
        """The declarations of what scales parameters, by the parameter's name."""
        sentence = "Mask or map that this parameter is multiplied by, from 0 to 1."
        return {name: Specification(name, "none", sentence, choices=FACTORS) for name in self.scalable}

    @property
    def about(self) -> str:
        """What it does, in a sentence or two."""
        return " ".join((self.parameters.__doc__ or "").split())


def volume(cubic_meters: float) -> str:
    """A volume in words, in the unit that keeps it short."""
    for unit, size in (("km³", 1e9), ("million m³", 1e6)):
        if abs(cubic_meters) >= size / 10:
            return f"{cubic_meters / size:,.2f} {unit}"
    return f"{cubic_meters:,.0f} m³" if abs(cubic_meters) >= 10 else f"{cubic_meters:.3g} m³"
