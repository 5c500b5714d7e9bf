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
from functools import partial
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
from .region import Region, as_region

RIM = 0.5
"""Share below which the result is blended with the ground before, so that also what comes to rest
at any strength, such as talus, fades to 0 at the border.
"""

LOCAL_MASKS = frozenset({"strength", "rain", ENTERING})
"""Masks that a run on a region has in any case, for compiling its kernels."""


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
    edges, on_edges = edges_of_run(recipe, terrain.elevation, edges)
    region = as_region(region, terrain, edges)
    prepared, on_masks = prepare(masks, terrain.shape)
    notes = on_edges + on_masks
    window, given = on_window(terrain, recipe, region, prepared)
    around = surroundings(terrain, region, edges, prepared, threads)
    run = simulation.simulate(window, **given, seed=seed, threads=threads, around=around)
    outlet = prepared.get("outlet")
    whole = partial(
        Whole, before=terrain, region=region, edges=edges, notes=notes, around=around, outlet=outlet
    )
    return on_whole(run, whole)


def on_window(
    terrain: Terrain, recipe: Recipe, region: Region, masks: Mapping[str, Array]
) -> tuple[Terrain, dict[str, Any]]:
    """Window of the terrain, and recipe, edges and masks of the run on it. masks: prepared, of the
    terrain.
    """
    whole = masks.get("strength", np.float32(1.0)) * region.share
    cut = {kind: region.cut(mask) for kind, mask in {**masks, "strength": whole}.items()}
    fields = {name: region.cut(values) for name, values in terrain.fields.items()}
    scaled = local_recipe(recipe.scaled_to(longer_side(terrain.shape, terrain.spacing)), region)
    window = Terrain(region.cut(terrain.elevation), terrain.spacing, fields)
    return window, {"recipe": scaled, "edges": region.edges, "masks": cut, "adds_up": True}


def on_whole(run: Iterator[Progress], whole: Callable[[Simulation], "Whole"]) -> Iterator[Progress]:
    """Progress of a run on a window, as one of the whole terrain."""

    def of_whole(progress: Progress) -> Progress:
        return Progress(progress.number, progress.done, whole(progress.simulation))

    try:
        for progress in run:
            yield of_whole(progress)
    except simulation.OutOfBoundsError as error:
        error.progress = error.progress and of_whole(error.progress)
        raise


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
    for progress in simulate_region(
        terrain, recipe, region, seed=seed, edges=edges, masks=masks, threads=threads
    ):
        last = progress
    return last.terrain


def local_recipe(recipe: Recipe, region: Region) -> Recipe:
    """Recipe for the region's window, with the effect that it has on the whole."""

    def on_part(step: Step) -> Any:
        return PROCESSES[step.kind].on_part(step.parameters, region.part)

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
    found = np.zeros((len(region.rows), len(region.cols)))
    if found.shape == terrain.shape:
        return found
    areas = graph.inside(graph.drainage_area(rain)) / terrain.cell_area
    behind = np.zeros(found.shape, bool)
    behind[1:-1, 1:-1] = True
    inside = np.zeros(terrain.shape, bool)
    region.put(inside, behind)
    receivers = graph.receivers()
    crossing = ~inside & inside.ravel()[receivers]
    entering = np.zeros(terrain.elevation.size)
    np.add.at(entering, receivers[crossing], areas[crossing])
    return region.cut(entering.reshape(terrain.shape))


class Whole:
    """Simulation of a window, reported as one of the whole terrain."""

    def __init__(
        self,
        window: Simulation,
        before: Terrain,
        region: Region,
        edges: str,
        notes: list[str],
        around: Surroundings | None,
        outlet: Array | None = None,
    ) -> None:
        """outlet: mask of outlets of the whole, which its maps are analyzed with."""
        self.kinds = window.kinds
        self.titles = window.titles
        self.drain = window.drain
        self.counts = window.counts
        self.estimates = window.estimates
        self._window = window
        self._before = before
        self._region = region
        self._edges = edges
        self._notes = notes
        self._around = around
        self._outlet = outlet

    def checkpoint(self) -> Checkpoint:
        """State to resume from."""
        window = self._window.checkpoint()
        before = self._before
        values: dict[str, Any] = {
            "region": {"edges": self._edges, "notes": list(self._notes)},
            "window": window.values,
        }
        arrays = {"region/share": self._region.share}
        if self._around is not None:
            arrays |= {
                "region/inflow": self._around.inflow,
                "region/entering": self._around.entering,
            }
            values["region"]["rain_mean"] = self._around.rain_mean
        if self._outlet is not None:
            arrays["region/outlet"] = self._outlet
        arrays |= {
            f"start/{name}": array
            for name, array in {**before.fields, "elevation": before.elevation}.items()
        }
        arrays |= {f"window/{name}": array for name, array in window.arrays.items()}
        return Checkpoint(values, arrays)

    def elevation(self) -> Array:
        """Current heights, for display."""
        return self._merged(self._before.elevation, self._window.elevation())

    def water_depth(self) -> Array | None:
        """Water depth in the current step, for display."""
        depth = self._window.water_depth()
        return None if depth is None else self._merged(np.zeros(self._before.shape), depth)

    def _merged(self, whole: Array, window: Array) -> Array:
        """Copy of an array of the terrain with the cells of a window that are in the region."""
        region = self._region
        merged = whole.copy()
        share = smooth_step(region.cut(region.share), 0.0, RIM)
        share = share.reshape(share.shape + (1,) * (whole.ndim - 2))
        before = region.cut(whole)
        blended = np.where(share < 1, before + share * (window - before), window)
        region.put(merged, np.where(share > 0, blended, before))
        return merged

    def snapshot(self, fraction: float, make: Callable[..., Terrain] = Terrain) -> Terrain:
        """Current terrain with its report."""
        before = self._before
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
        given = report["mass"]
        mass = mass_balance(self._before, after, Volumes(0.0, 0.0))
        # Volume of the terrain's change minus that of the window's.
        faded = -mass["error"] - (given["added"] - given["exported"] - given["error"])
        report["mass"] = {
            **mass,
            "added": given["added"] + max(faded, 0.0),
            "exported": given["exported"] + max(-faded, 0.0),
            "moved": given["moved"],
            "error": given["error"],
        }
        part = self._region.part
        report["region"] = {
            "rows": [part.row, part.row + part.rows],
            "cols": [part.col, part.col + part.cols],
            "cells": int(np.count_nonzero(self._region.share)),
            "faded": faded,
        }
        report["grid"] = {**report["grid"], "rows": rows, "cols": cols}
        return {
            **report,
            "edges": self._edges,
            "notes": list(dict.fromkeys([*self._notes, *report["notes"]])),
            "sha256": hashes(after),
        }
