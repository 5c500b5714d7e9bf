# SPDX-License-Identifier: GPL-3.0-or-later
"""The one way to erode: a generator that the operator, the command line and the tests all drive."""

import time
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from .. import VERSION
from .errors import InputError
from .fields import FIELDS
from .masks import prepare
from .processes import PROCESSES
from .recipe import EDGE_CHOICE, SEED, Recipe, Step
from .report import hashes, mass_balance, peak_memory_bytes
from .state import RunningStep, State, loose_of
from .terrain import Terrain


class Progress:
    """Where a simulation stands between two chunks of work.

    fraction: 0-1 of the whole recipe. step: kind of the step at work. message: the same in words.
    """

    def __init__(self, fraction: float, step: str, message: str, simulation: "_Simulation") -> None:
        self.fraction, self.step, self.message = fraction, step, message
        self._simulation = simulation

    @property
    def terrain(self) -> Terrain:
        """The terrain as it is now, with its fields and its report: a copy, made when asked for."""
        return self._simulation.snapshot(self.fraction)


def simulate(
    terrain: Terrain,
    recipe: Recipe,
    *,
    seed: int | None = None,
    edges: str | None = None,
    masks: Mapping[str, Any] | None = None,
) -> Iterator[Progress]:
    """Erode `terrain` by the steps of `recipe`, yielding progress about ten times a second; stop iterating to stop.

    seed and edges replace the recipe's; masks: kind → (rows, cols) array, see `masks.MASK_KINDS`. The last progress
    has fraction 1. The input terrain is never changed. Raises InputError before any work where something is wrong.
    """
    simulation = _Simulation(terrain, recipe, seed, edges, masks)
    return simulation.run()


def erode(
    terrain: Terrain,
    recipe: Recipe,
    *,
    seed: int | None = None,
    edges: str | None = None,
    masks: Mapping[str, Any] | None = None,
) -> Terrain:
    """`simulate` to its end; returns the eroded terrain with its fields and `.report`."""
    for progress in simulate(terrain, recipe, seed=seed, edges=edges, masks=masks):
        last = progress
    return last.terrain


class _Simulation:
    """A terrain, a recipe and how far it has got."""

    def __init__(
        self,
        terrain: Terrain,
        recipe: Recipe,
        seed: int | None,
        edges: str | None,
        masks: Mapping[str, Any] | None,
    ) -> None:
        self._terrain, self._recipe = terrain, recipe
        self._seed = recipe.seed if seed is None else SEED.checked(seed)
        self._edges = recipe.edges if edges is None else EDGE_CHOICE.checked(edges)
        self._steps = [step for step in recipe.steps if step.enabled]
        if not self._steps:
            raise InputError(f"All steps of the recipe {recipe.name} are switched off; switch one on.")
        prepared, self._notes = prepare(masks, terrain.shape)
        sediment = terrain.fields.get("sediment", np.zeros(terrain.shape))
        sediment = np.asarray(prepared.pop("sediment", sediment), dtype=np.float64)
        layers = {**terrain.fields, "sediment": sediment}
        self._start_loose = loose_of(layers)
        self._state = State(terrain.elevation, layers, prepared, terrain.spacing, self._edges)
        self._reports: list[dict[str, Any]] = []
        self._moved = self._exported = 0.0
        self._running: tuple[Step, RunningStep] | None = None
        self._began = self._step_began = time.perf_counter()

    def run(self) -> Iterator[Progress]:
        for number, step in enumerate(self._steps):
            process = PROCESSES[step.kind]
            running: RunningStep = process.step(self._state, step.parameters, _key(self._seed, number))
            self._running, self._step_began = (step, running), time.perf_counter()
            done = 0.0
            while done < 1.0:
                done = running.advance()
                if done < 1.0:
                    yield self._progress(number, step, done)
            self._end_step(step, running)
            yield self._progress(number, step, 1.0)

    def _progress(self, number: int, step: Step, done: float) -> Progress:
        fraction = (number + done) / len(self._steps)
        label = PROCESSES[step.kind].label
        return Progress(fraction, step.kind, f"{label}, step {number + 1} of {len(self._steps)}", self)

    def _end_step(self, step: Step, running: RunningStep) -> None:
        moved, exported = running.moved()
        self._moved += moved
        self._exported += exported
        self._reports.append(self._step_report(step, running))
        layers = running.layers()
        self._state.elevation = layers.pop("elevation")
        self._state.layers.update(layers)
        self._running = None

    def _step_report(self, step: Step, running: RunningStep) -> dict[str, Any]:
        seconds = time.perf_counter() - self._step_began
        return {"kind": step.kind, "seconds": seconds, **running.counts(seconds)}

    def snapshot(self, fraction: float) -> Terrain:
        """The terrain at this moment, with report."""
        layers = {"elevation": self._state.elevation, **self._state.layers}
        moved, exported, reports = self._moved, self._exported, list(self._reports)
        if self._running is not None:
            step, running = self._running
            layers.update(running.layers())
            step_moved, step_exported = running.moved()
            moved, exported = moved + step_moved, exported + step_exported
            reports.append(self._step_report(step, running))
        elevation = layers.pop("elevation")
        loose = loose_of(layers)
        rock_before = self._terrain.elevation - self._start_loose
        layers["wear"] = np.maximum(rock_before - (elevation - loose), 0.0)
        layers["deposition"] = np.maximum(loose - self._start_loose, 0.0)
        after = Terrain(elevation, self._terrain.spacing, {name: layers[name] for name in FIELDS if name in layers})
        after.report = self._report(after, fraction, reports, moved, exported)
        return after

    def _report(
        self, after: Terrain, fraction: float, steps: list[dict[str, Any]], moved: float, exported: float
    ) -> dict[str, Any]:
        rows, cols = after.shape
        grid: dict[str, Any] = {"rows": rows, "cols": cols, "cell_size": after.cell_size}
        if after.spacing[0] != after.spacing[1]:
            grid["spacing"] = list(after.spacing)
        return {
            "recipe": self._recipe.name,
            "seed": self._seed,
            "version": VERSION,
            "grid": grid,
            "edges": self._edges,
            "finished": fraction,
            "steps": steps,
            "notes": self._notes,
            "mass": mass_balance(self._terrain, after, moved, exported),
            "sha256": hashes(after),
            "peak_memory_bytes": peak_memory_bytes(),
            "seconds": time.perf_counter() - self._began,
        }


def _key(seed: int, step: int) -> int:
    """What a step's random numbers are drawn from: its own for each seed and place in the recipe."""
    return (seed << 32) + step
