# SPDX-License-Identifier: GPL-3.0-or-later
"""Resumed runs, on a terrain or a region."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ...base.arrays import Array
from ...base.errors import InputError
from ...base.threads import OnProgress
from ...processes.shared.state import LARGEST, Surroundings, within
from ...recipe.edges import edges_of_run
from ...recipe.recipe import EDGE_CHOICE, Recipe
from ...terrain.masks import prepare
from ...terrain.terrain import Terrain
from .. import simulation
from ..checkpoint import Checkpoint
from ..precompile import rehearse_rest
from ..progress import Progress
from ..simulation import RunOptions
from ..step_cache import Results
from .region import Region, as_region
from .rerun import LOCAL_MASKS, RegionRun, window_run

NOT_NEGATIVE = (0.0, LARGEST)
"""Range of amounts in a checkpoint."""


def resume(
    checkpoint: Checkpoint, threads: int = 0, results: Results | None = None
) -> Iterator[Progress]:
    """Resume from a `progress.checkpoint` of a run on a terrain or a region, with the same bytes as
    an uninterrupted run. results: cache for steps that end from now on. Raises InputError for an
    invalid checkpoint.
    """
    options = RunOptions(threads=threads, results=results)
    if not is_local(checkpoint):
        return simulation.resume(checkpoint, options)
    try:
        run = _restored(checkpoint)
    except (InputError, KeyError, TypeError, ValueError, AttributeError):
        raise InputError("The checkpoint is damaged; run it again from the start.") from None
    options = RunOptions(threads=threads, surroundings=run.surroundings)
    return run.merged(simulation.resume(_window_of(checkpoint), options))


def is_local(checkpoint: Checkpoint) -> bool:
    """Whether a checkpoint belongs to a run on a region."""
    return "region" in checkpoint.values


def outlets(checkpoint: Checkpoint) -> Array | None:
    """Mask of outlets (rows, cols) of the whole terrain of a checkpoint that `resume` took; None
    without one.
    """
    return checkpoint.part("region" if is_local(checkpoint) else "mask").get("outlet")


def result_fields(checkpoint: Checkpoint) -> set[str]:
    """Fields of the result of a checkpoint that `resume` took, at most."""
    run = _window_of(checkpoint) if is_local(checkpoint) else checkpoint
    fields = {*checkpoint.part("start"), *run.part("start")} - {"elevation"}
    return Recipe.from_dict(run.values["recipe"]).result_fields(fields)


def compile_rest(checkpoint: Checkpoint, on_progress: OnProgress) -> None:
    """Compile the kernels that `resume` will call."""
    if is_local(checkpoint):
        rehearse_rest(_window_of(checkpoint), on_progress, LOCAL_MASKS)
    else:
        rehearse_rest(checkpoint, on_progress)


def is_of(
    checkpoint: Checkpoint,
    terrain: Terrain,
    recipe: Recipe,
    options: RunOptions,
    region: Any = None,
) -> bool:
    """Whether a checkpoint is of the run that `rerun.begin` would start with these arguments."""
    if is_local(checkpoint) != (region is not None):
        return False
    if region is None:
        return simulation.is_of(checkpoint, terrain, recipe, options)
    edges, _ = edges_of_run(recipe, terrain.elevation, options.edges)
    region = as_region(region, terrain, edges)
    nothing = np.empty(0)
    start = checkpoint.part("start")
    share = checkpoint.arrays.get("region/share", nothing)
    if not (
        np.array_equal(region.share, share)
        and np.array_equal(terrain.elevation, start.get("elevation", nothing))
    ):
        return False
    masks, _ = prepare(options.masks, terrain.shape)
    window, recipe, options = window_run(terrain, recipe, region, replace(options, masks=masks))
    return simulation.is_of(_window_of(checkpoint), window, recipe, options)


def _window_of(checkpoint: Checkpoint) -> Checkpoint:
    """Checkpoint of the run on the window."""
    values = checkpoint.values.get("window")
    return Checkpoint(values if isinstance(values, dict) else {}, checkpoint.part("window"))


def _restored(checkpoint: Checkpoint) -> RegionRun:
    """Run on a region from its checkpoint; InputError, ValueError and others for an invalid one."""
    values = checkpoint.values["region"]
    start = checkpoint.part("start")
    part = checkpoint.part("region")
    window = _window_of(checkpoint)
    terrain = Terrain(start.pop("elevation"), tuple(window.values["spacing"]), start)
    edges = EDGE_CHOICE.checked(values["edges"])
    notes = values["notes"]
    share = part["share"]
    if share.dtype.kind != "f":
        raise ValueError
    if share.shape != terrain.shape or not ((share >= 0) & (share <= 1)).all() or not share.any():
        raise ValueError
    region = Region.around(share, terrain.spacing, edges)
    shape = len(region.rows), len(region.cols)
    if not (
        shape == window.arrays["start/elevation"].shape and window.values["edges"] == region.edges
    ):
        raise ValueError
    if not all(isinstance(line, str) for line in notes):
        raise ValueError
    surroundings = None
    if not (share > 0).all():
        surroundings = _surroundings(part, float(values["rain_mean"]), shape)
    return RegionRun(terrain, region, edges, notes, surroundings, _outlet(part, terrain.shape))


def _outlet(part: Mapping[str, Array], shape: tuple[int, int]) -> Array | None:
    """Mask of outlets of the whole, from the arrays of a checkpoint; ValueError if invalid."""
    mask = part.get("outlet")
    if mask is not None and not (
        mask.dtype.kind == "f" and mask.shape == shape and within(mask, (0.0, 1.0))
    ):
        raise ValueError
    return mask


def _surroundings(
    part: Mapping[str, Array], rain_mean: float, shape: tuple[int, int]
) -> Surroundings:
    """Land around a window of a shape, from the arrays of a checkpoint; ValueError if invalid."""
    water = part["inflow"]
    entering = part["entering"]
    if water.dtype.kind + entering.dtype.kind != "ff" or (water.shape, entering.shape) != (
        shape,
        (*shape, 4),
    ):
        raise ValueError
    if not (
        within(water, NOT_NEGATIVE) and within(entering, NOT_NEGATIVE) and 0 < rain_mean <= LARGEST
    ):
        raise ValueError
    return Surroundings(water, entering, rain_mean)
