# SPDX-License-Identifier: GPL-3.0-or-later
"""State restored from a checkpoint, which is untrusted input."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.arrays import Array
from ..base.errors import InputError
from ..base.parameters import Specification
from ..processes.shared.state import Step, Volumes
from ..recipe.recipe import EDGE_CHOICE, SEED, Recipe
from ..terrain.fields import FIELDS
from ..terrain.masks import MASK_KINDS
from ..terrain.terrain import Terrain, checked_field
from .checkpoint import Checkpoint
from .report import is_step_report

_MOST_NOTES = 100


@dataclass(frozen=True)
class RestoredState:
    """State of a simulation, validated.

    terrain: the start. masks: by kind. elevation, layers: the current ground. number: of finished
    steps; reports: of each. step: arrays of the current step, if any. seconds: of work so far.
    adds_up: whether the start's wear and deposition are added to.
    """

    terrain: Terrain
    recipe: Recipe
    seed: int
    edges: str
    masks: dict[str, Array]
    elevation: Array
    layers: dict[str, Array]
    number: int
    reports: list[dict[str, Any]]
    notes: list[str]
    volumes: Volumes
    seconds: float
    step: dict[str, Array]
    adds_up: bool

    @classmethod
    def of(cls, checkpoint: Checkpoint) -> "RestoredState":
        """State in a checkpoint; InputError for an invalid one."""
        try:
            return cls._of(checkpoint)
        except InputError as error:
            raise InputError(
                "The checkpoint is damaged; run it again from the start. {error}"
            ).format(error=error) from None
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            raise InputError("The checkpoint is damaged; run it again from the start.") from None

    @classmethod
    def _of(cls, checkpoint: Checkpoint) -> "RestoredState":
        values = checkpoint.values
        start = checkpoint.part("start")
        state = checkpoint.part("state")
        terrain = Terrain(start.pop("elevation"), tuple(values["spacing"]), start)
        recipe = Recipe.from_dict(values["recipe"])
        enabled = [step for step in recipe.steps if step.enabled]
        number = Specification("number", 0, "", low=0, high=len(enabled)).checked(values["number"])
        reports = values["reports"]
        notes = values["notes"]
        step = checkpoint.part("step")
        if (
            len(reports) != number
            or (step and number == len(enabled))
            or not all(map(is_step_report, reports))
        ):
            raise ValueError
        if len(notes) > _MOST_NOTES or not all(
            isinstance(line, str) and len(line) <= 1000 for line in notes
        ):
            raise ValueError
        elevation = state.pop("elevation")
        masks = checkpoint.part("mask")
        if not masks.keys() <= MASK_KINDS.keys():
            raise ValueError
        for name, layer in {"elevation": elevation, **state}.items():
            checked_field(name, layer, terrain.shape)
            # loose layers are of twice the digits in a run
            if layer.dtype not in (FIELDS[name].dtype, np.float64):
                raise ValueError
        return cls(
            terrain,
            recipe,
            SEED.checked(values["seed"]),
            EDGE_CHOICE.checked(values["edges"]),
            masks,
            elevation,
            state,
            number,
            list(reports),
            list(notes),
            Volumes(*map(_finite, values["volumes"])),
            max(_finite(values["seconds"]), 0.0),
            step,
            values.get("adds_up") is True,
        )


def require_sound(running: Step, shape: tuple[int, int]) -> None:
    """Raise InputError if a step restored from a checkpoint holds invalid values."""
    with np.errstate(all="ignore"):
        for name, layer in running.layers().items():
            try:
                checked_field(name, layer, shape)
            except InputError as error:
                raise InputError(
                    "The checkpoint is damaged; run it again from the start. {error}"
                ).format(error=error) from None


def _finite(number: Any) -> float:
    if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
        raise ValueError
    return float(number)
