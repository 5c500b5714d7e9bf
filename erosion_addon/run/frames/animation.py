# SPDX-License-Identifier: GPL-3.0-or-later
"""Animated recipe: each frame is a separate run from the same start, with its own parameters and
light.
"""

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from ... import VERSION
from ...bake.light import bake
from ...bake.parameters import SUNS, Lighting
from ...base.arrays import Array
from ...base.errors import InputError
from ...files import formats
from ...recipe.recipe import Recipe
from ...terrain.terrain import Terrain
from ..simulation import RunOptions, begin
from ..step_cache import Results
from . import frame_files
from .frame_settings import FrameSettings, digests_of, replaced
from .record import RECORD, Record, with_elevation


def animate(
    settings: FrameSettings,
    terrain: Terrain,
    recipes: Sequence[Recipe],
    options: RunOptions,
    on_progress: Callable[[float], None] = lambda fraction: None,
    lights: Sequence[Lighting] = (),
    replace: bool = False,
) -> int:
    """Frame k of the folder: the result of a run of recipe k on the terrain. Returns how many were
    made.

    Frames that are there, made from the same terrain, masks, recipe and light, are left. replace:
    whether others of an animation may be replaced. lights: of each frame, whose fields are among
    those of `settings`, or none. on_progress: called with the share done. InputError if the folder
    holds frames that may not be replaced, or cannot be written.
    """
    folder = settings.folder
    fields = settings.fields
    names = with_elevation(fields)
    frame_files.check(folder, names, len(recipes) - 1)
    record = _record(folder, names, terrain, recipes)
    frame_files.cut(folder, fields, record.kept)  # half-written frames of a killed process
    orders = digests_of(terrain, options.masks or {}, recipes, lights)
    if not replace and (replacements := replaced(record, orders)):
        raise InputError(
            "{replacements} frames in {folder} were made with other settings; let the animation "
            "replace them, choose another folder, or delete them."
        ).format(replacements=replacements, folder=folder)
    finished = [
        order for order, digests in zip(orders, record.orders, strict=False) if order == digests
    ]
    missing = (len(orders) - len(finished)) / len(orders)
    size = missing * frame_files.bytes_needed(len(orders) - 1, fields, terrain.shape)
    formats.require_space([(folder / RECORD, size)])
    # Steps that all frames begin with run once.
    options = dataclasses.replace(options, results=Results())
    count = 0
    for number, (recipe, order) in enumerate(zip(recipes, orders, strict=True)):
        if number < len(record.orders) and record.orders[number] == order:
            continue
        for progress in begin(terrain, recipe, options):
            on_progress((number + progress.fraction) / len(recipes))
        after = progress.terrain
        if lights:
            after.fields.update(_baked(after, lights[number], recipe.edges, names, options.threads))
        digests = [*record.orders[:number], order, *record.orders[number + 1 :]]
        draft = Record.of(
            after.report or {},
            names,
            terrain.shape,
            terrain.spacing,
            max(len(recipes), len(digests)) - 1,
        )
        record = dataclasses.replace(
            draft, kept=len(digests) - 1, range=record.range, sha256=record.sha256, orders=digests
        )
        try:
            record = frame_files.write(folder, record, number, after)
        except InputError as error:
            if not (count or finished):
                raise
            raise InputError(
                "{error} The frames made before stay in {folder}; run the animation again for the "
                "others once there is room."
            ).format(error=error, folder=folder) from error
        count += 1
    return count


def _record(folder: Path, names: list[str], terrain: Terrain, recipes: Sequence[Recipe]) -> Record:
    """Record of the animation that the folder holds, or of none yet; InputError if it holds
    something else.
    """
    record = Record.read(folder)
    if record is not None and record.orders:
        if (record.fields, record.size, record.spacing) != (names, terrain.shape, terrain.spacing):
            raise InputError(
                "{folder} holds frames of other fields or another grid; remove them, or choose "
                "another."
            ).format(folder=folder)
        return record
    if frame_files.holds(folder, names):
        raise InputError(
            "{folder} already holds frames of a run; choose another folder, or remove them."
        ).format(folder=folder)
    report = {
        "recipe": recipes[0].name,
        "seed": recipes[0].seed,
        "version": VERSION,
        "edges": recipes[0].edges,
    }
    return Record.of(report, names, terrain.shape, terrain.spacing, len(recipes) - 1)


def _baked(
    after: Terrain, light: Lighting, edges: str, names: Sequence[str], threads: int
) -> dict[str, Array]:
    """Fields of light by name; full light of suns that do not shine."""
    baked = bake(after, light.parameters, light.suns, light.casters, edges, threads)
    full = np.ones(after.shape, np.float32)
    return {name: baked.get(name, full) for name in ("sky_light", *SUNS) if name in names}
