# SPDX-License-Identifier: GPL-3.0-or-later
"""Services of the worker beside runs: start terrains, light, levels of detail, analysis, rivers and
lakes, carving, pictures of variants, animations.

They answer `requests`. Modules that few of them need are imported when used.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..bake import light
from ..bake.parameters import Lighting, LightParameters, Sun
from ..base.arrays import Array
from ..base.threads import OnProgress, Tally
from ..drainage import beds
from ..drainage.analysis import analyze
from ..drainage.parameters import AnalysisParameters, BedParameters, CutParameters, RiverParameters
from ..drainage.rivers import Water, sea_of, sizes, water_of
from ..recipe.recipe import Recipe
from ..terrain.fields import WATERS
from ..terrain.masks import MASK_KINDS
from ..terrain.terrain import Terrain
from .messages import MASK_PREFIX, Request
from .requests import FIGURES

if TYPE_CHECKING:
    from ..run.progress import Progress

FEW = 8
"""Assumed number of kernels of a service in the progress bar."""


def compute(
    request: Request, threads: int, on_progress: OnProgress = lambda fraction, message: None
) -> dict[str, Array]:
    """Answer to a request. threads: see `in_bands`. Raises InputError if the request cannot be
    answered.
    """
    return SERVICES[request.kind](request.values, request.arrays, threads, on_progress)


def _start(
    values: dict[str, Any], arrays: dict[str, Array], threads: int, on_progress: OnProgress
) -> dict[str, Array]:
    from ..generators.registry import make

    on_progress(0.0, "Start Terrain")
    rows, cols = values["shape"]
    spacing = tuple(values["spacing"])
    terrain = make(
        values["kind"], rows, cols, spacing, values["seed"], values["values"], threads=threads
    )
    return {"elevation": terrain.elevation, **terrain.fields}


def _light(
    values: dict[str, Any], arrays: dict[str, Array], threads: int, on_progress: OnProgress
) -> dict[str, Array]:
    terrain = Terrain(arrays["elevation"], tuple(values["spacing"]))
    tally = Tally(lambda fraction: on_progress(fraction, "Light"))
    lighting = _lighting(values, arrays["casters"])
    return light.bake(
        terrain,
        lighting.parameters,
        lighting.suns,
        lighting.casters,
        values["edges"],
        threads,
        tally,
    )


def _lighting(values: dict[str, Any], casters: Array) -> Lighting:
    suns = [Sun((x, y, z), radius) for x, y, z, radius in values["suns"]]
    return Lighting(LightParameters.from_dict(values["parameters"]), suns, casters)


def _levels(
    values: dict[str, Any], arrays: dict[str, Array], threads: int, on_progress: OnProgress
) -> dict[str, Array]:
    from ..bake import lod

    height = arrays["height"]
    errors = values["errors"]
    spacing = tuple(values["spacing"])
    tally = Tally(lambda fraction: on_progress(fraction, "Levels of Detail"))
    if "wet" in arrays:
        meshes = lod.water_levels(height, arrays["depth"], arrays["wet"], errors, spacing, tally)
    else:
        meshes = lod.levels(height, errors, spacing, tally)
    cells = {f"cells {number}": level.cells for number, level in enumerate(meshes)}
    return cells | {f"triangles {number}": level.triangles for number, level in enumerate(meshes)}


def _analysis(
    values: dict[str, Any], arrays: dict[str, Array], threads: int, on_progress: OnProgress
) -> dict[str, Array]:
    terrain = Terrain(arrays["elevation"], tuple(values["spacing"]))
    parameters = AnalysisParameters.from_dict(values["parameters"])
    tally = Tally(lambda fraction: on_progress(fraction, "Analysis"))
    analysis = analyze(terrain, parameters, values["edges"], threads, tally, arrays.get("outlets"))
    # answers consist of arrays only
    figures = json.dumps({"figures": analysis.figures, "notes": analysis.notes}).encode()
    return {**analysis.fields, FIGURES: np.frombuffer(figures, np.uint8)}


def _water(
    values: dict[str, Any], arrays: dict[str, Array], threads: int, on_progress: OnProgress
) -> dict[str, Array]:
    terrain, parameters, water = _rivers(values, arrays, threads, on_progress)
    wide = sizes(water, parameters)
    sea = sea_of(terrain.elevation, parameters)
    masks = beds.masks(water, wide, terrain.spacing, values["edges"], sea)
    fields = {name: masks[name] for name in WATERS}
    return {name: getattr(water, name) for name in Water.__dataclass_fields__} | fields


def _beds(
    values: dict[str, Any], arrays: dict[str, Array], threads: int, on_progress: OnProgress
) -> dict[str, Array]:
    terrain, parameters, water = _rivers(values, arrays, threads, on_progress)
    cut = CutParameters.from_dict(values["cut"])
    carved = beds.carve_rivers(
        terrain.elevation, terrain.spacing, values["edges"], water, parameters, cut
    )
    return {"elevation": carved}


def _rivers(
    values: dict[str, Any], arrays: dict[str, Array], threads: int, on_progress: OnProgress
) -> tuple[Terrain, RiverParameters, Water]:
    """Terrain of a request, settings of its rivers, and its rivers and lakes."""
    terrain = Terrain(arrays["elevation"], tuple(values["spacing"]))
    parameters = RiverParameters.from_dict(values["parameters"])
    on_progress(0.0, "Rivers and Lakes")
    water = water_of(
        terrain.elevation,
        terrain.spacing,
        values["edges"],
        parameters,
        arrays.get("headwaters"),
        threads,
        arrays.get("outlets"),
    )
    return terrain, parameters, water


def _carve(
    values: dict[str, Any], arrays: dict[str, Array], threads: int, on_progress: OnProgress
) -> dict[str, Array]:
    parameters = BedParameters.from_dict(values["parameters"])
    spacing = tuple(values["spacing"])
    elevation = arrays["elevation"]
    for number, name in enumerate(values["names"]):
        on_progress(number / len(values["names"]), "River")
        elevation = beds.carve(elevation, spacing, arrays[f"line {number}"], parameters, name)
    return {"elevation": elevation}


def _variants(
    values: dict[str, Any], arrays: dict[str, Array], threads: int, on_progress: OnProgress
) -> dict[str, Array]:
    from ..run import preview
    from ..run.simulation import RunOptions

    terrain, masks = _ground(values, arrays)
    recipes = [Recipe.from_dict(table) for table in values["recipes"]]
    count = 0

    def watch(run: "Iterator[Progress]", recipe: Recipe) -> "Progress":
        nonlocal count
        for progress in run:
            on_progress((count + progress.fraction) / len(recipes), "Variants")
        count += 1
        return progress

    reliefs = preview.reliefs(terrain, recipes, RunOptions(masks=masks, threads=threads), watch)
    return {
        f"picture {number}": np.rint(255.0 * relief).astype(np.uint8)
        for number, relief in enumerate(reliefs)
    }


def _animation(
    values: dict[str, Any], arrays: dict[str, Array], threads: int, on_progress: OnProgress
) -> dict[str, Array]:
    from ..run.frames.animation import animate
    from ..run.frames.frame_settings import FrameSettings
    from ..run.simulation import RunOptions

    recipes = [Recipe.from_dict(table) for table in values["recipes"]]
    terrain, masks = _ground(values, arrays)
    lights = [
        _lighting(light, arrays[f"casters {number}"])
        for number, light in enumerate(values["lights"])
    ]
    count = animate(
        FrameSettings(Path(values["folder"]), len(recipes) - 1, tuple(values["kept"])),
        terrain,
        recipes,
        RunOptions(masks=masks, threads=threads),
        on_progress=lambda fraction: on_progress(fraction, "Animation"),
        lights=lights,
        replace=values["replace"],
    )
    return {"made": np.array(count)}


def _ground(values: dict[str, Any], arrays: dict[str, Array]) -> tuple[Terrain, dict[str, Array]]:
    """Terrain and masks of a request."""
    fields = {name: arrays[name] for name in values["fields"]}
    masks = {
        kind: arrays[MASK_PREFIX + kind] for kind in MASK_KINDS if MASK_PREFIX + kind in arrays
    }
    return Terrain(arrays["elevation"], tuple(values["spacing"]), fields), masks


SERVICES: dict[
    str, Callable[[dict[str, Any], dict[str, Array], int, OnProgress], dict[str, Array]]
] = {
    "start": _start,
    "light": _light,
    "levels": _levels,
    "analysis": _analysis,
    "water": _water,
    "beds": _beds,
    "carve": _carve,
    "variants": _variants,
    "animation": _animation,
}
