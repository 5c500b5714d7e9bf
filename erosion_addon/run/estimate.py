# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run will need, told before it starts: memory, and roughly how long it takes."""

from collections.abc import Callable, Mapping
from typing import Any

from ..base.memory import require
from ..base.threads import processors
from ..processes.registry import PROCESSES
from ..processes.shared.coarse_step import size_of
from ..recipe.recipe import Recipe, Step

BYTES_PER_CELL = 80
"""Memory for the input, the result and what lies between them, beside the working memory of the steps; measured."""

GAIN = 0.85
"""Share of another processor that a run gets out of it; measured with two."""

Spacing = tuple[float, float]


_Cost = Callable[[Any, tuple[int, int], Spacing, str], float]


def bytes_needed(recipe: Recipe, cells: int, masks: int = 0) -> int:
    """Memory that eroding so many cells takes at its peak, with so many masks."""
    working = max(PROCESSES[step.kind].step.bytes_per_cell for step in recipe.steps)
    return int(cells * (BYTES_PER_CELL + working + 4 * masks))


def require_memory(recipe: Recipe, shape: tuple[int, int], masks: int = 0) -> None:
    """Raise InputError with numbers where a terrain of (rows, cols) needs more memory than is free."""
    require(bytes_needed(recipe, shape[0] * shape[1], masks), f"Eroding {shape[0]} × {shape[1]} cells")


def seconds_needed(
    recipe: Recipe, shape: tuple[int, int], spacing: Spacing, threads: int = 0,
    speeds: Mapping[str, float] | None = None,
) -> float:  # fmt: skip
    """Roughly how long a terrain of (rows, cols) takes, on a processor of the year 2023 or so; good to a factor of 2.

    spacing: (row, column) in metres. threads: as many as may be used, 0 for all processors. speeds: how many times as
    long this machine takes, by kind of step, where that is known; see `speeds`.
    """
    steps, known = (step for step in recipe.steps if step.enabled), speeds or {}
    alone = sum(seconds_of(step, shape, spacing, recipe.edges) * known.get(step.kind, 1.0) for step in steps)
    return alone / speed_up(threads)


def speed_up(threads: int = 0) -> float:
    """How many times as fast as on one processor a run is on so many; 0 for all."""
    return 1 + GAIN * (min(threads or processors(), processors()) - 1)


def seconds_of(step: Step, shape: tuple[int, int], spacing: Spacing, edges: str = "open") -> float:
    """Roughly how long one step takes on one processor."""
    return _COSTS[step.kind](step.parameters, shape, spacing, edges)


def seconds_to_compile(recipe: Recipe) -> float:
    """Roughly how long all that a recipe calls takes to compile, where none of it has been."""
    return sum(_COMPILATION[kind] for kind in {step.kind for step in recipe.steps if step.enabled})


def in_words(
    recipe: Recipe, shape: tuple[int, int], spacing: Spacing, threads: int = 0,
    speeds: Mapping[str, float] | None = None, compiles: bool = False,
) -> str:  # fmt: skip
    """Time and memory that a run will take, such as "About 20 s and 300 MB of memory"; compiles: and what it calls is
    still to be compiled."""
    time = _time(seconds_needed(recipe, shape, spacing, threads, speeds))
    if compiles:
        time += f", once {_time(seconds_to_compile(recipe))} more to compile,"
    needed = bytes_needed(recipe, shape[0] * shape[1])
    memory = f"{needed / 1e9:.2g} GB" if needed >= 995e6 else f"{float(f'{needed / 1e6:.2g}'):.0f} MB"
    return f"About {time} and {memory} of memory"


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{_rounded(seconds)} s"
    return f"{_rounded(seconds / 60)} min" if seconds < 5400 else f"{_rounded(seconds / 3600)} h"


def _rounded(number: float) -> str:
    """One digit is all that an estimate can promise; two from 10 to 20, where one would jump."""
    return f"{float(f'{max(number, 1.0):.1g}') if not 10 <= number < 20 else round(number):.0f}"


def _drops(seconds: float) -> _Cost:
    """The cost of a step whose drops take so many seconds each."""

    def cost(given: Any, shape: tuple[int, int], spacing: Spacing, edges: str) -> float:
        coarser = [max(size_of(given, shape, spacing) / side, 1.0) for side in spacing]
        return given.drops_per_cell * shape[0] * shape[1] / (coarser[0] * coarser[1]) * seconds  # type: ignore[no-any-return]

    return cost


def _water(given: Any, shape: tuple[int, int], spacing: Spacing, edges: str) -> float:
    steps = given.duration * 3600 / given.time_step
    return steps * (9e-9 + 5.5e-9 * given.sub_steps(spacing)) * shape[0] * shape[1]  # type: ignore[no-any-return]


def _wind(given: Any, shape: tuple[int, int], spacing: Spacing, edges: str) -> float:
    cells, longer = shape[0] * shape[1], max(side * step for side, step in zip(shape, spacing, strict=True))
    step, seconds = (spacing[0] * spacing[1]) ** 0.5, 250e-9
    if given.flight == "particles":
        creep = max(given.response / (1 + given.response), 1e-3)
        step = min(given.time_step * step, 0.5 * given.feature_size) * given.wind_speed * creep
        seconds = 60e-9
    # Where edges wrap all particles fly until they are too old; else most leave the terrain before.
    share = 1.0 if edges == "wrap" else 0.5
    return given.particles_per_cell * cells * max(given.maximum_path * longer / step, 1.0) * share * seconds  # type: ignore[no-any-return]


def _talus(given: Any, shape: tuple[int, int], spacing: Spacing, edges: str) -> float:
    return given.passes(shape, spacing) * 4e-9 * shape[0] * shape[1]  # type: ignore[no-any-return]


def _weather(given: Any, shape: tuple[int, int], spacing: Spacing, edges: str) -> float:
    return given.time_steps(spacing) * 18e-9 * shape[0] * shape[1]  # type: ignore[no-any-return]


_COSTS: dict[str, _Cost] = {
    "droplet": _drops(2.5e-6),
    "rill": _drops(9e-6),
    "water": _water,
    "wind": _wind,
    "talus": _talus,
    "weather": _weather,
}
"""Seconds on one processor by kind of step, from runs of all shipped recipes on 256² cells of 20 m."""

_COMPILATION = {"droplet": 12.0, "rill": 9.0, "water": 18.0, "wind": 20.0, "talus": 9.0, "weather": 8.0}
"""Seconds by kind of step."""
