# SPDX-License-Identifier: GPL-3.0-or-later
"""Estimates of memory and time before a run."""

from collections.abc import Mapping

from ..base.arrays import longer_side
from ..base.errors import Sentence
from ..base.memory import require
from ..base.threads import granted, processors
from ..processes.registry import PROCESSES
from ..processes.shared.process import Spacing
from ..recipe.recipe import Recipe, Step

BYTES_PER_CELL = 80
"""Memory for input, result and intermediates beside the working memory of the steps; measured."""


def bytes_needed(recipe: Recipe, cells: int, masks: int = 0) -> int:
    """Peak memory of a run, for a number of cells and masks."""
    working = max(_bytes_of(step) for step in recipe.steps)
    return int(cells * (BYTES_PER_CELL + working + 4 * masks))


def _bytes_of(step: Step) -> int:
    """Working memory of a step per cell."""
    process = PROCESSES[step.kind]
    return process.step.bytes_per_cell + process.bytes_of_options(step.parameters)


def require_memory(recipe: Recipe, shape: tuple[int, int], masks: int = 0) -> None:
    """Raise InputError with numbers if a terrain of (rows, cols) needs more memory than is free."""
    require(
        bytes_needed(recipe, shape[0] * shape[1], masks),
        Sentence("Eroding {rows} × {cols} cells").format(rows=shape[0], cols=shape[1]),
    )


def seconds_needed(
    recipe: Recipe,
    shape: tuple[int, int],
    spacing: Spacing,
    threads: int = 0,
    speeds: Mapping[str, float] | None = None,
) -> float:
    """Rough duration on a terrain of (rows, cols), accurate to a factor of 2 on a processor of
    about 2023.

    spacing: (row, column) in meters. threads: the most to use, 0 for all processors. speeds:
    measured duration relative to the estimate, by kind of step, if known; see `speeds`.
    """
    recipe = recipe.scaled_to(longer_side(shape, spacing))
    rates = speeds or {}
    steps = (step for step in recipe.steps if step.enabled)
    return sum(
        seconds_of(step, shape, spacing, recipe.edges)
        * rates.get(step.kind, 1.0)
        * share_of_time(step.kind, shape[0] * shape[1], threads)
        for step in steps
    )


def share_of_time(kind: str, cells: int, threads: int = 0) -> float:
    """Duration of a kind of step relative to one thread. threads: 0 for all processors.

    Amdahl's law, with the share that one thread does alone.
    """
    # here, as it brings all that runs
    from ..processes.shared.tile_scheduler import CELLS

    lone = PROCESSES[kind].step.lone
    helping = max(1, min(granted(threads), processors(), cells // CELLS))
    return lone + (1.0 - lone) / helping


def seconds_of(step: Step, shape: tuple[int, int], spacing: Spacing, edges: str = "open") -> float:
    """Rough duration of one step on one processor."""
    return PROCESSES[step.kind].seconds(step.parameters, shape, spacing, edges)


def seconds_to_compile(recipe: Recipe) -> float:
    """Rough time to compile all kernels of a recipe with an empty cache."""
    return sum(
        PROCESSES[kind].seconds_to_compile
        for kind in {step.kind for step in recipe.steps if step.enabled}
    )


def in_words(
    recipe: Recipe,
    shape: tuple[int, int],
    spacing: Spacing,
    threads: int = 0,
    speeds: Mapping[str, float] | None = None,
    compiles: bool = False,
) -> str:
    """Time and memory of a run, such as "About 20 s and 300 MB of memory". compiles: add the time
    to compile.
    """
    time = _time(seconds_needed(recipe, shape, spacing, threads, speeds))
    if compiles:
        time += f", once {_time(seconds_to_compile(recipe))} more to compile,"
    peak = bytes_needed(recipe, shape[0] * shape[1])
    memory = f"{peak / 1e9:.2g} GB" if peak >= 995e6 else f"{float(f'{peak / 1e6:.2g}'):.0f} MB"
    return Sentence("About {time} and {memory} of memory").format(time=time, memory=memory)


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{_rounded(seconds)} s"
    return f"{_rounded(seconds / 60)} min" if seconds < 5400 else f"{_rounded(seconds / 3600)} h"


def _rounded(number: float) -> str:
    """Rounded to one significant digit, and to two from 10 to 20, where one would be too coarse."""
    return f"{float(f'{max(number, 1.0):.1g}') if not 10 <= number < 20 else round(number):.0f}"
