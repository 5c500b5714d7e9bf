# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulation: the generator behind the operators, the command line and scripts."""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import VERSION
from ..base.arrays import Array, longer_side, loose_of
from ..base.errors import InputError, Sentence
from ..base.parameters import specifications
from ..base.threads import granted
from ..drainage.flow_graph import UnsoundError
from ..processes.registry import PROCESSES
from ..processes.shared.shares import missing, protected_soil
from ..processes.shared.state import State, Step, Surroundings, Volumes, thickness, within
from ..recipe.edges import edges_of_run
from ..recipe.needs import stillness
from ..recipe.recipe import SEED, Recipe
from ..terrain.fields import FIELDS, RISE
from ..terrain.masks import prepare
from ..terrain.terrain import HIGHEST, Terrain
from .checkpoint import Checkpoint
from .estimate import bytes_needed, require_memory, seconds_of, share_of_time
from .progress import Progress
from .report import hashes, mass_balance, peak_memory_bytes
from .restored_state import RestoredState, require_sound
from .step_cache import Key, Result, Results, keys_of
from .step_state import is_finite, set_step_arrays, step_arrays

CHECK_SECONDS = 1.0
"""Shortest time between two checks of all heights of a running step; a check takes 1 % of it."""


@dataclass(frozen=True)
class RunOptions:
    """Options of a run besides its terrain and recipe.

    seed, edges: replace the recipe's. masks: kind → (rows, cols) array, see `masks.MASK_KINDS`.
    threads: the most to use, 0 for all processors; the result does not depend on it. results: cache
    of steps from earlier runs; cached steps are skipped and the others are added, with the same
    result. adds_up: whether to add to the terrain's wear and deposition. surroundings: land around
    the terrain, whose water and drops enter; a checkpoint does not hold it.
    """

    seed: int | None = None
    edges: str | None = None
    masks: Mapping[str, Any] | None = None
    threads: int = 0
    results: Results | None = None
    adds_up: bool = False
    surroundings: Surroundings | None = None


def simulate(
    terrain: Terrain,
    recipe: Recipe,
    *,
    seed: int | None = None,
    edges: str | None = None,
    masks: Mapping[str, Any] | None = None,
    threads: int = 0,
    results: Results | None = None,
    adds_up: bool = False,
    around: Surroundings | None = None,
) -> Iterator[Progress]:
    """Erode `terrain` by the steps of `recipe`, yielding progress about ten times a second. Stop
    iterating to stop.

    Arguments: see `RunOptions`; around: its surroundings. The last progress has fraction 1. The
    input terrain is never changed. Raises InputError for invalid input before any work.
    """
    options = RunOptions(seed, edges, masks, threads, results, adds_up, around)
    return begin(terrain, recipe, options)


def begin(terrain: Terrain, recipe: Recipe, options: RunOptions) -> Iterator[Progress]:
    """`simulate` with its options as one object."""
    simulation = _Simulation(terrain, recipe, options)
    simulation.reuse()
    return simulation.run()


def erode(
    terrain: Terrain,
    recipe: Recipe,
    *,
    seed: int | None = None,
    edges: str | None = None,
    masks: Mapping[str, Any] | None = None,
    threads: int = 0,
    around: Surroundings | None = None,
) -> Terrain:
    """Run `simulate` to its end; returns the eroded terrain with its fields and `.report`."""
    options = RunOptions(seed, edges, masks, threads, surroundings=around)
    return last_of(begin(terrain, recipe, options))


def last_of(run: Iterator[Progress]) -> Terrain:
    """Terrain at the end of a run."""
    for progress in run:
        last = progress
    return last.terrain


def resume(checkpoint: Checkpoint, options: RunOptions | None = None) -> Iterator[Progress]:
    """Resume from a `progress.checkpoint`, with the same bytes as an uninterrupted run. options:
    threads, results and surroundings; all others are the checkpoint's.
    """
    return _Simulation.from_checkpoint(checkpoint, options or RunOptions()).run()


def is_of(checkpoint: Checkpoint, terrain: Terrain, recipe: Recipe, options: RunOptions) -> bool:
    """Whether a checkpoint belongs to the run that `begin` would start with these arguments."""
    start = _Simulation(terrain, recipe, replace(options, results=None)).checkpoint()
    names = ("recipe", "seed", "edges", "spacing", "adds_up")
    values = json.loads(json.dumps([start.values[name] for name in names]))
    if values != [checkpoint.values.get(name) for name in names]:
        return False
    return all(_are_equal(start.part(part), checkpoint.part(part)) for part in ("start", "mask"))


def _are_equal(arrays: Mapping[str, Array], others: Mapping[str, Array]) -> bool:
    return arrays.keys() == others.keys() and all(
        np.array_equal(array, others[name]) for name, array in arrays.items()
    )


