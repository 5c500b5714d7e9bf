# SPDX-License-Identifier: GPL-3.0-or-later
"""Preview: a run on fewer, larger cells, within a second; and pictures of variants."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.arrays import Array
from ..processes.registry import PROCESSES
from ..recipe.recipe import Recipe
from ..terrain.terrain import SMALLEST_SIDE, Terrain

if TYPE_CHECKING:
    from .progress import Progress
    from .simulation import RunOptions

SIDE = 192
"""Cells along the longer side of a preview, at most."""

SIDES = (48, 64, 96, 128, SIDE)
"""Cells along the longer side while settings change: the most that take no longer than QUICK."""

QUICK = 0.1
"""Seconds for a preview while settings change."""


def shape_of(shape: tuple[int, int], side: int = SIDE) -> tuple[int, int]:
    """(rows, cols) of the preview of a terrain of `shape`: never more, with similar proportions."""
    factor = min(side / max(shape), 1.0)
    rows, cols = (max(round(cells * factor), min(cells, SMALLEST_SIDE)) for cells in shape)
    return rows, cols


def reduced(terrain: Terrain, shape: tuple[int, int]) -> Terrain:
    """Terrain averaged to the larger cells of `shape`."""
    lengths = zip(terrain.spacing, terrain.shape, shape, strict=True)
    row_spacing, col_spacing = (spacing * fine / coarse for spacing, fine, coarse in lengths)
    fields = {name: average(values, shape) for name, values in terrain.fields.items()}
    return Terrain(average(terrain.elevation, shape), (row_spacing, col_spacing), fields)


def reduced_masks(masks: Mapping[str, Any], shape: tuple[int, int]) -> dict[str, Array]:
    """Masks averaged to larger cells; masks that are coarser already stay."""
    return {
        kind: average(mask, shape)
        if all(a >= b for a, b in zip(np.shape(mask), shape, strict=True))
        else mask
        for kind, mask in masks.items()
    }


def fitted(recipe: Recipe, longer: float, cell_size: float, larger: float) -> Recipe:
    """Recipe scaled for a preview with `larger` cells (m) of a terrain with cells of `cell_size`,
    for an equal effect.

    See `Process.scaled_for_preview`. longer: side of the terrain, m.
    """
    steps = (
        replace(
            step,
            parameters=PROCESSES[step.kind].scaled_for_preview(
                step.parameters, longer, cell_size, larger
            ),
        )
        for step in recipe.steps
    )
    return replace(recipe, steps=tuple(steps))


def variants_of(
    rows: Iterable[Recipe], seeds: Sequence[int], fit: Callable[[Recipe], Recipe]
) -> list[Recipe]:
    """Each row's recipe with each seed, row by row. fit: scales a recipe to the preview."""
    return [replace(recipe, seed=seed) for recipe in map(fit, rows) for seed in seeds]


def reliefs(
    terrain: Terrain,
    recipes: Iterable[Recipe],
    options: "RunOptions",
    watch: "Callable[[Iterator[Progress], Recipe], Progress]",
) -> Iterator[Array]:
    """Shaded relief of a terrain after each recipe, (rows, cols, 3). watch: takes a run to its
    end; returns its last progress.
    """
    # not imported when Blender starts
    from ..bake.light import shaded_relief
    from .simulation import begin

    for recipe in recipes:
        yield shaded_relief(watch(begin(terrain, recipe, options), recipe).terrain)


def average(array: Array, shape: tuple[int, int]) -> Array:
    """Means of `array` (rows, cols, ...) over the cells of a grid of `shape`, rounded to whole
    cells.
    """
    for axis, count in enumerate(shape):
        edges = np.arange(count + 1) * array.shape[axis] // count
        sums = np.add.reduceat(array, edges[:-1], axis=axis)
        array = sums / np.diff(edges).reshape(
            [-1 if axis == side else 1 for side in range(array.ndim)]
        )
    return array
