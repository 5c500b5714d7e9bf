# SPDX-License-Identifier: GPL-3.0-or-later
"""Estimates of memory and disk space before the erosion of a landscape."""

import os
from contextlib import suppress
from pathlib import Path

from ..base.memory import size_in_words
from ..files.formats import require_space
from ..recipe.recipe import Recipe
from ..run import estimate
from ..terrain.fields import FIELDS
from .plan import Plan
from .storage import pyramid
from .storage.manifest import MASK, START

PROCESS = 300_000_000
"""Bytes of a process with its libraries and kernels; measured."""

HALO_BYTES = 110
"""Bytes for a cell of a tile and its halo beside the run on it: layers, weights, masks;
measured.
"""

_LAYERS = {"elevation", "bedrock", "sediment", "wear", "deposition"}
"""Layers of every erosion."""

_BYTES = 4
"""Bytes of a value in a tile's file."""


def worker_bytes(plan: Plan) -> int:
    """Peak memory of a process that does the tasks of an erosion, and the pyramid at its end: the
    largest of them.
    """
    rows, cols = plan.coarse_shape
    tile = max(
        window.shape[0] * window.shape[1] for window in map(plan.window, plan.landscape.tiles())
    )
    masks = sum(name.startswith(MASK) for name in plan.landscape.manifest.layers)
    tasks: list[tuple[Recipe | None, int]] = [
        (plan.coarse_recipe(), rows * cols),
        (plan.stream_recipe(), rows * cols),
        (plan.tile_recipe(), tile),
        (plan.cover_recipe(), tile),
    ]
    runs = max(estimate.bytes_needed(recipe, cells, masks) for recipe, cells in tasks if recipe)
    return PROCESS + max(HALO_BYTES * tile + runs, pyramid.bytes_needed(plan.landscape))


def disk_bytes(plan: Plan) -> int:
    """Disk space of an erosion at its peak, beside the start: the layers, and each task's own with
    their halos.
    """
    cells = plan.landscape.shape[0] * plan.landscape.shape[1]
    halos = sum(
        window.shape[0] * window.shape[1] for window in map(plan.window, plan.landscape.tiles())
    )
    size = cells * _values(_LAYERS | _written(plan, plan.recipe))
    if shaped := plan.tile_recipe():
        # heights are exact
        size += halos * (_values({"elevation", "sediment"} | _written(plan, shaped)) + 1)
    if cover := plan.cover_recipe():
        size += halos * _values(_written(plan, cover))
    return _BYTES * size


def require_room(plan: Plan) -> None:
    """Raise InputError with numbers if the disk lacks room for the erosion, less the files already
    there.
    """
    folder = plan.landscape.folder
    present = 0
    for place, folders, files in os.walk(folder):
        if Path(place) == folder:
            folders[:] = [name for name in folders if name not in ("start", "mask", "pyramid")]
        for name in files:
            with suppress(OSError):  # a farm's machine has just moved it
                present += Path(place, name).lstat().st_size
    require_space([(folder / "work", max(disk_bytes(plan) - present, 0))])


def in_words(plan: Plan) -> str:
    """Memory and disk space of an erosion in a sentence."""
    memory = size_in_words(worker_bytes(plan))
    disk = size_in_words(disk_bytes(plan))
    return (
        f"Each process needs about {memory} of memory; the folder grows to at most {disk} beside "
        "the start."
    )


def _written(plan: Plan, recipe: Recipe) -> set[str]:
    """Fields that steps write; colors only where the ground has some."""
    return recipe.written(plan.landscape.has(START + "surface_color"))


def _values(fields: set[str]) -> int:
    """Values of fields in a cell."""
    return sum(FIELDS[name].components for name in fields)