class OutOfBoundsError(InputError):
    """Step with unusable heights. progress: run of the steps before, or None for the first."""

    def __init__(self, sentence: str, progress: Progress | None) -> None:
        super().__init__(sentence)
        self.progress = progress


class _Simulation:
    """Terrain, recipe and position of a run."""

    def __init__(self, terrain: Terrain, recipe: Recipe, options: RunOptions) -> None:
        results = options.results
        masks = options.masks
        recipe = recipe.scaled_to(longer_side(terrain.shape, terrain.spacing))
        self._terrain = terrain
        self._recipe = recipe
        self._adds_up = options.adds_up
        self._seed = recipe.seed if options.seed is None else SEED.checked(options.seed)
        self._edges, on_edges = edges_of_run(recipe, terrain.elevation, options.edges)
        self._steps = [step for step in recipe.steps if step.enabled]
        if not self._steps:
            raise InputError(
                "All steps of the recipe {name} are switched off; switch one on."
            ).format(name=recipe.name)
        self.kinds = [step.kind for step in self._steps]
        self.titles = [step.title for step in self._steps]
        if results is not None:
            results.make_room(bytes_needed(recipe, terrain.elevation.size, len(masks or {})))
        require_memory(recipe, terrain.shape, len(masks or {}))
        self._masks, on_masks = prepare(masks, terrain.shape)
        self._notes: list[str] = [*on_edges, *on_masks]
        self._require_scaling_masks()
        sediment = self._masks.get(
            "sediment", terrain.fields.get("sediment", np.zeros(terrain.shape))
        )
        layers = {**terrain.fields, "sediment": np.asarray(sediment, dtype=np.float64)}
        if not options.adds_up:
            layers.pop(RISE, None)
        self._start_loose = loose_of(layers)
        if recipe.strata and "surface_color" not in layers:
            rock = terrain.elevation - self._start_loose
            layers["surface_color"] = recipe.strata.colors(
                rock - layers.get(RISE, 0.0), terrain.spacing
            )
        fixed = protected_soil(layers, self._masks)
        self._state = State(
            terrain.elevation,
            layers,
            self._masks,
            terrain.spacing,
            self._edges,
            threads=granted(options.threads),
            fixed=fixed,
            strata=recipe.strata,
        )
        self._reports: list[dict[str, Any]] = []
        self._volumes = Volumes(0.0, 0.0)
        self._number = 0
        self._running: Step | None = None
        self._results = results
        self._keys = self._result_keys() if results is not None else []
        if options.surroundings is not None:
            self._state = options.surroundings.around(self._state)
            self._results = None
        self._earlier_seconds = 0.0
        self._began = time.perf_counter()
        self._step_began = self._began
        self._whole_step = True
        self._next_check = 0.0

    def _require_scaling_masks(self) -> None:
        """Raise InputError if a parameter's scale factor will be missing when its step begins."""
        layers = {*self._masks, *self._terrain.fields}
        for step in self._steps:
            for name, mask in step.masks.items():
                if mask not in layers:
                    raise InputError("{step}: {reason}").format(
                        step=step.title, reason=missing(name, mask)
                    )
            layers.update(PROCESSES[step.kind].writes)

    def checkpoint(self) -> Checkpoint:
        """State to resume from."""
        if self._running is not None:
            self._running.rest()
        values = {
            "recipe": self._recipe.to_dict(),
            "seed": self._seed,
            "edges": self._edges,
            "spacing": self._terrain.spacing,
            "number": self._number,
            "reports": list(self._reports),  # a copy: the run fills its own
            "volumes": self._volumes,
            "notes": list(self._notes),
            "seconds": self._seconds(),
            "adds_up": self._adds_up,
        }
        arrays = {
            "start/elevation": self._terrain.elevation,
            "state/elevation": self._state.elevation,
        }
        arrays |= {f"start/{name}": array for name, array in self._terrain.fields.items()}
        arrays |= {f"state/{name}": array for name, array in self._state.layers.items()}
        arrays |= {f"mask/{kind}": array for kind, array in self._masks.items()}
        if self._running is not None:
            arrays |= {f"step/{name}": array for name, array in step_arrays(self._running).items()}
        return Checkpoint(values, arrays)

    @classmethod
    def from_checkpoint(cls, checkpoint: Checkpoint, options: RunOptions) -> "_Simulation":
        """Simulation restored from a checkpoint; InputError for an invalid one."""
        restored = RestoredState.of(checkpoint)
        simulation = cls(
            restored.terrain,
            restored.recipe,
            replace(
                options,
                seed=restored.seed,
                edges=restored.edges,
                masks=restored.masks,
                adds_up=restored.adds_up,
            ),
        )
        if not simulation._state.layers.keys() <= restored.layers.keys():
            raise InputError(
                "The checkpoint lacks layers of the terrain; run it again from the start."
            )
        simulation._state.elevation = restored.elevation
        simulation._state.layers = restored.layers
        simulation._number = restored.number
        simulation._reports = restored.reports
        simulation._notes = restored.notes
        simulation._volumes = restored.volumes
        simulation._earlier_seconds = restored.seconds
        if restored.step:
            simulation._start_step()
            running: Any = simulation._running
            set_step_arrays(running, restored.step)
            require_sound(running, restored.terrain.shape)
            simulation._whole_step = False
        return simulation

    def _result_keys(self) -> list[Key]:
        """Cache key of each step's end."""
        strata = self._recipe.strata and self._recipe.strata.to_dict()
        return keys_of(self._terrain, self._masks, [self._seed, self._edges, strata], self._steps)

    def reuse(self) -> None:
        """Skip the steps that the cache holds."""
        if self._results is None:
            return
        self._number, result = self._results.longest(self._keys)
        if result is not None:
            self._state.elevation = result.elevation
            self._state.layers = dict(result.layers)
            self._reports = [{**report, "reused": True} for report in result.reports]
            self._volumes = result.volumes

    def run(self) -> Iterator[Progress]:
        self._began = time.perf_counter()  # kernels may have been compiled since __init__
        if self._number and self._running is None:
            yield self._progress(self._number - 1, 1.0)
        while self._number < len(self._steps):
            if self._running is None:
                self._start_step()
            share = self._advance()
            if share >= 1.0:
                yield self._end_step()
            else:
                yield self._progress(self._number, share)

    def _advance(self) -> float:
        """Share of the current step done after some more work; InputError for heights that are not
        finite.
        """
        running = self._running
        assert running is not None
        try:
            share = running.advance()
        except UnsoundError:
            raise self._out_of_bounds() from None
        if share >= 1.0 or time.perf_counter() >= self._next_check:
            if not is_finite(running):
                raise self._out_of_bounds()
            self._next_check = time.perf_counter() + CHECK_SECONDS
        return share

    def _out_of_bounds(self) -> OutOfBoundsError:
        """Error that names the current step and its parameters beyond their sliders.

        The simulation continues as the run of the steps before it.
        """
        step = self._steps[self._number]
        number = self._number
        beyond = []
        for name, declared in specifications(type(step.parameters)).items():
            value = getattr(step.parameters, name)
            low, high = declared.soft_range
            if isinstance(value, int | float) and not low <= value <= high:
                beyond.append(f"{name} ({low:g} … {high:g})")
        sentence = Sentence("{step} makes heights that are not finite or beyond ±{highest:g} m.")
        if beyond:
            sentence = Sentence(
                "{step} makes heights that are not finite or beyond ±{highest:g} m; keep to the "
                "ranges of the sliders: {sliders}."
            )
        sentence = sentence.format(step=step.title, highest=HIGHEST, sliders=", ".join(beyond))
        if not number:
            return OutOfBoundsError(sentence, None)
        self._running = None
        self._steps = self._steps[:number]
        self._recipe = replace(self._recipe, steps=tuple(self._steps))
        self.kinds = self.kinds[:number]
        self.titles = self.titles[:number]
        note = Sentence("{sentence} The result is that of the steps before.")
        self._notes.append(note.format(sentence=sentence))
        return OutOfBoundsError(sentence, self._progress(number - 1, 1.0))

    def _start_step(self) -> None:
        step = self._steps[self._number]
        process = PROCESSES[step.kind]
        state = process.at_start(self._state, step.limits, step.masks)
        self._running = process.step(state, step.parameters, _key(self._seed, self._number))
        self._step_began = time.perf_counter()
        self._whole_step = True

    def _progress(self, number: int, share: float) -> Progress:
        """Progress with a share of a step done."""
        return Progress(number, share, self)

    def elevation(self) -> Array:
        """Current heights, for display."""
        return self._state.elevation if self._running is None else self._running.elevation()

    def water_depth(self) -> Array | None:
        """Water depth in the current step, for display."""
        return None if self._running is None else self._running.water_depth()

    def drain(self) -> None:
        """Let work in flight finish without starting more."""
        if self._running is not None:
            self._running.drain()

    def counts(self) -> dict[str, Any]:
        """Counts of the current step so far; empty between steps."""
        return {} if self._running is None else self._running.counts(1.0)

    def estimates(self) -> list[float]:
        """Rough duration of each step on one processor, in seconds."""
        return [
            seconds_of(step, self._terrain.shape, self._terrain.spacing, self._edges)
            for step in self._steps
        ]

    def _end_step(self) -> Progress:
        running = self._running
        progress = self._progress(self._number, 1.0)
        assert running is not None
        volumes = running.volumes()
        report = {**self._step_report(running), **self._estimated()}
        # A step that can hands its own arrays over: copies would be the run's peak of memory.
        layers = running.release()
        if not within(layers["elevation"], (-HIGHEST, HIGHEST)):
            raise self._out_of_bounds()
        self._volumes = self._volumes.plus(volumes)
        self._reports.append(report)
        self._state.elevation = layers.pop("elevation")
        self._state.layers.update(layers)
        self._running = None
        self._number += 1
        if self._results is not None:
            result = Result(
                self._state.elevation, dict(self._state.layers), tuple(self._reports), self._volumes
            )
            self._results.keep(self._keys[self._number - 1], result)
        return progress

    def _seconds(self) -> float:
        return self._earlier_seconds + time.perf_counter() - self._began

    def _step_report(self, running: Step) -> dict[str, Any]:
        seconds = time.perf_counter() - self._step_began
        step = self._steps[self._number]
        name = {"name": step.name} if step.name else {}
        return {"kind": step.kind, **name, "seconds": seconds, **running.counts(seconds)}

    def _estimated(self) -> dict[str, float]:
        """Estimated duration of the step, unless an earlier run did a part of it."""
        if not self._whole_step:
            return {}
        share = share_of_time(
            self.kinds[self._number], self._terrain.elevation.size, self._state.threads
        )
        return {"estimated_seconds": share * self.estimates()[self._number]}

    def snapshot(self, fraction: float, make: Callable[..., Terrain] = Terrain) -> Terrain:
        """Current terrain with its report. make: its constructor from elevation, spacing and
        fields.
        """
        layers = {"elevation": self._state.elevation, **self._state.layers}
        volumes = self._volumes
        reports = list(self._reports)
        if self._running is not None:
            layers.update(self._running.layers())
            volumes = volumes.plus(self._running.volumes())
            reports.append(self._step_report(self._running))
        elevation = layers.pop("elevation")
        before = self._terrain.fields if self._adds_up else {}
        loose = loose_of(layers)
        layers["bedrock"] = np.subtract(elevation, loose, dtype=np.float32)
        gained = loose - self._start_loose
        deposition = all_deposition = thickness(gained)
        if "deposition" in before:
            all_deposition = thickness(gained, before["deposition"])
        gained += self._terrain.elevation
        gained -= elevation
        if RISE in layers:
            gained += layers[RISE] - before.get(RISE, 0.0)
        wear = all_wear = thickness(gained)
        if "wear" in before:
            all_wear = thickness(gained, before["wear"])
        del gained
        if strata := self._recipe.strata:
            carried = any(PROCESSES[step.kind].carries_color for step in self._steps)
            surface = {**layers, "elevation": elevation, "wear": wear, "deposition": deposition}
            layers["surface_color"] = strata.brought_to_light(
                surface, self._terrain.spacing, carried
            )
        after = make(
            elevation,
            self._terrain.spacing,
            {name: layers[name] for name in FIELDS if name in layers},
        )
        after.fields |= {"wear": all_wear, "deposition": all_deposition}  # these need no copy
        after.report = self._report(after, fraction, reports, volumes)
        return after

    def _report(
        self, after: Terrain, fraction: float, steps: list[dict[str, Any]], volumes: Volumes
    ) -> dict[str, Any]:
        rows, cols = after.shape
        grid: dict[str, Any] = {"rows": rows, "cols": cols, "cell_size": after.cell_size}
        if after.spacing[0] != after.spacing[1]:
            grid["spacing"] = list(after.spacing)
        loose = float(self._start_loose.max())
        moves = any(PROCESSES[kind].moves_ground for kind in self.kinds)
        if moves and fraction >= 1:
            still = stillness(self._terrain, after, self._recipe.needs, loose)
        else:
            still = []
        if still:
            reasons = [
                PROCESSES[step.kind].why_still(
                    step.parameters, self._terrain.elevation, self._terrain.spacing
                )
                for step in self._steps
            ]
            still += filter(None, reasons)
        return {
            "recipe": self._recipe.name,
            "seed": self._seed,
            "version": VERSION,
            "grid": grid,
            "edges": self._edges,
            "finished": fraction,
            "steps": steps,
            "notes": [*self._notes, *still],
            "mass": mass_balance(self._terrain, after, volumes),
            "sha256": hashes(after),
            "threads": self._state.threads,
            "peak_memory_bytes": peak_memory_bytes(),
            "seconds": self._seconds(),
        }


def _key(seed: int, step: int) -> int:
    """Random key of a step, unique for a seed and position in the recipe."""
    return (seed << 32) + step
