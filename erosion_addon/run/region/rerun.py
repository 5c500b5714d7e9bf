# SPDX-License-Identifier: GPL-3.0-or-later
"""Run on a region of a terrain.

Only a window is computed: the region and a margin. The mask `strength` is multiplied by the
region's share, so the margin stays as it is, and rain that falls on it enters the region. Rivers of
`uplift` and `water` carry the water of all land upstream. As many drops enter as in a run on the
whole, with the water and load that their way leaves them; their load counts as added. Toward the
border of the region fewer drops act, all others less. What drops, wind and rivers carry beyond the
region leaves, and counts as exported; so does what the fade at the border takes away, and what it
leaves standing counts as added.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...base.arrays import Array, longer_side, loose_of
from ...base.threads import granted
from ...drainage.flow_graph import FlowGraph
from ...drainage.sea import river_ends
from ...grid.sampling import smooth_step
from ...processes.registry import PROCESSES
from ...processes.shared.state import ENTERING, Surroundings, Volumes
from ...recipe.edges import edges_of_run
from ...recipe.recipe import Recipe, Step
from ...terrain.masks import prepare
from ...terrain.terrain import Terrain
from .. import simulation
from ..checkpoint import Checkpoint
from ..progress import Progress, Simulation
from ..report import hashes, mass_balance
from ..simulation import RunOptions
from .region import Region, as_region

RIM = 0.5
"""Share below which the result is blended with the ground before, so that material that comes to
rest at any strength, such as talus, fades to 0 at the border too.
"""

LOCAL_MASKS = frozenset({"strength", "rain", ENTERING})
"""Masks that a run on a region has in any case, for compiling its kernels."""


@dataclass(frozen=True)
class RegionRun:
    """Run on a region: the whole terrain before it, and the region with its surroundings.

    edges: of the whole. outlet: mask of outlets of the whole, for the analysis of its maps.
    """

    before: Terrain
    region: Region
    edges: str
    notes: list[str]
    surroundings: Surroundings | None
    outlet: Array | None

    def merged(self, run: Iterator[Progress]) -> Iterator[Progress]:
        """Progress of a run on the window, as one of the whole terrain."""

        def of_whole(progress: Progress) -> Progress:
            simulation = RegionSimulation(progress.simulation, self)
            return Progress(progress.number, progress.done, simulation)

        try:
            for progress in run:
                yield of_whole(progress)
        except simulation.OutOfBoundsError as error:
            error.progress = error.progress and of_whole(error.progress)
            raise


def simulate_region(
    terrain: Terrain,
    recipe: Recipe,
    region: Any,
    *,
    seed: int | None = None,
    edges: str | None = None,
    masks: Mapping[str, Any] | None = None,
    threads: int = 0,
) -> Iterator[Progress]:
    """Erode a region of `terrain`, as `simulate` does the whole: the progress has the whole
    terrain.

    region: x0, y0, x1, y1 in meters from the first cell, or an array (rows, cols), 0 outside to 1.
    The change fades to 0 at its border; cells beyond keep every byte. Wear and deposition add to
    the terrain's. The report has `region`: rows and columns of the window, cells that may change,
    and m³ that the fade added. Raises InputError for invalid input.
    """
    return begin(terrain, recipe, RunOptions(seed, edges, masks, threads), region)


def begin(
    terrain: Terrain, recipe: Recipe, options: RunOptions, region: Any = None
) -> Iterator[Progress]:
    """Erode a terrain, or a region of it, see `simulate_region`."""
    if region is None:
        return simulation.begin(terrain, recipe, options)
    edges, on_edges = edges_of_run(recipe, terrain.elevation, options.edges)
    region = as_region(region, terrain, edges)
    masks, on_masks = prepare(options.masks, terrain.shape)
    window, on_window, options = window_run(terrain, recipe, region, replace(options, masks=masks))
    land = surroundings(terrain, region, edges, masks, options.threads)
    run = simulation.begin(window, on_window, replace(options, surroundings=land))
    notes: list[str] = [*on_edges, *on_masks]
    return RegionRun(terrain, region, edges, notes, land, masks.get("outlet")).merged(run)


def window_run(
    terrain: Terrain, recipe: Recipe, region: Region, options: RunOptions
) -> tuple[Terrain, Recipe, RunOptions]:
    """Terrain, recipe and options of the run on the window of a region. options: of the whole, with
    prepared masks.
    """
    masks = dict(options.masks or {})
    masks["strength"] = masks.get("strength", np.float32(1.0)) * region.share
    cut = {kind: region.cut(mask) for kind, mask in masks.items()}
    fields = {name: region.cut(values) for name, values in terrain.fields.items()}
    window = Terrain(region.cut(terrain.elevation), terrain.spacing, fields)
    scaled = local_recipe(recipe.scaled_to(longer_side(terrain.shape, terrain.spacing)), region)
    return window, scaled, replace(options, edges=region.edges, masks=cut, adds_up=True)


def erode_region(
    terrain: Terrain,
    recipe: Recipe,
    region: Any,
    *,
    seed: int | None = None,
    edges: str | None = None,
    masks: Mapping[str, Any] | None = None,
    threads: int = 0,
) -> Terrain:
    """Run `simulate_region` to its end; returns the whole terrain with its fields and `.report`."""
    options = RunOptions(seed, edges, masks, threads)
    return simulation.last_of(begin(terrain, recipe, options, region))


def local_recipe(recipe: Recipe, region: Region) -> Recipe:
    """Recipe for the region's window, with the effect that it has on the whole."""

    def on_part(step: Step) -> Any:
        return PROCESSES[step.kind].tiling.on_part(step.parameters, region.part)

    return recipe.with_parameters(on_part).around(region.part.middle)


