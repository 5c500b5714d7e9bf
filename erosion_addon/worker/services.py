# SPDX-License-Identifier: GPL-3.0-or-later
"""Services of the worker beside runs: light, levels of detail, analysis, rivers and lakes, carving, pictures of
variants, animations.

Requests and answers are values and named arrays, ready for pipes. Each service imports its module on use: the scene,
which imports this at Blender's start, only sends requests.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..base.arrays import Array
from ..base.threads import OnProgress, Tally
from ..drainage import beds
from ..drainage.analysis import Analysis, AnalysisParameters, analyze
from ..drainage.beds import BedParameters
from ..drainage.rivers import RiverParameters, Water, sea_of, sizes, water_of
from ..light import bake
from ..recipe.recipe import Recipe
from ..terrain.fields import WATERS
from ..terrain.masks import MASK_KINDS
from ..terrain.terrain import Terrain
from .messages import MASK_PREFIX, Request

_TOLD = "told"
"""Name of the JSON bytes among the fields of an analysis."""

FEW = 8
"""Assumed number of kernels of a service in the progress bar."""


def light_request(
    terrain: Terrain, parameters: bake.LightParameters, suns: Sequence[bake.Sun], casters: Array, edges: str
) -> Request:
    """Request for `light.bake`; the answer holds its fields by name."""
    values = {"spacing": terrain.spacing, "edges": edges, **_lighting_values(parameters, suns)}
    return Request("light", values, {"elevation": terrain.elevation, "casters": casters})


def _lighting_values(parameters: bake.LightParameters, suns: Sequence[bake.Sun]) -> dict[str, Any]:
    return {"parameters": parameters.to_dict(), "suns": [[*sun.direction, sun.radius] for sun in suns]}


def _lighting(values: dict[str, Any], casters: Array) -> bake.Lighting:
    suns = [bake.Sun((x, y, z), radius) for x, y, z, radius in values["suns"]]
    return bake.Lighting(bake.LightParameters.from_dict(values["parameters"]), suns, casters)


def analysis_request(terrain: Terrain, parameters: AnalysisParameters, edges: str) -> Request:
    """Request for `analyze`; see `analysis_in`."""
    values = {"spacing": terrain.spacing, "parameters": parameters.to_dict(), "edges": edges}
    return Request("analysis", values, {"elevation": terrain.elevation})


def analysis_in(answer: Mapping[str, Array]) -> Analysis:
    """Analysis in the answer to such a request."""
    told = json.loads(answer[_TOLD].tobytes())
    return Analysis({name: field for name, field in answer.items() if name != _TOLD}, told["figures"], told["notes"])


def water_request(
    terrain: Terrain, parameters: RiverParameters, edges: str, headwaters: Array | None = None
) -> Request:
    """Request for the rivers and lakes of a terrain; see `water_in`, `waters_in`. headwaters: see `water_of`."""
    values = {"spacing": terrain.spacing, "parameters": parameters.to_dict(), "edges": edges}
    heads = {} if headwaters is None else {"headwaters": headwaters}
    return Request("water", values, {"elevation": terrain.elevation, **heads})


def water_in(answer: Mapping[str, Array]) -> Water:
    """Rivers and lakes in the answer to such a request."""
    return Water(**{name: answer[name] for name in Water.__dataclass_fields__})


def waters_in(answer: Mapping[str, Array]) -> dict[str, Array]:
    """Fields `WATERS` in the answer to such a request, (rows, cols) float32."""
    return {name: answer[name] for name in WATERS}


def carve_request(terrain: Terrain, lines: Sequence[tuple[str, Array]], parameters: BedParameters) -> Request:
    """Request for the elevation of a terrain with rivers carved in, see `beds.carve`. lines: names and points."""
    values = {
        "spacing": terrain.spacing,
        "parameters": parameters.to_dict(),
        "names": [name for name, _ in lines],
    }
    arrays = {f"line {number}": line for number, (_, line) in enumerate(lines)}
    return Request("carve", values, {"elevation": terrain.elevation, **arrays})


def variants_request(terrain: Terrain, recipes: Sequence[Recipe], masks: Mapping[str, Array]) -> Request:
    """Request for pictures of the terrain after each recipe, seed included; see `pictures_in`."""
    values = {
        "spacing": terrain.spacing,
        "recipes": [recipe.to_dict() for recipe in recipes],
        "fields": [*terrain.fields],
    }
    named = {MASK_PREFIX + kind: mask for kind, mask in masks.items()}
    return Request("variants", values, {"elevation": terrain.elevation, **terrain.fields, **named})


def animation_request(
    folder: Path,
    kept: Sequence[str],
    terrain: Terrain,
    recipes: Sequence[Recipe],
    masks: Mapping[str, Array],
    lights: Sequence[bake.Lighting] = (),
) -> Request:
    """Request for `frames.animation.animate` with the fields `kept`; the answer holds the number of frames `made`."""
    values = {
        "folder": str(folder),
        "kept": [*kept],
        "spacing": terrain.spacing,
        "recipes": [recipe.to_dict() for recipe in recipes],
        "fields": [*terrain.fields],
        "lights": [_lighting_values(light.parameters, light.suns) for light in lights],
    }
    named = {MASK_PREFIX + kind: mask for kind, mask in masks.items()}
    named |= {f"casters {number}": light.casters for number, light in enumerate(lights)}
    return Request("animation", values, {"elevation": terrain.elevation, **terrain.fields, **named})


def pictures_in(answer: Mapping[str, Array]) -> list[Array]:
    """Shaded reliefs in the answer to such a request: (rows, cols, 3) uint8, row 0 at the smallest y."""
    return [answer[f"picture {number}"] for number in range(len(answer))]


def levels_request(
    height: Array, errors: Sequence[float], spacing: tuple[float, float], water: Mapping[str, Array] | None = None
) -> Request:
    """Request for `lod.levels`, or `lod.water_levels` if `depth` and `wet` are given; see `levels_in`."""
    return Request("levels", {"errors": [*errors], "spacing": spacing}, {"height": height, **(water or {})})


def levels_in(request: Request, answer: Mapping[str, Array]) -> list[Any]:
    """Levels in the answer to such a request, a `lod.Level` for each error."""
    from ..lod.levels import Level

    errors = request.values["errors"]
    return [Level(answer[f"cells {n}"], answer[f"triangles {n}"], error) for n, error in enumerate(errors)]


def compute(request: Request, threads: int, tell: OnProgress = lambda fraction, message: None) -> dict[str, Array]:
    """Answer to a request. threads: see `in_bands`. Raises InputError if the request cannot be answered."""
    return SERVICES[request.kind](request.values, request.arrays, threads, tell)


def _light(values: dict[str, Any], arrays: dict[str, Array], threads: int, tell: OnProgress) -> dict[str, Array]:
    terrain = Terrain(arrays["elevation"], tuple(values["spacing"]))
    tally = Tally(lambda fraction: tell(fraction, "Light"))
    return bake.bake(terrain, *_lighting(values, arrays["casters"]), values["edges"], threads, tally)


def _levels(values: dict[str, Any], arrays: dict[str, Array], threads: int, tell: OnProgress) -> dict[str, Array]:
    from ..lod import levels

    height, errors, spacing = arrays["height"], values["errors"], tuple(values["spacing"])
    tally = Tally(lambda fraction: tell(fraction, "Levels of Detail"))
    if "wet" in arrays:
        made = levels.water_levels(height, arrays["depth"], arrays["wet"], errors, spacing, tally)
    else:
        made = levels.levels(height, errors, spacing, tally)
    cells = {f"cells {number}": level.cells for number, level in enumerate(made)}
    return cells | {f"triangles {number}": level.triangles for number, level in enumerate(made)}


def _analysis(values: dict[str, Any], arrays: dict[str, Array], threads: int, tell: OnProgress) -> dict[str, Array]:
    terrain = Terrain(arrays["elevation"], tuple(values["spacing"]))
    parameters = AnalysisParameters.from_dict(values["parameters"])
    tally = Tally(lambda fraction: tell(fraction, "Analysis"))
    found = analyze(terrain, parameters, values["edges"], threads, tally)
    told = json.dumps({"figures": found.figures, "notes": found.notes}).encode()
    return {**found.fields, _TOLD: np.frombuffer(told, np.uint8)}


def _water(values: dict[str, Any], arrays: dict[str, Array], threads: int, tell: OnProgress) -> dict[str, Array]:
    terrain = Terrain(arrays["elevation"], tuple(values["spacing"]))
    parameters = RiverParameters.from_dict(values["parameters"])
    tell(0.0, "Rivers and Lakes")
    heads = arrays.get("headwaters")
    found = water_of(terrain.elevation, terrain.spacing, values["edges"], parameters, heads, threads)
    wide, sea = sizes(found, parameters), sea_of(terrain.elevation, parameters)
    masks = beds.masks(found, wide, terrain.spacing, values["edges"], sea)
    fields = {name: masks[name] for name in WATERS}
    return {name: getattr(found, name) for name in Water.__dataclass_fields__} | fields


def _carve(values: dict[str, Any], arrays: dict[str, Array], threads: int, tell: OnProgress) -> dict[str, Array]:
    parameters, spacing = BedParameters.from_dict(values["parameters"]), tuple(values["spacing"])
    elevation = arrays["elevation"]
    for number, name in enumerate(values["names"]):
        tell(number / len(values["names"]), "River")
        elevation = beds.carve(elevation, spacing, arrays[f"line {number}"], parameters, name)
    return {"elevation": elevation}


def _variants(values: dict[str, Any], arrays: dict[str, Array], threads: int, tell: OnProgress) -> dict[str, Array]:
    from ..light.relief import shaded_relief
    from ..run.simulation import simulate

    terrain, masks = _ground(values, arrays)
    pictures = {}
    for number, table in enumerate(values["recipes"]):
        for progress in simulate(terrain, Recipe.from_dict(table), masks=masks, threads=threads):
            tell((number + progress.fraction) / len(values["recipes"]), "Variants")
        pictures[f"picture {number}"] = np.rint(255.0 * shaded_relief(progress.terrain)).astype(np.uint8)
    return pictures


def _animation(values: dict[str, Any], arrays: dict[str, Array], threads: int, tell: OnProgress) -> dict[str, Array]:
    from ..frames.animation import animate

    def told(fraction: float) -> None:
        tell(fraction, "Animation")

    recipes = [Recipe.from_dict(table) for table in values["recipes"]]
    terrain, masks = _ground(values, arrays)
    lights = [_lighting(light, arrays[f"casters {number}"]) for number, light in enumerate(values["lights"])]
    made = animate(Path(values["folder"]), values["kept"], terrain, recipes, masks, threads, told, lights)
    return {"made": np.array(made)}


def _ground(values: dict[str, Any], arrays: dict[str, Array]) -> tuple[Terrain, dict[str, Array]]:
    """Terrain and masks of a request."""
    fields = {name: arrays[name] for name in values["fields"]}
    masks = {kind: arrays[MASK_PREFIX + kind] for kind in MASK_KINDS if MASK_PREFIX + kind in arrays}
    return Terrain(arrays["elevation"], tuple(values["spacing"]), fields), masks


SERVICES: dict[str, Callable[[dict[str, Any], dict[str, Array], int, OnProgress], dict[str, Array]]] = {
    "light": _light,
    "levels": _levels,
    "analysis": _analysis,
    "water": _water,
    "carve": _carve,
    "variants": _variants,
    "animation": _animation,
}
