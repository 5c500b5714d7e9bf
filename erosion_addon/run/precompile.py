# SPDX-License-Identifier: GPL-3.0-or-later
"""Precompilation: a rehearsal of a recipe on a few cells, which compiles all of its kernels.

A kernel is compiled at its first call with given argument types, which takes seconds; later its
machine code comes from the cache. A rehearsal makes all calls of a run, and takes a millisecond
when everything is cached.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace

import numpy as np

from ..base.arrays import Array
from ..base.errors import InputError
from ..base.parameters import Parameters
from ..base.threads import OnProgress
from ..processes.registry import PROCESSES
from ..processes.shared.coarse_step import FeatureSizedSteps
from ..processes.shared.process import StepFactory
from ..processes.shared.state import ENTERING, State, smallest_chunks
from ..processes.shared.state import Step as RunningStep
from ..processes.shared.tile_scheduler import however_small
from ..recipe.recipe import Recipe, Step
from ..terrain.fields import FIELDS
from ..terrain.masks import MASK_KINDS
from .checkpoint import Checkpoint
from .restored_state import RestoredState

SIDE = 32
"""Cells along a side: enough for every kind of drop to run, also on cells of twice the size."""

THREADS = 2
"""Fewest threads for the parallel code path."""

PARTS = 8
"""Smallest chunks in which a step does each of its parts."""

FEW = 16
"""Assumed number of kernels of a step in the progress bar."""


def rehearse(
    recipe: Recipe,
    spacing: tuple[float, float],
    masks: Iterable[str] = (),
    fields: Iterable[str] = (),
    on_progress: OnProgress = lambda fraction, message: None,
    goes_on: Callable[[], bool] = lambda: True,
) -> None:
    """Run a bit of every step of a recipe, for terrains of this spacing (m) with these masks and
    fields.

    on_progress: called only while something is compiled; the fraction never falls. goes_on: asked
    before each step whether to continue.
    """
    from ..base.kernels import jit

    steps = [step for step in recipe.steps if step.enabled]
    kinds = list(dict.fromkeys(step.kind for step in steps))
    state = _state(recipe, spacing, masks, fields)
    furthest = 0.0
    for number, step in enumerate(steps, 1):
        if not goes_on():
            return
        place = kinds.index(step.kind)
        message = f"Compiling for this recipe (once), step {number} of {len(steps)}"

        def say(count: int, left: int, place: int = place, message: str = message) -> None:
            nonlocal furthest  # a module that comes in late brings kernels that are left
            furthest = max(furthest, (place + count / max(count + left, FEW)) / len(kinds))
            on_progress(furthest, message)

        with jit.compile_progress(say):
            try:
                _do_a_little(state, step)
            except InputError:
                return  # the run itself will say why, of the real terrain


def rehearse_rest(
    checkpoint: Checkpoint, on_progress: OnProgress, masks: Iterable[str] = ()
) -> None:
    """`rehearse` for a run resumed from a checkpoint. masks: further kinds besides the
    checkpoint's.
    """
    try:
        state = RestoredState.of(checkpoint)
    except InputError:
        return  # the run itself will say why
    rehearse(
        state.recipe,
        state.terrain.spacing,
        {*state.masks, *masks},
        state.terrain.fields,
        on_progress,
    )


def _state(
    recipe: Recipe, spacing: tuple[float, float], masks: Iterable[str], fields: Iterable[str]
) -> State:
    """Initial state on a gentle slope, with nonzero values in every layer."""
    shape = (SIDE, SIDE)
    elevation = np.add.outer(np.arange(SIDE) * 0.1, np.arange(SIDE) * 0.2) * min(spacing)
    elevation[SIDE // 2, SIDE // 2] -= min(spacing)  # a pit
    layers: dict[str, Array] = {"sediment": np.zeros(shape)}
    for name in set(fields) - {"elevation"}:
        components = FIELDS[name].components
        full = 0.5 if name == "grass" else 0.0  # none is as good as no layer at all
        layers[name] = np.full(
            shape if components == 1 else (*shape, components), full, FIELDS[name].dtype
        )
    layers["sediment"] = layers["sediment"].astype(np.float64)
    if recipe.strata and "surface_color" not in layers:
        layers["surface_color"] = recipe.strata.colors(elevation, spacing)
    mask_arrays = {kind: np.full(shape, 0.5, np.float32) for kind in masks if kind in MASK_KINDS}
    if ENTERING in masks:
        mask_arrays[ENTERING] = np.full((*shape, 4), 0.5, np.float32)
    return State(
        elevation, layers, mask_arrays, spacing, recipe.edges, THREADS, strata=recipe.strata
    )


def _do_a_little(state: State, entry: Step) -> None:
    """Run a step's first chunks and its end, at all sizes of cells, with and without grass."""
    process = PROCESSES[entry.kind]
    step = process.step
    limited = process.at_start(state, entry.limits, entry.masks)
    rows, cols = state.elevation.shape
    rehearsed = process.rehearsed(entry.parameters, (rows, cols), state.spacing)
    enough = _enough(rehearsed, step, state)
    for variant in (*_with_other_grass(limited), limited):
        with however_small():
            _begin(step(variant, enough, 0))
        running = _begin(step(variant, enough, 0))
    running.drain()  # of a gust that has not ended
    running.volumes()
    running.counts(1.0)
    running.layers()
    layers = running.release()
    state.elevation = layers.pop("elevation")
    state.layers.update(layers)
    # edges can be set for a run, and some kernels are for edges that wrap
    with suppress(InputError):
        _begin(step(replace(limited, edges="wrap"), enough, 0))


def _begin(step: RunningStep) -> RunningStep:
    """Let a step do each of its parts once; returns it."""
    with smallest_chunks():
        for _ in range(PARTS):
            if step.advance() >= 1.0:
                break
    return step


def _with_other_grass(state: State) -> Iterator[State]:
    """The state with its grass layer cleared, or filled if it was clear: only live grass protects
    the ground.
    """
    if (grass := state.layers.get("grass")) is not None:
        cover = np.full_like(grass, 0.0 if grass.any() else 0.5)
        yield replace(state, layers={**state.layers, "grass": cover})


def _enough(parameters: Parameters, step: StepFactory, state: State) -> Parameters:
    """Parameters raised so that a few cells get drops and particles."""
    values = parameters.to_dict()
    for name, least in (("drops_per_cell", 1.0), ("particles_per_cell", 0.1)):
        if values.get(name, 0.0) > 0:
            values[name] = least
    if isinstance(step, FeatureSizedSteps):
        coarse = 2 * max(state.spacing)
        wider = values["detail"] or values["coarse_to_fine"]
        values["feature_size"] = coarse if wider else min(values["feature_size"], coarse)
    return type(parameters).from_dict(values)