def surroundings(
    terrain: Terrain, region: Region, edges: str, masks: Mapping[str, Array], threads: int = 0
) -> Surroundings | None:
    """Land around the window of a region; None if the region is the whole terrain. masks: of the
    whole terrain.
    """
    if (region.share > 0).all():
        return None
    rain = masks.get("rain")
    outlets = river_ends(None, masks.get("outlet"))
    graph = FlowGraph(terrain.shape, terrain.spacing, edges, outlets, granted(threads))
    heights = graph.padded(terrain.elevation)
    graph.route(heights)
    mean = 1.0 if rain is None else float(rain.mean(dtype=np.float64))
    amounts = np.ones(terrain.shape) if rain is None else rain / mean
    entering = np.dstack([region.share, graph.arrivals(heights, amounts, region.share)])
    water = _inflow(graph, terrain, region, rain)
    return Surroundings(water.astype(np.float32), region.cut(entering).astype(np.float32), mean)


def _inflow(graph: FlowGraph, terrain: Terrain, region: Region, rain: Array | None) -> Array:
    """Cells beyond the window whose water enters it at a cell, (rows, cols) of the window.

    Cells on the window's edge are outlets of a run there, so water enters behind them.
    """
    inflow = np.zeros((len(region.rows), len(region.cols)))
    if inflow.shape == terrain.shape:
        return inflow
    areas = graph.inside(graph.drainage_area(rain)) / terrain.cell_area
    behind = np.zeros(inflow.shape, bool)
    behind[1:-1, 1:-1] = True
    inside = np.zeros(terrain.shape, bool)
    region.put(inside, behind)
    receivers = graph.receivers()
    crossing = ~inside & inside.ravel()[receivers]
    entering = np.zeros(terrain.elevation.size)
    np.add.at(entering, receivers[crossing], areas[crossing])
    return region.cut(entering.reshape(terrain.shape))


class RegionSimulation:
    """Simulation of a window, reported as one of the whole terrain."""

    def __init__(self, window: Simulation, run: RegionRun) -> None:
        self.kinds = window.kinds
        self.titles = window.titles
        self.drain = window.drain
        self.counts = window.counts
        self.estimates = window.estimates
        self._window = window
        self._run = run

    def checkpoint(self) -> Checkpoint:
        """State to resume from."""
        window = self._window.checkpoint()
        before = self._run.before
        values: dict[str, Any] = {
            "region": {"edges": self._run.edges, "notes": list(self._run.notes)},
            "window": window.values,
        }
        arrays = {"region/share": self._run.region.share}
        if self._run.surroundings is not None:
            arrays |= {
                "region/inflow": self._run.surroundings.inflow,
                "region/entering": self._run.surroundings.entering,
            }
            values["region"]["rain_mean"] = self._run.surroundings.rain_mean
        if self._run.outlet is not None:
            arrays["region/outlet"] = self._run.outlet
        arrays |= {
            f"start/{name}": array
            for name, array in {**before.fields, "elevation": before.elevation}.items()
        }
        arrays |= {f"window/{name}": array for name, array in window.arrays.items()}
        return Checkpoint(values, arrays)

    def elevation(self) -> Array:
        """Current heights, for display."""
        return self._merged(self._run.before.elevation, self._window.elevation())

    def water_depth(self) -> Array | None:
        """Water depth in the current step, for display."""
        depth = self._window.water_depth()
        return None if depth is None else self._merged(np.zeros(self._run.before.shape), depth)

    def _merged(self, complete: Array, window: Array) -> Array:
        """Copy of an array of the terrain with the cells of a window that are in the region."""
        region = self._run.region
        merged = complete.copy()
        share = smooth_step(region.cut(region.share), 0.0, RIM)
        share = share.reshape(share.shape + (1,) * (complete.ndim - 2))
        before = region.cut(complete)
        blended = np.where(share < 1, before + share * (window - before), window)
        region.put(merged, np.where(share > 0, blended, before))
        return merged

    def snapshot(self, fraction: float, make: Callable[..., Terrain] = Terrain) -> Terrain:
        """Current terrain with its report."""
        before = self._run.before
        window = self._window.snapshot(fraction)
        fields = dict(before.fields)
        if "bedrock" not in fields:
            loose = loose_of({"sediment": np.zeros(before.shape), **before.fields})
            fields["bedrock"] = (before.elevation - loose).astype(np.float32)
        for name, values in window.fields.items():
            old = fields.get(name, np.zeros((*before.shape, *values.shape[2:]), values.dtype))
            fields[name] = self._merged(old, values)
        after = make(self._merged(before.elevation, window.elevation), before.spacing, fields)
        after.report = self._report(window, after)
        return after

    def _report(self, window: Terrain, after: Terrain) -> dict[str, Any]:
        report: dict[str, Any] = dict(window.report or {})
        rows, cols = after.shape
        window_mass = report["mass"]
        mass = mass_balance(self._run.before, after, Volumes(0.0, 0.0))
        # Volume of the terrain's change minus that of the window's.
        faded = -mass["error"] - (
            window_mass["added"] - window_mass["exported"] - window_mass["error"]
        )
        report["mass"] = {
            **mass,
            "added": window_mass["added"] + max(faded, 0.0),
            "exported": window_mass["exported"] + max(-faded, 0.0),
            "moved": window_mass["moved"],
            "error": window_mass["error"],
        }
        part = self._run.region.part
        report["region"] = {
            "rows": [part.row, part.row + part.rows],
            "cols": [part.col, part.col + part.cols],
            "cells": int(np.count_nonzero(self._run.region.share)),
            "faded": faded,
        }
        report["grid"] = {**report["grid"], "rows": rows, "cols": cols}
        return {
            **report,
            "edges": self._run.edges,
            "notes": list(dict.fromkeys([*self._run.notes, *report["notes"]])),
            "sha256": hashes(after),
        }
